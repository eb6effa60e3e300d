"""Figures of results as lower layers see them: results offer what `ringlet.plots` draws, and import none of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_FIGURES = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""What a sweep draws by default."""


class Drawable(Protocol):
    """A figure: a `ringlet.plots.Chart`, which a notebook shows as it is."""

    @property
    def name(self) -> str:
        """File name without suffix."""

    @property
    def title(self) -> str:
        """What it shows, in a line."""

    @property
    def caption(self) -> str:
        """What it shows, in sentences."""

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
        self, *, x: str | None = None, y: Sequence[str] = DEFAULT_FIGURES, by: Sequence[str] | None = None
    ) -> Drawable:
        """Returns figures over one axis of the study, a panel for each.

        Args:
            x: column of `SweepResult.summary` along the axis; default: the first load, else the first number that
                varies.
            y: figures, such as `throughput_MBps`.
            by: columns whose values tell the curves apart; default: all others that vary.

        Raises:
            RingletError: no such column, or nothing varies.
        """

    def differences(
        self, *, x: str | None = None, y: Sequence[str] = DEFAULT_FIGURES, by: Sequence[str] | None = None
    ) -> Drawable:
        """Returns the differences from the study's baseline over one axis; arguments as for `curves`.

        Raises:
            RingletError: the study has no baseline, no such column, or nothing varies.
        """
