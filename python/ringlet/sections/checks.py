"""Checks of values against annotations: a function for each type, which returns the value or raises WrongError.

Conversions are none, but that a whole number may stand for a real one. A check is made when the first value comes.
"""

import math
import re
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from ringlet.errors import MOST_COUNTED, MOST_MESSAGES
from ringlet.sections.fields import Check, Choice, Key, Keyed
from ringlet.sections.mistakes import Kind, Mistake, RefusedError, WrongError


class Before(NamedTuple):
    """A check, or a conversion, of what a file holds, in an annotation; it raises RefusedError."""

    function: Check


class After(NamedTuple):
    """A check, or a conversion, of a value that has its type, in an annotation; it raises RefusedError."""

    function: Check


def check_of_key(key: Key) -> Check:
    """Returns the check of the values of a key."""
    check = check_of(key.annotation)
    return limited(check, key) if key.limits else check


@cache
def check_of(annotation: Any) -> Check:  # noqa: ANN401 - a type expression
    """Returns the check of values of a type: numbers, strings, lists, tables, literals, sections, unions of them."""
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    origin = get_origin(annotation)
    if origin is Annotated:
        return _annotated(annotation)
    if origin in (Union, UnionType):
        return _union(get_args(annotation))
    if origin is Literal:
        return _one_of(get_args(annotation))
    if origin is list:
        return _list(check_of(get_args(annotation)[0]))
    if origin is dict:
        return _table(*map(check_of, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Keyed):
        return annotation.made
    raise TypeError(f"a key cannot be of type {annotation!r}")


def _whole_number(value: Any) -> int:  # noqa: ANN401
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise WrongError.at(value, "a whole number")


def _number(value: Any) -> float:  # noqa: ANN401
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise WrongError.at(value, "a number") from None
    if not isinstance(value, float):
        raise WrongError.at(value, "a number")
    if not math.isfinite(value):
        raise WrongError.at(value, "a finite number")
    # Adding 0 makes 0 of -0.
    return value + 0.0


def _string(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return value
    raise WrongError.at(value, "a string")


def _truth(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, bool):
        return value
    raise WrongError.at(value, "true or false")


def _anything(value: Any) -> Any:  # noqa: ANN401
    return value


_SIMPLE: dict[Any, Check] = {int: _whole_number, float: _number, str: _string, bool: _truth, Any: _anything}


def _one_of(names: tuple[str | int, ...]) -> Check:
    *first, last = map(repr, names)
    allowed = f"{', '.join(first)} or {last}" if first else last

    def check(value: Any) -> Any:  # noqa: ANN401
        # True is equal to 1, but is no number of a file.
        if type(value) in (str, int) and value in names:
            return value
        raise WrongError.at(value, allowed, Kind.NAME)

    return check


class _WrongOnes:
    """Collects what is wrong with the values of a list or a table; behind the first ones it only counts, up to
    `MOST_COUNTED` wrong values."""

    def __init__(self, values: int) -> None:
        """Takes how many values there are."""
        self._values = values
        self._ones = 0
        self._stopped = False
        self._mistakes: list[Mistake] = []
        self._left = 0

    def add(self, wrong: WrongError, place: int, part: str) -> bool:
        """Takes what is wrong with a value, its place among all, and what a path calls it.

        Returns whether to look at the values behind it.
        """
        self._ones += 1
        goes_on = self._ones < MOST_COUNTED
        self._stopped |= wrong.stopped or (not goes_on and place + 1 < self._values)
        if self._ones <= MOST_MESSAGES:
            self._mistakes += wrong.within(part)
            self._left += wrong.left
        else:
            self._left += wrong.count
        return goes_on

    def check(self) -> None:
        """Raises WrongError if any value is wrong."""
        if self._mistakes:
            raise WrongError(self._mistakes, self._left, stopped=self._stopped)


def _list(check_item: Check, *, fail_fast: bool = False) -> Check:
    def check(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, list):
            raise WrongError.at(value, "a list")
        if check_item is _number and set(map(type, value)) <= {float} and all(map(math.isfinite, value)):
            # A row of a matrix has thousands.
            return value
        found, wrong_ones = [], _WrongOnes(len(value))
        for place, one in enumerate(value):
            try:
                found.append(check_item(one))
            except WrongError as wrong:
                if not wrong_ones.add(wrong, place, f"[{place}]") or fail_fast:
                    break
        wrong_ones.check()
        return found

    return check


def _table(check_key: Check, check_value: Check) -> Check:
    def check(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, dict):
            raise WrongError.at(value, "a table")
        found, wrong_ones = {}, _WrongOnes(len(value))
        for place, (key, one) in enumerate(value.items()):
            try:
                found[check_key(key)] = check_value(one)
            except WrongError as wrong:
                if not wrong_ones.add(wrong, place, f"[{key}]" if isinstance(key, int) else str(key)):
                    break
        wrong_ones.check()
        return found

    return check


def _union(types: tuple[Any, ...]) -> Check:
    """The first of the types that takes a value; if none does, what each of them says."""
    checks = [check_of(one) for one in types if one is not type(None)]
    optional = len(checks) < len(types)
    # A text is no number, which need not be found out for each of them: a refusal takes microseconds.
    of_texts = [one for one in checks if one not in (_whole_number, _number)]

    def check(value: Any) -> Any:  # noqa: ANN401
        if optional and value is None:
            return None
        if type(value) is str and len(of_texts) < len(checks):
            for one in of_texts:
                try:
                    return one(value)
                except WrongError:
                    continue
        mistakes: list[Mistake] = []
        left, stopped = 0, False
        for one in checks:
            try:
                return one(value)
            except WrongError as wrong:
                mistakes += wrong.mistakes
                left, stopped = max(left, wrong.left), stopped or wrong.stopped
        raise WrongError(mistakes, left, stopped=stopped)

    return check


def _annotated(annotation: Any) -> Check:  # noqa: ANN401
    """Returns the check of a type with notes; what stands further right is around what stands left of it."""
    inner, notes = annotation.__origin__, annotation.__metadata__
    choice = next((note for note in notes if isinstance(note, Choice)), None)
    if choice is not None:
        return choice.made
    if get_origin(inner) is list and any(isinstance(note, Key) and note.fail_fast for note in notes):
        check = _list(check_of(get_args(inner)[0]), fail_fast=True)
    else:
        check = check_of(inner)
    for note in notes:
        if isinstance(note, Key) and note.limits:
            check = limited(check, note)
        elif isinstance(note, Before):
            check = _before(note.function, check)
        elif isinstance(note, After):
            check = _after(check, note.function)
    return check


def _before(function: Check, check: Check) -> Check:
    def checked(value: Any) -> Any:  # noqa: ANN401
        try:
            found = function(value)
        except RefusedError as refused:
            raise WrongError.at(value, refused.allowed, Kind.REFUSED) from None
        return check(found)

    return checked


def _after(check: Check, function: Check) -> Check:
    def checked(value: Any) -> Any:  # noqa: ANN401
        found = check(value)
        try:
            return function(found)
        except RefusedError as refused:
            raise WrongError.at(value, refused.allowed, Kind.REFUSED) from None

    return checked


def limited(check: Check, key: Key) -> Check:
    """Returns a check that also holds the limits of a key, for any value but None."""

    def checked(value: Any) -> Any:  # noqa: ANN401
        found = check(value)
        if found is not None and (allowed := _beyond(found, key)) is not None:
            raise WrongError.at(value, allowed)
        return found

    return checked


def _beyond(value: Any, key: Key) -> str | None:  # noqa: ANN401
    """Returns the limit that a value does not keep in words; None if it keeps all."""
    kind = type(value)
    if key.le is not None and not value <= key.le:
        return f"at most {kind(key.le)}"
    if key.lt is not None and not value < key.lt:
        return f"below {kind(key.lt)}"
    if key.ge is not None and not value >= key.ge:
        return f"at least {kind(key.ge)}"
    if key.gt is not None and not value > key.gt:
        return f"above {kind(key.gt)}"
    if key.min_length is not None and len(value) < key.min_length:
        return f"{_counted(value, key.min_length, 'at least')}"
    if key.max_length is not None and len(value) > key.max_length:
        return f"{_counted(value, key.max_length, 'at most')}"
    if key.pattern is not None and re.search(key.pattern, value) is None:
        return f"string should match pattern '{key.pattern}'"
    return None


def _counted(value: Any, limit: int, bound: str) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return f"string should have {bound} {limit} character{'' if limit == 1 else 's'}"
    if bound == "at least":
        return f"at least {limit} of them"
    return f"list should have at most {limit} items after validation, not {len(value)}"
