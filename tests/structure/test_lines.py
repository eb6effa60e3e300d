"""Lines of sources and pages are at most 120 columns long, so that two of them fit beside each other.

ruff checks Python.
"""

import pytest
from checkout import ROOT, project_files

COLUMNS = 120


def long_lines(text: str) -> list[int]:
    """Numbers of the lines that are too long."""
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


@pytest.mark.parametrize("suffix", [".md", ".rs", ".js"])
def test_no_line_is_too_long(suffix):
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in project_files(suffix)
        for line in long_lines(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_a_long_line_is_found():
    assert long_lines(f"short\n{'x' * COLUMNS}\n{'x' * (COLUMNS + 1)}\n") == [3]
