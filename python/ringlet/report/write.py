"""Writing the report."""

from itertools import groupby
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ringlet.papers import RULE, Reproduction, Row
from ringlet.report.figures import save_figure
from ringlet.report.numbers import agreement_counts, number, published, with_spread

REPORT = "report.html"


def write_report(reproduction: Reproduction, out: Path | str) -> Path:
    """Writes `report.html` and each figure as PNG and SVG into the folder `out` and returns the report's path.

    Raises:
        OSError: `out` cannot be written.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        (paper.paper, figure.name): save_figure(figure, folder)
        for paper in reproduction.papers
        for figure in paper.figures
    }
    environment = Environment(
        loader=PackageLoader("ringlet.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number}
    page = environment.get_template("report.html.j2").render(
        reproduction=reproduction,
        rule=RULE,
        figures=figures,
        places=_by_place,
        counts=agreement_counts,
        published=published,
        with_spread=with_spread,
    )
    path = folder / REPORT
    path.write_text(page, encoding="utf-8")
    return path


def _by_place(rows: tuple[Row, ...]) -> list[tuple[str, list[Row]]]:
    return [(place, list(group)) for place, group in groupby(rows, key=lambda row: row.figure.place)]
