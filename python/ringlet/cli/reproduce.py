"""`ringlet reproduce`: papers, published beside obtained."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, check_folder, completed_from, on_workers
from ringlet.cli.progress import counting
from ringlet.cli.tables import table

if TYPE_CHECKING:
    from ringlet.papers import Reproduction


def _papers() -> Iterable[str]:
    from ringlet.papers import PAPERS

    return PAPERS


@click.command
@click.argument(
    "papers",
    metavar="[PAPER]...",
    nargs=-1,
    help="Papers to reproduce, such as picker1994; default: all.",
    shell_complete=completed_from(_papers),
)
@click.option("--quick", is_flag=True, help="Fewer seeds: a check, not a result.")
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder for the report with its figures, the rows, and the scenario files; default: write nothing.",
)
@as_json
@on_workers
def command(papers: Sequence[str], quick: bool, out: Path | None, json: bool, workers: int | None) -> None:
    """Reproduce the tables and figures of papers: published beside obtained, and whether they agree.

    The rule of agreement is one for all rows and is printed with them. With --out, DIR/report.html shows everything, and
    DIR/scenarios holds the scenario files to run one by one.

    \b
    Examples:
        ringlet reproduce picker1994 --out out
        ringlet reproduce --quick --json
    """
    # Late, since matplotlib takes a while to load; it also logs about its fonts.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from ringlet.papers import reproduce

    if out is not None:
        check_folder(out)
    with counting("simulating") as progress:
        reproduction = reproduce(papers, quick=quick, out=out, workers=workers, progress=progress)
    report = None
    if out is not None:
        from ringlet.report import write_players, write_report

        report = write_report(reproduction, out, moments=write_players(reproduction.scenarios(), out))
    if json:
        output.write_json(reproduction.to_dict())
        return
    write_rows(reproduction)
    if report is not None:
        output.write_line(f"report: {report}")


def write_rows(reproduction: "Reproduction") -> None:
    """Writes published beside obtained figures, then the notes and the rule."""
    from ringlet.papers import RULE
    from ringlet.report.numbers import number, possible_range, published, with_spread
    from ringlet.report.numbers import unit as row_unit

    for paper in reproduction.papers:
        other = (f"preset {paper.other_preset}",) if paper.other_preset else ()
        rows = table(
            ("row", "published", "obtained", *other, "unit", "verdict"),
            title=f"{paper.title} ({paper.units})" if paper.units else paper.title,
        )
        for row in paper.rows:
            unit = row.figure.unit
            rows.add_row(
                row.figure.id,
                published(row),
                with_spread(row.obtained, row.spread, unit),
                *([number(row.other.obtained, unit)] if row.other else []),
                row_unit(row),
                row.verdict,
                style={"agrees": None, "differs": "red", "not determined": "yellow"}[row.verdict],
            )
        output.write_table(rows)
        output.write_line()
        for row in paper.rows:
            note = ". ".join(filter(None, [row.note, possible_range(row)]))
            if note:
                output.write_line(f"{row.figure.id}: {note}")
        output.write_line()
        output.write_line(paper.presets)
    output.write_line(RULE)
    quick = " (quick: few seeds)" if reproduction.quick else ""
    output.write_line(
        f"{reproduction.agreeing} of {reproduction.determined} determined rows agree, "
        f"{len(reproduction.rows) - reproduction.determined} are not determined by their papers{quick}; "
        f"{reproduction.wall_s:.0f} s"
    )
