"""Pages: one HTML file each, with everything that it needs inside, charts among it.

Pages are made from Jinja templates and from `assets`: scripts and styles of ringlet, and two libraries as their authors
publish them (uPlot 1.6.32, `npm pack uplot`, `dist/`; Tablesort 5.6.0, `npm pack tablesort`, `dist/`). A content
security policy keeps a page from loading anything, and lists its scripts by digest: a new script is a line of
`SCRIPTS`, and an inline script or an `onclick` does not run.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from ringlet.player import security_policy
from ringlet.plots import Chart
from ringlet.plots.draw import svg_with_text
from ringlet.plots.palette import COLOURS, DARK_PAGE
from ringlet.report import numbers

SCRIPTS = (
    "uPlot.iife.min.js",
    "tablesort.min.js",
    "tablesort.number.min.js",
    *(f"{name}.js" for name in ("marks", "axes", "swatch", "panel", "charts", "tables")),
)
"""The scripts of a page, in the order in which they run."""


def render(template: str, **content: Any) -> str:  # noqa: ANN401 - a template takes anything
    """Returns a page, or another text, made from one of the templates."""
    return _environment(html=template.endswith(".html.j2")).get_template(template).render(**content)


@cache
def _environment(*, html: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("ringlet.report", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["figure"] = numbers.is_figure
    environment.filters["number"] = numbers.number
    environment.filters["sort_key"] = numbers.sort_key
    environment.globals |= {
        "asset": _asset,
        "scripts": SCRIPTS,
        "policy": security_policy(map(_asset, SCRIPTS)),
        "palette": COLOURS,
        "dark_page": DARK_PAGE,
        "places": numbers.by_place,
        "counts": numbers.counts,
        "published": numbers.published,
        "unit": numbers.unit,
        "obtained": numbers.obtained,
        "obtained_other": numbers.obtained_other,
        "possible_range": numbers.possible_range,
        "reasons": numbers.reasons,
        "scenario_id": scenario_id,
    }
    return environment


def scenario_id(name: str) -> str:
    """Returns the id of a scenario's place on a page."""
    return f"scenario-{name}"


@cache
def _asset(name: str) -> Markup:
    """Returns one of our own or vendored files, to stand in the page as it is."""
    return Markup(files("ringlet.report").joinpath("assets", name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart as a template puts it into a page."""

    svg: Markup
    """The figure, for a reader whose browser runs no scripts."""
    json: Markup
    """Description of the figure as JSON, for a script element."""


def embed(chart: Chart, drawn: Figure) -> DrawnChart:
    """Returns a chart, drawn already, for a page."""
    # A string may hold `</script>`; `\u003c` is the same character to JSON and no tag to HTML.
    document = json.dumps(chart.to_dict(), allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    svg = inline_svg(svg_with_text(drawn), prefix=chart.name, label=f"{chart.title}. {chart.description}")
    return DrawnChart(Markup(svg), Markup(document))


def inline_svg(svg: str, *, prefix: str, label: str) -> str:
    """Returns an SVG document as an element for an HTML page.

    Ids get a prefix, since several SVGs in a page share one name space; the size follows the page; `label` is read
    aloud.
    """
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r'\bid="', f'id="{prefix}-', element)
    element = re.sub(r'href="#', f'href="#{prefix}-', element)
    element = re.sub(r"url\(#", f"url(#{prefix}-", element)
    head, tail = element.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{escape(label)}">{tail}'
