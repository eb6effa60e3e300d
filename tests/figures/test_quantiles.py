"""Quantiles are those of their names, in every table, for latencies that are known one by one."""

import pytest

import ringlet as rl

PACKETS = 100
# A packet of 16 symbols and its idle, one after the other; the first is behind an idle and one hop away.
LATENCIES_NS = [2 * (1 + 1 + 16 + 17 * k) for k in range(PACKETS)]
# The smallest latency that this share of the packets does not exceed.
QUANTILES_NS = {"p50": LATENCIES_NS[49], "p95": LATENCIES_NS[94], "p99": LATENCIES_NS[98]}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A hundred packets that arrive together, and leave one by one."""
    folder = tmp_path_factory.mktemp("quantiles")
    rows = [f"{number},0,0,1,dmove16," for number in range(PACKETS)]
    (folder / "t.csv").write_text("id,cycle,source,destination,transaction,depends_on\n" + "\n".join(rows) + "\n")
    sections = {
        "network": {"nodes": 2},
        "flow_control": {"protocol": "none"},
        "queues": {"outstanding": "unlimited"},
        "traffic": {"trace": {"file": "t.csv", "replay": "open-loop"}},
    }
    return rl.run(rl.Scenario.from_dict(sections, base_dir=folder))


def test_quantiles_of_a_node_and_in_total_are_those_of_its_packets(result):
    document = result.to_dict()
    for latency in (document["nodes"][0]["latency_ns"], document["total"]["latency_ns"]):
        assert {name: latency[name] for name in QUANTILES_NS} == pytest.approx(QUANTILES_NS, rel=1e-3)
        assert latency["mean"] == pytest.approx(sum(LATENCIES_NS) / PACKETS)
        assert (latency["min"], latency["max"]) == (LATENCIES_NS[0], LATENCIES_NS[-1])


def test_tables_have_the_quantiles_of_the_document(result):
    for table in (result.nodes, result.total):
        for name, expected in QUANTILES_NS.items():
            assert table[f"latency_{name}_ns"].iloc[0] == pytest.approx(expected, rel=1e-3)


def test_no_quantile_lies_outside_of_what_was_measured():
    """The histogram knows the end of an interval only, and intervals of long latencies are wide."""
    sections = {
        "network": {"nodes": 2, "hop_delay": "20026 ns"},
        "traffic": {"transaction": "send80", "arrivals": "periodic", "load": "1 MB/s", "destinations": [1, 0]},
        "run": {"duration": "2 ms", "warmup": 0},
    }
    document = rl.run(rl.Scenario.from_dict(sections)).document
    for latency in (document["nodes"][0]["latency_ns"], document["total"]["latency_ns"]):
        assert latency["min"] == latency["max"] > 20_026
        assert {latency[name] for name in QUANTILES_NS} == {latency["max"]}
