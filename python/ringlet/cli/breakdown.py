"""`ringlet breakdown` finds the largest load factor at which a message set meets its deadlines, for each protocol."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import scenario as scenarios
from ringlet import simulation, studies
from ringlet.cli import output
from ringlet.cli.arguments import (
    PATH,
    as_json,
    check_folder,
    load,
    on_executor,
    on_workers,
    refusing,
    scenario_file,
    set_keys,
)
from ringlet.cli.failures import VERDICT_FAILS
from ringlet.cli.interrupts import keeping
from ringlet.cli.progress import counting
from ringlet.cli.tables import Table, column

if TYPE_CHECKING:
    from ringlet.simulation.breakdown import Breakdown

NAME = "breakdown"


@click.command
@scenario_file
@click.option(
    "--protocol",
    "protocols",
    metavar="NAME",
    multiple=True,
    help="Flow control to try; may be repeated. Default: all that can run the set.",
)
@set_keys
@click.option("--tolerance", type=float, default=0.01, show_default=True, help="Relative error of the factor.")
@click.option(
    "--trials",
    metavar="N",
    type=int,
    default=300,
    show_default=True,
    help="Trials of other phases, under each protocol.",
)
@click.option(
    "--at",
    metavar="FACTOR",
    type=click.FloatRange(0, min_open=True),
    help="End with exit code 3 unless the searched factor of every protocol is at least this.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder with a store, as of a sweep: what is in it is not searched for again; and the phases that were found, "
    "a scenario for each protocol. Default: nothing is kept.",
)
@on_workers
@on_executor
@as_json
def command(
    scenario: Path,
    protocols: Sequence[str],
    overrides: Sequence[str],
    tolerance: float,
    trials: int,
    at: float | None,
    out: Path | None,
    workers: int | None,
    executor: str | None,
    json: bool,
) -> int:
    """Scale a message set until a deadline is missed: its breakdown utilisation under each protocol.

    All periods, deadlines and offsets are divided by a load factor. For the phases that the set has, the largest one
    found without a miss is the breakdown factor, and the utilisation of the busiest link by the messages then is the
    breakdown utilisation. In a network of rings it may be a receiver or a switch that is full first: the utilisation
    of links is lower then. Beside it stand the largest factor at which none of --trials other phases missed a
    deadline, with the message that misses a little above it, and the largest one at which all deadlines are
    guaranteed, whatever the phases. Between these two nothing is known. With --out the phases that miss are kept as a
    scenario, PROTOCOL-witness.toml, which 'ringlet run' and 'ringlet trace' take.

    Background traffic stays as it is. The protocol of the scenario keeps its options, the others have their defaults.
    Without --protocol all are tried, and those that cannot run the set are named with the reason.

    \b
    Examples:
        ringlet breakdown message-set.toml
        ringlet breakdown message-set.toml --protocol sci --protocol dfc --tolerance 0.001
        ringlet breakdown message-set.toml --trials 5000 --out out/message-set
        ringlet breakdown message-set.toml --set message_priorities=rate-monotonic --json
        ringlet breakdown message-set.toml --protocol sci --at 1.5
    """
    loaded = load(scenario, overrides)
    if out is not None:
        check_folder(out)
    tried, refusals = (protocols, {}) if protocols else simulation.protocols_able(loaded)
    options = {name: f"--{name}" for name in ("tolerance", "trials", "workers", "executor")}
    if protocols:
        options["flow_control.protocol"] = "--protocol"
    store = None if out is None else out / studies.STORE_FILE
    with refusing(scenario, overrides, **options), keeping(store), counting("protocols") as progress:
        found = studies.breakdowns(
            loaded,
            tried,
            tolerance=tolerance,
            trials=trials,
            executor=executor,
            workers=workers,
            store=store,
            progress=progress,
        )
    early = [] if at is None else [one.protocol for one in found if one.searched_factor < at]
    code = VERDICT_FAILS if early else 0
    kept = {} if out is None else {one.protocol: _keep(one, out) for one in found if one.witness is not None}
    if json:
        output.write_json(
            {
                "schema": 1,
                "scenario": loaded.to_dict(),
                "seed": loaded.seed,
                "protocols": [asdict(one) for one in found],
                "refused": refusals,
            }
        )
        return code
    output.write_table(_table(found))
    for why, names in _by_reason((one.why_none, one.protocol) for one in found):
        output.write_line(f"{names}: deadline missed at every load: {why}")
    for why, names in _by_reason((one.why_unproven, one.protocol) for one in found if one.why_none is None):
        output.write_line(f"{names}: nothing is guaranteed: {why}")
    for one in found:
        if one.protocol in kept:
            late = f"{one.searched_miss} misses its deadline at {1 + tolerance:g} times the searched factor"
            output.write_line(f"{one.protocol}: {late} in the phases of {kept[one.protocol]}")
    for name, reason in refusals.items():
        output.write_line(f"{name} cannot run this set: {reason}")
    if at is not None:
        how = f"{', '.join(early)} below it" if early else "none below it"
        output.write_line(f"searched factor of at least {at:g}: {how}")
    return code


def _by_reason(given: Iterable[tuple[str | None, str]]) -> Iterator[tuple[str, str]]:
    """Yields each reason once, with the protocols it holds for, as a list in words."""
    names: dict[str, list[str]] = {}
    for why, protocol in given:
        if why is not None:
            names.setdefault(why, []).append(protocol)
    for why, each in names.items():
        yield why, ", ".join(each)


def _table(found: Sequence["Breakdown"]) -> Table:
    """Returns the factors of each protocol."""
    rows = Table(
        (
            "protocol",
            "these phases\nfactor",
            "breakdown\nutilisation",
            "data\nMB/s",
            "first\nmiss",
            "searched\nfactor",
            "first\nmiss",
            "guaranteed\nfactor",
            "\nsimulations",
        )
    )
    columns = (
        column(one.breakdown_factor for one in found),
        column(one.breakdown_utilisation for one in found),
        column(one.breakdown_MBps for one in found),
        [one.first_miss or "-" for one in found],
        column(one.searched_factor for one in found),
        [one.searched_miss or "-" for one in found],
        column(one.guaranteed_factor for one in found),
        [str(one.simulations + one.trials) for one in found],
    )
    for one, *figures in zip(found, *columns, strict=True):
        rows.add_row(one.protocol, *figures)
    return rows


def _keep(found: "Breakdown", folder: Path) -> Path:
    """Writes the scenario in which a deadline is missed; returns its file."""
    file = folder / f"{found.protocol}-witness.toml"
    scenarios.write_scenario(found.witness or {}, file)
    return file
