"""Responses of periodic messages beside their deadlines."""

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.documents import Runs, documents_of, number, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Level, Series

MOST_NAMES = 16
"""Messages up to which their names stand below the axis, and not their numbers."""


def message_chart(runs: Runs) -> Chart:
    """Worst response of each periodic message as a share of its deadline: what is left to the line is the margin.

    Raises:
        RingletError: no run has periodic messages.
    """
    given = {name: document["messages"] for name, document in documents_of(runs).items() if document.get("messages")}
    if not given:
        raise RingletError("runs: none with messages; allowed: one or more with periodic messages")
    names = list(dict.fromkeys(str(record["name"]) for records in given.values() for record in records))
    place = {name: float(i) for i, name in enumerate(names)}
    series = []
    for i, (name, records) in enumerate(given.items()):
        colour, marker = look(i)
        offset, width = offset_and_width(i, len(given))
        deadlines = [record["deadline_ns"] / 100 for record in records]
        worst = [number(record["worst_response_ns"]) for record in records]
        mean = [number(record["mean_response_ns"]) for record in records]
        shares = tuple(value / deadline for value, deadline in zip(worst, deadlines, strict=True))
        series.append(
            Series(
                name,
                tuple(place[str(record["name"])] for record in records),
                shares,
                low=tuple(value / deadline for value, deadline in zip(mean, deadlines, strict=True)),
                high=shares,
                mark="points",
                colour=colour,
                marker=marker,
                offset=offset,
                width=width,
                # One that misses a deadline has no margin.
                hollow=tuple(bool(record["missed"]) for record in records),
            )
        )
    few = len(names) <= MOST_NAMES
    categories = tuple(name.replace(" ", "\n") for name in names) if few else tuple(map(str, range(len(names))))
    return Chart(
        name="deadlines",
        title="Responses beside deadlines",
        caption="Worst response of each message as a share of its deadline, with a line down to the mean; what is "
        "left up to the dashed line is the margin in this run, not a guarantee. Hollow: deadlines were missed.",
        panels=(
            Panel(
                Axis("message", categories=categories),
                Axis("response, share of the deadline (%)", low=0.0),
                tuple(series),
                levels=(Level("deadline", 100.0),),
                note="marks: worst response; lines: down to the mean",
                hollow="missed" if any(any(one.hollow) for one in series) else "",
            ),
        ),
        panel_inches=(max(5.0, min(12.0, 0.9 * len(names) + 1)), 3.8),
    )
