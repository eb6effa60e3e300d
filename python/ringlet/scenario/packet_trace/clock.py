"""Times of a trace: read exactly, and counted from its first record on.

A clock of the day in ns has 19 digits, of which a float64 holds 16. So the first time is subtracted before anything is
rounded; what remains is rounded once.
"""

import re
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ringlet.lazy import library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = library("numpy")

_EXACT = Context(prec=5000)
"""Digits beyond those of any time that Python reads."""

Time = int | Decimal | float
"""A time as a file has it: floats stand in Parquet files only."""

TIME_HEADS = ("time", "timestamp", "ts", "t")
"""Heads of a column of times. A unit follows: time_ns, time [ns], time (ns); or the scenario says it."""

TIME = re.compile(rf"({'|'.join(TIME_HEADS)})(?:_([a-zµμ]+)|\s*[\[(]\s*([a-zµμ]+)\s*[\])])?", re.IGNORECASE)
"""Head of a column of times, with its unit as the second or third group."""

WHOLE = 2**53
"""Whole numbers below it are float64s."""


def exact_time(value: object) -> Time | None:
    """Returns the time that a cell says, not rounded; None if it is no finite number."""
    if isinstance(value, str):
        text = value.strip()
        try:
            return int(text) if text.isdecimal() else _finite(Decimal(text))
        except (InvalidOperation, ValueError):
            return None
    if isinstance(value, Decimal):
        return _finite(value)
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, int) else None


def is_whole(time: Time) -> bool:
    """Returns whether a time is a whole number, however large it is."""
    if isinstance(time, Decimal):
        return time == time.to_integral_value()
    return isinstance(time, int) or time.is_integer()


def _finite(value: Decimal) -> Decimal | None:
    return value if value.is_finite() else None


class Clock:
    """The clock of a trace, which stands at 0 at the first record."""

    def __init__(self, unit_ns: Fraction, *, start_ns: Fraction | float, stop_ns: Fraction | float) -> None:
        """Takes the unit in which times are given, and the bounds of what is replayed, in the file's own time."""
        self._up, self._down = unit_ns.numerator, unit_ns.denominator
        self._bounds = start_ns, stop_ns
        self._first: Time | None = None
        self.last: Time = 0
        """The time given last, as it was given."""
        self.start_ns, self.stop_ns = 0.0, float("inf")
        """The bounds from the first record on; known behind it."""

    def begin(self, first: Time) -> None:
        """Takes the time of the first record, unless there was one before."""
        if self._first is None:
            self._first = self.last = first
            start, stop = self._bounds
            zero = Fraction(first) * Fraction(self._up, self._down) if _is_moderate(first) else Fraction(0)
            self.start_ns, self.stop_ns = (_rounded(bound, zero) for bound in (start, stop))

    def ns(self, time: Time) -> float | None:
        """Returns a time in ns from the first record on, infinite where it is beyond all numbers.

        None if it is before the time given last.
        """
        self.begin(time)
        assert self._first is not None
        if time < self.last:
            return None
        self.last = time
        try:
            if isinstance(time, int) and isinstance(self._first, int):
                return (time - self._first) * self._up / self._down
            if isinstance(time, float) and isinstance(self._first, float):
                return (time - self._first) * float(self._up) / float(self._down)
            passed = _EXACT.subtract(_decimal(time), _decimal(self._first))
            return float(_EXACT.divide(_EXACT.multiply(passed, Decimal(self._up)), Decimal(self._down)))
        except (OverflowError, ArithmeticError):
            return float("inf")

    def side(self, ns: float) -> int:
        """Returns 0 for a time that is replayed, -1 for one before, 1 for one behind."""
        return -1 if ns < self.start_ns else int(self.stop_ns <= ns < float("inf"))

    def ns_of_all(self, given: "NDArray[Any]") -> "NDArray[np.float64] | None":
        """Returns ascending times in ns from the first record on; None where one is not exact, or before the last."""
        if not given.size:
            return np.zeros(0)
        if given.max() >= 2**63 and given.dtype.kind in "iu":
            return None
        times: NDArray[Any] = given.astype(np.int64 if given.dtype.kind in "iu" else np.float64)
        first, last = times[[0, -1]].tolist()
        self.begin(first)
        zero: Any = self._first
        if first < self.last or (times[1:] < times[:-1]).any():
            return None
        if isinstance(last, int) and not last - zero < WHOLE:
            return None
        self.last = last
        passed = (times - zero).astype(np.float64)
        ns: NDArray[np.float64] = passed * float(self._up) / float(self._down)
        return ns

    def ns_of_decimals(self, given: "NDArray[np.int64]", decimals: int) -> "NDArray[np.float64] | None":
        """Returns ascending times in ns from the first record on; None where one is below 0, or before the last.

        Args:
            given: of each time the low and the high word of a number of 128 bits: so many units, with `decimals` more
                digits; shape (rows, 2).
            decimals: never fewer than of the times given before.
        """
        if not len(given):
            return np.zeros(0)
        low, high = given[:, 0].view(np.uint64), given[:, 1]
        first, last = ((int(high[row]) << 64) + int(low[row]) for row in (0, -1))
        falls = (high[1:] < high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] < low[:-1]))
        if first < 0 or falls.any():
            return None
        self.begin(_units(first, -decimals))
        assert self._first is not None
        zero, before = (int(_units(time, decimals)) for time in (self._first, self.last))
        if first < before:
            return None
        self.last = _units(last, -decimals)
        factor = Fraction(self._up, self._down * 10**decimals)
        up, down = factor.numerator, factor.denominator
        if max((last - zero) * up, down) < WHOLE:
            # Both are float64s, so that the quotient is rounded once.
            passed = (low - np.uint64(zero % 2**64)).astype(np.float64)
            ns: NDArray[np.float64] = passed * float(up) / float(down)
            return ns
        try:
            whole = zip(high.tolist(), low.tolist(), strict=True)
            return np.array([((upper << 64) + lower - zero) * up / down for upper, lower in whole], dtype=np.float64)
        except OverflowError:
            return None


def _units(time: Time, decimals: int) -> Time:
    """Returns a time with the decimal point so many places to the right, exactly."""
    return time if decimals == 0 else _EXACT.scaleb(_decimal(time), decimals)


def _is_moderate(time: Time) -> bool:
    """Returns whether a time has an exponent of a clock: a fraction of any other may fill the memory."""
    return not isinstance(time, Decimal) or abs(time.adjusted()) < 100


def _rounded(bound: Fraction | float, zero: Fraction) -> float:
    """Returns how long a bound is behind the first record."""
    if bound == float("inf"):
        return float("inf")
    try:
        return float(Fraction(bound) - zero)
    except OverflowError:
        return -float("inf") if bound < zero else float("inf")


def _decimal(time: Time) -> Decimal:
    return Decimal(repr(time)) if isinstance(time, float) else Decimal(time)
