"""`ringlet run` of a ring with two regimes."""

import json

from command_line import ringlet

import ringlet as rl


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
