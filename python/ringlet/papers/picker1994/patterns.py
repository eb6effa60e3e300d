"""Deterministic traffic patterns: each node always sends to the same destination (picker1994, Section 5.4)."""

from collections import Counter
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class PatternClass:
    """Patterns that are the same up to a rotation of the ring."""

    hops: tuple[int, ...]
    """Links that each node's packets cross, 1 to N - 1; the lexicographically smallest rotation."""
    occurrences: int
    """Patterns in the class: its weight in an average over all patterns."""

    @property
    def destinations(self) -> tuple[int, ...]:
        """Destination of each node, in the class's representative."""
        return tuple((node + hops) % len(self.hops) for node, hops in enumerate(self.hops))

    @property
    def name(self) -> str:
        """Hops of the representative written one after the other, such as `1222`."""
        return "".join(map(str, self.hops))


def pattern_classes(nodes: int) -> tuple[PatternClass, ...]:
    """Classes under rotation of the `(nodes - 1) ** nodes` deterministic patterns, ordered by their hops.

    A pattern is the sequence of its nodes' hop counts, and a rotation of the ring rotates that sequence. Four nodes
    have 81 patterns in 24 classes.
    """
    counts = Counter(_smallest_rotation(hops) for hops in product(range(1, nodes), repeat=nodes))
    return tuple(PatternClass(hops, occurrences) for hops, occurrences in sorted(counts.items()))


def _smallest_rotation(hops: tuple[int, ...]) -> tuple[int, ...]:
    return min(hops[shift:] + hops[:shift] for shift in range(len(hops)))
