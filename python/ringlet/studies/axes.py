"""The axes of a study: the keys that vary, and their values."""

import math
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

from ringlet.scenario.values.units import QUANTITY, magnitude
from ringlet.sections import Before, Field, Section, refuse
from ringlet.sections.fields import Choice, Keyed
from ringlet.sections.mistakes import WrongError

MOST_VALUES = 10**9
LARGEST = 1e18
"""Largest end of a range."""
DIGITS = 12
"""Significant digits of a value of a range."""


class Range(Section):
    """Evenly spaced values, both ends included."""

    start: int | float | str = Field(description="First value: a number, or a quantity with its unit.")
    stop: int | float | str = Field(description="Last value, of the same kind.")
    count: int = Field(ge=1, le=MOST_VALUES, description="How many values there are.")
    spacing: Literal["linear", "log"] = Field(
        default="linear", description="`linear`: equal differences; `log`: equal ratios, both ends above 0."
    )

    _ends: tuple[float, float, str]

    def _fits_together(self, folder: Path) -> None:
        first, unit = _number_and_unit("start", self.start)
        last, other = _number_and_unit("stop", self.stop)
        if bool(unit) != bool(other):
            raise refuse(
                f"start and stop are both numbers, or both quantities: {self.start!r} and {self.stop!r} are not"
            )
        if unit != other:
            try:
                last = magnitude(str(self.stop), unit)
            except ValueError as error:
                raise refuse(f"stop, {self.stop!r}, has to be {error}, like start") from None
        if self.spacing == "log" and not (first > 0 and last > 0):
            raise refuse("with spacing 'log' both ends have to be above 0")
        self._ends = (first, last, unit)

    def __len__(self) -> int:
        """Returns the number of values."""
        return self.count

    def __getitem__(self, index: int) -> int | float | str:
        """Returns one value; whole if both ends are and it is, and with the unit of `start`."""
        if not 0 <= index < self.count:
            raise IndexError(f"value {index}; allowed: 0 to {self.count - 1}")
        first, last, unit = self._ends
        part = index / (self.count - 1) if self.count > 1 else 0.0
        exact = first * (last / first) ** part if self.spacing == "log" else first + (last - first) * part
        value = float(f"{exact:.{DIGITS}g}")
        if unit:
            return f"{value:.{DIGITS}g} {unit}"
        whole = isinstance(self.start, int) and isinstance(self.stop, int) and value.is_integer()
        return int(value) if whole else value


def _number_and_unit(name: str, value: float | str) -> tuple[float, str]:
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, str) and match is None:
        raise refuse(f"{name}, {value!r}, has to be a number, or a quantity such as '10 MB/s'")
    number, unit = (match[1].replace("_", ""), match[2].strip()) if match else (value, "")
    try:
        exact = float(number)
    except OverflowError:
        exact = math.inf
    if not abs(exact) <= LARGEST:
        raise refuse(f"{name} has to be at most {LARGEST:g}")
    return exact, unit


FEWEST_LOADS, MOST_LOADS, USUAL_LOADS = 5, 200, 16
"""Loads that an adaptive axis chooses: fewest, most, and without a number."""


AUTO = "auto"


class Auto(Section):
    """Loads that ringlet chooses between almost none and more than any point of the study can carry, close to each
    other where a curve of latency bends. `"auto"` alone is short for `{ auto = 16 }`."""

    auto: int = Field(ge=FEWEST_LOADS, le=MOST_LOADS, description="How many loads there are.")

    def __len__(self) -> int:
        """Returns the number of loads."""
        return self.auto

    def __getitem__(self, index: int) -> str:
        """Returns "auto": no load is known before it is chosen."""
        if not 0 <= index < self.auto:
            raise IndexError(f"value {index}; allowed: 0 to {self.auto - 1}")
        return AUTO


class _AnyTable(Choice):
    """Takes a table of values by its keys, and "auto"."""

    @property
    def sections(self) -> Sequence[type[Keyed]]:
        """The kinds of tables."""
        return (Range, Auto)

    def made(self, content: object) -> Section:
        """Returns the range, or the loads that are to be chosen."""
        if content == AUTO:
            return Auto(auto=USUAL_LOADS)
        if not isinstance(content, Mapping):
            raise WrongError.at(content, f'a table or "{AUTO}"' if isinstance(content, str) else "a table")
        return Auto.made(content) if AUTO in content else Range.made(content)


def _or_short(schema: dict[str, Any]) -> None:
    """Says in the schema that "auto" is taken."""
    schema["oneOf"].append({"const": AUTO})


RANGE_KEYS = frozenset((*Range.fields, *Auto.fields))
"""Keys that tell a table of values from a section of the scenario."""


def flat(content: object) -> object:
    """Takes `traffic.load = [...]`, which TOML reads as a table in a table, as one key."""
    if not isinstance(content, Mapping):
        return content
    if not content:
        raise refuse("a key of the scenario and its values, such as traffic.load = ['10 MB/s', '20 MB/s']")
    keys: dict[str, object] = {}

    def visit(path: str, value: object) -> None:
        if isinstance(value, Mapping) and value and not RANGE_KEYS & set(value):
            for name, inner in value.items():
                visit(f"{path}.{name}" if path else str(name), inner)
        else:
            keys[path] = value

    visit("", content)
    return keys


Values = Annotated[list[Any], Field(min_length=1)] | Annotated[Range | Auto, _AnyTable(), Field(schema=_or_short)]

Listed = Sequence[Any] | Range | Auto
"""Values of one key, by their places."""


def _may_be_tables(schema: dict[str, Any]) -> None:
    """Keys with dots are tables within tables to TOML: `flat` takes them, and so does the schema."""
    schema["additionalProperties"]["anyOf"].append({"type": "object", "description": "Keys of this section."})


Axis = Annotated[dict[str, Values], Before(flat), Field(schema=_may_be_tables)]
"""Keys of the scenario that take their values together, one after the other."""

Setting = Annotated[dict[str, Any], Before(flat)]
"""Keys of the scenario with one value each."""


def length(axis: Mapping[str, Listed]) -> int:
    """Returns the number of values of an axis."""
    return len(next(iter(axis.values())))


class Space:
    """The points of a study: every combination of the values of its axes, the last axis fastest.

    Each is made at its first use.
    """

    def __init__(self, axes: Sequence[Mapping[str, Listed]]) -> None:
        """Takes the axes; without one there is one point."""
        self.axes = axes
        self.lengths = [length(axis) for axis in axes]
        self.points = 1
        """Number of points. Not `len`, which ends at 2^63."""
        for each in self.lengths:
            self.points *= each

    @property
    def keys(self) -> list[str]:
        """All keys that vary."""
        return [key for axis in self.axes for key in axis]

    def places(self, point: int) -> list[int]:
        """Returns the place on each axis of a point, numbered from 0."""
        found = []
        for size in reversed(self.lengths):
            point, place = divmod(point, size)
            found.append(place)
        return found[::-1]

    def find(self, key: str, value: object) -> tuple[int, int] | None:
        """Returns the axis of a key and the place of a value on it, None if the axis does not have the value."""
        number = next(i for i, axis in enumerate(self.axes) if key in axis)
        values = self.axes[number][key]
        place = next((place for place in range(self.lengths[number]) if values[place] == value), None)
        return None if place is None else (number, place)

    def moved(self, point: int, places: Mapping[int, int]) -> int:
        """Returns the point that has other places on some axes, given by their numbers."""
        found = 0
        for number, (size, place) in enumerate(zip(self.lengths, self.places(point), strict=True)):
            found = found * size + places.get(number, place)
        return found

    def settings(self, point: int) -> dict[str, Any]:
        """Returns the values that a point gives to the keys."""
        if not 0 <= point < self.points:
            raise IndexError(f"point {point}; allowed: 0 to {self.points - 1}")
        return {
            key: values[place]
            for axis, place in zip(self.axes, self.places(point), strict=True)
            for key, values in axis.items()
        }

    def thinned(self, most: int) -> list[int]:
        """Returns at most so many points, ascending: all combinations of evenly spaced values of each axis, its ends
        among them; the longest axes lose values first."""
        kept = list(self.lengths)
        while prod(kept) > most:
            longest = kept.index(max(kept))
            kept[longest] -= max(1, kept[longest] // 8)
        found = [0]
        for size, count in zip(self.lengths, kept, strict=True):
            places = [place * (size - 1) // max(count - 1, 1) for place in range(count)]
            found = [point * size + place for point in found for place in places]
        return found

    def crossings(self, most: int) -> Iterator[int]:
        """Yields the points at which at most one axis is not at its first value: each value of each axis once.

        Of a range, or a list of numbers, of more than `most` values, so many, evenly spaced, the last one among them.
        Other values may name files.
        """
        stride = 1
        yield 0
        for axis, size in zip(reversed(self.axes), reversed(self.lengths), strict=True):
            each = range(1, size)
            if size > most and all(_are_numbers(values) for values in axis.values()):
                each = range(size - 1, 0, -(size - 1) // most)
            yield from (stride * place for place in each)
            stride *= size


def _are_numbers(values: Listed) -> bool:
    return isinstance(values, Range | Auto) or all(isinstance(value, int | float) for value in values)
