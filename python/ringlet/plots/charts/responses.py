"""Responses of periodic messages and control loops beside their deadlines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import MOST, Figure, Name, Packets, Part, RunChart, given, some
from ringlet.plots.documents import Runs, number, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Level, Series
from ringlet.sections import Field

MOST_NAMES = 16
"""Messages and loops up to which their names stand below the axis, and not their numbers."""


class Response(Part):
    """The record of a message or a loop."""

    name: Name
    deadline_ns: Annotated[float, Field(gt=0, le=MOST)]
    mean_response_ns: Figure | None
    worst_response_ns: Figure | None
    missed: Packets


class Takes(Part):
    """The messages and loops of a run."""

    messages: list[Response] = Field(default=[])
    loops: list[Response] = Field(default=[])


def message_chart(runs: Runs) -> Chart:
    """Worst response of each periodic message and control loop as a share of its deadline: what is left to the line is
    the margin.

    Raises:
        RingletError: no run has messages or loops.
    """
    documents = given(runs, with_deadlines, "messages or loops")
    found = {name: with_deadlines(document) for name, document in documents.items()}
    what = _what(documents.values())
    names = list(dict.fromkeys(str(record["name"]) for records in found.values() for record in records))
    place = {name: float(i) for i, name in enumerate(names)}
    series = []
    for i, (name, records) in enumerate(found.items()):
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(found))
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
        caption=f"Worst response of each {what} as a share of its deadline, with a line down to the mean; what is "
        "left up to the dashed line is the margin in this run, not a guarantee. Hollow: deadlines were missed.",
        panels=(
            Panel(
                Axis(what, categories=categories),
                Axis("response, share of the deadline (%)", low=0.0),
                tuple(series),
                levels=(Level("deadline", 100.0),),
                note="marks: worst response; lines: down to the mean",
                hollow="missed" if any(any(one.hollow) for one in series) else "",
            ),
        ),
        panel_inches=(max(5.0, min(12.0, 0.9 * len(names) + 1)), 3.8),
    )


def with_deadlines(document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Returns the records of a run that have deadlines: messages, and then loops."""
    return [*document.get("messages", ()), *document.get("loops", ())]


def _what(documents: Iterable[Mapping[str, Any]]) -> str:
    """Returns what the runs have of them, in words."""
    documents = list(documents)
    return " or ".join(
        word for key, word in (("messages", "message"), ("loops", "loop")) if any(one.get(key) for one in documents)
    )


CHART = RunChart(
    "deadlines",
    "the worst response of each message or control loop as a share of its deadline, where there are any: what is left "
    "up to the line is the margin",
    message_chart,
    Takes,
    some(with_deadlines),
)
