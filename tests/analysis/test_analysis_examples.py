"""The examples in the docstrings are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["crossing", "deviation", "grouping", "max_min", "optimum"])
def test_examples_in_docstrings(module):
    results = doctest.testmod(importlib.import_module(f"ringlet.analysis.{module}"))
    assert results.attempted > 0
    assert results.failed == 0
