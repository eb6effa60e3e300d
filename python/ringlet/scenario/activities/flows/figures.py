"""Figures of flows: of each, of each pair of nodes, and of each destination."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.document.measured import Found
from ringlet.scenario.activities.flows.found import MessagesFound
from ringlet.scenario.activities.labels import labels_of

FLOWS, PAIRS, DESTINATIONS = "flows", "pairs", "destinations"
"""Parts of the document, and attributes of `FlowsFound`."""


def _each(value: Callable[[Any], Any], part: Part, *, ns: bool = False) -> dict[Part, Values]:
    """Returns how a figure is computed for each record of a part."""

    def values(found: Found) -> list[Any]:
        every = [value(one) for one in getattr(found.activity(FLOWS), part)]
        return found.ns(every) if ns else every

    return {part: values}


def _rate(amount: Callable[[MessagesFound], int], part: Part) -> dict[Part, Values]:
    """Returns how an amount of bytes in the measured time becomes MB/s."""

    def values(found: Found) -> list[float]:
        ns = max(found.recorded.cycles, 1) * found.symbol_time_ns
        return [1e3 * amount(one) / ns for one in getattr(found.activity(FLOWS), part)]

    return {part: values}


def _quantile(place: int, part: Part) -> dict[Part, Values]:
    return _each(lambda one: None if one.quantile_cycles is None else one.quantile_cycles[place], part, ns=True)


_given = partial(Figure, over_seeds=OverSeeds.GIVEN)
_latency = partial(Figure, unit="ns", may_lack=True, scale=1e-3)


def _of_messages(part: Part) -> tuple[Figure, ...]:
    """Returns the figures of the messages of a flow, of a pair or of a destination."""
    return (
        Figure(
            "offered_MBps",
            "offered load",
            "Data of the messages released in the measured time.",
            unit="MB/s",
            values=_rate(lambda one: one.offered_bytes, part),
            heading="offered\nMB/s",
        ),
        Figure(
            "delivered_MBps",
            "delivered load",
            "Data of the messages that were complete in the measured time.",
            unit="MB/s",
            values=_rate(lambda one: one.delivered_bytes, part),
            heading="delivered\nMB/s",
        ),
        Figure(
            "offered",
            "offered messages",
            "Messages released in the measured time.",
            values=_each(lambda one: one.offered, part),
            kind="integer",
            heading="\noffered",
        ),
        Figure(
            "delivered",
            "delivered messages",
            "Messages that were complete in the measured time: all their packets, and responses, served.",
            values=_each(lambda one: one.delivered, part),
            kind="integer",
            heading="\ndelivered",
        ),
        Figure(
            "lost",
            "lost messages",
            "Messages that found a full queue, or of which a packet was lost.",
            values=_each(lambda one: one.lost, part),
            kind="integer",
            heading="\nlost",
        ),
        Figure(
            "unfinished",
            "unfinished messages",
            "Messages that were under way at the end.",
            values=_each(lambda one: one.unfinished, part),
            kind="integer",
        ),
        Figure(
            "missed",
            "missed deadlines",
            "Messages lost, or not complete by their deadline; missing without one.",
            values=_each(lambda one: one.missed, part),
            kind="integer",
            may_lack=True,
            heading="\nmissed",
        ),
        Figure(
            "deadline_miss_ratio",
            "share of missed deadlines",
            "Missed deadlines as a share of the messages that were complete or lost, or past their deadline; missing "
            "without any.",
            values=_each(lambda one: one.missed / one.judged if one.missed is not None and one.judged else None, part),
            may_lack=True,
        ),
        _latency(
            "latency_min_ns",
            "least latency",
            "Least time from when a message was due until it was complete.",
            values=_each(lambda one: one.least_cycles, part, ns=True),
            over_seeds=OverSeeds.LEAST,
        ),
        _latency(
            "latency_mean_ns",
            "mean latency",
            "Mean time from when a message was due until it was complete.",
            values=_each(lambda one: one.mean_cycles, part, ns=True),
            heading="latency\nmean us",
        ),
        _latency(
            "latency_p50_ns",
            "latency, median",
            "Median time from when a message was due until it was complete.",
            values=_quantile(0, part),
        ),
        _latency(
            "latency_p95_ns",
            "latency, 95th percentile",
            "95th percentile of the time from when a message was due until it was complete.",
            values=_quantile(1, part),
        ),
        _latency(
            "latency_p99_ns",
            "latency, 99th percentile",
            "99th percentile of the time from when a message was due until it was complete.",
            values=_quantile(2, part),
            heading="p99\nus",
        ),
        _latency(
            "latency_p999_ns",
            "latency, 99.9th percentile",
            "99.9th percentile of the time from when a message was due until it was complete.",
            values=_quantile(3, part),
        ),
        _latency(
            "latency_max_ns",
            "largest latency",
            "Longest time from when a message was due until it was complete.",
            values=_each(lambda one: one.largest_cycles, part, ns=True),
            over_seeds=OverSeeds.LARGEST,
            heading="largest\nus",
        ),
        _latency(
            "latency_jitter_ns",
            "latency jitter",
            "Largest latency less the least one.",
            values=_each(lambda one: one.jitter_cycles, part, ns=True),
            over_seeds=OverSeeds.LARGEST,
            heading="jitter\nus",
        ),
    )


OF_FLOWS = (
    _given("name", "flow", "Name of the flow.", values=_each(lambda one: one.flow.name, FLOWS), kind="string"),
    _given("source", "source", "Node that sends it.", values=_each(lambda one: one.flow.source, FLOWS), kind="integer"),
    _given(
        "destination",
        "destination",
        "Node that takes it; several are joined by `+`, `all` is every other one.",
        values=_each(lambda one: one.flow.to, FLOWS),
        kind="string",
    ),
    _given(
        "priority",
        "priority",
        "Its send priority.",
        values=_each(lambda one: one.flow.priority, FLOWS),
        kind="integer",
    ),
    _given(
        "size_bytes",
        "size",
        "Mean data of a message, in bytes.",
        values=_each(lambda one: one.flow.sizes.mean_bytes, FLOWS),
        heading="size\nbytes",
    ),
    *_of_messages(FLOWS),
    labels_of(_each(lambda one: dict(one.flow.labels), FLOWS), "the flow"),
)
"""Figures of each flow."""

OF_PAIRS = (
    _given(
        "name",
        "pair",
        "Names or numbers of both nodes, such as `0-3`.",
        values=_each(lambda one: one.name, PAIRS),
        kind="string",
    ),
    _given("source", "source", "Node that sends.", values=_each(lambda one: one.source, PAIRS), kind="integer"),
    _given(
        "destination",
        "destination",
        "Node that takes it.",
        values=_each(lambda one: one.destination, PAIRS),
        kind="integer",
    ),
    _given(
        "flows",
        "flows",
        "How many flows go from the one to the other.",
        values=_each(lambda one: one.flows, PAIRS),
        kind="integer",
        heading="\nflows",
    ),
    *_of_messages(PAIRS),
)
"""Figures of each pair of nodes."""

OF_DESTINATIONS = (
    _given(
        "name",
        "destination",
        "Name of the node, or its number where it has none.",
        values=_each(lambda one: one.name, DESTINATIONS),
        kind="string",
    ),
    _given(
        "destination",
        "destination",
        "Number of the node.",
        values=_each(lambda one: one.destination, DESTINATIONS),
        kind="integer",
    ),
    _given(
        "flows",
        "flows",
        "How many flows go there.",
        values=_each(lambda one: one.flows, DESTINATIONS),
        kind="integer",
        heading="\nflows",
    ),
    *_of_messages(DESTINATIONS),
)
"""Figures of each destination."""
