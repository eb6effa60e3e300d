"""Candidates: networks that hold all senders and receivers, with the traffic that is asked for."""

from typing import get_args

import numpy as np
import pytest

from ringlet import Scenario
from ringlet.advice import Requirements
from ringlet.advice.candidates import candidates, own_receiver
from ringlet.advice.requirements import Banyan
from ringlet.advice.traffic import base_content, own_content
from ringlet.rings import check_deadlock


def wanted(senders, receivers, **more):
    return Requirements.from_dict({"senders": senders, "receivers": receivers, "rate": "20 MB/s", **more})


def scenarios(requirements):
    for one in candidates(requirements):
        content = base_content(requirements) | own_content(requirements, one)
        yield one, Scenario.from_dict(content)


SIZES = [(1, 1), (1, 3), (7, 2), (4, 4), (5, 9), (16, 16)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("locality", [None, 0.0, 0.75])
def test_every_sender_sends_its_rate_to_receivers_only(sizes, locality):
    requirements = wanted(*sizes, locality=locality, switch_ports=8)
    senders, receivers = sizes
    found = list(scenarios(requirements))
    assert len({one.name for one, _ in found}) == len(found)
    for one, scenario in found:
        assert len(one.senders) == senders
        assert len(one.receivers) == receivers
        assert len({*one.senders, *one.receivers}) == senders + receivers
        rates = {flow["source"]: flow["arrivals"]["rate"] for flow in scenario.network_spec(1)["flows"]}
        sending = {node: rate * 64e3 / scenario.symbol_time_ns for node, rate in rates.items() if rate > 0}
        assert sending == pytest.approx(dict.fromkeys(one.senders, 20)), one.name
        matrix = scenario.traffic_matrix()[list(one.senders)]
        assert np.allclose(matrix[:, list(one.receivers)].sum(axis=1), 1), one.name
        for number in range(senders):
            own = matrix[number, one.receivers[own_receiver(number, senders, receivers)]]
            share = 1 / receivers if locality is None or receivers == 1 else locality
            assert own == pytest.approx(share), one.name


def test_a_receiver_stands_behind_its_senders_on_one_ring():
    (one,) = candidates(wanted(4, 2, topologies=["ring"]))
    assert one.network["rings"] == [{"members": [0, 1, 4, 2, 3, 5]}]


def names(senders, receivers, **more):
    return [one.name for one in candidates(wanted(senders, receivers, **more))]


def test_what_can_be_had_decides_what_is_tried():
    assert "switch-ringlets" in names(2, 2)
    assert "switch-ringlets" not in names(3, 2)
    assert "switch-ringlets" in names(3, 2, switch_ports=6)
    small = names(16, 16, switch_ports=2)
    assert "omega-first-grade" in small
    assert not any("second-grade" in name or name == "omega-ringlets-2" for name in small)
    assert "torus-2d-ringlets" not in small
    assert "dual-ring" not in small
    assert "dual-ring" in names(16, 16, switch_ports=3)
    assert names(8, 8, topologies=["torus"]) == [
        "torus-2d-ringlets",
        "torus-2d-long-rings",
        "torus-3d-ringlets",
        "torus-3d-long-rings",
    ]


def test_an_extra_stage_is_tried_where_a_failure_counts():
    assert not any("extra-stage" in name for name in names(8, 8))
    assert "omega-extra-stage-2" in names(8, 8, failure_loss=0.5)


def test_two_rings_with_copies_are_tried_where_a_failure_counts():
    assert "dual-attached-ring" not in names(8, 8)
    assert "dual-attached-ring" in names(8, 8, failure_loss=0)
    # Builders take what one ring delivers, and two interfaces would not lose the same packets.
    assert "dual-attached-ring" not in names(8, 8, failure_loss=0, event_building={"fragment": "1 KiB"})
    assert "dual-attached-ring" not in names(8, 8, failure_loss=0, buffers=[4, 8])


def test_each_network_is_tried_with_each_protocol():
    found = list(scenarios(wanted(2, 2, topologies=["ring", "switch"], protocols=["ppq", "dfc"])))
    assert [one.name for one, _ in found[:2]] == ["ring, ppq", "ring, dfc"]
    assert all(one.name.endswith(f", {scenario.flow_control.protocol}") for one, scenario in found)


def test_events_have_as_many_triggers_as_each_sender_has_fragments():
    for one, scenario in scenarios(wanted(4, 2, event_building={"fragment": "1 KiB", "destination": "barrel"})):
        events = scenario.events
        assert (events.sources, events.builders) == (list(one.senders), list(one.receivers))
        assert events.rate == "19531.25 Hz"
        # Four fragments of 16 packets.
        assert scenario.queues.transmit == 64


def test_each_sender_has_a_message_to_the_receiver_of_its_own():
    for one, scenario in scenarios(wanted(4, 2, message={"size": 64, "period": "20 us", "deadline": "5 us"})):
        ways = [(message.source, message.destination) for message in scenario.messages]
        assert ways == [(sender, one.receivers[number // 2]) for number, sender in enumerate(one.senders)]
        assert {message.priority for message in scenario.messages} == {1}


@pytest.mark.parametrize("kind", get_args(Banyan))
def test_each_banyan_network_has_the_parts_of_the_others(kind):
    parts = [one.network | {"topology": kind} for one in candidates(wanted(16, 16, topologies=["omega"]))]
    assert [one.network for one in candidates(wanted(16, 16, topologies=[kind]))] == parts
    assert all(name.startswith(kind) for name in names(16, 16, topologies=[kind]))


def test_grades_have_the_ports_of_the_chapter():
    """A 16 x 16 network has 128 ports with ringlets, 64 first-grade and 32 second-grade (richter1999, Section 6.7)."""
    requirements = wanted(16, 16, topologies=["omega"])
    ports = {one.name: scenario.routed_network[0].ports for one, scenario in scenarios(requirements)}
    assert ports == {"omega-ringlets-2": 128, "omega-first-grade": 64, "omega-second-grade-4": 32}


def test_no_candidate_can_deadlock_with_moves():
    for one, scenario in scenarios(wanted(9, 9)):
        assert check_deadlock(*scenario.routed_network)[0].free, one.name


def test_few_receivers_are_on_different_rings_with_the_senders_that_belong_to_them():
    found = {one.name: one for one in candidates(wanted(24, 4))}
    for name in ("switch-long-rings-4", "ring-of-rings-4"):
        one = found[name]
        network, _ = Scenario.from_dict({"network": one.network}).routed_network
        ring = [int(network.node_ring[receiver]) for receiver in one.receivers]
        assert len(set(ring)) == 4, name
        own = [ring[own_receiver(number, 24, 4)] for number in range(24)]
        assert [int(network.node_ring[sender]) for sender in one.senders] == own, name


def test_few_senders_are_on_different_rings():
    one = {one.name: one for one in candidates(wanted(4, 24))}["switch-long-rings-4"]
    network, _ = Scenario.from_dict({"network": one.network}).routed_network
    assert len({int(network.node_ring[sender]) for sender in one.senders}) == 4
