"""Tables of a run's document: by node, priority, message, builder, interface, link controller, B-Link."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.cli.tables import MISSING, SHOWN_NODES, Table, column, figure, left_out
from ringlet.document.part import DocumentPart
from ringlet.figures import Figure, Part, figures_of, with_half_width
from ringlet.figures.errors import COUNTS, FIRST
from ringlet.figures.switches import B_LINK, CONTROLLER
from ringlet.scenario.activities.deadlines import margin_ns
from ringlet.scenario.activities.flows.figures import OF_DESTINATIONS, OF_FLOWS, OF_PAIRS
from ringlet.scenario.activities.messages.activity import MESSAGES
from ringlet.scenario.activities.tables import LABELS

Record = Mapping[str, Any]

NODE = (
    *("offered_MBps", "throughput_MBps", "throughput_words_per_cycle", "fair_share_MBps", "of_optimum"),
    *("latency_mean_ns", "latency_ci95_ns", "latency_p95_ns", "latency_p99_ns", "latency_max_ns"),
    *("lost_MBps", "retries"),
)
"""Figures of each node, and in total."""

RETRY_RATE = ("retry_MBps",)
"""Figures of each node and priority that are shown besides where packets were sent again."""

PRIORITY = (
    *("offered_MBps", "throughput_MBps", "latency_mean_ns", "latency_p99_ns", "latency_max_ns"),
    *("output_inversion_share", "output_inversion_mean_ns", "output_inversion_max_ns"),
    *("input_inversion_share", "input_inversion_mean_ns", "input_inversion_max_ns"),
)

MESSAGE = (
    *("source", "destination", "priority", "size_bytes", "period_ns", "deadline_ns", "released", "missed"),
    *("deadline_miss_ratio", "mean_response_ns", "p99_response_ns", "worst_response_ns"),
)


def by_node(nodes: Sequence[Record], total: Record) -> Table:
    """Returns rates and latencies of each node, and in total: where requests have responses, those of transactions.

    A starved node has no latency there: that of the few packets that got through would be the ring's best. Nor has one
    whose latency grows throughout the run.
    """
    shown = [
        _without_latency(node) if node["starved"] or node["latency_growth"] is not None else node
        for node in nodes[:SHOWN_NODES]
    ]
    total = total if total["latency_growth"] is None else _without_latency(total)
    names = (*NODE, *(RETRY_RATE if total["retries"] else ()))
    if total["response_latency_mean_ns"] is not None:
        names = tuple(name.replace("latency", "message_latency") for name in names if name != "latency_ci95_ns")
    figures = named("nodes", names)
    rows = Table(("node", *headings(figures)))
    for node, *cells in zip(shown, *columns(figures, shown), strict=True):
        rows.add_row(node["name"].removeprefix("node "), *cells)
    left_out(len(nodes), rows)
    rows.add_row("total", *(cells[0] for cells in columns(named("total", names), [total])), style="bold")
    return rows


def _without_latency(node: Record) -> Record:
    """Returns the record of a node without its latencies."""
    unknown = {key: dict.fromkeys(node[key]) for key in ("latency_ns", "message_latency_ns")}
    return {**node, **unknown}


def by_priority(priorities: Sequence[Record]) -> Table:
    """Returns what each priority gets and how long lower ones hold it up, the highest first; of many a selection."""
    falling = list(reversed(priorities))
    shown = [falling[place] for place in evenly(len(falling), SHOWN_NODES)]
    again = any(one["retries"] for one in falling)
    figures = named("priorities", (*PRIORITY, *(RETRY_RATE if again else ())))
    rows = Table(("priority", *headings(figures)))
    for one, *cells in zip(shown, *columns(figures, shown), strict=True):
        rows.add_row(str(one["priority"]), *cells)
    if len(falling) > len(shown):
        rows.add_row(f"... {len(shown)} of {len(falling)}; --json has all")
    return rows


def by_retries(distribution: Record) -> Table:
    """Returns how many packets were accepted after each number of retries; of many numbers a selection."""
    total = distribution["total"]
    retries, packets = total["retries"], total["packets"]
    every = sum(packets)
    rows = Table(("retries of\na packet", "\npackets", "as many\nor more %"))
    left = [every - sum(packets[:place]) for place in range(len(packets))]
    shown = evenly(len(retries), SHOWN_NODES)
    for place in shown:
        rows.add_row(str(retries[place]), str(packets[place]), figure(100 * left[place] / every))
    if len(retries) > len(shown):
        rows.add_row(f"... {len(shown)} of {len(retries)}; --json has all")
    return rows


def by_message(messages: Sequence[Record]) -> Table:
    """Returns responses and missed deadlines of each message; of many those that missed most come first, then those
    that came closest to their deadlines."""
    ordered = list(messages)
    if len(ordered) > SHOWN_NODES:
        ordered.sort(key=lambda one: (-(one["deadline_miss_ratio"] or 0), _margin_share(one)))
    shown = ordered[:SHOWN_NODES]
    figures, labels = named("messages", MESSAGE), _labels(messages)
    rows = Table(("message", *headings(figures), "margin\nus"), words=labels)
    margins = column(None if (left := margin_ns(each)) is None else left / 1e3 for each in shown)
    for message, margin, *cells in zip(shown, margins, *columns(figures, shown), strict=True):
        words = [message.get(LABELS, {}).get(name, "") for name in labels]
        rows.add_row(message["name"], *cells, margin, *words, style="red" if message["missed"] else None)
    left_out(len(messages), rows, what="that missed less and came less close")
    return rows


def by_flow(flows: Sequence[Record], *, what: str = "flow", figures: Sequence[Figure] = OF_FLOWS) -> Table:
    """Returns what each flow offered and what became of it: those that lost or missed most come first, then those whose
    messages took longest.

    Args:
        flows: records of flows, or of pairs of nodes or destinations.
        what: the heading of their names.
        figures: that they have.
    """
    ordered = sorted(flows, key=lambda one: (-_unserved(one), -_longest(one)))
    shown = [figure for figure in figures if figure.heading and (figure.name != "missed" or _have_deadlines(flows))]
    labels = _labels(flows)
    rows = Table((what, *headings(shown)), words=labels)
    for one, *cells in zip(ordered[:SHOWN_NODES], *columns(shown, ordered[:SHOWN_NODES]), strict=True):
        words = [one.get(LABELS, {}).get(name, "") for name in labels]
        rows.add_row(one["name"], *cells, *words, style="red" if one["missed"] or one["lost"] else None)
    left_out(len(flows), rows, what="that lost and missed less and took less long")
    return rows


def _labels(records: Sequence[Record]) -> list[str]:
    """Returns the names of the labels that any record has, in the order of the table; records of older files have
    none."""
    return list(dict.fromkeys(name for one in records for name in one.get(LABELS, {})))


def _longest(flow: Record) -> float:
    """Returns the largest latency of a flow; infinite where none of what it offered was complete."""
    return flow["latency_max_ns"] or (math.inf if flow["offered"] else 0.0)


def _unserved(flow: Record) -> float:
    """Returns the share of a flow's messages that were lost or missed their deadlines."""
    return max(flow["deadline_miss_ratio"] or 0.0, flow["lost"] / flow["offered"] if flow["offered"] else 0.0)


def _have_deadlines(flows: Sequence[Record]) -> bool:
    return any(one["missed"] is not None for one in flows)


def _margin_share(message: Record) -> float:
    """Returns the margin as a share of the deadline; infinite without a response."""
    left = margin_ns(message)
    return math.inf if left is None else left / message["deadline_ns"]


def by_record(part: DocumentPart, records: Sequence[Record]) -> Table:
    """Returns a row for each record of a part that an activity has; of messages also their margins."""
    if part.figures is MESSAGES:
        return by_message(records)
    if part.figures in (OF_FLOWS, OF_PAIRS, OF_DESTINATIONS):
        return by_flow(records, what=part.row, figures=part.figures)
    shown = [figure for figure in part.figures if figure.name not in part.hidden]
    return _by_name(part.row, shown, records, late=part.late)


def by_phases(responses: Sequence[Record]) -> Table:
    """Returns the worst response of each message and loop in the phases of a run, in those searched, and its bound; of
    many those that came closest to their deadlines come first."""
    ordered = list(responses)
    if len(ordered) > SHOWN_NODES:
        ordered.sort(key=lambda one: -(one["searched_ns"] or 0.0) / one["deadline_ns"])
    shown = ordered[:SHOWN_NODES]
    rows = Table(("response", "deadline\nus", "these phases\nus", "searched\nus", "bound\nus"))
    names = ("deadline_ns", "these_phases_ns", "searched_ns", "bound_ns")
    cells = [column(None if one[name] is None else one[name] / 1e3 for one in shown) for name in names]
    for one, *times in zip(shown, *cells, strict=True):
        late = (one["searched_ns"] or 0.0) > one["deadline_ns"]
        rows.add_row(one["name"], *times, style="red" if late else None)
    left_out(len(responses), rows, what="that came less close")
    return rows


def by_controller(controllers: Sequence[Record]) -> Table:
    """Returns what link controllers sent, took and refused, and their queues."""
    return _by_name("link controller", CONTROLLER, controllers)


def by_b_link(links: Sequence[Record]) -> Table:
    """Returns what B-Links moved."""
    return _by_name("B-Link", B_LINK, links)


def by_interface(errors: Record) -> Table:
    """Returns what was lost on the link to each interface and what its time-outs detected, and in total."""
    return _by_name("interface", (*COUNTS, *FIRST), errors["interfaces"], total=errors)


def _by_name(
    what: str,
    figures: Sequence[Figure],
    records: Sequence[Record],
    *,
    total: Record | None = None,
    late: str = "",
) -> Table:
    """Returns a row for each record, by its name; `late` is a count that makes a row red."""
    shown = records[:SHOWN_NODES]
    headed = [figure for figure in figures if figure.heading]
    rows = Table((what, *headings(headed)))
    for one, *cells in zip(shown, *columns(headed, shown), strict=True):
        rows.add_row(one["name"], *cells, style="red" if late and one[late] else None)
    left_out(len(records), rows)
    if total is not None:
        rows.add_row("total", *(cells[0] for cells in columns(headed, [total])), style="bold")
    return rows


def evenly(count: int, most: int) -> list[int]:
    """Returns at most `most` of the places 0 to `count` - 1, evenly spaced, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


def named(part: Part, names: Sequence[str]) -> list[Figure]:
    """Returns figures of a part of a run's document by their names."""
    there = {figure.name: figure for figure in figures_of(part)}
    return [there[name] for name in names]


def headings(figures: Sequence[Figure]) -> list[str]:
    """Returns the headings of columns: the figure in short, its unit in the last line."""
    return [figure.heading for figure in figures]


def columns(figures: Sequence[Figure], records: Sequence[Record]) -> list[list[str]]:
    """Returns a column of text for each figure, with a cell for each record; a figure has the precision of its
    interval, where both are shown."""
    values = {figure.name: [_value(record, figure.path) for record in records] for figure in figures}
    made = {figure.name: _column(figure, values[figure.name]) for figure in figures}
    for half in figures:
        if (name := half.half_width_of) in made:
            pairs = zip(values[name], values[half.name], made[name], made[half.name], strict=True)
            cells = [_with_half_width(value, width, texts, half.scale) for value, width, *texts in pairs]
            made[name], made[half.name] = [one for one, _ in cells], [other for _, other in cells]
    return [made[figure.name] for figure in figures]


def _with_half_width(value: float | None, width: float | None, texts: Sequence[str], scale: float) -> Sequence[str]:
    if value is None or not width:
        return texts
    return with_half_width(scale * value, scale * width, alone=lambda _: texts[0])


def _column(figure: Figure, values: Sequence[Any]) -> list[str]:
    if figure.kind != "number":
        return [MISSING if value is None else str(value) for value in values]
    return column(None if value is None else figure.scale * value for value in values)


def _value(record: Record, path: Sequence[str]) -> Any:  # noqa: ANN401 - a figure of any kind
    value: Any = record
    for key in path:
        value = value[key]
    return value
