"""Sentences on activities in the report of a run: deadlines, events, a collective operation.

Each is true of the document that it is made from: docs/reference/verdicts.md has a table of all, with what makes them
true.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.scenario.values.units import magnitude
from ringlet.sections.wording import counted, plural

Record = Mapping[str, Any]


def margin_ns(message: Record) -> float | None:
    """Returns the part of a message's deadline that its worst response leaves; None without a response."""
    worst: float | None = message["worst_response_ns"]
    return None if worst is None else float(message["deadline_ns"]) - worst


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
        which = f"{len(late)} of {len(messages)} {plural(len(messages), what)} {'misses' if len(late) == 1 else 'miss'}"
        return f"deadlines: {which} some; {worst['name']} most, {share} of its own"
    known = [(left, one) for one in messages if (left := margin_ns(one)) is not None]
    unknown = _not_seen(messages, seen, what)
    if unknown:
        return f"deadlines: none missed, which is no verdict: {unknown}"
    left, one = min(known, key=lambda each: each[0] / each[1]["deadline_ns"])
    share = f"{_percent(left / one['deadline_ns'])} of its deadline"
    meet = (
        f"all {len(messages)} {what}s meet all of theirs" if len(messages) > 1 else f"the {what} meets all of its own"
    )
    if seen["sporadic"]:
        length = f"at least {counted(seen['least_released'], 'release')} of each"
    else:
        length = counted(seen["hyperperiods"], "hyperperiod")
    drawn = _drawn(seen)
    if drawn:
        meet, length = f"{meet} as drawn", f"{length}, {drawn}"
    return f"deadlines: {meet} ({length}); least margin: {one['name']}, {left / 1e3:.4g} us, {share}"


def searched_line(search: Record) -> str:
    """Returns in how many trials of other phases a deadline was missed, and which response came closest to its own."""
    trials, missed = counted(search["trials"], "trial"), search["missed_trials"]
    closest = next(one for one in search["responses"] if one["name"] == search["closest"])
    if closest["searched_ns"] is None:
        return f"searched: no response in {trials} of other phases"
    said = f"{missed} of {trials} of other phases miss a deadline" if missed else f"no miss in {trials} of other phases"
    share = _percent(closest["searched_ns"] / closest["deadline_ns"])
    found = f"{closest['name']}, {closest['searched_ns'] / 1e3:.4g} us, {share} of its deadline"
    return f"searched: {said}{'' if missed else ', which proves nothing'}; longest: {found}"


def all_met(document: Record) -> bool:
    """Returns whether no deadline was missed in a run that has seen a hyperperiod of all that has deadlines, nor in a
    search of other phases, if there was one."""
    if document.get("search", {}).get("missed_trials"):
        return False
    return all(
        not any(one["missed"] for one in document[part]) and not _not_seen_of(document, part)
        for part, seen in document["saw"].items()
        if isinstance(seen, Mapping) and "hyperperiods" in seen
    )


def _not_seen_of(document: Record, part: str) -> str:
    return _not_seen(document[part], document["saw"][part], part.removesuffix("s"))


def _not_seen(messages: Sequence[Record], seen: Record, what: str) -> str:
    """Returns what the run has not seen of messages without a miss; empty where it has seen a hyperperiod of all."""
    count, margins = len(messages), [margin_ns(one) for one in messages]
    # The deadline passed before the measured time, and counts there for nothing.
    late = sum(left is not None and left < 0 for left in margins)
    if late:
        return f"{late} of {count} {plural(count, what)} responded late to a release of the warm-up"
    few = {"never released": seen["never_released"], "released once": seen["released_once"]}
    if (seen["hyperperiods"] < 1 or seen["sporadic"]) and any(few.values()):
        # A set in which each has the same period is released once in its hyperperiod: that is seen then.
        were = " and ".join(
            f"{number} of {count} {plural(count, what)} {'was' if number == 1 else 'were'} {how}"
            for how, number in few.items()
            if number
        )
        return f"{were}; nothing is known of their worst"
    if None in margins:
        return f"{margins.count(None)} of {count} {plural(count, what)} had no response yet"
    if seen["hyperperiods"] < 1 and not seen["sporadic"]:
        if seen["hyperperiod_ns"] is None:
            drift = ""
            if drifting := seen["drifting"]:
                drift = f", as {counted(drifting, what)} {'drifts' if drifting == 1 else 'drift'}"
            return f"the hyperperiod is longer than any run{drift}"
        return f"the run is shorter than the hyperperiod, {plain(seen['hyperperiod_ns'] / 1e3)} us, and its deadlines"
    return ""


def _drawn(seen: Record) -> str:
    """Returns what of the releases was drawn, so that other draws may do worse; empty where nothing was."""
    parts = {"jitter": seen["jittered"], "distances": seen["sporadic"]}
    return " and ".join(f"{what} of {number} drawn" for what, number in parts.items() if number)


def _percent(share: float) -> str:
    # Two digits of 99.9 would be 1e+02.
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"


def events_line(document: Record) -> str:
    """Returns what became of the triggers, and how long events took; without a trigger, that nothing is known."""
    events: Record = document["events"]
    rate, simulated_s = document["scenario"]["events"]["rate"], document["simulated_s"]
    if not events["triggers"]:
        expected = magnitude(rate, "Hz") * simulated_s
        time = f"{plain(1e6 * simulated_s)} us, in which {plain(expected)} are expected at {rate}"
        return f"events: no trigger in {time}; nothing is known of events"
    lost = {
        "in dead time": events["dead_time_triggers"],
        "without a credit": events["refused_triggers"],
        "to full queues": events["lost_events"],
        "given up": events["incomplete_events"],
        "under way": events["open_events"],
    }
    parts = "".join(f", {count} {what}" for what, count in lost.items() if count)
    line = f"events: {counted(events['triggers'], 'trigger')}, {events['built_events']} built{parts}"
    if events["event_latency_mean_ns"] is None:
        return line
    mean, p99 = (plain(events[f"event_latency_{which}_ns"] / 1e3) for which in ("mean", "p99"))
    return f"{line}; {plain(events['event_rate_kHz'])} kHz, latency {mean} us, p99 {p99} us"


def flows_line(document: Record) -> str:
    """Returns what became of the messages of all flows, and which flow is worst: the one that loses or misses most, or
    whose largest latency is longest."""
    flows, seen = document["flows"], document["saw"]["flows"]
    if not seen["offered"]:
        return f"flows: no message in {plain(1e6 * document['simulated_s'])} us; nothing is known of them"
    offered = f"{counted(seen['offered'], 'message')} of {counted(len(flows), 'flow')} offered"
    parts = [f"{offered}, {seen['delivered']} delivered"]
    parts += [f"{seen['lost']} lost"] if seen["lost"] else []
    missed = sum(one["missed"] or 0 for one in flows)
    parts += [f"{missed} past their deadlines"] if missed else []
    line = f"flows: {', '.join(parts)}"
    known = [one for one in flows if one["latency_max_ns"] is not None]
    if known:
        worst = max(known, key=lambda one: one["latency_max_ns"])
        line += f"; longest latency: {worst['name']}, {plain(worst['latency_max_ns'] / 1e3)} us"
    if seen["never_delivered"]:
        line += f"; nothing delivered of {counted(seen['never_delivered'], 'flow')}"
    if seen["never_offered"]:
        line += f"; nothing offered by {counted(seen['never_offered'], 'flow')}"
    return line


def collective_line(document: Record) -> str:
    """Returns how long a collective operation took, and the bound of that."""
    operation, collective = document["scenario"]["collective"]["operation"], document["collective"]
    packets = counted(collective["collective_packets"], "packet")
    delivered = collective["collective_delivered_packets"]
    bound = f"bandwidth bound {collective['bandwidth_bound_ns'] / 1e3:.4g} us by {collective['bandwidth_bound_limit']}"
    if collective["completion_time_ns"] is None:
        return f"{operation}: not complete, {delivered} of {packets} delivered; {bound}"
    return (
        f"{operation}: {packets}, complete after {collective['completion_time_ns'] / 1e3:.4g} us; {bound} "
        f"({100 * collective['bandwidth_bound_ratio']:z.1f} % of that), {collective['collective_rate_MBps']:.4g} MB/s"
    )


def plain(value: float) -> str:
    """Returns a figure with four significant digits, and no power of ten."""
    return f"{value:.4g}" if value < 1e4 else f"{value:z.0f}"
