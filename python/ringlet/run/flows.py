"""What a run needs to know of the engine's flows: who sends, how much, at which priority."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SYMBOL_BYTES = 2
"""Bytes of a symbol, 16 bits."""


@dataclass(frozen=True)
class Flows:
    """The flows of an engine spec as arrays of shape (F,), and their sums per series.

    The K series of a run are, in this order: each node (by source), each priority where the protocol has
    several, and the total.
    """

    nodes: int
    """Nodes of the ring."""
    priorities: int
    """Send priorities of the protocol."""
    source: NDArray[np.intp]
    """Node that sends."""
    priority: NDArray[np.intp]
    """Send priority."""
    saturated: NDArray[np.bool_]
    """Whether the flow always has a packet waiting."""
    mean_send_bytes: NDArray[np.float64]
    """Mean length of the send packets, in bytes."""

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> "Flows":
        """Reads them from the JSON object that the engine takes."""
        flows = spec["flows"]
        return cls(
            nodes=int(spec["nodes"]),
            priorities=int(spec["flow_control"].get("priorities", 1)),
            source=np.array([flow["source"] for flow in flows], dtype=np.intp),
            priority=np.array([flow["priority"] for flow in flows], dtype=np.intp),
            saturated=np.array([flow["arrivals"]["kind"] == "saturated" for flow in flows], dtype=np.bool_),
            mean_send_bytes=SYMBOL_BYTES
            * np.array([sum(size * share for size, share in flow["sizes"]) for flow in flows], dtype=np.float64),
        )

    def __len__(self) -> int:
        """Number of flows, F."""
        return self.source.size

    @property
    def reported_priorities(self) -> int:
        """Priorities with a series of their own: none where there is only one."""
        return self.priorities if self.priorities > 1 else 0

    def sums(self, values: ArrayLike) -> NDArray[np.float64]:
        """Sums of one value per flow for each series, shape (K,)."""
        value = np.asarray(values, dtype=np.float64)
        nodes = np.bincount(self.source, weights=value, minlength=self.nodes)
        priorities = np.bincount(self.priority, weights=value, minlength=self.priorities)[: self.reported_priorities]
        return np.concatenate([nodes, priorities, [value.sum()]])

    def total(self, values: ArrayLike) -> NDArray[np.float64]:
        """The sum of one value per flow, shape (1,): the last series alone."""
        return np.array([np.asarray(values, dtype=np.float64).sum()])

    @cached_property
    def members(self) -> list[list[int]]:
        """Flow numbers of each series."""
        lists: list[list[int]] = [[] for _ in range(self.nodes + self.reported_priorities)]
        for flow, (source, priority) in enumerate(zip(self.source.tolist(), self.priority.tolist(), strict=True)):
            lists[source].append(flow)
            if self.reported_priorities:
                lists[self.nodes + priority].append(flow)
        return [*lists, list(range(len(self)))]

    def offered_bytes(self, generated_packets: ArrayLike, cycles: int) -> NDArray[np.float64]:
        """Bytes that the sources wanted to send in `cycles` cycles, for each series, shape (K,).

        The bytes of the packets generated, but one word per cycle for a node (or a node's priority) with a saturated
        flow: it takes whatever it gets.
        """
        generated = np.asarray(generated_packets, dtype=np.float64) * self.mean_send_bytes
        saturation = float(SYMBOL_BYTES * cycles)
        by_node = np.bincount(self.source, weights=generated, minlength=self.nodes)
        by_node[self.source[self.saturated]] = saturation
        pair = self.source * self.priorities + self.priority
        by_pair = np.bincount(pair, weights=generated, minlength=self.nodes * self.priorities)
        by_pair[pair[self.saturated]] = saturation
        by_priority = by_pair.reshape(self.nodes, self.priorities).sum(axis=0)[: self.reported_priorities]
        return np.concatenate([by_node, by_priority, [by_node.sum()]])
