"""The waits of packets for SCI's go bits: a part of the queueing model of `ringlet.analysis.queueing`.

Behind each packet is an idle with a go bit or a *stop idle* without one; a hole has what was behind the packet in front
of it. docs/explanation/what-a-ring-can-carry.md derives the equations.
"""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.trains import ROUNDS, SETTLED, Coming, FloatArray, RingTraffic, Trains, ratio

CLOSE = 1e-5
"""Change of a share of stop idles that is none."""


@dataclass(slots=True)
class _Shares:
    """The shares that settle; shape (interfaces,) each."""

    stop: FloatArray
    """Share of the packets on the outgoing link with a stop idle behind them."""
    missed: FloatArray
    """Share of own packets in whose time no go bit comes in."""
    follows: FloatArray
    """Probability that a packet leaves at once behind a go bit for which packets here or upstream waited."""
    returns: FloatArray
    """Share of the echoes on the outgoing link with the hole of their packet still in front."""
    idle: FloatArray
    """Probability that no own packet is waiting or being sent, and the bypass FIFO is empty."""


class GoBits:
    """The waits for go bits at each interface, in cycles; shape (interfaces,) each."""

    def __init__(self, traffic: RingTraffic, coming: Coming, trains: Trains) -> None:
        """Solves the equations of all interfaces by going round until nothing changes."""
        self._traffic, self._coming, self._trains = traffic, coming, trains
        self._length = ratio(coming.own, coming.rate)
        self._service = self._length / coming.free
        self._unit = ratio(coming.link_in, coming.slots)
        self._left = np.maximum(ratio(coming.moment(coming.passes, 2), 2 * coming.rho) - 0.5, 0.0)
        self._holes = np.maximum(coming.link_in - coming.rho, 0.0)
        self._hole = ratio(coming.moment(coming.holes, 2), 2 * self._holes)
        self._whole = coming.whole.sum(axis=0)
        self._passing_symbols = self._passing(1)
        self._passing_rounds = ratio(traffic.passed.sum(axis=0), coming.passing)
        # A packet that arrives while a hole passes takes the rest of it.
        hole = np.maximum(ratio(traffic.sizes @ traffic.taken, traffic.taken.sum(axis=0)) - coming.echo_symbols, 0.0)
        self._left_of_hole = np.where(
            coming.rate * hole > 0, ratio(-np.expm1(-coming.rate * hole), coming.rate * hole), 1
        )
        self._settle()

    def _settle(self) -> None:
        nothing, every = np.zeros_like(self._unit), np.ones_like(self._unit)
        shares = _Shares(nothing, nothing, nothing, nothing, every)
        for _ in range(ROUNDS):
            before = shares.stop
            self._next(shares)
            if np.abs(shares.stop - before).max(initial=0.0) < CLOSE:
                break
        self._stop = np.clip(shares.stop[self._traffic.upstream], SETTLED, 1 - SETTLED)
        self.missed = shares.missed
        """Share of own packets in whose time no go bit comes in, so that the next one waits `again`."""

    def _next(self, shares: _Shares) -> None:
        """Goes once round: each share from those of the interface upstream."""
        coming, upstream = self._coming, self._traffic.upstream
        rate, slots, service = coming.rate, coming.slots, self._service
        stop = np.clip(shares.stop[upstream], SETTLED, 1 - SETTLED)
        self._stop = stop
        # Packets that have waited begin behind the go bit that ends a run of stop idles, here or upstream.
        halted = coming.rho + coming.free * stop
        begin = rate * (shares.idle * halted + shares.missed)
        joins = -np.expm1(-ratio(begin, slots * stop * (1 - stop)))
        shares.follows = joins + (1 - joins) * shares.follows[upstream] * self._whole
        coupled = np.maximum(0.0, (self._trains.coupled - stop) / (1 - stop))
        at_once = np.maximum(shares.follows[upstream], coupled)
        self._number = at_once / (1 - stop * self._whole)
        in_time = self._in_time(shares)
        back = shares.returns[upstream] * in_time
        follow = (shares.idle * halted + (1 - shares.idle) * shares.missed) * at_once
        follow = follow + (1 - shares.idle) * (1 - shares.missed) * stop
        shares.missed = follow * stop ** (slots * service) * (1 - back)
        busy = np.minimum(1.0, rate * (service + self.behind))
        made = coming.passing - coming.whole_passing
        shares.returns = (
            (1 - busy)
            * self._left_of_hole
            * ratio(made + (self._traffic.echoes - made) * shares.returns[upstream], self._traffic.echoes)
        )
        held = service + shares.missed * self.again
        free = 1 - np.minimum(1.0, rate * held)
        shares.idle = ratio(free, free + rate * (self.delay + held + self.behind))
        # The own echo is taken off, and its symbols are free idles, too.
        own_slot = back * np.maximum(self._length - coming.echo_symbols, 0.0) + in_time * coming.echo_symbols
        delayed = np.clip(rate * (service - own_slot), 0.0, 1.0)
        now = coming.passing * (delayed + (1 - delayed) * shares.stop[upstream]) + rate * shares.missed
        shares.stop = ratio(now, coming.leaving)

    def _in_time(self, shares: _Shares) -> FloatArray:
        """Returns the probability that an own packet's hole, if it comes round the ring, finds the interface busy."""
        coming, traffic, length = self._coming, self._traffic, self._length
        held = coming.rate * shares.idle * self.behind * length
        fifo = (coming.own_squares + coming.own) / 2 * self._trains.mean + held
        # The packet waits in the bypass FIFOs before it is taken off; its hole waits in none.
        waits = ratio(fifo, coming.rho) * self._passing_rounds
        late = traffic.round_symbols + np.bincount(traffic.ring, waits)[traffic.ring] - length
        return np.asarray(np.exp(-ratio(np.maximum(late, 0.0), self._service - length)))

    @property
    def waits(self) -> FloatArray:
        """Probability that a packet which finds the interface free waits."""
        return np.asarray(self._coming.rho + self._holes * self._stop)

    @property
    def run(self) -> FloatArray:
        """To the end of a run of stop idles, from the end of a packet of it on."""
        return np.asarray(self._stop / (1 - self._stop) * self._unit)

    @property
    def again(self) -> FloatArray:
        """Wait for a go bit where none came in while the packet before was sent."""
        return np.asarray(self.run + self._unit / 2)

    @property
    def delay(self) -> FloatArray:
        """Wait of a packet that finds the interface free, until it begins; 0 counted."""
        return np.asarray(
            self._coming.rho * (self._left + self.run) + self._holes * self._stop * (self._hole + self.run)
        )

    @property
    def behind(self) -> FloatArray:
        """Symbols that come at once behind a packet that found the interface free; 0 counted."""
        return np.asarray(self.waits * self._number * self._passing_symbols)

    def delay_square(self) -> FloatArray:
        """Returns the mean of the square of `delay`, in cycles squared."""
        coming, run, more = self._coming, self.run, self._stop / (1 - self._stop)
        unit2 = ratio(coming.moment(coming.lengths, 2), coming.slots)
        run2 = more * (unit2 - self._unit**2) + (2 * more**2 + more) * self._unit**2
        left2 = np.maximum(ratio(coming.moment(coming.passes, 3), 3 * coming.rho) - self._left - 0.5, 0.0)
        hole2 = ratio(coming.moment(coming.holes, 3), 3 * self._holes)
        packet = coming.rho * (left2 + 2 * self._left * run + run2)
        return np.asarray(packet + self._holes * self._stop * (hole2 + 2 * self._hole * run + run2))

    def behind_square(self) -> FloatArray:
        """Returns the mean of the square of `behind`, in symbols squared."""
        first, number = self._passing_symbols, self._number
        spread = number * (self._passing(2) - first**2) + (2 * number**2 + number) * first**2
        return np.asarray(self.waits * spread)

    def _passing(self, power: int) -> FloatArray:
        return ratio(self._coming.moment(self._coming.passes, power), self._coming.passing)
