"""What every flow-control protocol says of itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import ConfigDict

from ringlet.scenario.sections import Section

if TYPE_CHECKING:
    from ringlet.scenario.patterns import Pattern

DEFAULT_PROTOCOL = "sci"
"""The protocol of a scenario that does not name one."""

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Ring:
    """What protocols depend on besides their own options."""

    nodes: int
    symbol_time_ns: float
    framing_symbols: int
    longest_symbols: int
    """Longest packet, framing included."""
    receive: int | None
    """Places of a receive queue; None: unlimited."""
    refuses: bool
    """May a packet be refused, by a full receive queue or by a switch?"""


@dataclass(frozen=True, slots=True)
class Grants:
    """Control symbols that give each packet its turn, and so take a part of every link."""

    symbols: int
    """Length for each packet: once round the ring, and before that from the packet's source to the master."""
    master: int
    """The node that collects them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a recorded ring shows under a protocol: the meaning of an idle's word, and what the player says in words."""

    go_bits: int = 0
    """Go bits that an idle carries, in the lowest bits of its word; 0 where there are none."""
    meanings: Sequence[str] = ()
    """What the idle lets go, in words, for each value of its go bits; empty: a go bit for each group."""
    levels: int = 0
    """Where an idle's word is a go level, at which 0 lets all send: the level from which on nobody may. Else 0."""
    awaited: str = "an idle"
    """What a packet at the head of a queue waits for; `{priority}` stands for the packet's priority."""
    held_back: str = "too many packets of its own are under way"
    """Why packets wait and none of them is head."""
    made: str | None = None
    """What nodes send for the protocol itself; None: nothing."""
    grouped: bool = False
    """Whether packets belong to transmission groups."""
    first_in_first_out: bool = True
    """Whether packets leave a bypass FIFO in the order in which they came in."""


def _needs_its_name(schema: dict[str, Any]) -> None:
    """Makes the JSON Schema of all protocols but the default one require `protocol`, so that just one of them fits."""
    protocol = schema["properties"]["protocol"]
    protocol["description"] = "The protocol of which these are the options."
    if protocol.get("const") != DEFAULT_PROTOCOL:
        schema["required"] = ["protocol"]


class FlowControl(Section):
    """Which node may send when."""

    model_config = ConfigDict(json_schema_extra=_needs_its_name)

    protocol: str

    prioritised: ClassVar[bool] = False
    """Are priorities its point? Then queues have all levels where a scenario does not say how many."""
    on_networks: ClassVar[bool] = False
    """Does the engine have it for rings joined by switches, and for links that lose packets?"""
    modelled: ClassVar[bool] = False
    """Does the queueing model know it?"""
    stores_and_forwards: ClassVar[bool] = False
    """May an interface wait until all of a packet is there before it passes it on?"""
    preempts: ClassVar[bool] = False
    """Does it preempt packets at their receivers? Then none can be reserved a place there."""
    compared: ClassVar[bool] = True
    """Is it among those that `ringlet breakdown` compares by default?"""

    @classmethod
    def name(cls) -> str:
        """Returns what the protocol is called in a scenario."""
        return str(cls.model_fields["protocol"].default)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Returns the keys that the protocol has."""
        return tuple(key for key in cls.model_fields if key != "protocol")

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
        """Priorities that the protocol itself tells apart on the ring."""
        return 1

    def group_assignment(self, pattern: "Pattern") -> list[int] | list[list[int]]:
        """Returns each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes the groups, they are those of the start. Without groups all are 0.

        Raises:
            RingletError: more groups are needed than there are, or a list or matrix has the wrong shape or groups.
        """
        return [0] * pattern.nodes

    def group_specs(self, rows: list[int] | list[list[int]], symbol_time_ns: float) -> list[dict[str, Any]]:
        """Returns the engine's `groups` of each node; `rows` is what `group_assignment` returned."""
        del symbol_time_ns
        return [
            {"kind": "by-destination", "groups": row} if isinstance(row, list) else {"kind": "fixed", "group": row}
            for row in rows
        ]

    def grants(self) -> Grants | None:
        """Returns the control symbols that every packet needs; None: it needs none."""
        return None

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading()


def default(value: Option | None, otherwise: Option) -> Option:
    """Returns an option, or its default where it is not given."""
    return otherwise if value is None else value
