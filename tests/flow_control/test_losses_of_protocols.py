"""Links that spoil packets, echoes and messages, under the protocols that go on there."""

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

OPTIONS = {"metaring": {"sat_timeout": "20 us"}}
RING = {"nodes": 6, "hop_delay": "80 ns", "echoes": True}
LOAD = {"transaction": "dmove64", "arrivals": "poisson", "load": "4 MB/s"}
RUN = {"duration": "4 ms", "warmup": "100 us"}


def result(protocol, errors, **sections):
    flow_control = {"protocol": protocol, **OPTIONS.get(protocol, {})}
    content = {"network": RING, "flow_control": flow_control, "traffic": LOAD, "errors": errors, "run": RUN, **sections}
    return rl.run(content).to_dict()


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_wrong_bits_cost_time_and_no_packet(protocol):
    found = result(protocol, {"bit_error_rate": 1e-5})
    total = found["total"]
    assert found["stall"] is None
    errors = found["errors"]
    # What is lost near an end of the time that is measured times out outside it.
    assert errors["lost_sends"] + errors["lost_echoes"] == pytest.approx(errors["timeouts"], abs=3)
    assert errors["timeouts"] > 20
    assert total["given_up_packets"] == 0
    assert total["throughput_MBps"] == pytest.approx(total["offered_MBps"], rel=0.03)


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_a_ring_goes_on_when_its_link_is_repaired(protocol):
    failing = {"links": [{"source": 2, "fails_at": "300 us", "repaired_at": "500 us"}]}
    found = result(protocol, failing)
    assert found["stall"] is None
    assert found["total"]["given_up_packets"] == 0
    assert found["total"]["throughput_MBps"] == pytest.approx(found["total"]["offered_MBps"], rel=0.03)


def test_a_token_that_is_kept_for_an_echo_goes_on_when_that_is_lost():
    failing = {"links": [{"source": 2, "fails_at": "300 us", "repaired_at": "500 us"}]}
    for errors in ({"bit_error_rate": 1e-5}, failing):
        found = result("token-ring", errors, flow_control={"protocol": "token-ring", "release": "returned"})
        assert found["stall"] is None
        assert found["errors"]["timeouts"] > 0
        assert found["total"]["given_up_packets"] == 0
        assert found["total"]["throughput_MBps"] == pytest.approx(found["total"]["offered_MBps"], rel=0.03)


def test_a_ring_with_messages_is_not_joined_to_another():
    network = {"topology": "dual-ring", "nodes": 6}
    errors = {"links": [{"source": "0.1", "fails_at": 9}], "wraps_after": 500}
    with pytest.raises(rl.RingletError, match=r"errors.wraps_after: 500 .* with 'ppq' messages would go round"):
        rl.Scenario.from_dict({"network": network, "flow_control": {"protocol": "ppq"}, "errors": errors})


def test_a_lost_timed_token_is_late_and_made_again():
    """While it is missed nobody sends, and the first rotation after it has no time for asynchronous packets."""
    lost = {"links": [{"source": 2, "fails_at": "1 ms", "repaired_at": "1.1 ms"}]}
    whole, failed = (result("timed-token", errors, run=RUN | {"warmup": 0}) for errors in ({"bit_error_rate": 0}, lost))
    assert failed["total"]["latency_ns"]["max"] > whole["total"]["latency_ns"]["max"] + 100_000
    assert failed["stall"] is None


def test_a_queue_that_dfc_has_stopped_is_released_though_its_release_is_lost():
    """Every control symbol of a blocked node may be lost, and the senders go on when the link is repaired."""
    hot = {"pattern": "hot-spot", "hot_node": 0, "hot_fraction": 1, "load": "20 MB/s"}
    queues = {"receive": 2, "service_time": "0.3 us"}
    failing = {"links": [{"source": 0, "fails_at": "300 us", "repaired_at": "400 us"}], "bit_error_rate": 1e-4}
    found = result("dfc", failing, traffic=LOAD | hot, queues=queues)
    assert found["stall"] is None
    assert found["total"]["given_up_packets"] == 0
    assert found["total"]["throughput_MBps"] == pytest.approx(found["total"]["offered_MBps"], rel=0.03)
