"""Loads and throughputs."""

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import by_series
from ringlet.figures.measurements import Found


def _half_width(found: Found) -> list[float | None]:
    ns = found.symbol_time_ns
    return [
        None if each is None else each * found.symbol_bytes * 1e3 / ns
        for each in found.half_widths("throughput_half_width")
    ]


RATES = (
    Figure(
        "offered_MBps",
        "offered load",
        "Offered data: what the sources generated; a saturated source takes a word per cycle.",
        unit="MB/s",
        values=by_series(lambda found: found.MBps(found.series("offered_bytes"))),
        heading="offered\nMB/s",
    ),
    Figure(
        "throughput_MBps",
        "throughput",
        "Data that was served at its destination, credited to the source of the requests: 64 bytes of each read64, "
        "nwrite64 or dmove64, all bytes of a bare send packet.",
        unit="MB/s",
        values=by_series(lambda found: found.MBps(found.payload_bytes)),
        heading="throughput\nMB/s",
    ),
    Figure(
        "throughput_ci95_MBps",
        "throughput ± 95 %",
        "Half width of the 95 % interval of the throughput, by the batch means of this run.",
        unit="MB/s",
        values=by_series(_half_width),
        may_lack=True,
        over_seeds=OverSeeds.HALF_WIDTH,
        half_width_of="throughput_MBps",
    ),
    Figure(
        "throughput_words_per_cycle",
        "throughput",
        "Words of send packets, requests and responses, that were served, for each cycle: headers and CRC included, "
        "idles and echoes not. A word is what a symbol holds, 16 bits unless `network.link_width` says otherwise.",
        unit="words/cycle",
        values=by_series(lambda found: found.per_cycle(found.series("packet_symbols"))),
        heading="words\nper cycle",
    ),
)
