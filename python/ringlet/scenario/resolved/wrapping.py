"""Wrapping resolved: where and when two counter-rotating rings are joined beside a break, and parted again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.rings import Network as Rings
from ringlet.rings.network import IntArray

QUIET_BEHIND_PACKET = 112
"""Symbols beyond those of the longest packet that do not come through before links exchange where they lead; the engine
has the same, its `exchange_symbols`."""

Interruptions = list[tuple[int, int | None]]
"""Cycles from which on, and before which, a link carries nothing."""


@dataclass(frozen=True, slots=True)
class Wrap:
    """Both rings are joined on both sides of a span, the links between two stations that stand side by side."""

    links: tuple[int, int]
    """The links of the span, by the interfaces that they leave."""
    fails_cycle: int
    """Cycle from which on a link of the span carries nothing."""
    joins_cycle: int
    parts_cycle: int | None
    """Cycle from which on both rings are apart again; None: never."""


class Wrapping:
    """The wraps of two rings through the same stations, in opposite directions."""

    def __init__(
        self,
        network: Rings,
        rings: tuple[int, int],
        failures: Iterable[tuple[Sequence[int], int, int | None]],
        *,
        after_cycles: int,
        hop_cycles: IntArray,
        quiet_cycles: int,
    ) -> None:
        """Finds where and when the rings are joined.

        Args:
            network: rings, nodes and switches.
            rings: the two rings, with as many interfaces each: the station of one's first is that of the other's last.
            failures: the links that each stops, the cycle of it, and that of its repair.
            after_cycles: from a failure until the rings are joined, and from its repair until they are parted.
            hop_cycles: of the link that leaves each interface; shape (interfaces,).
            quiet_cycles: cycles before links exchange where they lead in which nothing comes through.
        """
        self.rings = rings
        self._quiet = quiet_cycles
        self._first = [int(network.ring_start[ring]) for ring in rings]
        self._stations = int(network.ring_lengths[rings[0]])
        self._hops = hop_cycles
        down: dict[int, Interruptions] = {}
        for links, fails, repaired in sorted(failures, key=lambda failure: failure[1]):
            for span in {self._span(link) for link in links} - {None}:
                assert span is not None
                # A break that begins before the rings have been parted goes on.
                merge(down.setdefault(span, []), fails, repaired, gap=after_cycles + self._settling(span))
        self.wraps = [
            self._wrap(span, fails, repaired, after_cycles)
            for span, breaks in sorted(down.items())
            for fails, repaired in breaks
            if repaired is None or repaired > fails + after_cycles
        ]
        """Joins of the rings; a failure that has been repaired before is none."""

    def _span(self, link: int) -> int | None:
        """Returns the station before the span of a link, in the direction of the first ring; None: of another ring."""
        place = link - self._first[0]
        if 0 <= place < self._stations:
            return place
        place = link - self._first[1]
        return (self._stations - 2 - place) % self._stations if 0 <= place < self._stations else None

    def _links(self, span: int) -> tuple[int, int]:
        behind = (span + 1) % self._stations
        return self._first[0] + span, self._first[1] + self._stations - 1 - behind

    def _settling(self, span: int) -> int:
        """Returns cycles that a join takes at least before the rings can be parted."""
        return self._quiet + 1 + int(self._hops[list(self._links(span))].max())

    def _wrap(self, span: int, fails: int, repaired: int | None, after_cycles: int) -> Wrap:
        joins = fails + after_cycles
        parts = None if repaired is None else max(repaired + after_cycles, joins + self._settling(span))
        return Wrap(self._links(span), fails, joins, parts)

    def spans_down(self, cycle: int) -> set[int]:
        """Returns the stations before spans that are broken in a cycle, in the direction of the first ring."""
        broken = {self._span(wrap.links[0]) for wrap in self.wraps if self._is_broken(wrap, cycle)}
        return {span for span in broken if span is not None}

    @staticmethod
    def _is_broken(wrap: Wrap, cycle: int) -> bool:
        return wrap.fails_cycle <= cycle and (wrap.parts_cycle is None or cycle < wrap.parts_cycle)

    def interrupted(self, failing: Mapping[int, Interruptions]) -> dict[int, Interruptions]:
        """Returns what links carry nothing when, where rings are joined: nothing until what has been on its way to the
        break has arrived, and the same around the time at which they are parted.

        Args:
            failing: by the failures alone.
        """
        found = {link: list(times) for link, times in failing.items()}
        for wrap in self.wraps:
            for link in wrap.links:
                hop = int(self._hops[link])
                kept: Interruptions = []
                first = wrap.joins_cycle - self._quiet
                for start, end in found.get(link, []):
                    if self._is_broken(wrap, start):
                        first = min(first, start)
                    else:
                        kept.append((start, end))
                kept.append((first, wrap.joins_cycle + hop))
                if wrap.parts_cycle is not None:
                    kept.append((wrap.parts_cycle - self._quiet, wrap.parts_cycle + hop))
                found[link] = []
                for start, end in sorted(kept, key=lambda times: times[0]):
                    merge(found[link], start, end)
        return found

    def exchanges(self, network: Rings) -> list[dict[str, Any]]:
        """Returns what the engine takes: the cycles in which links exchange where they lead, in order."""
        times = [
            (cycle, wrap.links)
            for wrap in self.wraps
            for cycle in (wrap.joins_cycle, wrap.parts_cycle)
            if cycle is not None
        ]
        ring = network.interface_ring
        return [
            {
                "at_cycle": cycle,
                "links": [(int(ring[link]), link - int(network.ring_start[ring[link]])) for link in links],
            }
            for cycle, links in sorted(times)
        ]


def merge(found: Interruptions, first: int, end: int | None, *, gap: int = 0) -> None:
    """Adds a time to those that begin before it; those that overlap, or are not further apart than a gap, are one."""
    if found:
        before, until = found[-1]
        if until is None:
            return
        if first <= until + gap:
            found[-1] = (before, None if end is None else max(until, end))
            return
    found.append((first, end))
