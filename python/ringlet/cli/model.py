"""`ringlet model`: mean latencies without a simulation."""

from collections.abc import Sequence
from pathlib import Path

import click

from ringlet.cli import output
from ringlet.cli.arguments import as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.tables import SHOWN_NODES, Table, column, figure, left_out
from ringlet.theory.latency_model import model_records


@click.command
@scenario_file
@set_keys
@as_json
def command(scenario: Path, overrides: Sequence[str], json: bool) -> None:
    """Compute mean latencies and queue lengths by a queueing model, in milliseconds.

    The model takes Poisson arrivals, queues with room for everything, and flow control "none" or "sci", on a ring or a
    network of rings. A line says where its figures may be off by more than 10 %; the page "What a ring can carry" of
    the documentation says how good they are. A latency runs from a packet's generation to the end of its service; a
    queue counts the packet that is being sent; the last column is the share of the node's outgoing link that packets
    take.

    \b
    Examples:
        ringlet model ring.toml
        ringlet model ring.toml --set "traffic.load=80 MB/s" --set flow_control.protocol=none
        ringlet model ring.toml --json
    """
    loaded = load(scenario, overrides)
    with refusing(scenario, overrides):
        found = model_records(loaded)
    if json:
        output.write_json(found)
        return
    nodes = found["nodes"]
    rows = Table(("node", "latency\nmean ns", "queue\npackets", "link\nutilisation"))
    shown = nodes[:SHOWN_NODES]
    columns = [column(node[key] for node in shown) for key in ("latency_ns", "queue_packets", "utilisation")]
    for node, *figures in zip(shown, *columns, strict=True):
        rows.add_row(node["name"].removeprefix("node "), *figures)
    left_out(len(nodes), rows)
    rows.add_row("total", figure(found["total"]["latency_ns"]), style="bold")
    output.write_table(rows)
    overloaded = found["total"]["overloaded"]
    if overloaded is not None:
        output.write_line(
            f"warning: overload: {overloaded} carries less than its load, so queues grow without end", style="yellow"
        )
    if found["total"]["outside"] is not None:
        output.write_line(f"outside what the model is good for: {found['total']['outside']}", style="yellow")
        output.write_line("its latencies may be off by more than 10 %: 'ringlet run' simulates them", style="yellow")
