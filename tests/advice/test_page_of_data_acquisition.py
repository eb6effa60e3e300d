"""What the page on data acquisition says of the networks for events: what each costs, also in stages of growth."""

import re
from pathlib import Path

import pytest

from ringlet import Scenario
from ringlet.advice import Requirements
from ringlet.advice.candidates import candidates
from ringlet.advice.failures import worst_link
from ringlet.advice.stages import parts_of, stages
from ringlet.advice.traffic import base_content, own_content

ROOT = Path(__file__).parents[2]


def test_networks_for_events_cost_and_lose_what_the_page_says():
    page = (ROOT / "docs/how-to/data-acquisition.md").read_text(encoding="utf-8")
    row = re.compile(r"^([a-z][\w-]+) +(\d+) +([\d.]+) +(\d+) +(\d+)$", re.MULTILINE)
    said = {name: figures for name, *figures in row.findall(page)}
    wanted = Requirements.load(ROOT / "examples/requirements/event-building.toml")
    found = {one.name: one for one in candidates(wanted)}
    assert found.keys() == said.keys()
    for name, (price, no_way, *bought) in said.items():
        one = found[name]
        scenario = Scenario.from_dict(base_content(wanted) | own_content(wanted, one))
        assert 100 * worst_link(wanted, one, scenario).share == pytest.approx(float(no_way)), name
        bought_then = stages(wanted, one, parts_of(wanted, scenario))
        assert [stage.price for stage in bought_then] == [float(each) for each in bought], name
        assert sum(map(float, bought)) == float(price)
