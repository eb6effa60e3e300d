"""Figures of results as lower layers see them: results offer what `ringlet.plots` draws, and import none of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_FIGURES = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""Names of the figures that a sweep draws by default."""


class Drawable(Protocol):
    """A figure: a `ringlet.plots.Chart`, which a notebook shows as it is."""

    @property
    def name(self) -> str:
        """File name without suffix."""

    @property
    def title(self) -> str:
        """Subject of the figure, in a line."""

    @property
    def caption(self) -> str:
        """Description of what the figure shows, in sentences."""

    @property
    def panels(self) -> Sequence[Any]:
        """`ringlet.plots.Panel`s; each can be drawn into axes of the caller's."""

    def draw(self) -> "Figure":
        """Draws all panels with matplotlib and returns the figure, which the caller may restyle."""


class RunPlots(Protocol):
    """The charts of one result, a method for each; called, it returns all that there are."""

    def __call__(self) -> Sequence[Drawable]:
        """Returns every figure that the result has."""

    def __getattr__(self, name: str) -> Callable[[], Drawable]:
        """Returns what makes the chart with this name, such as `nodes`."""


class SweepPlots(Protocol):
    """The figures of a sweep."""

    def curves(
        self,
        *,
        x: str | None = None,
        y: Sequence[str] = DEFAULT_FIGURES,
        by: Sequence[str] | None = None,
        facet: Sequence[str] | None = None,
        where: Mapping[str, Sequence[Any]] | None = None,
        log: Sequence[str] | None = None,
        limits: Mapping[str, tuple[float, float]] | None = None,
        labels: Mapping[str, str] | None = None,
        title: str = "",
        model: bool = True,
        panel_inches: tuple[float, float] | None = None,
    ) -> Drawable:
        """Returns figures over one axis of the study, at least a panel for each.

        Args:
            x: column of `SweepResult.summary` along the axis; default: the first load, else the first number that
                varies.
            y: figures, such as `throughput_MBps`.
            by: columns whose values tell the curves apart: of two or three the first by colour, the second by marker,
                the third by line. Default without `facet` too: all others that vary, as curves and, where these would
                be more than ten, as panels.
            facet: columns whose values tell panels apart: the first along columns, a second along rows.
            where: values of columns whose points are shown; default: all.
            log: columns with a logarithmic axis; default: latencies.
            limits: ends of the axes of these columns.
            labels: words for columns and for values, in place of the usual ones.
            title: of the figure.
            model: whether the queueing model is drawn, where it is known.
            panel_inches: width and height of a panel.

        Raises:
            RingletError: no such column, nothing varies, or an axis that varies is not in `x`, `by`, `facet` or
                `where`.
        """

    def differences(
        self,
        *,
        x: str | None = None,
        y: Sequence[str] = DEFAULT_FIGURES,
        by: Sequence[str] | None = None,
        facet: Sequence[str] | None = None,
        where: Mapping[str, Sequence[Any]] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Drawable:
        """Returns the differences from the study's baseline over one axis; arguments as for `curves`.

        Raises:
            RingletError: the study has no baseline, and as for `curves`.
        """
