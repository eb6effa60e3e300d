"""Tables beside the rows: the figures in numbers, and what the gain rests on."""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1997 import cables, lengths, one_place
from ringlet.papers.richter1997.delays import FILES, STRATEGIES, SWITCH, points
from ringlet.papers.richter1997.study import Results, Scale

TITLES = {"figure4-10": "Figure 4.10 (3:1) in numbers", "figure4-11": "Figures 4.11 and 4.12 (9:1) in numbers"}


def paper_tables(results: Results, scale: Scale) -> tuple[Table, ...]:
    """Returns every table."""
    each = [_curves(results, file, TITLES[file.removesuffix(".toml")], scale) for file in FILES.values()]
    return (
        *each,
        cables.table(results, scale),
        *([] if scale.quick else _further(results, scale)),
    )


def _further(results: Results, scale: Scale) -> list[Table]:
    switch = _curves(results, SWITCH, "Figure 4.9 (b): a ring at a switch, in numbers", scale)
    return [switch, one_place.table(results, scale), *lengths.tables(results, scale)]


def _curves(results: Results, file: str, title: str, scale: Scale) -> Table:
    curves = [points(results, file, strategy, scale) for strategy in STRATEGIES]
    lines: list[tuple[str | float, ...]] = []
    for delay in scale.delays_us:
        words: list[str] = []
        for curve in curves:
            point = curve[delay]
            each = (point.accepted_MBps, point.raw_MBps, point.retry_MBps)
            words.append(" / ".join(f"{values.mean():z.0f}" for values in each))
        lines.append((f"{delay:g}", *words))
    return Table(
        name=file.removesuffix(".toml"),
        title=title,
        caption="Accepted / put on the ring for the first time / again, in MB/s of packet bytes; means over the seeds.",
        columns=("initial delay (µs)", *STRATEGIES),
        lines=tuple(lines),
    )
