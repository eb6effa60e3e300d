"""The committed results of the papers say what the pages about them say."""

import re
from collections import Counter
from pathlib import Path

import pytest

from ringlet.papers import PAPERS, RULE, figures_of

DOCS = Path(__file__).parents[2] / "docs" / "reproductions"


@pytest.fixture(params=PAPERS)
def paper(request):
    return request.param


@pytest.fixture
def rows(paper):
    return (DOCS / f"{paper}-rows.md").read_text(encoding="utf-8")


def verdicts(rows: str) -> dict[str, str]:
    """The verdict on each row, by id without the paper."""
    head = next(line for line in rows.splitlines() if line.startswith("| row "))
    place = [cell.strip() for cell in head.split("|")].index("verdict")
    cells = [line.split("|") for line in rows.splitlines() if re.match(r"\| `f|\| `s|\| `t", line)]
    return {line[1].strip().strip("`"): line[place].strip(" *") for line in cells}


def test_the_rows_are_those_of_the_published_figures(paper, rows):
    # Rows of one table or figure stand together.
    assert sorted(verdicts(rows)) == sorted(figure.id.partition(".")[2] for figure in figures_of(paper))


def test_the_rule_is_the_one_that_judges(rows):
    assert RULE in rows


def test_the_committed_rows_come_from_a_full_run(rows):
    assert "--quick" not in rows


def test_the_page_states_how_many_rows_have_each_class(paper, rows):
    page = (DOCS / f"{paper}.md").read_text(encoding="utf-8")
    stated = re.search(r"\*\*(\d+) of (\d+) figures agree, (\d+) (?:are|is) possible, (\d+) differs?\*\*", page)
    found = Counter(verdicts(rows).values())
    assert set(found) <= {"agrees", "possible", "differs"}
    expected = (found["agrees"], found.total(), found["possible"], found["differs"])
    assert tuple(map(int, stated.groups())) == expected


def test_the_readme_states_the_classes_of_all_papers():
    readme = (DOCS.parents[1] / "README.md").read_text(encoding="utf-8")
    pages = [(DOCS / f"{paper}-rows.md").read_text(encoding="utf-8") for paper in PAPERS]
    found = Counter(verdict for rows in pages for verdict in verdicts(rows).values())
    stated = re.search(r"Of (\d+) published\s+figures (\d+) agree, (\d+) are\s+possible, (\d+) differ", readme)
    expected = (found.total(), found["agrees"], found["possible"], found["differs"])
    assert tuple(map(int, stated.groups())) == expected
