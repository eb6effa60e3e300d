"""Bounds with losses: none is exceeded, that of a message alone is known, and what has none says why."""

import json

import numpy as np
import pytest

import ringlet as rl
from guarantee.chased import chased_trial
from guarantee.lossy import LOSSY, lossy_trial
from ringlet._engine import Simulation

MESSAGE = {"name": "alone", "source": 1, "destination": 4, "size": 64, "period": 100_000, "offset": 1000}
RING = {
    "network": {"nodes": 8, "hop_delay": 2},
    "flow_control": {"protocol": "none"},
    "queues": {"service_time": 30},
    "messages": [MESSAGE],
}


def bound(content, losses, name="alone"):
    return rl.guarantee(content, losses=losses).loc[name, "bound_us"] * 500


@pytest.mark.parametrize("protocol", LOSSY)
@pytest.mark.parametrize("seed", range(12))
def test_no_response_with_losses_is_above_its_bound(protocol, seed):
    found = lossy_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", LOSSY)
@pytest.mark.parametrize("seed", range(8))
def test_no_response_with_losses_on_a_network_is_above_its_bound(protocol, seed):
    found = lossy_trial(seed, protocol=protocol, network=True)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", LOSSY)
@pytest.mark.parametrize("seed", range(4))
def test_no_response_whose_last_packet_is_lost_each_time_is_above_its_bound(protocol, seed):
    found = chased_trial(seed, protocol=protocol, tries=4)
    assert not found.exceeded, found.scenario
    assert found.lost > 0


@pytest.mark.parametrize("losses", [1, 2, 5])
def test_a_message_alone_that_is_lost_each_time_comes_close_to_its_bound(losses):
    timeout = 1000
    content = {**RING, "errors": {"bit_error_rate": 1e-18, "timeout": timeout}}
    spec = rl.Scenario.from_dict({**content, "run": {"duration": 1}}).network_spec(1)
    # Every time its first symbol comes to node 4, three hops of two cycles behind the idle before it.
    cuts = [(1007 + k * (timeout + 7) - 20, 1007 + k * (timeout + 7) + 20) for k in range(losses)]
    spec["network"]["errors"]["links"] = [
        {"ring": 0, "place": 3, "bit_error_rate": 0.0, "interruptions": cuts},
    ]
    simulation = Simulation(json.dumps(spec), seed=1)
    simulation.advance(50_000)
    assert simulation.error_counters()["lost_sends"].sum() == losses
    worst = simulation.flow_counters()["message_latency_max_cycles"][0]
    # The bound counts for each loss the packet itself, which has left, and a window with as many packets as are lost.
    assert worst <= bound(content, losses) < worst + losses * (3 * 41 + losses * 41) + losses * 41


TWO_RINGS = {
    **RING,
    "network": {
        "topology": "rings",
        "hop_delay": 2,
        "rings": [{"members": [0, 1, 2, "s.0"]}, {"members": [3, 4, 5, "s.1"]}],
        "switches": [{"name": "s", "ports": 2}],
    },
    "errors": {"bit_error_rate": 1e-18, "timeout": 1000},
    "run": {"duration": 1},
}


@pytest.mark.parametrize("losses", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
def test_a_message_alone_that_is_lost_on_the_rings_of_its_way_comes_close_to_its_bound(losses):
    scenario = rl.Scenario.from_dict(TWO_RINGS)
    spec = scenario.network_spec(1)
    end, cuts = 1000, [[], []]

    def worst_with(links):
        spec["network"]["errors"]["links"] = [
            {"ring": ring, "place": place, "bit_error_rate": 0.0, "interruptions": of_link}
            for ring, (place, of_link) in enumerate(zip((1, 3), links, strict=True))
            if of_link
        ]
        simulation = Simulation(json.dumps(spec), seed=1)
        simulation.advance(40_000)
        lost = int(simulation.error_counters()["lost_sends"].sum())
        return lost, simulation.flow_counters()["message_latency_max_cycles"][0]

    for ring, count in enumerate(losses):
        for number in range(count):
            # The next time that its first symbol comes by.
            for start in range(end, end + 4000, 20):
                tried = [list(links) for links in cuts]
                tried[ring].append((start, start + 20))
                if worst_with(tried)[0] > sum(losses[:ring]) + number:
                    break
            cuts, end = tried, start + 100
    lost, worst = worst_with(cuts)
    assert lost == sum(losses)
    total = sum(losses)
    bound_cycles = rl.guarantee(TWO_RINGS, losses=total)["bound_us"]["alone"] * 1e3 / scenario.symbol_time_ns
    assert worst <= bound_cycles < worst + total * (total + 4) * 41 + 2 * total * 100


def test_a_loss_costs_a_time_out_and_none_costs_nothing():
    slow, slower = ({**RING, "errors": {"timeout": timeout}} for timeout in (1000, 3000))
    assert bound(RING, 0) == bound(slow, 0) == bound(slower, 0)
    assert bound(slower, 2) - bound(slow, 2) == pytest.approx(2 * 2000)
    assert np.all(np.diff([bound(RING, losses) for losses in range(5)]) > 0)


def test_packets_that_are_sent_again_take_places_of_queues():
    content = {**RING, "queues": {"receive": 2, "service_time": 60}}
    assert rl.guarantee(content, losses=1)["bound_us"].notna().all()
    assert "input queue of node 4 may be given 3 packets" in rl.guarantee(content, losses=2).loc["alone", "why"]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"flow_control": {"protocol": "dfc"}}, "no bound with losses is proven for protocol 'dfc'; 'none' and 'sci'"),
        ({"flow_control": {"protocol": "metaring", "sat_timeout": 5000}}, "for protocol 'metaring'"),
        ({"flow_control": {"protocol": "ppq"}}, "for protocol 'ppq'"),
        ({"message_transaction": "read64"}, "bounds with losses are proven without responses and loops"),
        (
            {"network": {"nodes": 8, "echoes": False}},
            "nothing that is lost is sent again; there is a bound with netw",
        ),
        ({"errors": {"max_timeouts": 1}}, "errors.max_timeouts, 1, may give a packet up; 2 do not"),
    ],
)
def test_what_has_no_bound_with_losses_says_why(keys, why):
    assert why in rl.guarantee({**RING, **keys}, losses=2).loc["alone", "why"]


def test_links_that_lose_packets_need_to_be_told_how_many():
    content = {**RING, "errors": {"bit_error_rate": 1e-9}}
    with pytest.raises(rl.RingletError, match="say how many packets are lost at most"):
        rl.guarantee(content)
    assert rl.guarantee(content, losses=1)["bound_us"].notna().all()
    failing = {**RING, "errors": {"links": [{"source": 2, "fails_at": "1 us"}]}}
    with pytest.raises(rl.RingletError, match="nothing that fails"):
        rl.guarantee(failing, losses=1)


@pytest.mark.parametrize("losses", [-1, 256, 1.5])
def test_a_number_of_losses_that_there_is_not_is_refused(losses):
    with pytest.raises(rl.RingletError, match="a whole number of 0 to 255"):
        rl.guarantee(RING, losses=losses)
