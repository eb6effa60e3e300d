"""Members of the family that are rings of today: each has what docs/explanation/family.md says that it has."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ringlet as rl

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FAMILY = (ROOT / "docs/explanation/family.md").read_text(encoding="utf-8")
COMMAND = Path(sys.executable).parent / "ringlet"

MEMBERS = {
    "hsr": ("how-to/failures.md", "No loss at all: a copy round each ring", "| two rings, `both` |"),
    "packet-ring": ("explanation/access-protocols.md", "`rpr`", "| `rpr` |"),
    "timed-token": ("explanation/access-protocols.md", "`timed-token`", "| `timed-token` |"),
    "gpu-ring": ("how-to/collectives.md", "A ring of accelerators", "cluster: share"),
}
"""Page, its heading, and row or column of the family's tables, by the name of the example."""

SMALL = """
[network]
nodes = 2

[flow_control]
protocol = "timed-token"

[traffic]
transaction = "send16"
load = "10 MB/s"
"""

RECORDS = 'size = 30000\narrivals = "poisson"\nrate = "10 Mb/s"'
"""Records of hsr.toml, in its words."""

NO_FAILURES = ("--set", "errors.links=[]", "--set", "errors.nodes=[]")


def called(*words):
    """Exit code, and what is printed."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_has_an_example_a_picture_a_page_and_a_row(name):
    page, heading, row = MEMBERS[name]
    assert f"({name}.toml)" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert (ROOT / f"docs/images/gallery/{name}.svg").stat().st_size > 1000
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"## {heading}\n" in text
    assert row in FAMILY
    assert f"`{name}.toml`" in FAMILY


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_is_played(name, tmp_path):
    played = tmp_path / "player.html"
    code, said = called("trace", EXAMPLES / f"{name}.toml", "--to", "2 us", "--format", "player", "--out", played)
    assert code == 0, said
    assert played.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("name", "more", "code", "says"),
    [
        ("hsr", NO_FAILURES, 0, "does not deadlock    yes"),
        ("packet-ring", (), 0, "does not deadlock    yes"),
        ("gpu-ring", (), 2, r"collective: <\[collective\]> is not allowed; none: what is explored is that of packets"),
    ],
)
def test_a_member_is_checked_or_says_why_not(name, more, code, says):
    found, said = called("check", EXAMPLES / f"{name}.toml", *more)
    assert (found, bool(re.search(says, said))) == (code, True), said


def test_all_states_of_a_small_timed_token_ring_are_met(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    code, said = called("check", file, "--json")
    found = json.loads(said)
    assert (code, found["holds"], found["complete"], found["states"]) == (0, True, True, 499)
    assert "two nodes with `send16`: 499" in FAMILY


@pytest.mark.parametrize(("size", "ms", "guaranteed"), [(15_000, 12, 6), (30_000, 24, 0)])
def test_a_copy_round_each_ring_has_a_bound_whatever_one_thing_fails(size, ms, guaranteed, tmp_path):
    text = (EXAMPLES / "hsr.toml").read_text(encoding="utf-8")
    assert RECORDS in text
    file = tmp_path / "hsr.toml"
    file.write_text(text.replace(RECORDS, f'size = {size}\nperiod = "{ms} ms"'), encoding="utf-8")
    _, said = called("guarantee", file, "--any-failure", "--json", *NO_FAILURES)
    judged = [one for one in json.loads(said)["messages"] if one["deadline_us"] is not None]
    assert [one["guaranteed"] for one in judged] == [guaranteed > 0] * 6
    if guaranteed:
        margin = min(one["deadline_us"] - one["bound_us"] for one in judged)
        assert f"a margin of {margin:.0f} us" in FAMILY


def test_loops_round_a_timed_token_are_guaranteed():
    _, said = called("guarantee", EXAMPLES / "timed-token.toml", "--json")
    loops = [one for one in json.loads(said)["messages"] if one["name"].startswith("loop")]
    assert len(loops) == 8
    assert all(one["guaranteed"] for one in loops)


@pytest.mark.parametrize(
    ("name", "says"),
    [("packet-ring", "flows.* is not allowed; 'periodic'"), ("gpu-ring", "no collective operation, for a guarantee")],
)
def test_a_member_without_a_bound_says_why(name, says):
    code, said = called("guarantee", EXAMPLES / f"{name}.toml")
    assert (code, bool(re.search(says, said))) == (2, True), said
    assert {"packet-ring": "offices and homes\n  are Poisson", "gpu-ring": "in the place of a guarantee"}[
        name
    ] in FAMILY


def test_classes_of_a_packet_ring_are_guaranteed_without_the_homes_and_not_beside_them(tmp_path):
    content = tomllib.loads((EXAMPLES / "packet-ring.toml").read_text(encoding="utf-8"))
    for one in content["flows"]:
        # The same data as periodic messages.
        if "rate" in one:
            one["period"] = f"{one['size'] / float(one.pop('rate').removesuffix(' MB/s'))} us"
    beside = rl.guarantee({**content, "flows": [one for one in content["flows"] if "homes" not in one["name"]]})
    circuits = beside[beside["deadline_us"].notna()]
    assert len(circuits) == 3
    assert circuits["guaranteed"].all()
    assert f"a margin of {(circuits['deadline_us'] - circuits['bound_us']).min():.0f} us" in FAMILY
    # Of homes that the links carry.
    few = [one for one in content["flows"] if "homes" not in one["name"] or one["name"] == "homes of 1"]
    found = rl.guarantee({**content, "flows": few})
    assert found["bound_us"].isna().all()
    assert found["why"].str.contains("fairness restricts class C").all()


def test_a_ring_of_857_km_takes_the_time_of_light_and_of_its_queues():
    """Every station sends 6 % of a link halfway round: as page and theory say it, to a microsecond of 2,100."""
    km = [90, 140, 130, 70, 157, 270]
    network = {"nodes": 6, "link_rate": "312.5 MB/s", "cable_length": [f"{one} km" for one in km]}
    traffic = {"destinations": [3, 4, 5, 0, 1, 2], "transaction": "send288", "load": "20 MB/s"}
    content = {
        "network": {**network, "cable_delay": "4.9 ns"},
        "flow_control": {"protocol": "rpr"},
        "traffic": traffic,
        "run": {"duration": "40 ms", "warmup": "20 ms"},
    }
    document = rl.run(content).document
    assert document["total"]["of_optimum"] == pytest.approx(1, abs=0.01)
    for node in document["nodes"]:
        way = sum((km * 2)[node["id"] : node["id"] + 3]) * 4900
        # Its own 288 bytes, and some of others: each of the three links is in use for 0.19 of the time.
        assert 288 / 0.3125 < node["latency_ns"]["mean"] - way < 1.5 * 288 / 0.3125
    mean = document["total"]["latency_ns"]["mean"]
    assert mean == pytest.approx(857 / 2 * 4900 + 288 / 0.3125, rel=5e-3)
    assert "a ring of 857 km" in FAMILY


def test_two_rings_take_half_of_the_way_of_one():
    """Of 8 stations a packet passes 16/7 links on average in place of 4, and no switch."""
    latency = {}
    for topology, keys in {"ring": {}, "dual-attached-ring": {"ways": "shorter"}}.items():
        network = {"topology": topology, "nodes": 8, "hop_delay": 20, **keys}
        run = {"duration": "100 ms", "warmup": "10 us"}
        found = rl.run({"network": network, "traffic": {"load": "1 MB/s"}, "run": run}).document["total"]
        latency[topology] = found["latency_ns"]["mean"]
    saved = latency["ring"] - latency["dual-attached-ring"]
    assert saved == pytest.approx((4 - 16 / 7) * 40, abs=4)
    assert "16/7 links in place of 4" in FAMILY
