"""Which node goes where."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import RingletError, Scenario
from ringlet.analysis.placement import exchanged, groups_needed, least_distance, travelled
from ringlet.theory.placement import Placement


def ring_distance(nodes):
    place = np.arange(nodes)
    return ((place[None, :] - place[:, None]) % nodes).astype(float)


def scenario(**traffic):
    return Scenario.from_dict({"network": {"nodes": 8}, "traffic": {"load": "100 MB/s", **traffic}})


CYCLE = [3, 4, 5, 6, 7, 0, 1, 2]
"""Node i sends to i + 3: in another order all are neighbours."""


def test_nodes_in_a_cycle_become_neighbours():
    placement = Placement.of(scenario(destinations=CYCLE))
    order = placement.places("distance")
    assert placement.figures(np.arange(8))["distance_links"] == 3
    assert placement.figures(order)["distance_links"] == 1
    placed = placement.placed(order)
    assert [to.weights.index(1.0) for to in placed.resolved.pattern.destinations] == [1, 2, 3, 4, 5, 6, 7, 0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_no_order_of_a_few_nodes_is_much_nearer(seed):
    traffic = np.random.default_rng(seed).random((5, 5)) * (1 - np.eye(5))
    distance = ring_distance(5)
    best = min(travelled(traffic, distance, np.array(order)) for order in itertools.permutations(range(5)))
    found = travelled(traffic, distance, least_distance(traffic, distance))
    assert best <= found + 1e-9
    assert found <= travelled(traffic, distance, np.arange(5)) + 1e-9
    assert found <= 1.2 * best


def test_link_loads_are_those_of_packets_and_echoes():
    placement = Placement.of(scenario(destinations=[1, 0, 0, 0, 0, 0, 0, 0], load=["100 MB/s"] + ["0 MB/s"] * 7))
    # 80 bytes at 100 MB/s: 1.25 packets per us of 500 cycles, of 41 symbols each on link 0, and echoes of 5 behind it.
    assert placement.link_loads(np.arange(8)) == pytest.approx([0.0025 * 41] + [0.0025 * 5] * 7)


def test_the_worst_link_is_never_worse_than_before():
    placement = Placement.of(scenario(random_matrix={"family": "sparse", "seed": 3}, load="20 MB/s"))
    before, after = (placement.figures(order) for order in (np.arange(8), placement.places("load")))
    assert after["worst_link_symbols_per_cycle"] < before["worst_link_symbols_per_cycle"]


def test_lists_with_a_value_for_each_node_move_along():
    loads = [f"{10 * (node + 1)} MB/s" for node in range(8)]
    placement = Placement.of(scenario(destinations=CYCLE, load=loads))
    order = placement.places("distance")
    placed = placement.placed(order)
    assert [placed.traffic.load[place] for place in order] == loads


def test_pairs_that_share_no_link_need_no_groups_of_their_own():
    neighbours = np.roll(np.eye(6), 1, axis=1)
    assert groups_needed(neighbours) == 1
    two_fans = np.zeros((6, 6))
    two_fans[[0, 1, 2, 3, 4, 5], [2, 2, 3, 5, 5, 0]] = 1
    assert groups_needed(two_fans) == 3


def test_exchanges_stop_at_the_best_order_or_when_they_are_used_up():
    def cost(order):
        return (float(np.abs(order - np.arange(6)[::-1]).sum()),)

    assert exchanged(np.arange(6), cost, most=1000).tolist() == [5, 4, 3, 2, 1, 0]
    assert exchanged(np.arange(6), cost, most=0).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"network": {"nodes": 129}}, "network.nodes: 129 is not allowed; at most 128"),
        ({"network": {"topology": "omega", "size": 4}}, "network.topology: 'omega' is not allowed; one whose nodes"),
        ({"network": {"nodes": 4}, "errors": {"bit_error_rate": 1e-9}}, "errors: <[errors]> is not allowed; none"),
        (
            {"network": {"nodes": 4}, "traffic": {"senders": [0], "receivers": [1]}},
            "traffic.arrivals: 'saturated' is not allowed; one with a load",
        ),
    ],
)
def test_refused(content, message):
    with pytest.raises(RingletError) as caught:
        Placement.of(Scenario.from_dict(content))
    assert message in str(caught.value)


def test_groups_are_those_of_one_ring():
    placement = Placement.of(Scenario.from_dict({"network": {"topology": "torus", "shape": [2, 2]}}))
    with pytest.raises(RingletError, match="--least: 'groups' is not allowed"):
        placement.places("groups")
