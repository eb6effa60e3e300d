"""Tables beside the rows: every figure in numbers, and the runs that stalled."""

from collections.abc import Sequence

import numpy as np

from ringlet.papers.reproduction import Table
from ringlet.papers.todd2001 import figure8, figure9, figure10, figure11, nearest
from ringlet.papers.todd2001.curves import Curve
from ringlet.papers.todd2001.settings import LABELS, PROTOCOLS
from ringlet.papers.todd2001.study import UNITS, Point, Results, Scale

SERVICE_TIMES = {"a": "0.1 µs", "b": "1.0 µs"}


def paper_tables(results: Results, scale: Scale) -> tuple[Table, ...]:
    """Returns every table that stands beside the rows."""
    return (
        *([] if scale.quick else [nearest.table(results, scale)]),
        *(_figure8(results, part, scale) for part in figure8.PARTS),
        *(_figure9(results, part, scale) for part in figure9.PARTS),
        _figure10(results, scale),
        _figure11(results, scale),
        *_stalls(results, scale),
    )


def _figure8(results: Results, part: str, scale: Scale) -> Table:
    points = [figure8.curve(part, protocol).points(results, scale) for protocol in PROTOCOLS]
    lines = [(load, *(word for each in points for word in _words(each[load], 0))) for load in points[0]]
    return Table(
        name=f"figure8{part}",
        title=f"Figure 8{part} in numbers",
        caption=_caption(f"One priority, service time {SERVICE_TIMES[part]}. Offered load per node."),
        columns=("load (MB/s)", *_pairs([LABELS[protocol] for protocol in PROTOCOLS])),
        lines=tuple(lines),
    )


def _figure9(results: Results, part: str, scale: Scale) -> Table:
    lines: list[tuple[str | float, ...]] = []
    for protocol in PROTOCOLS:
        for load, point in figure9.curve(part, protocol).points(results, scale).items():
            each = [word for level in reversed(range(len(figure9.PRIORITIES))) for word in _words(point, level)]
            lines.append((LABELS[protocol], load, _number(point.total_MBps.mean()), *each))
    return Table(
        name=f"figure9{part}",
        title=f"Figure 9{part} in numbers",
        caption=_caption(
            f"Three priorities, service time {SERVICE_TIMES[part]}. Offered load per node and priority. Base SCI has "
            "prioritised queues here, but one go bit."
        ),
        columns=("protocol", "load (MB/s)", "total (MB/s)", *_pairs(figure9.PRIORITIES[::-1])),
        lines=tuple(lines),
    )


def _figure10(results: Results, scale: Scale) -> Table:
    lines: list[tuple[str | float, ...]] = []
    for protocol in PROTOCOLS:
        for load, point in figure10.curve(protocol).points(results, scale).items():
            each = [_number(point.throughput_MBps[:, level].mean()) for level in reversed(figure10.SHOWN)]
            latency = [_number(_mean(point.latency_us[:, level])) for level in reversed(figure10.SHOWN)]
            lines.append((LABELS[protocol], load, _number(point.total_MBps.mean()), *each, *latency))
    shown = [str(level) for level in reversed(figure10.SHOWN)]
    return Table(
        name="figure10",
        title="Figure 10 in numbers",
        caption=_caption("128 priorities, service time 0.1 µs. Offered load per node and priority; five priorities."),
        columns=(
            "protocol",
            "load (MB/s)",
            "total (MB/s)",
            *(f"{level} (MB/s)" for level in shown),
            *(f"{level} (µs)" for level in shown),
        ),
        lines=tuple(lines),
    )


def _figure11(results: Results, scale: Scale) -> Table:
    lines: list[tuple[str | float, ...]] = []
    for protocol in PROTOCOLS:
        for percent in figure11.HOT_PERCENTS:
            points = figure11.curve(protocol, percent).points(results, scale)
            totals = [_number(point.total_MBps.mean()) for point in points.values()]
            lines.append((LABELS[protocol], f"{percent} %", *totals))
    return Table(
        name="figure11",
        title="Figure 11 in numbers",
        caption=_caption(
            "Throughput of the ring over the offered load of each of the seven nodes, service time 0.1 µs."
        ),
        columns=("protocol", "hot share", *(f"{load:g} MB/s" for load in figure11.LOADS)),
        lines=tuple(lines),
    )


def _stalls(results: Results, scale: Scale) -> list[Table]:
    """Returns a table of the points with runs that stalled, if there are any."""
    lines: list[tuple[str | float, ...]] = []
    for curve in all_curves(scale):
        for load, point in curve.points(results, scale).items():
            if point.stalls:
                hot = "" if curve.hot_percent is None else f", {curve.hot_percent} % hot"
                runs = f"{len(point.stalls)} of {len(point.total_MBps)}"
                place = f"{curve.file}{hot}"
                lines.append((LABELS[curve.protocol], curve.setting.name, place, load, runs, point.stalls[0]))
    if not lines:
        return []
    table = Table(
        name="stalls",
        title="Runs that stalled",
        caption=_caption(
            "Packets waited and none was accepted for 0.4 ms: the protocol is dead. Such a run counts as 0 MB/s."
        ),
        columns=("protocol", "setting", "scenario", "load (MB/s)", "runs", "first of them"),
        lines=tuple(lines),
    )
    return [table]


def all_curves(scale: Scale) -> list[Curve]:
    """Returns every curve of the study."""
    return [
        *(figure8.curve(part, protocol) for part in figure8.PARTS for protocol in PROTOCOLS),
        *(figure9.curve(part, protocol) for part in figure9.PARTS for protocol in PROTOCOLS),
        *(figure10.curve(protocol) for protocol in PROTOCOLS),
        *(figure11.curve(protocol, percent) for protocol in PROTOCOLS for percent in figure11.HOT_PERCENTS),
        *(figure11.peak_curve(protocol, percent) for protocol, percent in figure11.PEAK_LOADS),
        *([] if scale.quick else nearest.curves()),
    ]


def _caption(text: str) -> str:
    return f"{text} Means over the seeds; {UNITS}. Latency is one-way; – where nothing was delivered."


def _pairs(names: Sequence[str]) -> list[str]:
    return [f"{name} ({unit})" for name in names for unit in ("MB/s", "µs")]


def _words(point: Point, level: int) -> tuple[str | float, str | float]:
    return _number(point.throughput_MBps[:, level].mean()), _number(_mean(point.latency_us[:, level]))


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Mean of the seeds that have a value."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else float("nan")


def _number(value: float) -> str | float:
    # Four digits, as the report shows figures.
    return float(f"{value:.4g}") if np.isfinite(value) else "–"
