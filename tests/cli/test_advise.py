"""`ringlet advise`, end to end."""

import json
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from command_line import files_in, ringlet

NEEDS = """senders = 3
receivers = 2
rate = "100 MB/s"
loss = 0.01
latency = "4 us"
duration = "600 us"
topologies = ["ring", "switch", "omega"]
at_most = 3
[prices]
unit = "EUR"
port = 500
adapter = 900
"""


@pytest.fixture
def needs(folder):
    (folder / "needs.toml").write_text(NEEDS, encoding="utf-8")
    return folder


def test_advise_ranks_networks_and_goes_on_where_it_ended(needs, snapshot):
    done = ringlet("advise", "needs.toml", "--out", "out", "--workers", 1, folder=needs)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("simulating: ") for line in done.stderr.splitlines())
    assert done.stdout == snapshot
    table = done.stdout.split("\n\n")[1].splitlines()
    assert max(map(len, table)) <= 100
    assert {"out/advice.csv", "out/advice.svg", "out/store.sqlite"} <= set(files_in(needs))
    ET.parse(needs / "out" / "advice.svg")
    again = ringlet("advise", "needs.toml", "--out", "out", "--workers", 1, "--json", folder=needs)
    assert again.returncode == 0, again.stderr
    printed = json.loads(again.stdout)
    assert printed["runs"]["computed"] == 0
    table = pd.read_csv(needs / "out" / "advice.csv")
    assert [one["name"] for one in printed["candidates"]] == table["candidate"].tolist()
    best = printed["candidates"][0]
    assert (best["verdict"], best["name"]) == ("fits", printed["best"])
    assert best["price"] == 500 * best["parts"]["ports"] + 900 * 5
    assert printed["files"] == ["out/advice.csv", "out/advice.svg"]
    assert best["price"] == min(one["price"] for one in printed["candidates"] if one["verdict"] == "fits")
    assert f"cheapest that fits: {best['name']}, {best['price']:g} EUR" in done.stdout.splitlines()


def test_advise_says_that_nothing_is_known_to_fit(needs):
    asked = ("advise", "needs.toml", "--set", "latency=200 ns", "--out", "out", "--workers", 1)
    printed = json.loads(ringlet(*asked, "--json", folder=needs).stdout)
    assert printed["best"] is None
    assert all(one["verdict"] != "fits" for one in printed["candidates"])
    assert "no candidate is known to fit" in ringlet(*asked, folder=needs).stdout.splitlines()


REFUSED = {
    "nothing": ([], "REQUIREMENTS: missing"),
    "no file": (["nowhere.toml"], "nowhere.toml: no such file"),
    "no rate": (["--set", "senders=2", "--set", "receivers=2"], "rate: missing; it has to be given"),
    "unknown key": (["needs.toml", "--set", "recievers=2"], "recievers: unknown key; did you mean 'receivers'?"),
    "unit": (["needs.toml", "--set", "rate=5 us"], "rate: '5 us' is not allowed; a quantity in MB/s"),
    "transaction": (["needs.toml", "--set", "transaction=send7"], "traffic.transaction: 'send7' is not allowed"),
    "buffers": (["needs.toml", "--set", "switch.receive=0"], "switch.receive: 0 is not allowed; at least 1"),
    "duration": (["needs.toml", "--set", "duration=1 fortnight/s"], "duration"),
    "out is a file": (["needs.toml", "--out", "ring.toml"], "--out"),
    "too few ports": (
        ["needs.toml", "--set", 'topologies=["torus"]', "--set", "senders=1", "--set", "receivers=1"],
        "topologies: none of torus",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_advise_refuses(needs, name):
    words, message = REFUSED[name]
    before = files_in(needs)
    done = ringlet("advise", *words, folder=needs)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert message in done.stderr
    assert files_in(needs) == before
