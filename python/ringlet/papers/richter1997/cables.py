"""The length of the cables, which the paper does not give: it adds 4 ns for each metre of them (Section 4.6.3).

Echoes and go bits take longer on longer links, and a ring under SCI's flow control then carries less.
"""

from ringlet.papers.agreement import MissingInput, agrees
from ringlet.papers.measurement import Measurement
from ringlet.papers.published import PublishedFigure, figures_of
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1997 import delays
from ringlet.papers.richter1997.study import PAPER, Results, Scale
from ringlet.papers.runs import Case

PRINTED_M = 1
"""Length in the scenario files, in metres."""
LENGTHS_M = (PRINTED_M, 2, 5, 10, 20)
"""Lengths of cables, from a rack to a hall."""
BYPASS_NS, CABLE_NS = 40, 4
"""Delay of a node, and of each metre of cable (Section 4.6.3)."""
REASON = (
    "The paper adds 4 ns for each metre of cable and does not say how many metres there are; on longer links go bits "
    "come round later, and the ring carries less. The range is over "
    f"{LENGTHS_M[0]} to {LENGTHS_M[-1]} m, the rows' length being {PRINTED_M} m"
)


def overrides(length_m: int) -> tuple[str, ...]:
    """Returns what differs with cables of a length; nothing for that of the scenario files."""
    return () if length_m == PRINTED_M else (f"network.hop_delay={BYPASS_NS + CABLE_NS * length_m} ns",)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of the rows, all of which depend on the length."""
    return [case for length in LENGTHS_M for case in delays.row_cases(scale, *overrides(length))]


def measurements(results: Results, length_m: int, scale: Scale) -> dict[str, Measurement]:
    """Returns the rows at one length, by row id."""
    return delays.measurements(results, delays.LITERAL, scale, *overrides(length_m))


def missing_inputs(results: Results, scale: Scale) -> dict[str, MissingInput]:
    """Returns the range of every row over the lengths, by row id."""
    each = [measurements(results, length, scale) for length in LENGTHS_M]
    found = {}
    for figure in figures_of(PAPER):
        values = [rows[figure.id].value for rows in each]
        found[figure.id] = MissingInput(REASON, min(values), max(values))
    return found


def _words(figure: PublishedFigure, value: float) -> str:
    if figure.kind == "shape":
        return "holds" if value else "does not hold"
    return f"{value:.3g} {figure.unit}".removesuffix(" 1")


def table(results: Results, scale: Scale) -> Table:
    """Returns the rows over the length, and how many of them agree at each."""
    each = [measurements(results, length, scale) for length in LENGTHS_M]
    figures = figures_of(PAPER)
    lines: list[tuple[str | float, ...]] = [
        (
            figure.id.partition(".")[2],
            *(_words(figure, value) for value in (figure.value, *(rows[figure.id].value for rows in each))),
        )
        for figure in figures
    ]
    agreeing = (sum(agrees(figure, rows[figure.id].value) for figure in figures) for rows in each)
    lines.append((f"agree, of {len(figures)}", "", *(str(count) for count in agreeing)))
    return Table(
        name="cables",
        title="The length of the cables",
        caption="Rows by metres of cable on each link; throughput is that of packets put on the ring for the first "
        f"time. The paper gives 4 ns for each metre and no length; the rows have {PRINTED_M} m.",
        columns=("row", "published", *(f"{length} m" for length in LENGTHS_M)),
        lines=tuple(lines),
    )
