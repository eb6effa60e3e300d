"""The page on all reproduced papers has the numbers of their pages of rows."""

import re
from pathlib import Path

import pytest

from ringlet.papers import PAPERS

PAGES = Path(__file__).parents[2] / "docs" / "reproductions"


def line_of(page: str, begin: str) -> list[int]:
    """The whole numbers in the cells of the line of a page that begins so."""
    text = (PAGES / page).read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith(begin))
    return [int(cell) for cell in re.findall(r"\| \**(\d+)\** (?=\|)", line)]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_line_of_a_paper_has_the_counts_of_its_rows(paper):
    counts = line_of(f"{paper}-rows.md", "| **all** |")[:4]
    assert sum(counts[1:]) == counts[0]
    assert line_of("summary.md", f"| [{paper}]") == counts


def test_the_last_line_adds_up():
    lines = [line_of("summary.md", f"| [{paper}]") for paper in PAPERS]
    assert line_of("summary.md", "| all |") == [sum(column) for column in zip(*lines, strict=True)]
