"""Counts and times of flows in a run, and their sums by pair of nodes and by destination."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ringlet.lazy import library
from ringlet.scenario.activities.activity import EndedRun, Planned
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.values.destinations import Fixed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringlet._engine import Simulation, Stepping
else:
    np = library("numpy")

QUANTILES = (0.5, 0.95, 0.99, 0.999)

Part = int | tuple[int, int]
"""Messages of a flow, by its place in the table: all, or those to a node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesFound:
    """Counts and times of messages in the measured time; latencies are None where no message was complete."""

    offered: int
    """Messages released."""
    offered_bytes: int
    delivered: int
    delivered_bytes: int
    lost: int
    unfinished: int
    """Released at any time, and neither complete nor lost at the end."""
    missed: int | None
    """Deadlines that passed without the message being complete; None without a deadline."""
    judged: int
    """Messages with a deadline that were complete or lost, or whose deadline passed before."""
    least_cycles: int | None
    sum_cycles: int
    """Sum of the latencies of all messages that were complete."""
    quantile_cycles: tuple[float, ...] | None
    """Latencies at the quantiles `QUANTILES`, in cycles."""
    largest_cycles: int | None

    @property
    def mean_cycles(self) -> float | None:
        """Mean latency."""
        return self.sum_cycles / self.delivered if self.delivered else None

    @property
    def jitter_cycles(self) -> int | None:
        """Largest latency less the least one."""
        if self.largest_cycles is None or self.least_cycles is None:
            return None
        return self.largest_cycles - self.least_cycles


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFound(MessagesFound):
    """Counts and times of the messages of a flow."""

    flow: ResolvedFlow


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFound(MessagesFound):
    """Counts and times of the messages of all flows from one node to another."""

    name: str
    source: int
    destination: int
    flows: int
    """Number of flows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationFound(MessagesFound):
    """Counts and times of the messages of all flows to a node."""

    name: str
    destination: int
    flows: int
    """Number of flows."""


@dataclass(frozen=True, slots=True)
class FlowsFound:
    """Findings of a run about its flows."""

    flows: Sequence[FlowFound]
    """Each flow, in the order of the table."""
    pairs: Sequence[PairFound]
    """Each pair of nodes between which a flow goes; empty where each flow to one node has a pair of its own, and none
    goes to several that is counted for each."""
    destinations: Sequence[DestinationFound]
    """Each node to which a flow goes."""
    undivided: int
    """Flows to several nodes that are counted as a whole: they are in no pair and no destination."""


def flows_found(run: EndedRun) -> FlowsFound | None:
    """Returns what became of each flow in the measured time; None without flows."""
    exact = run.measured.get("exact")
    return flows_counted(run.engine, run.resolved, run.node_name, None if exact is None else exact["period"])


def flows_counted(
    engine: "Simulation | Stepping",
    resolved: Planned,
    node_name: Callable[[int], str],
    period: "Simulation | None" = None,
) -> FlowsFound | None:
    """Returns what an engine has counted of each flow since it was reset; None without flows.

    Args:
        engine: of a run, or of a simulation that a program steps.
        resolved: the scenario in cycles, with its plans.
        node_name: returns the name of a node.
        period: engine whose latencies are those of a period that recurs; None: none is known.
    """
    plans = resolved.plans_of(FlowPlan)
    if not plans:
        return None
    (plan,) = plans
    first = resolved.first_flow(plan)
    lasting = engine if period is None else period
    # All messages of a flow, or those to one of its nodes.
    to: dict[int, list[Part]] = {}
    between: dict[tuple[int, int], list[Part]] = {}
    several = {
        place: np.flatnonzero(flow.destinations.row(flow.source, resolved.nodes)).tolist()
        for place, flow in enumerate(plan.every)
        if flow.by_destination
    }
    undivided = 0
    for place, flow in enumerate(plan.every):
        parts: list[tuple[int, Part]] = [(node, (place, node)) for node in several.get(place, ())]
        if isinstance(flow.destinations, Fixed):
            parts = [(flow.destinations.node, place)]
        undivided += not parts
        for node, part in parts:
            to.setdefault(node, []).append(part)
            between.setdefault((flow.source, node), []).append(part)
    destinations = sorted(to.items())
    is_shared = any(len(members) > 1 or not isinstance(members[0], int) for members in between.values())
    pairs = sorted(between.items()) if is_shared else []
    # Quantiles of a sum are those of its messages together: the engine adds their distributions up.
    groups: list[list[Part]] = [[place] for place in range(len(plan.every))]
    groups += [members for _, members in (*destinations, *pairs) if _is_sum(members)]
    asked = [[first + i if isinstance(i, int) else (first + i[0], i[1]) for i in group] for group in groups]
    quantiles = lasting.message_latency_quantiles(asked, list(QUANTILES))
    # Python's own numbers: one from an array takes several times as long.
    counters = {name: column.tolist() for name, column in engine.flow_counters().items()}
    messages = {name: column.tolist() for name, column in engine.message_counters().items()}
    # Copies are offered with the packets that they are of.
    sent = [first + (i if one.copies is None else one.copies) for i, one in enumerate(plan.every)]
    every = [_found(one, (first + i, sent[i]), counters, messages, quantiles[i]) for i, one in enumerate(plan.every)]
    joint = iter(quantiles[len(every) :])
    parted = _parted(engine, plan, several, first) if several else {}

    def summed(members: Sequence[Part]) -> dict[str, Any]:
        parts = [every[part] if isinstance(part, int) else parted[part] for part in members]
        return _summed(parts, next(joint) if _is_sum(members) else None)

    @cache
    def name(node: int) -> str:
        return node_name(node).removeprefix("node ")

    return FlowsFound(
        every,
        destinations=[
            DestinationFound(name=name(node), destination=node, flows=len(members), **summed(members))
            for node, members in destinations
        ],
        pairs=[
            PairFound(
                name=f"{name(source)}-{name(node)}",
                source=source,
                destination=node,
                flows=len(members),
                **summed(members),
            )
            for (source, node), members in pairs
        ],
        undivided=undivided,
    )


def _is_sum(members: Sequence[Part]) -> bool:
    """Returns whether a row is more than the one of a flow, which has its quantiles already."""
    return len(members) > 1 or not isinstance(members[0], int)


def _parted(
    engine: "Simulation | Stepping", plan: FlowPlan, several: Mapping[int, Sequence[int]], first: int
) -> dict[Part, MessagesFound]:
    """Returns the counts and times of flows that are counted for each of their nodes. Their quantiles are left to the
    sums in which they are.

    Args:
        engine: what has counted.
        plan: of all flows.
        several: nodes of each of these flows, by its place.
        first: number of the first flow in the engine.
    """
    table = {name: column.tolist() for name, column in engine.destination_counters().items()}
    ends = zip(table["flow"], table["destination"], strict=True)
    rows = {(flow - first, node): row for row, (flow, node) in enumerate(ends)}
    found: dict[Part, MessagesFound] = {}
    for place, nodes in several.items():
        has_deadline = plan.every[place].deadline_cycles is not None
        for node in nodes:
            row = rows.get((place, node))
            counted = dict.fromkeys(table, 0) if row is None else {name: column[row] for name, column in table.items()}
            delivered = counted["completed_messages"]
            found[place, node] = MessagesFound(
                offered=counted["released"],
                offered_bytes=counted["released_bytes"],
                delivered=delivered,
                delivered_bytes=counted["completed_bytes"],
                lost=counted["lost"],
                unfinished=counted["open"],
                missed=counted["missed"] if has_deadline else None,
                judged=counted["judged"] if has_deadline else 0,
                least_cycles=counted["message_latency_min_cycles"] if delivered else None,
                sum_cycles=counted["message_latency_sum_cycles"],
                quantile_cycles=None,
                largest_cycles=counted["message_latency_max_cycles"] if delivered else None,
            )
    return found


_SUMS = ("offered", "offered_bytes", "delivered", "delivered_bytes", "lost", "unfinished", "judged", "sum_cycles")
"""Counts that those of several flows add up to."""

_OF_ONE = ("missed", "least_cycles", "quantile_cycles", "largest_cycles")
"""Figures that a sum has besides, and one flow too."""


def _summed(every: Sequence[MessagesFound], quantiles: "NDArray[np.float64] | None") -> dict[str, Any]:
    """Returns the counts and times of several flows together; of one flow its own quantiles are those of the sum."""
    if quantiles is None:
        (one,) = every
        return {**{name: getattr(one, name) for name in _SUMS}, **{name: getattr(one, name) for name in _OF_ONE}}
    known = [one for one in every if one.delivered]
    least = min((one.least_cycles for one in known if one.least_cycles is not None), default=None)
    largest = max((one.largest_cycles for one in known if one.largest_cycles is not None), default=None)
    missed = [one.missed for one in every if one.missed is not None]
    held = _held(quantiles, least, largest)
    return {
        **{name: sum(getattr(one, name) for one in every) for name in _SUMS},
        "missed": sum(missed) if missed else None,
        "least_cycles": least,
        "quantile_cycles": held,
        "largest_cycles": largest,
    }


def _held(quantiles: "NDArray[np.float64]", least: int | None, largest: int | None) -> tuple[float, ...] | None:
    """Returns quantiles within the extremes; None without any message: a quantile is the upper end of the histogram's
    interval that holds it."""
    if least is None or largest is None:
        return None
    return tuple(float(min(max(cycles, least), largest)) for cycles in quantiles.tolist())


def _found(
    flow: ResolvedFlow,
    numbers: tuple[int, int],
    counters: Mapping[str, Sequence[int]],
    messages: Mapping[str, Sequence[int]],
    quantiles: "NDArray[np.float64]",
) -> FlowFound:
    number, sent = numbers

    def count(name: str) -> int:
        return counters[name][number]

    delivered = count("completed_messages")
    least, largest = None, None
    if delivered:
        least, largest = count("message_latency_min_cycles"), count("message_latency_max_cycles")
    if flow.is_saturated and not flow.by_destination:
        # Each message is a packet, one of which always waits.
        offered, lost = counters["generated_packets"][sent], counters["lost_packets"][sent]
        if sent != number:
            lost += count("given_up_packets")
        bytes_each = round(flow.sizes.mean_bytes)
        amounts, judged, late = (offered * bytes_each, delivered * bytes_each), delivered, count("missed_deadlines")
        unfinished = max(0, offered - lost - delivered)
    else:
        counted = {name: column[number] for name, column in messages.items()}
        offered, lost, judged = counted["released"], counted["lost"], counted["judged"]
        amounts, late = (counted["released_bytes"], counted["completed_bytes"]), counted["missed"]
        unfinished = counted["open"]
    return FlowFound(
        flow=flow,
        offered=offered,
        offered_bytes=amounts[0],
        delivered=delivered,
        delivered_bytes=amounts[1],
        lost=lost,
        unfinished=unfinished,
        missed=None if flow.deadline_cycles is None else late,
        judged=0 if flow.deadline_cycles is None else judged,
        least_cycles=least,
        sum_cycles=count("message_latency_sum_cycles") if delivered else 0,
        quantile_cycles=_held(quantiles, least, largest),
        largest_cycles=largest,
    )
