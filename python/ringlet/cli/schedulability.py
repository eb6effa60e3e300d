"""`ringlet schedulability` computes the share of random message sets that meet their deadlines, against utilisation."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import plots, studies
from ringlet import store as stores
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, check_folder, on_executor, on_workers
from ringlet.cli.interrupts import keeping
from ringlet.cli.progress import counting
from ringlet.cli.tables import Table, column
from ringlet.files import writing

if TYPE_CHECKING:
    import pandas as pd


@click.command
@click.argument("study", metavar="STUDY", type=PATH, help="Schedulability study, in TOML.")
@click.option(
    "--out", metavar="DIR", type=PATH, help="Folder for table and figure; default: out/ and the study's name."
)
@on_workers
@on_executor
@as_json
def command(study: Path, out: Path | None, workers: int | None, executor: str | None, json: bool) -> None:
    """Draw random message sets and count those whose deadlines are met: guaranteed, and in simulations.

    The sets are drawn by a seed: utilisations by UUniFast-discard, periods log-uniform, sources and destinations
    evenly. Each is scaled to every utilisation and tried under every protocol. What became of each set is stored at
    once in DIR/store.sqlite and not computed again, after an interruption or with more sets. DIR also gets
    schedulability.csv and a figure of the acceptance ratio against the utilisation of the busiest link, as PNG and SVG.

    \b
    Examples:
        ringlet schedulability study.toml
        ringlet schedulability study.toml --workers 2 --out out/study
        ringlet schedulability study.toml --json
    """
    folder = Path("out") / study.stem if out is None else out
    loaded = studies.Schedulability.load(study)
    check_folder(folder)
    with (
        stores.Store.open(folder / studies.STORE_FILE) as store,
        keeping(store.path),
        counting("message sets") as progress,
    ):
        ratios, reached = studies.schedulability(
            loaded, executor=executor, workers=workers, store=store, progress=progress
        )
    records = ratios.astype(object).where(ratios.notna(), None).reset_index().to_dict("records")
    breakdown = reached.astype(object).where(reached.notna(), None).reset_index().to_dict("records")
    _write(ratios, folder)
    if json:
        output.write_json({"schema": 1, "sets": loaded.sets, "ratios": records, "breakdown_utilisation": breakdown})
        return
    ways = [way for way in studies.WAYS if way != "searched" or loaded.trials is not None]
    rows = Table(("protocol", "utilisation", *ways))
    columns = [column(record[way] for record in records) for way in ways]
    for i, record in enumerate(records):
        rows.add_row(record["protocol"], f"{record['utilisation']:g}", *(each[i] for each in columns))
    for record in breakdown:
        rows.add_row(record["protocol"], "breakdown", *(column([record[way]])[0] for way in ways), style="bold")
    output.write_table(rows)
    for name, why in loaded.unproven().items():
        output.write_line(f"{name}: nothing is guaranteed: {why}", style="yellow")
    output.write_line(f"{loaded.sets} sets at each utilisation; table and figure in {folder}")


def _write(ratios: "pd.DataFrame", folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with writing(folder / "schedulability.csv") as aside:
        ratios.to_csv(aside)
    plots.save(plots.schedulability_chart(ratios), folder)
