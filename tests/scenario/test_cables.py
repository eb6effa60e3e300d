"""Lengths of cables, in place of hop delays worked out by hand."""

import pytest

import ringlet as rl


def hops(**network):
    return rl.Scenario.from_dict({"network": {"nodes": 4} | network, "traffic": {"load": 0.1}}).hop_cycles.tolist()


def test_a_cable_adds_its_delay_to_the_hop():
    # 10 m of 5 ns each, in symbols of 2 ns.
    assert hops(cable_length="10 m") == [1 + 25] * 4
    assert hops(hop_delay="12 ns", cable_length="10 m") == [6 + 25] * 4
    assert hops(hop_delay="12 ns", cable_length="10 m", cable_delay="4.2 ns") == [6 + 21] * 4


def test_hop_delay_and_cable_are_rounded_up_together():
    # 7 ns and 5 ns are 6 symbols of 2 ns, not 4 and 3.
    assert hops(hop_delay="7 ns", cable_length="1 m") == [6] * 4
    assert hops(hop_delay="7 ns", cable_length="1.1 m") == [7] * 4


@pytest.mark.parametrize("given", [[0, 0, 0.02, 0], {"2": "2 cm", "others": 0}, {"2": 0.02, "others": "0 m"}])
def test_each_link_may_have_its_own_cable(given):
    assert hops(cable_length=given, cable_delay="1 us") == [1, 1, 11, 1]


def test_ports_have_the_cable_of_their_own_link():
    rings = [{"members": [0, 1, "s.0"]}, {"members": [2, 3, "s.1"]}]
    network = {"topology": "rings", "rings": rings, "switches": [{"name": "s", "ports": 2}], "link_rate": "1 GB/s"}
    lengths = {"2": "4 m", "s.1": "8 m", "others": 0}
    assert hops(**network, hop_delay=1, cable_length=lengths) == [1, 1, 1, 11, 1, 21]


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"cable_length": "-1 m"}, r"network\.cable_length: '-1 m' is not allowed; at least 0"),
        ({"cable_length": "10 ns"}, r"network\.cable_length: '10 ns' is not allowed; a quantity in m"),
        ({"cable_length": [1, 2]}, r"network\.cable_length: <2 values> is not allowed; one value, or 4"),
        ({"cable_length": "1e6 km"}, r"network\.cable_length: '1e6 km' is not allowed; so short that"),
        ({"cable_length": 1, "cable_delay": "1e9 s"}, r"network\.cable_length: 1 is not allowed; so short that"),
        ({"cable_delay": "5 m"}, r"network\.cable_delay: '5 m' is not allowed"),
    ],
)
def test_cables_that_cannot_be_are_named(network, message):
    with pytest.raises(rl.RingletError, match=message):
        hops(**network)
