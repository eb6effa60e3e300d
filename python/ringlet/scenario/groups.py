"""Which transmission group each packet belongs to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ringlet.analysis import maximal_conflict_grouping
from ringlet.errors import RingletError
from ringlet.scenario.flow_control import FlowControl
from ringlet.scenario.patterns import Pattern
from ringlet.scenario.sections import MAX_GROUPS
from ringlet.scenario.units import cycles

DEFAULT_GROUPS = 8
MAX_CONFLICT_NODES = 1024
"""Nodes up to which the conflicting ones are found: it takes seconds at this number, and grows with its third power."""


def group_count(flow_control: FlowControl) -> int:
    """Returns the number of groups, 1 without groups."""
    if flow_control.protocol != "grouped":
        return 1
    return DEFAULT_GROUPS if flow_control.groups is None else flow_control.groups


def assignment(flow_control: FlowControl, pattern: Pattern) -> list[int] | list[list[int]]:
    """Returns each node's group, or the groups of all source-destination pairs, shape (nodes, nodes).

    Where software changes the groups, they are those of the start.

    Raises:
        RingletError: more groups are needed than there are, or a list or matrix has the wrong shape or groups.
    """
    nodes, groups = pattern.nodes, group_count(flow_control)
    chosen = flow_control.assignment
    if flow_control.protocol != "grouped":
        return [0] * nodes
    if flow_control.schedule is not None:
        return _check_row(flow_control.schedule[0].groups, nodes, groups, "flow_control.schedule[0].groups")
    if chosen is None:
        chosen = "node" if nodes <= groups else "maximal-conflict"
    match chosen:
        case "node":
            _enough(nodes, groups, "node")
            return list(range(nodes))
        case "maximal-conflict":
            if nodes > MAX_CONFLICT_NODES:
                allowed = f"at most {MAX_CONFLICT_NODES} for assignment 'maximal-conflict'; assign groups by a list"
                raise RingletError.not_allowed("network.nodes", nodes, allowed)
            return maximal_conflict_grouping(pattern.matrix(), groups)
        case "pair":
            # Every node sends to somebody.
            _enough(nodes, groups, "pair")
            used = np.argwhere(pattern.matrix() > 0)
            _enough(len(used), groups, "pair")
            pairs = np.zeros((nodes, nodes), dtype=int)
            pairs[used[:, 0], used[:, 1]] = np.arange(len(used))
            matrix: list[list[int]] = pairs.tolist()
            return matrix
    path = "flow_control.assignment"
    if all(isinstance(row, int) for row in chosen):
        return _check_row(chosen, nodes, groups, path)
    if len(chosen) != nodes:
        raise RingletError.not_allowed(path, f"<{len(chosen)} rows>", f"{nodes} rows, one per node")
    return [_check_row(row, nodes, groups, f"{path}[{i}]") for i, row in enumerate(chosen)]


def _enough(needed: int, groups: int, what: str) -> None:
    if needed > groups:
        allowed = f"at least {needed}, one for each {what}, and at most {MAX_GROUPS}; or another assignment"
        raise RingletError.not_allowed("flow_control.groups", groups, allowed)


def _check_row(row: Any, nodes: int, groups: int, path: str) -> list[int]:  # noqa: ANN401 - a list or an int
    if not isinstance(row, list) or len(row) != nodes:
        size = f"<{len(row)} values>" if isinstance(row, list) else row
        raise RingletError.not_allowed(path, size, f"{nodes} groups, one per node")
    for i, group in enumerate(row):
        if not 0 <= group < groups:
            raise RingletError.not_allowed(f"{path}[{i}]", group, f"a group below {groups}")
    return row


def group_specs(
    flow_control: FlowControl, rows: list[int] | list[list[int]], symbol_time_ns: float
) -> list[dict[str, Any]]:
    """Returns the engine's `groups` of each node; `rows` is what `assignment` returned."""
    nodes = len(rows)
    if flow_control.schedule is None:
        return [
            {"kind": "by-destination", "groups": row} if isinstance(row, list) else {"kind": "fixed", "group": row}
            for row in rows
        ]
    path, groups = "flow_control.schedule", group_count(flow_control)
    starts = [cycles(step.at, symbol_time_ns) for step in flow_control.schedule]
    if starts[0] != 0:
        raise RingletError.not_allowed(f"{path}[0].at", flow_control.schedule[0].at, "0: groups from the start")
    for i in range(1, len(starts)):
        if starts[i] <= starts[i - 1]:
            raise RingletError.not_allowed(f"{path}[{i}].at", flow_control.schedule[i].at, "later than the step before")
    rows_in_time = [
        _check_row(step.groups, nodes, groups, f"{path}[{i}].groups") for i, step in enumerate(flow_control.schedule)
    ]
    return [
        {"kind": "schedule", "steps": _changes(starts, [row[node] for row in rows_in_time])} for node in range(nodes)
    ]


def _changes(starts: Sequence[int], groups: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(starts, groups, strict=True))
