"""One rule decides whether an obtained figure agrees."""

import math

import pytest

from ringlet.papers import RULE, PublishedFigure, agrees
from ringlet.papers.agreement import MissingInput, verdict


def figure(value: float, *, unit: str = "MB/s", value_hi: float | None = None, kind: str = "exact") -> PublishedFigure:
    return PublishedFigure("p.x", "p", "Table 1", "a case", "a metric", unit, value, value_hi, kind)


@pytest.mark.parametrize(
    ("obtained", "verdict"), [(100.0, True), (105.0, True), (95.0, True), (105.1, False), (94.9, False)]
)
def test_a_figure_agrees_within_five_percent(obtained, verdict):
    assert agrees(figure(100.0), obtained) is verdict


@pytest.mark.parametrize(
    ("published", "obtained", "verdict"),
    [(0.19, 2.19, True), (0.19, 2.2, False), (99.7, 95.0, True), (99.7, 94.0, False), (25.0, 23.0, True)],
)
def test_percentages_agree_within_two_points_or_five_percent(published, obtained, verdict):
    assert agrees(figure(published, unit="%"), obtained) is verdict


def test_two_points_are_for_percentages_only():
    assert not agrees(figure(1.0, unit="us"), 2.0)


@pytest.mark.parametrize(("obtained", "verdict"), [(75, True), (301, True), (200, True), (74, False), (302, False)])
def test_a_range_agrees_inside_only(obtained, verdict):
    assert agrees(figure(75.0, value_hi=301.0), obtained) is verdict


def test_a_relation_agrees_only_if_it_holds():
    relation = figure(1.0, unit="bool", kind="shape")
    assert agrees(relation, 1.0)
    assert not agrees(relation, 0.0)


@pytest.mark.parametrize("unit", ["%", "MB/s", "bool"])
def test_a_figure_that_could_not_be_obtained_does_not_agree(unit):
    assert not agrees(figure(1.0, unit=unit), math.nan)


@pytest.mark.parametrize(
    ("obtained", "low", "high", "expected"),
    [
        # The whole range agrees, whatever the input.
        (100.0, 96.0, 104.0, "agrees"),
        # The obtained figure agrees, another input does not; or the other way round.
        (100.0, 96.0, 140.0, "possible"),
        (140.0, 104.0, 140.0, "possible"),
        # What agrees lies between the ends of the range.
        (140.0, 60.0, 140.0, "possible"),
        (140.0, 106.0, 140.0, "differs"),
        (60.0, 60.0, 94.0, "differs"),
        # The obtained figure is of one possible input, too.
        (100.0, 110.0, 140.0, "possible"),
        (math.nan, 96.0, 104.0, "possible"),
        (math.nan, 110.0, 120.0, "differs"),
    ],
)
def test_the_class_of_a_row_comes_from_the_range_over_a_missing_input(obtained, low, high, expected):
    assert verdict(figure(100.0), obtained, MissingInput("the paper does not say", low, high)) == expected


@pytest.mark.parametrize(("obtained", "expected"), [(100.0, "agrees"), (120.0, "differs"), (math.nan, "differs")])
def test_a_row_without_a_missing_input_agrees_or_differs(obtained, expected):
    assert verdict(figure(100.0), obtained) == expected


@pytest.mark.parametrize(("low", "high", "expected"), [(1, 1, "agrees"), (0, 1, "possible"), (0, 0, "differs")])
def test_a_relation_that_some_input_breaks_is_possible(low, high, expected):
    relation = figure(1.0, unit="bool", kind="shape")
    assert verdict(relation, float(low), MissingInput("", float(low), float(high))) == expected


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((75.0, 301.0), "agrees"), ((72.0, 310.0), "agrees"), ((150.0, 200.0), "differs"), ((75.0, 200.0), "differs")],
)
def test_each_of_two_extremes_is_compared_with_its_own(ends, expected):
    # Between them lies nothing that the paper prints.
    assert verdict(figure(75.0, value_hi=301.0), 150.0, ends=ends) == expected


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ((74.0, 76.0), (300.0, 302.0), "agrees"),
        ((1.0, 90.0), (3.0, 400.0), "possible"),
        ((74.0, 76.0), (3.0, 400.0), "possible"),
        ((1.0, 90.0), (3.0, 121.0), "differs"),
    ],
)
def test_two_extremes_have_a_range_each(lower, upper, expected):
    missing = MissingInput("", *lower, upper=upper)
    assert verdict(figure(75.0, value_hi=301.0), 75.0, missing, ends=(lower[1], upper[1])) == expected


def test_the_rule_names_its_tolerances():
    assert "5%" in RULE.replace(" ", "")
    assert "2 percentage points" in RULE
