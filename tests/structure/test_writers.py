"""Every file is written through `ringlet.files.writing`, which replaces no device and leaves no part of a file."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "ringlet"

WRITERS = {"write_text", "write_bytes", "to_csv", "to_parquet", "savefig", "ParquetWriter"}

ALLOWED = {
    # What calls them hands them the path of `writing`.
    ("trace/waveforms.py", "write_vcd"),
    ("trace/perfetto.py", "write_perfetto"),
    ("trace/tabular.py", "write_csv"),
    ("plots/pgf.py", "write_pgf"),
    ("studies/export.py", "_csv"),
    ("studies/export.py", "write"),
    # Into memory.
    ("rings/drawing/files.py", "svg"),
    # It refuses what is there, in the step that makes the file.
    ("cli/new.py", "command"),
    # Files in a folder of their own, which goes at once.
    ("imports/read.py", "read"),
    ("benchmarks/peers.py", "simulate"),
}
"""Module and function of those that write to a path under another name than `aside`."""


def _is_write(call: ast.Call) -> bool:
    """Returns whether a method writes to a file of its own."""
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "open":
        modes = [
            one.value for one in [*call.args, *(word.value for word in call.keywords)] if isinstance(one, ast.Constant)
        ]
        return any(isinstance(mode, str) and set(mode) & set("wxa") and len(mode) <= 2 for mode in modes)
    return call.func.attr in WRITERS


def _names(call: ast.Call) -> set[str]:
    """Returns the names in what a call is made on and in its arguments."""
    return {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}


def _writes() -> Iterator[tuple[str, str, int]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if file.name == "files.py" and file.parent == PACKAGE:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_write(node)):
            around = [one for one in functions if one.lineno <= call.lineno <= (one.end_lineno or 0)]
            name = max(around, key=lambda one: one.lineno).name if around else ""
            if "aside" not in _names(call):
                yield str(file.relative_to(PACKAGE)), name, call.lineno


def test_files_are_written_in_one_place():
    found = list(_writes())
    assert [one for one in found if one[:2] not in ALLOWED] == []
    assert {one[:2] for one in found} == ALLOWED
