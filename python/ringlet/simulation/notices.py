"""Notices about the figures of a run, which limit their validity, and the report of a stall."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.figures.measurements import is_overloaded

if TYPE_CHECKING:
    from ringlet._engine import Certainty, Measured
    from ringlet.rings import Network

PATTERNS = {
    "warm-up not detected": r"warm-up not detected",
    "precision not reached": r"precision \S+ not reached",
    "starved": r"starved: ",
    "stalled": r"stalled since cycle|the (ring|network) stalled",
    "overloaded": r"overloaded: ",
    "not steady": r"not steady: ",
    "batches correlate": r"batches of the total .* correlate",
}
"""Warnings of a run, each with a regular expression of its line."""

INTERVALS = ("throughput", "latency")
"""Figures of the total that may have an interval."""

MOST_STARVED = 10
"""Starved nodes that a notice names."""

MOST_NAMED = 8
"""Ports that the report of a stall names."""


def notices(
    found: "Measured",
    stall: Mapping[str, Any] | None,
    precision: float | None,
    nodes: Sequence[Mapping[str, Any]],
    *,
    takes_place_once: bool = False,
    steady: bool = True,
    short: bool = False,
    intervals: Collection[str] = INTERVALS,
) -> list[str]:
    """Returns a line for each thing: the warm-up, the precision, starvation, a stall, overload, correlated batches.

    Without a delivery there is no series in which a transient could be found. The batches of what takes place once, a
    replay or a collective operation, are no sample of anything, and so may correlate; nor are those of a figure without
    an interval, which none could widen.
    """
    cycles = found["cycle"] - found["measured_from"]
    lines = []
    if not found["settled"] and found["series"]["delivered_packets"][-1] and not found["growing"]:
        lines.append(f"warm-up not detected: throughput or latency still drift after {found['measured_from']} cycles")
    if found["precision_reached"] is False and not found["growing"]:
        lines.append(_imprecision(found, precision, cycles))
    if not takes_place_once:
        # One that is incomplete says so itself.
        lines += _starvation(nodes, found)
    if stall is not None:
        lines.append(f"stalled since cycle {stall['since_cycle']}: {stall['detail']}")
    overload = _overload(found)
    lines += overload
    if not takes_place_once and found["exact"] is None:
        if "throughput" in intervals:
            lines += _correlation("throughput", found["certainty"]["throughput"])
        # A latency that grows or wanders has no interval that could be too narrow.
        if "latency" in intervals and not overload:
            lines += _correlation("latency", found["certainty"]["latency"])
    if not steady and not overload:
        lines.append("not steady: the mean latency drifts or wanders from batch to batch, and has no interval")
    elif short and not overload:
        lines.append(
            "not steady: queues are so long that they change too slowly for this run: no interval of the latency"
        )
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


def _starvation(nodes: Sequence[Mapping[str, Any]], found: "Measured") -> list[str]:
    """Nodes that starve, by what they got: nothing, or next to nothing."""
    sent = found["series"]["sent_packets"]
    lines = []
    for some, what in ((False, "and none was sent"), (True, "and less than 1 % of its fair share was served")):
        starved = [node["name"] for node in nodes if node["starved"] and bool(sent[node["id"]]) is some]
        if starved:
            more = f" and {len(starved) - MOST_STARVED} more" if len(starved) > MOST_STARVED else ""
            of_each = what.replace("its", "each one's") if len(starved) > 1 else what
            lines.append(f"starved: packets waited at {', '.join(starved[:MOST_STARVED])}{more}, {of_each}")
    return lines


def _overload(found: "Measured") -> list[str]:
    """Loads above what the ring carries, whose latency has no steady value."""
    if not is_overloaded(found):
        return []
    generated = found["generated_packets"]
    left = generated - found["settled_packets"]
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
