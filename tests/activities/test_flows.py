"""Flows: what a file may say, what the engine makes of it, and what a run tells of each."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tomli_w

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.cli import main
from ringlet.cli.verdicts import length_line
from ringlet.scenario.activities.flows import plan
from ringlet.scenario.activities.flows.activity import flows_line
from ringlet.scenario.activities.flows.keys import read_flows

CYCLE_NS = 2
"""Of a ring of 1 GB/s, whose links carry 2 bytes in a cycle."""

ONE = {"source": 0, "destination": 2, "size": 64}


def scenario(*flows, **sections):
    return Scenario.from_dict({"network": {"nodes": 4}, "flows": [{**ONE, **flow} for flow in flows], **sections})


def refused(*flows, **sections):
    with pytest.raises(RingletError) as caught:
        scenario(*flows, **sections)
    message = str(caught.value)
    assert "\n" not in message
    return message


def found(*flows, **sections):
    return rl.run(scenario(*flows, **sections)).to_dict()


def engine_flow(**keys):
    return scenario(keys).network_spec(1)["flows"][0]


LONG = {"run": {"duration": "4 ms", "warmup": 0}}


# --- What the engine is told --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "arrivals"),
    [
        ({}, {"kind": "saturated"}),
        ({"rate": "32 MB/s"}, {"kind": "poisson", "rate": 0.001}),
        ({"rate": "500 kHz"}, {"kind": "poisson", "rate": 0.001}),
        ({"rate": "32 MB/s", "arrivals": "bernoulli"}, {"kind": "bernoulli", "rate": 0.001}),
        ({"period": "2 us", "offset": "100 ns"}, {"kind": "periodic", "period": 1000, "phase": 50}),
        ({"rate": "32 MB/s", "arrivals": "periodic"}, {"kind": "periodic", "period": 1000, "phase": 0}),
        ({"period": "2 us", "drift": -1000}, {"kind": "periodic", "period": 999, "phase": 0}),
        ({"period": 1000, "sporadic": 300}, {"kind": "sporadic", "period": 1000, "phase": 0, "extra": 300}),
        (
            {"period": 1000, "arrivals": "on-off", "on": 4000, "off": 12000},
            {"kind": "on-off", "gap": 250, "on": 4000, "off": 12000, "shape": None},
        ),
        (
            {"period": 1000, "arrivals": "pareto-on-off", "on": 4000, "off": 12000, "shape": 1.2},
            {"kind": "on-off", "gap": 250, "on": 4000, "off": 12000, "shape": 1.2},
        ),
        ({"times": ["2 us", 3000]}, {"kind": "listed"}),
    ],
)
def test_arrivals_are_those_of_the_keys_that_are_given(keys, arrivals):
    assert engine_flow(**keys)["arrivals"] == arrivals


def test_start_stop_total_and_jitter_belong_to_the_messages():
    messages = engine_flow(period=1000, start="1 us", stop="9 us", total=7, jitter="200 ns", size=300)["messages"]
    assert messages == {
        "jitter_cycles": 100,
        "start_cycle": 500,
        "stop_cycle": 4500,
        "total": 7,
        "size": {"kind": "weighted", "sizes": [(300, 1.0)]},
        "packet_bytes": 64,
    }


@pytest.mark.parametrize(
    ("destination", "spec"),
    [
        (3, {"kind": "fixed", "node": 3}),
        ([3], {"kind": "fixed", "node": 3}),
        ("all", {"kind": "uniform"}),
        ([1, 3], {"kind": "weighted", "weights": [0, 0.5, 0, 0.5]}),
        ({"1": 0.75, "2": 0.25}, {"kind": "weighted", "weights": [0, 0.75, 0.25, 0]}),
    ],
)
def test_a_flow_goes_to_one_node_to_several_or_to_all(destination, spec):
    assert engine_flow(destination=destination, period=1000)["destinations"] == spec


def test_nodes_go_by_their_names():
    network = {"nodes": 3, "node_names": ["camera", "disk", "7"]}
    flow = {"source": "camera", "destination": {"disk": 0.5, "7": 0.5}, "size": 64, "period": 1000}
    content = Scenario.from_dict({"network": network, "flows": [flow]})
    assert content.flows[0].name == "camera-disk+7"
    assert content.network_spec(1)["flows"][0]["destinations"]["weights"] == [0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("size", "mean_bytes", "mean_packets"),
    [
        ("1 KiB", 1024, 16),
        ({"64 B": 0.5, "65": 0.5}, 64.5, 1.5),
        ({"least": 1, "most": 128}, 64.5, 1.5),
        ({"mean": "4 KiB", "deviation": 0.001}, 4096.5, 64.5),
        ({"mean": "4 KiB", "deviation": "4 KiB", "most": 64}, 64, 1),
    ],
)
def test_means_of_sizes_make_the_load(size, mean_bytes, mean_packets):
    (plan,) = scenario({"size": size, "period": 100_000}).resolved.plans
    sizes = plan.every[0].sizes
    assert sizes.mean_bytes == pytest.approx(mean_bytes, abs=0.6)
    assert sizes.mean_packets == pytest.approx(mean_packets, abs=0.6)
    (flow,) = scenario({"size": size, "period": 100_000}).resolved.flows
    assert flow.rate == pytest.approx(sizes.mean_packets / 100_000)


# --- What a run tells ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arrivals",
    [
        {"arrivals": "poisson"},
        {"arrivals": "bernoulli"},
        {"arrivals": "periodic"},
        {"arrivals": "on-off", "on": "5 us", "off": "5 us"},
        {"arrivals": "pareto-on-off", "on": "5 us", "off": "5 us", "shape": 3},
    ],
)
@pytest.mark.parametrize("size", [200, {"64": 0.5, "1500": 0.5}, {"least": 1, "most": 999}])
def test_the_offered_load_is_the_rate_whatever_the_arrivals_and_sizes(arrivals, size):
    (flow,) = found({"size": size, "rate": "80 MB/s", **arrivals}, **LONG)["flows"]
    assert flow["offered_MBps"] == pytest.approx(80, rel=0.12)
    assert flow["delivered_MBps"] == pytest.approx(flow["offered_MBps"], rel=0.02)
    assert flow["lost"] == 0
    assert flow["offered"] == flow["delivered"] + flow["unfinished"]


def test_latencies_are_of_whole_messages_and_in_order():
    (large,) = found({"size": 640, "period": "5 us"}, **LONG)["flows"]
    # An idle, two hops, ten packets of 40 symbols and nine idles; go bits may keep the first ones.
    least = (1 + 2 + 10 * 40 + 9) * CYCLE_NS
    assert least <= large["latency_min_ns"] <= least + 10 * CYCLE_NS
    names = ("min", "p50", "p95", "p99", "p999", "max")
    times = [large[f"latency_{name}_ns"] for name in names]
    assert times == sorted(times)
    assert large["latency_jitter_ns"] == large["latency_max_ns"] - large["latency_min_ns"]


def test_jitter_counts_in_the_latency():
    plain, late = (found({"period": "5 us", "jitter": jitter}, **LONG)["flows"][0] for jitter in (0, "1 us"))
    assert late["latency_max_ns"] == pytest.approx(plain["latency_max_ns"] + 1000, abs=20)
    assert late["latency_mean_ns"] == pytest.approx(plain["latency_mean_ns"] + 500, abs=60)


def test_a_deadline_counts_what_misses_it():
    on_time, late = (found({"size": 640, "period": "5 us", "deadline": d}, **LONG)["flows"][0] for d in (2000, 100))
    assert (on_time["missed"], on_time["deadline_miss_ratio"]) == (0, 0)
    assert (late["missed"], late["deadline_miss_ratio"]) == (late["offered"], 1)
    assert found({"period": "5 us"}, **LONG)["flows"][0]["missed"] is None


def test_a_full_queue_loses_whole_messages():
    (flow,) = found({"size": 640, "period": "5 us"}, queues={"transmit": 9}, **LONG)["flows"]
    assert flow["lost"] == flow["offered"] == 800
    assert flow["latency_mean_ns"] is None


def test_a_flow_that_ends_is_seen_to_its_end_without_a_warm_up():
    document = found({"times": ["10 us", "12 us", "3 ms"], "size": "100 KB"}, {"period": "1 us", "source": 1})
    assert document["flows"][0]["delivered"] == 3
    assert document["flows"][0]["latency_min_ns"] > 100_000


def test_a_message_of_many_megabytes_is_cut_and_put_together_again():
    (flow,) = found({"size": "4 MB", "times": [0]}, run={"duration": "12 ms", "warmup": 0})["flows"]
    assert (flow["delivered"], flow["size_bytes"]) == (1, 4e6)


def test_a_saturated_flow_takes_what_it_gets():
    document = found({}, flow_control={"protocol": "none"}, run={"duration": "100 us", "warmup": 0})
    # A packet of 64 bytes of data in every 41 cycles.
    assert document["flows"][0]["delivered_MBps"] == pytest.approx(64 / 41 / CYCLE_NS * 1e3, rel=0.01)


def test_reads_move_the_data_to_the_source():
    (flow,) = found({"period": "5 us", "size": 200}, flow_transaction="read64", **LONG)["flows"]
    assert flow["delivered_MBps"] == pytest.approx(40, rel=0.02)


def test_a_network_of_rings_carries_flows():
    network = {"topology": "torus", "shape": [2, 2]}
    document = found({"destination": 3, "size": 500, "period": "5 us", "jitter": "1 us"}, network=network, **LONG)
    assert document["flows"][0]["delivered"] == pytest.approx(800, abs=2)


SEVERAL = (
    {"rate": "50 MB/s", "size": {"mean": 500, "deviation": 700}, "destination": "all"},
    {"source": 1, "destination": [0, 3], "period": "3 us", "jitter": "7 us", "size": {"64": 0.5, "900": 0.5}},
    {"source": 3, "rate": "20 MB/s", "arrivals": "pareto-on-off", "on": "20 us", "off": "40 us", "size": 300},
    {"source": 2, "destination": 0, "size": 64, "period": "4 us", "sporadic": "1 us", "drift": 50},
)


def test_the_same_seed_is_the_same_whatever_the_way_in(tmp_path):
    content = scenario(*SEVERAL, run={"duration": "200 us", "warmup": 0})
    first = rl.run(content, seed=3)
    assert rl.run(content, seed=3).to_dict() == first.to_dict()
    assert rl.run(content, seed=4).to_dict()["flows"] != first.to_dict()["flows"]
    delivered = first.nodes["delivered_packets"].tolist()
    stepped = rl.Simulation(content, seed=3)
    for cycles in (1, 999, 7_000, 42_000):
        stepped.advance(cycles)
    stepped.save(tmp_path / "half")
    ways = [stepped.fork(), rl.Simulation.load(tmp_path / "half"), stepped]
    for way in ways:
        way.advance(50_000)
        assert way.counters().nodes["delivered_packets"].tolist() == delivered


# --- Tables -------------------------------------------------------------------------------------------------------

TABLE = """name,source,destination,size_bytes,rate_MBps,period_us,jitter_us,drift_ppm,priority,deadline_us
a,0,2,64,32,,,,1,50
b,1,0; 3,64: 0.5; 1500: 0.5,,10,2.5,-20,,
c,2,all,200,,4,,,,
d,3,0: 0.25; 1: 0.75,300,5,,,,,
"""


def from_table():
    return [
        {**ONE, "name": "a", "rate": "32 MB/s", "priority": 1, "deadline": "50 us"},
        {"name": "b", "source": 1, "destination": [0, 3], "size": {"64 bytes": 0.5, "1500 bytes": 0.5}}
        | {"period": "10 us", "jitter": "2.5 us", "drift": -20},
        {"name": "c", "source": 2, "destination": "all", "size": 200, "period": "4 us"},
        {"name": "d", "source": 3, "destination": {"0": 0.25, "1": 0.75}, "size": 300, "rate": "5 MB/s"},
    ]


def test_a_csv_file_a_parquet_file_a_data_frame_and_tables_are_the_same(tmp_path):
    (tmp_path / "flows.csv").write_text(TABLE)
    frame = pd.read_csv(tmp_path / "flows.csv", dtype={"destination": str, "size_bytes": str})
    ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "none"}}
    specs = [Scenario.from_dict({**ring, "flows": from_table()}).network_spec(1)]
    text = 'flows_file = "flows.csv"\n[network]\nnodes = 4\n[flow_control]\nprotocol = "none"\n'
    (tmp_path / "ring.toml").write_text(text)
    loaded = Scenario.load(tmp_path / "ring.toml")
    specs += [loaded.network_spec(1), Scenario.from_dict(json.loads(json.dumps(loaded.to_dict()))).network_spec(1)]
    specs.append(rl.Scenario(**ring, flows=frame).network_spec(1))
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "flows.parquet")
    specs.append(Scenario.load(tmp_path / "ring.toml", ['flows_file="flows.parquet"']).network_spec(1))
    assert all(spec == specs[0] for spec in specs)


@pytest.mark.parametrize(
    ("columns", "twice"),
    [
        ({"period_us": 10.0, "period_us ": 20.0}, "period"),
        ({"period_us": 10.0, "period_ns": 20.0}, "period"),
        ({"period_us": 10.0, "source ": 2}, "source"),
        ({"period_us": 10.0, "owner": "a", "owner ": "b"}, "owner"),
    ],
)
@pytest.mark.parametrize("part", ["flows", "messages"])
def test_a_parquet_file_with_a_column_twice_is_refused_as_a_csv_file_is(tmp_path, part, columns, twice):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cells = {"source": 0, "destination": 1, "size_bytes": 64, **columns}
    # A data frame has no column twice, a file may: names that differ in a space are equal in it.
    names = [name.strip() for name in cells]
    table = pyarrow.Table.from_arrays([pyarrow.array([cell]) for cell in cells.values()], names=names)
    parquet.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text(",".join(names) + "\n" + ",".join(map(str, cells.values())), encoding="utf-8")
    said = []
    for file, place in (("x.parquet", "header"), ("x.csv", "line 1")):
        with pytest.raises(RingletError) as refused:
            Scenario.from_dict({"network": {"nodes": 4}, f"{part}_file": file}, base_dir=tmp_path)
        said.append(str(refused.value).replace(f"{file}, {place}", "FILE"))
    assert said[0] == said[1]
    assert said[0].endswith(f"FILE: {twice!r} is not allowed; one column of each")


def test_flows_of_one_way_are_told_apart_and_those_of_one_name_refused(tmp_path):
    rows = [f"{number % 2},{2 + number % 2},64,poisson,0.001" for number in range(3000)]
    head = "source,destination,size_bytes,arrivals,rate_MBps\n"
    (tmp_path / "x.csv").write_text(head + "\n".join(rows), encoding="utf-8")
    ring = {"network": {"nodes": 4}, "flows_file": "x.csv", "run": {"duration": 1000, "warmup": 0}}
    found = [flow["name"] for flow in rl.run(Scenario.from_dict(ring, base_dir=tmp_path)).to_dict()["flows"]]
    assert found[:3] == ["0-2", "1-3", "0-2 (2)"]
    assert found[-1] == "1-3 (1500)"
    named = "name," + head + "\n".join(f"f{number // 2},{row}" for number, row in enumerate(rows))
    (tmp_path / "x.csv").write_text(named, encoding="utf-8")
    with pytest.raises(RingletError) as refused:
        Scenario.from_dict(ring, base_dir=tmp_path)
    message = "name: 'f0' is not allowed; a name that no other flow or message has, or none"
    assert refused.value.args[0].endswith(f"x.csv, line 3, {message}")
    assert len(refused.value.args) == 51
    assert str(refused.value).endswith(
        "'f49' is not allowed; a name that no other flow or message has, or none; and 1450 more"
    )


@pytest.mark.parametrize("delimiter", ["\t", ";"])
def test_a_table_may_have_other_delimiters_and_comments(tmp_path, delimiter):
    rows = [["source", "destination", "size", "period_us"], ["0", '"1; 2"', "64", "10"], ["1", "2", "1500", "20"]]
    for name, between, above in (("a", ",", ""), ("b", delimiter, "# from a spreadsheet\n\n")):
        text = above + "".join(f"{between.join(row)}\n# another\n" for row in rows)
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    specs = [
        Scenario.from_dict({"network": {"nodes": 4}, "flows_file": f"{name}.csv"}, base_dir=tmp_path).network_spec(1)
        for name in "ab"
    ]
    assert specs[0] == specs[1]


@pytest.mark.parametrize(
    ("column", "cell", "times"),
    [
        ("times", "0; 250; 900 us", ["0.0 us", "250.0 us", "900 us"]),
        ("times_us", "0; 250; 900", ["0.0 us", "250.0 us", "900 us"]),
        ("times", "0; 250 ns; 9 us", ["0.0 us", "250 ns", "9 us"]),
        ("times", "0; 250; 900", [0.0, 250.0, 900.0]),
    ],
)
def test_the_unit_behind_a_list_of_times_is_that_of_all(tmp_path, column, cell, times):
    file = tmp_path / "flows.csv"
    file.write_text(f"source,destination,size_bytes,{column}\n0,1,64,{cell}\n", encoding="utf-8")
    (flow,) = read_flows(file)
    assert flow.times == times


def test_a_line_behind_comments_keeps_its_number(tmp_path):
    (tmp_path / "f.csv").write_text("# a\nsource,destination,size\n# b\n0,9,64\n", encoding="utf-8")
    with pytest.raises(RingletError, match=r"f.csv, line 4, destination: 9 is not allowed"):
        Scenario.from_dict({"network": {"nodes": 4}, "flows_file": "f.csv"}, base_dir=tmp_path).network_spec(1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source,destination,size\n0,0,64\n", ["line 2, destination: 0", "another node than the source"]),
        ("source,destination,size\n0,,64\n", ["line 2, destination", "missing"]),
        ("source,destination,size\n0,1,0\n", ["line 2, size: 0", "above 0"]),
        ("source,destination,size\n0,9,64\n", ["line 2, destination: 9", "a node below 4"]),
        ("source,destination,size\n0,disk,64\n", ["line 2, destination: 'disk'", "node"]),
        ("source,destination,size,size\n0,1,64,64\n", ["line 1: 'size'", "one column of each"]),
        ("source,destination,size,speed\n0,1,64,2\n", ["line 1: 'speed'", "columns are source"]),
        ("source,destination\n0,1\n", ["line 1", "column 'size' is missing"]),
        ("source,destination,size,rate_MBps\n0,1,64,2000\n", ["line 2, rate: '2000 MBps'", "1000 MB/s", "node 0"]),
        ("source,destination,size,rate\n0,1,64,fast\n", ["line 2, rate: 'fast'", "100 MB/s"]),
        ("source,destination,size\n0,1\n", ["line 2: <2 values>", "3, one per column"]),
        ("source,destination,size\n", ["<no flow>"]),
        ("source,destination,size\n0,1: 0.5; 2: 0.6,64\n", ["line 2, destination", "sum to 1"]),
    ],
)
def test_a_row_that_cannot_be_is_named_with_its_line_column_and_value(tmp_path, text, words):
    (tmp_path / "flows.csv").write_text(text)
    with pytest.raises(RingletError) as caught:
        Scenario.from_dict({"network": {"nodes": 4}, "flows_file": "flows.csv"}, base_dir=tmp_path)
    said = str(caught.value)
    assert "flows.csv" in said
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ({"destination": 0}, ["flows[0].destination: 0", "another node"]),
        ({"destination": []}, ["flows[0].destination", "at least one node"]),
        ({"destination": [1, 1]}, ["flows[0].destination", "each node once"]),
        ({"source": 4}, ["flows[0].source: 4", "a node below 4"]),
        ({"size": 0.5}, ["flows[0].size: 0.5", "whole number"]),
        ({"size": "2 GiB", "period": "1 s"}, ["flows[0].size", "16777216 packets"]),
        ({"size": {"64": 0.4}}, ["flows[0].size", "sum to 1"]),
        ({"size": {"least": 1}, "period": 1e4}, ["flows[0].size", "a largest size, most"]),
        ({"size": {"mean": 9}, "period": 1e4}, ["flows[0].size", "a mean and a deviation"]),
        ({"size": 100}, ["flows[0].size: 100", "64 bytes", "saturated"]),
        ({"rate": "1 GHz"}, ["flows[0].rate: '1 GHz'", "one message in a cycle"]),
        ({"rate": "1.1 GB/s"}, ["flows[0].rate: '1.1 GB/s'", "1000 MB/s, the rate of the link from node 0"]),
        ({"period": 10}, ["flows[0].period: 10", "1000 MB/s"]),
        ({"rate": "1 MB/s", "period": 100}, ["flows[0].rate", "given together with period"]),
        ({"arrivals": "poisson"}, ["flows[0].rate: missing"]),
        ({"arrivals": "on-off", "rate": "1 MB/s"}, ["flows[0].on: missing"]),
        ({"arrivals": "times"}, ["flows[0].times: missing"]),
        ({"times": [5, 3]}, ["flows[0].times[1]: 3", "do not go back"]),
        ({"rate": "1 MB/s", "offset": 5}, ["flows[0].offset: 5", "it belongs to arrivals periodic"]),
        ({"period": 1000, "start": 50, "stop": 50}, ["flows[0].stop: 50", "after the start"]),
        ({"period": 1000, "drift": -999_999}, ["flows[0].drift", "a period of 1 to"]),
        ({"arrivals": "sometimes"}, ["flows[0].arrivals: 'sometimes'", "'poisson'"]),
    ],
)
def test_a_flow_that_cannot_be_is_refused(flow, words):
    said = refused(flow)
    assert all(word in said for word in words), said


def test_two_flows_have_two_names_and_one_table():
    named = "flows[1].name: 'a' is not allowed; a name that no other flow or message has, or none"
    assert named in refused({"name": "a", "period": 1000}, {"name": "a", "period": 2000})
    assert "flows_file: given together with flows" in refused({}, flows_file="flows.csv")
    with pytest.raises(RingletError, match="flow_transaction: 'read64' is not allowed"):
        Scenario.from_dict({"network": {"nodes": 4}, "flow_transaction": "read64"})


def test_flows_of_one_way_without_names_are_numbered_in_the_order_of_the_table(tmp_path):
    way = {"size": 64, "period": 4000}
    flows = [{**ONE, **way}, {**ONE, **way}, {"name": "0-2", **ONE, **way}, {**ONE, **way}, {**way, **ONE, "source": 1}]
    names = ["0-2 (2)", "0-2 (3)", "0-2", "0-2 (4)", "1-2"]
    ring = {"network": {"nodes": 4}, "run": {"duration": "1 ms"}}
    table = pd.DataFrame(flows).rename(columns={"size": "size_bytes"}).assign(period_us=8).drop(columns="period")
    table.to_csv(tmp_path / "flows.csv", index=False)
    ways = [
        Scenario.from_dict({**ring, "flows": flows}),
        Scenario.from_dict({**ring, "flows": table}),
        Scenario.from_dict({**ring, "flows_file": str(tmp_path / "flows.csv")}),
    ]
    for given in ways:
        again = Scenario.from_dict(json.loads(json.dumps(given.to_dict())))
        for one in (given, again):
            assert [flow.name for flow in one.resolved.flow_table] == names
        assert sorted(rl.run(again).part("flows")["name"]) == sorted(names)
    # What is added behind renames nothing, and a flow without a name never takes that of a message.
    messages = [{"name": "0-2", **ONE, "period": 4000}, {**ONE, "period": 4000}]
    both = Scenario.from_dict({**ring, "messages": messages, "flows": flows[:2]})
    assert [message.name for message in both.periodic_messages] == ["0-2", "0-2 (2)"]
    assert [flow.name for flow in both.resolved.flow_table] == ["0-2 (3)", "0-2 (4)"]
    # The flow that another one follows is named so.
    after = {"source": 2, "destination": 0, "size": 64, "after": "0-2 (2)"}
    assert rl.run(scenario(*[{"rate": "9 MB/s"}] * 2, after)).part("flows")["name"].tolist()[-1] == "2-0"


def test_a_frame_without_a_row_or_with_a_bad_one_is_refused():
    frame = pd.DataFrame({"source": [0, 1], "destination": [1, 1], "size": [64, 64]})
    with pytest.raises(RingletError, match=r"flows\[1\].destination: 1"):
        rl.Scenario(network={"nodes": 4}, flows=frame)
    with pytest.raises(RingletError, match="flows: <no row>"):
        rl.Scenario(network={"nodes": 4}, flows=frame.iloc[:0])


# --- Theory -------------------------------------------------------------------------------------------------------


def test_the_fair_share_is_that_of_the_rates_and_destinations_of_flows():
    flows = [{"source": 0, "destination": {"1": 0.5, "3": 0.5}, "rate": "200 MB/s"}]
    flows.append({"source": 2, "destination": 3, "rate": "900 MB/s"})
    document = found(*flows, flow_control={"protocol": "none"}, run={"duration": "50 us", "warmup": 0})
    assert document["nodes"][0]["fair_share_MBps"] == pytest.approx(document["nodes"][0]["offered_MBps"], rel=0.3)
    assert document["total"]["bottleneck"] == "link 2"
    bound = rl.bound(scenario(*flows))
    assert bound.index.size == 4


def test_a_guarantee_of_messages_beside_flows_that_nothing_bounds_is_refused():
    message = {"source": 1, "destination": 3, "size": 64, "period": 1000}
    with pytest.raises(RingletError, match=r"flows\[0\].arrivals: .* for a guarantee"):
        rl.guarantee(scenario({"rate": "1 MB/s"}, messages=[message], flow_control={"protocol": "none"}))


def test_flows_come_beside_a_trace(tmp_path):
    (tmp_path / "trace.csv").write_text("time_ns,source,destination,transaction\n0,0,1,dmove64\n10,2,3,dmove64\n")
    traffic = {"trace": {"file": str(tmp_path / "trace.csv")}}
    document = found({"times": ["1 us"], "source": 1, "destination": 3}, traffic=traffic, run={"duration": "4 us"})
    assert (document["trace"]["packets"], document["trace"]["complete"]) == (2, True)
    assert document["flows"][0]["delivered"] == 1


# --- Sentences ----------------------------------------------------------------------------------------------------


def test_a_line_tells_of_all_flows_and_names_the_worst():
    document = found({"size": 640, "period": "5 us", "deadline": 100}, {"source": 1, "period": "5 us"}, **LONG)
    offered = sum(one["offered"] for one in document["flows"])
    line = flows_line(document)
    assert line.startswith(f"flows: {offered} messages of 2 flows offered, ")
    assert f"{document['flows'][0]['missed']} past their deadlines" in line
    assert "longest latency: 0-2, " in line


def test_a_flow_that_offered_nothing_is_not_one_of_which_nothing_was_delivered():
    later = {"source": 1, "period": "1 ms", "offset": "500 us", "name": "later"}
    document = found({"period": "5 us"}, later, run={"duration": "20 us", "warmup": 0})
    assert document["saw"]["flows"] | {"never_delivered": 0, "never_offered": 1} == document["saw"]["flows"]
    assert flows_line(document).endswith("; nothing offered by one flow")
    assert "nothing delivered" not in flows_line(document)


def test_one_message_is_said_in_the_singular():
    document = found({"period": "1 ms"}, run={"duration": "20 us", "warmup": 0})
    assert flows_line(document).startswith("flows: one message of one flow offered, 1 delivered; ")


def test_flows_without_a_message_are_said_to_be_unknown():
    document = found({"period": "1 ms", "offset": "500 us"}, run={"duration": "10 us", "warmup": 0})
    assert flows_line(document) == "flows: no message in 10 us; nothing is known of them"


def test_the_table_has_the_worst_first():
    from ringlet.cli.run_tables import by_flow

    flows = [{"source": i, "destination": 3, "period": "4 us", "size": 64 * (i + 1), "name": f"f{i}"} for i in range(3)]
    document = found(*flows, **LONG)
    table = by_flow(document["flows"])
    lines = [line.split()[0] for line in table.lines(lambda text, _: text)]
    assert lines[-3:] == ["f2", "f1", "f0"]


SHARED = (
    {"name": "a", "source": 0, "destination": 3, "size": 64, "period": "2 us", "deadline": "1 us"},
    {"name": "b", "source": 0, "destination": 3, "size": "4 KiB", "period": "25 us"},
    {"name": "c", "source": 1, "destination": 3, "size": 640, "rate": "20 MB/s"},
    {"name": "d", "source": 1, "destination": 2, "size": 64, "period": "9 us"},
    {"name": "e", "source": 2, "destination": 0, "size": 64, "period": "7 us"},
)
"""Flows of which two share a pair and three a destination."""

TO_TWO = {"name": "f", "source": 2, "destination": {"0": 0.75, "3": 0.25}, "size": {"64 B": 0.5, "1500 B": 0.5}}
"""A flow of which most goes to one of two nodes."""


def test_destinations_and_pairs_are_the_sums_of_their_flows():
    document = found(*SHARED, **LONG)
    flows = {one["name"]: one for one in document["flows"]}
    destinations = {one["destination"]: one for one in document["destinations"]}
    pairs = {one["name"]: one for one in document["pairs"]}
    assert {to: one["flows"] for to, one in destinations.items()} == {0: 1, 2: 1, 3: 3}
    assert {name: one["flows"] for name, one in pairs.items()} == {"0-3": 2, "1-2": 1, "1-3": 1, "2-0": 1}
    for record, names in ((destinations[3], "abc"), (pairs["0-3"], "ab"), (pairs["1-2"], "d"), (destinations[2], "d")):
        parts = [flows[name] for name in names]
        for key in ("offered", "delivered", "lost", "unfinished"):
            assert record[key] == sum(one[key] for one in parts)
        assert record["delivered_MBps"] == pytest.approx(sum(one["delivered_MBps"] for one in parts))
        assert record["latency_min_ns"] == min(one["latency_min_ns"] for one in parts)
        assert record["latency_max_ns"] == max(one["latency_max_ns"] for one in parts)
        assert record["latency_jitter_ns"] == record["latency_max_ns"] - record["latency_min_ns"]
        total = sum(one["delivered"] * one["latency_mean_ns"] for one in parts)
        assert record["latency_mean_ns"] == pytest.approx(total / record["delivered"])
    assert destinations[3]["missed"] == flows["a"]["missed"]
    assert destinations[3]["deadline_miss_ratio"] == flows["a"]["deadline_miss_ratio"]
    assert destinations[2]["missed"] is None


@pytest.mark.parametrize("network", [{"nodes": 4}, {"topology": "torus", "shape": [2, 2]}])
def test_the_destinations_of_a_flow_add_up_to_it(network):
    flow = {**TO_TWO, "period": "5 us", "jitter": "3 us", "deadline": "4 us"}
    document = found(flow, network=network, run={"duration": "2 ms"})
    (whole,), (most, least) = document["flows"], document["destinations"]
    assert (most["destination"], least["destination"]) == (0, 3)
    assert 2.5 < most["offered"] / least["offered"] < 3.5
    for key in ("offered", "delivered", "lost", "unfinished", "missed"):
        assert whole[key] == most[key] + least[key]
    assert whole["offered_MBps"] == pytest.approx(most["offered_MBps"] + least["offered_MBps"])
    assert whole["latency_min_ns"] == min(most["latency_min_ns"], least["latency_min_ns"])
    assert whole["latency_max_ns"] == max(most["latency_max_ns"], least["latency_max_ns"])
    total = sum(one["delivered"] * one["latency_mean_ns"] for one in (most, least))
    assert whole["latency_mean_ns"] == pytest.approx(total / whole["delivered"])
    assert [(one["source"], one["destination"]) for one in document["pairs"]] == [(2, 0), (2, 3)]
    assert document["pairs"][0]["latency_p99_ns"] == most["latency_p99_ns"]


def test_a_destination_of_flows_to_one_and_to_several_nodes_has_both():
    alone = {"name": "g", "source": 1, "destination": 3, "size": 64, "period": "1 us"}
    document = found(alone, {**TO_TWO, "period": "20 us"}, run={"duration": "2 ms"})
    to = {one["name"]: one for one in document["destinations"]}
    pairs = {one["name"]: one for one in document["pairs"]}
    assert (to["3"]["flows"], to["0"]["flows"]) == (2, 1)
    assert to["3"]["delivered"] == pairs["1-3"]["delivered"] + pairs["2-3"]["delivered"]
    # The other flow has 25 of some 2,000 messages.
    assert to["3"]["latency_p50_ns"] == pairs["1-3"]["latency_p50_ns"]
    assert to["3"]["latency_p999_ns"] == to["3"]["latency_max_ns"] == pairs["2-3"]["latency_max_ns"]


def test_a_node_to_which_a_flow_has_sent_nothing_has_a_row():
    rare = {**TO_TWO, "destination": {"0": 0.999999, "3": 0.000001}, "period": "5 us"}
    document = found(rare, run={"duration": "100 us", "warmup": 0})
    for part, names in (("destinations", ["0", "3"]), ("pairs", ["2-0", "2-3"])):
        often, never = document[part]
        assert [often["name"], never["name"]] == names
        assert (often["offered"], never["offered"], never["latency_max_ns"]) == (20, 0, None)


def test_flows_to_more_nodes_than_are_counted_are_counted_as_a_whole(monkeypatch):
    monkeypatch.setattr(plan, "MAX_COUNTED", 6)
    flows = [{**TO_TWO, "name": f"h{place}", "destination": "all", "period": "5 us"} for place in range(2)]
    document = found(*flows, network={"nodes": 5}, run={"duration": "100 us"})
    assert sum(one["flows"] for one in document["destinations"]) == 4
    assert flows_line(document).endswith("; in no destination: one flow")


ALWAYS = {"name": "f", "source": 2, "destination": {"0": 0.75, "3": 0.25}, "size": 64, "arrivals": "saturated"}
"""A saturated flow of which most goes to one of two nodes."""

COUNTS = ("offered", "delivered", "lost", "unfinished", "missed")


@pytest.mark.parametrize("deadline", [None, "100 ns"])
@pytest.mark.parametrize("warmup", ["0 ns", "3 us"])
def test_destinations_of_a_saturated_flow_are_counted_and_are_it_together(warmup, deadline):
    flow = ALWAYS if deadline is None else {**ALWAYS, "deadline": deadline}
    document = found(flow, run={"duration": "200 us", "warmup": warmup})
    (whole,) = document["flows"]
    least, most = document["destinations"][1], document["destinations"][0]
    assert ([least["name"], most["name"]], document["saw"]["flows"]["undivided"]) == (["3", "0"], 0)
    for name in COUNTS:
        if whole[name] is not None:
            assert whole[name] == least[name] + most[name], name
    assert whole["offered"] - whole["delivered"] == whole["unfinished"] > 0 or warmup != "0 ns"
    assert most["delivered"] / whole["delivered"] == pytest.approx(0.75, abs=0.03)
    assert whole["latency_max_ns"] == max(most["latency_max_ns"], least["latency_max_ns"])
    assert whole["latency_min_ns"] == min(most["latency_min_ns"], least["latency_min_ns"])
    total = sum(one["delivered"] * one["latency_mean_ns"] for one in (most, least))
    assert whole["latency_mean_ns"] == pytest.approx(total / whole["delivered"])
    # The same packets go the same ways, whether they are counted or not.
    spec = scenario(flow).network_spec(1)["flows"][0]
    assert (spec["arrivals"], spec["messages"]["by_destination"]) == ({"kind": "saturated"}, True)


def test_saturated_flows_are_counted_for_each_destination_on_every_network():
    flows = [{"source": node, "destination": "all", "size": 64, "name": f"n{node}"} for node in range(8)]
    rings = [{"members": [*range(4 * ring, 4 * ring + 4), f"hub.{ring}"]} for ring in range(2)]
    for network in (
        {"topology": "torus", "shape": [2, 4]},
        {"topology": "dual-ring", "nodes": 8},
        {"topology": "dual-attached-ring", "nodes": 8},
        {"topology": "dual-attached-ring", "nodes": 8, "ways": "lighter"},
        {"topology": "rings", "rings": rings, "switches": [{"name": "hub", "ports": 2}]},
    ):
        document = found(*flows, network=network, run={"duration": "20 us"})
        assert sum(one["delivered"] for one in document["pairs"]) == sum(one["delivered"] for one in document["flows"])
        assert (len(document["pairs"]), document["saw"]["flows"]["undivided"]) == (56, 0)


def test_a_saturated_flow_of_a_node_on_two_rings_goes_as_much_to_each_node_as_its_ring_carries():
    # Each interface always has a packet, for one of the nodes that its ring leads to: three and two of them.
    network = {"topology": "dual-attached-ring", "nodes": 6, "echoes": False, "hop_delay": 4}
    sender = {**ALWAYS, "destination": "all", "deadline": "10 us"}
    document = found(sender, network=network, flow_control={"protocol": "none"}, run={"duration": "2 ms"})
    (whole,) = document["flows"]
    each = {one["name"][-1]: one["delivered"] for one in document["destinations"]}
    assert document["saw"]["flows"]["undivided"] == 0
    assert sum(each.values()) == whole["delivered"]
    assert sum(one["offered"] for one in document["destinations"]) == whole["offered"]
    assert sum(one["unfinished"] for one in document["destinations"]) == whole["unfinished"]
    near, far = sum(each[node] for node in "345"), sum(each[node] for node in "01")
    assert near == pytest.approx(far, rel=0.01)
    assert each["3"] == pytest.approx(near / 3, rel=0.05)
    assert each["1"] == pytest.approx(far / 2, rel=0.05)


def test_percentiles_of_a_destination_are_those_of_all_its_messages_together():
    # One of a hundred messages that take equally long in their flow is long.
    short = {"name": "a", "source": 1, "destination": 3, "size": 64, "period": "1 us"}
    long = {"name": "b", "source": 0, "destination": 3, "size": "4 KiB", "period": "40 us", "offset": "500 ns"}
    document = found(short, long, run={"duration": "400 us", "warmup": 0})
    flows = {one["name"]: one for one in document["flows"]}
    (joint,) = document["destinations"]
    assert joint["latency_p50_ns"] == flows["a"]["latency_p50_ns"]
    assert joint["latency_p999_ns"] == flows["b"]["latency_p999_ns"]
    assert flows["a"]["latency_max_ns"] < flows["b"]["latency_min_ns"]
    assert document["pairs"] == []


def test_tables_of_pairs_and_destinations_are_printed_where_flows_share_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def printed(*flows):
        given = {"network": {"nodes": 4}, "flows": list(flows), **LONG}
        Path("s.toml").write_text(tomli_w.dumps(given), encoding="utf-8")
        assert main(["run", "s.toml"]) == 0
        return capsys.readouterr().out

    shared, alone = printed(*SHARED), printed(SHARED[0], SHARED[3], SHARED[4])
    several = printed(SHARED[0], {**TO_TWO, "period": "9 us"})
    saturated = printed(SHARED[0], {**TO_TWO, "size": 64, "arrivals": "saturated"})
    for output in (shared, several, saturated):
        assert [row in output for row in ("\npair ", "\ndestination ")] == [True, True]
        assert "in no destination" not in output
    assert [row in alone for row in ("\npair ", "\ndestination ", "in no destination")] == [False] * 3


def test_results_are_a_data_frame():
    table = rl.run(scenario(*SEVERAL, run={"duration": "100 us"})).part("flows")
    assert isinstance(table, pd.DataFrame)
    assert np.isfinite(table["offered_MBps"]).all()


FAR = {"nodes": 4, "hop_delay": "100 us"}
TORUS = {"topology": "torus", "shape": [4, 4]}


@pytest.mark.parametrize(
    ("network", "flows"),
    [
        ({"nodes": 4}, [{"size": "100 KB", "times": ["0 ns"]}]),
        ({"nodes": 4}, [{"size": "100 KB", "times": ["0 ns", "3 us"]}, {"source": 2, "size": 64, "period": "1 us"}]),
        ({"nodes": 4}, [{"size": 64000, "rate": "300 MB/s", "stop": "1 ms"}]),
        ({"nodes": 4}, [{"size": 6400, "window": 2, "total": 20, "destination": "all"}]),
        (FAR, [{"size": "100 KB", "times": ["0 ns"]}]),
        (
            FAR,
            [
                {"name": "a", "size": 64, "times": [0]},
                {"source": 1, "destination": 0, "after": "a", "size": 64},
            ],
        ),
        (TORUS, [{"source": i, "destination": (i + 7) % 16, "size": "10 KB", "times": [0]} for i in range(16)]),
    ],
)
def test_flows_that_end_have_time_to_be_delivered(network, flows):
    flows = [{"source": 0, "destination": 1, **flow} for flow in flows]
    document = rl.run({"network": network, "flows": flows}).document
    ending = [one for one, flow in zip(document["flows"], flows, strict=True) if "period" not in flow]
    assert all(one["offered"] == one["delivered"] > 0 for one in ending)
    assert document["warmup_cycles"] == 0


def test_a_message_at_a_listed_time_is_no_overload():
    flow = {"source": 0, "destination": 1, "size": "1 MB", "times": [0]}
    document = rl.run({"network": {"nodes": 4}, "flows": [flow]}).document
    assert document["warnings"] == []
    assert document["saw"]["ended_by"] == "ends"
    assert length_line(document).endswith(" us, in which all that ends should be delivered")
