"""Numbers as text: no sign stands before a zero."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import ringlet

ROOT = Path(ringlet.__file__).parent

FIXED_POINT = re.compile(r"(?P<sign>z?)(\.(\d+|\{\w*\}))?f")
"""A format with a fixed number of decimals, which makes -0 of -0.2 where it has no z."""


def formats(source: str) -> Iterator[tuple[int, str]]:
    """The formats of numbers in a module, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            parts = node.format_spec.values
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, found) for found in re.findall(r"{\w*:([^{}]*(?:{\w*}[^{}]*)?)}", node.value))


def test_no_format_writes_a_negative_zero():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {each!r} writes -0 for a number that is nearly 0; write 'z' before it"
        for path in sorted(ROOT.rglob("*.py"))
        for line, each in formats(path.read_text(encoding="utf-8"))
        if (found := FIXED_POINT.fullmatch(each)) is not None and not found["sign"]
    ]
    assert not wrong


def test_formats_are_found():
    source = 'f"{a:.2f} {b:.{digits}f} {c:z.1f} {d:g}", "{:.6f}".format, f"{e!r}"'
    assert [each for _, each in formats(source)] == [".2f", ".{}f", "z.1f", "g", ".6f"]
