"""One node in one cycle: services and arrivals, strip, head, transmit (docs/explanation/model.md)."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from ringlet.errors import RingletError
from ringlet.symbol_ring.bypass import Bypass
from ringlet.symbol_ring.hosts import Host, Records
from ringlet.symbol_ring.packets import PacketSymbol, Symbol, Transmission
from ringlet.symbol_ring.station import Here, Next, Station


class _Output(Enum):
    """Output in this cycle."""

    PASS = auto()
    """Whatever comes in."""
    IDLE = auto()
    OWN = auto()
    """A symbol of an own packet."""
    OWN_IDLE = auto()
    """The idle behind it."""
    BYPASSED = auto()
    """A symbol of the bypass FIFO."""
    SEPARATOR = auto()
    """The idle behind a packet of it."""


_OUTPUT_OF = {Next.HEAD: _Output.OWN, Next.BYPASS: _Output.BYPASSED, Next.IDLE: _Output.IDLE, Next.PASS: _Output.PASS}


class Node:
    """Stripper, host and transmitter of one node."""

    def __init__(
        self,
        spec: Mapping[str, Any],
        index: int,
        station: Station,
        records: Records,
        most_carried: int,
        named: str,
    ) -> None:
        """At cycle 0.

        Args:
            spec: of the ring.
            index: of the node.
            station: its part of the protocol.
            records: of the ring.
            most_carried: the largest number that an idle may carry.
            named: what a message calls the protocol.
        """
        self.host = Host(spec, index, records)
        self.station = station
        self.bypass = Bypass()
        self._index, self._records, self._most_carried, self._named = index, records, most_carried, named
        self._echoes: bool = spec["format"]["echoes"]
        self._echo_symbols: int = spec["format"]["echo_symbols"]
        self._here = Here(index, spec["nodes"], 0, None, self.bypass, 0)
        self._refuses = type(station).eligible is not Station.eligible
        """True if a packet may be refused to be head."""
        self._output = _Output.PASS
        self._own: tuple[Transmission, int] | None = None
        """Own packet that is emitted, and the place of its next symbol."""
        self._stripping: Transmission | None = None
        """The echo that the packet being stripped becomes."""
        self._passing: tuple[int, int] | None = None
        """Priority of the send packet of another node that is emitted, and the cycle of its first symbol."""
        self.reset()

    def reset(self) -> None:
        """Starts the counts again."""
        self.links = {"send": 0, "retry": 0, "echo": 0, "idle": 0}
        """Symbols emitted of each kind."""
        self.refused = 0
        """Busy echoes made."""
        self.transmit_cycles = self.receive_cycles = 0
        """Packets in the queues, summed over cycles."""
        self.most_bypassed = 0
        self.host.queue.most, self.host.most = len(self.host.queue), self.host.held

    @property
    def waits(self) -> bool:
        """True if packets of this node wait, have been sent and not accepted, or are served."""
        queue = self.host.queue
        return bool(len(queue) or queue.refused or any(queue.unaccepted) or queue.head)

    def step(self, cycle: int, x: Symbol) -> int | PacketSymbol:
        """Returns the symbol emitted in a cycle in which another one comes in."""
        here, host, queue = self._here, self.host, self.host.queue
        here.cycle, here.head = cycle, None if queue.head is None else queue.head.packet
        here.waiting = len(queue.waiting)
        self.station.begin(here)
        queue.take_arrivals(cycle)
        if type(x) is tuple:
            x = self._strip(cycle, x)
        self._take_in(cycle)
        head = queue.head
        output = self._transmit(cycle, x)
        # --- what is counted
        if type(output) is tuple:
            transmission, position = output
            self.links[transmission.kind] += 1
            if position == 0:
                passes = not transmission.is_echo and transmission.source != self._index
                self._passing = (transmission.priority, cycle) if passes else None
        else:
            self.links["idle"] += 1
            if self._passing is not None:
                priority, since = self._passing
                self._passing = None
                if head is not None and head.packet.priority > priority:
                    head.packet.inversion += cycle + 1 - max(since, head.since)
        self.most_bypassed = max(self.most_bypassed, self.bypass.occupancy)
        self.transmit_cycles += len(queue)
        self.receive_cycles += host.held
        # What ends at `cycle + 1` counts if this is the last cycle.
        if host.held:
            host.serve(cycle + 1)
        return output

    # --- Strip --------------------------------------------------------------------------------------------------------

    def _strip(self, cycle: int, symbol: PacketSymbol) -> Symbol:
        transmission, position = symbol
        if transmission.target != self._index:
            return symbol
        last = position == transmission.length - 1
        if transmission.is_echo:
            if position == 0:
                self.station.strip_echo(self._here)
            if last:
                self.host.take_echo(cycle, transmission.packet, accepted=transmission.accepted)
                self.station.echoed(self._here, transmission.packet, accepted=transmission.accepted)
                self.host.serve(cycle)
            return None
        if position == 0:
            self._stripping = self._received(cycle, transmission)
            self.station.strip_packet(self._here)
        before_echo = transmission.length - self._echo_symbols
        if not self._echoes or position < before_echo:
            return None
        assert self._stripping is not None
        return self._stripping, position - before_echo

    def _received(self, cycle: int, transmission: Transmission) -> Transmission:
        """Hands a packet to its input queue, which takes or refuses it, and returns its echo."""
        packet = transmission.packet
        accepted = self.host.receive(cycle, packet, transmission.priority)
        self.refused += not accepted
        if not self._echoes:
            if accepted:
                self._records.count_accepted(packet)
            else:
                self._records.counts[packet.flow].dropped += 1
        return Transmission(
            packet, self._index, transmission.source, self._echo_symbols, "echo", transmission.priority, accepted
        )

    # --- Head ---------------------------------------------------------------------------------------------------------

    def _take_in(self, cycle: int) -> None:
        queue, eligible = self.host.queue, self.station.eligible
        others = queue.waiting or queue.refused
        bound = self._output is _Output.OWN or self._output is _Output.OWN_IDLE
        if queue.head is not None and not bound and (others or self._refuses):
            queue.yield_head(cycle, eligible, pressed=self.host.is_pressed)
        if queue.head is None and (queue.waiting or queue.refused):
            queue.choose_head(cycle, eligible, pressed=self.host.is_pressed)
        self._look()

    def _look(self) -> None:
        queue = self.host.queue
        self._here.head = None if queue.head is None else queue.head.packet
        self._here.waiting = len(queue.waiting)

    # --- Transmit -----------------------------------------------------------------------------------------------------

    def _transmit(self, cycle: int, x: Symbol) -> int | PacketSymbol:
        station, here, output = self.station, self._here, self._output
        passes = output is _Output.PASS
        if type(x) is tuple:
            if not passes:
                self.bypass.push(x)
        elif x is not None:
            if not passes:
                self.bypass.push_idle()
            station.absorb(here, x)  # type: ignore[arg-type]
        if passes:
            if type(x) is tuple:
                if x[1] == 0:
                    station.passes(here, x[0])
                return x
            return self._decided(station.idle(here, created=x is None), "idle")
        if output is _Output.OWN:
            return self._send()
        if output is _Output.OWN_IDLE:
            packet = self.host.queue.leave_head(cycle)
            station.sent(here, packet)
            if not self._echoes:
                self.host.let_go(packet)
            self.host.queue.choose_head(cycle, station.eligible, pressed=self.host.is_pressed)
            self._look()
            return self._decided(station.idle_behind(here, own=True, created=x is None), "idle_behind")
        if output is _Output.BYPASSED:
            symbol = self.bypass.emit()
            if symbol[1] == 0:
                station.passes(here, symbol[0])
            if symbol[1] == symbol[0].length - 1:
                self._output = _Output.SEPARATOR
            return symbol
        if output is _Output.SEPARATOR:
            self.bypass.emit_separator()
            return self._decided(station.idle_behind(here, own=False, created=x is None), "idle_behind")
        return self._decided(station.idle(here, created=False), "idle")

    def _send(self) -> PacketSymbol:
        if self._own is None:
            head = self.host.queue.head
            assert head is not None
            packet, kind = head.packet, "send" if head.refused is None else "retry"
            self._own = (
                Transmission(packet, self._index, packet.destination, packet.symbols, kind, packet.priority),
                0,
            )
            self.host.queue.start()
            self.station.sends(self._here, packet)
        transmission, position = self._own
        self._own = transmission, position + 1
        if position + 1 == transmission.length:
            self._own, self._output = None, _Output.OWN_IDLE
        return transmission, position

    def checked(self, carried: int, method: str) -> int:
        """Returns the number that a method lets an idle carry.

        Raises:
            RingletError: no idle carries it.
        """
        if not isinstance(carried, int) or not 0 <= carried <= self._most_carried:
            raise self._wrong(method, carried, f"a whole number from 0 to {self._most_carried} (most_carried)")
        return int(carried)

    def _decided(self, carried: int, method: str) -> int:
        """Takes what the idle carries, and decides what follows it."""
        carried = self.checked(carried, method)
        chosen = self.station.decide(self._here, carried)
        if chosen is Next.HEAD and self._here.head is None:
            raise self._wrong("decide", "Next.HEAD", "only with a packet at the head")
        if chosen is Next.BYPASS and not self.bypass.entries:
            raise self._wrong("decide", "Next.BYPASS", "only with a packet in the bypass FIFO")
        if chosen is Next.PASS and self.bypass.entries:
            raise self._wrong("decide", "Next.PASS", "only with an empty bypass FIFO")
        if not isinstance(chosen, Next):
            raise self._wrong("decide", chosen, "a member of Next")
        self._output = _OUTPUT_OF[chosen]
        return carried

    def _wrong(self, method: str, given: object, allowed: str) -> RingletError:
        place = f"node {self._index} in cycle {self._here.cycle}"
        return RingletError(f"{self._named}, whose {method} gives {given} at {place}; allowed: {allowed}")
