"""Runs in which links fail, and the network does something about it."""

import pytest

import ringlet as rl

DUAL = {
    "network": {"topology": "dual-ring", "nodes": 8},
    "traffic": {"transaction": "dmove64", "arrivals": "poisson", "load": "20 MB/s"},
    "run": {"duration": "400 us", "warmup": 0},
}
CABLE = [{"source": "2.1", "fails_at": "100 us"}, {"source": "3.2", "fails_at": "100 us"}]


def run(content, *, threads=1, **errors):
    return rl.run({**content, "errors": {"max_timeouts": 2, **errors}}, threads=threads).to_dict(timing=False)


def later(document, after_ns=250e3):
    service = document["errors"]["service"]
    rates = [rate for i, rate in enumerate(service["throughput_MBps"]) if i * service["bin_ns"] >= after_ns]
    return sum(rates) / len(rates)


def test_a_dual_ring_goes_on_with_one_ring():
    stays, steers = run(DUAL, links=CABLE[:1]), run(DUAL, links=CABLE[:1], steers_after="30 us")
    assert later(stays) < 100
    assert later(steers) > 130
    (failure,) = steers["errors"]["failures"]
    assert 25e3 < failure["back_ns"] < 60e3
    assert stays["errors"]["failures"][0]["back_ns"] is None
    assert 0 < steers["errors"]["undelivered_packets"] < stays["errors"]["undelivered_packets"]


def test_joined_rings_lose_nothing_for_good():
    found = run(DUAL, links=CABLE, wraps_after="10 us")
    errors = found["errors"]
    assert errors["lost_sends"] > 0
    assert errors["undelivered_packets"] == errors["given_up_packets"] == 0
    assert later(found) > 130
    both = run(DUAL, links=CABLE, wraps_after="10 us", steers_after="40 us")
    assert both["errors"]["undelivered_packets"] == 0
    # Packets no longer go to the break and back.
    assert both["total"]["latency_ns"]["mean"] < found["total"]["latency_ns"]["mean"]


def test_a_station_that_fails_is_cut_off_and_the_others_go_on():
    failing = [{"switch": 5, "fails_at": "100 us", "repaired_at": "200 us"}]
    found = run(DUAL, switches=failing, wraps_after="10 us", steers_after="10 us", max_timeouts=0)
    assert found["errors"]["failures"][0]["what"] == "switch 5"
    # What is for the station itself is lost meanwhile.
    assert found["errors"]["undelivered_packets"] > 0
    assert later(found, 300e3) > 130


@pytest.mark.parametrize("keys", [{"steers_after": "30 us"}, {"wraps_after": "10 us", "steers_after": "30 us"}])
@pytest.mark.parametrize("protocol", ["none", "sci", "grouped"])
def test_threads_do_not_matter(protocol, keys):
    content = {**DUAL, "flow_control": {"protocol": protocol}, "run": {"duration": "200 us", "warmup": 0}}
    failing = [{**link, "repaired_at": "150 us"} for link in CABLE]
    assert run(content, links=failing, **keys) == run(content, links=failing, threads=3, **keys)


@pytest.mark.parametrize(
    ("network", "source"),
    [({"topology": "torus", "shape": [3, 3]}, "4.1"), ({"topology": "omega", "size": 8}, "5.1")],
)
def test_other_networks_go_round_a_link(network, source):
    content = {**DUAL, "network": network, "traffic": {**DUAL["traffic"], "load": "10 MB/s"}}
    failing = [{"source": source, "fails_at": "100 us"}]
    stays, steers = run(content, links=failing), run(content, links=failing, steers_after="20 us")
    lost = [one["errors"]["lost_sends"] + one["errors"]["lost_echoes"] for one in (stays, steers)]
    assert 0 < lost[1] < lost[0] / 2
    assert steers["errors"]["undelivered_packets"] <= stays["errors"]["undelivered_packets"]
    assert later(steers) > 0.9 * later(stays)
