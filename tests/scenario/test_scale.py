"""From millimetres to 1,000 km and from 1 Mbit/s to 1 Tbit/s: the same rules, and a run that ends soon."""

import itertools
import signal
import time

import numpy as np
import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.resolved.checks import MAX_HOP_DELAY_CYCLES

RATES = {"1 Mbit/s": 16_000, "1 GB/s": 2, "1 Tbit/s": 0.016}
"""Nanoseconds of a symbol of 16 bits at each rate."""

LENGTHS = {"1 mm": 5e-3, "1 m": 5, "1000 km": 5e6}
"""Nanoseconds of each length of cable."""

AT_ONCE, BEHIND_A_LAP = ["dfc", "none"], ["grouped", "ppq", "sci"]
"""Protocols under which a packet alone on its ring waits for nothing, and for an idle that comes by within a lap."""


def ring(rate, length, *, nodes=4, protocol="none", **sections):
    network = {"nodes": nodes, "link_rate": rate, "cable_length": length}
    return rl.Scenario.from_dict({"network": network, "flow_control": {"protocol": protocol}, **sections})


def one_at_a_time(rate, length, nodes, protocol):
    """A ring on which each node sends 64 bytes to node 0, one behind the other."""
    lap_ns = nodes * (LENGTHS[length] + 200 * RATES[rate])
    periods = {"period": f"{4 * nodes * lap_ns} ns", "size": 64, "destination": 0}
    messages = [{"source": node, "offset": f"{4 * node * lap_ns} ns", **periods} for node in range(1, nodes)]
    return ring(rate, length, nodes=nodes, protocol=protocol, traffic={"arrivals": "none"}, messages=messages)


@pytest.mark.parametrize("protocol", [*AT_ONCE, *BEHIND_A_LAP])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("rate", RATES)
def test_a_packet_alone_takes_its_way_and_its_symbols(rate, length, protocol):
    loaded = one_at_a_time(rate, length, 4, protocol)
    symbol_ns = RATES[rate]
    # A symbol time of the node itself, and the cable, in whole symbols.
    hop = int(loaded.hop_cycles[0])
    assert hop * symbol_ns == pytest.approx(LENGTHS[length] + symbol_ns, abs=symbol_ns)
    begun = time.process_time()
    found = rl.run(loaded).messages
    took_s = time.process_time() - begun
    # The cycle in which it is found, its way, and its 40 symbols.
    expected = [(1 + hops * hop + 40) * symbol_ns for hops in (3, 2, 1)]
    mean, worst = found["mean_response_ns"].to_numpy(), found["worst_response_ns"].to_numpy()
    if protocol in AT_ONCE or hop > 40:
        assert mean.tolist() == worst.tolist() == pytest.approx(expected, rel=1e-12)
    else:
        assert (mean >= np.array(expected) * (1 - 1e-12)).all()
        assert (worst < np.array(expected) + 4 * hop * symbol_ns).all()
    assert took_s < 1


def test_a_long_ring_costs_what_happens_on_it_and_not_its_symbols():
    traffic = {"transaction": "send64", "pattern": "uniform", "arrivals": "poisson", "load": "0.01 MB/s"}
    begun = time.process_time()
    total = rl.run(ring("1 Tbit/s", "1000 km", nodes=64, protocol="sci", traffic=traffic)).to_dict()["total"]
    # 8e10 cycles behind a warm-up of as many, and 20,000 packets; 85 s while every 16,000 cycles were a step.
    assert time.process_time() - begun < 10
    assert total["throughput_MBps"] == pytest.approx(0.64, rel=0.05)
    assert total["latency_ns"]["min"] > LENGTHS["1000 km"]


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_every_protocol_runs_on_the_longest_links(protocol):
    found = rl.run(one_at_a_time("1 Tbit/s", "1000 km", 8, protocol)).messages
    # Some wait for a token or a train besides.
    assert (found["completed"] > 0).all()
    assert (found["worst_response_ns"] >= [1e6 * 5 * hops for hops in range(7, 0, -1)]).all()


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_defaults_of_many_of_the_longest_links_are_accepted(protocol):
    """The engine takes them; in so few cycles nothing arrives."""
    run = {"duration": 10_000, "warmup": 0}
    rl.run(ring("1 Tbit/s", "1000 km", nodes=64, protocol=protocol, traffic={"load": "1 MB/s"}, run=run))


def test_a_window_limits_the_rate_of_a_long_ring():
    limits = {"outstanding": 64}
    traffic = {"transaction": "send64", "destinations": [1, 2, 3, 0], "arrivals": "saturated"}
    long = ring("1 GB/s", "1000 km", protocol="none", traffic=traffic, queues=limits, run={"duration": "400 ms"})
    found = rl.run(long).to_dict()["total"]["throughput_MBps"]
    # 64 packets of 64 bytes for each way round, which is that of the packet and its echo.
    assert found == pytest.approx(4 * 64 * 64 / 4 / 5e3, rel=0.03)


def test_signals_are_looked_for_within_a_second_where_a_quiet_network_becomes_busy():
    # Long idle times are passed in large pieces, of which the last one ends in the busy time.
    places = range(16)
    quiet = [{"source": one, "destination": (one + 3) % 16, "size": 64, "period": "20 ms"} for one in places]
    late = {"size": 64, "arrivals": "poisson", "rate": "20 MB/s", "start": "20 s"}
    busy = [{**late, "source": one, "destination": (one + hops) % 16} for one in places for hops in (1, 5, 9)]
    network = {"topology": "torus", "shape": [4, 4]}
    torus = {"network": network, "traffic": {"arrivals": "none"}, "messages": quiet, "flows": busy}
    simulation = rl.Simulation(rl.Scenario.from_dict(torus))
    looks = [time.process_time()]
    before = signal.signal(signal.SIGALRM, lambda *_: looks.append(time.process_time()))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        simulation.advance("20010 ms")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert simulation.counters().nodes["delivered_packets"].sum() > 10_000
    assert max(later - earlier for earlier, later in itertools.pairwise(looks)) < 1


def test_a_saved_simulation_of_long_links_goes_on(tmp_path):
    traffic = {"transaction": "send64", "pattern": "uniform", "arrivals": "poisson", "load": "0.1 MB/s"}
    whole = rl.Simulation(ring("1 Tbit/s", "1000 km", nodes=16, protocol="sci", traffic=traffic))
    whole.advance("60 ms")
    whole.save(tmp_path / "half")
    again = rl.Simulation.load(tmp_path / "half")
    for one in (whole, again):
        one.advance("60 ms")
    ours, theirs = (one.counters().nodes for one in (whole, again))
    assert ours["delivered_packets"].sum() > 0
    assert all((ours[name] == theirs[name]).all() for name in ours)


def test_a_guarantee_holds_on_long_links():
    messages = [
        {"source": 0, "destination": 5, "size": 1000, "period": "100 ms"},
        {"source": 3, "destination": 6, "size": 64, "period": "70 ms"},
    ]
    loaded = ring("1 Tbit/s", "1000 km", nodes=8, protocol="dfc", traffic={"arrivals": "none"}, messages=messages)
    bounds = rl.guarantee(loaded)["bound_us"]
    worst = rl.run(loaded).messages["worst_response_ns"] / 1e3
    assert (worst <= bounds + 1e-9).all()
    assert (bounds <= worst + 0.1).all()


@pytest.mark.parametrize(
    ("network", "flow_control", "said"),
    [
        ({"cable_length": "4000 km"}, {}, "network.cable_length: '4000 km' is not allowed; so short that"),
        ({"hop_delay": "1 s"}, {}, f"network.hop_delay: '1 s' is not allowed; at most {MAX_HOP_DELAY_CYCLES} cycles"),
    ],
)
def test_longer_links_are_refused(network, flow_control, said):
    network = {"nodes": 4, "link_rate": "1 Tbit/s", **network}
    with pytest.raises(rl.RingletError) as refused:
        rl.Scenario.from_dict({"network": network, "flow_control": flow_control})
    assert said in str(refused.value)


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_a_message_takes_no_more_memory_the_larger_it_is(monkeypatch, protocol):
    # A gigabyte takes 3 s (performance.md). Of this message 300,000 packets wait, in less than a byte for each.
    monkeypatch.setattr("ringlet.limits.SIMULATION_BYTES", 200_000)
    flow = {"source": 0, "destination": 2, "size": "20 MB", "arrivals": "times", "times": [0]}
    sections = {"network": {"nodes": 4, "hop_delay": 20}, "run": {"duration": "400 ms", "warmup": 0}}
    loaded = rl.Scenario.from_dict({**sections, "flow_control": {"protocol": protocol}, "flows": [flow]})
    document = rl.run(loaded).to_dict()
    (whole,) = document["flows"]
    assert document["total"]["delivered_packets"] == 20_000_000 / 64
    assert (whole["offered"], whole["delivered"], whole["lost"]) == (1, 1, 0)
