"""The test beds of Section 6.4: two PCs with a PCI/B-Link bridge on a ring, simulated from memory to memory."""

from dataclasses import dataclass

from ringlet.papers.agreement import MissingInput
from ringlet.papers.measurement import Measurement
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.study import PAPER, Results, Scale
from ringlet.papers.runs import Case

STREAMS = (1, 2, 4, 8)
BUFFER_BYTES = 64
BLOCKS = (16, 64, 128, 192, 256, 320, 384, 512, 1024, 4096)
"""Bytes of a block without software check."""
CHECK = "6.8 us"
"""Time of the software check after each block; fitted to the latency of small blocks (Figure 6.5)."""
CHECKED_BLOCKS = (16, 64, 256, 1024, 4096, 16384, 65536, 262144)
FULL_SPEED = 0.95
"""A block has reached full speed if it gets this part of what the largest gets."""
STRICT = 0.998
"""Largest such part under which the knees of one, two and four streams are the published ones."""
APART_US = 10.0
"""Pause between blocks of which the latency is looked for: long enough for all of the buffers to be free again."""
LONGEST_APART = 4096
"""Bytes of the longest block of which the latency is looked for."""
SMALL = 16
"""Bytes of a small block."""
REACHES_KB = 64
SYSTEM_2 = "testbed-2.toml"


@dataclass(frozen=True, slots=True)
class Bed:
    """A test bed under one setting."""

    name: str
    file: str
    overrides: tuple[str, ...]
    blocks: tuple[int, ...] = BLOCKS

    def case(self, block: int, scale: Scale, *more: str) -> Case:
        """Returns the case of one block size."""
        transaction = ("traffic.transaction=dmove16",) if block < BUFFER_BYTES else ()
        duration = () if scale.quick or block < max(BLOCKS) else ("run.duration=100 ms",)
        return Case(
            PAPER,
            self.file,
            (*self.overrides, f"traffic.block={block}", *transaction, *scale.overrides, *duration, *more),
        )

    def rates_MBps(self, results: Results, scale: Scale) -> dict[int, float]:  # noqa: N802 - the unit
        """Returns the throughput by block size."""
        return {block: results[self.case(block, scale)].output_MBps for block in self.blocks}


WRITE_1 = Bed("test bed 1, write", "testbed-1-write.toml", ())
READ_1 = Case(PAPER, "testbed-1-read.toml")
STREAMS_2 = {
    streams: Bed(f"{streams} stream{'s' * (streams > 1)}", SYSTEM_2, (f"host.adapter.streams={streams}",))
    for streams in STREAMS
}
CHECKED_2 = Bed("1 stream, check", SYSTEM_2, (f"host.adapter.check={CHECK}",), CHECKED_BLOCKS)
BEDS = (WRITE_1, *STREAMS_2.values(), CHECKED_2)


def read_case(scale: Scale) -> Case:
    """Returns the case of remote read on test bed 1."""
    return Case(PAPER, READ_1.file, scale.overrides)


def apart_case(bed: Bed, block: int, scale: Scale) -> Case:
    """Returns the case of blocks that come one by one."""
    duration = "5 ms" if scale.quick else "50 ms"
    return bed.case(block, scale, f"traffic.pause={APART_US:g} us", f"run.duration={duration}")


def small_case(bed: Bed, scale: Scale) -> Case:
    """Returns the case of small blocks that come one by one."""
    return apart_case(bed, SMALL, scale)


def cases(scale: Scale) -> list[Case]:
    """Returns every case of the test beds."""
    curves = [bed.case(block, scale) for bed in BEDS for block in bed.blocks]
    apart = [apart_case(bed, block, scale) for bed in BEDS for block in bed.blocks if block <= LONGEST_APART]
    return [*curves, *apart, read_case(scale)]


def latencies_us(results: Results, bed: Bed, scale: Scale) -> dict[int, float]:
    """Returns by block size the time from the begin of a block until the next one may begin."""
    cases = {block: apart_case(bed, block, scale) for block in bed.blocks if block <= LONGEST_APART}
    return {block: block / results[case].output_MBps - APART_US for block, case in cases.items()}


def small_latency_us(results: Results, bed: Bed, scale: Scale) -> float:
    """Returns the latency of a small block."""
    return latencies_us(results, bed, scale)[SMALL]


def knee(rates: dict[int, float], part: float = FULL_SPEED) -> int:
    """Returns the smallest block that has `part` of the largest rate."""
    most = max(rates.values())
    return next(block for block, rate in rates.items() if rate >= part * most)


def missing_inputs(results: Results, scale: Scale) -> dict[str, MissingInput]:
    """Returns by row id our range over what the chapter does not say of a test bed."""
    checked = CHECKED_2.rates_MBps(results, scale)
    return {
        f"{PAPER}.f4.check.knee": MissingInput(
            f"what counts as the maximum: from {FULL_SPEED:.0%} to {STRICT:.1%} of the largest throughput",
            low=knee(checked) / 1024,
            high=knee(checked, STRICT) / 1024,
        )
    }


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the figures of Section 6.4 by row id."""
    write, checked = WRITE_1.rates_MBps(results, scale), CHECKED_2.rates_MBps(results, scale)
    streams = {count: bed.rates_MBps(results, scale) for count, bed in STREAMS_2.items()}
    read = results[read_case(scale)].output_MBps
    half = min(write, key=lambda block: abs(write[block] / max(write.values()) - 0.5))
    setup_write, setup_read = small_latency_us(results, WRITE_1, scale), BUFFER_BYTES / read
    knees = {count: knee(streams[count]) for count in (1, 2, 4)}
    most = {count: max(rates.values()) for count, rates in streams.items()}
    doubles = knees[2] == 2 * knees[1] and knees[4] == 2 * knees[2]
    linear = all(most[2 * count] >= LINEAR * 2 * most[count] for count in (1, 2))
    at_64_kb = checked[REACHES_KB * 1024] / max(checked.values())
    single, eight = STREAMS_2[1], STREAMS_2[8]
    words = f"{FULL_SPEED:.0%} of the largest throughput"
    found = {
        "f2.write.knee": Measurement(knee(write), detail=words, case=WRITE_1.case(256, scale)),
        "f2.write.half": Measurement(
            half, detail=f"{write[half] / max(write.values()):.0%} there", case=WRITE_1.case(half, scale)
        ),
        "f2.read.ratio": Measurement(
            max(write.values()) / read,
            detail=f"{max(write.values()):z.1f} over {read:z.2f} MB/s; fitted",
            case=read_case(scale),
        ),
        "f3.setup": Measurement(
            max(setup_write, setup_read),
            detail=f"the longer of write, {setup_write:z.1f}, and read, {setup_read:z.1f}",
            case=read_case(scale),
        ),
        "f4.one": Measurement(most[1], detail="fitted", case=single.case(64, scale)),
        "f4.knee": Measurement(knees[1], detail=words, case=single.case(64, scale)),
        "f4.check.knee": Measurement(
            knee(checked) / 1024,
            detail=f"{words}; {at_64_kb:.1%} at {REACHES_KB} kB",
            case=CHECKED_2.case(knee(checked), scale),
        ),
        "f5.small": Measurement(
            small_latency_us(results, single, scale),
            detail=f"{SMALL} bytes, until they stand in the buffer; fitted",
            case=small_case(single, scale),
        ),
        "f5.check": Measurement(
            small_latency_us(results, CHECKED_2, scale),
            detail=f"{SMALL} bytes, accepted and checked; fitted",
            case=small_case(CHECKED_2, scale),
        ),
        "f6.linear": Measurement(
            float(doubles and linear),
            detail=", ".join(f"{count}: {most[count]:z.1f} MB/s from {knees[count]} B on" for count in (1, 2, 4)),
        ),
        "f8.max": Measurement(
            streams[8][256], detail=f"at 256 B; the largest is {most[8]:z.1f}; fitted", case=eight.case(256, scale)
        ),
        "f8.drop": Measurement(
            max(rate for block, rate in streams[8].items() if block >= 512),
            detail="largest from 512 B on; fitted",
            case=eight.case(512, scale),
        ),
    }
    return {f"{PAPER}.{row}": measurement for row, measurement in found.items()}


LINEAR = 0.9
"""Twice the streams scale nearly linearly if they get this part of twice the throughput."""


def tables(results: Results, scale: Scale) -> tuple[Table, Table]:
    """Returns throughput and latency over the block size."""
    rates = {bed.name: bed.rates_MBps(results, scale) for bed in BEDS}
    latencies = {bed.name: latencies_us(results, bed, scale) for bed in BEDS}
    throughput = _over_blocks(
        rates,
        "testbeds",
        "Test beds: throughput over the block size",
        "In MB/s, from memory to memory over a simulated ring. The bridge's times are fitted: a description, "
        "not a prediction.",
    )
    latency = _over_blocks(
        latencies,
        "testbed-latencies",
        "Test beds: latency over the block size",
        f"In us, from the begin of a block until the next one may begin, {APART_US:g} us of pause between them.",
    )
    return throughput, latency


def _over_blocks(curves: dict[str, dict[int, float]], name: str, title: str, caption: str) -> Table:
    blocks = sorted({block for each in curves.values() for block in each})
    lines: list[tuple[str | float, ...]] = [
        (block, *(f"{each[block]:z.2f}" if block in each else "–" for each in curves.values())) for block in blocks
    ]
    return Table(name=name, title=title, caption=caption, columns=("block (B)", *curves), lines=tuple(lines))
