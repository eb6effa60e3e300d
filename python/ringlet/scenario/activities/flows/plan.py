"""Flows resolved to cycles, packets and node numbers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.errors import Problems, RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.flows.arrivals import DRAWN, TIMES, arrivals_of, check_keys, check_link
from ringlet.scenario.activities.flows.followers import check_repeats, followed
from ringlet.scenario.activities.flows.keys import FlowKeys
from ringlet.scenario.activities.flows.multicast import last_of, with_copies
from ringlet.scenario.activities.flows.resolved import PROMPTED, ResolvedFlow, is_saturated
from ringlet.scenario.activities.flows.sizes import Sizes, sizes_of
from ringlet.scenario.activities.plan import Bounded, Plan, Refusal, Surroundings
from ringlet.scenario.activities.receivers import ALL, check_count, receivers_of
from ringlet.scenario.values.destinations import Destinations, Fixed, Uniform, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles, exact_cycles, whole_cycles_within

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network
else:
    np = library("numpy")

POISSON = ("poisson", "bernoulli")
"""Arrivals that the queueing model takes to be Poisson."""

MAX_COUNTED = 1 << 16
"""Destinations of all flows that go to several nodes, up to which messages are counted for each: 256 nodes to all."""

MAX_WEIGHTS = 1 << 24
"""Shares of all flows that go to several nodes: a row of the network's nodes for each."""


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
        every = resolve_flows(around.flows, around, transaction)
        if file.queues.response_timeout is not None and transaction.response_bytes is not None:
            check_repeats(every)
        return (cls(every, transaction),)

    @property
    def has_verdict(self) -> bool:
        """True if a flow has a deadline."""
        return any(one.deadline_cycles is not None for one in self.every)

    @property
    def release_interval_cycles(self) -> float | None:
        """Mean time between messages of the flow that has fewest, of those that go on; None without any."""
        lasting = (one for one, messages in zip(self.every, self._messages_to_end, strict=True) if messages is None)
        going_on = [1 / one.per_cycle for one in lasting if not math.isinf(one.per_cycle)]
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
            elif total is not None and not math.isinf(one.per_cycle):
                ends.append(start + math.ceil(total / one.per_cycle))
        return max(ends)

    @cached_property
    def _messages_to_end(self) -> list[float | None]:
        """Messages of each flow in all, in the mean; None of one that goes on. One that follows another has as many."""
        found = [_messages_to_end(one) for one in self.every]
        for place, one in enumerate(self.every):
            chain = one
            while found[place] is None and chain.follows is not None:
                found[place] = found[chain.follows]
                chain = self.every[chain.follows]
        return found

    @property
    def to_end(self) -> list[tuple[float, float]]:
        """Messages of each flow that ends, and packets of one."""
        found = self._messages_to_end
        if not any(found):
            return []
        # A copy is taken as its packet passes, which another flow sends.
        return [
            (0.0 if messages is None or one.copies is not None else messages, one.sizes.mean_packets)
            for one, messages in zip(self.every, found, strict=True)
        ]

    @property
    def rounds_to_end(self) -> float:
        """Messages of a closed flow that come one after the other, or flows that follow each other."""
        rounds = 1.0
        for place, one in enumerate(self.every):
            messages = self._messages_to_end[place]
            if messages is None:
                continue
            if one.is_closed:
                rounds = max(rounds, messages / one.most_at_once)
            elif one.follows is not None:
                rounds = max(rounds, 1.0 + self._followed(place))
        return rounds

    def _followed(self, place: int) -> int:
        """Returns how many flows one follows, one behind the other."""
        count, follows = 0, self.every[place].follows
        while follows is not None:
            count, follows = count + 1, self.every[follows].follows
        return count

    @property
    def unbounded(self) -> Refusal | None:
        """The first flow without a least distance between messages."""
        periodic = "'periodic', also with jitter or sporadic"
        for one in self.every:
            if one.copies is None and one.least_period_cycles is None:
                why = {
                    "closed": "; or 'closed' with a constant think time, of at least a cycle",
                    "after": ": nothing bounds how close to each other deliveries prompt messages",
                }
                return Refusal(f"{one.place}arrivals", one.comes, periodic + why.get(one.comes, ""))
        return None

    def bounds(self) -> list[Bounded]:
        """Returns the bound of each flow: of sizes that are drawn, the largest. A closed flow sends no more than its
        window in each think time."""
        packet_bytes = int(self.transaction.payload_bytes)
        # A copy comes when its packet is sent.
        sent = [one if one.copies is None else self.every[one.copies] for one in self.every]
        return [
            Bounded(
                one.name,
                -(-of.sizes.most_bytes // packet_bytes) * of.most_at_once,
                of.least_period_cycles,
                of.timing["jitter_cycles"],
                one.deadline_cycles,
            )
            for one, of in zip(self.every, sent, strict=True)
            if of.least_period_cycles is not None
        ]

    @property
    def unplaced(self) -> Refusal | None:
        """The first flow without a rate."""
        for one in self.every:
            if one.is_saturated:
                return Refusal(f"{one.place}arrivals", one.comes, "one with a rate")
        return None

    @property
    def not_poisson(self) -> Refusal | None:
        """The first flow whose packets do not come one by one at times of a Poisson process, for all time."""
        packet_bytes = int(self.transaction.payload_bytes)
        for one in self.every:
            if one.copies is not None:
                return Refusal(f"{one.place}multicast", True, "false: the model is of packets with one receiver")
            if one.comes not in POISSON:
                return Refusal(f"{one.place}arrivals", one.comes, " or ".join(map(repr, POISSON)))
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

    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
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
        none = Payload(0.0, in_response)
        for one, messages_to_end in zip(self.every, self._messages_to_end, strict=True):
            refers = one.follows if one.copies is None else one.copies
            messages = {**one.timing, "size": one.sizes.spec, "packet_bytes": packet_bytes}
            if one.by_destination:
                messages["by_destination"] = True
            yield Flow(
                source=one.source,
                priority=one.priority,
                arrivals=one.arrivals if refers is None else {**one.arrivals, "flow": first + refers},
                deadline_cycles=one.deadline_cycles,
                sizes=sizes,
                response_symbols=answer,
                destinations=one.destinations,
                groups=group_specs[one.source],
                # Data counts once, where the last receiver takes it.
                payload=payloads[one.sizes.mean_bytes / one.sizes.mean_packets] if one.copies is None else none,
                rate=one.per_cycle * one.sizes.mean_packets if one.copies is None else 0.0,
                dependent=one.follows is not None,
                ends=messages_to_end is not None,
                planned_random=one.is_random,
                messages=None if one.is_saturated and not one.by_destination else messages,
            )

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields each node that sends, and where to."""
        for one in self.every:
            yield one.source, one.destinations

    def spec(self, first_flow: int) -> None:
        """Returns nothing: the engine needs no plan of packets whose times do not depend on others."""
        del first_flow


def _messages_to_end(one: ResolvedFlow) -> float | None:
    """Returns how many messages a flow has in all, in the mean, by its own keys; None where they name no end."""
    start, stop, total = (one.timing.get(key) for key in ("start_cycle", "stop_cycle", "total"))
    if one.timing.get("times"):
        return len(one.timing["times"])
    until = math.inf if stop is None else max(1.0, (stop - start) * one.per_cycle)
    messages = min(until, math.inf if total is None else total)
    return messages if math.isfinite(messages) else None


def resolve_flows(
    flows: Sequence[FlowKeys], around: Surroundings, transaction: Transaction
) -> tuple[ResolvedFlow, ...]:
    """Returns the flows in the order of the table.

    Raises:
        RingletError: what does not fit the network, its links or its priorities.
    """
    problems, names, found = Problems(), set(around.taken), []
    receivers: list[list[int]] = []
    network = around.network
    senders, nodes = set(network.senders.tolist()), set(network.receivers.tolist())
    weights = 0
    for i, flow in enumerate(flows):
        at = flow.place or f"flows[{i}]."
        with problems.collected():
            if flow.name in names:
                allowed = "a name that no other flow or message has, or none"
                raise RingletError.not_allowed(f"{at}name", flow.name, allowed)
        names.add(flow.name)
        with problems.collected():
            around.levels.check(f"{at}priority", flow.priority)
            to, words = _destinations(flow, network, senders, nodes, at)
            several = _several(flow, network, transaction, at) if flow.multicast else []
            if several:
                to, words = last_of(several)
            weights += network.nodes if isinstance(to, Weighted) else 0
            if weights > MAX_WEIGHTS:
                allowed = f"one node or 'all' for most: a list takes a row of {network.nodes} shares"
                raise RingletError.not_allowed(f"{at}destination", words, allowed)
            sizes = sizes_of(flow, int(transaction.payload_bytes), at)
            found.append(_resolved(flow, to, words, sizes, around, transaction, at))
            receivers.append(several)
    problems.check()
    check_count(receivers, "flows")
    sent = followed(flows, tuple(_counted(found, network)), transaction, network.nodes)
    if not any(receivers):
        return sent
    return with_copies(sent, receivers, network.node_names or [str(node) for node in range(network.nodes)])


def _counted(flows: Sequence[ResolvedFlow], network: "Network") -> Iterator[ResolvedFlow]:
    """Yields the flows; those to several nodes are counted for each, while there are not too many."""
    left = MAX_COUNTED
    for one in flows:
        several = 0 if isinstance(one.destinations, Fixed) else one.destinations.count(network.nodes)
        if 0 < several <= left:
            left -= several
            yield replace(one, by_destination=True)
        else:
            yield one


def _several(flow: FlowKeys, network: "Network", transaction: Transaction, at: str) -> list[int]:
    """Returns the receivers of a flow's packets, which have several."""
    answers = "" if transaction.response_bytes is None else "flow_transaction"
    if isinstance(flow.destination, dict):
        allowed = "a list of nodes or 'all', with multicast: no receiver has a share"
        raise RingletError.not_allowed(f"{at}destination", "<nodes with shares>", allowed)
    return receivers_of(flow.source, flow.destination, network, at, answers=answers)


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
    check_keys(flow, at)
    for key in TIMES:
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
    arrivals, per_cycle = arrivals_of(flow, sizes, timing, around, at)
    if is_saturated(arrivals, per_cycle):
        most = int(transaction.payload_bytes)
        if sizes.most_bytes > most or sizes.is_drawn:
            allowed = f"one size of at most {most} bytes, a packet of flow_transaction, with arrivals 'saturated'"
            raise RingletError.not_allowed(f"{at}size", sizes.most_bytes, allowed)
    elif flow.times is None and PROMPTED.isdisjoint(arrivals):
        check_link(flow, per_cycle * sizes.mean_bytes, around, at)
    return ResolvedFlow(
        place=at,
        name=flow.name,
        source=flow.source,
        destinations=to,
        to=words,
        priority=flow.priority,
        comes=flow.arrivals,
        arrivals=arrivals,
        timing=timing,
        sizes=sizes,
        per_cycle=per_cycle,
        is_saturated=is_saturated(arrivals, per_cycle),
        times_drawn=arrivals["kind"] in DRAWN or arrivals.get("drawn", False) or timing["jitter_cycles"] > 0,
        follows=None,
        deadline_cycles=None if flow.deadline is None else max(1, whole_cycles_within(flow.deadline, ns)),
        labels=flow.labels,
    )
