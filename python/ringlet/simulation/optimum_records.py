"""The optimum beside what a run found: what each node could get at best, and how far from it the ring is."""

from collections.abc import Sequence
from typing import Any

from ringlet.scenario import Scenario

NOTHING = {"optimum_words_per_cycle": None, "optimum_MBps": None, "of_optimum": None}
"""Figures of a node, or in total, where the optimum is not known."""

NO_DEVIATION: dict[str, float | None] = {"average_percent": None, "maximum_percent": None}


class OptimumRecords:
    """The optimum of a scenario beside the throughput of a run of it."""

    def __init__(self, scenario: Scenario, words_per_cycle: Sequence[float]) -> None:
        """Takes each node's throughput in words of send packets per cycle."""
        self._scenario = scenario
        self._optimum = scenario.quick_optimum
        self._found = words_per_cycle
        # A cycle moves bytes in so many ns: bytes per ns are GB/s.
        self._MBps = 1e3 / scenario.symbol_time_ns

    def nodes(self) -> list[dict[str, Any]]:
        """Returns the optimum of each node and the share of it that the node got; None where it is not known, or 0."""
        if self._optimum is None:
            return [NOTHING] * len(self._found)
        best = self._optimum.words_per_cycle.tolist(), self._optimum.payload_bytes_per_cycle.tolist()
        return [
            {"optimum_words_per_cycle": words, "optimum_MBps": data * self._MBps, "of_optimum": _share(found, words)}
            for found, words, data in zip(self._found, *best, strict=True)
        ]

    def total(self) -> dict[str, Any]:
        """Returns the same in total, the bottleneck, and the deviations of picker1994's Table 2.

        They are adjusted ones: throughput above the optimum counts as none. `deviation` is that from this optimum,
        `paper_deviation` that from the paper's with echoes, where its theory applies. The nodes that could send
        count.
        """
        if self._optimum is None:
            return {**NOTHING, "bottleneck": None, "deviation": NO_DEVIATION, "paper_deviation": NO_DEVIATION}
        each = self._optimum.words_per_cycle.tolist()
        words, paper = sum(each), self._scenario.paper_optimum
        return {
            "optimum_words_per_cycle": words,
            "optimum_MBps": sum(self._optimum.payload_bytes_per_cycle.tolist()) * self._MBps,
            "of_optimum": _share(sum(self._found), words),
            "bottleneck": self._optimum.bottleneck,
            "deviation": self._deviation(each),
            "paper_deviation": NO_DEVIATION if paper is None else self._deviation(paper.tolist()),
        }

    def _deviation(self, best: Sequence[float]) -> dict[str, float | None]:
        """Average and maximum of what `ringlet.analysis.adjusted_deviation` says of single nodes."""
        missing = [max(0.0, 100 * (most - got) / most) for got, most in zip(self._found, best, strict=True) if most > 0]
        if not missing:
            return NO_DEVIATION
        return {"average_percent": sum(missing) / len(missing), "maximum_percent": max(missing)}


def _share(found: float, best: float) -> float | None:
    return found / best if best > 0 else None
