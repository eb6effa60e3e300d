"""Every example of requirements can be used."""

from pathlib import Path

import pytest

from ringlet.advice import Requirements
from ringlet.advice.candidates import candidates

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "requirements").glob("*.toml"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_begins_with_what_it_shows_and_has_candidates(path):
    schema, _, text = path.read_text(encoding="utf-8").partition("\n")
    assert schema == "#:schema ../requirements.schema.json"
    assert text.startswith("# ")
    assert len(candidates(Requirements.load(path))) > 5
