"""Charts inside a page: drawn for all to see, described for the page's script, which puts an interactive one in its
place."""

import json
import re
from dataclasses import dataclass
from html import escape

from markupsafe import Markup
from matplotlib.figure import Figure

from ringlet.plots import Chart
from ringlet.plots.svg import svg_with_text


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart as a template puts it into a page."""

    svg: Markup
    """The figure, for a reader whose browser runs no scripts."""
    json: Markup
    """The same figure's description, for a script element."""


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
