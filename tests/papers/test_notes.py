"""Explanations of rows that do not agree."""

import pytest

from ringlet.papers import figures_of
from ringlet.papers.agreement import explanation
from ringlet.papers.picker1994 import notes as picker1994
from ringlet.papers.richter1997 import notes as richter1997
from ringlet.papers.richter1999 import notes as richter1999
from ringlet.papers.todd2001 import notes as todd2001

PAPERS = [picker1994, richter1997, richter1999, todd2001]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.__name__.split(".")[-2])
def test_every_explanation_is_for_some_row(paper):
    name = paper.__name__.split(".")[-2]
    texts = {explanation(figure.id, paper.EXPLANATIONS) for figure in figures_of(name)}
    assert {text for _, text in paper.EXPLANATIONS} <= texts


@pytest.mark.parametrize("row", ["picker1994.t4.n4.enhanced.single.avemax", "picker1994.f5.order"])
def test_a_row_that_may_disagree_has_an_explanation(row):
    assert explanation(row, picker1994.EXPLANATIONS)
