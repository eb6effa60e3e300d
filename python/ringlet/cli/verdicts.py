"""Sentences of `ringlet run` about a whole run: its length, a replay, failures, what the latency is of.

Those on activities are in `ringlet.scenario.activities`. Each is true of the document that it is made from:
docs/reference/verdicts.md has a table of all, with what makes them true.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.cli.tables import figure
from ringlet.document.words import plain
from ringlet.scenario.activities.registry import PARTS
from ringlet.scenario.keys.errors import MAX_TIMEOUTS
from ringlet.scenario.resolved.horizon import DEFAULT_PRECISION, MOST_PACKETS, TRIGGERS
from ringlet.scenario.values.per_node import NO_LIMIT
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.sections.wording import counted

Record = Mapping[str, Any]


def length_line(document: Record) -> str | None:
    """Returns what decided how long was measured; None where the file did."""
    seen, given = document["saw"], document["scenario"]["run"]
    us = plain(1e6 * document["simulated_s"])
    reached = document["precision"]
    once = any(isinstance(each, Mapping) and "complete" in each for each in seen.values())
    said = {
        "hyperperiod": f"{us} us, a hyperperiod of all messages and loops with its deadlines",
        "triggers": f"{us} us, in which {TRIGGERS} triggers are expected",
        "releases": f"{us} us, in which {TRIGGERS} releases of each flow and sporadic message are expected",
        "ends": f"{us} us, in which all that ends should be delivered",
        "complete": f"{us} us, until the operation was complete",
        "trace": f"{us} us, until the trace was delivered",
        "precision": f"{us} us, until throughput and mean latency were known within "
        f"{100 * (given.get('precision') or DEFAULT_PRECISION):g} %",
        "default": f"{us} us, as nothing needs another time",
        "growing queues": f"{us} us, as queues grow: a longer run says no more of the throughput",
        "cap": f"{us} us, the most that is measured without run.duration"
        + ("" if reached is not None or once else f": {MOST_PACKETS:,} packets"),
    }
    return f"length: {said[seen['ended_by']]}" if seen["ended_by"] in said else None


def replay_line(trace: Record) -> str:
    """Returns how the replay of a trace went."""
    local = f", {trace['local_packets']} of them to their own nodes" if trace["local_packets"] else ""
    line = f"trace {trace['file']}, {trace['replay']}: {counted(trace['packets'], 'packet')}{local}"
    if not trace["complete"]:
        counts = {"did not start": trace["waiting_packets"], "were not delivered": trace["dropped_packets"]}
        left = [f"{count} of them {words}" for words, count in counts.items() if count]
        return f"{line}; {' and '.join(left) or 'some are still under way'}"
    times = f"run time {1e6 * trace['run_time_s']:g} us"
    return f"{line}; {times}, and {1e6 * trace['late_s']:g} us after the last packet starts in the trace"


def fair_share_lines(document: Record) -> list[str]:
    """Returns what the fair share is, and what is used most at it; beside it the largest total and the factor by which
    what is offered could grow, with what limits it; nothing without traffic.

    A replay starts packets later than the trace does where they wait for others: where nothing else is offered, rates
    are those of the trace.
    """
    total = document["total"]
    if total["bottleneck"] is None:
        return []
    replay = bool(document.get("trace")) and not any(part.name in document for part in PARTS)
    offered, part, too_much = (
        ("the trace's mean rates", "of them", "the trace's mean rates are too much")
        if replay
        else ("what is offered", "of it", "too much is offered")
    )
    most = "" if total["maximum_MBps"] is None else f"; most in total {figure(total['maximum_MBps'])} MB/s"
    if most and _has_responses(document):
        # More data moves for a while without them: until the responses that wait fill what holds them.
        most += " with all responses"
    if most and _moves_more_while_receivers_fill(document):
        most += " while no receive queue grows"
    sent = [one for one in document.get("priorities", ()) if one["offered_MBps"]]
    order = ", the highest priority first" if len(sent) > 1 else ""
    lines = [f"fair share: max-min of {offered}{order}{most}; most used: {total['bottleneck']}"]
    if total["capacity_factor"] is not None:
        factor, limit = total["capacity_factor"], total["capacity_limit"]
        lines.append(
            f"capacity: {offered} can grow by a factor of {factor:.3g} at most, then {limit} is full"
            if factor >= 1
            else f"capacity: {too_much}: with {factor:.3g} {part} {limit} is full"
        )
    return lines + _unfair_lines(document["nodes"], answers=_has_responses(document))


def _has_responses(document: Record) -> bool:
    """Returns whether requests have responses, served or not."""
    name = document["scenario"]["traffic"].get("transaction")
    named = isinstance(name, str) and name in TRANSACTIONS and TRANSACTIONS[name].response_bytes is not None
    return named or document["total"]["response_latency_mean_ns"] is not None


def _moves_more_while_receivers_fill(document: Record) -> bool:
    """Returns whether more was delivered than can be for all time, and receive queues without a limit may be why: they
    accept what their servers leave waiting, and hold up nothing that their senders have for other nodes."""
    queues = document["scenario"]["queues"]
    places, times = (_each(queues[key]) for key in ("receive", "service_time"))
    if NO_LIMIT not in places or not any(times):
        return False
    total = document["total"]
    more = total["throughput_MBps"] > (1 + UNFAIR) * total["maximum_MBps"]
    return bool(more or _unfair_lines(document["nodes"], answers=False))


def _each(given: object) -> list[object]:
    """Returns the values of a key that is one value, a list or a table by nodes."""
    if isinstance(given, Mapping):
        return list(given.values())
    return list(given) if isinstance(given, list | tuple) else [given]


UNFAIR = 0.02
"""Part of its fair share by which a node has more or less of it before a sentence says so: what chance does is less."""

NAMED = 4
"""Nodes that such a sentence names; more are counted."""


def _unfair_lines(nodes: Sequence[Record], *, answers: bool) -> list[str]:
    """Returns a line on the nodes that get more than their fair share, where others get less than theirs, or where it
    is of requests whose responses are left waiting."""
    part = {node["name"].removeprefix("node "): node["of_optimum"] for node in nodes}
    # Lower priorities have no share where the highest one fills a link, and nothing is a part of that.
    of_none = [node["fair_share_MBps"] == 0 and node["throughput_MBps"] > 0 for node in nodes]
    more = [name for name, none in zip(part, of_none, strict=True) if none or (part[name] or 0) > 1 + UNFAIR]
    less = {name: share for name, share in part.items() if share is not None and share < 1 - UNFAIR}
    if not less:
        of_requests = [name for name, node in zip(part, nodes, strict=True) if answers and _is_of_requests(node)]
        more = [name for name in more if name in of_requests]
    if not more:
        return []
    most = max((part[name] for name in more if part[name] is not None), default=None)
    theirs, up = ("its", "") if len(more) == 1 else ("their", "up to ")
    to = ", which is nothing" if most is None else f", {up}{100 * most:z.1f} %"
    if not less:
        return [f"{_get(more)} more than {theirs} fair share{to}: of requests whose responses are left waiting"]
    down = f"{'' if len(less) == 1 else 'down to '}{100 * min(less.values()):z.1f} %"
    return [f"{_get(more)} more than {theirs} fair share{to}; {_get(list(less))} less, {down}"]


def _is_of_requests(node: Record) -> bool:
    """Returns whether what a node has above its fair share is no more than its requests whose responses wait."""
    waiting = node["waiting_responses"]
    # The packets served are requests and responses.
    requests = (node["delivered_packets"] + waiting) / 2
    return bool(
        waiting and node["throughput_MBps"] - node["fair_share_MBps"] <= node["throughput_MBps"] * waiting / requests
    )


def _get(names: Sequence[str]) -> str:
    """Returns the beginning of a sentence on what nodes get."""
    if len(names) == 1:
        return f"node {names[0]} gets"
    if len(names) > NAMED:
        return f"{len(names)} nodes get"
    return f"nodes {', '.join(names[:-1])} and {names[-1]} get"


def failure_lines(document: Record) -> list[str]:
    """Returns a line for each link or node that fails."""
    measured_from_ns = document["warmup_cycles"] * document["symbol_time_ns"]
    errors, failures = document["scenario"]["errors"], document["errors"]["failures"]
    # Links come before nodes, and switches behind them.
    bypassed = [False for link in errors["links"] if link.get("fails_at") is not None]
    bypassed += [node.get("bypass", False) for node in errors["nodes"]]
    bypassed += [False for _ in errors["switches"]]
    each = zip(failures, bypassed, strict=True)
    return [_failure_line(failure, measured_from_ns, is_bypassed=is_bypassed) for failure, is_bypassed in each]


def sent_again_lines(document: Record) -> list[str]:
    """Returns a line on how long senders go on with what has failed for good, where the file does not say it."""
    errors, said = document["errors"], document["scenario"]["errors"]
    parts = [part for key in ("links", "nodes", "switches") for part in said[key]]
    for_good = [part for part in parts if part.get("fails_at") is not None and part.get("repaired_at") is None]
    if not (for_good and errors["timeouts"]) or said["max_timeouts"] < MAX_TIMEOUTS:
        return []
    times = counted(errors["timeouts"], "time-out")
    us = figure((MAX_TIMEOUTS + 1) * errors["timeout_ns"] / 1e3)
    return [
        f"{times}: a packet is tried for {us} us, and what waits behind it waits; shorter: errors.max_timeouts = 8, "
        'and errors.gives_up = "destination"'
    ]


def given_up_lines(total: Record) -> list[str]:
    """Returns a line about data that senders gave up, if there is any."""
    if not total["given_up_packets"]:
        return []
    packets = counted(total["given_up_packets"], "packet")
    return [f"{packets} given up: {figure(total['given_up_MBps'])} MB/s beside what was lost at senders"]


def dropped_line(document: Record) -> str | None:
    """Returns what was lost at full receive queues, where no echo says that they were full; None: nothing."""
    total = document["total"]
    if "errors" in document or not total["given_up_packets"]:
        return None
    packets, rate = counted(total["given_up_packets"], "packet"), figure(total["given_up_MBps"])
    lost = f"dropped: {packets} found a receive queue full, {rate} MB/s"
    return f"{lost}, and nothing sends {'it' if total['given_up_packets'] == 1 else 'them'} again without echoes"


def timed_out_lines(total: Record) -> list[str]:
    """Returns a line about requests without a response in time, if there are any."""
    if not total["timed_out_requests"] and not total["late_responses"]:
        return []
    requests, late = counted(total["timed_out_requests"], "request"), counted(total["late_responses"], "response")
    return [f"{requests} without a response in time, {total['unanswered_requests']} of them given up; {late} came late"]


def _failure_line(failure: Record, measured_from_ns: float, *, is_bypassed: bool) -> str:
    what = f"{failure['what']} fails at {figure(failure['fails_at_ns'] / 1e3)} us"
    if is_bypassed:
        return f"{what}, bypassed: its links work, and senders take off what is for it"
    if failure["first_loss_ns"] is None:
        return f"{what}: nothing was lost"
    lost = f"{counted(failure['lost_sends'], 'packet')} and {counted(failure['lost_echoes'], 'echo')} lost"
    first = f"the first after {figure(failure['first_loss_ns'] / 1e3)} us"
    if failure["fails_at_ns"] + failure["first_loss_ns"] < measured_from_ns:
        # Counts are of the measured time, times are not.
        lost, first = f"{lost} in the measured time", f"{first} and before that time"
    if failure["lost_are_copies"]:
        return f"{what}: {lost}, {first}; each is a copy, of which another one takes the other ring"
    times = (
        ("noticed_ns", "detected"),
        ("first_delivery_ns", "packets whose way crossed it arrive again"),
        ("back_ns", "throughput back"),
    )
    later = [f"{words} after {figure(failure[name] / 1e3)} us" for name, words in times if failure[name] is not None]
    if failure["noticed_ns"] is None:
        later.insert(0, "not detected by the end")
    return "; ".join((f"{what}: {lost}, {first}", *later))


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


def regimes_line(document: Record) -> str | None:
    """Returns whether the ring comes to the same from an empty and an overfull start; None where that was not tried."""
    found = document.get("regimes")
    if found is None:
        return None
    empty, overfull = (_start(found[which]) for which in ("empty", "overfull"))
    full = f"started with {found['waiting_packets']} packets waiting at each source"
    both = f"started empty {empty}; {full} {overfull}"
    if found["verdict"] == "two":
        return f"regimes: two were found: {both}"
    if found["verdict"] == "one":
        return f"regimes: one was found: {full} it comes to the same, {overfull}"
    return f"regimes: not decided, as {_DOUBTS[found['undecided_as']]}: {both}"


_DOUBTS = {
    "start": "packets of that start were still being served",
    "growth": "queues grow after one start only",
    "chance": "in a run as short as this chance may be what they differ by",
}


def _start(record: Record) -> str:
    """Returns what a ring came to after one start."""
    if record["stalled"]:
        return "nothing moves any more"
    if record["queues_grow"]:
        return f"{plain(record['throughput_MBps'])} MB/s, and queues grow"
    latency = record["latency_mean_ns"]
    mean = "" if latency is None else f", mean latency {plain(latency)} ns"
    return f"{plain(record['throughput_MBps'])} MB/s{mean}"
