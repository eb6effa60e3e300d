"""A queueing model of register-insertion rings: mean waiting times at a given load.

Each interface of a ring is a server. A packet that it sends begins when its bypass FIFO is empty, and what arrives
meanwhile is delayed by the symbols that the packet takes, until as many free idles have come in: that is when the
next one may begin. So a packet of `l` symbols (its idle among them) holds the server until `l` free idles have passed,
and counted in free idles alone it is a queue with a constant service, to which packets come in batches: those that
arrive while a train of packets passes come together. docs/explanation/what-a-ring-can-carry.md derives the equations
and says how good they are.

The line of thought is that of Scott, Goodman and Vernon ("Performance of the SCI ring", ISCA 1992), whose text was
not at hand; the equations are our own.
"""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.go_bits import GoBits
from ringlet.analysis.trains import SETTLED, BoolArray, Coming, FloatArray, RingTraffic, Trains, ratio


@dataclass(frozen=True, slots=True)
class Waits:
    """Mean waits at each interface, in cycles, and what is busy; shape (interfaces,) each."""

    send: FloatArray
    """Time from the arrival of a packet to be sent until it begins."""
    bypass: FloatArray
    """Wait of a packet that passes, in the bypass FIFO."""
    link: FloatArray
    """Share of the outgoing link that packets take, with their idles."""
    server: FloatArray
    """Share of time in which own packets hold the interface; at 1 the queue grows without end."""


def ring_waits(traffic: RingTraffic, *, echo_symbols: float, go_bits: BoolArray) -> Waits:
    """Returns mean waits of Poisson traffic that finds every queue with room.

    Args:
        traffic: of all interfaces; of several rings, too.
        echo_symbols: of an echo with its idle.
        go_bits: whether SCI's go bits decide when a packet may begin on the interface's ring; otherwise there is no
            flow control; shape (interfaces,).

    Returns:
        The waits; infinite everywhere if a link or server cannot carry the load.
    """
    coming = Coming(traffic, echo_symbols)
    if (coming.link >= 1).any():
        return _overloaded(coming.link, np.minimum(1.0, ratio(coming.own, np.maximum(coming.free, SETTLED))))
    if go_bits.all() or not go_bits.any():
        trains = Trains(traffic, coming)
        return _behind_go_bits(traffic, coming, trains) if go_bits.all() else _behind_packets(coming, trains)
    # Rings do not act on each other but by the packets that cross, which are given.
    found = Waits(*np.zeros((4, go_bits.size)))
    for one in (go_bits, ~go_bits):
        waits = ring_waits(traffic.of(one), echo_symbols=echo_symbols, go_bits=go_bits[one])
        for name in Waits.__slots__:
            getattr(found, name)[one] = getattr(waits, name)
    return _overloaded(found.link, found.server) if np.isinf(found.send).any() else found


def _behind_packets(coming: Coming, trains: Trains) -> Waits:
    """Without flow control: a packet begins behind the one that is passing."""
    own, squares, server = coming.own, coming.own_squares + coming.own, coming.own / coming.free
    # Own symbols that arrive per free idle, in it and in the train in front of it: their variance, and how they come
    # together over the busy periods of the server.
    variance = coming.own_squares / coming.free + own**2 * (trains.square - trains.mean**2)
    fading = _fading(server, variance)
    later = trains.later(fading)
    work = (server * (1 - server) + variance + 2 * own**2 * later) / (2 * (1 - server))
    left = work - server
    # All that the interface holds, its bypass FIFO included, in any cycle: in free idles, and in trains.
    held = coming.free * (work + own * later + left * trains.mean + own * (trains.square + trains.mean) / 2)
    passing = trains.mean + ratio(own * fading * later, server)
    first = (1 - server) * own * trains.behind / (1 + coming.rate * ratio(trains.square, 2 * trains.mean))
    bypass = squares / 2 * passing + first
    send = ratio(np.maximum(held - squares / 2 - bypass, 0.0), own)
    return Waits(send, ratio(bypass, coming.rho), coming.link, server)


def _behind_go_bits(traffic: RingTraffic, coming: Coming, trains: Trains) -> Waits:
    """SCI: a packet begins behind an idle with a go bit. An M/G/1 queue whose first customer of a busy period is
    special (Welch 1964)."""
    rate, free, go = coming.rate, coming.free, GoBits(traffic, coming, trains)
    length, square = ratio(coming.own, rate), ratio(coming.own_squares, rate)
    service = length / free
    variance = trains.square - trains.mean**2 + 2 * trains.later(_fading(rate * service, coming.own_squares / free))
    service2 = square / free**2 + length * variance + go.missed * (2 * service * go.again + 2 * go.again**2)
    service = service + go.missed * go.again
    server = rate * service
    if (server >= 1).any():
        return _overloaded(coming.link, server)
    delay, behind = go.delay, go.behind
    first = delay + service + behind
    first2 = service2 + 2 * service * (delay + behind) + go.delay_square() + go.behind_square()
    first2 = first2 + 2 * ratio(delay * behind, go.waits)
    more = 1 - rate * (service - first)
    idle = (1 - server) / more
    send = rate * service2 / (2 * (1 - server)) + rate * (first2 - service2) / (2 * more) + idle * delay
    bypass = (coming.own_squares + coming.own) / 2 * trains.mean + rate * idle * behind * length
    return Waits(send, ratio(bypass, coming.rho), coming.link, server)


def _fading(server: FloatArray, variance: FloatArray) -> FloatArray:
    """Returns one over the mean of what is left of a busy period, in free idles."""
    return np.maximum(ratio(2 * server * (1 - server) ** 2, variance), SETTLED)


def _overloaded(link: FloatArray, server: FloatArray) -> Waits:
    never = np.full(link.shape, np.inf)
    return Waits(never, never, link, server)
