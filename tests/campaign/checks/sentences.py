"""What a run says in words, tested against its own counters."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from campaign.observe import Observed, require
from ringlet.scenario.activities.deadlines import all_met, deadline_line

CLOSE = 1 + 1e-9
"""Factor within which two times of a document are equal: they are sums of cycles in other units."""


def missed_deadlines_are_counted_once(observed: Observed) -> None:
    """The total has the missed deadlines of all messages, those of flows too, however they are told."""
    document = observed.document
    missed = sum(one["missed"] or 0 for part in ("messages", "flows") for one in document.get(part, ()))
    total = document["total"]["missed_deadlines"]
    require(total == missed, f"total.missed_deadlines is {total}, and messages and flows missed {missed}")


def a_complete_trace_is_delivered(observed: Observed) -> None:
    """A replay is complete only if each packet started and none was dropped; then it does not end before its trace."""
    trace = observed.document.get("trace")
    if trace is None or not trace["complete"]:
        return
    require(not trace["waiting_packets"] and not trace["dropped_packets"], f"complete, and {trace}")
    require(trace["late_s"] >= 0, f"complete {trace['late_s']} s after the start of the last packet")


def met_deadlines_were_seen(observed: Observed) -> None:
    """Deadlines are met only if each message had a response in time in a run that holds a hyperperiod; those that miss
    some are counted, and the one that is named misses the largest share."""
    document = observed.document
    for part in ("messages", "loops"):
        every = document.get(part)
        if every:
            _deadlines(document, part, every)


def _deadlines(document: Mapping[str, Any], part: str, every: Sequence[Mapping[str, Any]]) -> None:
    seen = document["saw"][part]
    line, late = deadline_line(every, seen, part.removesuffix("s")), [one for one in every if one["missed"]]
    require(not (late and all_met(document)), f"all met, and {len(late)} {part} miss")
    if late:
        share = max(one["deadline_miss_ratio"] or 0 for one in late)
        named = [one for one in late if (one["deadline_miss_ratio"] or 0) == share]
        count = len(every) - seen["copies"]
        what = part if count > 1 else part.removesuffix("s")
        what = f"receivers of {'one' if count == 1 else count} {what}" if seen["copies"] else what
        begins = f"deadlines: {len(late)} of {len(every)} {what} {'misses' if len(late) == 1 else 'miss'} some; "
        require(any(line.startswith(f"{begins}{one['name']} most") for one in named), f"{line!r}: {named}")
        return
    responses = [(one["worst_response_ns"], one["deadline_ns"]) for one in every]
    in_time = all(worst is None or worst <= due * CLOSE for worst, due in responses)
    require(in_time or "responded late to a release of the warm-up" in line, f"{line!r}: {responses}")
    if "no verdict" in line:
        return
    require(all(worst is not None for worst, _ in responses), f"{line!r}, and some had no response: {responses}")
    if seen["sporadic"]:
        require(all(one["released"] for one in every), f"{line!r}, and some were never released")
        return
    # So many deadlines of each may have passed.
    length_ns, hyperperiod_ns = 1e9 * document["simulated_s"], seen["hyperperiod_ns"]
    most = min((length_ns / one["period_ns"] + 1) * one["period_ns"] for one in every)
    is_long = hyperperiod_ns is not None and most * CLOSE >= hyperperiod_ns * seen["hyperperiods"] > 0
    require(is_long or document["exact"] is not None, f"{line!r} in {length_ns} ns: {seen}")


def starved_nodes_got_nothing(observed: Observed) -> None:
    """A node that starves had packets waiting for most of the time, and nothing was accepted, or next to nothing of its
    fair share; a warning names as many as there are."""
    document = observed.document
    starved = [node for node in document["nodes"] if node["starved"]]
    for node in starved:
        require(node["transmit_queue_mean_packets"] >= 0.5, f"starved without a queue: {node}")
        fair, got = node["fair_share_MBps"], node["throughput_MBps"]
        few = fair is not None and got < 0.01 * fair * CLOSE
        require(few or not node["retries"], f"starved, and sent again: {node}")
    named = 0
    for line in document["warnings"]:
        if found := re.match(r"starved: packets waited at (.*?)(?: and (\d+) more)?, and (?:none|less)", line):
            named += len(found[1].split(", ")) + int(found[2] or 0)
    require(named in (0, len(starved)), f"{named} named, and {len(starved)} starve: {document['warnings']}")


def an_overload_is_counted(observed: Observed) -> None:
    """What an overloaded run left waiting is some of what was generated, and its latency has no interval."""
    document = observed.document
    total = document["total"]
    for line in document["warnings"]:
        if found := re.match(r"overloaded: (\d+) of (\d+) packets generated were left waiting", line):
            left, generated = map(int, found.groups())
            require(0.05 * generated < left <= generated, line)
            held = sum(node["transmit_queue_max_packets"] for node in document["nodes"])
            # What waits for the bus that fills the slots of a host is in no queue yet.
            network = observed.spec.get("network")
            fills = network is not None and any(
                host["slots"] is not None for host in [network["host"], *(network["hosts"] or ())]
            )
            require(held > 0 or fills, f"{line!r}, and no packet ever waited")
        if line.startswith("not steady: "):
            require(total["latency_ns"]["ci95"] is None, f"{line!r}, and an interval: {total['latency_ns']}")
    if total["latency_growth"] is not None:
        require(total["latency_growth"] > 0, f"a latency that grows by {total['latency_growth']}")


def failures_are_told_in_their_order(observed: Observed) -> None:
    """A failure is detected only behind a first loss, which is counted unless it is before the measured time; nothing
    comes before it failed."""
    document = observed.document
    measured_from_ns = document["warmup_cycles"] * document["symbol_time_ns"]
    for failure in (document.get("errors") or {}).get("failures", ()):
        lost = failure["lost_sends"] + failure["lost_echoes"]
        is_counted = failure["first_loss_ns"] is not None and (
            failure["fails_at_ns"] + failure["first_loss_ns"] >= measured_from_ns * CLOSE
        )
        require(lost > 0 or not is_counted, f"a first loss, and none: {failure}")
        later = [failure[name] for name in ("first_loss_ns", "noticed_ns", "first_delivery_ns", "back_ns")]
        require(all(time is None or time >= 0 for time in later), f"something before it failed: {failure}")
        first, noticed = later[:2]
        require(noticed is None or (first is not None and noticed >= first), f"noticed before a loss: {failure}")
