"""Lines of sources and pages are at most 120 columns long, so that two of them fit beside each other.

ruff checks Python. Pages of rows are tables that `ringlet reproduce` writes, and minified libraries are their authors'.
"""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COLUMNS = 120


def sources() -> list[Path]:
    """The files of the project: those that git tracks, or in an unpacked archive all of its folders."""
    suffixes = (".md", ".rs", ".js")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout: there is no list of the project's files")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name.endswith(suffixes)]
    return [path for path in paths if path.exists() and not path.name.endswith(("-rows.md", ".min.js"))]


def long_lines(text: str) -> list[int]:
    """Numbers of the lines that are too long."""
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


@pytest.mark.parametrize("suffix", [".md", ".rs", ".js"])
def test_no_line_is_too_long(suffix):
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        if path.suffix == suffix
        for line in long_lines(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_a_long_line_is_found():
    assert long_lines(f"short\n{'x' * COLUMNS}\n{'x' * (COLUMNS + 1)}\n") == [3]
