"""Nodes with an interface on each of two rings explored: one copy of a message, or one round each ring."""

import pytest

import ringlet as rl


def station_ring(ways, protocol="none", **sections):
    """Three stations, each of which sends to the next one."""
    return {
        "network": {"topology": "dual-attached-ring", "ways": ways, "nodes": 3, "hop_delay": 1},
        "flow_control": {"protocol": protocol},
        "traffic": {"transaction": "send16", "destinations": [1, 2, 0], "load": "10 MB/s"},
        **sections,
    }


@pytest.mark.parametrize(
    ("ways", "protocol"), [("shorter", "metaring"), ("both", "none"), ("both", "metaring"), ("both", "timed-token")]
)
def test_stations_deliver_everything_whenever_it_comes(ways, protocol):
    checked = rl.check(station_ring(ways, protocol), step=8)
    assert (checked.holds, checked.complete) == (True, True)
    assert {one.name for one in checked.properties} >= {"comes to rest", "serves N0 to N1 (8 symbols)"}


def test_no_lost_copy_of_an_hsr_ring_costs_a_message():
    """Whichever one copy is lost, in any state: the other one comes, and nobody waits for a time-out."""
    lossy = station_ring("both", errors={"bit_error_rate": 1e-9, "timeout": 1000})
    whole, checked = rl.check(station_ring("both"), step=8), rl.check(lossy, step=8, losses=1)
    assert (checked.holds, checked.complete) == (True, True)
    assert checked.states > 2 * whole.states
    waits = [one.cycles for one in checked.properties if one.name.startswith("serves")]
    assert all(cycles is not None and cycles < 50 for cycles in waits)
    with pytest.raises(rl.RingletError, match="losses: 2 is not allowed; at most 1 without echoes"):
        rl.check(lossy, losses=2)
    alone = station_ring("shorter", errors=lossy["errors"])
    alone["network"]["echoes"] = False
    with pytest.raises(rl.RingletError, match="losses: 1 is not allowed; at most 0 without echoes"):
        rl.check(alone)


def test_of_a_larger_ring_of_stations_it_is_proved_that_it_does_not_deadlock():
    larger = station_ring("both")
    larger["network"]["nodes"] = 12
    del larger["traffic"]["destinations"]
    checked = rl.check(larger)
    assert (checked.holds, checked.complete, checked.states) == (True, True, 0)
    assert [one.name for one in checked.properties] == ["does not deadlock"]


def test_stations_that_answer_are_refused():
    reads = station_ring("shorter", "sci")
    reads["traffic"]["transaction"] = "read64"
    with pytest.raises(rl.RingletError, match=r"<a response> is not allowed; nothing that waits .* for a check"):
        rl.check(reads)
