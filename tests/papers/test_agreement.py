"""One rule decides whether an obtained figure agrees."""

import math

import pytest

from ringlet.papers import RULE, PublishedFigure, agrees
from ringlet.papers.agreement import Undetermined, verdict


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
    ("obtained", "without", "with_missing_input"),
    [(100.0, "agrees", "agrees"), (120.0, "differs", "not determined"), (math.nan, "differs", "not determined")],
)
def test_a_figure_that_hangs_on_a_missing_input_is_not_determined_unless_it_agrees(
    obtained, without, with_missing_input
):
    missing = Undetermined("the paper does not say", 90.0, 120.0)
    assert verdict(figure(100.0), obtained) == without
    assert verdict(figure(100.0), obtained, missing) == with_missing_input


def test_the_rule_names_its_tolerances():
    assert "5%" in RULE.replace(" ", "")
    assert "2 percentage points" in RULE
