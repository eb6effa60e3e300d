"""Figures in words."""

import math

import pytest

from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import PICKER1994
from ringlet.papers.picker1994.presets import PRESETS
from ringlet.papers.picker1994.study import QUICK
from ringlet.papers.published import figures_of
from ringlet.report.numbers import by_place, number, sort_key


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (12797, "ns", "12797"),
        (20056.0, "ns", "20056"),
        (1.5, "us", "1.5"),
        (0.5, "%", "0.50"),
        (2.5e7, "ns", "2.5e+07"),
    ],
)
def test_a_figure_is_written_without_an_exponent_where_papers_print_it(value, unit, words):
    assert number(value, unit) == words


def test_what_is_not_known_is_sorted_below_all_numbers():
    keys = [sort_key(value) for value in (math.nan, -2.5e9, 0.0, 1e-9, 3e12)]
    assert not any("e" in key for key in keys)
    assert sorted(keys, key=float) == keys


def test_the_rows_of_a_place_stand_together():
    measured = {preset.name: {one.id: Measurement(1.0) for one in figures_of("picker1994")} for preset in PRESETS}
    rows = PICKER1994.rows(measured, QUICK, missing_inputs={})
    apart = [*rows[::2], *rows[1::2]]
    assert {place for place, _ in by_place(apart)} == {row.figure.place for row in rows}
    assert len(by_place(apart)) == len(by_place(rows))
    assert sum(len(group) for _, group in by_place(apart)) == len(rows)
