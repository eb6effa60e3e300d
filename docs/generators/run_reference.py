"""Writes "What a run tells" from the registry of figures, so that it cannot differ."""

from collections.abc import Callable
from pathlib import Path

from scenario_reference import write_changed

from ringlet.cli.run_tables import MESSAGE, NODE, PRIORITY
from ringlet.figures import COLUMNS, Figure, OverSeeds, figures_of
from ringlet.figures.errors import ERRORS, FAILURES, INTERFACES
from ringlet.figures.replay import REPLAY
from ringlet.figures.run import PRECISION, WENT
from ringlet.figures.switches import B_LINK, CONTROLLER
from ringlet.plots.charts.registry import RUN_CHARTS
from ringlet.scenario.activities.registry import PARTS as ACTIVE

INTRODUCTION = """# What a run tells

Every figure of a run, with its unit, what it is, and what becomes of it over the runs of a point of a
[sweep](../how-to/sweeps.md), which differ in their seed. This page is generated from the registry of figures, from
which the JSON of `ringlet run --json`, the data frames of Python, and the tables of sweeps are made, too; `ringlet
schema result` prints the JSON Schema.

All figures are of the measured time, after the warm-up. MB is 10^6 bytes. A column of a data frame or a table is
called by the name; in the JSON, figures with a dot are in an object, such as `latency_ns.p99`. What there is not, such
as a latency without a delivery, is `null` in the JSON and NaN in data frames.

The 95 % interval of a mean over seeds stands beside it, with the same unit: `throughput_ci95_MBps` beside
`throughput_MBps`, `latency_p99_ci95_ns` beside `latency_p99_ns`.
"""

PARTS = (
    ("The run", "", (*figures_of("run"), *WENT)),
    ("Nodes, priorities, and total", "", ()),
    *((part.title, f"In `{part.name}`; left out without {part.without}.", figures_of(part.name)) for part in ACTIVE),
    ("Precision", "In `precision`, where one is asked for.", PRECISION),
    ("Replay of a trace", "In `trace`.", REPLAY),
    ("Link controllers", "In `link_controllers`, where there are switches.", CONTROLLER),
    ("B-Links", "In `b_links`, where there are switches.", B_LINK),
    ("Errors", "In `errors`, where links may fail.", ERRORS),
    ("Interfaces with errors", "In `errors.interfaces`.", INTERFACES),
    ("Links and nodes that fail", "In `errors.failures`.", FAILURES),
)


def write(path: Path) -> None:
    """Writes the page."""
    write_changed(path, render())


def render() -> str:
    """Returns the page."""
    parts = [INTRODUCTION]
    for title, words, figures in PARTS:
        parts.append(f"## {title}\n")
        if words:
            parts.append(f"{words}\n")
        if figures:
            parts.append(table(figures))
        else:
            parts.append(
                "In `nodes` by the source of the requests, in `priorities` by send priority, and in `total` of all. A "
                "run with one priority has no `priorities`. Where a figure is not in all three, its entry says so.\n"
            )
            parts.append(series_table())
    return "\n".join([*parts, charts()])


def charts() -> str:
    """Returns the table of the charts of a run."""
    lines = [
        "## Charts\n",
        "`ringlet plot` draws a run's charts into files with these names, and `result.plot` has a method for each.\n",
        "| name | what it shows |",
        "|---|---|",
        *(f"| `{chart.name}` | {chart.shows} |" for chart in RUN_CHARTS),
    ]
    return "\n".join([*lines, ""])


def series_table() -> str:
    """Returns the table of what nodes, priorities and the total have."""
    every = dict.fromkeys(figure for part in ("nodes", "priorities", "total") for figure in figures_of(part))
    ordered = sorted(
        every, key=lambda figure: figures_of("total").index(figure) if figure in figures_of("total") else 99
    )
    return table(tuple(ordered), place)


def place(figure: Figure) -> str:
    """Returns what a figure is called in the JSON, where that differs, and in which parts it is, unless in all."""
    path = ".".join(figure.path)
    called = "" if path == figure.name else f" In the JSON: `{path}`."
    parts = [part for part in ("nodes", "priorities", "total") if figure in figures_of(part)]
    return called if len(parts) == 3 else f"{called} In {' and '.join(f'`{part}`' for part in parts)} only."


def table(figures: tuple[Figure, ...], more: Callable[[Figure], str] = lambda figure: "") -> str:
    """Returns a table of figures."""
    lines = ["| name | unit | over seeds | what it is |", "|---|---|---|---|"]
    for figure in figures:
        meaning = f"{figure.meaning}{shown(figure)}{more(figure)}"
        lines.append(f"| {{figure}}`{figure.name}` | {figure.unit} | {over_seeds(figure)} | {meaning} |")
    return "\n".join([*lines, ""])


def over_seeds(figure: Figure) -> str:
    """Returns what becomes of a figure over seeds, empty where no table has it."""
    there = any(figure in figures for _, figures in COLUMNS)
    return figure.over_seeds.value if there and figure.over_seeds is not OverSeeds.NONE else ""


def shown(figure: Figure) -> str:
    """Returns where the command line shows a figure."""
    names = {"nodes": NODE, "priorities": PRIORITY, "messages": MESSAGE}
    if any(figure.name in tuple_ and figure in figures_of(part) for part, tuple_ in names.items()):
        return f' The table of `ringlet run` has it as "{" ".join(figure.heading.split())}".'
    return ""
