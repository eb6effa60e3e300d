"""What damages a file or a value: bytes lost and changed, and content that nobody expects."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"1e-320",
    b"nan",
    b"-inf",
    b"9" * 400,
    b"18446744073709551616",
    b"9007199254740993",
    b"0x10",
)
"""Numbers at the ends of what types hold, and beyond."""
ODD_TEXT = (
    b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[31m", "\u202eabc".encode(), b"\r", b"\x85",
    b"\\u0000", b"../../etc/passwd", b"<script>alert(1)</script>", b"%n%s", b"'", b'"', b"\n\n", b",,,", b"A" * 20_000,
)  # fmt: skip
"""Text that readers trip over: NUL, invalid UTF-8, escapes, directions, markup, very long words."""

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")


def damaged(content: bytes, rng: Random) -> bytes:
    """Returns a file's content damaged in one to four ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice(WAYS)(content, rng)
    return content


def _flipped(content: bytes, rng: Random) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _overwritten(content: bytes, rng: Random) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice((1, 2, 4, 8))
    value = rng.choice((b"\x00" * size, b"\xff" * size, b"\x7f" + b"\xff" * (size - 1), rng.randbytes(size)))
    return content[:at] + value + content[at + size :]


def _cut(content: bytes, rng: Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _without(content: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.choice((1, 2, 10, 100)) :]


def _twice(content: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    end = start + rng.choice((1, 10, 100))
    return content[:end] + content[start:end] * rng.choice((1, 1, 50)) + content[end:]


def _with_odd_text(content: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(ODD_TEXT) + content[at:]


def _other_number(content: bytes, rng: Random) -> bytes:
    found = list(_NUMBER.finditer(content[:100_000]))
    if not found:
        return content
    match = rng.choice(found)
    number = rng.choice((*NUMBERS, rng.choice(found)[0]))
    return content[: match.start()] + number + content[match.end() :]


def _swapped_lines(content: bytes, rng: Random) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _nested(content: bytes, rng: Random) -> bytes:
    deep = rng.choice((10, 1000, 100_000))
    at = rng.randrange(len(content) + 1)
    bracket = rng.choice((b"[", b"{", b'{"a":', b"a.", b"[[", b"("))
    return content[:at] + bracket * deep + content[at:]


def _empty(content: bytes, rng: Random) -> bytes:
    return b""


WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _flipped, _overwritten, _cut, _without, _twice, _with_odd_text, _other_number, _other_number,
    _swapped_lines, _nested, _empty,
)  # fmt: skip
"""Ways of damage, the likelier ones more than once."""

VALUES: tuple[Any, ...] = (
    0, -1, 1, 2, 2**31, 2**32, 2**53 + 1, 2**63, 10**30, 0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"),
    True, False, "", "0", "1 GB/s", "1e30 s", "-1 ns", "1 s", "unlimited", "auto", "\x00", "none", "s0.0", "a" * 300,
    [], {}, [0], [[]], [1.5, 2], {"a": 1}, ["x"],
)  # fmt: skip
"""Values of all types that a key may be given."""


def mutated(content: dict[str, Any], rng: Random) -> None:
    """Changes a table in one to three places: values, types and keys, also those of lists."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _mutate(content, rng)


def _mutate(table: Any, rng: Random) -> None:
    places = list(table) if isinstance(table, dict) else list(range(len(table)))
    if not places:
        if isinstance(table, dict):
            table[rng.choice(("nodes", "a", "network", "file"))] = rng.choice(VALUES)
        return
    place = rng.choice(places)
    if isinstance(table[place], dict | list) and table[place] and rng.random() < 0.9:
        _mutate(table[place], rng)
        return
    roll = rng.random()
    if roll < 0.6:
        table[place] = rng.choice(VALUES)
    elif roll < 0.7:
        del table[place]
    elif roll < 0.8 and isinstance(table, dict):
        table[rng.choice((place + "s", place.upper(), "", "\x00", "é", rng.choice(places)))] = table.pop(place)
    elif roll < 0.9 and isinstance(table[place], int | float):
        table[place] = rng.choice(
            (table[place] * 10, -table[place], table[place] + 1, float(table[place]), str(table[place]))
        )
    else:
        table[place] = [table[place]] if rng.random() < 0.5 else {"value": table[place]}
