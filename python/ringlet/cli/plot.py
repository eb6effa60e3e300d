"""`ringlet plot`: figures of runs and sweeps."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ringlet import plots, simulation, studies
from ringlet.cli import output
from ringlet.cli.arguments import PATH, check_folder, load, set_keys
from ringlet.cli.failures import one_line
from ringlet.cli.progress import working
from ringlet.errors import RingletError

if TYPE_CHECKING:
    from ringlet.plots import Chart


Format = Literal["png", "svg", "pdf", "pgf", "vega"]

FORMATS: tuple[Format, ...] = ("png", "svg", "pdf", "pgf", "vega")


@click.command
@click.argument(
    "results",
    metavar="RESULT...",
    type=PATH,
    nargs=-1,
    required=True,
    help="What 'ringlet run --json' printed, as a .json file; or a scenario file, which is run; or the output "
    "folder of a sweep, alone. Several runs are drawn beside each other.",
)
@click.option(
    "--out", metavar="DIR", type=PATH, default=Path("plots"), show_default=True, help="Folder for the figures."
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Format of the files; may be repeated: pgf is for LaTeX, which sets the text; vega is Vega-Lite, for "
    "Altair, notebooks and web pages. Default: png and svg.",
)
@click.option(
    "--chart",
    "charts",
    metavar="NAME",
    multiple=True,
    help="Draw this figure only, such as nodes or latency; may be repeated. Default: all that there are.",
)
@set_keys
@click.option(
    "--beside",
    metavar="KEY=VALUE",
    multiple=True,
    help="Of one scenario file: a second run with this key replaced, too, beside the first. May be repeated.",
)
@click.option(
    "--width",
    metavar="INCHES",
    type=click.FloatRange(1, 50),
    help="Width of a figure, such as 3.5 for a paper's column; panels too narrow for their text go below each other.",
)
@click.option("--font", metavar="FAMILY", help="Font of the text, such as serif.")
@click.option("--font-size", metavar="POINTS", type=click.FloatRange(3, 40), help="Size of the text. Default: 9.")
def command(
    results: Sequence[Path],
    out: Path,
    formats: Sequence[Format],
    charts: Sequence[str],
    overrides: Sequence[str],
    beside: Sequence[str],
    width: float | None,
    font: str | None,
    font_size: float | None,
) -> None:
    """Draw figures of one or more results.

    Of runs: the throughput of each node beside its fair share, the distribution of latency, what the links carry, and a
    figure of whatever else there is, such as retries, priorities, deadlines, events, or failures. Of a sweep: the
    figures that the study names, else throughput and latency over the load. Curves and bars have 95 % intervals, axes
    their units, colours are safe for colour-blind readers.

    \b
    Examples:
        ringlet plot ring.toml
        ringlet plot ring.toml --beside flow_control.protocol=none
        ringlet run ring.toml --json > sci.json
        ringlet run ring.toml --set flow_control.protocol=none --json > none.json
        ringlet plot sci.json none.json --out figures --format svg
        ringlet plot out/study --out figures
        ringlet plot out/study --format pdf --width 3.5 --font serif --font-size 8
        ringlet plot out/study --format pgf --width 3.5 --font-size 8
    """
    check_folder(out)
    paths = named(results)
    _check_scenarios(results, overrides, beside)
    # matplotlib logs about its fonts.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)

    plots.load_matplotlib()
    sweeps = [path for path in results if is_sweep(path)]
    found = charts_of_sweep(results) if sweeps else charts_of_runs(paths, overrides, beside)
    write(chosen(found, charts), out, formats or FORMATS[:2], width_inches=width, font=font, font_points=font_size)


def is_sweep(path: Path) -> bool:
    """Returns whether a result is the output folder or the store of a sweep."""
    return path.is_dir() or path.suffix == ".sqlite"


def _check_scenarios(results: Sequence[Path], overrides: Sequence[str], beside: Sequence[str]) -> None:
    """Refuses keys of a scenario where something else is drawn.

    Raises:
        RingletError: a result is no scenario file, or there are several that a second run would stand beside.
    """
    for option, words in (("--set", overrides), ("--beside", beside)):
        for path in results:
            if words and path.suffix != ".toml":
                raise RingletError.not_allowed(option, words[0], f"only with scenario files, and {path} is none")
    if beside and len(results) > 1:
        raise RingletError.not_allowed("--beside", beside[0], f"only with one scenario file, not {len(results)}")


def charts_of_runs(paths: Mapping[str, Path], overrides: Sequence[str], beside: Sequence[str]) -> "Sequence[Chart]":
    """Returns the figures of runs.

    Args:
        paths: of scenarios and of documents, by the names that they have in a legend.
        overrides: keys of the scenarios that are replaced.
        beside: keys that are replaced, too, in a second run of the only scenario; empty for none.
    """
    documents = {name: read_run(path, overrides) for name, path in paths.items()}
    if beside:
        (path,) = paths.values()
        documents[one_line(", ".join(beside))] = read_run(path, [*overrides, *beside])

    return plots.run_charts(documents)


def charts_of_sweep(results: Sequence[Path]) -> "Sequence[Chart]":
    """Returns the figures of a sweep.

    Raises:
        RingletError: there are other results beside it, it has nothing to draw, or cannot be read.
    """
    if len(results) > 1:
        raise RingletError.not_allowed("RESULT", " ".join(map(str, results)), "one sweep alone, or runs")

    (path,) = results
    result = studies.SweepResult.load(path)
    try:
        charts = plots.study_charts(plots.tables_of(result, result.thinned(plots.MAX_DRAWN)))
    finally:
        result.close()
    if not charts:
        raise RingletError(f"{path}: nothing to draw: no finished point, or no axis with several values")
    return charts


def named(paths: Sequence[Path]) -> dict[str, Path]:
    """Returns the results by the names that they have in a legend: the file's, with its folder where that is not
    enough.

    Raises:
        RingletError: one is given twice.
    """
    stems = [path.stem for path in paths]
    # What cannot be printed cannot be drawn, either; what begins with an underscore would not be in a legend.
    found = {
        one_line(path.stem).lstrip("_") if stems.count(path.stem) == 1 else one_line(str(path)): path for path in paths
    }
    if len(found) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise RingletError.not_allowed("RESULT", str(twice), "each result once")
    return found


def read_run(path: Path, overrides: Sequence[str]) -> Mapping[str, Any]:
    """Returns the document of a run for charts: from its JSON, or by running the scenario.

    Raises:
        RingletError: the file cannot be read, or holds something else.
    """
    if path.suffix == ".toml":
        scenario = load(path, overrides)

        with working(f"simulating {path}"):
            return simulation.run(scenario).document_to_draw()

    return plots.read_run_file(path)


def chosen(charts: "Sequence[Chart]", names: Sequence[str]) -> "list[Chart]":
    """Returns the charts with these names; without names all.

    Raises:
        RingletError: there is none of a name.
    """
    there = {chart.name: chart for chart in charts}
    for name in names:
        if name not in there:
            raise RingletError.not_allowed("--chart", name, f"one that these results have: {', '.join(there)}")
    return [there[name] for name in names] if names else list(charts)


def write(
    charts: "Sequence[Chart]",
    out: Path,
    formats: Sequence[Format],
    *,
    width_inches: float | None,
    font: str | None,
    font_points: float | None,
) -> None:
    """Draws the charts into files and prints their paths."""
    out.mkdir(parents=True, exist_ok=True)
    drawn = [one for one in formats if one != "vega"]
    for chart in charts:
        if drawn:
            plots.save(chart, out, drawn, width_inches=width_inches, font=font, font_points=font_points)
        for format_ in formats:
            path = plots.save_vega_lite(chart, out) if format_ == "vega" else out / f"{chart.name}.{format_}"
            output.write_line(str(path))
