"""Latencies: against their histogram, between their extremes, and no less than the way takes."""

import numpy as np

from campaign.observe import Observed, require, require_all


def histogram_agrees(observed: Observed) -> None:
    """The histogram holds every packet that was delivered, none of them above the largest latency's bin."""
    flows, (edges, packets) = observed.counted.flows, observed.counted.histogram
    if not len(observed.spec["flows"]):
        return
    delivered = int(flows["delivered_packets"].sum())
    require(int(packets.sum()) == delivered, f"{int(packets.sum())} packets in the histogram, {delivered} delivered")
    if delivered:
        most = int(flows["latency_max_cycles"].max())
        require(int(edges[-1]) >= most, f"last bin ends at {edges[-1]}, the largest latency is {most}")
        # Two digits at least: a bin is at most a sixty-fourth of where it stands.
        require(int(edges[-1]) <= most + most // 32 + 2, f"last bin ends at {edges[-1]}, far above {most}")


def sums_lie_between_extremes(observed: Observed) -> None:
    """A sum of latencies lies between as many times the least and the most."""
    flows = observed.counted.flows
    if not len(observed.spec["flows"]):
        return
    # A packet counts with the end of its service, and its latency with the time to store it.
    network = observed.spec.get("network")
    hosts = [] if network is None else [network["host"], *(network["hosts"] or [])]
    stored = max((host["store_ps"] / network["symbol_ps"] + 1 for host in hosts), default=0)
    longest = observed.counted.cycle + stored
    for count, name in (("delivered_packets", "latency"), ("completed_messages", "message_latency")):
        number, total = flows[count].astype(float), flows[f"{name}_sum_cycles"].astype(float)
        least, most = (flows[f"{name}_{end}_cycles"].astype(float) for end in ("min", "max"))
        rounding = 1e-12 * total + 1e-9
        require_all((number * least <= total + rounding) & (total <= number * most + rounding), name, number, total)
        require_all((number > 0) | (total == 0), f"{name} of no packet", total)
        require_all((number == 0) | (most <= longest), f"{name} longer than the run", most)


def no_packet_is_faster_than_its_way(observed: Observed) -> None:
    """A latency is no less than the links of the shortest way, the packet's symbols and its service."""
    hops, spec = observed.least_hops, observed.spec
    if hops is None:
        return
    network = spec.get("network")
    hop_delay, receive = spec["hop_delay"], spec["queues"]["receive"]
    delays = [ring["hop_delays"] for ring in network["rings"]] if network else [hop_delay["each"]]
    delay = min(min(each) if each is not None else hop_delay["common"] for each in delays)
    service = min(one["service_cycles"] for one in receive["each"] or [receive["common"]])
    sizes = [
        min([symbols for symbols, _ in flow["sizes"]] + [flow["response_symbols"] or 2**32]) for flow in spec["flows"]
    ]
    least = hops * delay + np.array(sizes) + service
    flows = observed.counted.flows
    fastest = flows["latency_min_cycles"].astype(np.int64)
    require_all((flows["delivered_packets"] == 0) | (fastest >= least), "faster than its way", fastest, least, hops)
