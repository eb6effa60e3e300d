"""Makes a case that fails smaller while it fails in the same way: takes away keys, items, lines and bytes."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from campaign import schema
from campaign.case import Case

Fails = Callable[[Case], bool]
"""Whether a case fails in the way looked for."""

SECONDS = 60.0
"""Time after which a case is small enough."""


def signature(failure: str) -> str:
    """Returns what failures of the same defect have in common: the words without the numbers and names."""
    return re.sub(r"[\d.]+|'[^']*'|\"[^\"]*\"", "#", failure)[:60]


def shrink(case: Case, fails: Fails, seconds: float = SECONDS) -> Case:
    """Returns a failing case of which no single piece can be taken away, or as small as it is when the time is up."""
    until = time.monotonic() + seconds
    case, smaller = replace(case, checked=None), True
    while smaller:
        smaller = False
        for candidate in _candidates(case):
            if time.monotonic() > until:
                return case
            if fails(candidate):
                case, smaller = candidate, True
                break
    return case


def _candidates(case: Case) -> Iterator[Case]:
    for path in _places(case.content):
        yield replace(case, content=_changed(case.content, path, None))
    for name in case.files:
        yield replace(case, files={other: content for other, content in case.files.items() if other != name})
    for path in _places(case.content):
        value = _at(case.content, path)
        if isinstance(value, list | str) and len(value) > 1:
            for part in _parts(value):
                yield replace(case, content=_changed(case.content, path, part))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            for number in _simpler(value):
                yield replace(case, content=_changed(case.content, path, number))
    for name, content in case.files.items():
        lines = content.splitlines(keepends=True)
        for fewer in _parts(lines) if len(lines) > 1 else ():
            yield replace(case, files={**case.files, name: b"".join(fewer)})
        if len(content) <= 4096:
            for part in _parts(content) if content else ():
                yield replace(case, files={**case.files, name: part})


def _places(value: Any, path: schema.Path = ()) -> Iterator[schema.Path]:
    """Yields the places of all values, the outer ones first."""
    inner: Sequence[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for part, _ in inner:
        yield (*path, part)
    for part, content in inner:
        yield from _places(content, (*path, part))


def _at(value: Any, path: schema.Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _changed(content: Any, path: schema.Path, value: Any) -> Any:
    """Returns a copy with another value at a place, or nothing there."""
    first, *rest = path
    other = dict(content) if isinstance(content, dict) else list(content)
    if rest:
        other[first] = _changed(content[first], tuple(rest), value)  # type: ignore[index]
    elif value is None:
        del other[first]  # type: ignore[arg-type]
    else:
        other[first] = value  # type: ignore[index]
    return other


def _parts(whole: Any) -> Iterator[Any]:
    """Yields a sequence without a half, a quarter, and so on down to one of its items."""
    size = len(whole) // 2
    while size:
        for start in range(0, len(whole), size):
            yield whole[:start] + whole[start + size :]
        size //= 2 if size > 1 else size + 1


def _simpler(value: float) -> Iterator[float]:
    """Yields the numbers nearer to zero that are tried."""
    for number in (0, 1, 2, int(value) if abs(value) < 1e18 else 0, value // 2 if abs(value) > 4 else 0):
        if abs(number) < abs(value):
            yield number
