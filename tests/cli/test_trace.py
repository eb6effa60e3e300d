"""`ringlet trace`, end to end."""

import sys

import pytest
from command_line import files_in, ringlet

from ringlet.cli import main
from ringlet.player import page


@pytest.mark.parametrize(("file_format", "suffix"), [("player", "html"), ("fst", "fst"), ("parquet", "parquet")])
def test_trace_writes_one_file(folder, file_format, suffix):
    before = files_in(folder)
    words = ("--format", file_format, "--out", f"out.{suffix}", "--from", "1 us", "--to", 900)
    done = ringlet("trace", "ring.toml", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == f"out.{suffix}: cycles 500 to 900 of 4 nodes, seed 1"
    assert set(files_in(folder)) == {*before, f"out.{suffix}"}


def test_the_player_prints_where_to_look(folder):
    done = ringlet("trace", "ring.toml", "--format", "player", "--out", "ring.html", folder=folder)
    lines = done.stdout.splitlines()
    assert "  first recovery: ring.html#cycle=" in done.stdout
    assert all("#cycle=" in line for line in lines[1:])


def test_two_runs_are_played_beside_each_other(folder):
    words = ("--format", "player", "--out", "both.html", "--to", 900, "--beside", "flow_control.protocol=none")
    done = ringlet("trace", "ring.toml", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "with flow_control.protocol=none:" in done.stdout.splitlines()
    made = (folder / "both.html").read_text(encoding="utf-8")
    assert made.count("<iframe") == 2
    assert "flow control sci beside flow control none" in made


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "csv", "--beside", "network.nodes=5"], "--beside: 'network.nodes=5' is not allowed; only with"),
        (
            ["--format", "player", "--to", "2 us", "--beside", "network.link_rate=500 MB/s"],
            "--beside: 4 nodes and ports in cycles 0 to 500; allowed beside the first: "
            "4 nodes and ports in cycles 0 to 1000",
        ),
        (["--format", "gtkw"], "--format: 'gtkw' is not allowed; player, vcd, fst, perfetto, csv, parquet"),
        (["--format", "csv", "--to", "soon"], "--to: 'soon' is not allowed; a quantity in ns"),
        (["--format", "csv", "--from", "-1"], "--from: '-1' is not allowed; "),
        (["--format", "csv", "--from", "20", "--to", "10"], "--to: 10 is not after --from 20"),
        (["--format", "csv", "--to", "1 s"], "--to: '1 s' is not allowed; with 4 nodes at most 5000000 cycles (10 ms)"),
        (["--format", "csv", "--out", "."], "--out: '.' is not allowed; a file, and this is a folder"),
        (["--format", "csv", "--out", "a/b"], "--out: 'a/b' is not allowed; a file in a folder that exists"),
        (["--format", "fst", "--out", "/dev/full"], "/dev/full: cannot be written"),
    ],
)
def test_bad_input_is_named(folder, monkeypatch, capsys, words, message):
    monkeypatch.chdir(folder)
    assert_refused(folder, capsys, words, message)


def test_a_window_too_long_for_the_player_is_named(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys.modules[page.__module__], "MAX_NODE_CYCLES", 40_000)
    message = "--to: 20000 is not allowed; for the player of 4 nodes at most 10000 cycles"
    assert_refused(folder, capsys, ["--format", "player", "--to", "20000"], message)


def assert_refused(folder, capsys, words, message):
    out = [] if "--out" in words else ["--out", "out"]
    before = files_in(folder)
    assert main(["trace", "ring.toml", *words, *out]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"ringlet: {message}")
    assert len(said.err.splitlines()) == 1
    assert files_in(folder) == before
