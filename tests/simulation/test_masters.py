"""Masters that share the bus of a host and the split buffers of its bridge (richter1999, Section 6.3)."""

from pathlib import Path

import numpy as np
import pytest

import ringlet as rl
from ringlet.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
NETWORK = {
    "topology": "rings",
    "rings": [{"members": [0, 1]}],
    "memories": [1],
    "link_rate": "200 MB/s",
    "hop_delay": 1,
}
TIMES = {"set_up": "1 us", "write_time": "0.5 us", "bridge_delay": "0 ns"}


def content(*, adapter, network=NETWORK, **sections):
    return {
        "network": network,
        "host": {"adapter": adapter},
        "flow_control": {"protocol": "none"},
        "traffic": {"arrivals": "none", "transaction": "dmove64"},
    } | sections


def test_injected_packets_are_set_up_side_by_side_as_far_as_there_are_buffers():
    simulation = rl.Simulation(content(adapter={"masters": 2, **TIMES}))
    for _ in range(3):
        simulation.inject(0, 1, transaction="dmove64", time="1 us")
    simulation.advance("10 us")
    sent_us = simulation.deliveries()["sent_ns"] / 1000
    # Behind an idle of 10 ns; the third one waits for the echo of the first.
    assert sent_us[:2].tolist() == pytest.approx([2.51, 3.01])
    assert sent_us[0] + 0.4 + 1.5 < sent_us[2] < sent_us[0] + 0.5 + 1.5


def test_an_injected_packet_waits_for_a_buffer_that_no_other_master_holds():
    def sent_ns(masters):
        closed = {"arrivals": "closed", "transaction": "dmove64"}
        # An echo takes 4 us: the buffers of the node's own traffic are taken nearly always.
        adapter = {"masters": masters, **TIMES, "bridge_delay": "4 us"}
        simulation = rl.Simulation(content(adapter=adapter, traffic=closed))
        simulation.inject(0, 1, transaction="dmove64", time="3 us")
        simulation.advance("30 us")
        return simulation.deliveries()["sent_ns"].item()

    # Behind the own packets of cycle 0, of which the first has its echo after 6 us.
    assert all(3000 + 6000 < sent_ns(masters) < 3000 + 12_000 for masters in (2, 4))


def test_injected_packets_are_those_of_a_trace(tmp_path):
    """At a node with masters, too, bit for bit."""
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.integers(0, 120, 40))
    times -= times[0]
    names = rng.choice(["dmove64", "nwrite64", "read64"], 40).tolist()
    rows = "".join(f"{time},0,1,{name}\n" for time, name in zip(times, names, strict=True))
    (tmp_path / "t.csv").write_text(f"cycle,source,destination,transaction\n{rows}", encoding="utf-8")
    trace = {"trace": {"file": "t.csv", "replay": "open-loop"}}
    # A buffer takes the same time for the default transaction's data in both.
    sections = content(adapter={"masters": 3, **TIMES}, run={"duration": 20_000}, traffic={"arrivals": "none"})
    ran = rl.run(rl.Scenario.from_dict(sections | {"traffic": trace}, base_dir=tmp_path)).document["nodes"][0]
    simulation = rl.Simulation(sections)
    for time, name in zip(times.tolist(), names, strict=True):
        simulation.inject(0, 1, transaction=name, time=time)
    simulation.advance(20_000)
    counted = simulation.counters().nodes
    assert counted["delivered_packets"][0] == ran["delivered_packets"] > 20
    mean_ns = 10 * counted["latency_sum_cycles"][0] / counted["delivered_packets"][0]
    assert mean_ns == pytest.approx(ran["latency_ns"]["mean"], rel=1e-12)


def test_a_loaded_simulation_goes_on_like_the_one_that_was_saved(tmp_path):
    closed = {"arrivals": "closed", "transaction": "dmove64", "block": 256}
    simulation = rl.Simulation(content(adapter={"masters": 8}, traffic=closed))
    # Masters set up, write, and wait for the bus, for buffers and for echoes.
    simulation.advance("20 us")
    simulation.save(tmp_path / "half-way")
    both = simulation, rl.Simulation.load(tmp_path / "half-way", threads=2)
    for one in both:
        one.inject(0, 1, transaction="dmove64")
        one.advance("100 us")
    first, second = (one.counters().nodes for one in both)
    assert all(np.array_equal(first[column], second[column]) for column in first)
    assert both[0].deliveries().tolist() == both[1].deliveries().tolist()


def test_a_run_is_the_same_each_time():
    poisson = {"arrivals": "poisson", "load": "30 MB/s", "transaction": "read64"}
    scenario = content(adapter={"masters": 4}, traffic=poisson, run={"duration": "500 us"})
    first, again, other = (rl.run(scenario, seed=seed).document["nodes"] for seed in (1, 1, 2))
    assert first == again != other


def test_nodes_may_have_different_bridges():
    network = {"topology": "rings", "rings": [{"members": [0, 1, 2]}], "link_rate": "200 MB/s"}
    adapters = [{"nodes": [0], "masters": 4}, {"nodes": [1], "streams": 4}]
    closed = {"arrivals": "closed", "transaction": "dmove64", "block": 256, "destinations": [2, 2, 0]}
    document = rl.run(content(adapter=adapters, network=network, traffic=closed, run={"duration": "1 ms"})).document
    split, combined, without = (node["throughput_MBps"] for node in document["nodes"])
    # Four masters write side by side what one sets up for four buffers.
    assert split == pytest.approx(48, rel=0.1)
    assert combined == pytest.approx(45, rel=0.1)
    assert without > 2 * split


def test_reads_of_masters_wait_for_their_data():
    def throughput(masters):
        closed = {"arrivals": "closed", "transaction": "read64"}
        scenario = content(adapter={"masters": masters, **TIMES}, traffic=closed, run={"duration": "1 ms"})
        return rl.run(scenario).document["total"]["throughput_MBps"]

    one, two = throughput(1), throughput(2)
    assert two == pytest.approx(2 * one, rel=0.03)


def test_masters_of_combined_buffers_are_one_message(capsys):
    assert main(["run", str(EXAMPLES / "write-buffers.toml"), "--set", "host.adapter.masters=2"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "host.adapter.masters: 2 is not allowed; 1 with host.adapter.streams = 8" in line
