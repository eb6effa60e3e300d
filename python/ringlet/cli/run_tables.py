"""Tables and lines of a run's document: by node, priority, message, builder, interface, link controller, B-Link."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.cli.tables import MISSING, SHOWN_NODES, Table, column, figure, left_out
from ringlet.figures import Figure, Part, figures_of, with_half_width
from ringlet.figures.errors import COUNTS, FIRST
from ringlet.figures.switches import B_LINK, CONTROLLER

Record = Mapping[str, Any]

NODE = (
    *("offered_MBps", "throughput_MBps", "throughput_words_per_cycle", "optimum_MBps", "of_optimum"),
    *("latency_mean_ns", "latency_ci95_ns", "latency_p95_ns", "latency_p99_ns", "latency_max_ns"),
    *("lost_MBps", "retries"),
)
"""Figures of each node, and in total."""

RETRY_RATE = ("retry_MBps",)
"""The same of each priority and node, where packets were sent again."""

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
    """Returns rates and latencies of each node, and in total."""
    shown = nodes[:SHOWN_NODES]
    names = (*NODE, *(RETRY_RATE if total["retries"] else ()))
    figures = named("nodes", names)
    rows = Table(("node", *headings(figures)))
    for node, *cells in zip(shown, *columns(figures, shown), strict=True):
        rows.add_row(node["name"].removeprefix("node "), *cells)
    left_out(len(nodes), rows)
    rows.add_row("total", *(cells[0] for cells in columns(named("total", names), [total])), style="bold")
    return rows


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
        rows.add_row(f"... {len(shown)} of {len(falling)}")
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
        rows.add_row(f"... {len(shown)} of {len(retries)}")
    return rows


def by_message(messages: Sequence[Record]) -> Table:
    """Returns responses and missed deadlines of each message; of many those that missed most come first."""
    ordered = list(messages)
    if len(ordered) > SHOWN_NODES:
        ordered.sort(key=lambda one: -(one["deadline_miss_ratio"] or 0))
    shown = ordered[:SHOWN_NODES]
    figures = named("messages", MESSAGE)
    rows = Table(("message", *headings(figures), "margin\nus"))
    margins = column(None if (left := margin_ns(each)) is None else left / 1e3 for each in shown)
    for message, margin, *cells in zip(shown, margins, *columns(figures, shown), strict=True):
        rows.add_row(message["name"], *cells, margin, style="red" if message["missed"] else None)
    left_out(len(messages), rows)
    return rows


def by_loop(loops: Sequence[Record]) -> Table:
    """Returns end-to-end responses, missed deadlines and margin of each control loop."""
    shown = [figure for figure in figures_of("loops") if figure.name != "released"]
    return _by_name("loop", shown, loops, late="missed")


def by_builder(builders: Sequence[Record]) -> Table:
    """Returns events, latencies and queues of each builder."""
    return _by_name("builder", figures_of("builders"), builders)


def events_line(events: Record) -> str:
    """Returns what became of the triggers, and how long events took."""
    lost = {
        "in dead time": events["dead_time_triggers"],
        "without a credit": events["refused_triggers"],
        "to full queues": events["lost_events"],
        "given up": events["incomplete_events"],
        "under way": events["open_events"],
    }
    parts = "".join(f", {count} {what}" for what, count in lost.items() if count)
    line = f"events: {events['triggers']} triggers, {events['built_events']} built{parts}"
    if events["event_latency_mean_ns"] is None:
        return line
    mean, p99 = (_plain(events[f"event_latency_{which}_ns"] / 1e3) for which in ("mean", "p99"))
    return f"{line}; {_plain(events['event_rate_kHz'])} kHz, latency {mean} us, p99 {p99} us"


def _plain(value: float) -> str:
    """Returns a figure with four significant digits, and no power of ten."""
    return f"{value:.4g}" if value < 1e4 else f"{value:z.0f}"


def collective_line(operation: str, collective: Record) -> str:
    """Returns how long a collective operation took, and the bound of that."""
    packets, delivered = collective["collective_packets"], collective["collective_delivered_packets"]
    bound = f"bandwidth bound {collective['bandwidth_bound_ns'] / 1e3:.4g} us"
    if collective["completion_time_ns"] is None:
        return f"{operation}: not complete, {delivered} of {packets} packets delivered; {bound}"
    return (
        f"{operation}: {packets} packets, complete after {collective['completion_time_ns'] / 1e3:.4g} us; {bound} "
        f"({100 * collective['bandwidth_bound_ratio']:z.1f} % of that), {collective['collective_rate_MBps']:.4g} MB/s"
    )


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


def margin_ns(message: Record) -> float | None:
    """Returns what is left of a message's deadline after its worst response; None without a response."""
    worst: float | None = message["worst_response_ns"]
    return None if worst is None else float(message["deadline_ns"]) - worst


def deadline_line(messages: Sequence[Record], what: str = "message") -> str:
    """Returns whether all messages, or loops, met their deadlines, and which came closest to its own, or missed
    most."""
    late = [one for one in messages if one["missed"]]
    if late:
        worst = max(late, key=lambda one: one["deadline_miss_ratio"] or 0)
        share = _percent(worst["deadline_miss_ratio"] or 0)
        return f"deadlines: {len(late)} of {len(messages)} {what}s miss some; {worst['name']} most, {share} of its own"
    known = [(left, one) for one in messages if (left := margin_ns(one)) is not None]
    if len(known) < len(messages):
        return f"deadlines: none missed; {len(messages) - len(known)} of {len(messages)} {what}s had no response yet"
    left, one = min(known, key=lambda each: each[0] / each[1]["deadline_ns"])
    share = f"{_percent(left / one['deadline_ns'])} of its deadline"
    meet = (
        f"all {len(messages)} {what}s meet all of theirs" if len(messages) > 1 else f"the {what} meets all of its own"
    )
    return f"deadlines: {meet} in this run; least margin: {one['name']}, {left / 1e3:.4g} us, {share}"


def _percent(share: float) -> str:
    # Two digits of 99.9 would be 1e+02.
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"


def replay_line(trace: Record) -> str:
    """Returns how the replay of a trace went."""
    local = f", {trace['local_packets']} of them to their own nodes" if trace["local_packets"] else ""
    line = f"trace {trace['file']}, {trace['replay']}: {trace['packets']} packets{local}"
    if not trace["complete"]:
        counts = {"did not start": trace["waiting_packets"], "were not delivered": trace["dropped_packets"]}
        left = [f"{count} of them {words}" for words, count in counts.items() if count]
        return f"{line}; {' and '.join(left) or 'some are still under way'}"
    times = f"run time {1e6 * trace['run_time_s']:g} us"
    return f"{line}; {times}, and {1e6 * trace['late_s']:g} us after the last packet starts in the trace"


def bottleneck_line(total: Record) -> str | None:
    """Returns which link, switch or server is used most at the optimum; None without traffic."""
    if total["bottleneck"] is None:
        return None
    return f"optimum: max-min fair, with echoes, responses and services; most used: {total['bottleneck']}"


def failure_lines(failures: Sequence[Record]) -> list[str]:
    """Returns a line for each link or node that fails."""
    return [_failure_line(failure) for failure in failures]


def given_up_lines(total: Record) -> list[str]:
    """Returns a line about data that senders gave up, if there is any."""
    if not total["given_up_packets"]:
        return []
    return [
        f"{total['given_up_packets']} packets given up: {figure(total['given_up_MBps'])} MB/s beside what was lost at "
        f"senders"
    ]


def timed_out_lines(total: Record) -> list[str]:
    """Returns a line about requests without a response in time, if there are any."""
    if not total["timed_out_requests"] and not total["late_responses"]:
        return []
    return [
        f"{total['timed_out_requests']} requests without a response in time, {total['unanswered_requests']} of them "
        f"given up; {total['late_responses']} responses came late"
    ]


def _failure_line(failure: Record) -> str:
    what = f"{failure['what']} fails at {figure(failure['fails_at_ns'] / 1e3)} us"
    if failure["first_loss_ns"] is None:
        return f"{what}: nothing was lost"
    lost = f"{failure['lost_sends']} packets and {failure['lost_echoes']} echoes lost"
    first = f"the first after {figure(failure['first_loss_ns'] / 1e3)} us"
    times = (
        ("noticed_ns", "detected"),
        ("first_delivery_ns", "its packets come through again"),
        ("back_ns", "throughput back"),
    )
    later = [f"{words} after {figure(failure[name] / 1e3)} us" for name, words in times if failure[name] is not None]
    if failure["noticed_ns"] is None:
        later.insert(0, "not detected by the end")
    return "; ".join((f"{what}: {lost}, {first}", *later))


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
