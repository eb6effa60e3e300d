"""Single keys replaced: from the command line, and by the axes of a study."""

from collections.abc import Sequence
from typing import Any

import rtoml

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
        parsed = rtoml.loads(f"value = {text.strip()}")
        value = parsed["value"] if len(parsed) == 1 else text.strip()
    except rtoml.TomlParsingError:
        value = text.strip()
    if names[0] not in content and f"{names[0]}_file" in content and len(names) > 1:
        allowed = f"a key of this file: its {names[0]} are in {names[0]}_file, {content[f'{names[0]}_file']!r}"
        raise RingletError.not_allowed("--set", override, allowed)
    if (blocking := set_value(content, names, value)) is not None:
        raise RingletError.not_allowed("--set", override, blocking)
    return tuple(names)


def set_value(content: dict[str, Any], names: Sequence[str], value: object) -> str | None:
    """Sets one key of a file's content, given as the names on its path; tables on the way are made where missing.

    Of a list of tables, such as the messages, a part of the path is the `name` of one of them, or its place from 0 on.

    Returns None, or what is allowed in place of the part of the path that is there and leads no further; it then sets
    nothing.
    """
    table: Any = content
    for depth, name in enumerate(names[:-1]):
        inner = table.setdefault(name, {}) if isinstance(table, dict) else _of_list(table, name)
        if inner is None:
            known = ", ".join(_names(table)) or f"0 to {len(table) - 1}"
            return f"one of {'.'.join(names[:depth])}: {known}"
        if not isinstance(inner, dict) and not _is_list_of_tables(inner):
            return f"{'.'.join(names[: depth + 1])} is not a table"
        table = inner
    if not isinstance(table, dict):
        return f"a key behind the name, such as {'.'.join(names)}.{next(iter(table[0]), 'name')}"
    table[names[-1]] = value
    return None


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _of_list(tables: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """Returns the table of this name, or at this place; None if there is none."""
    named = next((one for one in tables if one.get("name") == name), None)
    if named is None and name.isascii() and name.isdigit() and len(name) <= len(str(len(tables))):
        return tables[int(name)] if int(name) < len(tables) else None
    return named


def _names(tables: list[dict[str, Any]]) -> list[str]:
    return [str(one["name"]) for one in tables if "name" in one]
