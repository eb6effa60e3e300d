"""The alternative: a responder that has one place for a packet, and is busy with it for the printed 120 ns alone."""

from ringlet.papers.agreement import agrees
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1997 import delays
from ringlet.papers.richter1997.delays import LITERAL
from ringlet.papers.richter1997.study import PAPER, Results, Scale
from ringlet.papers.runs import Case

OVERRIDES = ("queues.receive=1", "queues.service_time=120 ns")
"""Keys of a responder with one place: without one that waits, a full ring makes it take every second packet, whatever
the packet's rate."""


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of all rows with such a responder."""
    return delays.row_cases(scale, *OVERRIDES)


def table(results: Results, scale: Scale) -> Table:
    """Returns every row with such a responder beside the one that counts."""
    counts = delays.measurements(results, LITERAL, scale)
    alternative = delays.measurements(results, LITERAL, scale, *OVERRIDES)
    lines: list[tuple[str | float, ...]] = []
    for figure in figures_of(PAPER):
        ours, other = counts[figure.id], alternative[figure.id]
        values: tuple[str | float, ...] = (figure.value, ours.value, other.value)
        if figure.kind == "shape":
            values = ("holds", *("holds" if found.value else "does not hold" for found in (ours, other)))
        agree = "yes" if agrees(figure, other.value) else "no"
        lines.append((figure.id.partition(".")[2], *values, agree, other.detail))
    return Table(
        name="one_place",
        title="A responder with one place",
        caption="The responder has one place and is busy for the printed 120 ns, in place of four and 366 ns. It "
        "decides no row. Packets put on the ring for the first time.",
        columns=("row", "published", "366 ns, 4 places", "120 ns, 1 place", "would agree", "detail"),
        lines=tuple(lines),
    )
