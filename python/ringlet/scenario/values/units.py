"""Quantities: strings with units, or plain numbers in a documented base unit."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.values.conversion import factor, spelled
from ringlet.sections import After, Before, Field, JsonSchema, refuse
from ringlet.sections.checks import check_of
from ringlet.sections.mistakes import WrongError

if TYPE_CHECKING:
    import pint
else:
    # pint takes longer to load than a short run, and most scenarios need none of its units.
    pint = library("pint")

UNIT = r"[A-Za-zµμ]{1,20}"
QUANTITY = re.compile(
    rf"\s*([+-]?(?:[0-9]++(?:_[0-9]++)*+\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)\s*({UNIT}(?:\s?/\s?{UNIT})?)\s*"
)
"""A number and a unit. Nothing else is handed to the units library, whose expressions can run for ever.

Digits are matched possessively: given back one by one, the time to refuse many grows with their square.
"""

_NUMBER = r"[+-]?([0-9]+(_[0-9]+)*\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_TIME = rf"^\s*{_NUMBER}\s*{UNIT}\s*$"
_PER_TIME = rf"^\s*{_NUMBER}\s*{UNIT}(\s?/\s?{UNIT})?\s*$"
"""Regular expression of ECMA-262 by which an editor takes a text for a quantity: `QUANTITY`; `_TIME` is the one without
a slash."""

MAX_CYCLES = 2**53
"""Longest time in cycles that the engine takes."""

MOST_DIGITS = 100
"""Digits of a time that is not rounded."""

MAX_COUNT = 2**32 - 1

Count = Annotated[int, Field(ge=1, lt=MAX_COUNT + 1)]
"""Number of places, or of things that may be under way."""

Places = Count | Literal["unlimited"]
"""Number of places of a queue."""

LINK_RATES_MBPS = (2e-6, 1e9)
"""Lowest and highest link rate in MB/s: one symbol per second, and a thousand times what any link carries."""


@cache
def _registry() -> "pint.UnitRegistry[Any]":
    return pint.UnitRegistry()


@cache
def magnitude(text: str, unit: str) -> float:
    """Returns the number of `unit` that `text`, such as "100 MB/s", is.

    Raises:
        ValueError: no quantity, another dimension, or not finite.
    """
    match = QUANTITY.fullmatch(text)
    wanted = f"a quantity in {unit}, such as '10 {unit}'"
    if match is None:
        raise ValueError(wanted)
    number, name = float(match[1].replace("_", "")), spelled("".join(match[2].split()))
    known = factor(name, unit)
    value = number * known if known is not None else _any_magnitude(number, name, unit, wanted)
    if not math.isfinite(value):
        raise ValueError("a finite quantity")
    return value


def _any_magnitude(number: float, name: str, unit: str, wanted: str) -> float:
    """Returns the number of `unit` that a number of any unit of pint is.

    Raises:
        ValueError: no quantity, or of another dimension.
    """
    try:
        given = _registry().Quantity(number, name)
        # Bits, angles and counts have no dimension, so that kHz could become MB/s.
        if given.to_base_units().units != _registry().Quantity(1.0, unit).to_base_units().units:
            raise ValueError(wanted)
        return float(given.to(unit).magnitude)
    except (pint.errors.PintError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(wanted) from error


@cache
def exact_ns(text: str) -> Fraction:
    """Returns a time such as "1791000000000000000 ns" in ns, not rounded; units other than those of TIMES are powers
    of ten of them, or whole numbers.

    Raises:
        ValueError: no time, or one of more than 100 digits.
    """
    match = QUANTITY.fullmatch(text)
    unit = magnitude(f"1 {match[2]}" if match else text, "ns")
    assert match is not None, "what is no quantity has no magnitude"
    number = Decimal(match[1].replace("_", ""))
    if abs(number.adjusted()) > MOST_DIGITS or len(number.as_tuple().digits) > MOST_DIGITS:
        raise ValueError(f"a time of at most {MOST_DIGITS} digits")
    # But for rounding errors a unit has few digits.
    return Fraction(number) * Fraction(f"{unit:.12g}")


def _number_or_string(unit: str, base: str) -> Before:
    def check(value: object) -> object:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number or isinstance(value, str)) or (isinstance(value, float) and not math.isfinite(value)):
            raise refuse(f"a quantity in {unit}, such as '10 {unit}', or a number of {base}")
        return value

    return Before(check)


_IN_BASE = re.compile(r"\s*([0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)\s*(%|cycles?)\s*")


def _number_in(value: float | str, base: str) -> float | str:
    """Returns the number of cycles that "10 cycles" is, or the words per cycle that "30 %" of a link are."""
    match = _IN_BASE.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match[2] == "%") != (base == "words per cycle") or base not in ("cycles", "words per cycle"):
        return value
    if match[2] == "%":
        return float(match[1]) / 100
    return int(match[1]) if match[1].isdecimal() else float(match[1])


def _quantity(
    unit: str, least: float, most: float, base: str, *, strictly: bool = False, longest: float = 1e18
) -> After:
    bounds = f"{'above' if strictly else 'at least'} {least:g} and at most {most:g}"

    def check(value: float | str) -> float | str:
        value = _number_in(value, base)
        if isinstance(value, str):
            try:
                number = magnitude(value, unit)
            except ValueError as error:
                raise refuse(f"{error}, or a number of {base}" if base else str(error)) from None
            in_range = number > 0 if strictly else number >= 0
            if not in_range or number > longest:
                raise refuse(
                    f"{'above' if strictly else 'at least'} 0 and at most {longest:g} {unit}".replace("e+", "e")
                )
        elif not ((value > least if strictly else value >= least) and value <= most):
            raise refuse(f"{bounds} {base}")
        return value

    return After(check)


def _text(unit: str, base: str = "") -> JsonSchema:
    """Returns the schema's description of a string that is a quantity: how it is written, with an example."""
    pattern = _PER_TIME if "/" in unit else _TIME
    if base == "words per cycle":
        pattern = _PER_TIME.replace(f"{UNIT}(", f"(%|{UNIT}(", 1).replace(")?\\s*$", ")?)\\s*$")
    return JsonSchema({"type": "string", "pattern": pattern, "examples": [f"10 {unit}"]})


def _kind(unit: str, most: float, base: str, *, strictly: bool = False, longest: float = 1e18) -> Any:  # noqa: ANN401 - a type expression
    return Annotated[
        int | float | Annotated[str, _text(unit, base)],
        _number_or_string(unit, base),
        _quantity(unit, 0, most, base, strictly=strictly, longest=longest),
        Field(schema={"unit": base}),
    ]


Time = _kind("ns", MAX_CYCLES, "cycles")
"""A time: "10 us", "10 cycles", or a number of cycles."""

PositiveTime = _kind("ns", MAX_CYCLES, "cycles", strictly=True)
"""A time above 0."""

ClockTime = _kind("ns", 1e30, "cycles", longest=1e30)
"""A time on a clock of any epoch: "1791000000000000000 ns", or a number of cycles."""

Length = _kind("m", 1e7, "metres")
"""A length: "10 m", or a number of metres."""

Size = _kind("byte", 2**40, "bytes", strictly=True)
"""An amount of data: "4 KiB", or a number of bytes."""

SizeOrNone = _kind("byte", 2**40, "bytes")
"""An amount of data, or 0."""

Rate = _kind("MB/s", 1000, "words per cycle")
"""A data rate: "100 MB/s" (MB = 10^6 B), "800 Mb/s", "30 %" of a link, or a number of words per cycle, of which a
symbol holds one."""


def _with_unit(unit: str, example: str) -> Any:  # noqa: ANN401 - a type expression
    def check(value: object) -> object:
        if not isinstance(value, str):
            raise refuse(f"a string with a unit, such as '{example}'")
        return value

    return Annotated[str, Before(check), _quantity(unit, 0, 0, "", strictly=True), _text(unit)]


DataRate = _with_unit("MB/s", "60 MB/s")
"""A data rate above 0 with its unit: where no link is known yet, words per cycle say nothing."""

Frequency = _with_unit("kHz", "50 kHz")
"""Rate at which something happens, above 0, with its unit."""

Duration = _with_unit("ns", "5 us")
"""A time above 0 with its unit."""


def _rate_only(value: object) -> object:
    if not isinstance(value, str):
        raise refuse("a string with a unit, such as '1 GB/s'")
    return value


def _possible(value: str) -> str:
    lowest, highest = LINK_RATES_MBPS
    if not lowest <= magnitude(value, "MB/s") <= highest:
        raise refuse(f"at least {lowest * 1e6:g} B/s and at most {highest / 1e9:g} PB/s")
    return value


LinkRate = Annotated[
    str,
    Before(_rate_only),
    _quantity("MB/s", 0, 0, "", strictly=True),
    After(_possible),
    _text("MB/s"),
]
"""A data rate with its unit."""


def size_bytes(value: float | str) -> float:
    """Returns an amount of data in bytes."""
    return magnitude(value, "byte") if isinstance(value, str) else value


@lru_cache(maxsize=4096)
def exact_cycles(value: float | str, symbol_time_ns: float) -> float:
    """Returns a time in cycles, not rounded; one that is a whole number but for rounding errors is that number."""
    exact = magnitude(value, "ns") / symbol_time_ns if isinstance(value, str) else float(value)
    nearest = round(exact)
    return float(nearest) if math.isclose(exact, nearest, rel_tol=1e-9) else exact


def cycles(value: float | str, symbol_time_ns: float) -> int:
    """Returns a time in whole cycles, rounded up: the one place where times meet the ring's clock."""
    whole = math.ceil(exact_cycles(value, symbol_time_ns))
    # The division may underflow; a time above 0 is a cycle at least.
    positive = magnitude(value, "ns") > 0 if isinstance(value, str) else value > 0
    return max(whole, 1) if positive else whole


def length_metres(value: float | str) -> float:
    """Returns a length in metres."""
    return magnitude(value, "m") if isinstance(value, str) else float(value)


def cycles_with_cable(value: float | str, cable_ns: float, symbol_time_ns: float) -> int:
    """Returns a time above 0, and the time that a signal takes on a cable, in whole cycles together, rounded up."""
    together = exact_cycles(value, symbol_time_ns) + cable_ns / symbol_time_ns
    return max(1, cycles(together, symbol_time_ns))


def whole_cycles_within(value: float | str, symbol_time_ns: float) -> int:
    """Returns a time in whole cycles, rounded down, as a deadline is."""
    return math.floor(exact_cycles(value, symbol_time_ns))


def words_per_cycle(value: float | str, symbol_time_ns: float, symbol_bytes: int) -> float:
    """Returns a data rate in words per cycle, of which a symbol holds one."""
    return magnitude(value, "byte/ns") * symbol_time_ns / symbol_bytes if isinstance(value, str) else float(value)


def cycle_at(name: str, value: int | str, symbol_time_ns: float) -> int:
    """Returns a time in cycles, rounded up.

    Args:
        name: of the argument, for a message.
        value: a number of cycles, or a time such as "20 us".
        symbol_time_ns: time of a cycle.

    Raises:
        RingletError: it is neither.
    """
    is_number = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20
    try:
        return cycles(check_of(Time)(int(value) if is_number else value), symbol_time_ns)
    except WrongError as wrong:
        raise RingletError.not_allowed(name, value, wrong.mistakes[0].allowed) from None


def with_time(cycles: int, symbol_time_ns: float) -> str:
    """Returns a number of cycles in words, with the time that they take."""
    ns = cycles * symbol_time_ns
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{cycles} cycles ({ns / size:g} {unit})"
    return f"{cycles} cycles ({ns:g} ns)"
