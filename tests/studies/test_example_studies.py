"""Every example of a study can be run."""

from pathlib import Path

import pytest

from ringlet.studies import Study
from ringlet.studies.sweep import check_figures

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_good_study(path):
    study = Study.load(path)
    study.check()
    check_figures(study)
    assert study.points > 1
