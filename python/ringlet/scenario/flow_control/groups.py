"""The transmission group of each packet."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from ringlet import analysis
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.values.maxima import MAX_GROUPS
from ringlet.scenario.values.units import Time, cycles
from ringlet.sections import Field, Section

if TYPE_CHECKING:
    import numpy as np

    from ringlet.scenario.values.destinations import Pattern
else:
    np = library("numpy")

MAX_CONFLICT_NODES = 1024
"""Nodes up to which the conflicting ones are found: it takes seconds at this number, and grows with its third power."""


class GroupStep(Section):
    """A moment at which software rewrites the group registers."""

    at: Time = Field(description="When; the first step is at 0.")
    groups: list[Annotated[int, Field(ge=0, lt=MAX_GROUPS)]] = Field(description="Each node's group from then on.")


def assigned(
    chosen: str | list[int] | list[list[int]] | None, pattern: "Pattern", groups: int
) -> list[int] | list[list[int]]:
    """Returns each node's group, or the groups of all source-destination pairs, shape (nodes, nodes).

    Args:
        chosen: `flow_control.assignment`.
        pattern: where packets go.
        groups: how many there are.

    Raises:
        RingletError: more groups are needed than there are, or a list or matrix has the wrong shape or groups.
    """
    nodes = pattern.nodes
    if chosen is None:
        chosen = "node" if nodes <= groups else "maximal-conflict"
    match chosen:
        case "node":
            enough(nodes, groups, "node")
            return list(range(nodes))
        case "maximal-conflict":
            check_conflict_nodes(nodes)

            return analysis.maximal_conflict_grouping(pattern.matrix(), groups)
        case "pair":
            # Every node sends to another.
            enough(nodes, groups, "pair")
            used = np.argwhere(pattern.matrix() > 0)
            enough(len(used), groups, "pair")
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


def of_steps(steps: Sequence[GroupStep], nodes: int, groups: int) -> list[list[int]]:
    """Returns each node's group in each step.

    Raises:
        RingletError: a step has the wrong shape or groups.
    """
    return [
        _check_row(step.groups, nodes, groups, f"flow_control.schedule[{i}].groups") for i, step in enumerate(steps)
    ]


def changing(steps: Sequence[GroupStep], nodes: int, groups: int, symbol_time_ns: float) -> list[dict[str, Any]]:
    """Returns the engine's `groups` of each node where software changes them.

    Raises:
        RingletError: steps that are not in the order of their times, or of the wrong shape or groups.
    """
    path = "flow_control.schedule"
    starts = [cycles(step.at, symbol_time_ns) for step in steps]
    if starts[0] != 0:
        raise RingletError.not_allowed(f"{path}[0].at", steps[0].at, "0: groups from the start")
    for i in range(1, len(starts)):
        if starts[i] <= starts[i - 1]:
            raise RingletError.not_allowed(f"{path}[{i}].at", steps[i].at, "later than the step before")
    rows = of_steps(steps, nodes, groups)
    return [
        {"kind": "schedule", "steps": list(zip(starts, [row[node] for row in rows], strict=True))}
        for node in range(nodes)
    ]


def check_conflict_nodes(nodes: int) -> None:
    """Raises RingletError where there are too many nodes to find those that conflict most."""
    if nodes > MAX_CONFLICT_NODES:
        allowed = f"at most {MAX_CONFLICT_NODES} for assignment 'maximal-conflict'; assign groups by a list"
        raise RingletError.not_allowed("network.nodes", nodes, allowed)


def enough(needed: int, groups: int, what: str) -> None:
    """Raises RingletError where there are fewer groups than needed."""
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
