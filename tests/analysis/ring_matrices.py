"""Traffic matrices and an independent oracle, shared by the analysis tests."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def fixed_destinations(destinations: list[int]) -> NDArray[np.float64]:
    matrix = np.zeros((len(destinations), len(destinations)))
    matrix[np.arange(len(destinations)), destinations] = 1.0
    return matrix


def fan_in(nodes: int, f: int) -> NDArray[np.float64]:
    """picker1994, Section 5.3: f consecutive nodes send to one node, the others to their neighbours."""
    return fixed_destinations([f if node < f else (node + 1) % nodes for node in range(nodes)])


def random_matrix(rng: np.random.Generator, nodes: int) -> NDArray[np.float64]:
    """Dense, sparse or deterministic rows, so that ties, single users and unused links all occur."""
    kind = rng.integers(4)
    if kind == 0:
        return fixed_destinations([int((i + rng.integers(1, nodes)) % nodes) for i in range(nodes)])
    weights = rng.random((nodes, nodes))
    if kind == 1:
        weights = rng.integers(0, 3, (nodes, nodes)).astype(float)
    elif kind == 2:
        weights *= rng.random((nodes, nodes)) < 0.3
    np.fill_diagonal(weights, 0.0)
    for i in np.flatnonzero(weights.sum(axis=1) == 0):
        weights[i, (i + 1) % nodes] = 1.0
    return weights / weights.sum(axis=1, keepdims=True)


def crossings_by_walking(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Walks each packet from its source to its destination, link by link."""
    nodes = len(matrix)
    crossing = np.zeros((nodes, nodes))
    for source in range(nodes):
        for destination in range(nodes):
            if matrix[source, destination] == 0:
                continue
            link = source
            while True:
                crossing[source, link] += matrix[source, destination]
                link = (link + 1) % nodes
                if link == destination:
                    break
    return crossing


def progressive_filling(matrix: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Max-min rates by raising all rates together and stopping each node at its limit or its first full link.

    Exact rational arithmetic for small rings would be too slow for thousands of them, so links that fill
    within 1e-11 of each other are taken to fill together.
    """
    nodes = len(matrix)
    crossing = crossings_by_walking(matrix)
    rates = np.zeros(nodes)
    rising = [i for i in range(nodes) if limits[i] > 0 and crossing[i].any()]
    while rising:
        steps = [limits[i] - rates[i] for i in rising]
        slack = {}
        for k in range(nodes):
            slope = sum(crossing[i, k] for i in rising)
            if slope > 0:
                slack[k] = (1.0 - sum(crossing[i, k] * rates[i] for i in range(nodes))) / slope
        step = min([*steps, *slack.values()])
        for i in rising:
            rates[i] += step
        full = {k for k, room in slack.items() if room - step < 1e-11}
        rising = [i for i in rising if limits[i] - rates[i] > 1e-11 and not any(crossing[i, k] > 0 for k in full)]
    return rates


def exact_progressive_filling(destinations: list[int]) -> list[Fraction]:
    """The same for saturated nodes with fixed destinations, in exact fractions."""
    nodes = len(destinations)
    links = [
        {(source + hop) % nodes for hop in range((destination - source - 1) % nodes + 1)}
        for source, destination in enumerate(destinations)
    ]
    rates = [Fraction(0)] * nodes
    rising = set(range(nodes))
    while rising:
        room = {}
        for k in range(nodes):
            users = sum(1 for i in rising if k in links[i])
            if users:
                room[k] = (1 - sum((rates[i] for i in range(nodes) if k in links[i]), Fraction(0))) / users
        step = min(room.values())
        for i in rising:
            rates[i] += step
        rising = {i for i in rising if not any(room.get(k) == step for k in links[i])}
    return rates
