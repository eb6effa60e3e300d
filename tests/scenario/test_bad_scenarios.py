"""Bad input gets one message with the key path, the value and what is allowed."""

import copy
import os
import time

import pytest

from ringlet import RingletError, Scenario
from ringlet.scenario import OneRing

NAN, INFINITY = float("nan"), float("inf")
MATRIX = [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]


def refused(**sections):
    content = {"network": {"nodes": 4}}
    for section, keys in sections.items():
        content.setdefault(section, {})
        content[section] = {**content[section], **keys} if isinstance(keys, dict) else keys
    start = time.process_time()
    with pytest.raises(RingletError) as caught:
        Scenario.from_dict(content).network_spec(1)
    assert time.process_time() - start < 1
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
        ({"network": {"hop_delay": "1 h"}}, ["network.hop_delay", "1 h", "1000000000"]),
        ({"network": {"topology": "torus"}}, ["network.shape", "missing", "'torus'"]),
        ({"network": {"topology": "star"}}, ["network.topology", "star", "'ring'"]),
        ({"network": {"node": 4}}, ["network.node", "did you mean 'nodes'?"]),
        ({"netwrk": {}}, ["netwrk", "did you mean 'network'?"]),
        ({"network": 4}, ["network", "4", "table"]),
        ({"flow_control": {"protocol": "brick"}}, ["flow_control.protocol", "brick", "'sci'", "'dfc'"]),
        ({"flow_control": {"protocol": "none", "groups": 2}}, ["flow_control.groups", "'none' has no such key"]),
        ({"flow_control": {"protocol": "sci", "assignment": "node"}}, ["flow_control.assignment", "'sci'"]),
        ({"flow_control": {"protocol": "grouped", "groups": 257}}, ["flow_control.groups", "257", "256"]),
        (
            {"flow_control": {"protocol": "grouped", "groups": 2, "assignment": "node"}},
            ["flow_control.groups", "2", "at least 4, one for each node"],
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
        ({"traffic": {"transaction": "send7"}}, ["traffic.transaction", "send7", "16 to 65408"]),
        ({"traffic": {"transaction": "read65"}}, ["traffic.transaction", "read65", "read64", "nwriteN"]),
        ({"traffic": {"transaction": {"sizes": {"80": 0.5, "16": 0.4}}}}, ["traffic.transaction.sizes", "sum to 1"]),
        ({"traffic": {"pattern": "trace"}}, ["traffic.trace", "missing"]),
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
        ({"traffic": {"load_factor": 2.0}}, ["traffic.load_factor", "traffic.load, which it multiplies"]),
        ({"traffic": {"load": 0.6, "load_factor": 2.0}}, ["traffic.load: 0.6", "with load_factor 2"]),
        (
            {"traffic": {"load": 40}},
            ["traffic.load: 40", "1 word per cycle", "link's rate of 1 GB/s", "'40 MB/s' meant"],
        ),
        ({"traffic": {"load": "2 GB/s"}}, ["traffic.load: '2 GB/s'", "at most 1 word per cycle"]),
        ({"traffic": {"load": [0.5, 0.5, 60, 0.5]}}, ["traffic.load[2]: 60", "'60 MB/s' meant"]),
        ({"traffic": {"priority": 1}}, ["traffic.priority", "1", "below 1"]),
        ({"traffic": {"phase": 5}}, ["traffic.phase", "periodic"]),
        ({"run": {"duration": "1e30 s"}}, ["run.duration", "1e30 s"]),
        ({"run": {"duration": 0}}, ["run.duration", "0"]),
        ({"run": {"duration": "10**10**10 s"}}, ["run.duration", "10**10**10 s"]),
        ({"run": {"precision": 0}}, ["run.precision", "0"]),
        ({"run": {"precision": 1.0}}, ["run.precision", "1"]),
        ({"run": {"warmup": "later"}}, ["run.warmup", "later", "auto"]),
        ({"run": {"seed": -1}}, ["run.seed", "-1"]),
        ({"run": {"seed": 10**5000}}, ["run.seed", "5000 digits", "at most"]),
        ({"run": {"duration": 10**400}}, ["run.duration", "400 digits", "cycles"]),
        ({"run": {"duration": "1 s/"}}, ["run.duration", "'1 s/'", "ns"]),
        ({"run": {"duration": "1 " + "s/" * 50_000 + "s"}}, ["run.duration", "ns"]),
        ({"run": {"duration": "1" * 100_000 + "!"}}, ["run.duration", "ns"]),
        ({"traffic": {"matrix_file": "a\nb"}}, ["a\\nb: no such file"]),
        ({"network": {"nodes": 500}, "traffic": {"matrix": [[NAN] * 500] * 500}}, ["traffic.matrix[0][0]", "finite"]),
        (
            {"network": {"nodes": 500}, "flow_control": {"protocol": "grouped", "assignment": [["x"] * 500] * 500}},
            ["flow_control.assignment[0][0]", "whole number"],
        ),
        ({"run": {"warmup": 2**53}}, ["run.warmup", "2^53"]),
        ({"network": {"link_rate": "5e-324 MB/s"}}, ["network.link_rate", "at least 2 B/s"]),
        ({"network": {"link_rate": "1e12 GB/s"}}, ["network.link_rate", "1 PB/s"]),
        ({"network": {"duration": 5}}, ["network.duration", "did you mean 'run.duration'?"]),
        ({"int": 1}, ["int: unknown key"]),
        ({"network": {"Mix": 1}}, ["network.Mix: unknown key"]),
        ({"network": {"a\nb": 1}}, ['network."a\\nb": unknown key']),
        ({"traffic": {"pattern": "<\n>"}}, ["traffic.pattern: '<\\n>'"]),
        (
            {"traffic": {"pattern": "fan-in", "fan_in": 2}, "network": {"nodes": 2}},
            ["traffic.pattern", "at least 3 nodes"],
        ),
        ({"traffic": {"transaction": {"sizes": {"80": 0.5, "080": 0.5}}}}, ["traffic.transaction.sizes", "080"]),
        ({"traffic": {"transaction": {"sizes": {"80": 10**400}}}}, ["traffic.transaction.sizes.80", "400 digits"]),
        ({"traffic": {"transaction": "send٨٠"}}, ["traffic.transaction", "16 to 65408"]),
        (
            {"traffic": {"random_matrix": {"famly": "sparse"}}},
            ["traffic.random_matrix.famly", "did you mean 'family'?"],
        ),
        (
            {"flow_control": {"protocol": "grouped", "schedule": [{"at": 0, "groups": [0] * 4}] * 2}},
            ["flow_control.schedule[1].at", "later than the step before"],
        ),
        (
            {
                "flow_control": {
                    "protocol": "grouped",
                    "schedule": [{"at": 0, "groups": [0] * 4}, {"at": "1e18 ns", "groups": [0] * 4}],
                }
            },
            ["flow_control.schedule[1].at", "2^53 cycles"],
        ),
        ({"flow_control": {"protocol": "grouped", "assignment": "pair"}}, ["flow_control.groups", "at least 12"]),
        ({"flow_control": {"protocol": "grouped"}, "network": {"nodes": 65_536}}, ["network.nodes", "assign groups"]),
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0,1\n\n0.5,0\n", r"m\.csv, line 3: <a row with sum 0.5>"),
        ("0,1\n\n1\n", r"m\.csv, line 3: <1 values> is not allowed; 2 values"),
        ("0,1,\n1,0\n", r"m\.csv, line 1, column 3: '' is not allowed; a number"),
        ("0,1\nnan,0\n", r"m\.csv, line 2, column 1: nan is not allowed; a probability"),
        ("0,1\n1,0\n0,1\n", r"m\.csv: <3 rows> is not allowed; 2 rows"),
        ("\n\n", r"m\.csv: <an empty file> is not allowed"),
        ("0," + "1" * 200_000, r"m\.csv, line 1: not a line of values: field larger"),
    ],
)
def test_lines_of_a_csv_file_are_counted_as_an_editor_does(tmp_path, content, message):
    (tmp_path / "m.csv").write_text(content)
    (tmp_path / "s.toml").write_text('[network]\nnodes = 2\n[traffic]\nmatrix_file = "m.csv"\n')
    with pytest.raises(RingletError, match=message):
        Scenario.load(tmp_path / "s.toml")


@pytest.mark.parametrize("name", ["missing.csv", ".", "s.toml", "", "a" * 5000, "\0"])
def test_a_matrix_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "s.toml").write_text("")
    with pytest.raises(RingletError, match=str(tmp_path)):
        Scenario.from_dict({"network": {"nodes": 2}, "traffic": {"matrix_file": name}}, base_dir=tmp_path)


def test_a_bad_row_of_a_csv_file_is_named_with_file_and_line(tmp_path):
    (tmp_path / "m.csv").write_text("0,1\n1,zero\n")
    (tmp_path / "s.toml").write_text('[network]\nnodes = 2\n[traffic]\npattern = "matrix"\nmatrix_file = "m.csv"\n')
    with pytest.raises(RingletError, match=r"m\.csv, line 2, column 2: 'zero' is not allowed; a number"):
        Scenario.load(tmp_path / "s.toml")
    (tmp_path / "m.csv").write_text("0,1\n1,0.5\n")
    with pytest.raises(
        RingletError, match=r"m\.csv, line 2, column 2: 0\.5 is not allowed; 0: a node does not send to itself"
    ):
        Scenario.load(tmp_path / "s.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<an empty file> is not allowed"),
        (b"[network\nnodes = 4", "not a TOML file"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a = " + b"[" * 100_000, "not a TOML file"),
        (b"a = " + b"9" * 100_000, "not a TOML file"),
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


def test_a_section_written_in_python_fails_as_in_a_file():
    with pytest.raises(RingletError, match="nodes: 0 is not allowed; at least 1"):
        OneRing(nodes=0)
    with pytest.raises(RingletError, match=r"traffic\.fan_in: missing"):
        Scenario(network=OneRing(nodes=4), traffic={"pattern": "fan-in"})
    ring = Scenario(network=OneRing(nodes=4))
    with pytest.raises(RingletError, match=r"traffic\.load: 'much' is not allowed"):
        ring.changed(traffic={"load": "much"})


def test_values_too_deep_to_be_written_out_are_refused():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert "traffic.matrix" in refused(traffic={"matrix": deep})


def test_an_override_with_more_digits_than_python_takes_is_refused(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("[network]\nnodes = 4\n")
    with pytest.raises(RingletError, match=r"network\.nodes: '999.* is not allowed; a whole number"):
        Scenario.load(path, ["network.nodes=" + "9" * 5000])
