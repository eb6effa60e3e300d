"""Bounds of ways that are chains of legs: a leg on each ring that a message crosses, and the same of its responses
(docs/explanation/guarantees.md, Sections 8 and 9)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, fixed_point
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray, IntArray, NoBoundError, RingFlows
from ringlet.analysis.response_bounds.switches import Crossing, received, sent, waits

MOST_ROUNDS = 100
"""Rounds over all rings in which the bounds have to come to rest."""

ROUNDED = 3
"""Cycles by which a switch may be later than its times say: a packet is at a port in the cycle after its last symbol,
and what its B-Link has done counts on a ring from the next whole cycle on."""


@dataclass(frozen=True, slots=True)
class SwitchTimes:
    """The times and buffers of every switch; times are in cycles."""

    transfer: FloatArray
    """Of a packet of each leg on the B-Link; shape (legs,)."""
    to_link: float
    from_link: float
    cut_through: bool
    offered: bool
    """Does a port offer its packets two at a time, as under protocols that follow its queue?"""
    receive: int | None
    """Packets of a class that a port may hold in its receive buffers; None: it never has a place for sure."""
    transmit: int
    """Packets of a class that a port's transmit slots hold."""
    pooled: bool
    """Do requests and responses share these buffers and slots?"""

    def hold(self, symbols: IntArray) -> FloatArray:
        """Returns the longest time for which a packet of each leg keeps the B-Link from the next one that waits.

        Cut through, the transfer ends when the packet has come in. Of a port that offers two packets the next offer is
        on its way while the other one is moved.
        """
        moved = np.maximum(self.transfer, symbols) if self.cut_through else self.transfer
        return np.maximum(moved, self.to_link + ROUNDED) if self.offered else moved


@dataclass(frozen=True, slots=True)
class Legs:
    """The legs of all flows, ordered by ring; arrays have the shape (legs,)."""

    rings: Sequence[IntArray]
    """The legs on each ring, as places in these arrays."""
    before: IntArray
    """The leg before: of the same flow on the ring before, or of the requests where it is the first one of responses;
    -1 at the first."""
    switch: IntArray
    """Switch between that leg and this one; -1 where there is none."""
    entry: IntArray
    """Port through which the flow comes into it; -1 where there is none."""
    exit: IntArray
    """Port through which it leaves it; -1 where there is none."""
    response: BoolArray
    """Whether its packets are responses."""

    @property
    def answers(self) -> BoolArray:
        """Whether each leg begins where the requests of the leg before are served."""
        return np.asarray((self.before >= 0) & (self.switch < 0))


@dataclass(frozen=True, slots=True)
class ChainBounds:
    """Bounds of all legs, in cycles; infinite where there is none."""

    rings: Sequence[Bounds]
    """Of the legs on each ring."""
    jitter: FloatArray
    """Longest time from when a message is due until all of it may be sent on the leg's ring; shape (legs,)."""
    crossing: FloatArray
    """Longest time of a packet in the switch, or in the server, before the leg; shape (legs,)."""

    def of_legs(self, legs: Legs, name: str) -> FloatArray:
        """Returns a field of `Bounds` of every leg; shape (legs,)."""
        values = np.zeros(len(legs.before))
        for places, bounds in zip(legs.rings, self.rings, strict=True):
            values[places] = getattr(bounds, name)
        return values


def chain_bounds(
    legs: Legs,
    flows: Sequence[RingFlows],
    analysis: Callable[[RingFlows], Analysis],
    served: Callable[[FloatArray], FloatArray],
    times: SwitchTimes | None,
    port_name: Callable[[int], str],
) -> ChainBounds:
    """Returns bounds that prove themselves: on each ring, what comes out of switches and servers is as late as they
    allow.

    Args:
        legs: of all flows.
        flows: the legs on each ring; their jitter is that of the flows.
        analysis: of a protocol on a ring.
        served: returns the longest service of each leg's packets, given the longest time until they have arrived.
        times: of the switches; None: there are none.
        port_name: what a port is called.

    Raises:
        NoBoundError: a protocol without a bound; a port that may have no buffer for a packet.
    """
    count = len(legs.before)
    jitter, crossing, arrived = np.zeros(count), np.zeros(count), np.zeros(count)
    for places, ring in zip(legs.rings, flows, strict=True):
        jitter[places] = ring.jitter
    answers, farthest = legs.answers, max((ring.farthest for ring in flows), default=0.0)
    found: list[Bounds | None] = [None] * len(flows)
    changed = np.ones(count, dtype=bool)
    for _ in range(MOST_ROUNDS):
        for number, (places, ring) in enumerate(zip(legs.rings, flows, strict=True)):
            before = found[number]
            if before is None or changed[places].any():
                # What the bounds were with less jitter is no more than what they are now.
                bounds = fixed_point(analysis(replace(ring, jitter=jitter[places])), before)
                found[number], arrived[places] = bounds, bounds.arrived
        after = jitter.copy()
        if times is not None:
            for these, across in _crossings(legs, flows, arrived, times):
                crossing[these] = times.to_link + waits(across) + times.from_link + ROUNDED
                after[these] = arrived[legs.before[these]] + crossing[these]
        if answers.any():
            crossing[answers] = served(arrived)[legs.before[answers]]
            after[answers] = arrived[legs.before[answers]] + crossing[answers]
        after[np.isnan(after) | (after > farthest)] = np.inf
        changed = after != jitter
        jitter = after
        if not changed.any():
            break
    else:
        jitter[legs.before >= 0] = np.inf
    whole = ChainBounds([one for one in found if one is not None], jitter, crossing)
    if times is not None and np.isfinite(jitter).all() and np.isfinite(arrived).all():
        _check_buffers(legs, flows, arrived, whole, times, port_name)
    return whole


def _crossings(
    legs: Legs, flows: Sequence[RingFlows], arrived: FloatArray, times: SwitchTimes
) -> Iterator[tuple[IntArray, Crossing]]:
    """Yields what crosses each switch: the legs behind it, and their flows."""
    period, packets, priority, symbols = (np.zeros(len(arrived)) for _ in range(4))
    for places, ring in zip(legs.rings, flows, strict=True):
        period[places], packets[places], priority[places] = ring.period, ring.packets, ring.priority
        symbols[places] = ring.symbols
    hold = times.hold(symbols.astype(np.int64))
    for switch in np.unique(legs.switch[legs.switch >= 0]).tolist():
        these = np.flatnonzero(legs.switch == switch)
        yield (
            these,
            Crossing(
                entry=legs.entry[these],
                exit=legs.exit[these],
                packets=packets[these].astype(np.int64),
                period=period[these],
                arrived=arrived[legs.before[these]],
                packet=symbols[these].astype(np.int64) + 1,
                hold=hold[these],
                in_turn=len(np.unique(priority[these])) == 1 and len(np.unique(legs.response[these])) == 1,
            ),
        )


def _check_buffers(
    legs: Legs,
    flows: Sequence[RingFlows],
    arrived: FloatArray,
    found: ChainBounds,
    times: SwitchTimes,
    port_name: Callable[[int], str],
) -> None:
    """Refuses ports that may have no receive buffer or no transmit slot for a packet: nothing bounds what follows."""
    symbols = np.zeros(len(arrived), dtype=np.int64)
    for places, ring in zip(legs.rings, flows, strict=True):
        symbols[places] = ring.symbols
    back = found.of_legs(legs, "returned") + times.to_link + ROUNDED
    freed = found.of_legs(legs, "sent") + back
    stay = times.hold(symbols) + times.from_link + ROUNDED + found.of_legs(legs, "waited") + back
    before = symbols.astype(float) + times.to_link + ROUNDED
    for all_here, everything in _crossings(legs, flows, arrived, times):
        wait = waits(everything)
        of_class = legs.response[all_here]
        shared = [np.ones(len(all_here), dtype=bool)] if times.pooled else [~of_class, of_class]
        for which in shared:
            these, across = all_here[which], everything.chosen(which)
            for port, most in received(across, wait[which], before[these]).items():
                if times.receive is not None and most > times.receive:
                    raise NoBoundError(
                        f"{port_name(port)} may be given {most:.0f} packets and takes {times.receive} before it "
                        "refuses or stops them; no bound is proven for what is sent again; switch.receive sets how "
                        "many it takes"
                    )
            least = times.transfer[these].min(initial=np.inf)
            for port, most in sent(across, freed[these], stay[these], least=least).items():
                if most > times.transmit:
                    raise NoBoundError(
                        f"{port_name(port)} may have to keep {most:.0f} packets until they are accepted, and has "
                        f"{times.transmit} slots; no bound is proven for what waits for a slot; switch.transmit sets "
                        "how many there are"
                    )
