"""`ringlet bench`: cases, the last time on this machine, other simulators."""

import json
import stat

import pytest
from command_line import ringlet

from ringlet import benchmarks
from ringlet.benchmarks import history, peers

ANSWER = """#!/bin/sh
cat "$1" >&2
echo "Time taken is 50000 cycles"
echo "Packet latency average = 79.5 (1 samples)"
echo "Total run time 0.25"
"""


@pytest.fixture
def state(tmp_path):
    """A folder of its own for what a program keeps."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def bench(*words, folder, **environment):
    done = ringlet("bench", *words, "--json", folder=folder, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_bench_measures_one_case_and_says_what_it_reached_the_last_time(folder, state):
    first = bench("--case", "saturated", folder=folder, **state)
    (case,) = first["cases"]
    rates = case["node_cycles_per_s"]
    assert 0 < rates["min"] <= rates["median"] <= rates["max"]
    assert 0 < case["engine_bytes_per_node"]["idle"] <= case["engine_bytes_per_node"]["built"]
    assert first["machine"]["python"].startswith("Python 3.")
    assert case["last"] is None
    (other,) = bench("--case", "neighbour", folder=folder, **state)["cases"]
    assert other["last"] is None
    (again,) = bench("--case", "saturated", folder=folder, **state)["cases"]
    assert again["last"]["node_cycles_per_s"] == rates["median"]
    assert again["last"]["ringlet"] == first["ringlet"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"machine": {"saturated": {"date": 3}}}', '{"machine": 5}'])
def test_a_damaged_file_of_last_results_is_written_anew(text, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    timing = benchmarks.Timing(benchmarks.CASES[0], [1e6], 1, {})
    path = history.kept_in()
    path.parent.mkdir()
    path.write_text(text)
    assert benchmarks.compared([timing]) == {}
    assert benchmarks.compared([timing])[timing.case.name].node_cycles_per_s == 1e6


def test_a_result_of_another_machine_is_not_compared_with_and_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    timing = benchmarks.Timing(benchmarks.CASES[0], [1e6], 1, {})
    benchmarks.compared([timing])
    here = benchmarks.machine()
    monkeypatch.setattr(history, "machine", lambda: here | {"processor": "another"})
    assert benchmarks.compared([timing]) == {}
    monkeypatch.setattr(history, "machine", lambda: here)
    assert list(benchmarks.compared([timing])) == [timing.case.name]


@pytest.mark.parametrize("case", [case for case in benchmarks.CASES if case.nodes <= 16], ids=lambda case: case.name)
def test_every_small_bench_case_runs(case):
    timing = benchmarks.measure(case, repeats=1, repeat_s=0.001)
    assert timing.rates[0] > 0


def test_a_ring_at_rest_takes_at_most_a_kibibyte_per_node():
    case = benchmarks.Case("small", "1024 nodes", nodes=1024, warm_up_cycles=100)
    memory = benchmarks.measure(case, repeats=1, repeat_s=0.001).engine_bytes_per_node
    assert memory["built"] <= 1024
    assert memory["idle"] <= 1024


def test_peers_that_simulate_the_same_ring_find_the_same_latency():
    pytest.importorskip("simpy", reason="SimPy is not installed (pip install 'ringlet[peers]')")
    cycles = {"ringlet": 2_000_000, "bare": 2_000_000, "simpy": 20_000}
    for load in benchmarks.LOADS:
        means = {
            peer.name: peer.made(load)(cycles[peer.name]).mean_latency_cycles for peer in peers.peers(booksim=None)
        }
        assert means["bare"] == pytest.approx(means["ringlet"], rel=0.01)
        assert means["simpy"] == pytest.approx(means["ringlet"], rel=0.15)


def test_booksim_gets_as_many_packets_as_the_engine_and_says_what_it_took(tmp_path):
    program = tmp_path / "booksim"
    program.write_text(ANSWER.replace(">&2", f"> {tmp_path}/asked"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    *_, booksim = peers.peers(program)
    turn = booksim.made(0.5)(100_000)
    assert (turn.cycles, turn.seconds, turn.mean_latency_cycles) == (50_000, 0.25, 79.5)
    asked = dict(line.rstrip(";\n").split(" = ") for line in (tmp_path / "asked").open())
    assert float(asked["injection_rate"]) == pytest.approx(0.5 / (8 * 46))
    assert asked["sample_period"] == "20000"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--booksim", "/bin/true"], "--booksim is for --peers"),
        (["--peers", "--case", "saturated"], "leave out --case"),
        (["--peers", "--booksim", "missing"], "'missing' is not allowed; the path of BookSim 2's program"),
        (["--peers", "--booksim", "file"], "file: Permission denied"),
        (["--peers", "--booksim", "/bin/true"], "no result of BookSim 2; it ended with exit code 0"),
    ],
)
def test_what_bench_refuses(words, said, folder, state):
    (folder / "file").write_text("no program")
    done = ringlet("bench", *words, folder=folder, **state)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
