"""Symbols of other widths than 16 bits: what they change, and what they do not."""

import json

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError

WIDTHS = (8, 16, 32, 64)


def ring(width, *, nodes=8, **sections):
    network = {"nodes": nodes, "link_rate": "1 GB/s", "link_width": width, "hop_delay": "8 ns"}
    return {"network": network, **sections}


def saturated_neighbours(width):
    traffic = {"pattern": "neighbour", "transaction": "send80", "arrivals": "saturated"}
    return ring(width, traffic=traffic, run={"duration": "200 us", "warmup": "20 us"})


@pytest.mark.parametrize("width", WIDTHS)
def test_a_packet_has_the_same_bytes_and_an_idle_is_one_symbol(width):
    """A link carries a node's own packet and the echoes of the seven others, each with its idle."""
    symbol = width // 8
    cycles = (80 / symbol + 1) + 7 * (8 / symbol + 1)
    expected = 80 / (cycles * symbol) * 1000
    best = rl.bound(saturated_neighbours(width))
    result = rl.run(saturated_neighbours(width))
    assert best["max_min_with_echo"].to_numpy() == pytest.approx(np.full(8, 80 / symbol / cycles))
    assert result.nodes["throughput_MBps"].to_numpy() == pytest.approx(np.full(8, expected), rel=0.01)
    assert result.nodes["throughput_words_per_cycle"].to_numpy() == pytest.approx(np.full(8, expected / 1000), rel=0.01)
    assert result.batches["throughput_MBps"].mean() == pytest.approx(8 * expected, rel=0.01)


def test_16_bits_are_the_default():
    given, default = ring(16), ring(16)
    del default["network"]["link_width"]
    documents = [rl.run({**one, "run": {"duration": "20 us"}}).to_dict() for one in (given, default)]
    assert documents[0] == documents[1]


@pytest.mark.parametrize("topology", ["ring", "switch"])
def test_alone_a_packet_takes_the_same_time_on_links_of_any_width(topology):
    """All bytes arrive at one rate, and a B-Link moves bytes; a node waits for the end of a symbol, here 8 ns."""
    traffic = {
        "pattern": "uniform",
        "transaction": "nwrite64",
        "arrivals": "periodic",
        "load": ["1 MB/s", *["0 MB/s"] * 7],
    }

    def mean(width):
        content = ring(width, traffic=traffic, run={"duration": "5 ms", "warmup": "1 ms"})
        content["network"]["topology"] = topology
        if topology == "switch":
            content["switch"] = {"rate": "500 MB/s", "set_up": "80 ns", "to_link": "40 ns", "from_link": "80 ns"}
        return rl.run(content).total["latency_mean_ns"].item()

    found = [mean(width) for width in WIDTHS]
    assert max(found) - min(found) < 8 * (6 if topology == "switch" else 2)


@pytest.mark.parametrize("width", [8, 32, 64])
def test_the_queueing_model_follows_the_width(width):
    traffic = {"pattern": "uniform", "transaction": "send80", "arrivals": "poisson", "load": "90 MB/s"}
    content = ring(width, traffic=traffic, run={"duration": "20 ms", "warmup": "100 us"})
    content["flow_control"] = {"protocol": "none"}
    mean = rl.run(content).total["latency_mean_ns"].item()
    assert rl.model(content)["latency_ns"].mean() == pytest.approx(mean, rel=0.05)


@pytest.mark.parametrize("width", [8, 64])
@pytest.mark.parametrize("protocol", ["sci", "token-ring", "metaring", "dfc", "train"])
def test_no_response_is_longer_than_what_is_guaranteed(width, protocol):
    messages = [
        {"name": f"m{i}", "source": i, "destination": (i + 2) % 4, "size": 256, "period": "50 us", "offset": f"{i} us"}
        for i in range(4)
    ]
    content = ring(
        width,
        nodes=4,
        flow_control={"protocol": protocol},
        queues={"service_time": "20 ns"},
        messages=messages,
        traffic={"arrivals": "none"},
        run={"duration": "2 ms", "warmup": 0},
    )
    # On a shorter ring trains follow each other so closely that they leave no bound.
    content["network"]["hop_delay"] = "20 ns"
    document = rl.run(content).to_dict()
    worst = {one["name"]: one["worst_response_ns"] for one in document["messages"]}
    bounds = rl.guarantee(content)["bound_us"]
    assert bounds.notna().all()
    for name, bound in bounds.items():
        assert 0 < worst[name] <= bound * 1000


@pytest.mark.parametrize("transaction", ["send18", {"sizes": {"16": 0.5, "18": 0.5}}])
def test_a_packet_that_ends_within_a_symbol_is_refused(transaction):
    traffic = {"transaction": transaction, "load": "1 MB/s"}
    assert rl.Scenario.from_dict(ring(16, traffic=traffic))
    path = "traffic.transaction" if isinstance(transaction, str) else "traffic.transaction.sizes"
    with pytest.raises(
        RingletError, match=rf"^{path}: '?(send)?18'? is not allowed; packets of whole symbols, of 4 bytes"
    ):
        rl.Scenario.from_dict(ring(32, traffic=traffic))


def test_a_packet_of_a_trace_that_ends_within_a_symbol_is_refused(tmp_path):
    (tmp_path / "short.csv").write_text("id,cycle,source,destination,transaction\n1,0,0,1,send18\n")
    (tmp_path / "traced.toml").write_text(
        """[network]
nodes = 2
link_width = 64
[traffic]
pattern = "trace"
trace = { file = "short.csv" }
"""
    )
    with pytest.raises(RingletError, match=r"short.csv: 'send18' is not allowed; packets of whole symbols, of 8 bytes"):
        rl.Scenario.load(tmp_path / "traced.toml")


def test_a_program_injects_packets_of_whole_symbols():
    simulation = rl.Simulation(ring(32, nodes=2, traffic={"arrivals": "none"}))
    with pytest.raises(RingletError, match="size: 18 is not allowed; packets of whole symbols, of 4 bytes"):
        simulation.inject(0, 1, size=18)
    simulation.inject(0, 1, size=20)
    simulation.advance("1 us")
    assert len(simulation.deliveries()) == 1


@pytest.mark.parametrize("width", [1, 4, 24, 128, True, "16", 16.0])
def test_no_other_width_is_one(width):
    with pytest.raises(RingletError, match=r"network.link_width: .* is not allowed; 8, 16, 32 or 64"):
        rl.Scenario.from_dict(ring(width))


def test_the_schema_lists_the_widths():
    assert '"enum": [8, 16, 32, 64]' in json.dumps(rl.Scenario.json_schema())
