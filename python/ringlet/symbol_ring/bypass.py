"""A bypass FIFO, packet by packet."""

from collections import deque
from dataclasses import dataclass, field

from ringlet.symbol_ring.packets import PacketSymbol, Transmission


@dataclass(slots=True, eq=False)
class Entry:
    """A packet or an echo in the FIFO: on its way in, waiting, or on its way out."""

    transmission: Transmission
    symbols: deque[PacketSymbol] = field(default_factory=deque)
    """Symbols that are here."""
    separator: bool = False
    """True if the idle behind it has come in."""


class Bypass:
    """The FIFO of what passes a node while that emits something else."""

    def __init__(self) -> None:
        """Nothing in it."""
        self.entries: deque[Entry] = deque()
        """Packets in the order of arrival; one that is being emitted stays up to its separator."""
        self.occupancy = 0
        """Symbols and separators in it."""

    def push(self, symbol: PacketSymbol) -> None:
        """A packet's symbol comes in."""
        transmission, position = symbol
        if position == 0:
            self.entries.append(Entry(transmission))
        self.entries[-1].symbols.append(symbol)
        self.occupancy += 1

    def push_idle(self) -> None:
        """An idle comes in: a separator, if it is the one behind a packet that is still here."""
        if self.entries:
            last = self.entries[-1]
            if not last.separator and last.symbols and last.symbols[-1][1] == last.transmission.length - 1:
                last.separator = True
                self.occupancy += 1

    def emit(self) -> PacketSymbol:
        """Returns the next symbol of the oldest packet, which leaves."""
        self.occupancy -= 1
        return self.entries[0].symbols.popleft()

    def emit_separator(self) -> None:
        """The separator of that packet leaves."""
        self.entries.popleft()
        self.occupancy -= 1
