"""Bounds on rings that switches join: each way is a chain of legs, one on each of its rings
(docs/explanation/guarantees.md, Section 8)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, fixed_point
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray, NoBoundError, RingFlows
from ringlet.analysis.response_bounds.switches import Crossing, received, sent, waits

MOST_ROUNDS = 100
"""Rounds over all rings in which the bounds have to come to rest."""

ROUNDED = 3
"""Cycles by which a switch may be later than its times say: a packet is at a port in the cycle after its last symbol,
and what its B-Link has done counts on a ring from the next whole cycle on."""


@dataclass(frozen=True, slots=True)
class SwitchTimes:
    """The times and buffers of every switch; times are in cycles."""

    transfer: float
    """Of one packet on the B-Link."""
    to_link: float
    from_link: float
    cut_through: bool
    offered: bool
    """Does a port offer its packets two at a time, as under protocols that follow its queue?"""
    receive: int | None
    """Packets that a port may hold in its receive buffers; None: it never has a place for sure."""
    transmit: int
    """Packets that a port's transmit slots hold."""

    def hold(self, symbols: int) -> float:
        """Returns the longest time for which a packet keeps the B-Link from the next one that waits.

        Cut through, the transfer ends when the packet has come in. Of a port that offers two packets the next offer is
        on its way while the other one is moved.
        """
        moved = max(self.transfer, symbols) if self.cut_through else self.transfer
        return max(moved, self.to_link + ROUNDED) if self.offered else moved


@dataclass(frozen=True, slots=True)
class Legs:
    """The legs of all flows, ordered by ring; arrays have the shape (legs,)."""

    rings: Sequence[IntArray]
    """The legs on each ring, as places in these arrays."""
    before: IntArray
    """The leg of the same flow on the ring before; -1 at the first."""
    switch: IntArray
    """Switch between that leg and this one; -1 at the first."""
    entry: IntArray
    """Port through which the flow comes into it; -1 at the first."""
    exit: IntArray
    """Port through which it leaves it; -1 at the first."""


@dataclass(frozen=True, slots=True)
class NetworkBounds:
    """Bounds of all legs, in cycles; infinite where there is none."""

    rings: Sequence[Bounds]
    """Of the legs on each ring."""
    jitter: FloatArray
    """Longest time from when a message is due until all of it may be sent on the leg's ring; shape (legs,)."""
    crossing: FloatArray
    """Longest time of a packet in the switch before the leg; shape (legs,)."""


def network_bounds(
    legs: Legs,
    flows: Sequence[RingFlows],
    analysis: Callable[[RingFlows], Analysis],
    times: SwitchTimes,
    port_name: Callable[[int], str],
) -> NetworkBounds:
    """Returns bounds that prove themselves: on each ring, what comes out of switches is as late as they allow.

    Args:
        legs: of all flows.
        flows: the legs on each ring; their jitter is that of the flows.
        analysis: of a protocol on a ring.
        times: of the switches.
        port_name: what a port is called.

    Raises:
        NoBoundError: a protocol without a bound; a port that may have no buffer for a packet.
    """
    count = len(legs.before)
    jitter, crossing, arrived = np.zeros(count), np.zeros(count), np.zeros(count)
    for places, ring in zip(legs.rings, flows, strict=True):
        jitter[places] = ring.jitter
    # What a B-Link moves to one port comes one by one; rounding brings it up to a cycle nearer.
    apart = max(times.transfer - 1, 0.0)
    farthest = max((ring.farthest for ring in flows), default=0.0)
    found: list[Bounds | None] = [None] * len(flows)
    changed = np.ones(count, dtype=bool)
    for _ in range(MOST_ROUNDS):
        for number, (places, ring) in enumerate(zip(legs.rings, flows, strict=True)):
            if changed[places].any() or found[number] is None:
                bounds = fixed_point(
                    ring,
                    analysis(
                        replace(ring, jitter=jitter[places], spacing=np.where(legs.before[places] < 0, 0.0, apart))
                    ),
                )
                found[number], arrived[places] = bounds, bounds.arrived
        after = jitter.copy()
        for these, across in _crossings(legs, flows, arrived, times):
            crossing[these] = times.to_link + waits(across) + times.from_link + ROUNDED
            after[these] = arrived[legs.before[these]] + crossing[these]
        after[np.isnan(after) | (after > farthest)] = np.inf
        changed = after != jitter
        jitter = after
        if not changed.any():
            break
    else:
        jitter[legs.before >= 0] = np.inf
    bounds_of_rings = [one for one in found if one is not None]
    whole = NetworkBounds(bounds_of_rings, jitter, crossing)
    if np.isfinite(jitter).all() and np.isfinite(arrived).all():
        _check_buffers(legs, flows, arrived, whole, times, port_name)
    return whole


def _crossings(
    legs: Legs, flows: Sequence[RingFlows], arrived: FloatArray, times: SwitchTimes
) -> Iterator[tuple[IntArray, Crossing]]:
    """Yields what crosses each switch: the legs behind it, and their flows."""
    period, packets, priority = (np.zeros(len(arrived)) for _ in range(3))
    for places, ring in zip(legs.rings, flows, strict=True):
        period[places], packets[places], priority[places] = ring.period, ring.packets, ring.priority
    for switch in np.unique(legs.switch[legs.before >= 0]).tolist():
        these = np.flatnonzero(legs.switch == switch)
        yield (
            these,
            Crossing(
                entry=legs.entry[these],
                exit=legs.exit[these],
                packets=packets[these].astype(np.int64),
                period=period[these],
                arrived=arrived[legs.before[these]],
                apart=flows[0].packet,
                hold=times.hold(flows[0].symbols),
                in_turn=len(np.unique(priority[these])) == 1,
            ),
        )


def _check_buffers(
    legs: Legs,
    flows: Sequence[RingFlows],
    arrived: FloatArray,
    found: NetworkBounds,
    times: SwitchTimes,
    port_name: Callable[[int], str],
) -> None:
    """Refuses ports that may have no receive buffer or no transmit slot for a packet: nothing bounds what follows."""
    symbols = flows[0].symbols
    freed, stay = np.zeros(len(arrived)), np.zeros(len(arrived))
    for places, bounds in zip(legs.rings, found.rings, strict=True):
        back = bounds.returned + times.to_link + ROUNDED
        freed[places] = bounds.sent + back
        stay[places] = times.hold(symbols) + times.from_link + ROUNDED + bounds.waited + back
    for these, across in _crossings(legs, flows, arrived, times):
        before = symbols + times.to_link + ROUNDED
        for port, most in received(across, waits(across), before).items():
            if times.receive is not None and most > times.receive:
                raise NoBoundError(
                    f"{port_name(port)} may be given {most:.0f} packets and takes {times.receive} before it refuses "
                    "or stops them; no bound is proven for what is sent again; switch.receive sets how many it takes"
                )
        for port, most in sent(across, freed[these], stay[these], least=times.transfer).items():
            if most > times.transmit:
                raise NoBoundError(
                    f"{port_name(port)} may have to keep {most:.0f} packets until they are accepted, and has "
                    f"{times.transmit} slots; no bound is proven for what waits for a slot; switch.transmit sets how "
                    "many there are"
                )
