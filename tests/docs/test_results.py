"""The committed results of the papers say what the pages about them say."""

import re
from pathlib import Path

from ringlet.papers import RULE, figures_of

DOCS = Path(__file__).parents[2] / "docs"
ROWS = (DOCS / "picker1994-rows.md").read_text(encoding="utf-8")


def verdicts() -> dict[str, bool]:
    """Whether each row agrees, by id without the paper."""
    cells = [line.split("|") for line in ROWS.splitlines() if line.startswith("| `")]
    return {line[1].strip().strip("`"): line[4].strip() == "yes" for line in cells}


def test_the_rows_are_those_of_the_published_figures():
    assert list(verdicts()) == [figure.id.partition(".")[2] for figure in figures_of("picker1994")]


def test_the_rule_is_the_one_that_judges():
    assert RULE in ROWS


def test_the_committed_rows_come_from_a_full_run():
    assert "--quick" not in ROWS


def test_the_page_states_the_number_of_rows_that_agree():
    stated = re.search(r"\*\*(\d+) of (\d+) figures agree\*\*", (DOCS / "picker1994.md").read_text(encoding="utf-8"))
    assert (int(stated[1]), int(stated[2])) == (sum(verdicts().values()), len(verdicts()))
