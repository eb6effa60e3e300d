"""The report of a verification as a PDF document, with reportlab.

It holds no time and no name of a machine, and its pages are not compressed, so that it is the same bytes everywhere.
"""

import io
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from matplotlib import get_data_path
from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import CondPageBreak, LongTable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, TableStyle

from ringlet.report.verified import CasePart, Content, PageTable, StripChart

MARGIN = 15 * mm
WIDTH = landscape(A4)[0] - 2 * MARGIN

ROW, NAMES, RIGHT = 11.0, 150.0, 20.0
"""Height of a line of a chart, and widths of its names and behind its scale, in points."""

BESIDE = 25 * mm
"""Least height in which a caption and the first rows of its table stand together."""

LETTER, PADDING, FEW = 4.1, 15.0, 110.0
"""Mean width of a letter of a table and of what is beside a text, and most of a column that does not break, in
points."""

HEAD = 60.0
"""Height of a chart's caption, legend and scale, in points."""

ROWS = 30
"""Most lines of a chart on a page: a heading and some lines of text stand above them."""

INK, FAINT, YES, NO, LINE, SOFT = map(
    colors.HexColor, ("#1c1c1c", "#565b63", "#0b5fa5", "#a8480a", "#d4d7dc", "#f3f4f6")
)

LATIN = ("Helvetica", "Helvetica-Bold")
"""Fonts that every reader of PDF has, for Western letters."""

EMBEDDED = {"DejaVuSans": "DejaVuSans.ttf", "DejaVuSans-Bold": "DejaVuSans-Bold.ttf"}
"""Fonts for all other letters, which matplotlib brings."""


def printed(content: Content) -> bytes:
    """Returns the document."""
    plain, bold = _fonts(content)
    text = ParagraphStyle("text", fontName=plain, fontSize=9, leading=12, textColor=INK)
    styles = {
        "text": text,
        "cell": ParagraphStyle("cell", text, fontSize=7, leading=8.5, splitLongWords=True),
        "figure": ParagraphStyle("figure", text, fontSize=7, leading=8.5, alignment=2),
        "head": ParagraphStyle("head", text, fontName=bold, fontSize=7, leading=8.5),
        "figure head": ParagraphStyle("figure head", text, fontName=bold, fontSize=7, leading=8.5, alignment=2),
        "caption": ParagraphStyle("caption", text, fontSize=8, textColor=FAINT, spaceBefore=8, spaceAfter=3),
        "title": ParagraphStyle("title", text, fontName=bold, fontSize=18, leading=22, spaceAfter=6),
        "part": ParagraphStyle(
            "part", text, fontName=bold, fontSize=12, leading=15, spaceBefore=12, spaceAfter=4, keepWithNext=1
        ),
        "yes": ParagraphStyle("yes", text, fontName=bold, fontSize=10, leading=13, textColor=YES),
        "no": ParagraphStyle("no", text, fontName=bold, fontSize=10, leading=13, textColor=NO),
    }
    file = io.BytesIO()
    document = _Document(
        file,
        pagesize=landscape(A4),
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=content.title,
        author="",
        creator="ringlet",
        producer="ringlet",
        invariant=1,
        pageCompression=0,
    )
    document.font, document.parts = plain, {escape(part.title) for part in content.parts}
    document.build(list(_flow(content, styles, plain, bold)))
    return file.getvalue()


class _Document(SimpleDocTemplate):  # type: ignore[misc]  # reportlab has no types
    """A document with its title, the protocol that a page is of, and the page's number at the foot of each page."""

    font: str
    parts: Collection[str]
    """Headings that stand at the foot of their pages, too: of a table that goes on no other word says which it is."""
    part = ""
    """Heading of the page, if it is one of these."""

    def afterFlowable(self, flowable: Any) -> None:  # noqa: ANN401, N802 - reportlab's
        """Notes the heading of what follows."""
        if isinstance(flowable, Paragraph) and flowable.style.name == "part":
            self.part = f", {flowable.text}" if flowable.text in self.parts else ""

    def afterPage(self) -> None:  # noqa: N802 - reportlab's
        """Writes the foot."""
        self.canv.setFont(self.font, 7)
        self.canv.setFillColor(FAINT)
        foot = f"{self.title}{self.part}, page {self.canv.getPageNumber()}"
        self.canv.drawRightString(landscape(A4)[0] - MARGIN, 8 * mm, foot)


def _fonts(content: Content) -> tuple[str, str]:
    """Returns the plain and the bold font: those that every reader has where they have all letters."""
    try:
        repr(content).encode("cp1252")
    except UnicodeEncodeError:
        folder = Path(get_data_path(), "fonts", "ttf")
        for name, file in EMBEDDED.items():
            pdfmetrics.registerFont(TTFont(name, folder / file))
        plain, bold = EMBEDDED
        return plain, bold
    return LATIN


def _flow(content: Content, styles: dict[str, ParagraphStyle], plain: str, bold: str) -> Iterator[Any]:
    """Yields what follows each other on the pages."""
    yield Paragraph(escape(content.title), styles["title"])
    for line, holds in content.verdicts:
        yield Paragraph(f"{escape(line)}.", styles["yes" if holds else "no"])
    facts = PageTable("facts", "", ("", ""), content.facts, frozenset({0, 1}))
    yield Spacer(1, 6)
    yield from _table(facts, styles)
    yield from _table(content.inputs, styles)
    yield from _table(content.cases, styles)
    if content.reasons.rows or content.helps:
        yield Paragraph("What is not guaranteed, and what helps", styles["part"])
        for line in content.helps:
            yield Paragraph(escape(line), styles["text"])
        yield from _table(content.reasons, styles)
    if content.failures.rows:
        yield Paragraph("Failures", styles["part"])
        yield from _table(content.failures, styles)
    for part in content.parts:
        yield from _part(part, styles, plain, bold)
    yield PageBreak()
    yield Paragraph("What is assumed", styles["part"])
    for line in content.assumptions:
        yield Paragraph(f"- {escape(line)}", styles["text"])
    yield from _table(content.lemmas, styles)
    yield Paragraph("What else was tried, and found", styles["part"])
    for table in (content.changes, content.scenarios, content.refused):
        yield from _table(table, styles)


def _part(part: CasePart, styles: dict[str, ParagraphStyle], plain: str, bold: str) -> Iterator[Any]:
    yield PageBreak()
    yield Paragraph(escape(part.title), styles["part"])
    yield Paragraph(escape(part.sentence), styles["text"])
    count = len(part.chart.strips)
    rows = -(-count // max(1, -(-count // ROWS)))
    for first in range(0, count, max(rows, 1)):
        yield CondPageBreak(HEAD + ROW * min(rows, count - first))
        yield Paragraph(escape(part.chart.caption), styles["caption"])
        yield _chart(part.chart, first, rows, plain, bold)
    yield from _table(part.table, styles)


def _table(table: PageTable, styles: dict[str, ParagraphStyle]) -> Iterator[Any]:
    if not table.rows:
        return
    if table.caption:
        # With the next flowable as a whole a long table would begin on a page of its own.
        yield CondPageBreak(BESIDE)
        yield Paragraph(escape(table.caption), styles["caption"])
    words = [column in table.words for column in range(len(table.columns))]
    rows = [
        [Paragraph(escape(cell), styles["cell" if word else "figure"]) for cell, word in zip(row, words, strict=True)]
        for row in table.rows
    ]
    if any(table.columns):
        head = zip(table.columns, words, strict=True)
        rows.insert(0, [Paragraph(escape(name), styles["head" if word else "figure head"]) for name, word in head])
    look = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
    ]
    headed = any(table.columns)
    if headed:
        look.append(("BACKGROUND", (0, 0), (-1, 0), SOFT))
    made = LongTable(rows, colWidths=_widths(table), repeatRows=1 if headed else 0, hAlign="LEFT")
    made.setStyle(TableStyle(look))
    yield made
    yield Spacer(1, 6)


def _widths(table: PageTable) -> Sequence[float]:
    """Returns the widths of the columns: figures take what they need, words share the rest by their lengths."""
    texts = [(name, *(row[column] for row in table.rows)) for column, name in enumerate(table.columns)]
    needed = [PADDING + LETTER * max(map(len, each)) for each in texts]
    least = [PADDING + LETTER * max(len(word) for text in each for word in text.split() or "-") for each in texts]
    fixed = [
        min(need, FEW) if column not in table.words else min(need, least, FEW)
        for column, (need, least) in enumerate(zip(needed, least, strict=True))
    ]
    rest = WIDTH - sum(fixed)
    wanted = [max(need - have, 0.0) for need, have in zip(needed, fixed, strict=True)]
    if sum(wanted) <= rest:
        # All fit: what is left goes to the last column, but away from the others if that has figures.
        left = WIDTH - sum(needed) if len(needed) - 1 in table.words else 0.0
        return [*needed[:-1], needed[-1] + max(left, 0.0)]
    return [have + rest * want / sum(wanted) for have, want in zip(fixed, wanted, strict=True)]


def _chart(chart: StripChart, first: int, rows: int, plain: str, bold: str) -> Drawing:
    """Returns so many lines of a chart from the first one on."""
    strips = chart.strips[first : first + rows]
    top = 30.0
    height = top + ROW * len(strips) + 4
    drawn = Drawing(WIDTH, height)

    def x(share: float) -> float:
        return NAMES + float(WIDTH - NAMES - RIGHT) * chart.place(share)

    def write(
        place: float, y: float, text: str, *, font: str = plain, colour: colors.Color = INK, anchor: str = "start"
    ) -> None:
        drawn.add(String(place, y, text, fontName=font, fontSize=7, fillColor=colour, textAnchor=anchor))

    def diamond(place: float, y: float) -> None:
        points = [place, y - 3, place + 3, y, place, y + 3, place - 3, y]
        drawn.add(Polygon(points, fillColor=None, strokeColor=NO, strokeWidth=1))

    legend = height - 8
    if chart.has_bounds:
        drawn.add(Line(NAMES, legend - 3, NAMES, legend + 5, strokeColor=YES, strokeWidth=2))
        write(NAMES + 5, legend - 2, "bound")
    drawn.add(Circle(NAMES + 50, legend + 1, 2.4, fillColor=INK, strokeColor=None))
    write(NAMES + 56, legend - 2, chart.own)
    diamond(NAMES + 115, legend + 1)
    write(NAMES + 121, legend - 2, "longest that a search found")
    drawn.add(Line(NAMES + 235, legend - 3, NAMES + 235, legend + 5, strokeColor=INK, strokeDashArray=[2, 2]))
    write(NAMES + 240, legend - 2, "deadline")
    for power, (_, label) in enumerate(chart.marks, chart.decades[0]):
        place = x(10.0**power)
        drawn.add(Line(place, 0, place, height - top + 2, strokeColor=LINE, strokeWidth=0.5))
        write(place, height - top + 5, label, colour=FAINT, anchor="middle")
    drawn.add(Line(x(1.0), 0, x(1.0), height - top + 2, strokeColor=INK, strokeWidth=0.7, strokeDashArray=[2, 2]))
    for number, one in enumerate(strips):
        y = height - top - ROW * number - ROW / 2
        name = one.name if len(one.name) <= 34 else f"{one.name[:31]}..."
        font, colour = (plain, INK) if one.guaranteed else (bold, NO)
        write(NAMES - 6, y - 2.5, name, font=font, colour=colour, anchor="end")
        if one.bound is not None:
            if one.searched:
                drawn.add(Line(x(one.searched), y, x(one.bound), y, strokeColor=LINE, strokeWidth=0.8))
            drawn.add(Line(x(one.bound), y - 4, x(one.bound), y + 4, strokeColor=YES, strokeWidth=2))
        if one.own:
            drawn.add(Circle(x(one.own), y, 2.4, fillColor=INK, strokeColor=None))
        if one.searched:
            diamond(x(one.searched), y)
    return drawn
