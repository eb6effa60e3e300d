"""The optimum beside what a run found: what each node could get at best, and how far from it the ring is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import adjusted_deviation
from ringlet.scenario import Scenario

NOTHING = {"optimum_words_per_cycle": None, "optimum_MBps": None, "of_optimum": None}
"""Figures of a node, or in total, where the optimum is not known."""

NO_DEVIATION: dict[str, float | None] = {"average_percent": None, "maximum_percent": None}


class OptimumRecords:
    """The optimum of a scenario beside the throughput of a run of it."""

    def __init__(self, scenario: Scenario, words_per_cycle: NDArray[np.float64]) -> None:
        """Takes each node's throughput in words of send packets per cycle, shape (nodes,)."""
        self._scenario = scenario
        self._optimum = scenario.quick_optimum
        self._found = words_per_cycle

    def nodes(self) -> list[dict[str, Any]]:
        """Returns the optimum of each node and the share of it that the node got; None where it is not known, or 0."""
        if self._optimum is None:
            return [NOTHING] * self._found.size
        words, data = self._optimum.words_per_cycle, self._MBps(self._optimum.payload_bytes_per_cycle)
        share = np.divide(self._found, words, out=np.full(words.size, np.nan), where=words > 0)
        return [
            {"optimum_words_per_cycle": each, "optimum_MBps": rate, "of_optimum": None if of != of else of}
            for each, rate, of in zip(words.tolist(), data.tolist(), share.tolist(), strict=True)
        ]

    def total(self) -> dict[str, Any]:
        """Returns the same in total, the bottleneck, and the deviations of picker1994's Table 2.

        They are adjusted ones: throughput above the optimum counts as none. `deviation` is that from this optimum,
        `paper_deviation` that from the paper's with echoes, where its theory applies. The nodes that could send
        count.
        """
        if self._optimum is None:
            return {**NOTHING, "bottleneck": None, "deviation": NO_DEVIATION, "paper_deviation": NO_DEVIATION}
        words = self._optimum.words_per_cycle
        total, found = float(words.sum()), float(self._found.sum())
        return {
            "optimum_words_per_cycle": total,
            "optimum_MBps": float(self._MBps(self._optimum.payload_bytes_per_cycle).sum()),
            "of_optimum": found / total if total > 0 else None,
            "bottleneck": self._optimum.bottleneck,
            "deviation": self._deviation(words),
            "paper_deviation": self._deviation(self._scenario.paper_optimum),
        }

    def _MBps(self, bytes_per_cycle: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: N802 - the unit
        return bytes_per_cycle * 1e3 / self._scenario.symbol_time_ns

    def _deviation(self, best: NDArray[np.float64] | None) -> dict[str, float | None]:
        if best is None or not best.any():
            return NO_DEVIATION
        sends = best > 0
        found = adjusted_deviation(self._found[sends], best[sends])
        return {"average_percent": float(found.mean()), "maximum_percent": float(found.max())}
