"""`ringlet bound` computes the fair share of each node."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ringlet.cli import output
from ringlet.cli.arguments import as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.tables import MISSING, SHOWN_NODES, Table, column, figure, left_out
from ringlet.theory.bound import bound_records

COLUMNS = {
    "optimal": "optimal\nwords per cycle",
    "optimal_with_echo": "with echoes\npicker1994",
    "max_min_with_echo": "max-min\nwith echoes",
    "max_min_MBps": "max-min\nMB/s",
}

QUESTIONS = {
    "optimal": "optimal: if echoes took no room on links",
    "optimal_with_echo": "picker1994: with echoes as the paper counts them",
    "max_min_with_echo": "max-min: with all that takes room, the fair share of 'ringlet run'",
}
"""Question that each column answers, in words, by its name."""


@click.command
@scenario_file
@set_keys
@as_json
def command(scenario: Path, overrides: Sequence[str], json: bool) -> None:
    """Compute what each node can get at best, on a ring or a network of rings, in words per cycle and MB/s.

    The fair share is max-min fair ("relaxed fairness", picker1994, Section 4): a node could get more only at the cost
    of another that gets no more than it. First without echoes; then with echoes as in the paper, which scales each
    node by the worst link of its packets (one ring, packets without responses); then exactly, with every echo,
    response, B-Link and service charged to what it uses. The last column names the full link, switch or server that
    keeps a node from more.

    \b
    Examples:
        ringlet bound ring.toml
        ringlet bound ring.toml --set traffic.pattern=neighbour
        ringlet bound omega.toml --json
    """
    loaded = load(scenario, overrides)
    with refusing(scenario, overrides):
        nodes = bound_records(loaded)
    if json:
        output.write_json({"nodes": nodes})
        return
    rows = Table(("node", *COLUMNS.values(), "\nstopped by"))
    shown = nodes[:SHOWN_NODES]
    columns = [column(node[key] for node in shown) for key in COLUMNS]
    for node, *figures in zip(shown, *columns, strict=True):
        rows.add_row(node["name"].removeprefix("node "), *figures, node["stopped_by"] or MISSING)
    left_out(len(nodes), rows)
    rows.add_row("total", *(figure(_total(nodes, key)) for key in COLUMNS), style="bold")
    output.write_table(rows)
    for key, question in QUESTIONS.items():
        if any(node[key] is not None for node in nodes):
            output.write_line(question)


def _total(nodes: Sequence[Mapping[str, Any]], key: str) -> float | None:
    return None if any(node[key] is None for node in nodes) else sum(node[key] for node in nodes)
