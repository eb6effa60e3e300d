"""Sentences of `ringlet run` about a whole run: deadlines, events, a collective operation, a replay, failures, what the
latency is of.

Each is true of the document that it is made from: docs/reference/verdicts.md has a table of all, with what makes them
true.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.cli.run_tables import margin_ns
from ringlet.cli.tables import figure
from ringlet.scenario.resolved.horizon import DEFAULT_PRECISION, MOST_PACKETS, TRIGGERS
from ringlet.scenario.values.units import magnitude

Record = Mapping[str, Any]


def length_line(document: Record) -> str | None:
    """Returns what decided how long was measured; None where the file did."""
    seen, given = document["saw"], document["scenario"]["run"]
    us = _plain(1e6 * document["simulated_s"])
    reached = document["precision"]
    said = {
        "hyperperiod": f"{us} us, a hyperperiod of all messages and loops with its deadlines",
        "triggers": f"{us} us, in which {TRIGGERS} triggers are expected",
        "complete": f"{us} us, until the operation was complete",
        "trace": f"{us} us, until the trace was delivered",
        "precision": f"{us} us, until throughput and mean latency were known within "
        f"{100 * (given.get('precision') or DEFAULT_PRECISION):g} %",
        "default": f"{us} us, as nothing needs another time",
        "growing queues": f"{us} us, as queues grow: a longer run says no more of the throughput",
        "cap": f"{us} us, the most that is measured without run.duration"
        + ("" if reached is not None or "collective" in seen else f": {MOST_PACKETS:,} packets"),
    }
    return f"length: {said[seen['ended_by']]}" if seen["ended_by"] in said else None


def deadline_line(messages: Sequence[Record], seen: Record, what: str = "message") -> str:
    """Returns whether messages, or loops, met their deadlines: those that missed some, or all of them with the least
    margin. Without a miss it is a verdict only where the run has seen a hyperperiod; else it says what is missing.

    Args:
        messages: their records.
        seen: what the run has seen of them.
        what: they are.
    """
    late = [one for one in messages if one["missed"]]
    if late:
        worst = max(late, key=lambda one: one["deadline_miss_ratio"] or 0)
        share = _percent(worst["deadline_miss_ratio"] or 0)
        return f"deadlines: {len(late)} of {len(messages)} {what}s miss some; {worst['name']} most, {share} of its own"
    known = [(left, one) for one in messages if (left := margin_ns(one)) is not None]
    unknown = _not_seen(len(messages), len(known), seen, what)
    if unknown:
        return f"deadlines: none missed, which is no verdict: {unknown}"
    left, one = min(known, key=lambda each: each[0] / each[1]["deadline_ns"])
    share = f"{_percent(left / one['deadline_ns'])} of its deadline"
    meet = (
        f"all {len(messages)} {what}s meet all of theirs" if len(messages) > 1 else f"the {what} meets all of its own"
    )
    length = _counted(seen["hyperperiods"], "hyperperiod")
    return f"deadlines: {meet} ({length}); least margin: {one['name']}, {left / 1e3:.4g} us, {share}"


def all_met(document: Record) -> bool:
    """Returns whether no deadline of messages and loops was missed in a run that has seen a hyperperiod of them."""
    return all(
        not any(one["missed"] for one in document[part]) and not _not_seen_of(document, part)
        for part in ("messages", "loops")
        if part in document
    )


def _not_seen_of(document: Record, part: str) -> str:
    known = sum(margin_ns(one) is not None for one in document[part])
    return _not_seen(len(document[part]), known, document["saw"][part], part.removesuffix("s"))


def _not_seen(count: int, responded: int, seen: Record, what: str) -> str:
    """Returns what the run has not seen of so many messages; empty where it has seen a hyperperiod of all."""
    few = {"never released": seen["never_released"], "released once": seen["released_once"]}
    if seen["hyperperiods"] < 1 and any(few.values()):
        # A set in which each has the same period is released once in its hyperperiod: that is seen then.
        were = " and ".join(
            f"{number} of {count} {what}s {'was' if number == 1 else 'were'} {how}"
            for how, number in few.items()
            if number
        )
        return f"{were}; nothing is known of their worst"
    if responded < count:
        return f"{count - responded} of {count} {what}s had no response yet"
    if seen["hyperperiods"] < 1:
        if seen["hyperperiod_ns"] is None:
            return "the hyperperiod is longer than any run"
        return f"the run is shorter than the hyperperiod, {_plain(seen['hyperperiod_ns'] / 1e3)} us, and its deadlines"
    return ""


def _counted(number: int, what: str) -> str:
    return f"one {what}" if number == 1 else f"{number} {what}s"


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


def fair_share_lines(total: Record) -> list[str]:
    """Returns what the fair share is, and what is used most at it; beside it the largest total and the factor by which
    what is offered could grow, with what limits it; nothing without traffic."""
    if total["bottleneck"] is None:
        return []
    most = "" if total["maximum_MBps"] is None else f"; most in total {figure(total['maximum_MBps'])} MB/s"
    lines = [f"fair share: max-min of what is offered{most}; most used: {total['bottleneck']}"]
    if total["capacity_factor"] is not None:
        factor, limit = f"{total['capacity_factor']:.3g}", total["capacity_limit"]
        lines.append(f"capacity: what is offered can grow by a factor of {factor}, then {limit} is full")
    return lines


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
        ("first_delivery_ns", "packets whose way crossed it arrive again"),
        ("back_ns", "throughput back"),
    )
    later = [f"{words} after {figure(failure[name] / 1e3)} us" for name, words in times if failure[name] is not None]
    if failure["noticed_ns"] is None:
        later.insert(0, "not detected by the end")
    return "; ".join((f"{what}: {lost}, {first}", *later))


def events_line(events: Record, *, rate: str, simulated_s: float) -> str:
    """Returns what became of the triggers, and how long events took; without a trigger, that nothing is known.

    Args:
        events: the record of event building.
        rate: of triggers, as the scenario has it.
        simulated_s: the measured time.
    """
    if not events["triggers"]:
        expected = magnitude(rate, "Hz") * simulated_s
        time = f"{_plain(1e6 * simulated_s)} us, in which {_plain(expected)} are expected at {rate}"
        return f"events: no trigger in {time}; nothing is known of events"
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
    bound = f"bandwidth bound {collective['bandwidth_bound_ns'] / 1e3:.4g} us by {collective['bandwidth_bound_limit']}"
    if collective["completion_time_ns"] is None:
        return f"{operation}: not complete, {delivered} of {packets} packets delivered; {bound}"
    return (
        f"{operation}: {packets} packets, complete after {collective['completion_time_ns'] / 1e3:.4g} us; {bound} "
        f"({100 * collective['bandwidth_bound_ratio']:z.1f} % of that), {collective['collective_rate_MBps']:.4g} MB/s"
    )


def latency_line(total: Record) -> str | None:
    """Returns that the latency grows, and by how much; or what the latencies of the table are of where requests have
    responses, and the one-way latency; None where they are one way."""
    latency = total["latency_ns"]
    if total["latency_growth"] is not None:
        return f"latency: not steady: its mean grows by {total['latency_growth']:.3g} us in each us, and is none"
    if total["response_latency_mean_ns"] is None:
        return None
    one_way = " +/- ".join(figure(latency[key]) for key in ("mean", "ci95") if latency[key] is not None)
    return (
        "latency: of transactions, until the response has been served; one way, of requests and responses alike: "
        f"mean {one_way} ns"
    )
