"""The length of the cables, which the paper does not give: it adds 4 ns for each metre of them (Section 4.6.3).

Echoes and go bits take longer on longer links, and a ring under SCI's flow control then carries less.
"""

from ringlet.papers.agreement import Undetermined, agrees
from ringlet.papers.measurement import Measurement
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1997 import delays
from ringlet.papers.richter1997.study import PAPER, Results, Scale
from ringlet.papers.runs import Case

PRINTED_M = 1
"""Length in the scenario files, in metres."""
LENGTHS_M = (PRINTED_M, 2, 5, 10, 20)
"""From a rack to a hall."""
BYPASS_NS, CABLE_NS = 40, 4
"""Delay of a node, and of each metre of cable (Section 4.6.3)."""
ROWS = ("f10.limit", "f10.factor", "f11.none", "f11.delay")
"""Throughputs, which depend on the length."""
REASON = (
    "The paper adds 4 ns for each metre of cable and does not say how many metres there are; on longer links go bits "
    "come round later, and the ring carries less. The range is over "
    f"{LENGTHS_M[0]} to {LENGTHS_M[-1]} m, the rows' length being {PRINTED_M} m"
)


def overrides(length_m: int) -> tuple[str, ...]:
    """Returns what differs with cables of a length; nothing for that of the scenario files."""
    return () if length_m == PRINTED_M else (f"network.hop_delay={BYPASS_NS + CABLE_NS * length_m} ns",)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of the rows that depend on the length."""
    return [
        delays.case(file, delays.BEST, delay, *overrides(length))
        for length in LENGTHS_M
        for file in delays.FILES.values()
        for delay in (0, max(scale.delays_us))
    ]


def measurements(results: Results, length_m: int, scale: Scale) -> dict[str, Measurement]:
    """Returns the rows that depend on the length, by row id."""
    found = delays.throughputs(results, delays.LITERAL, scale, *overrides(length_m))
    return {f"{PAPER}.{row}": found[f"{PAPER}.{row}"] for row in ROWS}


def undetermined(results: Results, scale: Scale) -> dict[str, Undetermined]:
    """Returns, by row id, the rows whose published figure lies between those of two lengths."""
    each = [measurements(results, length, scale) for length in LENGTHS_M]
    found = {}
    for figure in figures_of(PAPER):
        values = [rows[figure.id].value for rows in each if figure.id in rows]
        if values and min(values) <= figure.value <= max(values):
            found[figure.id] = Undetermined(REASON, min(values), max(values))
    return found


def table(results: Results, scale: Scale) -> Table:
    """Returns the throughputs over the length, and how many of them agree at each."""
    each = [measurements(results, length, scale) for length in LENGTHS_M]
    figures = [figure for figure in figures_of(PAPER) if figure.id in each[0]]
    lines: list[tuple[str | float, ...]] = [
        (
            figure.id.partition(".")[2],
            f"{figure.value:g} {figure.unit}".removesuffix(" 1"),
            *(f"{rows[figure.id].value:.3g}" for rows in each),
        )
        for figure in figures
    ]
    agreeing = (sum(agrees(figure, rows[figure.id].value) for figure in figures) for rows in each)
    lines.append((f"agree, of {len(figures)}", "", *(str(count) for count in agreeing)))
    return Table(
        name="cables",
        title="The length of the cables",
        caption="Packets put on the ring for the first time, by metres of cable on each link. The paper gives 4 ns for "
        f"each metre and no length; the rows have {PRINTED_M} m.",
        columns=("row", "published", *(f"{length} m" for length in LENGTHS_M)),
        lines=tuple(lines),
    )
