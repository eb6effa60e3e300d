"""Control loops resolved to cycles, packets and node numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.errors import Problems, RingletError
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.loops.keys import Loop
from ringlet.scenario.activities.messages.periodic import check_deadline, check_period, drifted
from ringlet.scenario.activities.plan import Bounded, Levels, Plan, Refusal, Surroundings
from ringlet.scenario.activities.plan import Periodic as ReleaseTimes
from ringlet.scenario.traffic.arrivals import Periodic
from ringlet.scenario.values.destinations import Destinations, Fixed
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles, exact_cycles, size_bytes, whole_cycles_within

if TYPE_CHECKING:
    from ringlet.rings import Network

MAX_STAGE_PACKETS = 4096
"""Packets of one message of a loop: what the engine takes."""


@dataclass(frozen=True)
class LoopPlan(Plan):
    """A control loop in the terms of the engine."""

    kind: ClassVar[str] = "chain"
    key: ClassVar[str] = "loops"
    section: ClassVar[str] = "[[loops]]"
    named: ClassVar[str] = "control loops"
    has_deadlines: ClassVar[bool] = True

    name: str
    nodes: tuple[int, ...]
    priority: int
    transaction: Transaction
    sizes_bytes: tuple[int, ...]
    """Data of each message."""
    packets: tuple[int, ...]
    """Packets of each message."""
    compute_cycles: tuple[int, ...]
    """Cycles for which each node works."""
    period_cycles: float
    deadline_cycles: int
    offset_cycles: float
    jitter_cycles: int
    drift_ppm: float = 0.0
    """Parts per million by which its period is longer than it is given."""

    @classmethod
    def all_of(cls, file: Any, around: Surroundings) -> "tuple[LoopPlan, ...]":  # noqa: ANN401 - with `LoopKeys`
        """Returns the loops of a scenario."""
        if file.loops is None:
            return ()
        return resolve_loops(
            file.loops,
            around.network,
            symbol_time_ns=around.symbol_time_ns,
            late_deadlines=file.allow_late_deadlines,
            levels=around.levels,
            taken=around.taken,
        )

    @property
    def source(self) -> int:
        """The node where it begins."""
        return self.nodes[0]

    @property
    def destination(self) -> int:
        """The node where it ends."""
        return self.nodes[-1]

    @property
    def drifts(self) -> bool:
        """True if its clock is not exact."""
        return self.drift_ppm != 0

    @property
    def periodic(self) -> ReleaseTimes:
        """Releases of the loop; a deadline counts from a release that the jitter has delayed."""
        return ReleaseTimes(self.period_cycles, self.offset_cycles, self.deadline_cycles + self.jitter_cycles)

    @property
    def message(self) -> str:
        """Name of the loop, which all its messages have."""
        return self.name

    @property
    def flow_count(self) -> int:
        """A flow for each message."""
        return len(self.packets)

    @property
    def unbounded(self) -> Refusal | None:
        """Responses, of which no bound is proven."""
        if self.transaction.response_bytes is None:
            return None
        return Refusal("loops", "<transactions with responses>", "transactions without responses, such as dmove64")

    def bounds(self) -> list[Bounded]:
        """Returns the bound of each message, from the one that the first node sends on."""
        # A node sends in the cycle after a delivery at the earliest.
        before = [self.compute_cycles[0], *(max(one, 1) for one in self.compute_cycles[1:-1])]
        behind = [0] * (len(before) - 1) + [self.compute_cycles[-1]]
        return [
            Bounded(
                self.name,
                packets,
                self.period_cycles,
                self.jitter_cycles,
                self.deadline_cycles,
                follows=number > 0,
                work_cycles=first + last,
                offset_cycles=first if number else self.offset_cycles + first,
            )
            for number, (packets, first, last) in enumerate(zip(self.packets, before, behind, strict=True))
        ]

    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
        """Yields a flow for each message, in their order."""
        del waiting, first  # its own packets wait
        sizes, answer = packets_of(self.transaction, link_format)
        legs = zip(pairwise(self.nodes), self.sizes_bytes, self.packets, strict=True)
        for number, ((node, to), size, packets) in enumerate(legs):
            yield Flow(
                source=node,
                priority=self.priority,
                arrivals={"kind": "trace", "responses": False, "dependence_driven": True},
                sizes=sizes,
                response_symbols=answer,
                destinations=Fixed(to),
                groups=group_specs[node],
                # The last packet is filled up: on average each carries this much of the message.
                payload=Payload(size / packets),
                rate=packets / self.period_cycles,
                dependent=number > 0,
                planned_random=self.jitter_cycles > 0,
            )

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields each node that sends, with the next one."""
        for node, to in pairwise(self.nodes):
            yield node, Fixed(to)

    def spec(self, first_flow: int) -> dict[str, Any]:
        """Returns the engine's form."""
        stages = zip(self.nodes[1:], self.packets, self.compute_cycles[:-1], strict=True)
        return {
            "kind": self.kind,
            "release": Periodic().every(self.period_cycles, self.offset_cycles),
            "jitter_cycles": self.jitter_cycles,
            "deadline_cycles": self.deadline_cycles,
            "stages": [
                {"flow": flow, "destination": to, "packets": packets, "after_cycles": after}
                for flow, (to, packets, after) in enumerate(stages, first_flow)
            ],
            "end_cycles": self.compute_cycles[-1],
        }


def resolve_loops(
    loops: Sequence[Loop],
    network: "Network",
    *,
    symbol_time_ns: float,
    late_deadlines: bool,
    levels: Levels,
    taken: Sequence[str],
) -> tuple[LoopPlan, ...]:
    """Returns the loops in the order of the table.

    Args:
        loops: the table.
        network: rings and nodes.
        symbol_time_ns: of a cycle.
        late_deadlines: whether a deadline may be beyond its period.
        levels: priorities that packets may have.
        taken: names of messages.

    Raises:
        RingletError: a node that is not there, times that do not fit together, or more than the engine takes.
    """
    problems, names, plans = Problems(), set(taken), []
    senders, receivers = set(network.senders.tolist()), set(network.receivers.tolist())
    for i, loop in enumerate(loops):
        at = f"loops[{i}]"
        with problems.collected():
            if loop.name in names:
                allowed = "a name that no other loop or message has"
                raise RingletError.not_allowed(f"{at}.name", loop.name, allowed)
        names.add(loop.name)
        with problems.collected():
            levels.check(f"{at}.priority", loop.priority)
            _check_nodes(loop, network.nodes, senders, receivers, at)
            _check_lists(loop, at)
            plans.append(_resolved(loop, at, symbol_time_ns=symbol_time_ns, late_deadlines=late_deadlines))
    problems.check()
    return tuple(plans)


def _check_nodes(loop: Loop, nodes: int, senders: set[int], receivers: set[int], at: str) -> None:
    last = len(loop.nodes) - 1
    for place, node in enumerate(loop.nodes):
        path = f"{at}.nodes[{place}]"
        if node >= nodes:
            raise RingletError.not_allowed(path, node, f"a node below {nodes}")
        if place and node == loop.nodes[place - 1]:
            raise RingletError.not_allowed(path, node, "another node than the one before")
        if place < last and node not in senders:
            raise RingletError.not_allowed(path, node, "a node that sends: only the last one need not")
        if place and node not in receivers:
            raise RingletError.not_allowed(path, node, "a node that receives: only the first one need not")


def _check_lists(loop: Loop, at: str) -> None:
    for key, wanted, what in (
        ("size", len(loop.nodes) - 1, "one for each message: from each node but the last"),
        ("compute_time", len(loop.nodes), "one for each node"),
    ):
        given = getattr(loop, key)
        if isinstance(given, list) and len(given) != wanted:
            raise RingletError.not_allowed(f"{at}.{key}", f"<{len(given)} values>", f"one value, or {wanted}, {what}")


def _resolved(loop: Loop, at: str, *, symbol_time_ns: float, late_deadlines: bool) -> LoopPlan:
    check_period(f"{at}.", loop.period, loop.offset, symbol_time_ns)
    deadline = loop.period if loop.deadline is None else loop.deadline
    if loop.deadline is not None:
        check_deadline(f"{at}.", loop.deadline, loop.period, symbol_time_ns, late_deadlines=late_deadlines)
    period = drifted(exact_cycles(loop.period, symbol_time_ns), loop.drift)
    if not 1 <= period <= MAX_CYCLES:
        raise RingletError.not_allowed(f"{at}.drift", loop.drift, "one that leaves a period of 1 to 2^53 cycles")
    jitter = cycles(loop.jitter, symbol_time_ns)
    if exact_cycles(loop.jitter, symbol_time_ns) > exact_cycles(loop.period, symbol_time_ns):
        raise RingletError.not_allowed(f"{at}.jitter", loop.jitter, f"at most the period, {loop.period}")
    for place, one in enumerate(loop.compute_times):
        if cycles(one, symbol_time_ns) > MAX_CYCLES:
            path = f"{at}.compute_time[{place}]" if isinstance(loop.compute_time, list) else f"{at}.compute_time"
            raise RingletError.not_allowed(path, one, f"at most 2^53 cycles of {symbol_time_ns:g} ns")
    compute = tuple(cycles(one, symbol_time_ns) for one in loop.compute_times)
    within = whole_cycles_within(deadline, symbol_time_ns)
    if sum(compute) >= within:
        allowed = (
            f"all nodes together less than the deadline, {deadline}: they take {sum(compute) * symbol_time_ns:g} ns"
        )
        shown = "<a list>" if isinstance(loop.compute_time, list) else loop.compute_time
        raise RingletError.not_allowed(f"{at}.compute_time", shown, allowed)
    transaction = TRANSACTIONS[loop.transaction]
    sizes = tuple(round(size_bytes(one)) for one in loop.sizes)
    packets = tuple(-(-size // int(transaction.payload_bytes)) for size in sizes)
    if max(packets) > MAX_STAGE_PACKETS:
        place = packets.index(max(packets))
        path = f"{at}.size[{place}]" if isinstance(loop.size, list) else f"{at}.size"
        allowed = f"at most {MAX_STAGE_PACKETS} packets of {transaction.payload_bytes:g} bytes"
        raise RingletError.not_allowed(path, loop.sizes[place], allowed)
    return LoopPlan(
        name=loop.name,
        nodes=tuple(loop.nodes),
        priority=loop.priority,
        transaction=transaction,
        sizes_bytes=sizes,
        packets=packets,
        compute_cycles=compute,
        period_cycles=period,
        deadline_cycles=within,
        offset_cycles=exact_cycles(loop.offset, symbol_time_ns),
        jitter_cycles=jitter,
        drift_ppm=loop.drift,
    )
