"""Figures with half widths as text: both to the second significant digit of the half width."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlet.figures import plus_minus, with_half_width


@pytest.mark.parametrize(
    ("value", "half_width", "shown"),
    [
        (119.0321, 3.0064, ("119.0", "3.0")),
        (610.41234, 0.01672, ("610.412", "0.017")),
        (48213.0, 1530.0, ("48200", "1500")),
        (5.0, 0.0996, ("5.00", "0.10")),
        (-0.001, 0.3, ("0.00", "0.30")),
        (0.25, None, ("0.25", "")),
        (0.25, math.nan, ("0.25", "")),
        (100.0, 0.0, ("100", "0")),
        (100.0, 1e-13, ("100", "0")),
        (math.nan, 1.0, ("", "")),
    ],
)
def test_a_figure_has_the_precision_of_its_half_width(value, half_width, shown):
    assert with_half_width(value, half_width) == shown


def test_both_make_one_text_where_there_is_a_half_width():
    assert plus_minus(710.83, 2.856) == "710.8 ± 2.9"
    assert plus_minus(710.83, None, alone="{:.0f}".format) == "711"


@given(st.floats(-1e7, 1e7), st.floats(1e-4, 1e7))
def test_what_is_shown_differs_by_less_than_a_tenth_of_the_half_width(value, half_width):
    figure, half = with_half_width(value, half_width)
    if half != "0":
        assert abs(float(half) - half_width) <= 0.051 * half_width
        assert abs(float(figure) - value) <= 0.051 * half_width + 1e-9 * abs(value)
        assert len(half.replace(".", "").strip("0")) <= 2
