"""The figures of a sweep, which `swept.plot` offers (`ringlet.drawable.SweepPlots`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.differences import drawn_differences
from ringlet.plots.sweeps import Layout, check_complete, chosen_rows, default_layout, drawn_sweep
from ringlet.studies.result import SweepResult


def curves_of(
    result: SweepResult,
    *,
    x: str | None,
    by: Sequence[str] | None,
    facet: Sequence[str] | None,
    where: Mapping[str, Sequence[Any]] | None,
    **other: Any,  # noqa: ANN401 - as the fields of a layout say
) -> Chart:
    """Returns the figure of the summary that is described; `other` are fields of `Layout`."""
    return drawn_sweep(result.summary, replace(_layout(result, x, by, facet, where), **other))


def differences_of(
    result: SweepResult,
    *,
    x: str | None,
    by: Sequence[str] | None,
    facet: Sequence[str] | None,
    where: Mapping[str, Sequence[Any]] | None,
    **other: Any,  # noqa: ANN401 - as the fields of a layout say
) -> Chart:
    """Returns the differences from the study's baseline; `other` are fields of `Layout`."""
    baseline = result.study.baseline_in_words
    if not baseline:
        raise RingletError("baseline: none in the study; allowed: one of its points, such as a protocol")
    layout = replace(_layout(result, x, by, facet, where), **other)
    return drawn_differences(result.differences, layout, baseline=baseline, name="differences")


def _layout(
    result: SweepResult,
    x: str | None,
    by: Sequence[str] | None,
    facet: Sequence[str] | None,
    where: Mapping[str, Sequence[Any]] | None,
) -> Layout:
    """Returns the layout that is asked for; where nothing tells points apart, that of every sweep."""
    summary, axes = result.summary, result.axes
    if summary.empty or not any(summary[axis].nunique() > 1 for axis in axes):
        raise RingletError("study: no axis with several finished values; allowed: one or more")
    if by is None and facet is None:
        shown = chosen_rows(summary, where or {})
        layout = default_layout(shown, axes, x=x)
        return replace(layout, where={**layout.where, **(where or {})})
    along = x or default_layout(summary, axes).x
    layout = Layout(x=along, by=by or (), facet=facet or (), where=where or {})
    check_complete(summary, axes, layout)
    return layout
