"""Makes a valid scenario of keys drawn at random: what the program refuses it names, and that is changed.

So no rule about which keys go together stands here: they are all the program's. It also tries every such message: a
scenario whose message names no key, or the wrong one, cannot be repaired.
"""

import re
from itertools import pairwise
from random import Random
from typing import Any

from campaign import schema
from campaign.schema import Path, Values

MOST = 60
"""Repairs after which another scenario is drawn."""

_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*)(?:: |, | )")
_PART = re.compile(r"\[(\d+)\]|([A-Za-z_]\w*)")
_QUOTED = re.compile(r"'([^']{1,60})'")
_NUMBER = re.compile(r"(?<![\w.'])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w'])")


def repair(content: dict[str, Any], message: str, values: Values) -> bool:
    """Changes a scenario's content by what a message says about it; returns whether there was anything to change."""
    rng = values.rng
    path = _path(message)
    if path and ": missing" in message:
        return _put(content, path, _redraw(path, values))
    others = [other for other in map(_path, re.findall(r"together with (\S+)[;,.]?", f"{message} ")) if other]
    if others and rng.random() < 0.5:
        path = others[0]
    if path is None or not _exists(content, path):
        path = _nearest(content, path)
    if path is None:
        return _drop_any(content, rng)
    allowed = message.rpartition("is not allowed; ")[2]
    literals: list[Any] = [*_QUOTED.findall(allowed), *map(_number, _NUMBER.findall(allowed))]
    roll = rng.random()
    if len(path) == 1 and isinstance(_inner(content, path[0]), dict):
        # A whole section is not allowed: no word of the message can take its place.
        return _drop(content, path)
    if literals and roll < 0.45 and "no such" not in allowed:
        return _put(content, path, rng.choice(literals))
    if roll < 0.6:
        return _put(content, path, _redraw(path, values))
    return _drop(content, path)


def _path(message: str) -> Path | None:
    match = _PATH.match(f"{message} ")
    if match is None:
        return None
    return tuple(int(number) if number else name for number, name in _PART.findall(match[1]))


def _number(text: str) -> int | float:
    text = text.replace(",", "")
    return float(text) if "." in text or "e" in text else int(text)


def _redraw(path: Path, values: Values) -> Any:
    found = schema.at(path)
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    return values.rng.randint(0, 9) if found is None else values.draw(found, name)


def _inner(content: Any, part: str | int) -> Any:
    if isinstance(content, dict):
        return content.get(part)
    return content[part] if isinstance(content, list) and isinstance(part, int) and part < len(content) else None


def _exists(content: Any, path: Path) -> bool:
    for part in path:
        content = _inner(content, part)
    return content is not None


def _nearest(content: Any, path: Path | None) -> Path | None:
    """Returns the longest beginning of a path that is there, beyond its section."""
    for length in range(len(path or ()), 1, -1):
        if path is not None and _exists(content, path[:length]):
            return path[:length]
    return None


def _put(content: dict[str, Any], path: Path, value: Any) -> bool:
    place: Any = content
    for part, following in pairwise(path):
        inner = _inner(place, part)
        if inner is None:
            if not isinstance(place, dict) or not isinstance(following, str):
                return False
            inner = place[part] = {}
        place = inner
    if isinstance(place, list) and not (isinstance(path[-1], int) and path[-1] < len(place)):
        return False
    if not isinstance(place, dict | list):
        return False
    place[path[-1]] = value
    return True


def _drop(content: dict[str, Any], path: Path) -> bool:
    place: Any = content
    for part in path[:-1]:
        place = _inner(place, part)
    if isinstance(place, list) and len(place) == 1 and len(path) > 2:
        return _drop(content, path[:-1])
    del place[path[-1]]
    return True


def _drop_any(content: dict[str, Any], rng: Random) -> bool:
    """Drops a key where the message names none that is there."""
    found = [(section, key) for section, table in content.items() if isinstance(table, dict) for key in table]
    found += [(name,) for name, value in content.items() if not isinstance(value, dict)]
    found = [path for path in found if path != ("network", "nodes")]
    return _drop(content, rng.choice(found)) if found else False
