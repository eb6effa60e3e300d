"""Deterministic traffic: one of all ways to give each node a destination (picker1994, Section 5.4)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, Fixed
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network


class DeterministicTraffic(Traffic):
    """Each node has one destination; which, `pattern_number` says."""

    pattern: Literal["deterministic"] = "deterministic"
    pattern_number: int = Field(
        ge=0,
        lt=2**63,
        description="Number of the pattern among all (N-1)^N of N nodes, from 0 on: written to base N-1, it has a "
        "digit for each node, the first node's first, and digit d stands for the node d + 1 places ahead. Of P "
        "processors and M memories there are M^P, and a digit is the number of a memory. An axis of a study takes all: "
        "`traffic.pattern_number = { start = 0, stop = 80, count = 81 }` for 4 nodes.",
    )

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each node's destination."""
        nodes = network.nodes
        if nodes < 2:
            raise RingletError.not_allowed("traffic.pattern", "deterministic", "at least 2 nodes for a destination")
        digits = self._digits(nodes - 1, nodes)
        return [Fixed((node + digit + 1) % nodes) for node, digit in enumerate(digits)]

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each processor's memory."""
        memories = network.receivers.tolist()
        return [Fixed(memories[digit]) for digit in self._digits(len(memories), len(network.senders))]

    def _digits(self, base: int, count: int) -> list[int]:
        """Returns the number to a base, with so many digits, the highest first."""
        if self.pattern_number >= base**count:
            allowed = f"at most {base**count - 1}: there are {base}^{count} patterns"
            raise RingletError.not_allowed("traffic.pattern_number", self.pattern_number, allowed)
        return [self.pattern_number // base**place % base for place in reversed(range(count))]
