"""`ringlet compare`, end to end."""

import json

import pytest
from command_line import files_in, ringlet

RING = """
[network]
nodes = 4
[flow_control]
protocol = "none"
[traffic]
arrivals = "poisson"
load = "150 MB/s"
[run]
duration = "20 us"
"""


@pytest.fixture
def two(folder):
    (folder / "a.toml").write_text(RING, encoding="utf-8")
    (folder / "b.toml").write_text(RING.replace('"none"', '"sci"'), encoding="utf-8")
    return folder


def test_compare_says_what_differs_and_draws_it(two):
    words = ("compare", "a.toml", "b.toml", "--replications", 3, "--workers", 1, "--out", "figures")
    done = ringlet(*words, folder=two)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[:2] == [["A:", "a"], ["B:", "b"]]
    assert ["flow_control.protocol", "none", "sci"] in lines
    printed = {line[0]: line for line in lines if line[-1:] == ["pairs"]}
    again = ringlet(*words, "--json", folder=two)
    document = json.loads(again.stdout)
    found = {row["figure"]: row for row in document["rows"]}
    assert set(printed) <= set(found)
    assert {"throughput_MBps", "latency_mean_ns", "latency_p99_ns"} <= set(printed)
    for name, line in printed.items():
        row = found[name]
        assert float(line[1]) == pytest.approx(row["a"], rel=1e-3)
        assert ("*" in line) == (abs(row["difference"]) > row["difference_ci95"])
    assert document["files"] == ["figures/comparison.png", "figures/comparison.svg"]
    assert set(document["files"]) <= set(files_in(two))


def test_runs_whose_files_have_one_name_are_told_apart_by_their_folders(two):
    for name in ("one", "two"):
        (two / name).mkdir()
        done = ringlet("run", "a.toml", "--json", folder=two)
        (two / name / "run.json").write_text(done.stdout, encoding="utf-8")
    done = ringlet("compare", "one/run.json", "two/run.json", folder=two)
    assert done.stdout.splitlines()[:4] == ["A: one/run.json", "B: two/run.json", "", "no key differs"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a.toml",), "ringlet: Missing argument 'B'"),
        (("a.toml", "nowhere.toml"), "ringlet: nowhere.toml: no such file"),
        (("a.toml", "nowhere"), "nowhere"),
        (("a.toml", "b.toml", "--replications", "0"), "--replications"),
        (("a.toml", "b.toml", "--out", "a.toml"), "--out"),
        (("a.toml", "broken.json"), "broken.json"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(two, words, message):
    (two / "broken.json").write_text("{", encoding="utf-8")
    done = ringlet("compare", *words, folder=two)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
