"""`ringlet group` assigns nodes to transmission groups."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click

from ringlet.analysis import maximal_conflict_grouping
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.tables import Table, ranges
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.flow_control.grouped import DEFAULT_GROUPS, Grouped
from ringlet.scenario.flow_control.ring_groups import of_interfaces
from ringlet.scenario.sections import MAX_GROUPS

MAX_LISTED = 64
"""Nodes whose groups are written out one by one; a scenario can name the method instead."""

MAX_MATRIX_NODES = 1024
"""Nodes up to which the traffic matrix is grouped: time grows with their number to the third power, and is some seconds
at this one."""

NAME = "group"


@click.command
@scenario_file
@click.option(
    "--groups",
    metavar="N",
    type=AT_LEAST_ONE,
    help=f"Groups at most; default: the scenario's, else {DEFAULT_GROUPS}.",
)
@set_keys
@as_json
def command(scenario: Path, groups: int | None, overrides: Sequence[str], json: bool) -> None:
    """Assign nodes to transmission groups: those that conflict most share one (maximal-conflict grouping).

    With flow control "grouped" a node that must wait holds back its own group only. Nodes that compete for the same
    links belong together; nodes that never meet do not. In a network of rings each ring has groups of its own, to which
    ports belong, too.

    \b
    Examples:
        ringlet group ring.toml
        ringlet group ring.toml --groups 4
        ringlet group ring.toml --groups 4 --json
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
        _write_by_ring(loaded, most, json=json)
        return
    assignment = maximal_conflict_grouping(loaded.traffic_matrix(), most)
    if json:
        output.write_json({"groups": assignment})
        return
    used = max(assignment) + 1
    rows = Table(("group",), words=("nodes",))
    for number in range(used):
        members = [node for node, group in enumerate(assignment) if group == number]
        names = ", ".join(loaded.node_name(node) for node in members) if loaded.network.node_names else None
        rows.add_row(str(number), names or ranges(members))
    output.write_table(rows)
    output.write_line()
    if used > MAX_GROUPS:
        output.write_line(
            f"A scenario has at most {MAX_GROUPS} groups: --groups {MAX_GROUPS} gives some that it takes."
        )
        return
    named = assignment if len(assignment) <= MAX_LISTED else '"maximal-conflict"'
    output.write_line("In a scenario:")
    output.write_line(f'[flow_control]\nprotocol = "grouped"\ngroups = {used}\nassignment = {named}')


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
