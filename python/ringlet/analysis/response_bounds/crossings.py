"""Bounds of ways that are chains of legs: a leg on each ring that a message crosses, and the same of its responses
(docs/explanation/guarantees.md, Sections 8 and 9)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, fixed_point
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray, IntArray, RingFlows
from ringlet.analysis.response_bounds.switches import Crossing, received, sent, waits

MOST_ROUNDS = 100
"""Rounds over all rings in which the bounds have to come to rest."""

ROUNDED = 3
"""Symbols, of the slower of two rings, by which a switch may be later than its times say: a packet is at a port in the
symbol time after its last symbol, and what its B-Link has done counts on a ring from the next one on."""


@dataclass(frozen=True, slots=True)
class SwitchTimes:
    """The times and buffers of every switch; times are in cycles of the network."""

    transfer: FloatArray
    """Time of a packet of each leg on the B-Link; shape (legs,)."""
    to_link: float
    from_link: float
    cut_through: bool
    offered: BoolArray
    """Does the port before each leg offer its packets two at a time, as under protocols that follow its queue? Shape
    (legs,)."""
    receive: FloatArray
    """Packets of a class that the port before each leg may hold in its receive buffers; infinite: any. Shape
    (legs,)."""
    transmit: int
    """Packets of a class that a port's transmit slots hold."""
    pooled: bool
    """Do requests and responses share these buffers and slots?"""

    def hold(self, legs: "Legs", arriving: FloatArray) -> FloatArray:
        """Returns the longest time for which a packet of each leg keeps the B-Link from the next one that waits.

        Cut through, the transfer ends when the packet has come in. Of a port that offers two packets the next offer is
        on its way while the other one is moved.

        Args:
            legs: of all flows.
            arriving: in which the symbols of each packet come into the switch before its leg; shape (legs,).
        """
        moved = np.maximum(self.transfer, arriving) if self.cut_through else self.transfer
        return np.where(self.offered, np.maximum(moved, self.to_link + legs.rounded), moved)


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
    """True if the leg's packets are responses."""
    symbol: IntArray
    """Cycles of the network that a symbol takes on the leg's ring: a ring counts time by its own symbols."""

    @property
    def entry_symbol(self) -> IntArray:
        """Cycles of the network that a symbol takes on the ring of the leg before; at a first leg on its own ring."""
        return self.symbol[np.where(self.before < 0, np.arange(len(self.before)), self.before)]

    @property
    def rounded(self) -> FloatArray:
        """The cycles by which the switch before each leg may be later than its times say."""
        return np.asarray(ROUNDED * np.maximum(self.symbol, self.entry_symbol), dtype=np.float64)

    @property
    def answers(self) -> BoolArray:
        """True where a leg begins at the node that serves the requests of the leg before."""
        return np.asarray((self.before >= 0) & (self.switch < 0) & self.response)

    @property
    def continues(self) -> BoolArray:
        """True where a leg begins at the node that has been given all of the leg before, and works on it."""
        return np.asarray((self.before >= 0) & (self.switch < 0) & ~self.response)


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit that packets may reach, so that no bound is proven."""

    key: str
    """The key that sets the limit."""
    needed: int
    """Least value of the key with which it is out of reach."""
    why: str
    """Sentence that says what may reach the limit."""


@dataclass(frozen=True, slots=True)
class ChainBounds:
    """Bounds of all legs, in cycles of the network; infinite where there is none."""

    rings: Sequence[Bounds]
    """Bounds of the legs on each ring, in symbol times of this ring."""
    jitter: FloatArray
    """Longest time from when a message is due until all of it may be sent on the leg's ring; shape (legs,)."""
    crossing: FloatArray
    """Longest time of a packet in the switch, or in the server, before the leg; shape (legs,)."""
    reached: Sequence[Reached] = ()
    """Buffers of ports that may be too few: while there are any, the bounds are not proven."""

    def of_legs(self, legs: Legs, name: str) -> FloatArray:
        """Returns a field of `Bounds` of every leg, in cycles of the network; shape (legs,)."""
        return _gathered(legs, self.rings, name) * legs.symbol


def chain_bounds(
    legs: Legs,
    flows: Sequence[RingFlows],
    analyses: Sequence[Callable[[RingFlows], Analysis]],
    served: Callable[[FloatArray], FloatArray],
    times: SwitchTimes | None,
    port_name: Callable[[int], str],
    delivery: tuple[float, float],
) -> ChainBounds:
    """Returns bounds that prove themselves: on each ring, what comes out of switches and servers is as late as they
    allow.

    Args:
        legs: of all flows.
        flows: the legs on each ring, in its symbol times; their jitter is that of the flows.
        analyses: those of each ring's protocol.
        served: returns the longest service of each leg's packets, given the longest time until they have arrived.
        times: of the switches; None: there are none.
        port_name: what a port is called.
        delivery: the least time from the arrival of a packet until it is delivered, and the longest one from the end of
            its service on.

    Raises:
        NoBoundError: a protocol without a bound.
    """
    count = len(legs.before)
    crossing, arrived = np.zeros(count), np.zeros(count)
    jitter = _gathered(legs, flows, "jitter") * legs.symbol
    symbols = [int(legs.symbol[places[0]]) for places in legs.rings]
    answers, continues = legs.answers, legs.continues
    soonest, stored = delivery
    # The least time from when a leg's packets are due until they have arrived, if they are sent at once.
    quickest = np.zeros(count)
    for places, ring in zip(legs.rings, flows, strict=True):
        quickest[places] = ring.transit(np.zeros(ring.nodes)) * legs.symbol[places]
    farthest = max((ring.farthest * symbol for ring, symbol in zip(flows, symbols, strict=True)), default=0.0)
    found: list[Bounds | None] = [None] * len(flows)
    changed = np.ones(count, dtype=bool)
    for _ in range(MOST_ROUNDS):
        for number, (places, ring, symbol) in enumerate(zip(legs.rings, flows, symbols, strict=True)):
            before = found[number]
            if before is None or changed[places].any():
                # What the bounds were with less jitter is no more than what they are now.
                bounds = fixed_point(analyses[number](replace(ring, jitter=jitter[places] / symbol)), before)
                found[number], arrived[places] = bounds, bounds.arrived * symbol
        after = jitter.copy()
        if times is not None:
            for these, across in _crossings(legs, flows, arrived, times):
                crossing[these] = times.to_link + waits(across) + times.from_link + legs.rounded[these]
                after[these] = arrived[legs.before[these]] + crossing[these]
        if answers.any():
            crossing[answers] = served(arrived)[legs.before[answers]]
            after[answers] = arrived[legs.before[answers]] + crossing[answers]
        if continues.any():
            before_these = legs.before[continues]
            crossing[continues] = served(arrived)[before_these] + stored + legs.symbol[continues] - 1
            # What a node works on is due when it might have come at the earliest, and its work is over.
            after[continues] = arrived[before_these] + crossing[continues] - quickest[before_these] - soonest
        after[np.isnan(after) | (after > farthest)] = np.inf
        changed = after != jitter
        jitter = after
        if not changed.any():
            break
    else:
        jitter[legs.before >= 0] = np.inf
    whole = ChainBounds([one for one in found if one is not None], jitter, crossing)
    if times is not None and np.isfinite(jitter).all() and np.isfinite(arrived).all():
        return replace(whole, reached=_reached(legs, flows, arrived, whole, times, port_name))
    return whole


def _crossings(
    legs: Legs, flows: Sequence[RingFlows], arrived: FloatArray, times: SwitchTimes
) -> Iterator[tuple[IntArray, Crossing]]:
    """Yields what crosses each switch: the legs behind it, and their flows."""
    period, packets = _gathered(legs, flows, "period") * legs.symbol, _gathered(legs, flows, "packets")
    priority, symbols = _gathered(legs, flows, "priority"), _gathered(legs, flows, "symbols")
    hold = times.hold(legs, symbols * legs.entry_symbol)
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
                packet=(symbols[these].astype(np.int64) + 1) * legs.entry_symbol[these],
                hold=hold[these],
                in_turn=len(np.unique(priority[these])) == 1 and len(np.unique(legs.response[these])) == 1,
                lost=max(ring.lost for ring in flows),
            ),
        )


def _reached(
    legs: Legs,
    flows: Sequence[RingFlows],
    arrived: FloatArray,
    found: ChainBounds,
    times: SwitchTimes,
    port_name: Callable[[int], str],
) -> list[Reached]:
    """Returns the receive buffers and the transmit slots that may be too few at the port that needs most: nothing
    bounds what follows."""
    receive: list[tuple[float, float, int]] = []
    transmit: list[tuple[float, int]] = []
    arriving = _gathered(legs, flows, "symbols") * legs.entry_symbol
    back = found.of_legs(legs, "returned") + times.to_link + legs.rounded
    freed = found.of_legs(legs, "sent") + back
    stay = times.hold(legs, arriving) + times.from_link + legs.rounded + found.of_legs(legs, "waited") + back
    before = arriving + times.to_link + legs.rounded
    for all_here, everything in _crossings(legs, flows, arrived, times):
        wait = waits(everything)
        of_class = legs.response[all_here]
        shared = [np.ones(len(all_here), dtype=bool)] if times.pooled else [~of_class, of_class]
        for which in shared:
            these, across = all_here[which], everything.chosen(which)
            for port, most in received(across, wait[which], before[these]).items():
                places = times.receive[these][across.entry == port].min()
                if most > places:
                    receive.append((most, places, port))
            least = times.transfer[these].min(initial=np.inf)
            for port, most in sent(across, freed[these], stay[these], least=least).items():
                if most > times.transmit:
                    transmit.append((most, port))
    found_reached = []
    if receive:
        most, places, port = max(receive)
        why = (
            f"{port_name(port)} may be given {most:z.0f} packets and takes {places:z.0f} before it refuses or stops "
            "them; no bound is proven for what is sent again; switch.receive sets how many it takes"
        )
        found_reached.append(Reached("switch.receive", int(most), why))
    if transmit:
        most, port = max(transmit)
        why = (
            f"{port_name(port)} may have to keep {most:z.0f} packets until they are accepted, and has {times.transmit} "
            "slots; no bound is proven for what waits for a slot; switch.transmit sets how many there are"
        )
        found_reached.append(Reached("switch.transmit", int(most), why))
    return found_reached


def _gathered(legs: Legs, of_rings: Sequence[RingFlows] | Sequence[Bounds], name: str) -> FloatArray:
    """Returns a field that each ring has of its legs, of every leg; shape (legs,)."""
    values = np.zeros(len(legs.before))
    for places, of_ring in zip(legs.rings, of_rings, strict=True):
        values[places] = getattr(of_ring, name)
    return values
