"""Figures as PGF, for `\\input` in a LaTeX document: text is set in the document's own font."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import numpy as np
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as MplPath
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform
from numpy.typing import ArrayLike, NDArray

_HEADER = """%% To include the figure: \\usepackage{{pgf}} in the preamble, and \\input{{{name}}} where it is to stand.
\\begingroup%
\\makeatletter%
\\begin{{pgfpicture}}%
\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:zf}in}}{{{height:zf}in}}}}%
\\pgfusepath{{use as bounding box, clip}}%
"""
_END = """\\end{pgfpicture}%
\\makeatother%
\\endgroup%
"""

_DOCUMENT = "the document's"
"""Family of a font that matplotlib does not know: text in it gets the document's own."""

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "µ": r"\textmu{}"} | {
    mark: f"\\{mark}" for mark in "{}$&#%_"
}
_MARKS = re.compile("|".join(map(re.escape, _SPECIAL)))


def write_pgf(drawn: Figure, path: Path, *, name: str) -> None:
    """Writes a figure as a PGF picture.

    matplotlib's own writer runs LaTeX to measure each text; this one measures it in matplotlib's font,
    as for the other formats, so that none is needed. Texts hang at their anchors, and LaTeX sets them.

    Args:
        drawn: the figure.
        path: of the file.
        name: of the file, as its first line says it.

    Raises:
        OSError: it cannot be written.
    """
    width, height = drawn.get_figwidth(), drawn.get_figheight()
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEADER.format(name=name, width=width, height=height))
        # `_Renderer` draws as a renderer does, without being one by type.
        mixed: Any = MixedModeRenderer(drawn, width, height, drawn.dpi, _Renderer(drawn, file))
        # Families that it does not know stay the document's.
        with mpl.rc_context({"pgf.rcfonts": False}):
            drawn.draw(mixed)
        file.write(_END)


class _Renderer(RendererPgf):
    """Measures texts without LaTeX, and writes them so that LaTeX takes each character as it is."""

    def __init__(self, figure: Figure, file: Any) -> None:  # noqa: ANN401 - what matplotlib writes to
        super().__init__(figure, file)  # type: ignore[no-untyped-call]
        self._measure = RendererAgg(1, 1, figure.dpi)

    def get_text_width_height_descent(
        self,
        s: str,
        prop: FontProperties,
        ismath: Any,  # noqa: ANN401 - as matplotlib has it
    ) -> tuple[float, float, float]:
        return cast("tuple[float, float, float]", self._measure.get_text_width_height_descent(s, prop, ismath))

    def draw_image(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        im: ArrayLike,
        transform: Transform | None = None,
    ) -> None:
        """Fills an area for each stretch of one colour: LaTeX would want a file beside the picture for an image.

        The first row is the lowest; rows of one heat map's line are equal.
        """
        assert transform is None, "images come in the figure's pixels"
        pixels = np.asarray(im, dtype=np.uint8)
        for low, high in pairwise(_begins(pixels)):
            row = pixels[low]
            for left, right in pairwise(_begins(row)):
                colour = tuple((row[left] / 255).tolist())
                if colour[3] > 0:
                    area = Affine2D().scale(right - left, high - low).translate(x + left, y + low)
                    filled = self.new_gc()
                    filled.copy_properties(gc)
                    filled.set_linewidth(0)
                    self.draw_path(filled, MplPath.unit_rectangle(), area, colour)  # type: ignore[no-untyped-call]

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,  # noqa: ANN401 - as matplotlib has it
        mtext: Text | None = None,
    ) -> None:
        plain = _MARKS.sub(lambda mark: _SPECIAL[mark[0]], s)
        if mpl.rcParams["font.family"] == mpl.rcParamsDefault["font.family"]:
            # No font was asked for.
            prop = prop.copy()
            prop.set_family(_DOCUMENT)
        super().draw_text(gc, x, y, plain, prop, angle, ismath, mtext)  # type: ignore[no-untyped-call]


def _begins(rows: NDArray[np.uint8]) -> list[int]:
    """Returns where rows begin that differ from the one before, and how many rows there are."""
    differ = np.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    return [0, *(np.flatnonzero(differ) + 1).tolist(), len(rows)]
