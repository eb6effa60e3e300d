"""`ringlet run`: one scenario, simulated."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringlet import scenario as scenarios
from ringlet import simulation
from ringlet import trace as traces
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, PATH, as_json, load, refusing, run_seed, scenario_file, set_keys
from ringlet.cli.failures import VERDICT_FAILS, CommandError
from ringlet.cli.progress import working
from ringlet.cli.run_tables import (
    by_b_link,
    by_controller,
    by_interface,
    by_node,
    by_phases,
    by_priority,
    by_record,
    by_retries,
)
from ringlet.cli.tables import SHOWN_NODES, Table, left_out
from ringlet.cli.verdicts import (
    dropped_line,
    failure_lines,
    fair_share_lines,
    given_up_lines,
    latency_line,
    length_line,
    regimes_line,
    replay_line,
    sent_again_lines,
    timed_out_lines,
)
from ringlet.document.words import plain
from ringlet.errors import RingletError
from ringlet.garbage import uncollected
from ringlet.scenario.activities.activity import Activity
from ringlet.scenario.activities.deadlines import all_met, searched_line
from ringlet.scenario.activities.registry import ACTIVITIES

if TYPE_CHECKING:
    from ringlet.scenario import Scenario
    from ringlet.simulation import Result

MAX_NODE_CYCLES = 5_000_000
"""Nodes times cycles of which it is said what held packets back."""


@click.command
@scenario_file
@set_keys
@run_seed
@click.option(
    "--threads",
    metavar="N",
    type=AT_LEAST_ONE,
    default=1,
    show_default=True,
    help="Threads on which the rings of a network advance.",
)
@click.option(
    "--retries", is_flag=True, help="Show also how many packets were sent again how often before they were accepted."
)
@click.option(
    "--why", is_flag=True, help="Say also what held each node's packets back: the run is simulated again and recorded."
)
@click.option(
    "--verdict",
    is_flag=True,
    help="End with exit code 3 unless the run has seen a hyperperiod in which all messages and loops meet their "
    "deadlines, and messages of each flow with a deadline, all within it.",
)
@click.option(
    "--search",
    metavar="N",
    type=int,
    help="Search so many trials of other phases for longer responses of messages, loops, and flows with periods and "
    "deadlines.",
)
@click.option(
    "--witness",
    metavar="FILE",
    type=PATH,
    help="With --search: write the scenario in the worst phases found.",
)
@click.option(
    "--regimes/--no-regimes",
    default=None,
    help="Start the ring a second time, with packets waiting at every source, and say whether it comes to the same. "
    "Default: where packets are refused.",
)
@click.option("--timing", is_flag=True, help="Say on stderr how fast this machine simulated it.")
@as_json
def command(
    scenario: Path,
    overrides: Sequence[str],
    seed: int | None,
    threads: int,
    retries: bool,
    why: bool,
    verdict: bool,
    search: int | None,
    witness: Path | None,
    regimes: bool | None,
    timing: bool,
    json: bool,
) -> int:
    """Simulate a scenario: throughput, latency and losses of each node and in total.

    Throughput belongs to the source of the requests; MB is 10^6 bytes of data (all bytes of a bare send packet), words
    are the symbols of send packets, of 16 bits unless network.link_width says otherwise. Beside it stands the fair
    share (see 'ringlet bound'), what every node could get at best, and how much of it the node got: more is possible
    where others get less. A latency runs from a packet's generation to the end of its service. The figures are of the
    time after the warm-up. Where there are priorities, a table shows how long packets of lower priority held up higher
    ones, at the output and at the destination's input queue; where there are messages, a table shows their responses,
    missed deadlines and margins, and a line says whether all deadlines are met. Where events are built, a table shows
    each builder's events, latencies and queue. Where a trace is replayed, a line says how long it took, and how much
    later than in the trace it ended.

    Where links may lose packets, a table shows what was lost, and how long it took until that was detected.

    Responses are those of the phases that messages and loops have. With --search others are tried, and a table shows
    the worst response of each in these phases, the longest that was found, and the bound that is guaranteed for all.

    A ring that refuses packets may carry its load while queues are short, and less once they are long. Where packets
    are refused it is therefore simulated again from an overfull start, which takes about as long as the run, and a line
    says whether both come to the same; with --regimes always, with --no-regimes never.

    A ring or network on which packets wait and nothing moves any more is reported as stalled, with the ports that
    wait for each other; the exit code is 1 then.

    Runs of the same scenario and seed print the same bytes.

    \b
    Examples:
        ringlet run ring.toml
        ringlet run ring.toml --set flow_control.protocol=none --set network.nodes=16
        ringlet run ring.toml --set "traffic.load=80 MB/s" --set run.precision=0.01
        ringlet run ring.toml --seed 7 --json
        ringlet run ring.toml --set errors.bit_error_rate=1e-9
        ringlet run torus.toml --threads 2
        ringlet run slow-receiver.toml --retries
        ringlet run ring.toml --why
        ringlet run slow-receiver.toml --regimes
        ringlet run set.toml --verdict
        ringlet run set.toml --search 1000 --witness worst.toml
    """
    with uncollected():
        loaded = load(scenario, overrides, seed)
        judged = (plan.has_verdict for plan in loaded.resolved.plans)
        if verdict and not (loaded.resolved.message_keys.has_messages or any(judged)):
            allowed = "one on messages, loops or flows with deadlines; the file has none"
            raise RingletError.not_allowed("--verdict", "<a verdict>", allowed)
        _check_search(loaded, search, witness)
        if regimes:
            simulation.check_regimes(loaded, "--regimes")
        with refusing(scenario, overrides), working(f"simulating {loaded.network.nodes} nodes"):
            result = simulation.run(loaded, threads=threads)
            document = _with_causes(result.document, loaded, seed) if why else result.document
            if search is not None:
                document = _with_search(document, loaded, search, witness)
            if regimes is not False:
                document = _with_regimes(document, loaded, result, threads, wanted=bool(regimes))
    if timing and result.node_cycles_per_s is not None:
        click.echo(f"{result.node_cycles_per_s / 1e6:z.0f} million node-cycles/s", err=True)
    if json:
        output.write_json(document)
    else:
        write_report(scenario, document, retries=retries)
    stall = document["stall"]
    if stall is not None:
        what = "network" if loaded.network.switched else "ring"
        raise CommandError(f"{scenario}: the {what} stalled at cycle {stall['since_cycle']}: {stall['detail']}")
    if witness is not None and not json:
        output.write_line(f"the scenario in these phases: {witness}")
    return VERDICT_FAILS if verdict and not all_met(document) else 0


def _check_search(scenario: "Scenario", trials: int | None, witness: Path | None) -> None:
    """Raises RingletError for a search without a budget or without messages and loops, or a witness of none."""
    if trials is None:
        if witness is not None:
            raise RingletError.not_allowed("--witness", str(witness), "a file beside --search, which finds one")
        return

    simulation.check_trials(trials, "--search")
    if not simulation.released_by(scenario):
        allowed = "one of messages, loops, or flows with periods and deadlines; the file has none"
        raise RingletError.not_allowed("--search", trials, allowed)


def _with_search(
    document: Mapping[str, Any], scenario: "Scenario", trials: int, witness: Path | None
) -> dict[str, Any]:
    """Returns the document with what a search of phases has found, and writes the scenario in the worst of them."""
    record, worst = simulation.searched_record(document, scenario, trials)
    if witness is not None:
        scenarios.write_scenario(worst.short_dict(), witness)
    return {**document, "search": record}


def _with_regimes(
    document: Mapping[str, Any], scenario: "Scenario", result: "Result", threads: int, *, wanted: bool
) -> Mapping[str, Any]:
    """Returns the document with what an overfull start comes to, where that is wanted or packets were refused."""
    if not wanted and not simulation.regimes.is_suspect(scenario, document):
        return document
    found = simulation.regimes.regimes(scenario, seed=document["seed"], threads=threads, empty=result)
    return {**document, "regimes": found.to_dict()}


def _with_causes(document: Mapping[str, Any], scenario: "Scenario", seed: int | None) -> dict[str, Any]:
    """Returns the document with what held each node's packets back in the measured time, or in the period that
    repeats, as far as it can be recorded."""
    exact = document["exact"]
    start = document["warmup_cycles"] if exact is None else exact["transient_cycles"]
    most = MAX_NODE_CYCLES // max(len(document["nodes"]), 1)
    stop = start + min(document["cycles"] if exact is None else exact["period_cycles"], most)
    found = traces.held_back(scenario, start=start, stop=stop, seed=seed)
    return {
        **document,
        "nodes": [
            {**node, "held_back": shares} for node, shares in zip(document["nodes"], found.records(), strict=True)
        ],
        "held_back": {"start_cycle": found.start, "stop_cycle": found.stop, "sentence": found.sentence()},
    }


def by_cause(nodes: Sequence[Mapping[str, Any]]) -> Table:
    """Returns what each node did, and what held its next packet back, in percent of the time."""
    names = [name for name in nodes[0]["held_back"] if any(node["held_back"][name] for node in nodes)]
    rows = Table(("node", *(f"{name.replace('_', ' ')}\n%" for name in names)))
    for node in nodes[:SHOWN_NODES]:
        rows.add_row(node["name"].removeprefix("node "), *(f"{100 * node['held_back'][name]:z.1f}" for name in names))
    left_out(len(nodes), rows)
    return rows


def exact_line(exact: Mapping[str, Any]) -> str:
    """Returns what is known of a run that has come back to a state: its period, and the throughput as a fraction."""
    period, words = exact["period_cycles"], exact["words_in_period"]
    return (
        f"exact for these phases, for all time: period {period} cycles, after at most {exact['transient_cycles']}; "
        f"{words}/{period} words per cycle"
    )


def write_report(scenario: Path, document: Mapping[str, Any], *, retries: bool = False) -> None:
    """Writes a run's document for a person; `retries`: with the distribution of retries."""
    protocol = document["scenario"]["flow_control"]["protocol"]
    nodes: Sequence[Mapping[str, Any]] = document["nodes"]
    us = 1e6 * document["simulated_s"]
    output.write_line(
        f"{scenario}: {len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}, flow control {protocol}, "
        f"{document['cycles']} cycles ({f'{us:g}' if us < 1e6 else plain(us)} us) "
        f"after {document['warmup_cycles']} of warm-up, seed {document['seed']}"
    )
    if line := length_line(document):
        output.write_line(line)
    if trace := document.get("trace"):
        output.write_line(replay_line(trace))
    output.write_line()
    output.write_table(by_node(nodes, document["total"]))
    for line in fair_share_lines(document):
        output.write_line(line)
    for line in (latency_line(document["total"]), dropped_line(document), regimes_line(document)):
        if line:
            output.write_line(line)
    if priorities := document.get("priorities"):
        output.write_line()
        output.write_table(by_priority(priorities))
    if retries:
        output.write_line()
        output.write_table(by_retries(document["retry_distribution"]))
    for activity in ACTIVITIES:
        _write_activity(activity, document)
    if search := document.get("search"):
        output.write_line()
        output.write_table(by_phases(search["responses"]))
        output.write_line(searched_line(search))
    if switches := document.get("b_links"):
        for rows in (by_controller(document["link_controllers"]), by_b_link(switches)):
            output.write_line()
            output.write_table(rows)
    if errors := document.get("errors"):
        output.write_line()
        output.write_table(by_interface(errors))
        for line in (*failure_lines(document), *sent_again_lines(document), *given_up_lines(document["total"])):
            output.write_line(line)
    for line in timed_out_lines(document["total"]):
        output.write_line(line)
    if exact := document["exact"]:
        output.write_line(exact_line(exact))
    if held := document.get("held_back"):
        output.write_line()
        output.write_table(by_cause(nodes))
        output.write_line(held["sentence"])
    if document["warnings"]:
        output.write_line()
    for warning in document["warnings"]:
        output.write_line(f"warning: {warning}", style="yellow")


def _write_activity(activity: Activity, document: Mapping[str, Any]) -> None:
    """Writes the tables of an activity and the sentence on it; nothing of one that the run has not."""
    if not any(document.get(part.name) for part in activity.parts):
        return
    output.write_line()
    flows = document.get("flows", ())
    lists = [part for part in activity.parts if part.many and len(document[part.name]) >= part.fewest]
    tables = [part for part in lists if not _repeats(document[part.name], flows)]
    for place, part in enumerate(tables):
        if place:
            output.write_line()
        output.write_table(by_record(part, document[part.name]))
    output.write_line(activity.sentence(document))


def _repeats(records: Sequence[Mapping[str, Any]], flows: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether each record is the sum of one flow to one node: the table of flows has these rows already."""
    single = sum(one["destination"].isdecimal() for one in flows)
    return all(one.get("flows") == 1 for one in records) and len(records) <= single
