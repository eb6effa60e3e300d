"""What a protocol brings with it unless a scenario says otherwise: echoes, packets under way, the longest packet."""

import pytest

from ringlet import RingletError, Scenario, run
from ringlet.scenario.flow_control import PROTOCOLS

SCI = ("none", "sci", "grouped", "ppq", "train", "dfc")
"""Protocols of SCI's rings."""
WITHOUT_ECHOES = ("metaring", "rpr")
RINGS = ("metaring", "token-ring", "timed-token", "slotted-ring", "rpr")


def scenario(protocol, **sections):
    sections.setdefault("traffic", {"load": "1 MB/s", "transaction": "send80"})
    network = {"nodes": 4, "hop_delay": 60, **sections.pop("network", {})}
    return Scenario.from_dict({"network": network, "flow_control": {"protocol": protocol}, **sections})


def spec(protocol, **sections):
    return scenario(protocol, **sections).network_spec(1)


def outstanding_limit(spec):
    return spec["queues"]["limits"]["common"]["outstanding_limit"]


def test_every_protocol_is_named_here():
    assert set(SCI) | set(RINGS) == set(PROTOCOLS.listed)


@pytest.mark.parametrize("protocol", SCI + RINGS)
def test_a_protocol_brings_its_echoes_and_its_window(protocol):
    found = spec(protocol)
    assert found["format"]["echoes"] == (protocol not in WITHOUT_ECHOES)
    assert outstanding_limit(found) == (64 if protocol in SCI else None)


@pytest.mark.parametrize("protocol", RINGS)
def test_a_window_that_is_asked_for_brings_echoes(protocol):
    found = spec(protocol, queues={"outstanding": 3})
    assert found["format"]["echoes"]
    assert outstanding_limit(found) == 3


@pytest.mark.parametrize("protocol", WITHOUT_ECHOES)
@pytest.mark.parametrize(
    "sections",
    [
        {"network": {"echoes": True}},
        {"queues": {"responses": 2}},
        {"retry": {"reservation": True}},
        {"network": {"topology": "switch", "nodes": 4, "hop_delay": 60}},
    ],
)
def test_where_something_needs_echoes_there_are_some(protocol, sections):
    assert spec(protocol, **sections)["format"]["echoes"]


@pytest.mark.parametrize("protocol", SCI)
def test_no_packet_of_an_sci_ring_is_longer_than_sci_has(protocol):
    said = r"^traffic.transaction: 'send290' is not allowed; packets of at most 288 bytes; traffic.largest_packet takes"
    with pytest.raises(RingletError, match=said):
        scenario(protocol, traffic={"load": "1 MB/s", "transaction": "send290"})
    longer = {"load": "1 MB/s", "transaction": "send290", "largest_packet": 290}
    assert scenario(protocol, traffic=longer).mean_send_symbols == 145


@pytest.mark.parametrize("protocol", RINGS)
@pytest.mark.parametrize("size", [1500, 9000, 65_408])
def test_frames_cross_a_ring_in_their_length(protocol, size):
    """A lone frame on an idle ring takes its symbols, and little more."""
    network = {"hop_delay": size // 2 + 40}
    load = {"load": ["1 MB/s", 0, 0, 0], "arrivals": "periodic"}
    traffic = {"transaction": f"send{size}", "destinations": [1, 2, 3, 0], **load}
    content = scenario(protocol, network=network, traffic=traffic, run={"duration": "140 ms"})
    latency = run(content).document["nodes"][0]["latency_ns"]["min"]
    cycles = size // 2 + network["hop_delay"]
    # Until a token or a slot comes by there may be a revolution and one node more.
    assert 2 * cycles <= latency <= 2 * (cycles + 5 * (network["hop_delay"] + 2) + 200)


def test_a_limit_below_the_packets_of_messages_is_refused():
    message = {"name": "a", "source": 0, "destination": 1, "size": 1000, "period": "1 ms"}
    with pytest.raises(RingletError, match=r"^traffic.largest_packet: 64 is not allowed; at least the longest packet"):
        scenario("sci", traffic={"arrivals": "none", "largest_packet": 64}, messages=[message])


def test_a_packet_ring_of_857_km_delivers_what_is_offered_in_the_time_of_light():
    """Six sites at 6 % load, 2.5 Gbit/s: no window of 64 packets holds them back (it let 21 % through)."""
    lengths = ["90 km", "140 km", "130 km", "70 km", "157 km", "270 km"]
    network = {"nodes": 6, "link_rate": "312.5 MB/s", "cable_length": lengths, "cable_delay": "4.9 ns"}
    traffic = {"pattern": "uniform", "transaction": "send288", "load": "20 MB/s"}
    sections = {"network": network, "traffic": traffic, "run": {"duration": "40 ms", "warmup": "20 ms"}}
    total = run(scenario("rpr", **sections)).document["total"]
    assert total["throughput_MBps"] == pytest.approx(120, rel=0.03)
    # A packet goes half of the 857 km and one link more on average.
    mean_way_ns = 857e3 * 4.9 * 3 / 6
    assert total["latency_ns"]["mean"] == pytest.approx(mean_way_ns, rel=0.1)
