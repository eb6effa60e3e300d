"""The report of a verification as a page, and as a document to be printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ringlet.errors import RingletError
from ringlet.report.page import render
from ringlet.report.verified import StripChart, content_of

ROW, TOP, NAMES, WIDTH = 20, 46, 230, 960
"""Heights of a line and of the head of a chart, and widths of its names and of all, in pixels."""

RIGHT = 24
"""Width behind the scale, in pixels."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Places of a chart's parts on a page, in pixels."""

    chart: StripChart

    @property
    def height(self) -> int:
        """Height of the chart."""
        return TOP + ROW * len(self.chart.strips) + 8

    @property
    def width(self) -> int:
        """Width of the chart."""
        return WIDTH

    def x(self, share: float) -> str:
        """Returns where a share of the deadline stands."""
        return f"{NAMES + (WIDTH - NAMES - RIGHT) * self.chart.place(share):z.2f}"

    def y(self, row: int) -> str:
        """Returns the middle of a line."""
        return f"{TOP + ROW * row + ROW / 2:z.1f}"


def html_report(document: Mapping[str, Any], text: str) -> str:
    """Returns the page of a verification: one file, which needs no network.

    Args:
        document: of the verification.
        text: of its JSON file, whose digest stands in the report.
    """
    content = content_of(document, text)
    placed = {part.chart.id: Placed(part.chart) for part in content.parts}
    return render("verification.html.j2", content=content, placed=placed, versions={"ringlet": document["ringlet"]})


def pdf_report(document: Mapping[str, Any], text: str) -> bytes:
    """Returns the same as a PDF document.

    Args:
        document: of the verification.
        text: of its JSON file, whose digest stands in the report.

    Raises:
        RingletError: reportlab is not installed.
    """
    try:
        from ringlet.report.printed import printed
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("reportlab"):
            raise
        raise RingletError("no PDF: it needs reportlab: pip install 'ringlet[pdf]'") from None
    return printed(content_of(document, text))
