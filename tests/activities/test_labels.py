"""Columns of a table that are none of its keys: they come back in results, and slips are no labels."""

import json

import pandas as pd
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.cli import main

FLOWS = "source,destination,size,period_us,owner,room\n0,1,64,10,brakes,12\n1,2,1500,20,,\n"
EACH = [{"owner": "brakes", "room": "12"}, {}]


@pytest.fixture(params=["flows", "messages"])
def part(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ring = '[network]\nnodes = 4\n[run]\nduration = "100 us"\n'
    (tmp_path / "x.toml").write_text(f'{request.param}_file = "x.csv"\n{ring}', encoding="utf-8")
    (tmp_path / "x.csv").write_text(FLOWS, encoding="utf-8")
    return request.param


def test_labels_come_back_in_json_frames_and_tables(part, capsys):
    result = rl.run("x.toml")
    assert [one["labels"] for one in result.to_dict()[part]] == EACH
    frame = result.part(part)
    assert frame["labels_owner"].fillna("").tolist() == ["brakes", ""]
    assert frame["labels_room"].fillna("").tolist() == ["12", ""]
    assert main(["run", "x.toml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line.split() for line in lines if line.startswith(("flow  ", "message  ", "0-1"))]
    assert table[0][-2:] == ["owner", "room"]
    assert table[1][-2:] == ["brakes", "12"]


def test_labels_change_nothing_else(part, tmp_path):
    labelled = Scenario.load("x.toml").network_spec(1)
    (tmp_path / "x.csv").write_text("\n".join(line.rsplit(",", 2)[0] for line in FLOWS.splitlines()), encoding="utf-8")
    assert Scenario.load("x.toml").network_spec(1) == labelled


def test_labels_of_parquet_frames_and_the_file_itself_are_the_same(part, tmp_path):
    frame = pd.read_csv("x.csv")
    frame.to_parquet("x.parquet")
    parquet = Scenario.load("x.toml", [f"{part}_file=x.parquet"])
    again = Scenario.from_dict(json.loads(json.dumps(parquet.to_dict())), base_dir=tmp_path)
    for loaded in (parquet, again):
        table = loaded.resolved.flow_table or loaded.resolved.message_table
        assert [one.labels for one in table] == EACH
    rows = {"source": 0, "destination": 1, "size": 64, "period": "10 us", "labels": EACH[0]}
    inline = rl.run({"network": {"nodes": 4}, part: [rows], "run": {"duration": "100 us"}})
    assert inline.part(part)["labels_owner"].tolist() == ["brakes"]


def test_exported_flows_keep_their_labels(part):
    assert rl.export("x.toml", "csv")["x-flows.csv"].splitlines()[0].endswith(",owner,room")


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("perod", "did you mean 'period'?"),
        ("Priority", "did you mean 'priority'?"),
        ("priority_us", "columns are"),
        ("prio", "columns are"),
        ("speed", "columns are"),
        ("bytes", "columns are"),
        ("a;b", "columns are"),
        ("", "columns are"),
    ],
)
def test_a_slip_is_no_label(part, tmp_path, head, hint):
    (tmp_path / "x.csv").write_text(f"source,destination,size,period_us,{head}\n0,1,64,10,2\n", encoding="utf-8")
    with pytest.raises(RingletError) as caught:
        Scenario.load("x.toml").network_spec(1)
    assert f"x.csv, line 1: {head!r} is not allowed" in str(caught.value)
    assert hint in str(caught.value)


def test_a_label_twice_is_refused(part, tmp_path):
    (tmp_path / "x.csv").write_text("source,destination,size,period_us,a b,a b\n0,1,64,10,2,3\n", encoding="utf-8")
    with pytest.raises(RingletError, match="'a b' is not allowed; one column of each"):
        Scenario.load("x.toml").network_spec(1)


def test_keys_of_flows_are_no_labels_of_messages(tmp_path, monkeypatch):
    (tmp_path / "m.csv").write_text("source,destination,size,period_us,arrivals\n0,1,64,10,poisson\n", encoding="utf-8")
    with pytest.raises(RingletError, match="'arrivals' is not allowed; columns are source"):
        Scenario.from_dict({"network": {"nodes": 4}, "messages_file": "m.csv"}, base_dir=tmp_path)
