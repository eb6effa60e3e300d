"""Flows resolved to cycles, packets and node numbers."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from ringlet.errors import Problems, RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.flows.keys import ALL, FlowArrivals, FlowKeys, counts_messages
from ringlet.scenario.activities.flows.sizes import Sizes, sizes_of
from ringlet.scenario.activities.messages.periodic import drifted
from ringlet.scenario.activities.plan import Bounded, Plan, Refusal, Surroundings
from ringlet.scenario.values.destinations import Destinations, Fixed, Uniform, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import (
    MAX_CYCLES,
    cycles,
    exact_cycles,
    magnitude,
    whole_cycles_within,
)

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network
else:
    np = library("numpy")

DRAWN = frozenset({"poisson", "bernoulli", "sporadic", "on-off"})
"""The engine's arrivals whose times are drawn."""

POISSON = ("poisson", "bernoulli")
"""Arrivals that the queueing model takes to be Poisson."""

MAX_WEIGHTS = 1 << 24
"""Shares of all flows that go to several nodes: a row of the network's nodes for each."""


@dataclass(frozen=True, slots=True)
class ResolvedFlow:
    """One flow in the terms of the engine."""

    place: str
    """Beginning of the paths of its keys in messages, such as `flows[0].`."""
    name: str
    source: int
    destinations: Destinations
    to: str
    """Destination of the flow in words."""
    priority: int
    arrivals: dict[str, Any]
    """The engine's arrivals."""
    timing: dict[str, Any]
    """Jitter, start, stop, total and times of the engine's messages."""
    sizes: Sizes
    per_cycle: float
    """Messages per cycle, while it lasts; infinite where one always waits."""
    deadline_cycles: int | None
    labels: Mapping[str, str] = field(hash=False)

    @property
    def is_saturated(self) -> bool:
        """True if one message always waits."""
        return math.isinf(self.per_cycle)

    @property
    def is_random(self) -> bool:
        """True if times, sizes or destinations are drawn."""
        kind = self.arrivals["kind"]
        times = kind in DRAWN or self.timing.get("jitter_cycles", 0) > 0
        return times or self.sizes.is_drawn or not isinstance(self.destinations, Fixed)


@dataclass(frozen=True)
class FlowPlan(Plan):
    """All flows of a scenario. The engine draws their messages itself."""

    key: ClassVar[str] = "flows"
    section: ClassVar[str] = "[[flows]]"
    named: ClassVar[str] = "flows"
    waits: ClassVar[bool] = False
    has_deadlines: ClassVar[bool] = True
    is_explored: ClassVar[bool] = True

    every: tuple[ResolvedFlow, ...]
    transaction: Transaction

    @classmethod
    def all_of(cls, file: Any, around: Surroundings) -> "tuple[FlowPlan, ...]":  # noqa: ANN401 - with `FlowsKeys`
        """Returns the flows of a scenario, if it has any, as one plan."""
        if not around.flows:
            return ()
        transaction = TRANSACTIONS[file.flow_transaction]
        return (cls(resolve_flows(around.flows, around, transaction), transaction),)

    @property
    def release_interval_cycles(self) -> float | None:
        """Mean time between messages of the flow that has fewest, of those that go on; None without any."""
        going_on = [
            1 / one.per_cycle
            for one in self.every
            if not one.is_saturated and one.timing.get("total") is None and one.timing.get("stop_cycle") is None
        ]
        return max(going_on, default=None)

    @property
    def last_release_cycle(self) -> int:
        """Cycle by which all that ends has been released, in the mean; 0 where nothing ends."""
        ends = [0]
        for one in self.every:
            start, total, stop = (one.timing.get(key) for key in ("start_cycle", "total", "stop_cycle"))
            if one.timing.get("times"):
                ends.append(start + one.timing["times"][-1])
            elif stop is not None:
                ends.append(stop)
            elif total is not None and not one.is_saturated:
                ends.append(start + math.ceil(total / one.per_cycle))
        return max(ends)

    @property
    def unbounded(self) -> Refusal | None:
        """The first flow without a least distance between messages."""
        for one in self.every:
            if "period" not in one.arrivals:
                return Refusal(f"{one.place}arrivals", one.arrivals["kind"], "'periodic', also with jitter or sporadic")
        return None

    def bounds(self) -> list[Bounded]:
        """Returns the bound of each flow: of sizes that are drawn, the largest."""
        packet_bytes = int(self.transaction.payload_bytes)
        return [
            Bounded(
                one.name,
                -(-one.sizes.most_bytes // packet_bytes),
                one.arrivals["period"],
                one.timing["jitter_cycles"],
                one.deadline_cycles,
            )
            for one in self.every
        ]

    @property
    def not_poisson(self) -> Refusal | None:
        """The first flow whose packets do not come one by one at times of a Poisson process, for all time."""
        packet_bytes = int(self.transaction.payload_bytes)
        for one in self.every:
            if one.arrivals["kind"] not in POISSON:
                return Refusal(f"{one.place}arrivals", one.arrivals["kind"], " or ".join(map(repr, POISSON)))
            if one.sizes.most_bytes > packet_bytes:
                allowed = f"at most {packet_bytes} bytes: a message of several packets comes at once"
                return Refusal(f"{one.place}size", f"<up to {one.sizes.most_bytes} bytes>", allowed)
            for key in ("start_cycle", "stop_cycle", "total"):
                if one.timing[key]:
                    path = f"{one.place}{key.removesuffix('_cycle')}"
                    return Refusal(path, "<a beginning or an end>", "none: the model is of a state that lasts")
        return None

    @property
    def flow_count(self) -> int:
        """An engine's flow for each."""
        return len(self.every)

    def flows(self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool) -> Iterator[Flow]:
        """Yields the engine's flows, in the order of the table."""
        del waiting  # the engine releases them at their times
        packet_bytes = int(self.transaction.payload_bytes)
        sizes, answer = packets_of(self.transaction, link_format)
        in_response = self.transaction.data_in == "response"
        # The last packet is filled up: on average each carries this much of a message.
        payloads = {
            each: Payload(each, in_response)
            for each in {one.sizes.mean_bytes / one.sizes.mean_packets for one in self.every}
        }
        for one in self.every:
            messages = {**one.timing, "size": one.sizes.spec, "packet_bytes": packet_bytes}
            yield Flow(
                source=one.source,
                priority=one.priority,
                arrivals=one.arrivals,
                deadline_cycles=one.deadline_cycles,
                sizes=sizes,
                response_symbols=answer,
                destinations=one.destinations,
                groups=group_specs[one.source],
                payload=payloads[one.sizes.mean_bytes / one.sizes.mean_packets],
                rate=one.per_cycle * one.sizes.mean_packets,
                planned_random=one.is_random,
                messages=None if one.is_saturated else messages,
            )

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields each node that sends, and where to."""
        for one in self.every:
            yield one.source, one.destinations

    def spec(self, first_flow: int) -> None:
        """Returns nothing: the engine needs no plan of packets whose times do not depend on others."""
        del first_flow


def resolve_flows(
    flows: Sequence[FlowKeys], around: Surroundings, transaction: Transaction
) -> tuple[ResolvedFlow, ...]:
    """Returns the flows in the order of the table.

    Raises:
        RingletError: what does not fit the network, its links or its priorities.
    """
    problems, names, found = Problems(), set(around.taken), []
    network = around.network
    senders, receivers = set(network.senders.tolist()), set(network.receivers.tolist())
    weights = 0
    for i, flow in enumerate(flows):
        at = flow.place or f"flows[{i}]."
        with problems.collected():
            if flow.name in names:
                allowed = "a name that no other flow or message has; the default is its way"
                raise RingletError.not_allowed(f"{at}name", flow.name, allowed)
        names.add(flow.name)
        with problems.collected():
            around.levels.check(f"{at}priority", flow.priority)
            to, words = _destinations(flow, network, senders, receivers, at)
            weights += network.nodes if isinstance(to, Weighted) else 0
            if weights > MAX_WEIGHTS:
                allowed = f"one node or 'all' for most: a list takes a row of {network.nodes} shares"
                raise RingletError.not_allowed(f"{at}destination", words, allowed)
            sizes = sizes_of(flow, int(transaction.payload_bytes), at)
            found.append(_resolved(flow, to, words, sizes, around, transaction, at))
    problems.check()
    return tuple(found)


def _destinations(
    flow: FlowKeys, network: "Network", senders: set[int], receivers: set[int], at: str
) -> tuple[Destinations, str]:
    if flow.source >= network.nodes or flow.source not in senders:
        raise RingletError.not_allowed(f"{at}source", flow.source, f"a node below {network.nodes} that sends")
    given, path = flow.destination, f"{at}destination"
    if given == ALL:
        if network.nodes < 2 or receivers != set(range(network.nodes)):
            raise RingletError.not_allowed(path, given, "a list of nodes where not all others receive")
        return Uniform(), ALL
    shares: dict[int, float]
    if isinstance(given, dict):
        shares = given
    else:
        shares = dict.fromkeys(given if isinstance(given, list) else [int(given)], 1.0)
    if not shares:
        raise RingletError.not_allowed(path, "<no node>", "at least one node")
    if isinstance(given, list) and len(shares) < len(given):
        raise RingletError.not_allowed(path, "<a node twice>", "each node once; a table has shares")
    for node in shares:
        if node >= network.nodes or node not in receivers:
            raise RingletError.not_allowed(path, node, f"a node below {network.nodes} that receives")
        if node == flow.source and network.nodes > 1:
            raise RingletError.not_allowed(path, node, "another node than the source")
    words = "+".join(map(str, shares))
    if len(shares) == 1:
        return Fixed(next(iter(shares))), words
    row = np.zeros(network.nodes)
    row[list(shares)] = list(shares.values())
    return Weighted((row / row.sum()).tolist()), words


def _resolved(
    flow: FlowKeys,
    to: Destinations,
    words: str,
    sizes: Sizes,
    around: Surroundings,
    transaction: Transaction,
    at: str,
) -> ResolvedFlow:
    ns = around.symbol_time_ns
    _check_keys(flow, at)
    for key in ("period", "offset", "sporadic", "jitter", "on", "off", "deadline", "start", "stop"):
        value = getattr(flow, key)
        if value is not None and exact_cycles(value, ns) > MAX_CYCLES:
            raise RingletError.not_allowed(f"{at}{key}", value, f"at most 2^53 cycles of {ns:g} ns")
    timing: dict[str, Any] = {
        "jitter_cycles": cycles(flow.jitter, ns),
        "start_cycle": cycles(flow.start, ns),
        "stop_cycle": None if flow.stop is None else cycles(flow.stop, ns),
        "total": flow.total,
    }
    stop = timing["stop_cycle"]
    if stop is not None and stop <= timing["start_cycle"]:
        raise RingletError.not_allowed(f"{at}stop", flow.stop, f"a time after the start, {flow.start}")
    arrivals, per_cycle = _arrivals(flow, sizes, timing, around, at)
    if math.isinf(per_cycle):
        most = int(transaction.payload_bytes)
        if sizes.most_bytes > most or sizes.is_drawn:
            allowed = f"one size of at most {most} bytes, a packet of flow_transaction, with arrivals 'saturated'"
            raise RingletError.not_allowed(f"{at}size", sizes.most_bytes, allowed)
    elif flow.times is None:
        _check_link(flow, per_cycle * sizes.mean_bytes, around, at)
    return ResolvedFlow(
        place=at,
        name=flow.name,
        source=flow.source,
        destinations=to,
        to=words,
        priority=flow.priority,
        arrivals=arrivals,
        timing=timing,
        sizes=sizes,
        per_cycle=per_cycle,
        deadline_cycles=None if flow.deadline is None else max(1, whole_cycles_within(flow.deadline, ns)),
        labels=flow.labels,
    )


BELONGS = {
    "rate": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off"),
    "period": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off"),
    "offset": ("periodic",),
    "sporadic": ("periodic",),
    "drift": ("periodic",),
    "on": ("on-off", "pareto-on-off"),
    "off": ("on-off", "pareto-on-off"),
    "shape": ("pareto-on-off",),
    "times": ("times",),
    "jitter": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times"),
    "start": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times"),
    "stop": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times"),
    "total": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times"),
}
"""Arrivals to which each key belongs."""

FOREIGN: Mapping[str, tuple[str, ...]] = {
    arrivals: tuple(key for key, those in BELONGS.items() if arrivals not in those)
    for arrivals in get_args(FlowArrivals)
}
"""Keys that do not belong to each kind of arrivals."""


def _check_keys(flow: FlowKeys, at: str) -> None:
    """Raises RingletError for a key that does not belong to the arrivals, or one that is missing."""
    for key in () if flow.given.isdisjoint(FOREIGN[flow.arrivals]) else FOREIGN[flow.arrivals]:
        value = getattr(flow, key)
        if value != type(flow).fields[key].default:
            shown = "<a list>" if isinstance(value, list) else value
            raise RingletError.not_allowed(f"{at}{key}", shown, f"it belongs to arrivals {' or '.join(BELONGS[key])}")
    if flow.arrivals in BELONGS["rate"] and (flow.rate is None) == (flow.period is None):
        if flow.rate is None:
            raise RingletError(f"{at}rate: missing; arrivals {flow.arrivals!r} need a rate or a period")
        raise RingletError(f"{at}rate: given together with period; one of them is allowed")
    for key in ("on", "off"):
        if flow.arrivals in BELONGS[key] and getattr(flow, key) is None:
            raise RingletError(f"{at}{key}: missing; arrivals {flow.arrivals!r} have mean times on and off")
    if flow.arrivals in BELONGS["times"] and flow.times is None:
        raise RingletError(f"{at}times: missing; arrivals 'times' are listed")


def _arrivals(
    flow: FlowKeys, sizes: Sizes, timing: dict[str, Any], around: Surroundings, at: str
) -> tuple[dict[str, Any], float]:
    """Returns the engine's arrivals, and messages per cycle; listed times go where the engine has them."""
    ns = around.symbol_time_ns
    if flow.arrivals not in AT_RATE:
        if flow.times is None:
            return {"kind": flow.arrivals}, math.inf
        times = [cycles(one, ns) for one in flow.times]
        later = next((i for i in range(1, len(times)) if times[i] < times[i - 1]), None)
        if later is not None:
            raise RingletError.not_allowed(f"{at}times[{later}]", flow.times[later], "times that do not go back")
        if times[-1] > MAX_CYCLES:
            raise RingletError.not_allowed(f"{at}times", flow.times[-1], f"at most 2^53 cycles of {ns:g} ns")
        timing["times"] = times
        return {"kind": "listed"}, len(times) / max(times[-1], 1)
    interval = _interval(flow, sizes, ns)
    if not interval >= 1:
        key = "rate" if flow.period is None else "period"
        allowed = f"at most one message in a cycle of {ns:g} ns"
        raise RingletError.not_allowed(f"{at}{key}", getattr(flow, key), allowed)
    return AT_RATE[flow.arrivals](flow, interval, ns, at)


def _drawn(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals with a rate, each drawn independently of others."""
    del ns, at
    return {"kind": flow.arrivals, "rate": 1 / interval}, 1 / interval


def _periodic(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals with a period, or with a least distance."""
    period = drifted(interval, flow.drift)
    if not 1 <= period <= MAX_CYCLES:
        raise RingletError.not_allowed(f"{at}drift", flow.drift, "one that leaves a period of 1 to 2^53 cycles")
    found = {"kind": flow.arrivals, "period": period, "phase": exact_cycles(flow.offset, ns)}
    extra = exact_cycles(flow.sporadic, ns)
    return ({**found, "kind": "sporadic", "extra": extra} if extra else found), 1 / (period + extra)


def _on_off(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals at equal distances of the time in which the source is on."""
    del at
    on, off = exact_cycles(flow.on or 0, ns), exact_cycles(flow.off or 0, ns)
    shape = flow.shape if flow.arrivals in BELONGS["shape"] else None
    gap = interval * on / (on + off)
    return {"kind": "on-off", "gap": gap, "on": on, "off": off, "shape": shape}, 1 / interval


AT_RATE: Mapping[str, Callable[[FlowKeys, float, float, str], tuple[dict[str, Any], float]]] = {
    "poisson": _drawn,
    "bernoulli": _drawn,
    "periodic": _periodic,
    "on-off": _on_off,
    "pareto-on-off": _on_off,
}
"""The engine's arrivals, and messages per cycle, of those that have a mean time between messages."""


def _interval(flow: FlowKeys, sizes: Sizes, ns: float) -> float:
    """Returns the mean cycles between two messages."""
    if flow.period is not None:
        return exact_cycles(flow.period, ns)
    assert flow.rate is not None, "it was just checked"
    if counts_messages(flow.rate):
        per_ns = magnitude(flow.rate, "GHz")
    else:
        per_ns = magnitude(flow.rate, "byte/ns") / sizes.mean_bytes
    return exact_cycles(1 / (per_ns * ns), ns)


def _check_link(flow: FlowKeys, bytes_per_cycle: float, around: Surroundings, at: str) -> None:
    most = around.link_bytes_per_cycle[flow.source]
    if bytes_per_cycle > most * (1 + 1e-9):
        key = "rate" if flow.period is None else "period"
        rates = [1e3 * value / around.symbol_time_ns for value in (bytes_per_cycle, most)]
        allowed = f"data of at most {rates[1]:g} MB/s, the rate of the link from node {flow.source}, not {rates[0]:.6g}"
        raise RingletError.not_allowed(f"{at}{key}", getattr(flow, key), allowed)
