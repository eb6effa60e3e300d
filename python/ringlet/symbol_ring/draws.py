"""Sources of packets: when one is generated, where it goes, how long it is, drawn as the engine draws them.

Each flow has two streams of its own, keyed by seed, flow and purpose (`crates/ringlet-engine/src/hosts/source.rs`): the
packets of a ring are those that the engine would have. The generator is PCG XSL RR 128/64 (MCG) (M. E. O'Neill, "PCG: A
Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014).
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

MAX_CYCLES = 1 << 53
"""Cycle at which nothing happens any more."""

_64, _128 = (1 << 64) - 1, (1 << 128) - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_ARRIVALS, _PACKETS = 1, 2


class Stream:
    """A stream of pseudo-random numbers of one flow."""

    def __init__(self, seed: int, flow: int, purpose: int) -> None:
        """Begins the stream."""
        low = _mix(seed ^ _mix(_mix(flow) ^ purpose))
        high = _mix(low ^ ((seed << 32 | seed >> 32) & _64))
        self._state = (high << 64 | low) | 1

    def word(self) -> int:
        """Returns 64 random bits."""
        self._state = state = self._state * _MULTIPLIER & _128
        turn, word = state >> 122, (state >> 64 ^ state) & _64
        return (word >> turn | word << (64 - turn)) & _64

    def share(self) -> float:
        """Returns a number from 0 to below 1."""
        return (self.word() >> 11) * 2.0**-53

    def positive(self) -> float:
        """Returns a number above 0 and up to 1, of which there is a logarithm."""
        return ((self.word() >> 11) + 1) * 2.0**-53

    def below(self, count: int) -> int:
        """Returns a whole number below another, each alike (Canon's method on 32 bits)."""
        product = (self.word() & 0xFFFFFFFF) * count
        result, low = product >> 32, product & 0xFFFFFFFF
        if low > (1 << 32) - count:
            result += (low + ((self.word() & 0xFFFFFFFF) * count >> 32)) >> 32
        return result


class Source:
    """The source of the packets of one flow."""

    def __init__(self, seed: int, index: int, flow: Mapping[str, Any], nodes: int) -> None:
        """Takes the flow with this number of a spec."""
        self.saturated: bool = flow["arrivals"]["kind"] == "saturated"
        self._arrivals = Stream(seed, index, _ARRIVALS)
        self._packets = Stream(seed, index, _PACKETS)
        self._next_arrival = _arrivals(flow["arrivals"], self._arrivals)
        self._destination = _destination(flow["destinations"], self._packets, flow["source"], nodes)
        self._sizes = [symbols for symbols, _ in flow["sizes"]]
        self._steps = _cumulative([share for _, share in flow["sizes"]])
        self.next: int = 0 if self.saturated else min(self._next_arrival(0), MAX_CYCLES)
        """Cycle of the next arrival; of no meaning where the source is saturated."""

    def take_arrival(self) -> int:
        """Takes the next arrival and returns its cycle."""
        taken = self.next
        self.next = min(self._next_arrival(taken + 1), MAX_CYCLES)
        return taken

    def draw_packet(self) -> tuple[int, int]:
        """Returns destination and symbols of the next packet."""
        destination = self._destination()
        if len(self._sizes) == 1:
            return destination, self._sizes[0]
        return destination, self._sizes[bisect_right(self._steps, self._packets.share())]


def _mix(key: int) -> int:
    """Returns SplitMix64's finaliser of a key: neighbouring keys give unrelated generators."""
    z = (key + 0x9E3779B97F4A7C15) & _64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _64
    return z ^ z >> 31


def _cumulative(shares: Sequence[float]) -> list[float]:
    """Returns cumulative sums; from the last positive share on above 1, so that rounding never selects another."""
    steps = list(accumulate(shares))
    last = max(place for place, share in enumerate(shares) if share > 0)
    return steps[:last] + [2.0] * (len(steps) - last)


def _arrivals(spec: Mapping[str, Any], stream: Stream) -> Callable[[int], int]:
    """Returns what gives the cycle of the next arrival; its argument is the first in which it may be."""
    match spec["kind"]:
        case "bernoulli":
            rate: float = spec["rate"]
            log_failure = math.log1p(-rate) if rate < 1 else -math.inf
            return lambda earliest: earliest + math.floor(math.log(stream.positive()) / log_failure)
        case "poisson":
            mean_gap: float = 1.0 / spec["rate"]
            at = 0.0

            def poisson(earliest: int) -> int:
                nonlocal at
                del earliest
                at -= math.log(stream.positive()) * mean_gap
                return math.ceil(at)

            return poisson
        case "periodic":
            period: float = spec["period"]
            phase: float = spec["phase"]
            taken = 0

            def periodic(earliest: int) -> int:
                nonlocal taken
                del earliest
                cycle = math.ceil(phase + taken * period)
                taken += 1
                return cycle

            return periodic
        case _:
            # Saturated: the next packet comes when the last one leaves.
            return lambda earliest: MAX_CYCLES


def _destination(spec: Mapping[str, Any], stream: Stream, source: int, nodes: int) -> Callable[[], int]:
    """Returns what draws a destination."""
    if nodes == 1:
        return lambda: 0
    match spec["kind"]:
        case "fixed":
            fixed: int = spec["node"]
            return lambda: fixed
        case "hot-spot":
            hot: int = spec["node"]
            probability: float = spec["probability"]
            hot_distance = (nodes + hot - source) % nodes

            def hot_spot() -> int:
                if stream.share() < probability:
                    return hot
                distance = 1 + stream.below(nodes - 2)
                return (source + distance + (distance >= hot_distance)) % nodes

            return hot_spot
        case "range":
            first: int = spec["first"]
            local: int | None = spec.get("local")
            of_local: float = spec.get("probability", 0.0)
            inside = range(first, first + spec["count"])
            without = sorted(node for node in {source, local} if node is not None and node in inside)
            count = len(inside) - len(without)

            def in_range() -> int:
                if local is not None and of_local > 0 and (of_local >= 1 or stream.share() < of_local):
                    return local
                node = first + stream.below(count)
                for gap in without:
                    node += node >= gap
                return node

            return in_range
        case "weighted":
            steps = _cumulative(spec["weights"])
            return lambda: bisect_right(steps, stream.share())
        case _:
            return lambda: (source + 1 + stream.below(nodes - 1)) % nodes
