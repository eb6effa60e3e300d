"""The published figures that come with the package."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from ringlet.papers import figures_of, published_figures

SHARED = Path(__file__).parents[3] / "shared" / "published" / "published.csv"


def test_every_row_has_its_own_id_that_begins_with_its_paper():
    rows = published_figures()
    assert max(Counter(row.id for row in rows).values()) == 1
    assert all(row.id.startswith(row.paper + ".") for row in rows)


def test_picker1994_has_two_tables_and_three_figures():
    places = Counter(row.place for row in figures_of("picker1994"))
    assert places == {"Table 3": 36, "Table 4": 36, "Figure 3": 3, "Figure 4": 1, "Figure 5": 1}


def test_a_figure_reads_as_the_paper_prints_it():
    (row,) = (row for row in figures_of("picker1994") if row.id == "picker1994.t3.n8.enhanced.single.max")
    assert (row.value, row.value_hi, row.unit, row.kind) == (0.82, None, "%", "exact")


@pytest.mark.skipif(not SHARED.exists(), reason="the list the figures were copied from is not on this machine")
def test_the_figures_equal_the_list_they_were_copied_from():
    with SHARED.open(encoding="utf-8", newline="") as file:
        rows = [(row["id"], float(row["value"])) for row in csv.DictReader(file)]
    assert [(row.id, row.value) for row in published_figures()] == rows
