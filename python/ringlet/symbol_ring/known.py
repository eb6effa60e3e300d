"""Protocols of the engine as stations: examples, and the proof that the ring follows the engine's rules."""

from ringlet.symbol_ring.packets import Packet
from ringlet.symbol_ring.station import Here, Next, Station


class NoneStation(Station):
    """A node without flow control: a waiting packet is never blocked."""

    def decide(self, here: Here, carried: int) -> Next:
        """Drains the bypass FIFO, then sends."""
        del carried
        if here.bypass.entries:
            return Next.BYPASS
        return Next.PASS if here.head is None else Next.HEAD


class SciStation(Station):
    """A node with SCI's go bit: it sends behind an idle with one, and holds go bits back while its FIFO drains.

    It has the default options of the engine's `sci`: extension `received`, release `unblocked`.
    """

    def __init__(self) -> None:
        """At cycle 0, when every idle carries a go bit."""
        self._saved = False
        self._received = True
        self._has_sent = False
        self._extends = False

    @property
    def first_idle(self) -> int:
        """A go bit."""
        return 1

    def decide(self, here: Here, carried: int) -> Next:
        """Drains the bypass FIFO, then sends behind a go bit."""
        if here.bypass.entries:
            return Next.BYPASS
        return Next.HEAD if here.head is not None and carried else Next.PASS

    def strip_packet(self, here: Here) -> None:
        """The first packet stripped since the node has sent leaves go bits."""
        self._extends, self._has_sent = self._has_sent, False

    def strip_echo(self, here: Here) -> None:
        """So does an echo."""
        self._extends = True

    def absorb(self, here: Here, carried: int) -> None:
        """Saves a go bit."""
        self._received = carried != 0
        self._saved |= self._received

    def sent(self, here: Here, packet: Packet) -> None:
        """Notes that the node has sent."""
        self._has_sent = True

    def idle(self, here: Here, *, created: bool) -> int:
        """Lets the saved go bit go."""
        if created and self._extends and here.head is None:
            self._saved |= self._received
        return self._let_go()

    def idle_behind(self, here: Here, *, own: bool, created: bool) -> int:
        """Holds the go bit back while the FIFO is not empty."""
        if here.bypass.entries:
            return 0
        if own and created:
            self._saved |= self._received
        return self._let_go()

    def _let_go(self) -> int:
        carried, self._saved = self._saved, False
        return int(carried)
