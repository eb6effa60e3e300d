"""Single keys replaced: from the command line, and by the axes of a study."""

import tomllib
from collections.abc import Sequence
from typing import Any

from ringlet import limits
from ringlet.errors import RingletError


def apply_override(content: dict[str, Any], override: str) -> tuple[str, ...]:
    """Sets one key of a file's content, given as `KEY=VALUE`, VALUE as in TOML or a bare string; returns its names.

    Raises:
        RingletError: no `KEY=VALUE`, or the key leads through something that is not a table.
    """
    key, equals, text = override.partition("=")
    names = key.strip().split(".")
    if len(names) > limits.KEY_PARTS:
        raise RingletError.not_allowed("--set", override, f"a key of at most {limits.KEY_PARTS} parts")
    if not equals or not all(names):
        raise RingletError.not_allowed("--set", override, "KEY=VALUE, such as traffic.load='50 MB/s'")
    try:
        parsed = tomllib.loads(f"value = {text.strip()}")
        value = parsed["value"] if len(parsed) == 1 else text.strip()
    except (ValueError, RecursionError):
        # Not only TOMLDecodeError: a number may have more digits than Python takes.
        value = text.strip()
    if (blocking := set_value(content, names, value)) is not None:
        raise RingletError.not_allowed("--set", override, f"{blocking} is not a table")
    return tuple(names)


def set_value(content: dict[str, Any], names: Sequence[str], value: object) -> str | None:
    """Sets one key of a file's content, given as the names on its path; tables on the way are made where missing.

    Returns None, or the part of the path that is there and not a table, and then sets nothing.
    """
    table = content
    for depth, name in enumerate(names[:-1]):
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            return ".".join(names[: depth + 1])
        table = inner
    table[names[-1]] = value
    return None
