"""`ringlet report`: a page about a sweep that is finished."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import report, studies
from ringlet.cli import output
from ringlet.cli.arguments import PATH, check_folder
from ringlet.cli.progress import working
from ringlet.scenario import Scenario

if TYPE_CHECKING:
    from ringlet.studies import SweepResult


@click.command
@click.argument("sweep", metavar="SWEEP", type=PATH, help="Output folder of a sweep, or its store.")
@click.option("--out", metavar="DIR", type=PATH, help="Folder for the report; default: that of the sweep.")
def command(sweep: Path, out: Path | None) -> None:
    """Make a page of a sweep's figures, points and warnings, and of some runs more closely.

    DIR/report.html needs no network: its charts can be zoomed, its tables sorted. Beside it lie the charts as PNG and
    SVG, and in players/ pages that play the runs it looks at. 'ringlet sweep STUDY --report' makes it with the sweep.

    \b
    Examples:
        ringlet report out/study
        ringlet report out/study --out shown
    """
    folder = out or (sweep if sweep.is_dir() else sweep.parent)
    check_folder(folder)

    result = studies.SweepResult.load(sweep)
    try:
        with working(f"drawing {sweep}"):
            page = draw_report(result, folder)
    finally:
        result.close()
    output.write_line(str(page))


def draw_report(result: "SweepResult", folder: Path) -> Path:
    """Writes the report with its figures and returns the path of its page."""
    # matplotlib logs about its fonts.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)

    tables = report.sweep_tables(result)
    scenarios = {name: Scenario.from_dict(document["scenario"]) for name, document in tables.examples.items()}
    return report.write_sweep_report(tables, folder, moments=report.write_players(scenarios, folder))
