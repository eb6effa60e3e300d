"""Every example runs."""

from pathlib import Path

import pytest

import ringlet as rl

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path):
    result = rl.run(rl.Scenario.load(path, ["run.duration=50 us"]))
    assert result.stall is None
    assert result.to_dict()["total"]["throughput_MBps"] > 0
