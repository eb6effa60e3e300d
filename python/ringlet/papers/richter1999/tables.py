"""Tables beside the rows."""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999 import counts, locality, others, overload, testbeds, variants
from ringlet.papers.richter1999.choices import PARAMETERS, READINGS
from ringlet.papers.richter1999.study import Results, Scale
from ringlet.papers.richter1999.systems import SYSTEMS, curve


def paper_tables(results: Results, scale: Scale) -> tuple[Table, ...]:
    """Returns every table."""
    return (
        _parameters(),
        _curves(results, scale),
        *([] if scale.quick else [variants.table(results, scale)]),
        overload.table(results, scale),
        locality.table(results, scale),
        others.table(results, scale),
        counts.table(),
        *testbeds.tables(results, scale),
    )


def _parameters() -> Table:
    return Table(
        name="parameters",
        title="The parameters of Figures 6.21 to 6.27",
        caption="The same in all six scenario files. Reading nwrite64 changes: "
        + ", ".join(READINGS[1].overrides)
        + ".",
        columns=("key", "value", "chosen by us", "source"),
        lines=tuple((one.key, str(one.value), "yes" if one.chosen else "", one.source) for one in PARAMETERS),
    )


def _curves(results: Results, scale: Scale) -> Table:
    lines: list[tuple[str | float, ...]] = []
    for system in SYSTEMS:
        curves = [curve(results, system, reading, scale) for reading in READINGS]
        for rate in curves[0].points:
            words: list[str] = []
            for line in curves:
                point = line.points[rate]
                words += [
                    f"{point.output_MBps:z.1f}",
                    f"{point.loss_MBps:z.1f}",
                    f"{point.least_latency_ns:z.0f} / {point.mean_latency_ns:z.0f} / {point.largest_latency_ns:z.0f}",
                ]
            lines.append((system.title, rate * system.processors, *words))
    parts = ("output", "losses", "latency (ns)")
    return Table(
        name="curves",
        title="Figures 6.21 to 6.27 in numbers",
        caption="Gross input of all processors; output and losses in MB/s of payload; least, mean and largest latency.",
        columns=("system", "input (MB/s)", *(f"{reading.name}: {part}" for reading in READINGS for part in parts)),
        lines=tuple(lines),
    )
