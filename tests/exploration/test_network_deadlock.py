"""A network is proved to be free of deadlock, or packets are found that make one."""

import pytest
from two_rings import ping_pong

import ringlet as rl
from ringlet.trace.moments import moments


def circle(count=5, buffers=1, **keys):
    """Rings in a circle, each joined to the next by a switch of two ports; every node sends half of the way round."""
    rings = [{"members": [ring, f"b{ring}.0", f"b{(ring - 1) % count}.1"]} for ring in range(count)]
    switches = [{"name": f"b{ring}", "ports": 2} for ring in range(count)]
    return {
        "network": {"topology": "rings", "rings": rings, "switches": switches, **keys},
        "switch": {"receive": buffers, "transmit": buffers},
        "traffic": {
            "transaction": "dmove64",
            "arrivals": "poisson",
            "load": "1 MB/s",
            "destinations": [(node + count // 2) % count for node in range(count)],
        },
    }


TORUS = {
    "network": {"topology": "torus", "shape": [3, 3]},
    "switch": {"receive": 1, "transmit": 1, "pooled": True},
    "queues": {"receive": 1, "responses": 1},
    "traffic": {"transaction": "nwrite64", "arrivals": "poisson", "load": "1 MB/s"},
}


def test_a_circle_of_rings_deadlocks_though_its_own_load_does_not_show_it():
    checked = rl.check(circle())
    assert (checked.holds, checked.complete) == (False, True)
    assert "for a slot of switch 'b0' port 1" in checked.properties[0].says
    assert rl.run(circle() | {"run": {"duration": "200 us"}}).stall is None


def test_a_counterexample_has_no_packet_too_many():
    # A receive and a transmit buffer of each switch have to be full.
    each = [(0, f"N{node} to N{(node + 2) % 5} (40 symbols)") for node in range(5)]
    assert sorted(rl.check(circle()).arrivals) == sorted(2 * each)


@pytest.mark.parametrize("content", [circle(), TORUS], ids=["circle", "torus"])
def test_the_recording_shows_the_stall(content):
    recording = rl.check(content).counterexample
    found = moments(recording)
    assert "first stall" in [one.name for one in found]
    assert recording.layout.is_network


@pytest.mark.parametrize(
    "content",
    [circle(routing="up-down"), TORUS | {"switch": {"receive": 1, "transmit": 1}}],
    ids=["up-down", "separate buffers"],
)
def test_without_a_circle_of_buffers_nothing_is_simulated(content):
    checked = rl.check(content)
    assert (checked.holds, checked.complete, checked.simulations) == (True, True, 0)


def test_a_circle_that_was_not_filled_is_not_proved():
    checked = rl.check(circle(buffers=1000), seconds=0)
    assert (checked.holds, checked.complete) == (True, False)
    assert "no packets were found" in checked.properties[0].says
    assert checked.to_dict()["simulations"] == 1


def test_too_many_ways_are_refused():
    many = {"network": {"topology": "torus", "shape": [9, 9]}, "traffic": {"arrivals": "poisson", "load": "1 MB/s"}}
    with pytest.raises(rl.RingletError, match="at most 4096 to be explored"):
        rl.check(many)


def test_the_ping_pong_of_ppq_is_found_where_buffers_cannot_deadlock():
    checked = rl.check(ping_pong(1))
    assert [(one.name, one.holds) for one in checked.properties] == [
        ("does not deadlock", True),
        ("does not livelock", False),
    ]
    assert "sent again for ever" in checked.properties[1].says
    assert (checked.complete, checked.counterexample is not None) == (True, True)


def test_with_one_priority_no_livelock_of_ppq_is_searched_for():
    checked = rl.check(ping_pong(0))
    assert [one.name for one in checked.properties] == ["does not deadlock"]
    assert (checked.holds, checked.complete, checked.simulations) == (True, True, 0)
