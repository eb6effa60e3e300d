"""`ringlet sweep` as a person uses it, and as it is interrupted and killed."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from command_line import files_in, ringlet, started
from pandas.testing import assert_frame_equal

import ringlet as rl
from ringlet.cli import main

STUDY = """
title = "Protocols"
scenario = "ring.toml"
[[axes]]
flow_control.protocol = ["none", "sci"]
[[axes]]
network.hop_delay = [1, 3]
[replications]
count = 2
"""

LONG = """
[scenario]
network = {nodes = 8}
traffic = {arrivals = "poisson"}
run = {duration = "4 ms", warmup = 0}
[[axes]]
traffic.load = {start = "20 MB/s", stop = "80 MB/s", count = 20}
[replications]
count = 2
"""
"""40 runs of some 0.02 s."""


@pytest.fixture
def folder(folder):
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "long.toml").write_text(LONG, encoding="utf-8")
    return folder


def sweep(folder, *words):
    return ringlet("sweep", *words, "--workers", 2, folder=folder)


def test_a_study_makes_tables_and_goes_on_where_it_ended(folder, snapshot):
    first = sweep(folder, "study.toml")
    assert (first.returncode, first.stderr) == (0, "")
    assert [line.partition(", ringlet")[0] for line in first.stdout.splitlines()] == snapshot
    tables = ["nodes.csv", "points.csv", "store.sqlite", "summary.csv", "warnings.csv"]
    assert files_in(folder / "out" / "study") == tables
    again = json.loads(ringlet("sweep", "study.toml", "--json", folder=folder).stdout)
    assert again["runs"] == {"finished": 8, "computed": 0, "found": 8, "failed": 0}
    summary = pd.read_csv(folder / "out" / "study" / "summary.csv")
    assert summary["throughput_MBps"].tolist() == pytest.approx(
        [point["throughput_MBps"] for point in again["summary"]]
    )
    assert [point["network.hop_delay_cycles"] for point in again["summary"]] == [1, 3, 1, 3]


REPORTED = sorted(
    [
        *(f"{name}.{kind}" for name in ("sweep", "nodes", "latency", "links") for kind in ("png", "svg")),
        # Of each hop delay the run with the highest load has a player.
        *("players", "players/run-0.html", "players/run-1.html", "report.html"),
    ]
)


def test_a_report_is_made_when_it_is_asked_for_with_the_sweep_or_afterwards(folder):
    with_it = sweep(folder, "study.toml", "--report")
    assert "report: out/study/report.html\n" in with_it.stdout
    assert set(files_in(folder / "out" / "study")) >= set(REPORTED)
    afterwards = ringlet("report", "out/study/store.sqlite", "--out", "shown", folder=folder)
    assert (afterwards.returncode, afterwards.stdout, afterwards.stderr) == (0, "shown/report.html\n", "")
    assert files_in(folder / "shown") == REPORTED
    made = [(folder / where / "report.html").read_bytes() for where in ("out/study", "shown")]
    assert made[0] == made[1]
    last = sweep(folder, "study.toml").stdout
    earlier = "out/study/report.html is of an earlier sweep; 'ringlet report out/study' makes it again"
    earlier += "; 'ringlet plot out/study' draws the figures alone"
    assert f"report: {earlier}\n" in last
    (folder / "shown" / "report.html").unlink()
    assert ringlet("report", "out/study", folder=folder).stdout == "out/study/report.html\n"


def test_what_has_no_report_is_refused(folder):
    shard = sweep(folder, "study.toml", "--report", "--shard", "1/2")
    assert (shard.returncode, shard.stdout) == (2, "")
    assert "--report: <with --shard 1/2> is not allowed; a sweep without --shard, of all points" in shard.stderr
    missing = ringlet("report", "nowhere", folder=folder)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "nowhere: no such store; 'ringlet sweep STUDY --out DIR' makes one" in missing.stderr


def test_parts_of_a_study_are_taken_together(folder):
    for i in (1, 2):
        done = sweep(folder, "study.toml", "--shard", f"{i}/2", "--out", "parts")
        assert done.returncode == 0, done.stderr
    assert files_in(folder / "parts") == [f"shard-{i}-of-2.sqlite" for i in (1, 2)]
    whole = json.loads(sweep(folder, "study.toml", "--out", "parts", "--json", "--format", "parquet").stdout)
    assert whole["runs"] == {"finished": 8, "computed": 0, "found": 8, "failed": 0}
    assert "parts/points.parquet" in whole["files"]


def stored(path):
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        # Its tables are not there yet.
        return 0


def storing(folder, runs):
    """Starts the long study and waits until some runs are stored."""
    process = started("sweep", "long.toml", "--workers", 2, folder=folder)
    store, end = folder / "out" / "long" / "store.sqlite", time.monotonic() + 60
    while stored(store) < runs:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.01)
    return process, store


def test_what_was_stored_survives_kill_9_at_any_moment(folder):
    kept = 0
    for runs in (1, 12):
        process, store = storing(folder, runs)
        process.kill()
        process.wait()
        with closing(sqlite3.connect(store)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert stored(store) >= max(kept, runs)
        kept = stored(store)
        wait_for_workers_to_end(process.pid)
    last = json.loads(sweep(folder, "long.toml", "--json").stdout)
    assert last["runs"] == {"finished": 40, "computed": 40 - kept, "found": kept, "failed": 0}
    with ThreadPoolExecutor(2) as executor:
        fresh = rl.sweep(folder / "long.toml", executor=executor)
    killed = rl.SweepResult.load(folder / "out" / "long")
    assert_frame_equal(killed.points.drop(columns="wall_s"), fresh.points.drop(columns="wall_s"))


def wait_for_workers_to_end(group):
    """Workers end with the command."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("workers outlived the command")


def test_ctrl_c_stops_cleanly_and_says_what_is_kept(folder):
    process, store = storing(folder, 5)
    # As a terminal does: to the command and to its workers.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    kept = stored(store)
    assert (process.returncode, out) == (130, "")
    assert err == (
        f"ringlet: interrupted; out/long/store.sqlite keeps {kept} finished runs, and the same command goes on\n"
    )
    wait_for_workers_to_end(process.pid)


def test_sigterm_ends_command_and_workers_and_says_what_is_kept(folder):
    process, store = storing(folder, 5)
    process.terminate()
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (143, "")
    kept = stored(store)
    assert err == (
        f"ringlet: interrupted; out/long/store.sqlite keeps {kept} finished runs, and the same command goes on\n"
    )
    wait_for_workers_to_end(process.pid)


def test_a_worker_that_is_killed_costs_no_run(folder):
    process, _ = storing(folder, 3)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in children.split()}
    workers = [int(pid) for pid, command in commands.items() if "spawn_main" in command]
    os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, "")
    assert len(rl.SweepResult.load(folder / "out" / "long").points) == 40


def test_runs_that_fail_are_listed_and_the_exit_code_is_1(folder, monkeypatch, capsys):
    # As in a study of more than 1,000 points, which is not checked as a whole.
    monkeypatch.setattr(rl.Study, "check", lambda self: None)
    monkeypatch.chdir(folder)
    (folder / "bad.toml").write_text(
        'scenario = "ring.toml"\n[[axes]]\nnetwork.hop_delay = [1, 0, 2]\n', encoding="utf-8"
    )
    assert main(["sweep", "bad.toml", "--workers", "1"]) == 1
    out, err = capsys.readouterr()
    reason = (
        "bad.toml, line 3: point 1 (network.hop_delay=0): network.hop_delay: 0 is not allowed; above 0 and at "
        "most 9.0072e+15 cycles"
    )
    assert err.startswith(f"ringlet: bad.toml: one run failed: {reason[:60]}")
    assert f"one run failed:\n  point 1, replication 0: {reason[:60]}" in out
    assert pd.read_csv("out/bad/failures.csv")["point"].tolist() == [1]
    assert pd.read_csv("out/bad/points.csv")["point"].tolist() == [0, 2]


def test_an_old_store_can_be_refused(folder):
    assert sweep(folder, "study.toml", "--no-resume").returncode == 0
    again = sweep(folder, "study.toml", "--no-resume")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == (
        "ringlet: --no-resume: <out/study/store.sqlite with 8 runs> is not allowed; another --out\n"
    )


MISTAKES = {
    "many": ("sweep", "many.toml"),
    "shard": ("sweep", "study.toml", "--shard", "3/2"),
    "executor": ("sweep", "study.toml", "--executor", "here"),
    "no-such-study": ("sweep", "nothing.toml"),
    "scenario-instead": ("sweep", "ring.toml"),
    "out-is-a-file": ("sweep", "study.toml", "--out", "ring.toml"),
    "out-cannot-be-made": ("sweep", "study.toml", "--out", "/proc/nothing"),
    "damaged": ("sweep", "study.toml", "--out", "damaged"),
    "empty-axis": ("sweep", "empty.toml"),
    "no-such-key": ("sweep", "misspelt.toml"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_bad_input_is_one_message_and_2(folder, snapshot, mistake):
    (folder / "damaged").mkdir()
    (folder / "damaged" / "store.sqlite").write_text("no store", encoding="utf-8")
    axis = "[[axes]]\nnetwork.hop_delay = {start = 1, stop = 1_000_000_000, count = 1_000_000_000}\n"
    (folder / "many.toml").write_text(f'scenario = "ring.toml"\n{axis}', encoding="utf-8")
    (folder / "empty.toml").write_text('scenario = "ring.toml"\n[[axes]]\nnetwork.nodes = []\n', encoding="utf-8")
    (folder / "misspelt.toml").write_text('scenario = "ring.toml"\n[[axes]]\nnetwork.noodles = [4]\n', encoding="utf-8")
    done = ringlet(*MISTAKES[mistake], folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == snapshot
    assert (folder / "damaged" / "store.sqlite").read_text(encoding="utf-8") == "no store"


def test_plot_draws_a_sweep(folder):
    swept = sweep(folder, "study.toml")
    assert swept.returncode == 0, swept.stderr
    done = ringlet("plot", "out/study", "--out", "figures", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert files_in(folder / "figures") == ["sweep.png", "sweep.svg"]
    both = ringlet("plot", "out/study", "ring.toml", folder=folder)
    assert both.returncode == 2
    assert "one sweep alone, or runs" in both.stderr
