"""Transmission groups on rings that switches join: each ring has groups of its own, and ports belong to them, too."""

from typing import TYPE_CHECKING

import numpy as np

from ringlet import analysis
from ringlet.errors import RingletError
from ringlet.rings import Network, Routes
from ringlet.rings.network import IntArray
from ringlet.rings.trace import legs
from ringlet.scenario.flow_control.groups import check_conflict_nodes, enough

if TYPE_CHECKING:
    from ringlet.scenario.values.destinations import Pattern


def of_interfaces(
    chosen: str | None, pattern: "Pattern", network: Network, routes: Routes, groups: int, *, answers: bool
) -> IntArray:
    """Returns the group of what each interface sends on its ring, shape (interfaces,).

    Args:
        chosen: `flow_control.assignment`: a group for each interface of a ring (`node`), or shared by those that
            conflict most; None is `node` where there are enough groups on every ring.
        pattern: where packets go.
        network: the rings.
        routes: how packets get there.
        groups: how many groups a ring has.
        answers: whether packets have responses.

    Raises:
        RingletError: more groups are needed than there are; too many nodes to compare them.
    """
    lengths, first = network.ring_lengths, network.ring_start[:-1]
    longest = int(lengths.max())
    if chosen is None:
        chosen = "node" if longest <= groups else "maximal-conflict"
    if chosen == "node":
        enough(longest, groups, "interface of a ring")
        places: IntArray = np.arange(network.interfaces) - np.repeat(first, lengths)
        return places
    check_conflict_nodes(pattern.nodes)

    found = [
        analysis.maximal_conflict_grouping(_rows_of_one(sent.reshape(length, length)), groups)
        for sent, length in zip(_sent(pattern, network, routes, answers=answers), lengths, strict=True)
    ]
    return np.concatenate([np.asarray(ring, dtype=np.int64) for ring in found])


def _sent(pattern: "Pattern", network: Network, routes: Routes, *, answers: bool) -> list[np.ndarray]:
    """Returns what the interfaces of each ring send each other, if all nodes send equally much: flat matrices."""
    lengths, first = network.ring_lengths, network.ring_start[:-1]
    squares = lengths**2
    start = np.cumsum(squares) - squares
    sent = np.zeros(int(squares.sum()))
    matrix = pattern.matrix()
    source, target = np.nonzero(matrix)
    share = matrix[source, target]
    ways = [(source, target), (target, source)] if answers else [(source, target)]
    for begins, ends in ways:
        for leg in legs(network, routes, begins, ends):
            ring = network.interface_ring[leg.start]
            place = (leg.start - first[ring]) * lengths[ring] + leg.end - first[ring]
            np.add.at(sent, start[ring] + place, share[leg.packet])
    return np.split(sent, start[1:])


def _rows_of_one(sent: np.ndarray) -> np.ndarray:
    sums = sent.sum(axis=1, keepdims=True)
    rows: np.ndarray = np.divide(sent, sums, out=np.zeros_like(sent), where=sums > 0)
    return rows


def check_assignment(assignment: object, *, scheduled: bool) -> str | None:
    """Returns an assignment that holds for every ring.

    Raises:
        RingletError: groups that are given to nodes, which say nothing of ports.
    """
    allowed = "'node' or 'maximal-conflict' where there are switches, whose ports belong to groups, too"
    if scheduled:
        raise RingletError.not_allowed("flow_control.schedule", "<steps>", f"none: assignment {allowed}")
    if assignment is None or (isinstance(assignment, str) and assignment != "pair"):
        return assignment
    shown = assignment if isinstance(assignment, str) else "<groups>"
    raise RingletError.not_allowed("flow_control.assignment", shown, allowed)
