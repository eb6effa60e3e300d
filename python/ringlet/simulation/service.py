"""The service over time of a run in which parts fail: when it is back after each failure."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ringlet._engine import ServiceTable

BACK = 0.95
"""Service is back with this share of the throughput before the failure."""

LEAST = 0.1
"""Time that service is to last for, as a share of the time over which the throughput before the failure is taken."""


class Service:
    """Throughput over time, from the start of a simulation."""

    def __init__(self, found: "ServiceTable", *, cycles: int, symbol_time_ns: float, symbol_bytes: int) -> None:
        """Takes what the engine has counted.

        Args:
            found: words of data delivered in each bin of time.
            cycles: how long was simulated: what bins behind are left out.
            symbol_time_ns: time of a cycle.
            symbol_bytes: of a word.
        """
        self._symbol_bytes = symbol_bytes
        self._bin_ns = found["bin_cycles"] * symbol_time_ns
        whole = cycles // found["bin_cycles"]
        self._words = np.zeros(whole)
        some = found["words"][:whole]
        self._words[: len(some)] = some
        self._first = found["first_deliveries"]
        self._ns = symbol_time_ns

    def record(self) -> dict[str, Any]:
        """Returns the throughput of each bin, as JSON takes it."""
        rates = self._words * (self._symbol_bytes * 1e3 / self._bin_ns)
        return {"bin_ns": self._bin_ns, "throughput_MBps": rates.tolist()}

    def first_delivery_ns(self, failure: int, cycle: int) -> float | None:
        """Returns the time from a failure, of this number and in this cycle, until packets came through again."""
        first = self._first[failure]
        return None if first is None else (first - cycle) * self._ns

    def back_ns(self, cycle: int, until: int | None) -> float | None:
        """Returns the time from a failure until throughput is back for good; None: it is not, or it is unknown.

        It is back at the first time from which on its mean, up to any later time, is `BACK` of that before the failure.

        Args:
            cycle: of the failure.
            until: cycle of the next failure, up to which it is looked at; None: the end of the run.
        """
        at = self._bin(cycle)
        end = len(self._words) if until is None else self._bin(until)
        before = self._words[at // 2 : at]
        if not before.any() or at >= end:
            return None
        missing = np.concatenate([[0.0], np.cumsum(BACK * before.mean() - self._words[at:end])])
        # From where most is missing on, none is missing any more.
        back = int(np.argmax(missing))
        lasts = end - at - back
        return float(back * self._bin_ns) if lasts >= max(1.0, LEAST * len(before)) else None

    def _bin(self, cycle: int) -> int:
        """Returns the first bin that begins in or behind a cycle."""
        return int(np.ceil(cycle * self._ns / self._bin_ns))
