"""Every real-time protocol runs on rings of 2 to 256 nodes, whoever sends to whom."""

import pytest

from ringlet.scenario import Scenario
from ringlet.simulation import run

PROTOCOLS = ("sci", "ppq", "train", "dfc")


def patterns(nodes: int) -> dict[str, dict]:
    across = [(node + nodes // 2) % nodes for node in range(nodes)]
    found = {
        "uniform": {},
        "neighbour": {},
        "permutation": {"destinations": across},
        "matrix": {"matrix": [[float(to == across[node]) for to in range(nodes)] for node in range(nodes)]},
    }
    if nodes > 2:
        found["hot-spot"] = {"hot_node": 1, "hot_fraction": 0.5}
        found["fan-in"] = {"fan_in": 2}
    return found


@pytest.mark.parametrize("nodes", [2, 3, 16, 256])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_reads_are_served_under_every_pattern(protocol, nodes):
    for pattern, keys in patterns(nodes).items():
        scenario = Scenario.from_dict(
            {
                "network": {"nodes": nodes},
                "flow_control": {"protocol": protocol},
                "queues": {"receive": 5, "service_time": "0.1 us", "responses": 5},
                "traffic": {
                    "transaction": "read64",
                    "pattern": pattern,
                    "arrivals": "poisson",
                    "load": f"{100 / nodes} MB/s",
                    **keys,
                },
                "run": {"duration": "100 us", "warmup": "20 us", "seed": 1},
            }
        )
        found = run(scenario)
        assert found.stall is None, pattern
        total = found.document["total"]
        assert total["throughput_MBps"] > 0, pattern
        if pattern != "hot-spot":
            assert total["throughput_MBps"] == pytest.approx(total["offered_MBps"], rel=0.35), pattern


@pytest.mark.parametrize("late_echo", ["service-end", "service-start", "none"])
def test_a_late_echo_does_not_take_every_turn_of_its_node(late_echo):
    # Node 7 is let send once in each turn of the ring, when the echo of the packet from node 5 is due, too.
    scenario = {
        "network": {"nodes": 8, "hop_delay": 7},
        "flow_control": {"protocol": "ppq", "late_echo": late_echo},
        "traffic": {
            "transaction": "send288",
            "arrivals": "periodic",
            "destinations": [1, 2, 0, 1, 1, 7, 3, 5],
            "load": [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        },
        "run": {"duration": 40_000, "warmup": 6_000, "seed": 1},
    }
    found = run(Scenario.from_dict(scenario)).nodes["throughput_words_per_cycle"]
    assert found[2:].min() > 0.9 * found[2:].mean()
