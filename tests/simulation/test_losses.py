"""Runs with links that lose packets: what is lost, who notices, and how soon."""

import pytest

import ringlet as rl

RING = {
    "network": {"nodes": 4},
    "traffic": {"transaction": "dmove64", "arrivals": "periodic", "load": "20 MB/s", "destinations": [1, 2, 3, 0]},
    "run": {"duration": "200 us", "warmup": 0},
}
SWITCHED = {
    "network": {"topology": "switch", "nodes": 8, "connection": "long-ring"},
    "traffic": {"transaction": "dmove64", "arrivals": "periodic", "load": "20 MB/s"},
    "run": {"duration": "200 us", "warmup": 0},
}


def document(content, *, threads=1, **sections):
    return rl.run(rl.Scenario.from_dict({**content, **sections}), threads=threads).to_dict(timing=False)


def test_a_ring_with_hardly_any_error_is_the_ring_without():
    plain, erring = document(RING), document(RING, errors={"bit_error_rate": 1e-18})
    # A run that draws nothing at random gives the exact throughput of its period: counts and latencies are alike.
    for ours, theirs in zip(erring["nodes"], plain["nodes"], strict=True):
        for key in ("delivered_packets", "retries", "lost_packets", "message_latency_ns", "bypass_max_symbols"):
            assert ours[key] == theirs[key]
        assert ours["throughput_MBps"] == pytest.approx(theirs["throughput_MBps"], rel=0.01)
    assert "errors" not in plain
    assert erring["errors"]["lost_sends"] == 0
    assert erring["errors"]["interfaces"] == []


def test_what_is_lost_is_sent_again():
    found = document(RING, errors={"bit_error_rate": 1e-5})
    errors, total = found["errors"], found["total"]
    # 1,250 packets of 640 bits, and echoes of 64 bits which pass three links.
    assert 3 <= errors["lost_sends"] <= 25
    assert errors["timeouts"] >= errors["lost_sends"] + errors["lost_echoes"] - 1
    assert total["given_up_packets"] == errors["given_up_packets"] == 0
    assert total["retries"] == errors["timeouts"]
    assert sum(one["lost_sends"] for one in errors["interfaces"]) == errors["lost_sends"]


def test_a_dead_link_loses_what_crosses_it_and_is_noticed_after_the_timeout():
    errors = {"links": [{"source": 1, "fails_at": "50 us"}], "timeout": "5 us", "max_timeouts": 1}
    found = document(RING, errors=errors)
    (failure,) = found["errors"]["failures"]
    assert failure["what"] == "link from node 1"
    assert failure["fails_at_ns"] == 50_000
    # Node 1 sends every 3.2 us, and echoes to node 0 cross the link, too.
    assert 0 < failure["first_loss_ns"] <= 3_200 + 100
    assert failure["noticed_ns"] == pytest.approx(failure["first_loss_ns"] + 5_000)
    assert found["errors"]["first_timeout_ns"] == pytest.approx(failure["noticed_ns"] + 50_000)
    given_up = [node["given_up_packets"] for node in found["nodes"]]
    # Everybody's echo or packet goes over it.
    assert min(given_up) > 30
    total = found["total"]
    assert total["given_up_MBps"] == pytest.approx(total["given_up_packets"] * 64 / found["simulated_s"] / 1e6)
    assert found["errors"]["first_given_up_ns"] > found["errors"]["first_timeout_ns"]


def test_a_dead_node_gets_nothing_and_sends_nothing():
    found = document(RING, errors={"nodes": [{"node": 2, "fails_at": 0}], "timeout": "5 us", "max_timeouts": 0})
    names = [one["name"] for one in found["errors"]["interfaces"]]
    assert {"node 2", "node 3"} <= set(names)
    assert found["nodes"][1]["delivered_packets"] == found["nodes"][2]["delivered_packets"] == 0
    assert found["errors"]["failures"][0]["what"] == "node 2"


def test_a_loss_on_a_link_of_two_failures_is_that_of_the_earlier_one():
    # Link 0 to 1 is one of both nodes; what node 1's failure stops besides is the link to node 2.
    errors = {"nodes": [{"node": 1, "fails_at": 855}, {"node": 0, "fails_at": 0}]}
    ring = {"network": {"nodes": 3}, "run": {"duration": 20_000, "warmup": 0}}
    later, earlier = document(ring, errors=errors)["errors"]["failures"]
    assert (later["what"], earlier["what"]) == ("node 1", "node 0")
    assert later["first_loss_ns"] is None or later["first_loss_ns"] >= 0
    assert 0 <= earlier["first_loss_ns"] < 855 * 2
    links = {one["name"]: one["lost_sends"] for one in document(ring, errors=errors)["errors"]["interfaces"]}
    assert earlier["lost_sends"] == links.get("node 0", 0) + links.get("node 1", 0)
    assert later["lost_sends"] == links.get("node 2", 0)


def test_a_failure_that_nothing_meets_is_never_noticed():
    found = document(RING, errors={"links": [{"source": 0, "fails_at": "1 s"}]})
    (failure,) = found["errors"]["failures"]
    assert failure["first_loss_ns"] is failure["noticed_ns"] is None


def test_a_dead_port_of_a_switch_by_its_number():
    found = document(SWITCHED, errors={"links": [{"source": "0.1", "fails_at": "20 us"}], "timeout": "10 us"})
    assert found["errors"]["failures"][0]["lost_sends"] > 0
    assert any(one["name"].startswith("the switch port") for one in found["errors"]["interfaces"])


def test_threads_change_nothing():
    errors = {"bit_error_rate": 1e-5}
    assert document(SWITCHED, errors=errors, threads=2) == document(SWITCHED, errors=errors)
    assert document(RING, threads=2) == document(RING)
    with pytest.raises(rl.RingletError, match="threads: 0 is not allowed; at least 1"):
        document(RING, threads=0)


def test_who_waits_for_a_retry_delay_does_not_change_what_a_slow_receiver_takes():
    queues = {"receive": 1, "service_time": "400 ns"}
    by = {
        one: document(
            RING, queues=queues, retry={"by": one, "delay": "500 ns"}, traffic=RING["traffic"] | {"load": "200 MB/s"}
        )["total"]
        for one in ("requester", "responder")
    }
    assert by["requester"]["retries"] > 100
    assert by["responder"]["retries"] > 100
    assert by["requester"] != by["responder"]
    assert by["responder"]["throughput_MBps"] == pytest.approx(by["requester"]["throughput_MBps"], rel=0.1)
