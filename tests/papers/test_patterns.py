"""Deterministic patterns and their classes under rotation."""

from itertools import product

import pytest

from ringlet.papers.picker1994.patterns import pattern_classes


def orbits_by_rotating_destinations(nodes: int) -> dict[frozenset[tuple[int, ...]], int]:
    """An oracle that knows nothing of hops: it rotates the ring and collects what is reached."""
    others = [[j for j in range(nodes) if j != i] for i in range(nodes)]

    def rotated(pattern: tuple[int, ...], by: int) -> tuple[int, ...]:
        turned = [0] * nodes
        for source, destination in enumerate(pattern):
            turned[(source + by) % nodes] = (destination + by) % nodes
        return tuple(turned)

    patterns = set(product(*others))
    orbits = {frozenset(rotated(pattern, by) for by in range(nodes)) for pattern in patterns}
    return {orbit: len(orbit) for orbit in orbits}


def test_four_nodes_have_81_patterns_in_24_classes():
    classes = pattern_classes(4)
    assert len(classes) == 24
    assert sum(pattern.occurrences for pattern in classes) == 81


@pytest.mark.parametrize("nodes", [2, 3, 4, 5])
def test_classes_are_the_orbits_under_rotation(nodes):
    orbits = orbits_by_rotating_destinations(nodes)
    classes = pattern_classes(nodes)
    found = {orbit for pattern in classes for orbit in orbits if pattern.destinations in orbit}
    assert found == set(orbits)
    for pattern in classes:
        (orbit,) = (orbit for orbit in orbits if pattern.destinations in orbit)
        assert pattern.occurrences == len(orbit)


def test_no_node_sends_to_itself():
    assert all(node != to for pattern in pattern_classes(4) for node, to in enumerate(pattern.destinations))
