"""`ringlet run` of a ring with two regimes."""

import json

import pytest
from command_line import ringlet

import ringlet as rl

# todd2001's Figure 11: half of each node's reads go to a hot node, which sends nothing.
LOADS = '["75 MiB/s", "75 MiB/s", "75 MiB/s", "75 MiB/s", 0, "75 MiB/s", "75 MiB/s", "75 MiB/s"]'
HOT_SPOT = f"""
[network]
nodes = 8
hop_delay = 1
framing = 1

[flow_control]
protocol = "ppq"

[queues]
receive = 5
service_time = "0.1 us"
responses = 5
window = "unlimited"
outstanding = "unlimited"
order = "alternate"

[retry]
delay = 0

[traffic]
transaction = "read64"
pattern = "hot-spot"
hot_node = 4
hot_fraction = 0.5
arrivals = "poisson"
load = {LOADS}

[run]
duration = "1 ms"
warmup = "0.1 ms"
"""


@pytest.fixture
def hot_spot(tmp_path):
    (tmp_path / "hot.toml").write_text(HOT_SPOT, encoding="utf-8")
    return rl.Scenario.load(tmp_path / "hot.toml")


def test_a_run_looks_by_itself_where_packets_are_refused(tmp_path, hot_spot):
    shown = ringlet("run", "hot.toml", folder=tmp_path).stdout
    assert "regimes: two were found: started empty " in shown
    document = json.loads(ringlet("run", "hot.toml", "--json", folder=tmp_path).stdout)
    assert document["regimes"] == rl.regimes(hot_spot).to_dict()
    without = json.loads(ringlet("run", "hot.toml", "--json", "--no-regimes", folder=tmp_path).stdout)
    assert without == rl.run(hot_spot).to_dict()
    del document["regimes"]
    assert document == without


def test_a_run_of_saturated_sources_has_no_second_start(tmp_path):
    (tmp_path / "ring.toml").write_text("[network]\nnodes = 4\n", encoding="utf-8")
    done = ringlet("run", "ring.toml", "--regimes", folder=tmp_path)
    assert done.returncode == 2
    assert "ringlet: --regimes: <two starts> is not allowed; random traffic" in done.stderr
