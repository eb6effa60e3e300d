"""Bad input gets one message with the key path, the value and what is allowed."""

import copy
import os
import time

import pytest

from ringlet import RingletError, Scenario

NAN, INFINITY = float("nan"), float("inf")
MATRIX = [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]


def refused(**sections):
    content = {"network": {"nodes": 4}}
    for section, keys in sections.items():
        content.setdefault(section, {})
        content[section] = {**content[section], **keys} if isinstance(keys, dict) else keys
    start = time.perf_counter()
    with pytest.raises(RingletError) as caught:
        Scenario.from_dict(content).network_spec(1)
    assert time.perf_counter() - start < 1
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"network": {"nodes": 0}}, ["network.nodes", "0", "at least 1"]),
        ({"network": {"nodes": -3}}, ["network.nodes", "-3"]),
        ({"network": {"nodes": 2**40}}, ["network.nodes", str(2**40), "65536"]),
        ({"network": {"nodes": 4.5}}, ["network.nodes", "4.5", "whole number"]),
        ({"network": {"nodes": "four"}}, ["network.nodes", "four", "whole number"]),
        ({"network": {"nodes": True}}, ["network.nodes", "True"]),
        ({"network": {"nodes": NAN}}, ["network.nodes", "nan"]),
        ({"network": {"link_rate": "3 s"}}, ["network.link_rate", "3 s", "MB/s"]),
        ({"network": {"link_rate": 5}}, ["network.link_rate", "5", "unit"]),
        ({"network": {"link_rate": "0 GB/s"}}, ["network.link_rate", "above 0"]),
        ({"network": {"hop_delay": 0}}, ["network.hop_delay", "0"]),
        ({"network": {"hop_delay": "1 h"}}, ["network.hop_delay", "1 h", "1000000"]),
        ({"network": {"topology": "torus"}}, ["network.topology", "torus", "'ring'", "not in this version"]),
        ({"network": {"topology": "star"}}, ["network.topology", "star", "'ring'"]),
        ({"network": {"node": 4}}, ["network.node", "did you mean 'nodes'?"]),
        ({"netwrk": {}}, ["netwrk", "did you mean 'network'?"]),
        ({"network": 4}, ["network", "4", "table"]),
        ({"flow_control": {"protocol": "dfc"}}, ["flow_control.protocol", "dfc", "'sci'", "not in this version"]),
        ({"flow_control": {"protocol": "none", "groups": 2}}, ["flow_control.groups", "'none' has no such option"]),
        ({"flow_control": {"protocol": "sci", "assignment": "node"}}, ["flow_control.assignment", "'sci'"]),
        ({"flow_control": {"protocol": "grouped", "groups": 17}}, ["flow_control.groups", "17", "16"]),
        (
            {"flow_control": {"protocol": "grouped", "groups": 2, "assignment": "node"}},
            ["flow_control.groups", "4 nodes"],
        ),
        ({"flow_control": {"protocol": "grouped", "assignment": [0, 1, 2]}}, ["flow_control.assignment", "4 groups"]),
        ({"flow_control": {"protocol": "grouped", "assignment": [0, 1, 2, 8]}}, ["assignment[3]", "8", "below 8"]),
        (
            {"flow_control": {"protocol": "grouped", "schedule": [{"at": "1 us", "groups": [0] * 4}]}},
            ["schedule[0].at"],
        ),
        (
            {"flow_control": {"protocol": "grouped", "schedule": [{"at": 0, "groups": [0]}]}},
            ["schedule[0].groups", "4"],
        ),
        ({"queues": {"receive": 0}}, ["queues.receive", "0"]),
        ({"queues": {"receive": "many"}}, ["queues.receive", "many", "unlimited"]),
        ({"queues": {"service_time": "-1 ns"}}, ["queues.service_time", "-1 ns"]),
        ({"retry": {"strategy": "random"}}, ["retry.strategy", "random", "'constant'"]),
        ({"retry": {"delay": "1 lightyear"}}, ["retry.delay", "1 lightyear", "ns"]),
        ({"traffic": {"transaction": "send7"}}, ["traffic.transaction", "send7", "16 to 288"]),
        ({"traffic": {"transaction": "read64"}}, ["traffic.transaction", "read64", "not in this version"]),
        ({"traffic": {"transaction": {"sizes": {"80": 0.5, "16": 0.4}}}}, ["traffic.transaction.sizes", "sum to 1"]),
        ({"traffic": {"pattern": "trace"}}, ["traffic.pattern", "trace", "not in this version"]),
        (
            {"traffic": {"pattern": "hot-spot", "hot_node": 4, "hot_fraction": 0.5}},
            ["traffic.hot_node", "4", "below 4"],
        ),
        ({"traffic": {"pattern": "hot-spot", "hot_node": 1}}, ["traffic.hot_fraction", "missing"]),
        ({"traffic": {"pattern": "hot-spot", "hot_node": 1, "hot_fraction": 1.5}}, ["traffic.hot_fraction", "1.5"]),
        ({"traffic": {"pattern": "fan-in", "fan_in": 4}}, ["traffic.fan_in", "4", "2 to 3"]),
        ({"traffic": {"pattern": "uniform", "fan_in": 2}}, ["traffic.fan_in", "'uniform' has no such key"]),
        ({"traffic": {"pattern": "permutation", "destinations": [1, 2, 3, 4]}}, ["destinations[3]", "4", "0 to 3"]),
        (
            {"traffic": {"pattern": "permutation", "destinations": [0, 2, 3, 1]}},
            ["destinations[0]", "not the node itself"],
        ),
        ({"traffic": {"pattern": "permutation", "destinations": [1]}}, ["traffic.destinations", "4 destinations"]),
        ({"traffic": {"pattern": "matrix"}}, ["traffic.pattern", "matrix_file", "none"]),
        ({"traffic": {"pattern": "matrix", "matrix": MATRIX}}, ["traffic.matrix", "3 rows", "4 rows"]),
        ({"traffic": {"arrivals": "poisson"}}, ["traffic.load", "missing"]),
        ({"traffic": {"arrivals": "poisson", "load": NAN}}, ["traffic.load", "nan"]),
        ({"traffic": {"arrivals": "poisson", "load": INFINITY}}, ["traffic.load", "inf"]),
        ({"traffic": {"arrivals": "poisson", "load": "-5 MB/s"}}, ["traffic.load", "-5 MB/s"]),
        ({"traffic": {"arrivals": "poisson", "load": ["5 MB/s"]}}, ["traffic.load", "one per node"]),
        ({"traffic": {"arrivals": "bernoulli", "load": 41}}, ["traffic.load", "41", "40 words per cycle"]),
        ({"traffic": {"priority": 1}}, ["traffic.priority", "1", "below 1"]),
        ({"traffic": {"phase": 5}}, ["traffic.phase", "periodic"]),
        ({"run": {"duration": "1e30 s"}}, ["run.duration", "1e30 s"]),
        ({"run": {"duration": 0}}, ["run.duration", "0"]),
        ({"run": {"duration": "10**10**10 s"}}, ["run.duration", "10**10**10 s"]),
        ({"run": {"precision": 0}}, ["run.precision", "0"]),
        ({"run": {"precision": 1.0}}, ["run.precision", "1"]),
        ({"run": {"warmup": "later"}}, ["run.warmup", "later", "auto"]),
        ({"run": {"seed": -1}}, ["run.seed", "-1"]),
        ({"run": {"seed": 2**64}}, ["run.seed", str(2**64)]),
    ],
)
def test_a_bad_value_is_named_with_its_place_and_what_is_allowed(sections, words):
    message = refused(**copy.deepcopy(sections))
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], ["matrix[0]", "2 values", "3 values"]),
        ([[0.0, 0.5, 0.4], *MATRIX[1:]], ["matrix[0]", "sum 0.9", "sum to 1"]),
        ([[0.5, 0.25, 0.25], *MATRIX[1:]], ["matrix[0][0]", "0.5", "itself"]),
        ([[0.0, NAN, 1.0], *MATRIX[1:]], ["matrix[0]", "finite"]),
        ([[0.0, -0.5, 1.5], *MATRIX[1:]], ["matrix[0][1]", "-0.5", "probability"]),
    ],
)
def test_a_matrix_has_to_be_square_and_row_stochastic_with_a_zero_diagonal(matrix, words):
    message = refused(network={"nodes": 3}, traffic={"pattern": "matrix", "matrix": matrix})
    for word in words:
        assert word in message, message


def test_a_bad_row_of_a_csv_file_is_named_with_file_and_line(tmp_path):
    (tmp_path / "m.csv").write_text("0,1\n1,zero\n")
    (tmp_path / "s.toml").write_text('[network]\nnodes = 2\n[traffic]\npattern = "matrix"\nmatrix_file = "m.csv"\n')
    with pytest.raises(RingletError, match=r"m\.csv, line 2: 'zero' is not allowed; numbers"):
        Scenario.load(tmp_path / "s.toml")
    (tmp_path / "m.csv").write_text("0,1\n1,0.5\n")
    with pytest.raises(RingletError, match=r"m\.csv\[1\]\[1\]: 0\.5 is not allowed; 0: a node does not send to itself"):
        Scenario.load(tmp_path / "s.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<an empty file> is not allowed"),
        (b"[network\nnodes = 4", "not a TOML file"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a = " + b"[" * 100_000, "not a TOML file"),
    ],
)
def test_a_file_that_is_no_scenario_is_named(tmp_path, content, message):
    path = tmp_path / "s.toml"
    path.write_bytes(content)
    with pytest.raises(RingletError, match=message) as caught:
        Scenario.load(path)
    assert str(path) in str(caught.value)


def test_what_is_not_a_readable_file_is_named(tmp_path):
    with pytest.raises(RingletError, match="<a directory> is not allowed; a TOML file"):
        Scenario.load(tmp_path)
    with pytest.raises(RingletError, match="no such file"):
        Scenario.load(tmp_path / "missing.toml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads any file")
def test_an_unreadable_file_is_named(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("[network]\nnodes = 4\n")
    path.chmod(0)
    with pytest.raises(RingletError, match="cannot be read"):
        Scenario.load(path)


@pytest.mark.parametrize("override", ["traffic.load", "=5", "network.nodes.deep=3", ".=1"])
def test_an_override_has_to_be_a_key_and_a_value(tmp_path, override):
    path = tmp_path / "s.toml"
    path.write_text("[network]\nnodes = 4\n")
    with pytest.raises(RingletError, match="--set"):
        Scenario.load(path, [override])
