"""Conservation of packets and symbols, and capacities of queues and links, from the engine's counters since cycle 0."""

import numpy as np

from campaign.observe import Observed, require, require_all

LINK_USES = ("send", "retry", "echo", "control", "idle")
GO_BITS = ("none", "sci", "grouped")
"""Protocols that send with an empty bypass FIFO only; to the nominal one of others control symbols and trains come."""


def symbols_are_conserved(observed: Observed) -> None:
    """Each link carries one symbol in each of its times, of one kind."""
    counted, spec = observed.counted, observed.spec
    rings = spec["network"]["rings"] if spec.get("network") else []
    symbol_cycles = np.array([ring["symbol_cycles"] for ring in rings] or [1])
    of_nodes = np.ones(spec["nodes"], dtype=np.int64)
    for ring in rings:
        of_nodes[[node for node in ring["interfaces"] if isinstance(node, int)]] = ring["symbol_cycles"]
    ports = symbol_cycles[counted.ports["ring"]] if counted.ports else None
    has_two = bool(rings) and spec["network"].get("ways") is not None
    for table, symbol, links in ((counted.nodes, of_nodes, 2 if has_two else 1), (counted.ports, ports, 1)):
        if table:
            carried = sum(table[f"link_{use}_symbols"].astype(np.int64) for use in LINK_USES)
            times = links * -(-counted.cycle // symbol)
            require_all(carried == times, "symbols of a link are not its symbol times", carried)


def packets_are_conserved(observed: Observed) -> None:
    """A packet is sent once for the first time, delivered at most once, and never both lost and sent."""
    flows = {name: column.astype(np.int64) for name, column in observed.counted.flows.items()}
    if not len(observed.spec["flows"]):
        return
    # Copies that one of several receivers takes are of packets that another flow has sent.
    arrivals = [flow["arrivals"] for flow in observed.spec["flows"]]
    of = [one["flow"] if one["kind"] == "copies" else place for place, one in enumerate(arrivals)]
    generated, lost, sent = (flows[f"{name}_packets"][of] for name in ("generated", "lost", "sent"))
    delivered, responses = flows["delivered_packets"], flows["delivered_responses"]
    requests = delivered - responses
    again = flows["timed_out_requests"] - flows["unanswered_requests"]
    answered = np.array([flow["response_symbols"] is not None for flow in observed.spec["flows"]])
    traced = np.array([flow["arrivals"]["kind"] == "trace" for flow in observed.spec["flows"]])
    require_all((lost >= 0) & (lost <= generated), "more lost than generated", lost, generated)
    require_all(
        requests <= generated - lost + again, "more requests delivered than generated", requests, generated, lost, again
    )
    # A packet that takes both rings of its station is sent when it leaves on the first of them, and may be delivered
    # by the second before.
    ways = (observed.spec.get("network") or {}).get("ways") or {}
    if ways.get("kind") != "both":
        # A response that comes by the other ring than its request went counts as sent a symbol later.
        late = answered * bool(ways)
        require_all(delivered <= sent + late, "more delivered than sent", delivered, sent)
    require_all(responses <= np.where(answered | traced, requests, 0) + traced * delivered, "responses", responses)
    all_of_them = generated - lost + again + answered * requests
    require_all(sent <= all_of_them, "more sent than there are", sent, generated, lost, again)
    require_all((flows["retries"] > 0) | (flows["retry_symbols"] == 0), "symbols of no retry", flows["retry_symbols"])
    given_up = flows["given_up_packets"]
    # A ring without echoes loses what comes to a full receive queue.
    may_lose = observed.spec.get("network") is not None or not observed.spec["format"]["echoes"]
    require(may_lose or not given_up.any(), "packets given up without errors")
    sizes = [_sizes(flow) for flow in observed.spec["flows"]]
    least, most = (np.array(column) for column in zip(*sizes, strict=True))
    symbols = flows["delivered_symbols"]
    require_all(
        (delivered * least <= symbols) & (symbols <= delivered * most), "symbols delivered", delivered, symbols, least
    )
    require_all(
        flows["completed_messages"] <= generated - lost, "messages completed", flows["completed_messages"], generated
    )


def _sizes(flow: dict) -> tuple[int, int]:
    sizes = [symbols for symbols, share in flow["sizes"] if share > 0]
    if flow["response_symbols"] is not None:
        sizes.append(flow["response_symbols"])
    return min(sizes), max(sizes)


def queues_keep_their_places(observed: Observed) -> None:
    """No queue holds more than its places."""
    spec, nodes = observed.spec, observed.counted.nodes
    places = spec["queues"]["receive"]["common"]["capacity"]
    if places is not None:
        # One queue for requests and one for responses.
        most = nodes["receive_queue_max"]
        require_all(most <= 2 * places, "packets in the receive queues", most)
    if not observed.is_network and spec["flows"] and spec["flow_control"]["protocol"] in GO_BITS:
        longest = max(_sizes(flow)[1] for flow in spec["flows"])
        most = nodes["bypass_max_symbols"]
        require_all(most <= longest + 1, f"packets of {longest} symbols, bypass FIFO", most)


def links_carry_what_is_delivered(observed: Observed) -> None:
    """What has been delivered has passed all links of its way: together no more than these have carried. What several
    receivers take of one packet has passed links together."""
    hops = observed.least_hops
    if hops is None or observed.scenario.resolved.has_copies:
        return
    counted = observed.counted
    carried = sum(
        int(table[f"link_{use}_symbols"].sum())
        for table in (counted.nodes, counted.ports)
        if table
        for use in ("send", "retry")
    )
    needed = int((counted.flows["delivered_symbols"].astype(np.int64) * hops).sum())
    require(needed <= carried, f"{needed} symbols on the links for what was delivered, of {carried} carried")


def a_trace_is_accounted_for(observed: Observed) -> None:
    """Every packet of a trace has started, is due, or waits; one that has started is counted at its source."""
    replay, counted = observed.scenario.replay, observed.counted
    if replay is None:
        return
    found, packets = counted.replayed, replay.survey.packets
    require(found["started"] + found["due"] + found["waiting"] <= packets, f"{found} of {packets} packets of the trace")
    require(found["local"] <= found["started"], f"{found}: more local than started")
    generated = int(counted.flows["generated_packets"].sum())
    traced = [flow["arrivals"]["kind"] == "trace" for flow in observed.spec["flows"]]
    if all(traced):
        require(generated == found["started"] - found["local"], f"{generated} generated of {found}")
