"""Traffic matrices: from a CSV file, random, and what makes one valid."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.traffic import matrix_file
from ringlet.scenario.traffic.section import TOLERANCE
from ringlet.scenario.values.destinations import MAX_MATRIX_NODES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = library("numpy")

ROUNDED = 1e-3
"""Largest distance from 1 of a sum of probabilities that are rounded."""

LARGEST = 1e18
"""Largest number of packets, or rate."""

Place = Callable[[int, int | None], str]
"""Returns the name of row `i`, or of its value `j`, in a message."""


def matrix_place(i: int, j: int | None) -> str:
    """Returns the name of row `i` of a matrix in the scenario, or of its value `j`."""
    return f"traffic.matrix[{i}]" if j is None else f"traffic.matrix[{i}][{j}]"


@dataclass(frozen=True)
class Matrix:
    """A traffic matrix, and what was done to what was given."""

    rows: Sequence[Sequence[float]]
    """Probabilities: each row sums to 1, or is of zeros, where a node only receives."""
    notes: tuple[str, ...] = ()
    rates: tuple[float, ...] = ()
    """Sum of each row, where they are of rates."""


def normalised(
    rows: Sequence[Sequence[float]],
    nodes: int,
    path: str,
    place: Place = matrix_place,
    senders: Sequence[int] | None = None,
    *,
    are_rates: bool = False,
) -> Matrix:
    """Returns the traffic matrix of `nodes` nodes: square, row-stochastic but for rows of zeros, zero diagonal.

    A row of zeros is that of a node that only receives. Numbers of packets, or rates, become probabilities where one of
    them is above 1, or a row of whole numbers has a sum above 1; so do probabilities that sum to 1 but for rounding.

    Args:
        rows: the matrix.
        nodes: what its shape has to be.
        path: what a message calls the matrix.
        place: what a message calls a row, or a value in it.
        senders: the nodes that the rows are of, if not of all.
        are_rates: True where the numbers are rates, whatever they are.

    Raises:
        RingletError: rows of another shape, with other numbers, or of other sums.
    """
    senders = range(nodes) if senders is None else senders
    if len(rows) != len(senders):
        who = "node" if len(senders) == nodes else "processor"
        raise RingletError.not_allowed(path, f"<{len(rows)} rows>", f"{len(senders)} rows, one per {who}")
    made, counts, rounded = list(rows), False, 0
    with_sums: list[tuple[int, float]] = []
    for i, (node, row) in enumerate(zip(senders, rows, strict=True)):
        if len(row) != nodes:
            raise RingletError.not_allowed(place(i, None), f"<{len(row)} values>", f"{nodes} values, one per node")
        values = np.asarray(row, dtype=np.float64)
        bad = np.flatnonzero(~((values >= 0) & (values <= LARGEST)))
        if bad.size:
            allowed = "a probability, a number of packets or a rate, at least 0"
            raise RingletError.not_allowed(place(i, int(bad[0])), row[bad[0]], allowed)
        if row[node] != 0 and nodes > 1:
            raise RingletError.not_allowed(place(i, node), row[node], "0: a node does not send to itself")
        total = float(values.sum())
        # Several ones in a row are counts, too.
        whole = total > 1 + ROUNDED and bool((values == np.rint(values)).all())
        counts |= are_rates or whole or bool((values > 1 + ROUNDED).any())
        with_sums.append((i, total))
    if not any(total for _, total in with_sums):
        raise RingletError.not_allowed(path, "<a matrix of zeros>", "a row that is not zero: a node that sends")
    for i, total in with_sums:
        if total and not counts and abs(total - 1) > ROUNDED:
            allowed = "a row of probabilities that sum to 1, of whole numbers, of zeros, or of rates some above 1"
            raise RingletError.not_allowed(place(i, None), f"<a row with sum {total:.12g}>", allowed)
        if total and abs(total - 1) > TOLERANCE:
            made[i] = (np.asarray(rows[i]) / total).tolist()
            rounded += 1
    if are_rates:
        return Matrix(made, rates=tuple(total for _, total in with_sums))
    if counts:
        return Matrix(
            made,
            (
                f"{path}: counts or rates, made probabilities row by row; loads are those of traffic.load: "
                "traffic.matrix_unit, such as 'MB/s', makes them of the rates",
            ),
        )
    if rounded:
        return Matrix(made, (f"{path}: {rounded} rows that sum to 1 but for rounding are made to",))
    return Matrix(made)


def check_size(nodes: int) -> None:
    """Raises RingletError if there are too many nodes for a matrix."""
    if nodes > MAX_MATRIX_NODES:
        raise RingletError.not_allowed("network.nodes", nodes, f"at most {MAX_MATRIX_NODES} with a traffic matrix")


def read_matrix(
    file: Path,
    nodes: int,
    senders: Sequence[int] | None = None,
    *,
    node_names: Sequence[str] = (),
    are_rates: bool = False,
) -> Matrix:
    """Reads a traffic matrix from a text file, with or without labels.

    Raises:
        RingletError: the file cannot be read, or is not a traffic matrix of `nodes` nodes; names file and line.
    """
    senders = range(nodes) if senders is None else senders
    found = matrix_file.read(file, "a row of probabilities per node").in_order(node_names, senders)
    return normalised(found.rows, nodes, str(file), found.place, senders, are_rates=are_rates)


def random_matrix(family: str, seed: int, nodes: int) -> "NDArray[np.float64]":
    """Draws the matrix of a family, shape (nodes, nodes); see `RandomMatrix` for the families."""
    rng = np.random.default_rng(seed)
    match family:
        case "dense-uniform":
            weights = rng.random((nodes, nodes))
        case "exponential":
            weights = rng.exponential(size=(nodes, nodes))
        case "deterministic":
            weights = _one_hot(np.arange(nodes) + rng.integers(1, nodes, size=nodes))
        case "fan-in":
            fan_in, first = int(rng.integers(2, nodes)) if nodes > 2 else 1, int(rng.integers(nodes))
            weights = np.roll(_one_hot(np.asarray(fan_in_destinations(nodes, fan_in))), (first, first), axis=(0, 1))
        case "sparse":
            two = np.arange(nodes)[:, None] + rng.integers(1, nodes, size=(nodes, 2))
            share = rng.random(nodes)
            weights = _one_hot(two[:, 0]) * share[:, None] + _one_hot(two[:, 1]) * (1 - share)[:, None]
    np.fill_diagonal(weights, 0.0)
    matrix: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return matrix


def fan_in_destinations(nodes: int, fan_in: int) -> list[int]:
    """Destinations under worst-case fan-in (picker1994, Section 5.3): nodes below `fan_in` to node `fan_in`, others one
    on."""
    return [fan_in if node < fan_in else (node + 1) % nodes for node in range(nodes)]


def _one_hot(destinations: "NDArray[np.int64]") -> "NDArray[np.float64]":
    nodes = len(destinations)
    return np.eye(nodes)[destinations % nodes]
