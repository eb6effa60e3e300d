"""Figures as SVG, and the style of all files."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

STYLE: Any = {
    "font.size": 9,
    # The same figure is the same file.
    "svg.hashsalt": "ringlet",
    # Journals require fonts that are embedded whole.
    "pdf.fonttype": 42,
    # Names of files and nodes are no formulas.
    "text.parse_math": False,
}


def as_svg(draw: Callable[[], Figure]) -> str:
    """Returns what a function draws as an `<svg>` element."""
    with mpl.rc_context(STYLE):
        document = svg(draw())
    return document[document.index("<svg") :]


def svg_with_text(drawn: Figure) -> str:
    """Returns a figure as an SVG document whose text is text, not outlines: small, and readable by a machine."""
    with mpl.rc_context(STYLE | {"svg.fonttype": "none"}):
        return svg(drawn)


def svg(drawn: Figure) -> str:
    """Returns a figure as an SVG document without a date."""
    text = StringIO()
    drawn.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
