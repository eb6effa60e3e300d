"""What every kind of activity answers, whatever lists them."""

import pytest

import ringlet as rl
from ringlet.scenario.activities.registry import ACTIVITIES, PLANS

RUN = {
    "network": {"nodes": 4},
    "run": {"duration": "40 us"},
    "messages": [{"name": "m", "source": 0, "destination": 2, "size": "64 B", "period": "10 us"}],
    "loops": [{"nodes": [1, 3, 0], "size": "64 B", "period": "20 us"}],
    "collective": {"operation": "all-gather", "size": "1 KiB"},
}


@pytest.fixture(scope="module")
def result():
    return rl.run(RUN)


def test_a_run_has_seen_each_activity_of_its_scenario_and_no_other(result):
    there = {one.name for one in ACTIVITIES if one.is_in(rl.Scenario.from_dict(RUN))}
    assert there == {"messages", "loops", "collective"}
    for one in ACTIVITIES:
        assert (one.name in result.document["saw"]) == (one.name in there)


def test_what_was_seen_is_what_the_schema_of_an_activity_says(result):
    for one in ACTIVITIES:
        if one.name in result.document["saw"]:
            assert set(result.document["saw"][one.name]) == set(one.seen)


def test_each_part_of_an_activity_is_a_table(result):
    assert len(result.part("messages")) == len(result.part("loops")) == len(result.part("collective")) == 1
    assert result.part("builders").empty


def test_a_plan_says_its_period_or_that_it_takes_place_once():
    plans = rl.Scenario.from_dict(RUN).resolved.plans
    assert [(plan.key, plan.once, plan.periodic is None) for plan in plans] == [
        ("collective", True, True),
        ("loops", False, False),
    ]
    assert {kind.key for kind in PLANS} == {"events", "collective", "scatter_gather", "loops", "flows"}
