"""`ringlet group` assigns nodes, or pairs of nodes, to transmission groups."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet.analysis import MAX_CONFLICT_PAIRS, maximal_conflict_grouping, maximal_conflict_pair_grouping
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.tables import Table, ranges
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.flow_control.grouped import DEFAULT_GROUPS, Grouped
from ringlet.scenario.flow_control.ring_groups import of_interfaces
from ringlet.scenario.values.maxima import MAX_GROUPS
from ringlet.simulation.group_trial import Trial, trial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_LISTED = 64
"""Nodes whose groups are written out one by one; a scenario can name the method instead."""

MAX_MATRIX_NODES = 1024
"""Nodes up to which the traffic matrix is grouped: time grows with their number to the third power, and is some seconds
at this one."""

NAME = "group"

ONE_RING = (
    f"one ring for 'ringlet {NAME} --pairs': on each ring of a network all packets of an interface have one group"
)


@click.command
@scenario_file
@click.option(
    "--groups",
    metavar="N",
    type=AT_LEAST_ONE,
    help=f"Groups at most; default: the scenario's, else {DEFAULT_GROUPS}.",
)
@click.option("--pairs", is_flag=True, help="Group ordered pairs, source and destination, in place of nodes.")
@set_keys
@as_json
def command(scenario: Path, groups: int | None, pairs: bool, overrides: Sequence[str], json: bool) -> None:
    """Assign nodes to transmission groups: those that conflict most share one (maximal-conflict grouping).

    With flow control "grouped" a node that must wait holds back its own group only. Nodes that compete for the same
    links belong together; nodes that never meet do not. Of a node that sends to several others, with --pairs, packets
    to each may belong to another group. A short simulation of the ring with all nodes saturated compares them with one
    group, which is proposed where it is better. In a network of rings each ring has groups of its own, to which ports
    belong, too; these are not simulated.

    \b
    Examples:
        ringlet group ring.toml
        ringlet group ring.toml --groups 4
        ringlet group ring.toml --groups 4 --json
        ringlet group ring.toml --groups 256 --pairs
    """
    loaded = load(scenario, overrides)
    with refusing(scenario, overrides):
        nodes = loaded.network.nodes
        if nodes > MAX_MATRIX_NODES:
            allowed = f"at most {MAX_MATRIX_NODES} for 'ringlet {NAME}', which needs the whole traffic matrix"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)
    own = loaded.flow_control
    most = groups or (own.group_count if isinstance(own, Grouped) else DEFAULT_GROUPS)
    if loaded.network.switched:
        if pairs:
            with refusing(scenario, overrides):
                raise RingletError.not_allowed("network.topology", loaded.network.topology, ONE_RING)
        _write_by_ring(loaded, most, json=json)
        return
    matrix = loaded.traffic_matrix()
    if pairs:
        with refusing(scenario, overrides):
            _check_pairs(int((matrix > 0).sum()))
        rows = maximal_conflict_pair_grouping(matrix, most)
        tried = trial(loaded, rows) if _largest(rows) < MAX_GROUPS else None
        if tried and tried.is_worse:
            rows = [[0] * len(rows) for _ in rows]
        if json:
            output.write_json({"groups": rows, **_found(tried)})
        else:
            _write_pairs(loaded, rows, matrix > 0, tried)
        return
    assignment = maximal_conflict_grouping(matrix, most)
    tried = trial(loaded, assignment) if max(assignment) < MAX_GROUPS else None
    if tried and tried.is_worse:
        assignment = [0] * len(assignment)
    if json:
        output.write_json({"groups": assignment, **_found(tried)})
        return
    used = max(assignment) + 1
    table = Table(("group",), words=("nodes",))
    for number in range(used):
        members = [node for node, group in enumerate(assignment) if group == number]
        table.add_row(str(number), _names(loaded, members))
    output.write_table(table)
    _write_trial(tried)
    _write_section(used, str(assignment) if len(assignment) <= MAX_LISTED else '"maximal-conflict"')


def _check_pairs(count: int) -> None:
    if count > MAX_CONFLICT_PAIRS:
        allowed = f"traffic with at most {MAX_CONFLICT_PAIRS} pairs for 'ringlet {NAME} --pairs'"
        raise RingletError.not_allowed("traffic", f"<{count} pairs of nodes>", allowed)


def _largest(rows: list[list[int]]) -> int:
    return max(group for row in rows for group in row)


def _found(tried: Trial | None) -> dict[str, float]:
    """Returns what the trial found for the JSON document; nothing without one."""
    if tried is None:
        return {}
    return {
        "average_deviation_percent": tried.grouped_percent,
        "one_group_average_deviation_percent": tried.one_group_percent,
    }


def _write_trial(tried: Trial | None) -> None:
    if tried is None:
        return
    output.write_line()
    output.write_line(
        f"With all nodes saturated, {tried.cycles:,} cycles: {tried.grouped_percent:z.1f} % below the fair share on "
        f"average, {tried.one_group_percent:z.1f} % with one group."
    )
    if tried.is_worse:
        output.write_line("One group is better, so no others are proposed.")


def _write_pairs(loaded: Scenario, rows: list[list[int]], is_used: "NDArray[np.bool_]", tried: Trial | None) -> None:
    nodes = range(len(rows))
    table = Table(("group",), words=("pairs",))
    used = 1 + max((rows[source][target] for source in nodes for target in nodes), default=0)
    for number in range(used):
        of_source = {
            source: [target for target in nodes if is_used[source, target] and rows[source][target] == number]
            for source in nodes
        }
        parts = [
            f"{loaded.node_name(source)} to {_names(loaded, targets)}"
            for source, targets in of_source.items()
            if targets
        ]
        table.add_row(str(number), "; ".join(parts))
    output.write_table(table)
    _write_trial(tried)
    lines = ",\n".join(f"    {row}" for row in rows)
    _write_section(used, f"[\n{lines},\n]")


def _names(loaded: Scenario, nodes: list[int]) -> str:
    return ", ".join(loaded.node_name(node) for node in nodes) if loaded.network.node_names else ranges(nodes)


def _write_section(used: int, assignment: str) -> None:
    """Writes what a scenario takes."""
    output.write_line()
    if used > MAX_GROUPS:
        output.write_line(
            f"A scenario has at most {MAX_GROUPS} groups: --groups {MAX_GROUPS} gives some that it takes."
        )
        return
    output.write_line("In a scenario:")
    output.write_line(f'[flow_control]\nprotocol = "grouped"\ngroups = {used}\nassignment = {assignment}')


def _write_by_ring(scenario: Scenario, most: int, *, json: bool) -> None:
    """Writes the groups of the nodes and ports on each ring of a network."""
    resolved = scenario.resolved
    network, routes = resolved.routed_network
    answers = scenario.traffic.moves.response_bytes is not None
    found = of_interfaces("maximal-conflict", resolved.pattern, network, routes, most, answers=answers)
    interfaces = [range(*ends) for ends in pairwise(network.ring_start.tolist())]
    members = [
        [[one for one in ring if found[one] == group] for group in range(found[ring].max() + 1)] for ring in interfaces
    ]
    if json:
        output.write_json(
            {
                "rings": [
                    {
                        "ring": network.names.ring(number),
                        "interfaces": [network.interface_name(one) for one in ring],
                        "groups": found[ring].tolist(),
                    }
                    for number, ring in enumerate(interfaces)
                ]
            }
        )
        return
    rows = Table(("ring", "group"), words=("nodes and ports",))
    for number, ring_members in enumerate(members):
        for group, inside in enumerate(ring_members):
            rows.add_row(
                network.names.ring(number), str(group), ", ".join(network.interface_name(one) for one in inside)
            )
    output.write_table(rows)
    output.write_line()
    used = max(map(len, members))
    if used <= MAX_GROUPS:
        output.write_line("In a scenario:")
        output.write_line(f'[flow_control]\nprotocol = "grouped"\ngroups = {used}\nassignment = "maximal-conflict"')
