"""Charts written as PNG, SVG, PDF, PGF and Vega-Lite."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import matplotlib as mpl
from matplotlib.figure import Figure

from ringlet.files import writing
from ringlet.plots.chart import Chart
from ringlet.plots.draw import STYLE, svg
from ringlet.plots.glyphs import shown
from ringlet.plots.vega import vega_lite

Format = Literal["png", "svg", "pdf", "pgf"]
FORMATS: tuple[Format, ...] = ("png", "svg")
"""Default file formats of a figure."""

_SCREEN_DPI, _PRINT_DPI = 150, 300
"""Dots per inch of a PNG: by default, and where a width is given, which is that of a page."""


def save(
    chart: Chart,
    out: Path,
    formats: Iterable[Format] = FORMATS,
    *,
    width_inches: float | None = None,
    font: str | None = None,
    font_points: float | None = None,
) -> Figure:
    """Draws a chart, writes `<name>.png` and so on into the folder `out` and returns what was drawn.

    Args:
        chart: what to draw.
        out: the folder.
        formats: of the files.
        width_inches: of the whole figure, such as that of a paper's column; panels that would be too narrow for their
            text stand below each other.
        font: family, such as `serif`; default: matplotlib's.
        font_points: size of the text.

    Raises:
        OSError: `out` cannot be written.
    """
    family = {} if font is None else {"font.family": font}
    size = {} if font_points is None else {"font.size": font_points}
    dpi = _SCREEN_DPI if width_inches is None else _PRINT_DPI
    with mpl.rc_context(STYLE | family | size):
        drawn = chart.draw(width_inches=width_inches)
        # SVG first: its layout is kept for all others, since laying out takes most of the time.
        for suffix in sorted(formats, key=lambda each: each != "svg"):
            path = out / f"{chart.name}.{suffix}"
            with writing(path) as aside:
                if suffix == "svg":
                    aside.write_text(svg(drawn), encoding="utf-8")
                    # Without an engine, not with one that does nothing: it would be asked in a drawing of its own.
                    drawn.set_layout_engine(None)
                    continue
                with shown(drawn, outlines=suffix != "pgf"):
                    if suffix == "png":
                        drawn.savefig(aside, dpi=dpi, metadata={"Software": None})
                    elif suffix == "pdf":
                        drawn.savefig(aside, format="pdf", metadata={"CreationDate": None})
                    else:
                        # Late: it loads what writes fonts into PDF, a tenth of all that a figure loads.
                        from ringlet.plots.pgf import write_pgf

                        write_pgf(drawn, aside, name=path.name)
    return drawn


def save_vega_lite(chart: Chart, out: Path) -> Path:
    """Writes a chart as Vega-Lite, `<name>.vl.json`, into the folder `out` and returns the file.

    Raises:
        OSError: `out` cannot be written.
    """
    path = out / f"{chart.name}.vl.json"
    with writing(path) as aside:
        aside.write_text(json.dumps(vega_lite(chart), ensure_ascii=False, indent=1), encoding="utf-8")
    return path
