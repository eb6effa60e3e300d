"""Notices about the figures of a run, which limit their validity, and the report of a stall."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ringlet._engine import Certainty, Measured
    from ringlet.rings import Network

PATTERNS = {
    "warm-up not detected": r"warm-up not detected",
    "precision not reached": r"precision \S+ not reached",
    "starved": r"starved: ",
    "stalled": r"stalled since cycle|the (ring|network) stalled",
    "overloaded": r"overloaded: ",
    "batches correlate": r"batches of the total .* correlate",
}
"""What a run warns of, and what the line then looks like."""

OVERLOAD_SHARE = 0.05
"""Share of the packets generated that may be left waiting before the load counts as more than the ring carries."""


MOST_NAMED = 8
"""Ports that the report of a stall names."""


def notices(
    found: "Measured",
    stall: Mapping[str, Any] | None,
    precision: float | None,
    node_name: Callable[[int], str],
    *,
    takes_place_once: bool = False,
) -> list[str]:
    """Returns a line for each thing: the warm-up, the precision, starvation, a stall, overload, correlated batches.

    The batches of what takes place once, a replay or a collective operation, are no sample of anything, and so may
    correlate.
    """
    cycles = found["cycle"] - found["measured_from"]
    lines = []
    if not found["settled"]:
        lines.append(f"warm-up not detected: throughput or latency still drift after {found['measured_from']} cycles")
    if found["precision_reached"] is False:
        lines.append(_imprecision(found, precision, cycles))
    if not takes_place_once:
        # One that is incomplete says so itself.
        lines += _starvation(found, cycles, node_name)
    if stall is not None:
        lines.append(f"stalled since cycle {stall['since_cycle']}: {stall['detail']}")
    lines += _overload(found)
    if not takes_place_once:
        lines += _correlation("throughput", found["certainty"]["throughput"])
        lines += _correlation("latency", found["certainty"]["latency"])
    return lines


def kind_of(line: str) -> str:
    """Returns what a line warns of, in few words, as `ringlet explain` takes them."""
    return next((kind for kind, pattern in PATTERNS.items() if re.match(pattern, line)), line.partition(":")[0])


def _imprecision(found: "Measured", precision: float | None, cycles: int) -> str:
    def percent(certainty: "Certainty") -> str:
        relative = certainty["relative_half_width"]
        return "no interval" if relative is None else f"{100 * relative:.2g} %"

    certainty = found["certainty"]
    return (
        f"precision {precision:g} not reached in {cycles} cycles: "
        f"throughput {percent(certainty['throughput'])}, mean latency {percent(certainty['latency'])}"
    )


def _starvation(found: "Measured", cycles: int, node_name: Callable[[int], str]) -> list[str]:
    """Nodes that sent nothing although a packet waited for most of the time. Responses are not counted as sent: who
    only answers is left out."""
    series = found["series"]
    waited = found["node_counters"]["transmit_queue_packet_cycles"]
    columns = zip(waited, series["flows"], series["sent_packets"], series["retries"], strict=False)
    starved = [
        node
        for node, (cycles_waited, flows, sent, retries) in enumerate(columns)
        if flows and not sent and not retries and cycles_waited > cycles / 2
    ]
    if not starved:
        return []
    more = f" and {len(starved) - 10} more" if len(starved) > 10 else ""
    named = ", ".join(map(node_name, starved[:10]))
    return [f"starved: packets waited at {named}{more}, and none was sent"]


def _overload(found: "Measured") -> list[str]:
    """Loads above what the ring carries, whose latency has no steady value."""
    generated = found["generated_packets"]
    left = generated - found["settled_packets"]
    if left <= max(OVERLOAD_SHARE * generated, 10.0 * found["unsaturated_nodes"]):
        return []
    return [f"overloaded: {left} of {generated} packets generated were left waiting; the latency has no steady value"]


def _correlation(name: str, certainty: "Certainty") -> list[str]:
    if not certainty["correlated"]:
        return []
    return [
        f"batches of the total {name} correlate (lag 1: {certainty['lag1']:z.2f}): the run is short for what it "
        "measures; the interval was widened"
    ]


def describe_stall(stall: Mapping[str, Any], network: "Network | None") -> dict[str, Any]:
    """Returns a stall as JSON takes it, with the ports whose packets wait for each other by name.

    Args:
        stall: what the engine reports.
        network: that it has simulated; None for a single ring.
    """
    described = {key: value for key, value in stall.items() if key != "blocked"}
    # Link controllers of one port may wait for the same.
    blocked = dict.fromkeys(tuple(port) for port in stall.get("blocked", ()))
    if network is None or not blocked:
        return described
    first = network.switch_start
    waits = [
        {
            "port": network.port_name(int(first[switch]) + port),
            "packets": "responses" if is_response else "requests",
            "waits_for": network.port_name(int(first[switch]) + exit_port),
        }
        for switch, port, exit_port, is_response in blocked
    ]
    said = [f"{one['packets']} at {one['port']} wait for a transmit slot of {one['waits_for']}" for one in waits]
    more = [f"and {len(said) - MOST_NAMED} more ports"] if len(said) > MOST_NAMED else []
    detail = "; ".join([*said[:MOST_NAMED], *more, described["detail"]])
    return {**described, "detail": detail, "blocked": waits}
