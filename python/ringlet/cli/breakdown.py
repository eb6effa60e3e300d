"""`ringlet breakdown` finds the largest load factor at which a message set meets its deadlines, for each protocol."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

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
    "--at",
    metavar="FACTOR",
    type=click.FloatRange(0, min_open=True),
    help="End with exit code 3 unless the breakdown factor of every protocol is at least this.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder with a store, as of a sweep: what is in it is not searched for again. Default: nothing is kept.",
)
@on_workers
@on_executor
@as_json
def command(
    scenario: Path,
    protocols: Sequence[str],
    overrides: Sequence[str],
    tolerance: float,
    at: float | None,
    out: Path | None,
    workers: int | None,
    executor: str | None,
    json: bool,
) -> int:
    """Scale a message set until a deadline is missed: its breakdown utilisation under each protocol.

    All periods, deadlines and offsets are divided by a load factor; the largest one found without a miss is the
    breakdown factor, and the utilisation of the busiest link by the messages then is the breakdown utilisation. In a
    network of rings it may be a receiver or a switch that is full first: the utilisation of links is lower then.
    Background traffic stays as it is. The protocol of the scenario keeps its options, the others have their defaults.
    Without --protocol all are tried, and those that cannot run the set are named with the reason.

    \b
    Examples:
        ringlet breakdown message-set.toml
        ringlet breakdown message-set.toml --protocol sci --protocol dfc --tolerance 0.001
        ringlet breakdown message-set.toml --out out/message-set
        ringlet breakdown message-set.toml --set message_priorities=rate-monotonic --json
        ringlet breakdown message-set.toml --protocol sci --at 1.5
    """
    loaded = load(scenario, overrides)
    # Late, so that bad input is refused before scipy and pandas are loaded.
    from ringlet.simulation.breakdown import able
    from ringlet.studies.breakdown import breakdowns
    from ringlet.studies.result import STORE_FILE

    if out is not None:
        check_folder(out)
    tried, refusals = (protocols, {}) if protocols else able(loaded)
    options = {name: f"--{name}" for name in ("tolerance", "workers", "executor")}
    if protocols:
        options["flow_control.protocol"] = "--protocol"
    store = None if out is None else out / STORE_FILE
    with refusing(scenario, overrides, **options), keeping(store), counting("protocols") as progress:
        found = breakdowns(
            loaded,
            tried,
            tolerance=tolerance,
            executor=executor,
            workers=workers,
            store=store,
            progress=progress,
        )
    early = [] if at is None else [one.protocol for one in found if one.breakdown_factor < at]
    code = VERDICT_FAILS if early else 0
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
    rows = Table(
        ("protocol", "breakdown\nfactor", "breakdown\nutilisation", "data\nMB/s", "first\nmiss", "\nsimulations")
    )
    columns = (
        column(one.breakdown_factor for one in found),
        column(one.breakdown_utilisation for one in found),
        column(one.breakdown_MBps for one in found),
        [one.first_miss or "-" for one in found],
        [str(one.simulations) for one in found],
    )
    for one, *figures in zip(found, *columns, strict=True):
        rows.add_row(one.protocol, *figures)
    output.write_table(rows)
    for one in found:
        if one.why_none is not None:
            output.write_line(f"{one.protocol}: deadline missed at every load: {one.why_none}")
    for name, reason in refusals.items():
        output.write_line(f"{name} cannot run this set: {reason}")
    if at is not None:
        how = f"{', '.join(early)} below it" if early else "none below it"
        output.write_line(f"breakdown factor of at least {at:g}: {how}")
    return code
