"""A collective operation resolved to cycles, packets and node numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.errors import RingletError
from ringlet.scenario.keys.collective import Collective
from ringlet.scenario.resolved.flows import Flow, Payload, packets_of
from ringlet.scenario.resolved.plan import Plan, Surroundings
from ringlet.scenario.values.destinations import Destinations, Fixed, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.node_names import checked_nodes
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles, size_bytes

if TYPE_CHECKING:
    from ringlet.rings import Network
    from ringlet.scenario.keys.scenario_file import ScenarioFile

MAX_PACKETS = 1 << 22
"""Packets of all steps: what the engine takes."""


@dataclass(frozen=True)
class CollectivePlan(Plan):
    """A collective operation in the terms of the engine."""

    key: ClassVar[str] = "collective"
    section: ClassVar[str] = "[collective]"
    named: ClassVar[str] = "a collective operation"
    once: ClassVar[bool] = True

    collective: Collective
    nodes: int
    members: tuple[int, ...]
    """Node of each member."""
    root: int
    """Place of the member that begins a broadcast."""
    start_cycle: int
    reduce_cycles: int
    priority: int
    transaction: Transaction
    part_bytes: float
    """Data that a member sends in a step."""
    packets: int
    """Packets of it."""

    @classmethod
    def all_of(cls, file: "ScenarioFile", around: Surroundings) -> "tuple[CollectivePlan, ...]":
        """Returns the operation of a scenario, if it has one."""
        collective = file.collective
        if collective is None:
            return ()
        if not collective.priority < around.levels:
            allowed = f"below {around.levels}, which {around.levels_key} sets"
            raise RingletError.not_allowed("collective.priority", collective.priority, allowed)
        return (cls.of(collective, around.network, symbol_time_ns=around.symbol_time_ns),)

    @classmethod
    def of(cls, collective: Collective, network: "Network", *, symbol_time_ns: float) -> "CollectivePlan":
        """Resolves the section.

        Raises:
            RingletError: a member that is not there, fewer than two, or what is too long.
        """
        both = sorted(set(network.senders.tolist()) & set(network.receivers.tolist()))
        given = both if collective.members is None else collective.members
        members = checked_nodes(given, "collective.members", both, network.nodes)
        count = len(members)
        if count < 2:
            shown = "missing" if collective.members is None else f"<{count} members>"
            allowed = "at least two nodes that send and receive"
            raise RingletError.not_allowed("collective.members", shown, allowed)
        root = 0
        if collective.root is not None:
            if collective.operation != "broadcast":
                raise RingletError.not_allowed("collective.root", collective.root, "it belongs to 'broadcast'")
            if collective.root not in members:
                raise RingletError.not_allowed("collective.root", collective.root, "one of the members")
            root = members.index(collective.root)
        if collective.reduce_time != 0 and collective.operation != "all-reduce":
            raise RingletError.not_allowed(
                "collective.reduce_time", collective.reduce_time, "it belongs to 'all-reduce'"
            )
        for key in ("start", "reduce_time"):
            value = getattr(collective, key)
            if cycles(value, symbol_time_ns) >= MAX_CYCLES:
                raise RingletError.not_allowed(
                    f"collective.{key}", value, f"less than 2^53 cycles of {symbol_time_ns:g} ns"
                )
        transaction = TRANSACTIONS[collective.transaction]
        size = round(size_bytes(collective.size))
        part = float(size) if collective.operation == "broadcast" else size / count
        plan = cls(
            collective=collective,
            nodes=network.nodes,
            members=members,
            root=root,
            start_cycle=cycles(collective.start, symbol_time_ns),
            reduce_cycles=cycles(collective.reduce_time, symbol_time_ns),
            priority=collective.priority,
            transaction=transaction,
            part_bytes=part,
            packets=max(1, int(-(-part // transaction.payload_bytes))),
        )
        if sum(plan.parts_of(place) for place in range(count)) * plan.packets > MAX_PACKETS:
            allowed = f"at most {MAX_PACKETS} packets of {transaction.payload_bytes:g} bytes in all steps"
            raise RingletError.not_allowed("collective.size", collective.size, allowed)
        return plan

    def parts_of(self, place: int) -> int:
        """Returns how many parts a member sends in all steps."""
        others = len(self.members) - 1
        if self.collective.operation == "broadcast":
            is_last = (place - self.root) % len(self.members) == others
            return 0 if is_last else 1
        return 2 * others if self.collective.operation == "all-reduce" else others

    def destinations(self, place: int) -> Destinations:
        """Returns where a member's parts go."""
        if self.collective.operation != "all-to-all" or len(self.members) == 2:
            return Fixed(self.members[(place + 1) % len(self.members)])
        row = [0.0] * self.nodes
        for other in self.members:
            row[other] = 0.0 if other == self.members[place] else 1 / (len(self.members) - 1)
        return Weighted(row)

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields where each member's parts go, if it sends any."""
        for place, node in enumerate(self.members):
            if self.parts_of(place):
                yield node, self.destinations(place)

    @property
    def flow_count(self) -> int:
        """A flow for each member."""
        return len(self.members)

    def flows(self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool) -> Iterator[Flow]:
        """Yields a flow for each member, in their order. They have no rate: the operation takes place once."""
        del waiting  # its own packets do
        sizes, answer = packets_of(self.transaction, link_format)
        # The last packet is filled up: on average each carries this much of a part.
        payload = Payload(self.part_bytes / self.packets)
        for place, node in enumerate(self.members):
            yield Flow(
                source=node,
                priority=self.priority,
                arrivals={"kind": "trace", "responses": False, "dependence_driven": True},
                sizes=sizes,
                response_symbols=answer,
                destinations=self.destinations(place),
                groups=group_specs[node],
                payload=payload,
                rate=0.0,
                planned_random=False,
            )

    def spec(self, first_flow: int) -> dict[str, Any]:
        """Returns the engine's form."""
        operation: dict[str, Any] = {"kind": self.collective.operation}
        if self.collective.operation == "broadcast":
            operation["root"] = self.root
        return {
            "kind": "collective",
            "operation": operation,
            "flows": [first_flow + place for place in range(len(self.members))],
            "packets": self.packets,
            "start_cycle": self.start_cycle,
            "reduce_cycles": self.reduce_cycles,
        }
