"""Pages: one HTML file each, with everything that it needs inside."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ringlet.player import security_policy
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
        "with_spread": numbers.with_spread,
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
