"""A collective operation of a parallel program: keys, plan, results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from ringlet.document.figure import Figure, OverSeeds, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.document.words import Record
from ringlet.errors import RingletError
from ringlet.scenario.activities.activity import Activity, ActivityKeys, EndedRun
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.plan import SectionPlan, Surroundings
from ringlet.scenario.values.destinations import Destinations, Fixed, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node, checked_nodes
from ringlet.scenario.values.sizes import WholeSize
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction, WritingTransaction
from ringlet.scenario.values.units import MAX_CYCLES, Time, cycles, size_bytes
from ringlet.sections import Field, Section
from ringlet.sections.wording import counted

NAME = "collective"

CHANNELS = "channels"
"""Part of a run's document with a record of each channel."""

MAX_PACKETS = 1 << 22
"""Packets of all steps: what the engine takes."""

MAX_CHANNELS = 64
"""Channels of an operation, as many as libraries have at most."""

REDUCING = ("all-reduce", "reduce-scatter")
"""Operations in which members combine what comes with their own."""


class Collective(Section):
    """A collective operation: what a parallel program exchanges among all its members at once."""

    operation: Literal["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"] = Field(
        description="Of `N` members, each of which sends to the next one. `all-gather`: in `N - 1` steps each hands on "
        "the part that has come to it. `reduce-scatter`: `N - 1` steps in which parts are combined. `all-reduce`: a "
        "reduce-scatter, and an all-gather. "
        "`broadcast`: packet by packet from the root to the next one, and so on. `all-to-all`: in step `k` "
        "member `i` sends a part to member `i + k`."
    )
    size: WholeSize = Field(
        description="Data of the operation, such as `1 MiB`. `all-reduce`: of each member, and of the result; "
        "`reduce-scatter`: of each member, which has a part of the result then; "
        "`all-gather`: of the result, to which each member brings a part; `all-to-all`: what each member has for all, "
        "the part for itself included; `broadcast`: what the root has. A part is `size / N`, rounded up to packets of "
        "`transaction`."
    )
    members: list[Node] | None = Field(
        default=None,
        min_length=1,
        description="The nodes that take part, in their order. Default: all that send and receive, by their numbers.",
    )
    root: Node | None = Field(default=None, description="The member that begins a `broadcast`. Default: the first one.")
    start: Time = Field(default=0, description="When it begins.")
    reduce_time: Time = Field(
        default=0,
        description="Time in which a member of an `all-reduce` or `reduce-scatter` combines a packet that has come "
        "with its own.",
    )
    channels: int = Field(
        default=1,
        ge=1,
        le=MAX_CHANNELS,
        description="Equal parts of `size`, each of which is such an operation of its own at the same time, in an "
        "order of its own (`orders`). Channels share links, receive queues and windows where their orders lead over "
        "the same ones: they have as many rings as the network has.",
    )
    orders: list[list[Node]] | None = Field(
        default=None,
        min_length=1,
        description="The order of the members in each channel, a list of all members for each. Default: that of "
        "`members`; on two rings that run against each other, `dual-attached-ring` and `dual-ring`, every second "
        "channel goes against it, round the other ring.",
    )
    transaction: WritingTransaction = Field(default="dmove64", description="The transaction that parts are cut into.")
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority of its packets, 0 the lowest.")


@dataclass(frozen=True)
class CollectivePlan(SectionPlan):
    """A channel of a collective operation in the terms of the engine."""

    kind: ClassVar[str] = "collective"
    key: ClassVar[str] = "collective"
    section: ClassVar[str] = "[collective]"
    named: ClassVar[str] = "a collective operation"
    one_way: ClassVar[str] = "its bandwidth bound takes one way for each packet"
    once: ClassVar[bool] = True

    collective: Collective
    nodes: int
    channel: int
    """Number of the channel."""
    members: tuple[int, ...]
    """Node of each member, in the order of the channel."""
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
    def all_of(cls, file: Any, around: Surroundings) -> "tuple[CollectivePlan, ...]":  # noqa: ANN401 - as above
        """Returns a plan for each channel of a scenario file's operation, if it has one.

        Raises:
            RingletError: orders that are not one of all members for each channel; and what `of` raises.
        """
        plans = super().all_of(file, around)
        if not plans:
            return ()
        (first,) = plans
        root = first.members[first.root]
        orders = first.orders(both_ways=file.network.both_ways, nodes=around.network.nodes)
        return tuple(
            replace(first, channel=channel, members=order, root=order.index(root))
            for channel, order in enumerate(orders)
        )

    @classmethod
    def of(cls, keys: Collective, around: Surroundings) -> "CollectivePlan":
        """Resolves the section, as its first channel has it.

        Raises:
            RingletError: a member that is not there, fewer than two, or what is too long.
        """
        collective, network, symbol_time_ns = keys, around.network, around.symbol_time_ns
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
        if collective.reduce_time != 0 and collective.operation not in REDUCING:
            allowed = f"it belongs to {' and '.join(map(repr, REDUCING))}"
            raise RingletError.not_allowed("collective.reduce_time", collective.reduce_time, allowed)
        for key in ("start", "reduce_time"):
            value = getattr(collective, key)
            if cycles(value, symbol_time_ns) >= MAX_CYCLES:
                raise RingletError.not_allowed(
                    f"collective.{key}", value, f"less than 2^53 cycles of {symbol_time_ns:g} ns"
                )
        transaction = TRANSACTIONS[collective.transaction]
        size = round(size_bytes(collective.size)) / collective.channels
        part = float(size) if collective.operation == "broadcast" else size / count
        plan = cls(
            collective=collective,
            nodes=network.nodes,
            channel=0,
            members=members,
            root=root,
            start_cycle=cycles(collective.start, symbol_time_ns),
            reduce_cycles=cycles(collective.reduce_time, symbol_time_ns),
            priority=collective.priority,
            transaction=transaction,
            part_bytes=part,
            packets=max(1, int(-(-part // transaction.payload_bytes))),
        )
        if sum(plan.parts_of(place) for place in range(count)) * plan.packets * collective.channels > MAX_PACKETS:
            allowed = f"at most {MAX_PACKETS} packets of {transaction.payload_bytes:g} bytes in all steps"
            raise RingletError.not_allowed("collective.size", collective.size, allowed)
        return plan

    def orders(self, *, both_ways: bool, nodes: int) -> Sequence[tuple[int, ...]]:
        """Returns the order of the members in each channel, of which this is the first as `of` makes it.

        Args:
            both_ways: whether the network has a ring in each direction round all nodes.
            nodes: nodes of the network.

        Raises:
            RingletError: orders that are not one of all members for each channel.
        """
        channels, given = self.collective.channels, self.collective.orders
        if given is None:
            back = self.members[::-1] if both_ways else self.members
            return [back if channel % 2 else self.members for channel in range(channels)]
        path = "collective.orders"
        if len(given) != channels:
            allowed = f"one for each of collective.channels = {channels}"
            raise RingletError.not_allowed(path, f"<{counted(len(given), 'order')}>", allowed)
        orders = []
        for channel, order in enumerate(given):
            orders.append(checked_nodes(order, f"{path}[{channel}]", self.members, nodes))
            if len(order) < len(self.members):
                missing = next(node for node in self.members if node not in order)
                allowed = f"all {len(self.members)} members; {missing} is missing"
                raise RingletError.not_allowed(f"{path}[{channel}]", f"<{counted(len(order), 'member')}>", allowed)
        return orders

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

    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
        """Yields a flow for each member, in their order. They have no rate: the operation takes place once."""
        del waiting, first  # its own packets wait
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
            "kind": self.kind,
            "operation": operation,
            "flows": [first_flow + place for place in range(len(self.members))],
            "packets": self.packets,
            "start_cycle": self.start_cycle,
            "reduce_cycles": self.reduce_cycles,
        }


@dataclass(frozen=True, slots=True)
class CollectiveFound:
    """The counts of a collective operation from the start of the run on; times are in cycles."""

    data_bytes: int
    packets: int
    """Packets of all steps."""
    delivered: int
    """Packets of all steps that are delivered."""
    taken: int | None
    """Cycles from its start to its end; None while there are some to come."""
    bound: float
    """Cycles for which the busiest link, B-Link, receive queue or window is in use."""
    limit: str
    """Name of the part that is in use for as long."""
    latency: float
    """Cycles in which a packet goes through all steps if it waits for nothing."""
    channels: "tuple[CollectiveFound, ...]" = ()
    """Counts of each channel, with the bounds that it would have alone; empty for a channel."""


def _of(value: Callable[[CollectiveFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the records of the operation and of its channels take a figure, of cycles if `ns`."""

    def of_all(found: Found) -> list[Any]:
        one = [value(found.activity(NAME))]
        return found.ns(one) if ns else one

    def of_each(found: Found) -> list[Any]:
        each = [value(channel) for channel in found.activity(NAME).channels]
        return found.ns(each) if ns else each

    return {NAME: of_all, CHANNELS: of_each}


def _rate_MBps(found: Found) -> list[float | None]:  # noqa: N802 - the unit
    one: CollectiveFound = found.activity(NAME)
    return [one.data_bytes / (one.taken * found.symbol_time_ns) * 1e3 if one.taken else None]


COLLECTIVE = (
    Figure(
        "collective_packets",
        "packets of the operation",
        "Packets of all steps of the operation, or of the channel.",
        values=_of(lambda one: one.packets),
        kind="integer",
        unit="packets",
        over_seeds=OverSeeds.GIVEN,
        heading="\npackets",
    ),
    Figure(
        "collective_delivered_packets",
        "packets delivered of the operation",
        "Packets of all steps that were delivered by the end of the run.",
        values=_of(lambda one: one.delivered),
        kind="integer",
        unit="packets",
        heading="\ndelivered",
    ),
    Figure(
        "completion_time_ns",
        "completion time",
        "Time from the start of the operation to its last delivery, or to that of the channel, of a `reduce-scatter` "
        "until that is combined; missing where packets were still to come.",
        unit="ns",
        values=_of(lambda one: one.taken, ns=True),
        may_lack=True,
        log=True,
        heading="complete\nafter us",
        scale=1e-3,
    ),
    Figure(
        "bandwidth_bound_ns",
        "bandwidth bound",
        "Time for which the busiest link, B-Link, receive queue or window is in use by the operation, echoes included "
        "but for those that may come after the last delivery: no completion time is shorter. Of a channel, as if it "
        "were alone: it may share them with others.",
        unit="ns",
        values=_of(lambda one: one.bound, ns=True),
        over_seeds=OverSeeds.GIVEN,
        log=True,
        heading="bandwidth\nbound us",
        scale=1e-3,
    ),
    Figure(
        "latency_bound_ns",
        "latency bound",
        "Time in which a packet goes through all steps one after the other if it waits for nothing, of the slowest "
        "chain of them; of an `all-to-all`, the longest trip: no completion time is shorter.",
        unit="ns",
        values=_of(lambda one: one.latency, ns=True),
        over_seeds=OverSeeds.GIVEN,
        log=True,
        heading="latency\nbound us",
        scale=1e-3,
    ),
    Figure(
        "bandwidth_bound_limit",
        "what is busiest",
        "The link, B-Link, receive queue, window or slots that the bandwidth bound is of.",
        values=_of(lambda one: one.limit),
        kind="string",
        over_seeds=OverSeeds.NONE,
        heading="\nbusiest",
    ),
)
"""Figures of an operation and of each of its channels."""

TOGETHER = (
    Figure(
        "bandwidth_bound_ratio",
        "bandwidth bound as a share of the completion time",
        "Bandwidth bound as a share of the completion time; missing without one.",
        values={NAME: lambda found: [one.bound / one.taken if (one := found.activity(NAME)).taken else None]},
        may_lack=True,
    ),
    Figure(
        "collective_rate_MBps",
        "data over completion time",
        "Data of the operation (`collective.size`) over its completion time; missing without one.",
        unit="MB/s",
        values={NAME: _rate_MBps},
        may_lack=True,
    ),
)
"""Figures of an operation alone."""

CHANNEL = Figure(
    "name",
    "channel",
    "Number of the channel.",
    values={CHANNELS: lambda found: [str(number) for number in range(len(found.activity(NAME).channels))]},
    kind="string",
    over_seeds=OverSeeds.GIVEN,
)


def collective_found(run: EndedRun) -> CollectiveFound | None:
    """Returns what became of the collective operation of a run, from its start on; None without one."""
    plans = run.resolved.plans_of(CollectivePlan)
    if not plans:
        return None
    counts = run.engine.activity_counters(CollectivePlan.kind)
    whole = _found_of(run, plans, counts)
    if len(plans) == 1:
        return replace(whole, channels=(whole,))
    return replace(
        whole, channels=tuple(_found_of(run, [plan], [one]) for plan, one in zip(plans, counts, strict=True))
    )


def _found_of(run: EndedRun, plans: Sequence[CollectivePlan], counts: Sequence[Mapping[str, Any]]) -> CollectiveFound:
    """Returns what became of some channels together."""
    plan = plans[0]
    packets = sum(one["packets"] for one in counts)
    delivered = sum(one["delivered"] for one in counts)
    bound, limit = run.bandwidth_bound(plans)
    # What comes last is combined, too; of an all-reduce it is handed on.
    last = plan.reduce_cycles if plan.collective.operation == "reduce-scatter" else 0
    return CollectiveFound(
        data_bytes=round(size_bytes(plan.collective.size)),
        packets=packets,
        delivered=delivered,
        taken=max(one["last_cycle"] for one in counts) + last - plan.start_cycle if delivered == packets else None,
        bound=bound,
        limit=limit,
        latency=run.latency_bound(plans),
    )


def collective_line(document: Record) -> str:
    """Returns how long a collective operation took, and the bound of that."""
    operation, collective = document["scenario"]["collective"]["operation"], document["collective"]
    packets = counted(collective["collective_packets"], "packet")
    delivered = collective["collective_delivered_packets"]
    bound = f"bandwidth bound {collective['bandwidth_bound_ns'] / 1e3:.4g} us by {collective['bandwidth_bound_limit']}"
    if collective["completion_time_ns"] is None:
        return f"{operation}: not complete, {delivered} of {packets} delivered; {bound}"
    return (
        f"{operation}: {packets}, complete after {collective['completion_time_ns'] / 1e3:.4g} us; {bound} "
        f"({100 * collective['bandwidth_bound_ratio']:z.1f} % of that), {collective['collective_rate_MBps']:.4g} MB/s"
    )


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME,),
    plan=CollectivePlan,
    parts=(
        DocumentPart(NAME, "Collective operation", "A collective operation", "one", (*COLLECTIVE, *TOGETHER)),
        DocumentPart(
            CHANNELS,
            "Channels",
            "Each channel of a collective operation",
            "one",
            (CHANNEL, *COLLECTIVE),
            many=True,
            row="channel",
            fewest=2,
        ),
    ),
    found=collective_found,
    title="A collective operation, since the start of the run",
    seen={
        "packets": ("integer", "Packets of all its steps."),
        "delivered": ("integer", "Packets of all its steps that were delivered."),
        "complete": ("boolean", "Whether all of it was delivered."),
    },
    saw=lambda found, hyperperiod: {
        "packets": found.packets,
        "delivered": found.delivered,
        "complete": found.delivered == found.packets,
    },
    sentence=collective_line,
    is_complete=lambda found: found.delivered == found.packets,
)


class CollectiveKeys(ActivityKeys):
    """The key of a collective operation."""

    activity: ClassVar[Activity] = ACTIVITY

    collective: Collective | None = Field(
        default=None,
        description="A collective operation of a parallel program, once. Without a `[traffic]` section there is no "
        "other traffic.",
    )


KEYS = CollectiveKeys
"""The keys that the list of activities takes."""
