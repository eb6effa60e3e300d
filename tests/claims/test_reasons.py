"""What the reasons of broken claims say, on rings where it can be seen; others are tested with the pages they name."""

from itertools import permutations

import numpy as np
import pytest

from ringlet import run
from ringlet.papers.claims.rings import Ring
from ringlet.papers.claims.todd2001.study import by_priority, latency_ns, study_ring

PAYLOAD = {"traffic.transaction": "send80"}


def throughput(ring, **options):
    return ring.throughput(cycles=20_000, **options)


def test_a_reservation_lets_every_sender_of_a_full_receiver_make_progress():
    # richter1999.c01: of two senders one gets nothing without it.
    keys = {**PAYLOAD, "network.hop_delay": 1, "queues.receive": 1, "queues.service_time": 178}
    ring = Ring((1, 0, 0), frozenset({0}), keys=keys).under("sci")
    without = ring.throughput(cycles=100_000)[1:]
    with_it = ring.with_keys({"retry.reservation": True}).throughput(cycles=100_000)[1:]
    assert without.min() < 0.05 * without.mean()
    assert with_it.min() > 0.8 * with_it.mean()


@pytest.mark.parametrize(("permit", "shares"), [("own", (0.487, 0.205)), ("any", (0.279, 0.217))])
def test_trios_apart_hinder_each_other_by_the_own_group_s_bit(permit, shares):
    # picker1994.c37: two groups of senders, three to a busy node and four to another.
    ring = Ring((3, 3, 3, 4, 8, 8, 8, 8, 0), keys={**PAYLOAD, "network.echoes": False})
    found = ring.under("grouped", groups=9, permit=permit).throughput(cycles=60_000)
    assert (found[0], found[5]) == pytest.approx(shares, abs=0.005)
    spread = max(np.ptp(found[:3]), np.ptp(found[4:8]))
    assert spread < 0.005 if permit == "any" else spread > 0.2


def test_a_grouped_ring_stays_in_either_of_two_steady_states():
    # picker1994.c40: what comes first decides; a millisecond later it still does.
    def carried(before, after):
        flow = {"size": 64, "arrivals": "periodic", "rate": "1 GB/s"}
        flows = [
            {**flow, "name": f"{when} {node}", "source": node, "destination": to, **time}
            for when, destinations, time in (
                ("first", before, {"stop": "40 us"}),
                ("then", after, {"start": "40 us"}),
            )
            for node, to in enumerate(destinations)
        ]
        content = {
            "network": {"nodes": 4, "hop_delay": 3},
            "flow_transaction": "dmove64",
            "flow_control": {"protocol": "grouped"},
            "queues": {"transmit": 2},
            "flows": flows,
            "run": {"duration": "100 us", "warmup": "1 ms"},
        }
        return run(content).nodes["throughput_MBps"].to_numpy()

    same, changed = carried((1, 3, 1, 2), (1, 3, 1, 2)), carried((2, 3, 1, 2), (1, 3, 1, 2))
    assert same[2:] == pytest.approx([278, 243], abs=3)
    assert changed[2:] == pytest.approx([209, 313], abs=3)


def test_a_longer_fifo_of_ppq_keeps_a_high_sender_behind_it_waiting():
    # todd2001.c13: node 1 overtakes what node 0 sends, node 2 waits for a go level.
    keys = {**PAYLOAD, "traffic.priority": [1, 2, 3, 0], "queues.priorities": 4}
    ring = Ring((3, 3, 3, 0), loads=(0.5, 0.5, 0.67, 0.0), keys=keys)
    usual = throughput(ring.under("ppq"))
    longer = [throughput(ring.under("ppq", bypass=symbols)) for symbols in (82, 123, 164, 205)]
    worst = min(longer, key=lambda found: found[2])
    assert usual[2] > 0.95 * 0.67
    assert worst[2] < 0.9 * 0.67
    assert worst[1] > 1.5 * usual[1]


def test_a_high_packet_waits_for_what_is_being_sent_and_served():
    # todd2001.c22: one node of eight sends at the highest priority, little, beside nodes that flood.
    light = latency_ns(study_ring("sci", 5))
    priorities = [2, 1, 0, 1, 0, 1, 0, 1]
    keys = {
        "queues.priorities": 3,
        "traffic.priority": priorities,
        "traffic.load": [f"{20 if priority == 2 else 150} MB/s" for priority in priorities],
    }
    high = by_priority(study_ring("ppq", 0, keys=keys), "latency_mean_ns")[-1]
    assert 2 * light < high < 3.5 * light


def test_a_service_of_a_microsecond_hides_what_a_train_costs():
    # todd2001.c88: TRAIN takes twice as long as DFC where a service is short, and about as much longer where it is not.
    short, long = (
        [latency_ns(study_ring(protocol, 5, service=service)) for protocol in ("train", "dfc")]
        for service in ("0.1 us", "1.0 us")
    )
    assert short[0] > 2 * short[1]
    assert long[0] - long[1] == pytest.approx(short[0] - short[1], rel=0.2)
    assert long[0] < 1.3 * long[1]


def test_the_ticket_master_s_place_decides_what_all_get_and_not_who_gets_it():
    # todd2001.c102
    ring = Ring((5, 6, 5, 5, 1, 0, 0), keys={**PAYLOAD, "network.hop_delay": 3})
    found = [throughput(ring.under("train", ticket_master=master)) for master in range(7)]
    parts = np.array([each / each.sum() for each in found])
    assert np.ptp(parts, axis=0).max() < 0.002
    assert max(each.sum() for each in found) > 1.15 * min(each.sum() for each in found)


@pytest.mark.parametrize("protocol", ["ppq", "dfc", "train"])
def test_the_highest_gets_what_it_offers_and_stops_lower_ones_alike_where_it_is_the_last(protocol):
    # todd2001.c01: node 2 is the last before the receiver, node 3.
    loads = (0.41, 0.49, 0.69)
    inverted = {}
    for priorities in permutations(range(3)):
        keys = {**PAYLOAD, "traffic.priority": [*priorities, 0], "queues.priorities": 4}
        found = throughput(Ring((3, 3, 3, 0), loads=(*loads, 0.0), keys=keys).under(protocol))[:3]
        highest, middle, lowest = (priorities.index(rank) for rank in (2, 1, 0))
        assert found[highest] > 0.93 * loads[highest]
        inverted[priorities] = found[lowest] > 0.05 and found[middle] < loads[middle] - 0.08
    if protocol == "train":
        assert not any(inverted.values())
    else:
        assert all(inverted[first, second, 2] for first, second in ((0, 1), (1, 0)))
        assert not any(inverted[2, first, second] for first, second in ((0, 1), (1, 0)))
