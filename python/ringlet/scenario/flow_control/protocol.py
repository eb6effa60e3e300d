"""The base class of flow-control protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from ringlet.analysis import response_bounds
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import MAX_BYTES, SCI_MAX_BYTES
from ringlet.sections import Field
from ringlet.sections.plugins import Chosen, name_needed

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows
    from ringlet.rings import Network, Routes
    from ringlet.rings.network import IntArray
    from ringlet.scenario.values.destinations import Pattern

DEFAULT_PROTOCOL = "sci"
"""The protocol of a scenario that does not name one."""

MAX_QUOTA = 1_000_000
"""Most packets of a quota; the engine has the same limit."""

Quota = Annotated[int, Field(ge=1, le=MAX_QUOTA)]
"""Packets that a node may send for one visit of what goes round: a token or a SAT."""

CONTROL_BYTES = 4
"""Bytes of what goes round without data: they hold a token of IEEE 802.5 with its three."""

MAX_BYPASS_SYMBOLS = 1_000_000
"""The longest nominal bypass FIFO; the engine has the same limit."""

Bypass = Annotated[int, Field(ge=1, le=MAX_BYPASS_SYMBOLS)]
"""Symbols of a bypass FIFO."""

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Shape:
    """The number of places on a ring, and the delays of its links."""

    places: int
    """Nodes and ports, the link controllers of a port one by one."""
    around_cycles: int
    """The sum of its hop delays."""
    shortest_hop_cycles: int
    """The least of its hop delays."""


@dataclass(frozen=True, slots=True)
class Ring:
    """The parameters of a ring on which the options of protocols depend."""

    nodes: int
    """Nodes on the ring; of a network the most interfaces of a ring, the link controllers of a port one by one."""
    fewest: int
    """Nodes of the smallest ring."""
    symbol_time_ns: float
    shapes: tuple[Shape, ...]
    """Shape of the ring; of a network each shape that its rings have."""
    link_format: LinkFormat
    longest_symbols: int
    """Longest packet, framing included."""
    receive: int | None
    """Places of a receive queue; None: unlimited."""
    priorities: int
    """Different priorities of the traffic's packets; where a program injects all of them, those of the FIFOs."""
    outstanding: int | None
    """Packets that a node may have under way; None: unlimited."""
    refuses: bool
    """May a packet be refused, by a full receive queue or by a switch?"""
    echoes: bool
    """Do destinations send echoes?"""
    order: tuple[int, ...] | None = None
    """Node at each place, where a ring has all nodes and not in the order of their numbers; else None."""

    def by_place(self, each: Sequence[Option]) -> list[Option]:
        """Returns what each node has in the order of the places on the ring; one value is that of all."""
        return list(each) if self.order is None or len(each) == 1 else [each[node] for node in self.order]


@dataclass(frozen=True, slots=True)
class Grants:
    """Control symbols that give each packet its turn, and so take a part of every link."""

    symbols: int
    """Length for each packet: once round the ring, and before that from the packet's source to the master."""
    master: int
    """The node that collects them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The reading of a recorded ring under a protocol: the meaning of an idle's word, and the player's words."""

    go_bits: int = 0
    """Go bits that an idle carries, in the lowest bits of its word; 0 where there are none."""
    sums_last: bool = False
    """True if the last go bit stands for all further ones, too."""
    meanings: Sequence[str] = ()
    """Meaning of each value of an idle's go bits, in words; empty: a go bit for each group."""
    levels: int = 0
    """Level from which on no node may send, where an idle's word is a go level, at which 0 lets all send; else 0."""
    awaited: str = "an idle"
    """Words for what a packet at the head of a queue waits for; `{priority}` stands for its priority."""
    held_back: str = "too many packets of its own are under way"
    """Why packets wait and none of them is head."""
    made: str | None = None
    """Words for what nodes send for the protocol itself; None: they send nothing."""
    grouped: bool = False
    """True if packets belong to transmission groups."""
    first_in_first_out: bool = True
    """True if packets leave a bypass FIFO in the order in which they came in."""
    takes_ahead: bool = False
    """True if nodes take packets out of their queues some time before they send them."""


def bits_of(values: int) -> int:
    """Returns the bits that tell so many values apart."""
    return (values - 1).bit_length()


class FlowControl(Chosen):
    """Flow control: the rules by which a node may send."""

    chosen_by: ClassVar[str] = "protocol"

    protocol: str

    @classmethod
    def schema_changed(cls, schema: dict[str, Any]) -> None:
        """Says how a protocol is chosen."""
        name_needed(cls, schema, "The protocol of which these are the options.", DEFAULT_PROTOCOL)

    class_order: ClassVar[str] = "alternate"
    """`queues.order` where a scenario does not say it."""
    prioritised: ClassVar[bool] = False
    """Are priorities its point? Then queues have all levels where a scenario does not say how many."""
    echoes: ClassVar[bool] = True
    """Do destinations answer packets with echoes where a scenario does not say it, and nothing in it needs them?"""
    outstanding: ClassVar[int | None] = 64
    """Packets that a node may have sent and not yet seen accepted where a scenario does not say it; None: any number.
    SCI's send identifiers have 6 bits (IEEE 1596)."""
    largest_packet_bytes: ClassVar[int] = SCI_MAX_BYTES
    """Bytes of the longest packet that may be sent where a scenario does not say it."""
    lemmas: ClassVar[tuple[int, ...]] = ()
    """Numbers of the lemmas of its bounds, beside those of all (docs/explanation/guarantees.md)."""
    bounded_with: ClassVar[Mapping[str, Any]] = {}
    """Options with which there is a bound, where there is none with all."""
    bounded_without_echoes: ClassVar[bool] = False
    """Do its bounds hold where destinations send no echoes, too (docs/explanation/guarantees.md, Section 1)?"""
    acts_on_refusals: ClassVar[bool] = False
    """Does it act on packets that a receiver refuses, so that there must be echoes where one may?"""
    delays_echoes: ClassVar[bool] = True
    """May a receiver send a busy echo later than the packet's end?"""
    survives_losses: ClassVar[bool] = False
    """Does it go on where links lose packets and echoes, with default options?"""
    stopped_by_losses: ClassVar[str | None] = None
    """A clause on what keeps it from going on where links lose something; None: nothing does."""
    joins: ClassVar[bool] = False
    """May its ring be joined to another one at a failure?"""
    modelled: ClassVar[bool] = False
    """Does the queueing model cover it?"""
    takes_full_round: ClassVar[bool] = True
    """May a packet with several receivers come back to its source, which strips it?"""
    holds_what_passes: ClassVar[bool] = False
    """May a packet wait at an interface that it passes?"""
    takes_slow_links: ClassVar[bool] = False
    """May links of its ring have different rates, with default options?"""
    slow_links_break: ClassVar[str] = "it has no rule for idles that a slow link makes and leaves out"
    """A clause on what keeps them from having different rates, where they may not."""
    preempts: ClassVar[bool] = False
    """Does it preempt packets at their receivers? Then none can be reserved a place there."""

    def check_modelled(self) -> None:
        """Raises RingletError for an option that the queueing model does not know, though it covers the protocol."""

    def against_slow_links(self) -> str | None:
        """Returns why links of its ring may not have different rates, with these options; None: they may."""
        return None if self.takes_slow_links else self.slow_links_break

    def needs_echoes(self) -> str | None:
        """Returns what it needs echoes for; None: nothing, it runs without."""
        return None

    @property
    def differs_by_node(self) -> bool:
        """True if an option has a value for each node."""
        return False

    @property
    def acts_at_rest(self) -> bool:
        """True if its nodes do something at times of their own, even if nothing has arrived for long."""
        return False

    @property
    def may_lose(self) -> bool:
        """True if it goes on where links lose something, with these options."""
        return self.survives_losses

    @property
    def nodes_of_base_sci(self) -> Sequence[int]:
        """The nodes on its rings that have SCI's own flow control."""
        return ()

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Returns the keys that the protocol has."""
        return tuple(key for key in cls.fields if key != "protocol")

    def spec(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's `flow_control`, all options resolved.

        Raises:
            RingletError: an option that does not fit the ring, its queues or its packets.
        """
        return {"protocol": self.protocol, **self.resolved(ring)}

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        del ring
        return {}

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths: none may be longer than the engine counts."""
        return {}

    @property
    def send_priorities(self) -> int:
        """Priorities that the protocol itself distinguishes on the ring."""
        return 1

    @property
    def priorities_key(self) -> str:
        """The key that sets how many priorities packets may have: the protocol's own, or that of the FIFOs."""
        return "flow_control.priorities" if "priorities" in self.options() else "queues.priorities"

    def group_assignment(self, pattern: "Pattern") -> list[int] | list[list[int]]:
        """Returns each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes the groups, they are those of the start. Without groups all are 0.

        Raises:
            RingletError: more groups are needed than there are, or a list or matrix has the wrong shape or groups.
        """
        return [0] * pattern.nodes

    def interface_groups(
        self, pattern: "Pattern", network: "Network", routes: "Routes", *, answers: bool
    ) -> "IntArray | None":
        """Returns the group of what each interface of a network sends on its ring; None: there are no groups.

        Args:
            pattern: where packets go.
            network: the rings.
            routes: how packets get there.
            answers: whether packets have responses.

        Raises:
            RingletError: more groups are needed than there are, or they are not given for rings.
        """
        del pattern, network, routes, answers
        return None

    def group_specs(self, rows: list[int] | list[list[int]], symbol_time_ns: float) -> list[dict[str, Any]]:
        """Returns the engine's `groups` of each node; `rows` is what `group_assignment` returned."""
        del symbol_time_ns
        return [
            {"kind": "by-destination", "groups": row} if isinstance(row, list) else {"kind": "fixed", "group": row}
            for row in rows
        ]

    def grants(self, link_format: LinkFormat) -> Grants | None:
        """Returns the control symbols that every packet needs; None: it needs none."""
        return None

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis that bounds the response times of a ring's flows.

        Args:
            flows: all that the ring carries.
            options: what `resolved` returned.

        Raises:
            NoBoundError: there is no proven bound; says why, and under which conditions there is one.
        """
        raise response_bounds.NoBoundError(f"no bound is proven for protocol {self.protocol!r}")

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns the most symbols that a bypass FIFO may hold on a ring; None: nothing is said of it.

        Args:
            options: what `resolved` returned.
            nodes: of the ring.
            longest_symbols: its longest packet.
        """
        del nodes, longest_symbols
        room: int | None = options.get("bypass_symbols")
        return room

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol, by what it holds; None: any number.

        What every node of a ring has, such as its address and the state of its transmitter, is no part of it.
        """
        del ring
        return {}

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries for the protocol."""
        return 0

    def queues(self, ring: Ring) -> dict[str, int | None]:
        """Returns the symbols that each queue of a node needs for the protocol, by what it holds; None: any number.

        Transmit and receive queues are those of the host.
        """
        room = self.bypass_room(self.resolved(ring), ring.nodes, ring.longest_symbols)
        return {"bypass FIFO": ring.longest_symbols + 1 if room is None else room}

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading()


class PacketRing(FlowControl):
    """Flow control of a ring that is not SCI's: packets of any length, as many under way as there are."""

    outstanding: ClassVar[int | None] = None
    largest_packet_bytes: ClassVar[int] = MAX_BYTES


def default(value: Option | None, otherwise: Option) -> Option:
    """Returns an option, or its default where it is not given."""
    return otherwise if value is None else value
