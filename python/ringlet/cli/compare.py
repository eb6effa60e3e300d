"""`ringlet compare`: two runs, scenarios or studies beside each other."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringlet import figures as figure_registry
from ringlet import plots, studies
from ringlet.cli import output
from ringlet.cli.arguments import AT_LEAST_ONE, PATH, as_json, check_folder, on_workers
from ringlet.cli.progress import working
from ringlet.cli.tables import SHOWN_NODES, Table, left_out

if TYPE_CHECKING:
    from ringlet.studies.comparison import Comparison

MARK = "*"
"""Stands beside a difference whose interval does not hold 0."""


@click.command
@click.argument(
    "a",
    metavar="A",
    type=PATH,
    help="Scenario file, which is run; what 'ringlet run --json' printed, as "
    "a .json file; or the output folder or store of a sweep.",
)
@click.argument("b", metavar="B", type=PATH, help="The same kind, which is compared with A.")
@click.option(
    "--replications",
    metavar="N",
    type=AT_LEAST_ONE,
    default=5,
    show_default=True,
    help="Runs of each scenario file, with common seeds.",
)
@click.option("--out", metavar="DIR", type=PATH, help="Folder for a figure, comparison.png and comparison.svg.")
@on_workers
@as_json
def command(a: Path, b: Path, replications: int, out: Path | None, workers: int | None, json: bool) -> None:
    """Compare two scenarios, runs or sweeps: which keys differ, and what differs in the results, with 95 % intervals.

    Runs with the same seed meet the same arrivals and are paired, so that the interval of their difference is often far
    narrower than those of both means. Two sweeps are compared point by point and need the same axes; they may be of
    different versions of ringlet. Differences are B less A, ratios B divided by A.

    \b
    Examples:
        ringlet compare none.toml sci.toml
        ringlet compare none.json sci.json --out figures
        ringlet compare out/before out/after --json
    """
    if out is not None:
        check_folder(out)
    with working(f"comparing {a} and {b}"):
        found = studies.compare(a, b, replications=replications, workers=workers)
    files = [] if out is None else draw(found, out)
    if json:
        output.write_json(found.to_dict() | {"files": [str(file) for file in files]})
        return
    write(found)
    for file in files:
        output.write_line(f"figure: {file}")


def draw(found: "Comparison", out: Path) -> list[Path]:
    """Draws the figure of a comparison and returns its files."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)

    out.mkdir(parents=True, exist_ok=True)
    chart = plots.comparison_chart(found)
    plots.save(chart, out)
    return [out / f"{chart.name}.{suffix}" for suffix in plots.FORMATS]


def write(found: "Comparison") -> None:
    """Writes a comparison for a person."""
    output.write_line(f"A: {found.a.name}")
    output.write_line(f"B: {found.b.name}")
    output.write_line()
    keys = found.keys
    if len(keys):
        rows = Table(["key that differs", "A", "B"])
        for record in keys.itertuples(index=False):
            rows.add_row(*map(str, record))
        output.write_table(rows)
    else:
        output.write_line("no key differs")
    output.write_line()
    output.write_table(figures(found))
    output.write_line(
        f"{MARK}: the 95 % interval of the difference does not hold 0; with many figures, 1 of 20 by chance"
    )


def figures(found: "Comparison") -> Table:
    """Returns the table of figures that a reader needs first."""
    records: Any = found.shown.to_dict(orient="records")
    rows = Table([*found.axes, "figure", "A", "B", "B - A", "±", "", "B / A", "±", "from"])
    for one in records[:SHOWN_NODES]:
        differs = abs(one["difference"]) > one["difference_ci95"]
        runs = f"{one['pairs']} pairs" if one["ci95_from"] == "pairs" else "two runs"
        rows.add_row(
            *(value if isinstance(value := one[axis], str) else f"{value:.6g}" for axis in found.axes),
            one["figure"],
            f"{one['a']:.4g}",
            f"{one['b']:.4g}",
            *figure_registry.with_half_width(one["difference"], one["difference_ci95"]),
            MARK if differs else "",
            *figure_registry.with_half_width(one["ratio"], one["ratio_ci95"]),
            runs,
        )
    left_out(len(records), rows)
    return rows
