"""The registers and queues that a protocol needs in a node."""

import re
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS


def needed(protocol, *, nodes=8, receive=4, **options):
    content = {
        "network": {"nodes": nodes, "hop_delay": 80},
        "flow_control": {"protocol": protocol} | options,
        "queues": {"receive": receive},
        "traffic": {"load": 0.01},
        "run": {"duration": 2_000, "warmup": 0},
    }
    document = rl.run(rl.Scenario.from_dict(content)).document
    return document["protocol_registers_bits"], document["protocol_queues_bits"]


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_every_protocol_says_what_it_needs(protocol):
    registers, queues = needed(protocol)
    # At least what comes in while the longest packet is sent, 40 symbols and their idle of 16 bits each.
    assert queues >= 41 * 16
    assert registers > 0 or protocol == "none"


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_the_page_says_what_a_run_says(protocol):
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "protocols.md").read_text(encoding="utf-8")
    row = re.search(rf"^`{protocol}` \| (\d+) \| (\d+)$", page, re.MULTILINE)
    assert row is not None
    assert needed(protocol) == (int(row[1]), int(row[2]))


def test_go_bits_and_groups_are_counted():
    assert needed("none") == (0, 41 * 16)
    # A go bit kept and the one received last; has the node sent, does it extend, is it blocked?
    assert needed("sci") == (5, 41 * 16)
    # Two bits count go bits kept; those received last, the block register, two flags and a group.
    assert needed("grouped", groups=8)[0] == 4 * 8 + 2 + 3
    assert needed("grouped", groups=16)[0] == 4 * 16 + 2 + 4


@pytest.mark.parametrize(
    ("options", "bits"),
    [
        ({"protocol": "none"}, 0),
        ({"protocol": "sci"}, 1),
        ({"protocol": "sci", "priorities": 3}, 6),
        ({"protocol": "sci", "priorities": 3, "reserve": 0.1}, 7),
        ({"protocol": "grouped", "groups": 240}, 240),
        ({"protocol": "ppq"}, 9),
        ({"protocol": "train", "mode": "gearshift"}, 1),
    ],
)
def test_an_idle_carries_what_its_protocol_reads(options, bits):
    content = {
        "network": {"nodes": 8, "hop_delay": 80},
        "flow_control": options,
        "traffic": {"load": 0.01},
        "run": {"duration": 2_000, "warmup": 0},
    }
    assert rl.run(rl.Scenario.from_dict(content)).document["protocol_idle_bits"] == bits


def test_the_idle_of_the_ring_with_most_counts():
    network = {"topology": "ring-of-rings", "shape": [2, 2]}
    content = {"network": network, "traffic": {"load": 0.01}, "run": {"duration": 2_000, "warmup": 0}}
    content["rings"] = {"ring 1": {"flow_control": {"protocol": "grouped", "groups": 40}}}
    assert rl.run(rl.Scenario.from_dict(content)).document["protocol_idle_bits"] == 40


def test_directed_flow_control_knows_every_other_node():
    assert needed("dfc", nodes=16)[0] - needed("dfc", nodes=8)[0] == 8 * (1 + 8 + 2)


def test_a_late_echo_waits_for_each_place_of_the_receive_queues():
    assert needed("ppq", receive=6)[1] - needed("ppq", receive=4)[1] == 2 * 2 * 5 * 16
    assert needed("ppq", receive="unlimited")[1] is None


def test_of_several_rings_the_largest_node_counts():
    network = {"topology": "ring-of-rings", "shape": [2, 2]}
    content = {"network": network, "traffic": {"load": 0.01}, "run": {"duration": 2_000, "warmup": 0}}
    content["rings"] = {"ring 1": {"flow_control": {"protocol": "grouped", "groups": 4}}}
    assert rl.run(rl.Scenario.from_dict(content)).document["protocol_registers_bits"] == 4 * 4 + 2 + 2
