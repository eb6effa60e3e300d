"""`ringlet exact`: a small ring under random traffic, solved and not simulated."""

from collections.abc import Sequence
from pathlib import Path

import click

from ringlet import exploration
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, as_json, load, refusing, scenario_file, set_keys
from ringlet.cli.progress import working
from ringlet.cli.tables import Table, figure
from ringlet.sections.wording import counted


@click.command
@scenario_file
@set_keys
@click.option(
    "--states",
    metavar="N",
    type=AT_LEAST_ONE,
    default=500_000,
    show_default=True,
    help="Most states that the ring may have.",
)
@as_json
def command(scenario: Path, overrides: Sequence[str], states: int, json: bool) -> None:
    """Solve a small ring under Bernoulli traffic exactly: throughput, losses, latency.

    The states of the simulator are those of a Markov chain. All of them are found, and how probable each is in the long
    run: nothing is simulated, and no figure has an interval. It takes a ring of two to four nodes whose packets are
    short and whose transmit queues are small, each node with one destination; the error for a larger ring says how many
    states it has at least.

    \b
    Examples:
        ringlet exact ring.toml --set traffic.arrivals=bernoulli --set queues.transmit=1
        ringlet exact ring.toml --states 2000000 --json
    """
    loaded = load(scenario, overrides)
    with refusing(scenario, overrides, states="--states"), working("finding all states"):
        found = exploration.exact(loaded, states=states)
    if json:
        output.write_json(found.to_dict())
        return
    headings = ("throughput\nMB/s", "words\nper cycle", "latency\nmean ns", "p50\nns", "p95\nns", "p99\nns", "lost\n%")
    rows = Table(("flow", *headings))
    for flow in found.flows:
        quantiles = [flow.quantile_ns(quantile) for quantile in (0.5, 0.95, 0.99)]
        rows.add_row(
            flow.name,
            figure(flow.throughput_MBps),
            figure(flow.throughput_words_per_cycle),
            figure(flow.latency_mean_ns),
            *("-" if one is None else figure(one) for one in quantiles),
            figure(100 * flow.lost_share),
        )
    output.write_table(rows)
    all_states = counted(found.states, "state")
    output.write_line(
        f"exact: a Markov chain of {all_states}, all there are; total {found.throughput_MBps:.6g} MB/s, mean "
        f"latency {found.latency_mean_ns:.6g} ns"
    )
