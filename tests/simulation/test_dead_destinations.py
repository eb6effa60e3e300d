"""What a destination that is gone takes from others that share its queue (docs/how-to/failures.md)."""

import pytest

import ringlet as rl

LIVE = {"name": "live", "source": 0, "destination": 6, "size": 64}
RUN = {"duration": "1 ms", "warmup": "1 ms", "seed": 1}


def beyond_a_port(slots, *, to_the_gone=True, **errors):
    """Returns what comes of 60 MB/s beyond a switch, in MB/s, and the 99th percentile of its latency in us."""
    flows = [LIVE, {**LIVE, "name": "gone", "destination": 7}]
    network = {"topology": "switch", "connection": "long-ring", "ports": 2, "nodes": 8, "hop_delay": "20 ns"}
    content = {
        "network": network,
        "flow_control": {"protocol": "sci"},
        "switch": {"transmit": slots, "receive": slots},
        "traffic": {"arrivals": "none"},
        "flows": [{**one, "rate": "60 MB/s"} for one in flows[: 1 + to_the_gone]],
        "errors": {"nodes": [{"node": 7, "fails_at": 0, "bypass": True}], **errors},
        "run": RUN,
    }
    live = next(one for one in rl.run(content).to_dict(timing=False)["flows"] if one["name"] == "live")
    late = live["latency_p99_ns"]
    return round(live["delivered_MBps"], 1), None if late is None else round(late / 1e3, 2)


@pytest.mark.parametrize(
    ("slots", "gives_up", "max_timeouts", "came"),
    [
        (1, "packet", 8, 0),
        (1, "packet", 3, 2.3),
        (1, "destination", 8, 6.7),
        (1, "destination", 3, 7.0),
        (2, "packet", 8, 2.2),
        (2, "packet", 3, 3.1),
        (2, "destination", 8, (60.6, 4.09)),
        (2, "destination", 3, (60.6, 4.10)),
        (4, "packet", 8, 2.9),
        (4, "packet", 3, 7.8),
        (4, "destination", 8, (60.5, 1.11)),
        (4, "destination", 3, (60.6, 1.13)),
    ],
)
def test_the_table_of_slots_of_ports(slots, gives_up, max_timeouts, came):
    found = beyond_a_port(slots, gives_up=gives_up, max_timeouts=max_timeouts)
    assert (found if isinstance(came, tuple) else found[0]) == came


@pytest.mark.parametrize(("slots", "came"), [(1, (60.6, 3.06)), (2, (60.6, 1.46)), (4, (60.5, 0.96))])
def test_the_same_without_packets_to_the_station_that_is_gone(slots, came):
    assert beyond_a_port(slots, to_the_gone=False, max_timeouts=3) == came


def test_a_shorter_time_out_frees_the_only_slot_sooner():
    assert beyond_a_port(1, gives_up="destination", max_timeouts=3, timeout="2 us")[0] == 22.7


@pytest.mark.parametrize(
    ("gives_up", "to_the_gone", "late_ns"),
    [("destination", False, 472), ("destination", True, 486), ("packet", True, 1038)],
)
def test_a_station_that_is_gone_on_a_slotted_ring(gives_up, to_the_gone, late_ns):
    flows = [LIVE, {**LIVE, "name": "gone", "destination": 4}]
    content = {
        "network": {"nodes": 8, "hop_delay": "40 ns"},
        "flow_control": {"protocol": "slotted-ring"},
        "traffic": {"arrivals": "none"},
        "flows": [{**one, "rate": "20 MB/s"} for one in flows[: 1 + to_the_gone]],
        "errors": {
            "nodes": [{"node": 4, "fails_at": 0, "bypass": True}],
            "max_timeouts": 8,
            "gives_up": gives_up,
        },
        "run": RUN | {"warmup": "100 us"},
    }
    live = rl.run(content).to_dict(timing=False)["flows"][0]
    assert live["delivered"] >= live["offered"]
    assert live["latency_p99_ns"] == late_ns
