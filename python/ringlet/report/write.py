"""Writing the report of a reproduction."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ringlet.files import write_text
from ringlet.papers import RULE, Reproduction
from ringlet.plots.save import save
from ringlet.report.charts import embed
from ringlet.report.page import render

REPORT = "report.html"
RESULTS = "results.md"


@dataclass(frozen=True, slots=True)
class MomentLink:
    """An interesting moment of a scenario's run, to be looked at in a page beside the report."""

    scenario: str
    """Name of the scenario file."""
    label: str
    """Such as `first starvation`."""
    href: str
    """Where the link leads, relative to the report."""


def write_report(reproduction: Reproduction, out: Path | str, *, moments: Sequence[MomentLink] = ()) -> Path:
    """Writes the report into the folder `out` and returns the path of its page, `report.html`.

    Beside it lie each figure as PNG and SVG, and `results.md`, the rows as Markdown. The page needs neither them nor a
    network.

    Args:
        reproduction: what to report.
        out: the folder; made if it is not there.
        moments: links that stand with the scenarios they belong to.

    Raises:
        OSError: `out` cannot be written.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        (paper.paper, chart.name): embed(chart, save(chart, folder))
        for paper in reproduction.papers
        for chart in paper.figures
    }
    page = render(
        "report.html.j2",
        reproduction=reproduction,
        rule=RULE,
        drawn=drawn,
        moments=moments,
        versions=reproduction.versions,
    )
    write_text(folder / REPORT, page)
    write_text(folder / RESULTS, render("results.md.j2", reproduction=reproduction, rule=RULE))
    return folder / REPORT
