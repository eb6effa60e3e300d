"""What a run needs to know of the engine's flows: who sends, how much, at which priority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.analysis import ECHO_SYMBOLS
from ringlet.run.engine import Counters
from ringlet.scenario import Payload

SYMBOL_BYTES = 2
"""Bytes of a symbol, 16 bits."""

FEW_LEVELS = 4
"""Levels of priority up to which each is reported, whether it is used or not: SCI's own."""


@dataclass(frozen=True)
class Flows:
    """The flows of an engine spec as arrays of shape (F,), and their sums per series.

    The K series of a run are, in this order: each node (by source), each reported priority, and the total.
    """

    nodes: int
    """Nodes of the ring."""
    reported_priorities: NDArray[np.intp]
    """Priorities with a series of their own, ascending: of few levels all, of many those that several flows use; none
    where there is one only."""
    source: NDArray[np.intp]
    """Node that sends."""
    priority: NDArray[np.intp]
    """Send priority."""
    saturated: NDArray[np.bool_]
    """Whether the flow always has a packet waiting."""
    framing_symbols: int
    """Symbols of each packet that are no part of its bytes."""
    mean_payload_bytes: NDArray[np.float64]
    """Mean data of a transaction, in bytes; of bare send packets all their bytes."""
    bare: NDArray[np.bool_]
    """Whether all bytes of its send packets count as data."""
    in_response: NDArray[np.bool_]
    """Whether the responses bring the data."""

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], payloads: Sequence[Payload] | None = None) -> "Flows":
        """Reads them from the JSON object that the engine takes; `payloads` says what counts as data (default: all)."""
        flows = spec["flows"]
        payloads = [Payload()] * len(flows) if payloads is None else payloads
        framing = int(spec["echo_symbols"]) - ECHO_SYMBOLS
        priority = np.array([flow["priority"] for flow in flows], dtype=np.intp)
        sizes = np.array([sum(size * share for size, share in flow["sizes"]) for flow in flows], dtype=np.float64)
        each = np.array([np.nan if one.bytes_each is None else one.bytes_each for one in payloads], dtype=np.float64)
        return cls(
            nodes=int(spec["nodes"]),
            reported_priorities=_reported(priority, int(spec["priorities"])),
            source=np.array([flow["source"] for flow in flows], dtype=np.intp),
            priority=priority,
            saturated=np.array([flow["arrivals"]["kind"] == "saturated" for flow in flows], dtype=np.bool_),
            framing_symbols=framing,
            mean_payload_bytes=np.where(np.isnan(each), SYMBOL_BYTES * (sizes - framing), each),
            bare=np.isnan(each),
            in_response=np.array([one.in_response for one in payloads], dtype=np.bool_),
        )

    def __len__(self) -> int:
        """Number of flows, F."""
        return self.source.size

    @property
    def series(self) -> int:
        """Number of series, K."""
        return self.nodes + self.reported_priorities.size + 1

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Place of each flow's priority among the reported ones."""
        return np.searchsorted(self.reported_priorities, self.priority)

    def sums(self, values: ArrayLike) -> NDArray[np.float64]:
        """Sums of one value per flow for each series, shape (K,)."""
        value = np.asarray(values, dtype=np.float64)
        parts = [np.bincount(self.source, weights=value, minlength=self.nodes)]
        if self.reported_priorities.size:
            parts.append(np.bincount(self._place, weights=value, minlength=self.reported_priorities.size))
        return np.concatenate([*parts, [value.sum()]])

    def total(self, values: ArrayLike) -> NDArray[np.float64]:
        """The sum of one value per flow, shape (1,): the last series alone."""
        return np.array([np.asarray(values, dtype=np.float64).sum()])

    def extremes(
        self, low: ArrayLike, high: ArrayLike, where: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least of `low` and most of `high` for each series, shape (K,), over the flows `where` says; else inf and 0."""
        chosen = np.flatnonzero(where)
        lows = np.asarray(low, dtype=np.float64)[chosen]
        highs = np.asarray(high, dtype=np.float64)[chosen]
        least, most = np.full(self.series, np.inf), np.zeros(self.series)
        rows = [self.source[chosen], np.full(chosen.size, self.series - 1)]
        if self.reported_priorities.size:
            rows.append(self.nodes + self._place[chosen])
        for row in rows:
            np.minimum.at(least, row, lows)
            np.maximum.at(most, row, highs)
        return least, most

    @cached_property
    def members(self) -> list[list[int]]:
        """Flow numbers of each series."""
        lists: list[list[int]] = [[] for _ in range(self.series - 1)]
        for flow, source in enumerate(self.source.tolist()):
            lists[source].append(flow)
        if self.reported_priorities.size:
            for flow, place in enumerate(self._place.tolist()):
                lists[self.nodes + place].append(flow)
        return [*lists, list(range(len(self)))]

    def served_requests(self, counters: Counters) -> NDArray[np.float64]:
        """Requests of each flow that have been served, shape (F,)."""
        return counters["delivered_packets"].astype(np.float64) - counters["delivered_responses"]

    def payload_symbols(self, counters: Counters) -> NDArray[np.float64]:
        """Data of each flow that has been served, in 16-bit words, shape (F,)."""
        transactions = np.where(self.in_response, counters["delivered_responses"], self.served_requests(counters))
        return np.where(self.bare, self.packet_symbols(counters), transactions * self.mean_payload_bytes / SYMBOL_BYTES)

    def packet_symbols(self, counters: Counters) -> NDArray[np.float64]:
        """Symbols of the send packets of each flow that have been served, requests and responses, shape (F,)."""
        packets = counters["delivered_packets"].astype(np.float64)
        return counters["delivered_symbols"] - self.framing_symbols * packets

    def retry_bytes(self, counters: Counters) -> NDArray[np.float64]:
        """Bytes of the packets of each flow that were sent again, shape (F,)."""
        retries = counters["retries"].astype(np.float64)
        return SYMBOL_BYTES * (counters["retry_symbols"] - self.framing_symbols * retries)

    def offered_bytes(self, generated_packets: ArrayLike, cycles: int) -> NDArray[np.float64]:
        """Bytes of data that the sources wanted to move in `cycles` cycles, for each series, shape (K,).

        Those of the requests generated, but one word per cycle for a node (or a node's priority) with a saturated
        flow: it takes whatever it gets.
        """
        generated = np.asarray(generated_packets, dtype=np.float64) * self.mean_payload_bytes
        saturation = float(SYMBOL_BYTES * cycles)
        by_node = np.bincount(self.source, weights=generated, minlength=self.nodes)
        by_node[self.source[self.saturated]] = saturation
        parts = [by_node]
        if reported := self.reported_priorities.size:
            pair = self.source * reported + self._place
            by_pair = np.bincount(pair, weights=generated, minlength=self.nodes * reported)
            by_pair[pair[self.saturated]] = saturation
            parts.append(by_pair.reshape(self.nodes, reported).sum(axis=0))
        return np.concatenate([*parts, [by_node.sum()]])


def _reported(priority: NDArray[np.intp], levels: int) -> NDArray[np.intp]:
    if 1 < levels <= FEW_LEVELS:
        return np.arange(levels)
    used = np.unique(priority)
    return used if used.size > 1 else used[:0]
