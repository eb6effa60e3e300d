"""`ringlet run --search`: these phases, searched, and guaranteed, beside each other."""

import json

import pytest
from command_line import ringlet

from ringlet import Scenario
from ringlet.scenario.activities.deadlines import searched_line

SET = """
[network]
nodes = 6

[flow_control]
protocol = "none"
"""


def write(folder, deadline=3000):
    rows = "".join(
        f"""
[[messages]]
name = "m{i}"
source = {i}
destination = 0
size = 512
period = 3000
deadline = {deadline}
offset = {700 * i}
"""
        for i in range(1, 5)
    )
    (folder / "set.toml").write_text(f"{SET}{rows}", encoding="utf-8")


def test_a_run_shows_these_phases_searched_and_bound(tmp_path):
    write(tmp_path)
    done = ringlet("run", "set.toml", "--search", "40", "--json", folder=tmp_path)
    document = json.loads(done.stdout)
    search = document["search"]
    assert (done.returncode, search["trials"], search["missed_trials"]) == (0, 40, 0)
    for one, message in zip(search["responses"], document["messages"], strict=True):
        assert one["these_phases_ns"] == message["worst_response_ns"]
        assert one["these_phases_ns"] <= one["searched_ns"] <= one["bound_ns"] <= one["deadline_ns"]
    assert any(one["these_phases_ns"] < one["searched_ns"] for one in search["responses"])
    shown = ringlet("run", "set.toml", "--search", "40", folder=tmp_path).stdout
    said = "searched: no miss in 40 trials of other phases, which proves nothing; longest: "
    assert f"{said}{search['closest']}," in shown


def test_a_search_that_misses_fails_the_verdict_and_keeps_the_scenario(tmp_path):
    write(tmp_path, deadline=700)
    assert ringlet("run", "set.toml", "--verdict", folder=tmp_path).returncode == 0
    done = ringlet("run", "set.toml", "--verdict", "--search", "150", "--witness", "w.toml", folder=tmp_path)
    assert done.returncode == 3
    assert " of 150 trials of other phases miss a deadline; longest: " in done.stdout
    assert "the scenario in these phases: w.toml" in done.stdout
    Scenario.load(tmp_path / "w.toml")
    again = ringlet("run", "w.toml", "--json", folder=tmp_path)
    assert json.loads(again.stdout)["total"]["missed_deadlines"] > 0


def test_a_search_without_any_response_says_so():
    none = {"name": "m", "deadline_ns": 10.0, "these_phases_ns": None, "searched_ns": None, "bound_ns": None}
    search = {"trials": 3, "missed_trials": 0, "closest": "m", "why_no_bound": None, "responses": [none]}
    assert searched_line(search) == "searched: no response in 3 trials of other phases"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--search", "0"], "ringlet: --search: 0 is not allowed; 1 to 1,000,000: a search needs a budget"),
        (["--witness", "w.toml"], "ringlet: --witness: 'w.toml' is not allowed; a file beside --search"),
    ],
)
def test_a_search_without_budget_and_a_witness_of_none_are_refused(tmp_path, arguments, words):
    write(tmp_path)
    done = ringlet("run", "set.toml", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_search_without_messages_is_refused(tmp_path):
    (tmp_path / "ring.toml").write_text(SET, encoding="utf-8")
    done = ringlet("run", "ring.toml", "--search", "5", folder=tmp_path)
    assert done.returncode == 2
    assert (
        "--search: 5 is not allowed; one of messages, loops, or flows with periods and deadlines; the file has none"
        in done.stderr
    )
