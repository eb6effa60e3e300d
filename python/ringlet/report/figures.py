"""Figures as files and as SVG inside a page."""

import re
from io import StringIO
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from ringlet.papers import PaperFigure

_PNG_DPI = 150


def save_figure(figure: PaperFigure, out: Path) -> str:
    """Draws a figure, writes `<name>.png` and `<name>.svg` into `out` and returns the SVG for inlining.

    Raises:
        OSError: `out` cannot be written.
    """
    # The salt makes the same figure the same file.
    with mpl.rc_context({"font.size": 9, "svg.hashsalt": "ringlet"}):
        drawn = figure.draw()
        drawn.savefig(out / f"{figure.name}.png", dpi=_PNG_DPI, metadata={"Software": None})
        svg = _svg(drawn)
    (out / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
    return inline_svg(svg, prefix=figure.name, label=figure.title)


def _svg(drawn: Figure) -> str:
    text = StringIO()
    drawn.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def inline_svg(svg: str, *, prefix: str, label: str) -> str:
    """Returns an SVG document as an element for an HTML page.

    Ids get a prefix, since several SVGs in a page share one name space; the size follows the page; `label` is read
    aloud.
    """
    element = svg[svg.index("<svg") :]
    element = re.sub(r'\bid="', f'id="{prefix}-', element)
    element = re.sub(r'href="#', f'href="#{prefix}-', element)
    element = re.sub(r"url\(#", f"url(#{prefix}-", element)
    head, tail = element.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{label}">{tail}'
