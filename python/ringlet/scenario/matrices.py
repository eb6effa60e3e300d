"""Traffic matrices: from a CSV file, random, and what makes one valid."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.files import read_text
from ringlet.scenario.traffic import RandomMatrix

TOLERANCE = 1e-9
MAX_MATRIX_NODES = 4096
"""Nodes up to which a traffic matrix is made."""


def check_matrix(rows: Sequence[Sequence[float]], nodes: int, path: str) -> None:
    """Raises RingletError unless `rows` is a traffic matrix of `nodes` nodes: square, row-stochastic, zero diagonal."""
    if len(rows) != nodes:
        raise RingletError.not_allowed(path, f"<{len(rows)} rows>", f"{nodes} rows, one per node")
    for i, row in enumerate(rows):
        where = f"{path}[{i}]"
        if len(row) != nodes:
            raise RingletError.not_allowed(where, f"<{len(row)} values>", f"{nodes} values, one per node")
        bad = next((j for j, share in enumerate(row) if not 0 <= share <= 1), None)
        if bad is not None:
            raise RingletError.not_allowed(f"{where}[{bad}]", row[bad], "a probability, 0 to 1")
        if row[i] != 0 and nodes > 1:
            raise RingletError.not_allowed(f"{where}[{i}]", row[i], "0: a node does not send to itself")
        total = float(sum(row))
        if abs(total - 1) > TOLERANCE:
            raise RingletError.not_allowed(
                where, f"<a row with sum {total:.12g}>", "a row of probabilities that sum to 1"
            )


def read_matrix(file: Path) -> list[list[float]]:
    """Reads a matrix from a CSV file without a header; errors name file and line."""
    rows = []
    for line, cells in enumerate(csv.reader(read_text(file, "a CSV file").splitlines()), start=1):
        if not any(cell.strip() for cell in cells):
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            bad = next(cell for cell in cells if not _is_number(cell))
            raise RingletError.not_allowed(f"{file}, line {line}", bad, "numbers separated by commas") from None
    if not rows:
        raise RingletError.not_allowed(str(file), "<an empty file>", "a row of probabilities per node")
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def random_matrix(spec: RandomMatrix, nodes: int) -> NDArray[np.float64]:
    """Draws the matrix of a family, shape (nodes, nodes); `Field` descriptions say what the families are."""
    rng = np.random.default_rng(spec.seed)
    match spec.family:
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
    """Destinations under worst-case fan-in (picker1994, Section 5.3): nodes below `fan_in` to node `fan_in`, others one on."""
    return [fan_in if node < fan_in else (node + 1) % nodes for node in range(nodes)]


def _one_hot(destinations: NDArray[np.int64]) -> NDArray[np.float64]:
    nodes = len(destinations)
    return np.eye(nodes)[destinations % nodes]
