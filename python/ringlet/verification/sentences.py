"""Sentences of a verification: its assumptions, its verdicts, and why a deadline is not guaranteed.

Each is true of the document that it is made from; docs/reference/verdicts.md lists the verdicts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ringlet.scenario import Scenario
from ringlet.scenario.activities.loops.activity import LoopKeys
from ringlet.theory.response_flows import Assumed

Record = Mapping[str, Any]

MOST_NAMED = 3
"""Messages, and failures, that a sentence names."""

PARTS = {
    "own_queue": "packets of its own node that go before",
    "blocking": "a packet of lower priority of its own node",
    "access": "the protocol's own waiting",
    "inversion": "packets of lower priority of other nodes",
    "interference": "packets of its priority and above of other nodes, and echoes",
    "transit": "its way",
    "switches": "switches",
    "service": "the service of packets",
}
"""Each part of a bound in words."""


def assumptions(scenario: Scenario, assumed: Assumed, *, failures: bool) -> list[str]:
    """Returns what a verification takes for granted, a sentence each."""
    served = "until all its packets, and their responses, have been served"
    found = [
        "A message is due once in each of its periods or less often, and all its data is released at once, no later "
        f"than its jitter allows; its response is the time from when it is due {served}.",
        _phases(assumed),
        _losses(assumed.losses),
        "Each protocol but the file's own has its default options.",
        "What is verified is ringlet's model of rings and protocols, symbol by symbol; the explanations of its "
        "documentation have every rule, and the lemmas that are named their proofs.",
    ]
    if scenario.traffic.arrival_process.generates:
        keeps = "and has no bound unless one is assumed."
        if assumed.rate is not None and assumed.burst is not None:
            keeps = f"and of each node bounds take it to keep to {assumed.rate}, and at once {assumed.burst} beyond."
        found.append(f"Background traffic is as the file says, {keeps}")
    if LoopKeys.in_file(scenario).loops:
        found.append(
            "The response of a control loop is the time from its release until its last node has done its work; load "
            "factors make messages faster, and loops not."
        )
    network = scenario.routed_network[0]
    if failures and network.sends_copies:
        found.append(
            "A failure is one of the links between two stations, or of a station. Bounds hold whenever it happens, and "
            "for however long; in what is simulated it has happened from the start on. Messages from or to a station "
            "that fails do not count."
        )
    elif failures and network.second_interface is not None:
        found.append(
            "A failure has happened before the messages begin, and each packet keeps its ring. A ring with a broken "
            "link carries nothing, since neither echoes nor go bits, tokens, trains or slots come round, and a station "
            "that fails breaks both. Messages without a way are not sent."
        )
    elif failures:
        found.append(
            "A failure has happened, and the routes have changed, before the messages begin: what is lost in between "
            "is not part of it. A ring with a broken link carries nothing, since neither echoes nor go bits, tokens, "
            "trains or slots come round. Messages without a way are not sent."
        )
    return found


def _phases(assumed: Assumed) -> str:
    """Returns which phases bounds hold for, and what the others tell."""
    exact = (
        "These phases are those of the file; where they are exact, the worst response is the largest that will ever be "
        "in them."
    )
    if assumed.offsets:
        return (
            "A bound holds for the offsets of the file, which all clocks keep to the cycle, where Lemma 27 is among "
            f"those that are named, and for all phases where it is not. {exact} A search tries other phases: what it "
            "finds there is no part of the verdict, and may be above a bound for the offsets. The guaranteed factor is "
            "that of the bounds for all phases."
        )
    return (
        f"A bound holds for all phases of the messages. {exact} A search tries other phases: what it finds can happen, "
        "and longer responses that it does not find may exist, up to the bound."
    )


def _losses(losses: int) -> str:
    """Returns what links lose."""
    clocks = "and clocks run as the file says"
    if not losses:
        return f"Links lose nothing, {clocks}."
    most = "one packet or echo" if losses == 1 else f"{losses} packets and echoes"
    return (
        f"Links lose at most {most} from the start on, at whatever places and times, {clocks}: bounds, and the "
        "guaranteed factor, hold with these losses. What is simulated loses nothing."
    )


def verdicts(document: Record) -> list[str]:
    """Returns the verdicts on the protocol that is judged: without a failure, and with each."""
    judged = [case for case in document["cases"] if case["protocol"] == document["judged"]]
    protocol, unused = document["judged"], document["offsets_unused"].get(document["judged"])
    of_offsets = document["assumed"]["offsets"] and unused is None
    found = [_of_whole(judged[0], protocol, document["assumed"]["losses"], of_offsets=of_offsets)]
    if unused is not None:
        found.append(
            f"offsets: not used under {protocol}, because {unused}; its bounds are those for all phases, which hold "
            "for these offsets, too"
        )
    if document["failures"]:
        found.append(_of_failures(judged, document["failures"]))
    return found


def _of_whole(case: Record, protocol: str, losses: int, *, of_offsets: bool) -> str:
    messages = case["messages"]
    lost = f" with up to {losses} losses" if losses > 1 else " with up to one loss" if losses else ""
    lost += " for these offsets" if of_offsets else ""
    late = [one["name"] for one in messages if not one["guaranteed"]]
    if not late:
        least = min(messages, key=lambda one: (one["deadline_us"] - one["bound_us"]) / one["deadline_us"])
        margin = least["deadline_us"] - least["bound_us"]
        share = 100 * margin / least["deadline_us"]
        margin_words = f"{least['name']}, {margin:.4g} us, {share:z.0f} % of its deadline"
        which = f"all {len(messages)} deadlines guaranteed under {protocol}{lost}"
        return f"verified: {which}; least margin: {margin_words}"
    kept = f"{len(messages) - len(late)} of {len(messages)}"
    return f"verified: {kept} deadlines guaranteed under {protocol}{lost}; not that of {named(late)}"


def counting(document: Record, case: Record) -> int:
    """Returns how many deadlines count in a case: all but those of messages from or to what fails."""
    ends = document["failures"][case["failure"] - 1]["ends"] if case["failure"] else ()
    return len(document["cases"][0]["messages"]) - len(ends)


def breaking(judged: Sequence[Record], failures: Sequence[Record]) -> list[str]:
    """Returns the failures with which a message has no way, or a deadline is not guaranteed; messages from or to what
    fails do not count.

    Args:
        judged: the cases of a protocol.
        failures: of the document.
    """
    found = []
    for case in judged:
        if not case["failure"]:
            continue
        failure = failures[case["failure"] - 1]
        if failure["cut"]:
            count = len(failure["cut"])
            found.append(f"{failure['what']} ({count} message{'s' if count > 1 else ''} without a way)")
        elif case["refused"] is not None or not all(one["guaranteed"] for one in case["messages"]):
            found.append(failure["what"])
    return found


def _of_failures(judged: Sequence[Record], failures: Sequence[Record]) -> str:
    broken, count = breaking(judged, failures), len(failures)
    aside = ", but for messages from or to what fails" if any(one["ends"] for one in failures) else ""
    if not broken:
        return f"failures: all deadlines guaranteed with each of {count} single failures{aside}"
    kept = f"{count - len(broken)} of {count} single failures{aside}"
    return f"failures: all deadlines guaranteed with {kept}; not with {named(broken)}"


def reasons(case: Record, *, of_offsets: bool = False) -> list[dict[str, Any]]:
    """Returns why deadlines are not guaranteed: each reason with the messages that it is of.

    Args:
        case: of the document.
        of_offsets: whether other phases than those of the file are no reason.
    """
    found: dict[str, list[str]] = {}
    for name, why in _reasons(case, of_offsets=of_offsets):
        found.setdefault(why, []).append(name)
    return [{"messages": names, "why": why} for why, names in found.items()]


def _reasons(case: Record, *, of_offsets: bool) -> Iterator[tuple[str, str]]:
    for one in case["messages"]:
        if one["guaranteed"]:
            continue
        deadline, bound = f"{one['deadline_us']:.6g} us", one["bound_us"]
        own, searched = one["these_phases_us"] or 0.0, 0.0 if of_offsets else one["searched_us"] or 0.0
        if one["missed"] or own > one["deadline_us"]:
            yield one["name"], f"misses its deadline in these phases: {own:.6g} us of {deadline}"
        elif searched > one["deadline_us"]:
            yield one["name"], f"misses its deadline in other phases, that were found: {searched:.6g} us of {deadline}"
        elif bound is not None:
            part = max(one["parts_us"], key=lambda key: one["parts_us"][key])
            most = f"most of it {PARTS[part]}, {one['parts_us'][part]:.4g} us"
            longest = f"the longest response found is {max(own, searched):.4g} us"
            yield one["name"], f"the bound, {bound:.6g} us, is above the deadline, {deadline}; {most}; {longest}"
        else:
            yield one["name"], f"no bound: {one['why_no_bound']}"


def helps(remedies: Sequence[Record], protocol: str) -> list[str]:
    """Returns what of the changes that were tried lets more deadlines be guaranteed, or none be missed."""
    found = []
    for one in remedies:
        if one["protocol"] != protocol or not one["better"]:
            continue
        what = "guaranteed" if one["of"] == "bounds" else "met in these phases"
        count = one["messages"] - len(one["late"])
        kept = f"all {count}" if not one["late"] else f"{count} of {one['messages']}"
        found.append(f"helps: {one['change']}: {kept} deadlines {what}")
    return found


def other_protocols(document: Record) -> list[str]:
    """Returns which other protocols guarantee more deadlines without a failure than the one that is judged."""
    counts = {
        case["protocol"]: sum(one["guaranteed"] for one in case["messages"])
        for case in document["cases"]
        if case["failure"] == 0
    }
    own = counts.pop(document["judged"])
    total = len(document["cases"][0]["messages"])
    return [
        f"helps: protocol {name}: {'all ' if count == total else ''}{count}"
        f"{'' if count == total else f' of {total}'} deadlines guaranteed"
        for name, count in counts.items()
        if count > own
    ]


def named(names: Sequence[str]) -> str:
    """Returns the first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"
