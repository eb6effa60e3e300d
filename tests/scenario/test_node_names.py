"""Nodes go by their names wherever a file takes their numbers."""

import json

import pandas as pd
import pytest

import ringlet as rl
from ringlet.cli import main
from ringlet.scenario import json_schema
from ringlet.trace import record
from ringlet.trace.tabular import write_csv

NAMES = ["camera", "disk", "filter", "display"]
RING = {"network": {"node_names": NAMES}, "run": {"duration": "20 us"}}


def flows(**sections):
    return rl.Scenario.from_dict(RING | sections).network_spec(1)


@pytest.mark.parametrize(
    ("by_name", "by_number"),
    [
        (
            {"traffic": {"pattern": "hot-spot", "hot_node": "disk", "hot_fraction": 0.5}},
            {"traffic": {"pattern": "hot-spot", "hot_node": 1, "hot_fraction": 0.5}},
        ),
        (
            {"traffic": {"destinations": ["disk", "filter", 3, "camera"]}},
            {"traffic": {"destinations": [1, 2, 3, 0]}},
        ),
        (
            {"traffic": {"pattern": "senders-receivers", "senders": ["camera"], "receivers": ["disk", "filter"]}},
            {"traffic": {"pattern": "senders-receivers", "senders": [0], "receivers": [1, 2]}},
        ),
        (
            {"errors": {"nodes": [{"node": "filter", "fails_at": "5 us"}], "links": [{"source": "disk"}]}},
            {"errors": {"nodes": [{"node": 2, "fails_at": "5 us"}], "links": [{"source": 1}]}},
        ),
        (
            {"flow_control": {"protocol": "train", "ticket_master": "display"}},
            {"flow_control": {"protocol": "train", "ticket_master": 3}},
        ),
        (
            {"messages": [{"source": "camera", "destination": "disk", "size": 64, "period": "10 us"}]},
            {"messages": [{"source": 0, "destination": 1, "size": 64, "period": "10 us"}]},
        ),
    ],
)
def test_a_name_is_its_number(by_name, by_number):
    assert flows(**by_name) == flows(**by_number)


def test_results_have_the_names():
    result = rl.run(RING)
    assert result.nodes["name"].tolist() == NAMES
    assert rl.bound(RING)["name"].tolist() == NAMES
    assert result.plot.nodes().panels[0].x.categories == tuple(NAMES)
    assert [rl.play(RING, stop=200).recording.layout.name(node) for node in (0, 3)] == ["node camera", "node display"]


def test_a_message_without_a_name_is_called_after_its_nodes():
    one = {"source": "camera", "destination": 1, "size": 64, "period": "10 us"}
    assert rl.run(RING | {"messages": [one]}).messages.index.tolist() == ["camera-disk"]
    unnamed = {"network": {"nodes": 4}, "run": {"duration": "20 us"}}
    assert rl.run(unnamed | {"messages": [one | {"source": 0}]}).messages.index.tolist() == ["0-1"]


def test_a_table_of_messages_takes_names(tmp_path):
    (tmp_path / "set.csv").write_text("source,destination,size,period_us\ncamera,disk,64,10\n2,display,64,10\n")
    made = rl.Scenario.from_dict(RING | {"messages_file": "set.csv"}, base_dir=tmp_path)
    assert [(one.name, one.source, one.destination) for one in made.periodic_messages] == [
        ("camera-disk", 0, 1),
        ("filter-display", 2, 3),
    ]
    (tmp_path / "set.csv").write_text("source,destination,size,period_us\ncamra,disk,64,10\n")
    with pytest.raises(rl.RingletError, match=r"set\.csv, line 2, source: 'camra' .* did you mean 'camera'\?"):
        _ = rl.Scenario.from_dict(RING | {"messages_file": "set.csv"}, base_dir=tmp_path).periodic_messages


@pytest.mark.parametrize(("suffix", "place"), [("csv", "line 2"), ("parquet", "record 1")])
def test_a_trace_of_packets_takes_names(tmp_path, suffix, place):
    import pandas as pd

    columns = {"cycle": [0, 5, 9], "bytes": [64, 64, 16]}
    by_name = pd.DataFrame(columns | {"source": ["camera", "2", "disk"], "destination": ["disk", "display", "0"]})
    by_number = pd.DataFrame(columns | {"source": [0, 2, 1], "destination": [1, 3, 0]})

    def found(table):
        path = tmp_path / f"trace.{suffix}"
        table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path, index=False)
        trace = {"pattern": "trace", "trace": {"file": path.name}}
        return rl.Scenario.from_dict(RING | {"traffic": trace, "run": {}}, base_dir=tmp_path)

    assert (
        rl.run(found(by_name)).to_dict(timing=False)["nodes"] == rl.run(found(by_number)).to_dict(timing=False)["nodes"]
    )
    with pytest.raises(rl.RingletError, match=rf"{place}, source: 'camra' .* did you mean 'camera'\?"):
        _ = found(by_name.replace("camera", "camra")).replay


def test_warnings_have_the_names():
    starved = {"pattern": "permutation", "destinations": ["display", "display", "display", "disk"]}
    content = RING | {"traffic": starved | {"arrivals": "saturated"}, "flow_control": {"protocol": "none"}}
    warnings = rl.run(content | {"run": {"duration": "100 us"}}).to_dict()["warnings"]
    assert "starved: packets waited at camera, filter, and none was sent" in warnings


def test_roles_are_names_where_there_are_switches():
    switch = {"network": {"topology": "switch", "nodes": 8}, "run": {"duration": "20 us"}}
    hot = {"pattern": "hot-spot", "hot_fraction": 0.5}
    by_name = rl.Scenario.from_dict(switch | {"traffic": hot | {"hot_node": "M1"}})
    by_number = rl.Scenario.from_dict(switch | {"traffic": hot | {"hot_node": 5}})
    assert by_name.network_spec(1) == by_number.network_spec(1)


def test_members_of_rings_go_by_name():
    network = {
        "topology": "rings",
        "node_names": ["a", "b"],
        "rings": [{"members": ["a", "s.0"]}, {"members": ["b", "s.1"]}],
        "switches": [{"name": "s", "ports": 2}],
    }
    result = rl.run({"network": network, "run": {"duration": "20 us"}})
    assert result.nodes["name"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"traffic": {"pattern": "hot-spot", "hot_node": "dsk", "hot_fraction": 0.5}},
            "traffic.hot_node: 'dsk' is not allowed; a node's number or name; did you mean 'disk'",
        ),
        (
            {"traffic": {"destinations": ["disk", "xyz", 3, 0]}},
            "traffic.destinations[1]: 'xyz' is not allowed; a node's number or name: 'camera', 'disk', 'filter'",
        ),
        ({"network": {"node_names": ["a", "a"]}}, "network.node_names[1]: 'a' is not allowed; each name once"),
        (
            {"network": {"node_names": ["a", "b"], "nodes": 3}},
            "network.node_names: <2 names> is not allowed; 3, one for each",
        ),
        (
            {"network": {"node_names": ["a", "-3"]}},
            "network.node_names[1]: '-3' is not allowed; a name that begins with a letter or digit, without ':'",
        ),
        (
            {"network": {"nodes": 4}, "traffic": {"destinations": ["disk", 2, 3, 0]}},
            "traffic.destinations[0]: 'disk' is not allowed; a node's number, a whole number; network.node_names",
        ),
    ],
)
def test_a_name_that_no_node_has_is_refused_with_those_like_it(sections, message):
    with pytest.raises(rl.RingletError) as refused:
        rl.Scenario.from_dict(RING | sections)
    assert message in str(refused.value)


def test_the_command_line_takes_names(tmp_path, capsys):
    file = tmp_path / "ring.toml"
    file.write_text(f"network.node_names = {json.dumps(NAMES)}\nrun.duration = '20 us'\n", encoding="utf-8")
    words = ["--set", "traffic.pattern=hot-spot", "--set", "traffic.hot_node=disk", "--set", "traffic.hot_fraction=0.5"]
    assert main(["run", str(file), *words]) == 0
    assert "camera" in capsys.readouterr().out
    assert main(["topology", str(file), "--route", "camera:display"]) == 0


def test_an_editor_accepts_names():
    import jsonschema

    content = {"network": {"nodes": 4, "node_names": NAMES}, "traffic": {"destinations": ["disk", 2, 3, "camera"]}}
    jsonschema.validate(content, json_schema())


def test_the_scenario_of_a_result_runs_again():
    document = rl.run(RING | {"traffic": {"destinations": ["disk", 2, 3, "camera"]}}).to_dict()
    assert document["scenario"]["traffic"]["destinations"] == [1, 2, 3, 0]
    assert rl.run(document["scenario"]).to_dict(timing=False)["total"] == document["total"]


def test_links_failures_and_bottlenecks_go_by_names():
    named = {
        "network": {"node_names": ["radar", "display", "log"]},
        "traffic": {"destinations": ["display", "log", "radar"], "arrivals": "saturated"},
        "errors": {
            "links": [{"source": "radar", "fails_at": "5 us"}],
            "nodes": [{"node": "log", "fails_at": "8 us"}],
        },
        "run": {"duration": "20 us", "warmup": 0},
    }
    document = rl.run(named).document
    assert document["total"]["bottleneck"].startswith("link from ")
    assert [one["what"] for one in document["errors"]["failures"]] == ["link from radar", "log"]


def test_a_trace_as_a_table_has_names(tmp_path):
    scenario = rl.Scenario.from_dict({
        "network": {"node_names": ["radar", "display"]},
        "traffic": {"destinations": ["display", "radar"], "arrivals": "saturated"},
        "run": {"duration": "1 us", "warmup": 0},
    })  # fmt: skip
    write_csv(record(scenario, stop=100), tmp_path / "trace.csv")
    rows = pd.read_csv(tmp_path / "trace.csv")
    assert set(rows["node"]) == {"radar", "display"}
    sent = rows[rows["event"] == "send"].dropna(subset=["source"])
    assert set(zip(sent["source"], sent["destination"], strict=True)) == {("radar", "display"), ("display", "radar")}


def test_an_overloaded_link_and_queue_go_by_names():
    content = {
        "network": {"node_names": ["radar", "display", "log"]},
        "traffic": {"arrivals": "none"},
        "queues": {"service_time": "2 us"},
        "messages": [{"source": "radar", "destination": "display", "size": 64 * 26, "period": "1800 ns"}],
    }
    assert rl.Scenario.from_dict(content).warnings() == [
        "overload: utilisation 1.18 of link from radar, above 1",
        "overload: utilisation 28.9 of receive queue for requests of display, above 1",
    ]


def test_a_name_may_look_like_a_number_or_a_port(tmp_path):
    """With such names a text is the node that is called so, wherever it stands; a whole number is a node's number."""
    network = {"node_names": ["1", "2", "eth0.1", "0"]}
    delays = {"1": "40 ns", "eth0.1": "80 ns", "others": "20 ns"}
    lengths = {"eth0.1": "3 m", "others": "1 m"}
    by_name = {"traffic": {"destinations": ["2", "eth0.1", "0", "1"]}, "queues": {"service_time": delays}}
    by_number = {
        "traffic": {"destinations": [1, 2, 3, 0]},
        "queues": {"service_time": ["40 ns", "20 ns", "80 ns", "20 ns"]},
    }
    made = [
        rl.Scenario.from_dict({"network": network | {"cable_length": lengths}, **sections}).network_spec(1)
        for sections in (by_name, by_number)
    ]
    assert made[0] == made[1]
    (tmp_path / "set.csv").write_text("source,destination,size,period_us\n1,eth0.1,64,10\n2,0,64,10\n")
    found = rl.Scenario.from_dict({"network": network, "messages_file": "set.csv"}, base_dir=tmp_path)
    assert [(one.source, one.destination) for one in found.periodic_messages] == [(0, 2), (1, 3)]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_are_numbers_stand_in_traces(tmp_path, suffix):
    table = pd.DataFrame({"cycle": [0, 5], "source": [1, 2], "destination": [2, 1], "bytes": [64, 16]})
    path = tmp_path / f"t.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path, index=False)
    content = {"network": {"node_names": ["1", "2"]}, "traffic": {"trace": {"file": path.name}}}
    assert dict(rl.Scenario.from_dict(content, base_dir=tmp_path).replay.survey.sent) == {
        (0, 0, 0, 1): 1,
        (1, 1, 0, 0): 1,
    }


@pytest.mark.parametrize("table", [True, False])
def test_missing_names_are_one_error(tmp_path, table):
    rows = [("a", "b"), ("b", "c"), ("c", "a")]
    if table:
        lines = [f"{source},{destination},64,10" for source, destination in rows]
        (tmp_path / "set.csv").write_text("\n".join(["source,destination,size,period_us", *lines]))
        content = {"messages_file": "set.csv"}
    else:
        keys = {"size": 64, "period": "10 us"}
        content = {"messages": [{"source": one, "destination": other, **keys} for one, other in rows]}
    with pytest.raises(rl.RingletError) as refused:
        rl.Scenario.from_dict({"network": {"nodes": 4}, **content}, base_dir=tmp_path)
    (message,) = refused.value.args
    assert "source: 'a' is not allowed; a node's number, a whole number; network.node_names gives" in message
