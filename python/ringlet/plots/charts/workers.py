"""Answers of each worker of a scatter-gather: how late they come, and for which of them the root waits."""

from functools import partial

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Name, Packets, Part, RunChart, given, some
from ringlet.plots.documents import Document, Runs, number, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field


class Worker(Part):
    """The record of a worker."""

    name: Name
    answers: Packets
    last_answers: Packets
    answer_mean_ns: Figure | None
    answer_max_ns: Figure | None


class Takes(Part):
    """The workers of a scatter-gather; empty without one."""

    workers: list[Worker] = Field(default=[])


def _workers(document: Document) -> bool:
    return any(one["answers"] for one in document.get("workers") or [])


def worker_chart(runs: Runs) -> Chart:
    """Time to the answers of each worker, mean and largest, and the share of rounds in which it answers last.

    Raises:
        RingletError: no run has a scatter-gather with an answer.
    """
    found = {name: document["workers"] for name, document in given(runs, _workers, "answers of workers").items()}
    names = list(dict.fromkeys(str(record["name"]) for records in found.values() for record in records))
    place = {name: float(i) for i, name in enumerate(names)}
    times, shares = [], []
    for i, (name, records) in enumerate(found.items()):
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(found))
        x = tuple(place[str(record["name"])] for record in records)
        mean = tuple(number(record["answer_mean_ns"]) / 1e3 for record in records)
        largest = tuple(number(record["answer_max_ns"]) / 1e3 for record in records)
        rounds = sum(record["last_answers"] for record in records)
        last = tuple(100 * record["last_answers"] / rounds if rounds else 0.0 for record in records)
        series = partial(Series, name, x, colour=colour, marker=marker, offset=offset, width=width)
        times.append(series(mean, low=mean, high=largest, mark="points"))
        shares.append(series(last, mark="bars"))
    axis = Axis("worker", categories=tuple(name.removeprefix("node ") for name in names))
    return Chart(
        name="workers",
        title="Answers of workers",
        caption="Above, the mean time from when the root begins a round until the answer of each worker is there, with "
        "a line up to the largest. Below, the share of the rounds in which that worker's answer is the last one, for "
        "which the root waits.",
        panels=(
            Panel(axis, Axis("time to answer (µs)", low=0.0), tuple(times), note="lines: up to the largest"),
            Panel(axis, Axis("answers last (% of rounds)", low=0.0), tuple(shares)),
        ),
        panel_inches=(max(5.0, min(12.0, 0.32 * len(names) + 2)), 2.6),
    )


CHART = RunChart(
    "workers",
    "the time to the answers of each worker, mean and largest, and the share of rounds in which it answers last, where "
    "there is a scatter-gather",
    worker_chart,
    Takes,
    some(_workers),
)
