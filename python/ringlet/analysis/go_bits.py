"""The waits of packets for SCI's go bits: a part of the queueing model of `ringlet.analysis.queueing`.

Behind each packet is an idle with a go bit or a *stop idle* without one; a hole has what was behind the packet in front
of it. docs/explanation/what-a-ring-can-carry.md derives the equations.
"""

from collections.abc import Callable
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
        coming, traffic = self._coming, self._traffic
        # What no round changes.
        self._passing_own = (coming.own_squares + coming.own) / 2 * self._trains.mean
        self._made = coming.passing - coming.whole_passing
        self._others_echoes = traffic.echoes - self._made
        self._beyond_echo = np.maximum(self._length - coming.echo_symbols, 0.0)
        self._slots_served = coming.slots * self._service
        self._over_rho, self._over_leaving = _over(coming.rho), _over(coming.leaving)
        self._over_echoes, self._over_stretched = _over(traffic.echoes), _over(self._service - self._length)
        self._slots_follow = bool((coming.slots > 0).all())
        self._half_unit = self._unit / 2
        nothing, every = np.zeros_like(self._unit), np.ones_like(self._unit)
        shares = _Shares(nothing, nothing, nothing, nothing, every)
        for _ in range(ROUNDS):
            before = shares.stop
            self._next(shares)
            if np.abs(shares.stop - before).max(initial=0.0) < CLOSE:
                break
        self._stop = _clipped(shares.stop[traffic.upstream], SETTLED, 1 - SETTLED)
        self.missed = shares.missed
        """Share of own packets in whose time no go bit comes in, so that the next one waits `again`."""

    def _next(self, shares: _Shares) -> None:
        """Goes once round: each share from those of the interface upstream."""
        coming, upstream = self._coming, self._traffic.upstream
        rate, service, idle = coming.rate, self._service, shares.idle
        before = shares.stop[upstream]
        stop = _clipped(before, SETTLED, 1 - SETTLED)
        self._stop, go = stop, 1 - stop
        # Packets that have waited begin behind the go bit that ends a run of stop idles, here or upstream.
        halted = idle * (coming.rho + coming.free * stop)
        begin = rate * (halted + shares.missed)
        slots = coming.slots * stop * go
        joins = -np.expm1(-(begin / slots if self._slots_follow else ratio(begin, slots)))
        shares.follows = joins + (1 - joins) * shares.follows[upstream] * self._whole
        coupled = np.maximum(0.0, (self._trains.coupled - stop) / go)
        at_once = np.maximum(shares.follows[upstream], coupled)
        self._number = at_once / (1 - stop * self._whole)
        behind, run = self.behind, self.run
        in_time = self._in_time(idle, behind)
        back = shares.returns[upstream] * in_time
        sending = 1 - idle
        follow = (halted + sending * shares.missed) * at_once
        follow = follow + sending * (1 - shares.missed) * stop
        shares.missed = follow * stop**self._slots_served * (1 - back)
        busy = np.minimum(1.0, rate * (service + behind))
        shares.returns = (
            (1 - busy)
            * self._left_of_hole
            * self._over_echoes(self._made + self._others_echoes * shares.returns[upstream])
        )
        held = service + shares.missed * (run + self._half_unit)
        free = 1 - np.minimum(1.0, rate * held)
        shares.idle = ratio(free, free + rate * (self._delayed(run) + held + behind))
        # The own echo is taken off, and its symbols are free idles, too.
        own_slot = back * self._beyond_echo + in_time * coming.echo_symbols
        delayed = _clipped(rate * (service - own_slot), 0.0, 1.0)
        now = coming.passing * (delayed + (1 - delayed) * before) + rate * shares.missed
        shares.stop = self._over_leaving(now)

    def _in_time(self, idle: FloatArray, behind: FloatArray) -> FloatArray:
        """Returns the probability that an own packet's hole, if it comes round the ring, finds the interface busy."""
        coming, traffic, length = self._coming, self._traffic, self._length
        fifo = self._passing_own + coming.rate * idle * behind * length
        # The packet waits in the bypass FIFOs before it is taken off; its hole waits in none.
        waits = self._over_rho(fifo) * self._passing_rounds
        late = traffic.round_symbols + np.bincount(traffic.ring, waits)[traffic.ring] - length
        return np.asarray(np.exp(-self._over_stretched(np.maximum(late, 0.0))))

    def _delayed(self, run: FloatArray) -> FloatArray:
        """Returns the wait of a packet that finds the interface free, 0 counted, from that for the end of a run."""
        return np.asarray(self._coming.rho * (self._left + run) + self._holes * self._stop * (self._hole + run))

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
        return np.asarray(self.run + self._half_unit)

    @property
    def delay(self) -> FloatArray:
        """Wait of a packet that finds the interface free, until it begins; 0 counted."""
        return self._delayed(self.run)

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


def _over(by: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Returns what divides by the same again and again: `ratio`, or where it is above 0 everywhere a bare division."""
    return (lambda value: np.asarray(value / by)) if (by > 0).all() else (lambda value: ratio(value, by))


def _clipped(values: FloatArray, least: float, most: float) -> FloatArray:
    """Returns values within limits, in a third of the time that `np.clip` takes for a few of them."""
    return np.asarray(np.minimum(np.maximum(values, least), most))
