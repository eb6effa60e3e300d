"""Explanations of rows that do not agree."""

import pytest

from ringlet.papers import figures_of, picker1994
from ringlet.papers.picker1994.notes import EXPLANATIONS, explanation


def test_every_explanation_is_for_some_row():
    texts = {explanation(figure.id) for figure in figures_of(picker1994.PAPER)}
    assert {text for _, text in EXPLANATIONS} <= texts


@pytest.mark.parametrize("row", ["picker1994.t4.n8.enhanced.single.avemax", "picker1994.f5.order"])
def test_a_row_that_may_disagree_has_an_explanation(row):
    assert explanation(row)
