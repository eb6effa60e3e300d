"""Closed arrivals, and hosts behind a PCI/B-Link bridge."""

import json

import pytest

import ringlet as rl
from ringlet import RingletError, Scenario

TWO_PCS = {"topology": "rings", "rings": [{"members": [0, 1]}], "memories": [1], "link_rate": "200 MB/s"}


def scenario(*, adapter=None, network=TWO_PCS, **traffic):
    host = {} if adapter is None else {"host": {"adapter": adapter}}
    return Scenario.from_dict(
        {
            "network": network,
            **host,
            "flow_control": {"protocol": "none"},
            "traffic": {"transaction": "dmove64", "arrivals": "closed", **traffic},
            "run": {"duration": "2 ms", "warmup": "0.1 ms"},
        }
    )


def throughput(**keys):
    return rl.run(scenario(**keys)).document["total"]["throughput_MBps"]


def test_a_scenario_of_its_own_dictionary_is_the_same():
    made = scenario(adapter={"streams": 2, "check": "5 us"}, block="1 KiB", pause="2 us")
    again = Scenario.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again.to_dict() == made.to_dict()
    assert again.network_spec(1) == made.network_spec(1)


def test_a_block_is_cut_into_transactions_of_which_the_last_is_not_full():
    made = scenario(block=200)
    (flow,) = made.network_spec(1)["flows"]
    assert flow["burst"] == 4
    assert flow["arrivals"] == {"kind": "closed", "pause_cycles": 1, "posted": False}
    assert made.payloads()[0].bytes_each == 50


def test_a_bridge_is_done_with_what_stands_in_its_buffers_unless_it_must_know_more():
    def arrivals(**keys):
        return scenario(**keys).network_spec(1)["flows"][0]["arrivals"]

    assert arrivals(adapter={})["posted"]
    assert arrivals(adapter={"check": "10 ns"}, pause="20 ns") == {"kind": "closed", "pause_cycles": 3, "posted": False}
    assert not arrivals(adapter={}, transaction="read64")["posted"]
    assert not arrivals()["posted"]


def test_a_preset_gives_what_is_not_given():
    host = scenario(adapter={"preset": "pentium-pro", "set_up": "1 us"}, transaction="dmove16").network_spec(1)
    host = host["network"]["host"]
    assert (host["slots"], host["fill_serial_ps"]) == (4, 355_000)
    assert host["groups"] == {"packets": 4, "set_up_ps": 1_000_000, "uncrowded": 4, "crowded_ps": 0}


@pytest.mark.parametrize(
    ("streams", "block", "published"), [(1, 64, 12), (2, 128, 24), (4, 256, 45), (8, 256, 45), (8, 512, 34)]
)
def test_write_buffers_give_the_published_throughput(streams, block, published):
    assert throughput(adapter={"streams": streams}, block=block) == pytest.approx(published, rel=0.03)


def test_split_buffers_are_slots_of_masters_that_send_alike():
    made = scenario(adapter={"masters": 4, "set_up": "1 us"}, block=256).network_spec(1)
    host = made["network"]["host"]
    assert (host["slots"], host["split"], "groups" in host) == (4, {"set_up_ps": 1_000_000}, False)
    assert len(made["flows"]) == 4
    assert all(flow == made["flows"][0] for flow in made["flows"])
    assert "split" not in scenario(adapter={"masters": 1}).network_spec(1)["network"]["host"]


def test_masters_share_the_load_of_their_node():
    made = scenario(adapter={"masters": 4}, arrivals="poisson", load="16 MB/s").to_dict()
    made["queues"]["priorities"], made["traffic"]["priorities"] = 2, [0, 1]
    flows = Scenario.from_dict(made).network_spec(1)["flows"]
    assert [flow["priority"] for flow in flows] == [0] * 4 + [1] * 4
    # 16 bytes per microsecond are one packet in 4 microseconds, or 400 cycles.
    assert [flow["arrivals"]["rate"] for flow in flows] == pytest.approx([1 / 3200] * 8)


@pytest.mark.parametrize(("masters", "expected"), [(1, 12), (2, 24), (4, 48), (8, 75)])
@pytest.mark.parametrize("block", [64, 256])
def test_masters_add_up_until_the_bus_is_busy(masters, expected, block):
    """A write takes 5.3 us of each, and 0.85 us of the bus (richter1999, Section 6.3)."""
    assert throughput(adapter={"masters": masters}, block=block) == pytest.approx(expected, rel=0.03)


def test_masters_are_as_fast_whatever_makes_them_ask():
    often = {"arrivals": "poisson", "load": "200 MB/s"}
    closed, saturated, overloaded = (
        throughput(adapter={"masters": 4}, **keys) for keys in ({}, {"arrivals": "saturated"}, often)
    )
    assert saturated == pytest.approx(closed, rel=0.02)
    assert overloaded == pytest.approx(closed, rel=0.02)


def test_the_optimum_of_masters_is_that_of_their_bus():
    def optimum(masters):
        return rl.bound(scenario(adapter={"masters": masters}))["max_min_with_echo"][0]

    # In words of 16 bits per cycle of 10 ns, with the header of 16 bytes: 3.15 us for a packet, 0.85 on the bus.
    assert optimum(1) == pytest.approx(40 / 315)
    assert optimum(2) == pytest.approx(2 * 40 / 315)
    assert optimum(8) == pytest.approx(40 / 85)


def test_one_buffer_waits_until_its_packet_has_been_accepted():
    slow = throughput(adapter={"bridge_delay": "10 us"}, block=64)
    assert slow == pytest.approx(64 / (2.3 + 0.85 + 10), rel=0.1)


def test_data_of_a_bad_block_count_once():
    good = throughput(adapter={"check": "6.8 us"}, block=256)
    bad = throughput(adapter={"check": "6.8 us", "bad_blocks": 0.25}, block=256)
    # About 90 blocks are begun, each good with probability 3/4: four standard deviations are 18 % of that.
    assert bad == pytest.approx(0.75 * good, rel=0.25)
    assert bad < 0.95 * good


def test_latency_of_a_block_has_its_bad_sendings_in_it():
    def latency(bad_blocks, seed=1):
        made = scenario(adapter={"check": "6.8 us", "bad_blocks": bad_blocks}, block=256)
        return rl.run(made, seed=seed).document["total"]["message_latency_ns"]

    good, bad = latency(0.0), latency(0.25)
    assert bad["min"] == good["min"]
    # One more sending and its check, at least.
    assert bad["max"] > 2 * good["max"] + 6800
    assert latency(0.25, seed=2)["mean"] != bad["mean"]


def test_a_run_with_bad_blocks_is_random():
    assert not any(flow.is_random for flow in scenario(adapter={"check": "1 us"}, block=256).resolved.flows)
    assert all(
        flow.is_random for flow in scenario(adapter={"check": "1 us", "bad_blocks": 0.1}, block=256).resolved.flows
    )


def test_blocks_without_a_bridge_wait_for_their_echoes():
    # 41 cycles of 10 ns to the send's end, two hops of 70 ns, and some.
    alone = throughput(network={**TWO_PCS, "hop_delay": "70 ns"}, pause="10 us")
    assert alone == pytest.approx(64 / 10.55, rel=0.01)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"load": "1 MB/s"}, ["traffic.load", "closed"]),
        ({"arrivals": "saturated", "block": 64}, ["traffic.block", "64", "closed"]),
        ({"arrivals": "saturated", "pause": "1 us"}, ["traffic.pause", "1 us", "closed"]),
        ({"block": 0}, ["traffic.block", "0"]),
        ({"block": "1 GiB"}, ["traffic.block", "1 GiB", "65535"]),
        ({"block": "4 m"}, ["traffic.block", "4 m", "byte"]),
        ({"adapter": {"streams": 9}}, ["host.adapter.streams", "9", "8"]),
        ({"adapter": {"masters": 0}}, ["host.adapter.masters", "0", "1"]),
        ({"adapter": {"masters": 9}}, ["host.adapter.masters", "9", "8"]),
        ({"adapter": {"masters": 2.5}}, ["host.adapter.masters", "2.5"]),
        ({"adapter": {"masters": 2, "streams": 4}}, ["host.adapter.masters", "2", "1", "host.adapter.streams = 4"]),
        ({"adapter": {"masters": 2, "preset": "pentium-pro"}}, ["host.adapter.masters", "host.adapter.streams = 4"]),
        ({"adapter": {"preset": "vax"}}, ["host.adapter.preset", "vax", "pentium-pro"]),
        ({"adapter": {"set_up": "2 ms"}}, ["host.adapter.set_up", "2 ms", "1 ms"]),
        ({"adapter": {"write_time": "-1 us"}}, ["host.adapter.write_time", "-1 us"]),
        ({"adapter": {"check": "1 us"}, "arrivals": "saturated"}, ["host.adapter.check", "1 us", "closed"]),
        ({"adapter": {"bad_blocks": 0.1}}, ["host.adapter.bad_blocks", "0.1", "check"]),
        ({"adapter": {"check": "1 us", "bad_blocks": 1.0}}, ["host.adapter.bad_blocks", "1.0", "below 1"]),
        ({"adapter": {}, "network": {"nodes": 4}}, ["host", "topology"]),
    ],
)
def test_what_does_not_fit_is_refused(keys, words):
    with pytest.raises(RingletError) as caught:
        scenario(**keys)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_slots_and_a_bridge_exclude_each_other():
    with pytest.raises(RingletError, match=r"host\.slots: given together with host\.adapter"):
        Scenario.from_dict({"network": TWO_PCS, "host": {"slots": 4, "adapter": {}}})
