"""Flows beside one to a station that is gone, under every protocol (docs/how-to/failures.md)."""

import functools

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

ONE_RING = {"nodes": 8, "hop_delay": "40 ns"}
TWO_RINGS = {**ONE_RING, "topology": "dual-attached-ring"}
LIVE = {"name": "live", "source": 0, "destination": 3, "size": 64, "rate": "20 MB/s"}
NEEDED = {"metaring": {"sat_timeout": "10 us"}}
"""Options without which a protocol takes no failures."""


@functools.cache
def beside(protocol, to_the_gone, gives_up="destination", topology="ring", max_timeouts=8):
    """Returns what comes of 20 MB/s, of what is offered, and its mean latency in ns; station 4 is bypassed."""
    flows = [LIVE]
    if to_the_gone is not None:
        flows.append({**LIVE, "name": "gone", "destination": 4, "rate": to_the_gone})
    content = {
        "network": ONE_RING if topology == "ring" else TWO_RINGS,
        "flow_control": {"protocol": protocol, **NEEDED.get(protocol, {})},
        "traffic": {"arrivals": "none"},
        "flows": flows,
        "errors": {
            "nodes": [{"node": 4, "fails_at": 0, "bypass": True}],
            "max_timeouts": max_timeouts,
            "gives_up": gives_up,
        },
        "run": {"duration": "1 ms", "warmup": "300 us", "seed": 1},
    }
    live = rl.run(content).to_dict(timing=False)["flows"][0]
    return live["delivered"] / live["offered"], live["latency_mean_ns"]


@pytest.mark.parametrize("topology", ["ring", "dual-attached-ring"])
@pytest.mark.parametrize("to_the_gone", ["20 MB/s", "200 MB/s"])
@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_no_other_flow_is_held_back_by_a_destination_that_is_gone(protocol, to_the_gone, topology):
    _, alone = beside(protocol, None, topology=topology)
    share, mean = beside(protocol, to_the_gone, topology=topology)
    assert share >= 0.99
    # What is sent to see whether the station answers takes its turn at the token; without echoes, all of it is sent.
    assert mean <= 1.076 * alone


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_it_is_held_back_where_only_packets_are_given_up(protocol):
    assert beside(protocol, "200 MB/s", "packet")[0] < 0.5
    # By default a packet is tried 256 times, longer than this run.
    assert beside(protocol, "200 MB/s", "packet", max_timeouts=255)[0] < 0.1


@pytest.mark.parametrize("protocol", ["rpr", "metaring"])
def test_without_echoes_nobody_waits_for_a_station_that_is_gone(protocol):
    given_up = [beside(protocol, "200 MB/s", word, "dual-attached-ring") for word in ("packet", "destination")]
    assert given_up[0] == given_up[1]
    assert given_up[0][0] >= 0.99
