"""The base class of protocols that are written in Python."""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ringlet.scenario.flow_control.protocol import FlowControl, Ring

if TYPE_CHECKING:
    from ringlet.symbol_ring import Station


class SymbolProtocol(FlowControl):
    """A protocol that is written in Python, and runs symbol by symbol on a single ring (`ringlet.symbol_ring`)."""

    slow_links_break: ClassVar[str] = "a protocol that is written in Python runs symbol by symbol at one rate"
    symmetric: ClassVar[bool] = True
    """True if no node is special: a ring whose nodes are numbered from another one on behaves alike."""

    most_carried: ClassVar[int] = 0
    """Largest number that an idle carries, such as 1 where it is a go bit."""

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries for the protocol."""
        return self.most_carried.bit_length()

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns that nothing is said of the bits that a node keeps for the protocol; a protocol may say it."""
        del ring
        return {"what a station keeps": None}

    @abstractmethod
    def station(self, node: int, ring: Ring) -> "Station":
        """Returns a node's part of the protocol, at cycle 0.

        Args:
            node: its place on the ring.
            ring: what the ring is like.
        """
