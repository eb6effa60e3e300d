"""Every example runs."""

from pathlib import Path

import pytest

import ringlet as rl

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))


def test_there_are_ten_examples_or_more_each_with_a_line_in_the_table():
    table = (EXAMPLES[0].parent / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 10
    assert [path.name for path in EXAMPLES if f"| [{path.name}]({path.name}) |" not in table] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_begins_with_what_it_shows(path):
    # The first line names the schema, for editors.
    assert path.read_text(encoding="utf-8").splitlines()[1].startswith("# ")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path):
    result = rl.run(rl.Scenario.load(path, ["run.duration=50 us"]))
    assert result.stall is None
    assert result.to_dict()["total"]["throughput_MBps"] > 0
