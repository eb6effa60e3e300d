"""Writing the report."""

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ringlet.papers import RULE, Reproduction
from ringlet.report import numbers
from ringlet.report.figures import save_figure

REPORT = "report.html"
RESULTS = "results.md"


def write_report(reproduction: Reproduction, out: Path | str) -> Path:
    """Writes the report into the folder `out` and returns the path of its page, `report.html`.

    Beside it lie each figure as PNG and SVG, and `results.md`, the rows as Markdown.

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
    for template, name, inlined in (("report.html.j2", REPORT, figures), ("results.md.j2", RESULTS, {})):
        page = _environment(html=name == REPORT).get_template(template)
        text = page.render(reproduction=reproduction, rule=RULE, figures=inlined)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / REPORT


def _environment(*, html: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("ringlet.report", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = numbers.number
    environment.globals |= {
        "places": numbers.by_place,
        "counts": numbers.agreement_counts,
        "published": numbers.published,
        "unit": numbers.unit,
        "with_spread": numbers.with_spread,
        "explanations": numbers.explanations,
    }
    return environment
