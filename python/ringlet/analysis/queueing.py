"""A queueing model of register-insertion rings: mean waiting times at a given load.

Each interface of a ring is a server. A packet that it sends begins when its bypass FIFO is empty, and what arrives
meanwhile is delayed by the symbols that the packet takes, until as many free idles have come in: that is when the
next one may begin. So a packet of `l` symbols (its idle among them) holds the server until `l` free idles have
passed, `l / (1 - rho)` cycles on average where passing packets take the share `rho` of the link that comes in, and a
packet that passes meanwhile waits for as many cycles as free idles are still due. Passing packets come in trains.
docs/explanation/what-a-ring-can-carry.md derives the equations and says how good they are.

The line of thought is that of Scott, Goodman and Vernon ("Performance of the SCI ring", ISCA 1992), whose text was
not at hand; the equations are our own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SWEEPS = 400
"""Rounds in which the shares of packets in trains settle."""

SETTLED = 1e-12
"""Change of a share that is none."""


@dataclass(frozen=True, slots=True)
class RingTraffic:
    """The traffic that each interface sends, passes on and strips, in packets per cycle; shape (interfaces,) each.

    Moments are sums over packets of powers of their symbols, the idle behind each included, per cycle.
    """

    sent: FloatArray
    """Packets that the interface sends."""
    sent_moments: FloatArray
    """First to third moment of these; shape (3, interfaces)."""
    passed: FloatArray
    """Send packets of others that pass on."""
    passed_moments: FloatArray
    """First to third moment of these; shape (3, interfaces)."""
    echoes: FloatArray
    """Echoes that pass, those made here included."""
    taken: FloatArray
    """Send packets taken off here: an echo leaves in the place of their last symbols."""
    removed: FloatArray
    """Echoes taken off here."""
    upstream: NDArray[np.int64]
    """Interface from which the link comes in."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Mean waits at each interface, in cycles, and what is busy; shape (interfaces,) each."""

    send: FloatArray
    """From the arrival of a packet to be sent until it begins."""
    bypass: FloatArray
    """Of a packet that passes, in the bypass FIFO."""
    link: FloatArray
    """Share of the outgoing link that packets take, with their idles."""
    server: FloatArray
    """Share of time in which a packet is sent or the bypass FIFO drains; at 1 the queue grows without end."""


def ring_waits(traffic: RingTraffic, *, echo_symbols: float, go_bits: bool) -> Waits:
    """Returns mean waits of Poisson traffic that finds every queue with room.

    Args:
        traffic: of all interfaces; of several rings, too.
        echo_symbols: of an echo with its idle.
        go_bits: whether SCI's go bits decide when a packet may begin; otherwise there is no flow control.

    Returns:
        The waits; infinite everywhere if a link or server cannot carry the load.
    """
    rate = traffic.sent
    trains = _Trains(traffic, echo_symbols)
    l1, l2, _ = _means(traffic.sent_moments, rate)
    if (trains.link >= 1).any():
        return _overloaded(trains.link, np.minimum(1.0, rate * l1 / np.maximum(1 - trains.rho, SETTLED)))
    trains.settle(rate)
    free = 1 - trains.rho
    # Time to `l` free idles: each is followed by a train with probability `starts`.
    service = l1 / free
    service2 = l2 / free**2 + l1 * trains.variance(l1)
    begin = _behind_go_idles(traffic, trains, service) if go_bits else _behind_packets(trains)
    service2 = service2 + begin.missed * (2 * service * begin.missed_cycles + 2 * begin.missed_cycles**2)
    service = service + begin.missed * begin.missed_cycles
    server = rate * service
    if (server >= 1).any():
        return _overloaded(trains.link, server)
    # The first packet of a busy period waits for its begin, and holds the server for what follows at once, too.
    first = begin.delay + service + begin.behind
    first2 = (
        service2
        + 2 * service * (begin.delay + begin.behind)
        + begin.delay2
        + begin.behind2
        + 2 * _ratio(begin.delay * begin.behind, begin.waits)
    )
    idle = (1 - server) / (1 - rate * (service - first))
    wait = (
        rate * service2 / (2 * (1 - server))
        + rate * (first2 - service2) / (2 * (1 - rate * (service - first)))
        + idle * begin.delay
    )
    during = rate * l2 / (2 * free)
    at_once = rate * idle * _ratio(begin.behind, trains.x1) * l1
    return Waits(wait, during + _ratio(at_once, trains.passing), trains.link, server)


@dataclass(frozen=True, slots=True)
class _Begin:
    """The wait of a packet that finds the server free, and the time of what follows at once."""

    waits: FloatArray
    """Probability that it waits."""
    delay: FloatArray
    delay2: FloatArray
    """First and second moment of the wait, 0 counted."""
    behind: FloatArray
    behind2: FloatArray
    """First and second moment of the passing symbols that come at once behind it."""
    missed: FloatArray
    """Probability that the server is free again but no go bit has come."""
    missed_cycles: FloatArray
    """How long it waits then."""


class _Trains:
    """Packets on each link and how they come: in trains without a free idle between them."""

    def __init__(self, traffic: RingTraffic, echo_symbols: float) -> None:
        e = echo_symbols
        echo_moments = traffic.echoes * np.array([[e], [e**2], [e**3]])
        passing_moments = traffic.passed_moments + echo_moments
        self.traffic = traffic
        self.passing = traffic.passed + traffic.echoes
        """Packets that pass, in packets per cycle."""
        self.rho = passing_moments[0]
        """Share of the cycles that they take."""
        self.x1, self.x2, self.x3 = _means(passing_moments, self.passing)
        self.link = self.rho + traffic.sent_moments[0]
        """Share of the outgoing link."""
        self.out = self.passing + traffic.sent
        """Packets that leave."""
        upstream = traffic.upstream
        self.slots = self.out[upstream]
        """Packets that come in, in packets per cycle: some pass, others leave a hole."""
        self.link_in = self.link[upstream]
        self.holes = np.maximum(self.link_in - self.rho, 0.0)
        """Free idles that taking packets off leaves."""

    def settle(self, rate: FloatArray) -> None:
        """Finds the share of packets on each link that another one precedes without a free idle between.

        A train begins on a link when a packet comes to a server that is free on a link that is free: a passing train,
        or an own packet. A packet that passes is behind another one if it was on the incoming link, and that one has
        not been taken off; in front of an echo that was made here there are idles.
        """
        traffic = self.traffic
        removed = _ratio(traffic.removed, self.slots)
        unchanged = self.passing - traffic.taken
        begun = self.passing * (1 - self.rho)
        for _ in range(SWEEPS):
            coupled = 1 - _ratio((1 - self.link) * (begun / (1 - self.rho) + rate), self.out)
            coming = coupled[traffic.upstream]
            now = np.minimum(unchanged * (1 - coming * (1 - removed)) + traffic.taken, self.passing)
            change = np.abs(now - begun).max(initial=0.0)
            begun = (begun + now) / 2
            if change < SETTLED:
                break
        self.coupled_in = np.clip(coupled[traffic.upstream], 0.0, 1 - SETTLED)
        """Share of the packets on the incoming link that are behind another one."""
        self.starts = begun / (1 - self.rho)
        """Trains that pass per free idle."""
        self.length = np.maximum(_ratio(self.passing, begun), 1.0)
        """Packets of a train that passes."""

    def variance(self, window: FloatArray) -> FloatArray:
        """Variance of the passing symbols that come between free idles, for each of these, over a window of so many.

        Over a short one it is that of trains that come independently. Over a long one those of which packets were
        taken off count as one: their parts come together. The memory of a free idle fades as the incoming train ends.
        """
        per_idle = _ratio(self.rho, 1 - self.rho)
        alone = self.starts * self._square(self.length, self.x1, self.x2) - per_idle**2
        z1, z2 = _ratio(self.rho, self.slots), _ratio(self.passing * self.x2, self.slots)
        uncoupled = 1 - self.coupled_in
        together = self.slots * uncoupled / (1 - self.rho) * self._square(1 / uncoupled, z1, z2) - per_idle**2
        fades = _ratio(window * uncoupled * self.slots, self.holes)
        lasting = np.where(fades > 0, 1 - _ratio(-np.expm1(-fades), fades), 0.0)
        return np.asarray(np.maximum(alone + (together - alone) * lasting, 0.0))

    @staticmethod
    def _square(mean: FloatArray, x1: FloatArray, x2: FloatArray) -> FloatArray:
        """Second moment of the sum of a geometric number, 1 or more, of independent lengths."""
        return np.asarray(mean * (x2 - x1**2) + (2 * mean**2 - mean) * x1**2)

    def some(self, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second moment of the symbols of a geometric number, 0 or more, of passing packets."""
        return mean * self.x1, mean * (self.x2 - self.x1**2) + (2 * mean**2 + mean) * self.x1**2

    def residual(self) -> tuple[FloatArray, FloatArray]:
        """First and second moment of what is left of a passing packet at an arrival."""
        first = np.maximum(_ratio(self.x2, 2 * self.x1) - 0.5, 0.0)
        return first, np.maximum(_ratio(self.x3, 3 * self.x1) - _ratio(self.x2, 2 * self.x1), 0.0)


def _behind_packets(trains: _Trains) -> _Begin:
    """Without flow control: a packet begins behind the one that is passing; the rest of its train, as far as it
    passes, follows."""
    left, left2 = trains.residual()
    more = trains.coupled_in / (1 - trains.coupled_in) * _ratio(trains.passing, trains.slots)
    behind, behind2 = trains.some(more)
    rho, nothing = trains.rho, np.zeros_like(trains.rho)
    return _Begin(rho, rho * left, rho * left2, rho * behind, rho * behind2, nothing, nothing)


def _behind_go_idles(traffic: RingTraffic, trains: _Trains, service: FloatArray) -> _Begin:
    """SCI: a packet begins behind the first idle with a go bit. Idles between packets that were delayed have none.

    `stopped` is the share of packets with such an idle behind them: a packet that passes during another one's service
    gets one, and keeps it as it passes on; holes that are left behind one have none, either.
    """
    upstream, slots = traffic.upstream, trains.slots
    delayed = np.minimum(traffic.sent * service, 1.0)
    stopped = np.zeros_like(service)
    for _ in range(SWEEPS):
        now = _ratio(trains.passing * (delayed + (1 - delayed) * stopped[upstream]), trains.out)
        change = np.abs(now - stopped).max(initial=0.0)
        stopped = now
        if change < SETTLED:
            break
    stop = np.clip(stopped[upstream], SETTLED, 1 - SETTLED)
    slot = _ratio(trains.link_in, slots)
    slot2 = slot**2 * np.maximum(_ratio(trains.x2, trains.x1**2), 1.0)
    more = stop / (1 - stop)
    run, run2 = more * slot, more * (slot2 - slot**2) + (2 * more**2 + more) * slot**2
    left, left2 = trains.residual()
    whole = _ratio(traffic.sent_moments[0], traffic.sent)
    hole = trains.holes * stop
    delay = trains.rho * (left + run) + hole * (whole / 2 + run)
    delay2 = trains.rho * (left2 + 2 * left * run + run2) + hole * (whole**2 / 3 + whole * run + run2)
    waits = trains.rho + hole
    # A packet that has waited begins behind the same go bit: how often one upstream does, so that it follows at once.
    ends = slots * stop * (1 - stop)
    joins = -np.expm1(-_ratio(traffic.sent * waits, ends))
    follows = joins
    for _ in range(SWEEPS):
        now = joins + (1 - joins) * follows[upstream] * _ratio(trains.passing, slots)
        change = np.abs(now - follows).max(initial=0.0)
        follows = now
        if change < SETTLED:
            break
    at_once = np.maximum(follows[upstream], np.maximum(0.0, (trains.coupled_in - stop) / (1 - stop)))
    behind, behind2 = trains.some(at_once / (1 - trains.coupled_in) * _ratio(trains.passing, slots))
    # All free idles of a service may have come from holes without a go bit.
    per_slot = _ratio(trains.holes, slots)
    missed = np.minimum(1.0, hole / (1 - trains.rho)) * np.exp(-_ratio((1 - stop) * whole, per_slot))
    return _Begin(waits, delay, delay2, waits * behind, waits * behind2, missed, slot / 2 + run)


def _means(moments: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    first, second, third = (_ratio(moment, rate) for moment in moments)
    return first, second, third


def _ratio(value: FloatArray, by: FloatArray) -> FloatArray:
    """A quotient, 0 where nothing is divided."""
    return np.divide(value, by, out=np.zeros_like(value), where=by > 0)


def _overloaded(link: FloatArray, server: FloatArray) -> Waits:
    never = np.full(link.shape, np.inf)
    return Waits(never, never, link, server)
