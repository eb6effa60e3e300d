"""A run's document as tables: by node, by priority, by message."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.cli.figures import column
from ringlet.cli.tables import SHOWN_NODES, left_out, table

if TYPE_CHECKING:
    from rich.table import Table

Record = Mapping[str, Any]

RATES = (
    "offered\nMB/s",
    "throughput\nMB/s",
    "words\nper cycle",
    "optimum\nMB/s",
    "of it\n%",
    "latency\nmean ns",
    "+/- 95 %\nns",
    "p95\nns",
    "p99\nns",
    "max\nns",
    "lost\nMB/s",
    "\nretries",
)

PRIORITY = (
    "offered\nMB/s",
    "throughput\nMB/s",
    "latency\nmean ns",
    "p99\nns",
    "max\nns",
    "output\ninversions %",
    "mean\nns",
    "max\nns",
    "input\ninversions %",
    "mean\nns",
    "max\nns",
)

MESSAGE = (
    "\nfrom",
    "\nto",
    "\npriority",
    "\nbytes",
    "period\nus",
    "deadline\nus",
    "\nreleased",
    "\nmissed",
    "miss\nratio",
    "response\nmean us",
    "p99\nus",
    "worst\nus",
)


def by_node(nodes: Sequence[Record], total: Record) -> "Table":
    """Returns rates and latencies of each node, and in total."""
    shown = nodes[:SHOWN_NODES]
    rows = table(("node", *RATES))
    for name, *figures in zip([node["name"].removeprefix("node ") for node in shown], *_rates(shown), strict=True):
        rows.add_row(name, *figures)
    left_out(len(nodes), rows)
    rows.add_row("total", *(figures[0] for figures in _rates([total])), style="bold")
    return rows


def by_priority(priorities: Sequence[Record]) -> "Table":
    """Returns what each priority gets and how long lower ones hold it up, the highest first; of many a selection."""
    falling = list(reversed(priorities))
    shown = [falling[place] for place in evenly(len(falling), SHOWN_NODES)]
    rows = table(("priority", *PRIORITY))
    columns = [
        column(one["offered_MBps"] for one in shown),
        column(one["throughput_MBps"] for one in shown),
        *(column(one["latency_ns"][key] for one in shown) for key in ("mean", "p99", "max")),
    ]
    for kind in ("output_inversions", "input_inversions"):
        shares = [one[kind]["share"] for one in shown]
        columns.append(column(None if share is None else 100 * share for share in shares))
        columns += [column(one[kind][key] for one in shown) for key in ("mean_ns", "max_ns")]
    for name, *figures in zip([str(one["priority"]) for one in shown], *columns, strict=True):
        rows.add_row(name, *figures)
    if len(falling) > len(shown):
        rows.add_row(f"... {len(shown)} of {len(falling)}")
    return rows


def by_message(messages: Sequence[Record]) -> "Table":
    """Returns responses and missed deadlines of each message; of many those that missed most come first."""
    ordered = list(messages)
    if len(ordered) > SHOWN_NODES:
        ordered.sort(key=lambda one: -(one["deadline_miss_ratio"] or 0))
    shown = ordered[:SHOWN_NODES]
    rows = table(("message", *MESSAGE))

    def us(key: str) -> list[str]:
        return column(None if one[key] is None else one[key] / 1e3 for one in shown)

    columns = [
        *([str(one[key]) for one in shown] for key in ("source", "destination", "priority", "size_bytes")),
        us("period_ns"),
        us("deadline_ns"),
        [str(one["released"]) for one in shown],
        [str(one["missed"]) for one in shown],
        column(one["deadline_miss_ratio"] for one in shown),
        *(us(f"{key}_response_ns") for key in ("mean", "p99", "worst")),
    ]
    for message, name, *figures in zip(shown, [one["name"] for one in shown], *columns, strict=True):
        rows.add_row(name, *figures, style="red" if message["missed"] else None)
    left_out(len(messages), rows)
    return rows


def replay_line(trace: Record) -> str:
    """Returns how the replay of a trace went."""
    local = f", {trace['local_packets']} of them to their own nodes" if trace["local_packets"] else ""
    line = f"trace {trace['file']}, {trace['replay']}: {trace['packets']} packets{local}"
    if not trace["complete"]:
        return f"{line}; {trace['waiting_packets']} of them did not start"
    times = f"run time {1e6 * trace['run_time_s']:g} us"
    return f"{line}; {times}, and {1e6 * trace['late_s']:g} us after the last packet starts in the trace"


def bottleneck_line(total: Record) -> str | None:
    """Returns which link, switch or server is used most at the optimum; None without traffic."""
    if total["bottleneck"] is None:
        return None
    return f"optimum: max-min fair, with echoes, responses and services; most used: {total['bottleneck']}"


def evenly(count: int, most: int) -> list[int]:
    """Returns at most `most` of the places 0 to `count` - 1, evenly spaced, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


def _rates(records: Sequence[Record]) -> list[list[str]]:
    """Returns the figures of each of `RATES`."""

    def of(key: str) -> list[str]:
        return column(record[key] for record in records)

    def latency(key: str) -> list[str]:
        return column(record["latency_ns"][key] for record in records)

    return [
        of("offered_MBps"),
        of("throughput_MBps"),
        of("throughput_words_per_cycle"),
        of("optimum_MBps"),
        column(None if record["of_optimum"] is None else 100 * record["of_optimum"] for record in records),
        *(latency(key) for key in ("mean", "ci95", "p95", "p99", "max")),
        of("lost_MBps"),
        [str(record["retries"]) for record in records],
    ]
