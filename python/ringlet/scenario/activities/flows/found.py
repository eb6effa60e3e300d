"""Counts and times of flows in a run, and their sums by pair of nodes and by destination."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ringlet.scenario.activities.activity import EndedRun
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.values.destinations import Fixed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUANTILES = (0.5, 0.95, 0.99, 0.999)


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
    """Each pair of nodes between which a flow goes; empty where each flow has a pair of its own."""
    destinations: Sequence[DestinationFound]
    """Each node to which a flow goes. Flows to several nodes, of which the engine counts the whole, are in none."""


def flows_found(run: EndedRun) -> FlowsFound | None:
    """Returns what became of each flow in the measured time; None without flows."""
    exact = run.measured.get("exact")
    plans = run.resolved.plans_of(FlowPlan)
    if not plans:
        return None
    (plan,) = plans
    first = run.resolved.first_flow(plan)
    lasting = run.engine if exact is None else exact["period"]
    to: dict[int, list[int]] = {}
    between: dict[tuple[int, int], list[int]] = {}
    for place, flow in enumerate(plan.every):
        if isinstance(flow.destinations, Fixed):
            to.setdefault(flow.destinations.node, []).append(place)
            between.setdefault((flow.source, flow.destinations.node), []).append(place)
    destinations = sorted(to.items())
    pairs = sorted(between.items()) if any(len(members) > 1 for members in between.values()) else []
    # Quantiles of a sum are those of its messages together: the engine adds their distributions up.
    groups = [[place] for place in range(len(plan.every))]
    groups += [members for _, members in (*destinations, *pairs) if len(members) > 1]
    quantiles = lasting.message_latency_quantiles([[first + i for i in group] for group in groups], list(QUANTILES))
    # Python's own numbers: one from an array takes several times as long.
    counters = {name: column.tolist() for name, column in run.engine.flow_counters().items()}
    messages = {name: column.tolist() for name, column in run.engine.message_counters().items()}
    # Copies are offered with the packets that they are of.
    sent = [first + (i if one.copies is None else one.copies) for i, one in enumerate(plan.every)]
    every = [_found(one, (first + i, sent[i]), counters, messages, quantiles[i]) for i, one in enumerate(plan.every)]
    joint = iter(quantiles[len(every) :])

    def summed(members: Sequence[int]) -> dict[str, Any]:
        return _summed([every[i] for i in members], next(joint) if len(members) > 1 else None)

    @cache
    def name(node: int) -> str:
        return run.node_name(node).removeprefix("node ")

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
    )


_SUMS = ("offered", "offered_bytes", "delivered", "delivered_bytes", "lost", "unfinished", "judged", "sum_cycles")
"""Counts that those of several flows add up to."""

_OF_ONE = ("missed", "least_cycles", "quantile_cycles", "largest_cycles")
"""Figures that a sum has besides, and one flow too."""


def _summed(every: Sequence[FlowFound], quantiles: "NDArray[np.float64] | None") -> dict[str, Any]:
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
    if flow.is_saturated:
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
