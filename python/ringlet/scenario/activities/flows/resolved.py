"""A flow in the terms of the engine."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ringlet.scenario.activities.flows.sizes import Sizes
from ringlet.scenario.values.destinations import Destinations, Fixed

PROMPTED = frozenset({"think_cycles", "delay_cycles"})
"""Keys of the engine's arrivals that follow from what becomes of messages."""


def is_saturated(arrivals: Mapping[str, Any], per_cycle: float) -> bool:
    """Returns whether one message always waits, of the engine's arrivals and messages per cycle."""
    return math.isinf(per_cycle) and PROMPTED.isdisjoint(arrivals)


@dataclass(frozen=True, slots=True)
class ResolvedFlow:
    """One flow in the terms of the engine."""

    place: str
    """Beginning of the paths of its keys in messages, such as `flows[0].`."""
    name: str
    source: int
    destinations: Destinations
    to: str
    """Destination of the flow in words."""
    priority: int
    comes: str
    """Arrivals as the file calls them."""
    arrivals: dict[str, Any]
    """The engine's arrivals; one that follows another flow has no number of that yet."""
    timing: dict[str, Any]
    """Jitter, start, stop, total and times of the engine's messages."""
    sizes: Sizes
    per_cycle: float
    """Messages per cycle, while it lasts; infinite where one always waits. Of a closed flow, and of those after it, the
    most that there may be."""
    is_saturated: bool
    """True if one message always waits."""
    times_drawn: bool
    """True if the times of messages are drawn, or those of what it follows."""
    follows: int | None
    """Place of the flow that it follows."""
    deadline_cycles: int | None
    labels: Mapping[str, str] = field(hash=False)
    by_destination: bool = False
    """True if its messages are counted for each of its destinations, too."""
    copies: int | None = None
    """Place of the flow of whose packets a receiver takes the copies that this one counts; None: it sends its own."""

    @property
    def is_closed(self) -> bool:
        """True if a message comes a think time after an earlier one."""
        return "think_cycles" in self.arrivals

    @property
    def is_random(self) -> bool:
        """True if times, sizes or destinations are drawn."""
        return self.times_drawn or self.sizes.is_drawn or not isinstance(self.destinations, Fixed)

    @property
    def least_period_cycles(self) -> float | None:
        """Cycles in which there are no more than `most_at_once` messages; None where nothing bounds them."""
        if self.is_closed:
            think: float = self.arrivals["think_cycles"]
            return None if self.arrivals["drawn"] or think < 1 else think
        period: float | None = self.arrivals.get("period")
        return period

    @property
    def most_at_once(self) -> int:
        """Messages that may come in one cycle: a window."""
        window: int = self.arrivals.get("window", 1)
        return window
