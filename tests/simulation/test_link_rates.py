"""Rings of a network with different link rates."""

import numpy as np
import pytest

import ringlet as rl
from ringlet.trace import record

NETWORK = {
    "topology": "rings",
    "nodes": 8,
    "rings": [
        {"name": "fast", "members": [0, 1, 2, 3, "s.0"]},
        {"name": "slow", "members": [4, 5, 6, 7, "s.1"]},
    ],
    "switches": [{"name": "s", "ports": 2}],
    "hop_delay": "8 ns",
}
RATES = {"slow": "500 MB/s", "others": "1 GB/s"}
WITHIN = [1, 2, 3, 0, 5, 6, 7, 4]
ACROSS = [4, 5, 6, 7, 0, 1, 2, 3]


def scenario(rates=RATES, *, pattern=None, **sections):
    destinations = {"pattern": "permutation", "destinations": pattern or WITHIN}
    traffic = {"arrivals": "periodic", "load": "60 MB/s", **destinations, **sections.pop("traffic", {})}
    network = NETWORK | {"link_rate": rates} | sections.pop("network", {})
    run = {"duration": "40 us", "warmup": "2 us"}
    return rl.Scenario.from_dict({"network": network, "traffic": traffic, "run": run, **sections})


def of_nodes(result, key):
    return [node[key] for node in result.document["nodes"]]


def test_traffic_within_a_ring_is_that_of_networks_with_its_rate():
    mixed, fast, slow = (rl.run(scenario(rates)) for rates in (RATES, "1 GB/s", "500 MB/s"))
    for key in ("latency_ns", "throughput_MBps", "link"):
        assert of_nodes(mixed, key)[:4] == of_nodes(fast, key)[:4]
        # In units of the other's cycles: equal but for rounding.
        for ours, theirs in zip(of_nodes(mixed, key)[4:], of_nodes(slow, key)[4:], strict=True):
            assert ours == pytest.approx(theirs)


def test_a_saturated_slow_ring_carries_half_of_what_a_fast_one_does():
    result = rl.run(scenario(traffic={"arrivals": "saturated", "load": None}))
    rates = of_nodes(result, "throughput_MBps")
    assert sum(rates[4:]) == pytest.approx(sum(rates[:4]) / 2, rel=0.01)
    for link in of_nodes(result, "link"):
        assert sum(link.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("source", [0, 4])
def test_packets_cross_between_rings_of_different_rates(source):
    load = ["20 MB/s" if node == source else 0 for node in range(8)]
    results = [
        # Without flow control no packet waits for a go bit.
        rl.run(scenario(rates, pattern=ACROSS, traffic={"load": load}, flow_control={"protocol": "none"}))
        for rates in ("1 GB/s", RATES, "500 MB/s")
    ]
    assert of_nodes(results[1], "throughput_MBps")[source] == pytest.approx(20.0, rel=0.1)
    fast, mixed, slow = (of_nodes(one, "latency_ns")[source]["mean"] for one in results)
    # Half of its way is as fast, half as slow.
    assert mixed == pytest.approx((fast + slow) / 2, rel=0.05)


def test_a_time_of_a_host_does_not_depend_on_the_rate_of_its_ring():
    with_service = rl.run(scenario(queues={"service_time": "400 ns"}))
    without = rl.run(scenario())
    for slow, quick in zip(*(of_nodes(one, "latency_ns") for one in (with_service, without)), strict=True):
        assert slow["mean"] - quick["mean"] == pytest.approx(400.0, abs=4.0)


def test_a_hop_delay_counts_the_symbols_of_its_ring():
    scenarios = scenario(network={"hop_delay": 4}), scenario(network={"hop_delay": "8 ns"})
    assert scenarios[0].hop_cycles.tolist() == [4] * 5 + [8] * 5
    assert scenarios[1].hop_cycles.tolist() == [4] * 10


def test_the_optimum_knows_the_rate_of_each_link():
    traffic = {"arrivals": "saturated", "load": None}
    best = rl.bound(scenario(traffic=traffic))
    fast, slow = (rl.bound(scenario(rate, traffic=traffic)) for rate in ("1 GB/s", "500 MB/s"))
    expected = [*fast["max_min_MBps"][:4], *slow["max_min_MBps"][4:]]
    assert best["max_min_MBps"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("protocol", ["ppq", "train", "dfc", "rpr", "token-ring", "metaring"])
def test_every_protocol_runs_at_two_rates(protocol):
    one = scenario(
        pattern=ACROSS,
        flow_control={"protocol": protocol},
        network={"hop_delay": "80 ns"},
        traffic={"load": "8 MB/s"},
        run={"duration": "1 ms", "warmup": "20 us"},
    )
    assert of_nodes(rl.run(one), "throughput_MBps") == pytest.approx([8.0] * 8, rel=0.03)


def test_a_recording_shows_slow_symbols_for_as_long_as_they_take():
    recording = record(scenario(pattern=ACROSS), start=0, stop=4_000)
    runs = recording.tables["runs"]
    sent = {node: runs["symbols"][(runs["node"] == node) & (runs["kind"] == 1)] for node in (0, 4)}
    assert set(np.unique(sent[4])) == {2 * count for count in np.unique(sent[0])}


def test_a_simulation_that_is_stepped_gives_times_in_one_unit():
    simulation = rl.Simulation(scenario(traffic={"arrivals": "none", "load": None}))
    for source, destination in ((0, 5), (4, 1)):
        simulation.inject(source, destination, transaction="dmove64")
    simulation.advance("20 us")
    events = simulation.deliveries()
    latencies = (events["ended_ns"] - events["generated_ns"]).tolist()
    assert len(latencies) == 2
    # Each crosses a fast and a slow ring; only where it starts differs.
    assert latencies[0] == pytest.approx(latencies[1], rel=0.1)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (
            {"slow": "300 MB/s", "others": "1 GB/s"},
            r"network\.link_rate: '300 MB/s' is not allowed; the fastest ring's",
        ),
        ({"slow": "500 kB/s", "others": "1 GB/s"}, r"network\.link_rate: .* divided by a whole number up to 1000"),
        (
            {"sloow": "500 MB/s", "others": "1 GB/s"},
            r"network\.link_rate\.sloow: .* the name of a ring: 'fast', 'slow'",
        ),
        ({"slow": "500 MB/s"}, r"network\.link_rate: .* a value for every"),
    ],
)
def test_rates_that_rings_cannot_have_are_named(rates, message):
    with pytest.raises(rl.RingletError, match=message):
        scenario(rates).network_spec(1)


def test_the_links_of_a_ring_among_others_have_one_rate():
    said = "one rate, or a table of rings; a list, with a rate for each link, is for topology 'ring'"
    with pytest.raises(rl.RingletError) as refused:
        scenario(["1 GB/s"] * 7 + ["500 MB/s"])
    (message,) = refused.value.args
    assert message.endswith(f"is not allowed; {said}")


def test_a_load_above_the_link_of_its_own_ring_is_refused():
    with pytest.raises(rl.RingletError, match=r"traffic\.load: '600 MB/s' .* the link's rate of 500 MB/s"):
        scenario(traffic={"load": "600 MB/s"})


DUAL = {"topology": "dual-ring", "nodes": 4}
BREAK = {"links": [{"source": "0.1", "fails_at": "20 us", "repaired_at": "60 us"}], "wraps_after": "2 us"}


def test_rings_of_two_rates_cannot_be_joined():
    network = DUAL | {"link_rate": {"ring rising": "500 MB/s", "others": "1 GB/s"}}
    with pytest.raises(rl.RingletError, match=r"errors\.wraps_after: .* different link rates"):
        rl.Scenario.from_dict({"network": network, "errors": BREAK, "traffic": {"load": "10 MB/s"}}).network_spec(1)


def test_two_slow_rings_are_joined_at_a_break_and_parted_again():
    slow = {"ring rising": "500 MB/s", "ring falling": "500 MB/s", "others": "1 GB/s"}
    content = {"network": DUAL | {"link_rate": slow}, "errors": BREAK, "traffic": {"load": "10 MB/s"}}
    total = rl.run(rl.Scenario.from_dict(content | {"run": {"duration": "400 us", "warmup": 0}})).document["total"]
    assert total["throughput_MBps"] == pytest.approx(40.0, rel=0.05)
