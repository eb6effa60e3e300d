"""CITATION.cff is about this version and its papers."""

import tomllib
from pathlib import Path

import pytest

from ringlet.papers import PAPERS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def citation():
    return (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_it_names_the_version_that_cargo_builds(citation):
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert f"version: {cargo['workspace']['package']['version']}\n" in citation


@pytest.mark.parametrize("paper", PAPERS)
def test_it_names_the_first_author_and_the_year_of_each_paper(citation, paper):
    author, year = paper[:-4].capitalize(), paper[-4:]
    references = citation.split("references:")[1].split("  - type:")
    assert any(f"family-names: {author}" in each and f"year: {year}" in each for each in references)
