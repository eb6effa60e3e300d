"""`ringlet place`: which node goes where."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringlet import simulation, theory
from ringlet.cli import output
from ringlet.cli.arguments import as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.tables import MISSING, Table, figure

if TYPE_CHECKING:
    from ringlet.scenario import Scenario
    from ringlet.theory.placement import Least

ROWS = (
    ("distance_links", "mean distance", "links"),
    ("worst_link_symbols_per_cycle", "worst link", "symbols per cycle"),
    ("groups", "groups needed", ""),
    ("throughput_MBps", "throughput, simulated", "MB/s"),
    ("latency_ns", "mean latency, simulated", "ns"),
)
"""Key, words and unit of what is said of both placements."""

SHOWN = 64
"""Nodes whose places are written out."""


@click.command
@scenario_file
@click.option(
    "--least",
    type=click.Choice(("distance", "load", "groups")),
    default="distance",
    show_default=True,
    help="What is to be least: how far data travel, the load of the worst link, or the groups needed.",
)
@set_keys
@as_json
def command(scenario: Path, least: "Least", overrides: Sequence[str], json: bool) -> None:
    """Place nodes in the network so that those that exchange much are near each other, and simulate before and after.

    The pattern, events, messages and flows say who exchanges how much with whom; the network, how far places are from
    each other. The distance is a quadratic assignment problem, which is searched for a good answer, not the best; the
    load of the worst link and the groups are then improved by exchanging two nodes at a time. Processors take places of
    processors, and memories those of memories. Groups are those of one ring (see 'ringlet group').

    \b
    Examples:
        ringlet place ring.toml
        ringlet place torus.toml --least load
        ringlet place message-set.toml
        ringlet place ring.toml --least groups --json
    """
    import numpy as np

    loaded = load(scenario, overrides)
    with refusing(scenario, overrides):
        placement = theory.Placement.of(loaded)
        order = placement.places(least)

    def said(places: Any, placed: "Scenario") -> dict[str, Any]:  # noqa: ANN401 - an array of a lazy library
        total = simulation.run(placed).to_dict()["total"]
        simulated = {"throughput_MBps": total["throughput_MBps"], "latency_ns": total["latency_ns"]["mean"]}
        return {**placement.figures(places), **simulated}

    before, after = said(np.arange(len(order)), loaded), said(order, placement.placed(order))
    if json:
        output.write_json({"least": least, "places": order.tolist(), "before": before, "after": after})
        return
    rows = Table(("", "before", "after", "unit"))
    for key, words, unit in ROWS:
        if before[key] is not None or key != "groups":
            rows.add_row(words, *(MISSING if one[key] is None else figure(one[key]) for one in (before, after)), unit)
    output.write_table(rows)
    output.write_line()
    moved = theory.changed(order)
    if not moved:
        output.write_line("No other placement was found that is better.")
        return
    places = ", ".join(f"{node} at {place}" for node, place in list(moved.items())[:SHOWN])
    output.write_line(f"Nodes at other places: {places}{' ...' if len(moved) > SHOWN else ''}")
