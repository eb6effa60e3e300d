"""Fragments of event building from a file: one row for each sensor."""

import re

import pytest

import ringlet as rl
from ringlet import RingletError, Scenario

EVENTS = {"rate": "50 kHz", "builders": [3], "fragment": "256 B"}


def scenario(**events):
    return Scenario.from_dict({"network": {"nodes": 4}, "events": EVENTS | events})


def plan(**events):
    return scenario(**events).network_spec(1)["workload"][0]


def refused(**events):
    with pytest.raises(RingletError) as caught:
        scenario(**events)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_detector_of_many_sensors_is_one_file(tmp_path):
    file = tmp_path / "sensors.csv"
    rows = [f"sensor{i},mean: {100 + i}; deviation: 30; least: 16; most: 1024" for i in range(200)]
    file.write_text("\n".join(["source,size_bytes", *rows]))
    network = {"node_names": [*(f"sensor{i}" for i in range(200)), "builder"]}
    events = {"rate": "1 kHz", "builders": ["builder"], "fragments_file": str(file)}
    flows = Scenario.from_dict({"network": network, "events": events}).resolved.flows
    assert len(flows) == 200
    means = [flow.payload.bytes_each * flow.rate / flows[0].rate for flow in flows]
    assert means[199] / means[0] == pytest.approx(299 / 100, rel=0.05)


def test_a_file_stands_beside_the_size_of_all_others(tmp_path):
    file = tmp_path / "sensors.csv"
    file.write_text("source\tsize_KiB\n1\t1\n")
    assert [one["packets"] for one in plan(fragments_file=str(file))["fragments"]] == [
        ((4, 1.0),),
        ((16, 1.0),),
        ((4, 1.0),),
    ]


@pytest.mark.parametrize(
    ("cell", "of_bytes"),
    [
        ("512 B: 0.9; 4 KiB: 0.1", "512: 0.9; 4096: 0.1"),
        ("512: 0.9; 4096: 0.1", "512: 0.9; 4096: 0.1"),
        ("least: 64 B; most: 1 KiB", "least: 64; most: 1024"),
        ("mean: 1024; deviation: 600", "mean: 1024; deviation: 600"),
    ],
)
def test_a_column_without_a_unit_takes_what_one_with_a_unit_does(tmp_path, cell, of_bytes):
    (tmp_path / "plain.csv").write_text(f"source,size\n1,{cell}\n")
    (tmp_path / "bytes.csv").write_text(f"source,size_bytes\n1,{of_bytes}\n")
    plain, of_unit = (plan(fragments_file=str(tmp_path / name)) for name in ("plain.csv", "bytes.csv"))
    assert plain["fragments"] == of_unit["fragments"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("source,size_bytes\n0,64\n0,65\n", r"x.csv, line 3, source: '0' is not allowed; each source once"),
        ("source,size_bytes\n3,64\n", r"x.csv, line 2, source: '3' is not allowed; a node that sends fragments"),
        ("source,size_bytes\n9,64\n", r"x.csv, line 2, source: '9' is not allowed; a node from 0 to 3"),
        ("source,size_bytes\n0,0\n", r"x.csv, line 2, size: .*0.* is not allowed; above 0"),
        ("source\n0\n", r"x.csv, line 1: column 'size' is missing; columns are source, size"),
        ("source,size_bytes\n0,5 MB\n", r"x.csv, line 2, s.* is not allowed; "),
    ],
)
def test_a_file_with_a_wrong_fragment_is_refused(text, said, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    assert re.search(said, refused(fragments_file=str(tmp_path / "x.csv")))


def test_a_document_holds_what_the_file_has(tmp_path):
    (tmp_path / "sensors.csv").write_text("source,size_bytes\n0,640\n1,64: 0.5; 128: 0.5\n2,least: 1; most: 900\n")
    events = {"builders": [3], "rate": "50 kHz", "fragments_file": "sensors.csv"}
    content = {"network": {"nodes": 4}, "events": events, "run": {"duration": "200 us", "warmup": 0}}
    first = Scenario.from_dict(content, base_dir=tmp_path)
    again = Scenario.from_dict(first.to_dict())
    assert "fragments_file" not in first.to_dict()["events"]
    assert again.network_spec(1) == first.network_spec(1)
    assert rl.run(again).to_dict()["events"] == rl.run(first).to_dict()["events"]
