"""A protocol at one node: what it emits behind every idle, and what idles carry."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from ringlet.symbol_ring.bypass import Bypass
from ringlet.symbol_ring.packets import Packet, Transmission


class Next(Enum):
    """Choice of what a node emits from the next cycle on."""

    HEAD = "head"
    """Packet at the head of its transmit queue, and an idle behind it."""
    BYPASS = "bypass"
    """Oldest packet of its bypass FIFO, and an idle behind it."""
    IDLE = "idle"
    """One idle, whatever comes in meanwhile; packets go into the bypass FIFO."""
    PASS = "pass"
    """Whatever comes in, up to the next idle. The bypass FIFO has to be empty."""


@dataclass(slots=True)
class Here:
    """A node in this cycle, as its station sees it."""

    node: int
    """Place on the ring, from 0 on."""
    nodes: int
    """Nodes of the ring."""
    cycle: int
    head: Packet | None
    """Packet at the head of the transmit queue: the next one to be sent, if it is."""
    bypass: Bypass
    """Packets that wait to pass: `bypass.occupancy` symbols."""
    waiting: int
    """Packets in the transmit queue behind the head, without refused ones."""


class Station(ABC):
    """One node's part of a protocol.

    A node emits a packet as a whole and then at least one idle. Each idle carries a number, such as a go bit or a
    token, at least 0; those that stripping makes in place of a packet's symbols come in with none. Behind each idle
    that a node emits `decide` says what comes next. In one cycle the methods are called in this order: `begin`, what
    comes in (`strip_packet`, `strip_echo`, `echoed`), `absorb`, what leaves (`sends` or `sent`), and where that is an
    idle its number (`idle` or `idle_behind`) and `decide`.
    """

    @abstractmethod
    def decide(self, here: Here, carried: int) -> Next:
        """Returns what follows the idle that is emitted, which carries this number."""

    @property
    def first_idle(self) -> int:
        """Number that every idle on the links carries at cycle 0."""
        return 0

    def begin(self, here: Here) -> None:
        """A cycle begins."""
        del here

    def eligible(self, packet: Packet) -> bool:
        """Returns whether a packet of this node may be head now."""
        del packet
        return True

    def strip_packet(self, here: Here) -> None:
        """The first symbol of a packet for this node comes in."""
        del here

    def strip_echo(self, here: Here) -> None:
        """The first symbol of an echo for this node comes in."""
        del here

    def echoed(self, here: Here, packet: Packet, *, accepted: bool) -> None:
        """The echo of an own packet takes effect: it was accepted, or refused and will be sent again."""
        del here, packet, accepted

    def absorb(self, here: Here, carried: int) -> None:
        """An idle comes in that carries this number; what it needs of it, the station has to keep."""
        del here, carried

    def passes(self, here: Here, transmission: Transmission) -> None:
        """The first symbol of a packet or echo of another node is emitted."""
        del here, transmission

    def sends(self, here: Here, packet: Packet) -> None:
        """The first symbol of the head is emitted."""
        del here, packet

    def sent(self, here: Here, packet: Packet) -> None:
        """An own packet has been emitted, and the idle behind it is about to be."""
        del here, packet

    def idle(self, here: Here, *, created: bool) -> int:
        """Returns what an idle carries that passes or is emitted alone.

        Args:
            here: the node.
            created: stripping has made it.
        """
        del here, created
        return 0

    def idle_behind(self, here: Here, *, own: bool, created: bool) -> int:
        """Returns what the idle behind a packet carries that the node has emitted.

        Args:
            here: the node; its head is already the next one.
            own: it was a packet of this node, not one of the bypass FIFO.
            created: an idle that stripping made comes in meanwhile.
        """
        del own
        return self.idle(here, created=created)
