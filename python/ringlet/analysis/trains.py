"""Trains on the links of a ring: packets one behind the other without a free idle between them.

Part of the queueing model of `ringlet.analysis.queueing`; docs/explanation/what-a-ring-can-carry.md derives it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

ROUNDS = 400
"""Most rounds in which an equation settles."""

SETTLED = 1e-12
"""Change that is none."""


@dataclass(frozen=True, slots=True)
class RingTraffic:
    """The traffic that each interface sends, passes on and strips, in packets per symbol of its ring; shape
    (interfaces,) each, and (sizes, interfaces) where packets of each size count for themselves."""

    sizes: FloatArray
    """Symbols of a packet of each size, the idle behind it included; shape (sizes,)."""
    sent: FloatArray
    """Packets of each size that the interface sends."""
    passed: FloatArray
    """Send packets of others, of each size, that pass on."""
    taken: FloatArray
    """Send packets of each size taken off here: an echo leaves in the place of their last symbols."""
    echoes: FloatArray
    """Echoes that pass, those made here included."""
    removed: FloatArray
    """Echoes taken off here."""
    upstream: NDArray[np.int64]
    """Interface from which the link comes in."""
    ring: NDArray[np.int64]
    """Number of the interface's ring."""
    round_symbols: FloatArray
    """Hop delays of all links of that ring, in its symbols."""

    def of(self, interfaces: BoolArray) -> "RingTraffic":
        """Returns the traffic of some rings: of these interfaces of theirs; shape (interfaces,)."""
        number = np.cumsum(interfaces) - 1
        return RingTraffic(
            self.sizes,
            self.sent[:, interfaces],
            self.passed[:, interfaces],
            self.taken[:, interfaces],
            self.echoes[interfaces],
            self.removed[interfaces],
            number[self.upstream[interfaces]],
            self.ring[interfaces],
            self.round_symbols[interfaces],
        )


class Coming:
    """The packets that come to each interface and leave it, per cycle; shape (interfaces,) or (kinds, interfaces).

    Four kinds come in, the first two once for each size: send packets that pass, send packets taken off, echoes that
    pass, echoes taken off.
    """

    def __init__(self, traffic: RingTraffic, echo_symbols: float) -> None:
        """Sums up the traffic; `echo_symbols` are those of an echo with its idle."""
        taken = traffic.taken.sum(axis=0)
        self.echo_symbols = echo_symbols
        self.rate = traffic.sent.sum(axis=0)
        """Own packets."""
        self.own = traffic.sizes @ traffic.sent
        """Symbols of own packets."""
        self.own_squares = traffic.sizes**2 @ traffic.sent
        """Sum of the squares of the symbols of own packets."""
        self.rho = traffic.sizes @ traffic.passed + echo_symbols * traffic.echoes
        """Share of the cycles in which packets come in that pass."""
        self.free = 1 - self.rho
        """Share of those in which a free idle does."""
        self.link = self.rho + self.own
        """Share of the outgoing link that packets take."""
        self.link_in = self.link[traffic.upstream]
        """Share of the incoming link that packets take."""
        self.passing = traffic.passed.sum(axis=0) + traffic.echoes
        """Packets that pass."""
        self.whole_passing = self.passing - taken
        """Packets that pass whole, not as the echo of a packet taken off."""
        self.leaving = self.passing + self.rate
        """Packets on the outgoing link."""
        self.rates = np.concatenate([traffic.passed, traffic.taken, [traffic.echoes - taken, traffic.removed]])
        """Packets of each kind."""
        sizes = traffic.sizes[:, np.newaxis]
        lengths = np.concatenate([sizes, sizes, [[echo_symbols], [echo_symbols]]])
        passes = np.concatenate([sizes, np.full_like(sizes, echo_symbols), [[echo_symbols], [0.0]]])
        self.lengths = lengths
        """Symbols of each kind as it comes in; shape (kinds, 1)."""
        self.passes = passes
        """Symbols of each kind that pass; shape (kinds, 1)."""
        self.holes = lengths - passes
        """Free idles that each kind leaves, in front of what passes; shape (kinds, 1)."""
        self.slots = self.rates.sum(axis=0)
        """Packets that come in."""
        self.shares = ratio(self.rates, self.slots)
        """Share of each kind in them."""
        self.whole = np.where(self.holes == 0, self.shares, 0.0)
        """Share of each kind that passes whole, 0 for the others."""

    def moment(self, symbols: FloatArray, power: int) -> FloatArray:
        """Returns the sum over the packets that come in of a power of these symbols of each kind, per cycle."""
        return np.asarray((self.rates * symbols**power).sum(axis=0))


class Trains:
    """The trains that pass each interface, as parts of busy periods of the incoming link; shape (interfaces,) each.

    The incoming link is busy as an M/G/1 queue is whose customers are the packets on it. Each of them is of some kind,
    whatever those before it were: it passes, and the train goes on, or leaves a hole, and it ends.
    """

    def __init__(self, traffic: RingTraffic, coming: Coming) -> None:
        """Finds the trains."""
        self._coming = coming
        self.coupled = _coupled(traffic, coming)
        """Share of the packets on the incoming link that another one precedes without a free idle between."""
        mean = (coming.shares * coming.lengths).sum(axis=0)
        self._rate = ratio(self.coupled, mean)
        ends = np.maximum(1 - coming.whole.sum(axis=0), SETTLED)
        on = self._solved(coming.whole)
        follow = (coming.whole * coming.passes).sum(axis=0) / ends * (1 - self._emptied(on))
        self.behind = (coming.rates * coming.passes * follow).sum(axis=0)
        """Sum over the symbols that pass of the later packets of their train, in symbols; per cycle."""
        self.mean = coming.rho / coming.free
        """Mean of the symbols that pass between two free idles."""
        self.square = (coming.moment(coming.passes, 2) + 2 * self.behind) / coming.free
        """Mean of their square."""

    def later(self, fading: FloatArray) -> FloatArray:
        """Returns the covariances of the symbols that pass between two free idles with those of each later interval,
        summed with the weight `exp(-fading n)` of the one that is `n` free idles later."""
        coming = self._coming
        shares = coming.shares * np.exp(-fading * coming.holes)
        on = self._solved(shares)
        period = ratio((shares * coming.passes).sum(axis=0), 1 - ratio(shares.sum(axis=0) - on, 1 - on))
        starts = ratio(coming.slots * (1 - self.coupled), 1 - coming.link_in)
        idle = ratio(starts, starts + np.expm1(fading))
        afresh = idle * period / (1 - idle * on)
        emptied = self._emptied(on)
        follow = period * (1 - emptied) / np.maximum(1 - on, SETTLED) + emptied * afresh
        passing = (coming.rates * coming.passes * follow).sum(axis=0)
        return np.asarray((passing - self.behind) / coming.free - self.mean**2 / np.expm1(fading))

    def _arrivals(self, at: FloatArray) -> FloatArray:
        """Returns the mean of `at` to the power of the packets that arrive while one of each kind is served."""
        return np.asarray(np.exp(-self._rate * self._coming.lengths * (1 - at)))

    def _solved(self, weights: FloatArray) -> FloatArray:
        """Solves Kendall's equation of a busy period, whose customers of each kind have a weight, by Newton's steps
        from 0, which come to the least solution from below."""
        at = np.zeros(weights.shape[1])
        for _ in range(ROUNDS):
            each = weights * self._arrivals(at)
            step = (each.sum(axis=0) - at) / (1 - (each * self._rate * self._coming.lengths).sum(axis=0))
            at = at + step
            if np.abs(step).max(initial=0.0) < SETTLED:
                break
        return at

    def _emptied(self, at: FloatArray) -> FloatArray:
        """Returns the mean of `at` to the power of the packets that one of each kind leaves behind (Pollaczek and
        Khinchine); shape (kinds, interfaces)."""
        arrivals = self._arrivals(at)
        waiting = ratio((1 - self.coupled) * (1 - at), (self._coming.shares * arrivals).sum(axis=0) - at)
        return np.asarray(waiting * arrivals)


def _coupled(traffic: RingTraffic, coming: Coming) -> FloatArray:
    """Returns the share of the packets on each incoming link that another one precedes without a free idle between.

    A train begins on a link when a packet comes to a server that is free on a link that is free: a passing train, or
    an own packet. A packet that passes is behind another one if it was on the incoming link, and that one has not been
    taken off; in front of an echo that was made here there are idles.
    """
    removed = ratio(traffic.removed, coming.slots)
    taken = coming.passing - coming.whole_passing
    begun = coming.passing * coming.free
    for _ in range(ROUNDS):
        coupled = 1 - ratio((1 - coming.link) * (begun / coming.free + coming.rate), coming.leaving)
        now = np.minimum(coming.whole_passing * (1 - coupled[traffic.upstream] * (1 - removed)) + taken, coming.passing)
        change = np.abs(now - begun).max(initial=0.0)
        begun = (begun + now) / 2
        if change < SETTLED:
            break
    return np.clip(coupled[traffic.upstream], 0.0, 1 - SETTLED)


def ratio(value: FloatArray, by: FloatArray) -> FloatArray:
    """Returns a quotient, 0 where nothing is divided."""
    # NumPy takes longer to find the shape of both than to divide, and mostly they have one.
    shape = value.shape if value.shape == by.shape else np.broadcast_shapes(value.shape, by.shape)
    return np.divide(value, by, out=np.zeros(shape), where=by > 0)
