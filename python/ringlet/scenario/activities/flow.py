"""A flow of packets in the terms of the engine: who sends, when, what and where to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.scenario.values.destinations import Destinations
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import Transaction

COPIES = "copies"
"""Arrivals, in the engine, of a flow that counts copies of another flow's packets."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The part of a flow that counts as data when it has been served."""

    bytes_each: float | None = None
    """Bytes of each transaction; None: all bytes of its request, whatever its length."""
    in_response: bool = False
    """True if the response brings them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A source of packets."""

    source: int
    """The node that sends them."""
    priority: int
    arrivals: dict[str, Any]
    """The engine's arrivals, which only the engine reads."""
    burst: int = 1
    """Requests of an arrival: all are generated at once."""
    deadline_cycles: int | None = None
    """Time from an arrival until all its requests are served; None: they have no deadline."""
    sizes: Sequence[tuple[int, float]]
    """Symbols of a request packet, framing included, with their probabilities."""
    response_symbols: int | None
    """Symbols of the response, framing included; None: there is none."""
    destinations: Destinations
    groups: dict[str, Any]
    """The engine's transmission groups, which only the engine reads."""
    are_responses: bool = False
    """True if its packets, of a trace, are themselves responses."""
    payload: Payload
    """Part of a packet that counts as data."""
    rate: float
    """Requests per cycle; infinite where there is always one more, 0 where a trace says when they start."""
    dependent: bool = False
    """True if its packets wait for what others of the run deliver or accept, so that they may be fewer than `rate`."""
    ends: bool = False
    """True if it has so many packets in all, so that what it takes while it has some does not last."""
    times_drawn: bool = False
    """True if the times of its requests are drawn."""
    good: float = 1.0
    """Share of its blocks that count: the others are sent again."""
    messages: dict[str, Any] | None = None
    """The engine's messages, of sizes or times of their own, which only the engine reads."""
    planned_random: bool | None = None
    """True if anything of its packets is drawn, where a plan says when they start and where they go."""

    @property
    def counts_copies(self) -> bool:
        """True if it sends nothing, and counts what one of several receivers takes of another flow's packets."""
        return self.arrivals.get("kind") == COPIES

    @property
    def is_listed(self) -> bool:
        """True if its messages come at times that are listed, so that its mean rate does not last."""
        return self.arrivals.get("kind") == "listed"

    @property
    def is_random(self) -> bool:
        """True if times, sizes or destinations of its packets are drawn."""
        if self.planned_random is not None:
            return self.planned_random
        if self.rate == 0:
            return False
        return self.times_drawn or self.destinations.count(nodes=2) > 1 or len(self.sizes) > 1


def packets_of(transaction: Transaction, link_format: LinkFormat) -> tuple[list[tuple[int, float]], int | None]:
    """Returns the symbols of requests with their probabilities, and of the response."""
    response = transaction.response_bytes
    sizes = [(link_format.symbols(size), share) for size, share in transaction.request_bytes]
    return sizes, None if response is None else link_format.symbols(response)
