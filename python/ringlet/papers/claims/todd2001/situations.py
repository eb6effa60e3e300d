"""Tests of the situations of todd2001's Figures 3, 5 and 6, with priorities, places and ring sizes drawn."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.scenario import Scenario
from ringlet.trace.record import record
from ringlet.trace.recording import ACCEPTED, CONTROL, DELIVERED, SEND, SENDING, TRAIN, Recording


def _message(source: int, destination: int, priority: int, size: int, offset: int = 0) -> dict[str, object]:
    """Returns a message that is sent once within the record."""
    return {
        "name": f"{source} {priority}",
        "source": source,
        "destination": destination,
        "priority": priority,
        "size": size,
        "offset": offset,
        "period": "40 us",
    }


def _recorded(
    nodes: int, flow_control: Mapping[str, object], messages: Sequence[object], cycles: int, **tables: object
) -> Recording:
    """Records a ring with these messages from cycle 0 on."""
    content: dict[str, Any] = {
        "network": {"nodes": nodes},
        "flow_control": flow_control,
        "messages": messages,
        "run": {"duration": "40 us", "warmup": 0},
        **tables,
    }
    return record(Scenario.from_dict(content), stop=cycles)


def _emitted(recording: Recording, kind: int, node: int) -> list[int]:
    """Returns the cycles in which a node emits the first symbol of a run of this kind."""
    runs = recording.runs
    return sorted(runs["cycle"][(runs["kind"] == kind) & (runs["node"] == node)].tolist())


def _sends(recording: Recording) -> list[tuple[int, int, int]]:
    """Returns cycle, node and priority of each packet's first sending, in order of time."""
    runs = recording.runs
    own = (runs["kind"] == SEND) & (runs["activity"] == SENDING)
    priorities = recording.packets["priority"][runs["packet"][own]]
    return sorted(zip(runs["cycle"][own].tolist(), runs["node"][own].tolist(), priorities.tolist(), strict=True))


@checks("todd2001.c29", "todd2001.c30")
def trains_grant_the_highest_that_fit(trials: Trials) -> Finding:
    """Trains of 1 to 3 packets grant the highest tickets; the others come with later trains (Figure 3)."""
    wrong = over = 0
    number = trials.count(40)
    for _ in range(number):
        nodes, most = int(trials.rng.integers(5, 9)), int(trials.rng.integers(1, 4))
        priorities = trials.rng.choice(200, nodes - 2, replace=False).tolist()
        # Node 0 is the TicketMaster; packets of 8 symbols, each with its idle and echo.
        messages = [_message(node, nodes - 1, level, 16) for node, level in enumerate(priorities, 1)]
        flow_control = {"protocol": "train", "size": 17 * most}
        recording = _recorded(
            nodes, flow_control, messages, 3_000, message_transaction="dmove16", queues={"receive": 64}
        )
        sent = _sends(recording)
        order = [level for *_, level in sent]
        ranked = sorted(priorities, reverse=True)
        places = range(0, len(ranked), most)
        wrong += [sorted(order[at : at + most]) for at in places] != [sorted(ranked[at : at + most]) for at in places]
        trains = _emitted(recording, TRAIN, 0)
        granted = np.bincount(np.searchsorted(trains, [cycle for cycle, *_ in sent]))
        over += int(granted.max()) > most
    return Finding(
        wrong == 0 and over == 0, f"{number} rings: {wrong} out of the order of trains, {over} with more than fit"
    )


@checks("todd2001.c51", "todd2001.c53")
def only_lower_packets_that_would_pass_an_announcing_node_wait(trials: Trials) -> Finding:
    """Nodes 3 and 5 of Figure 5 send beside the announcement of node 1, and node 6 waits until node 1 has sent.

    Node 3's packets do not pass node 1; those of node 5 do, with its priority or a higher one.
    """
    wrong, number = 0, trials.count(40)
    for _ in range(number):
        low, own, high = sorted(trials.rng.choice(250, 3, replace=False).tolist())
        if trials.rng.random() < 0.5:
            high = own
        turn = int(trials.rng.integers(6))

        def at(node: int, turn: int = turn) -> int:
            """The place of node n1 to n6 of the figure."""
            return (node - 1 + turn) % 6

        messages = [
            _message(at(5), at(2), high, 320),
            _message(at(1), at(4), own, 128),
            _message(at(3), at(5), low, 64, offset=70),
            _message(at(6), at(3), low, 64, offset=70),
        ]
        sent = _sends(_recorded(6, {"protocol": "dfc"}, messages, 900))
        when = defaultdict(list)
        for cycle, node, _ in sent:
            when[node].append(cycle)
        second_own = when[at(1)][1]
        wrong += not (
            when[at(3)][0] == 71
            and any(70 < cycle < second_own for cycle in when[at(5)])
            and when[at(6)][0] > second_own
        )
    return Finding(wrong == 0, f"{number} drawn places and priorities, {wrong} out of the figure's order")


@checks("todd2001.c58", "todd2001.c59", "todd2001.c60", "todd2001.c61")
def a_blocked_node_grants_the_highest_with_each_removal(trials: Trials) -> Finding:
    """A node whose queue is full sends STOP-TO, then one with each removal, which grants the highest (Figure 6).

    The node sends nothing, so that all its control symbols are STOP-TO. Where the first one has found nobody, the
    second one grants nobody and is sent again when it has come back.
    """
    early = wrong = uneven = ungranted = 0
    number = trials.count(40)
    for _ in range(number):
        nodes = int(trials.rng.integers(4, 8))
        levels = trials.rng.choice(np.arange(1, 250), nodes - 2, replace=False).tolist()
        # The last node fills the queue with three packets of the lowest priority.
        messages = [_message(nodes - 1, 0, 0, 192)]
        messages += [_message(node, 0, level, 64, offset=100) for node, level in enumerate(levels, 1)]
        recording = _recorded(nodes, {"protocol": "dfc"}, messages, 6_000, queues={"receive": 3, "service_time": 400})
        symbols = _emitted(recording, CONTROL, 0)
        lengths, events = recording.tables["receive_lengths"], recording.tables["events"]
        full = int(lengths["cycle"][(lengths["node"] == 0) & (lengths["value"] >= 3)].min())
        early += symbols[0] < full
        waited = [(cycle, level) for cycle, _, level in _sends(recording) if level > 0]
        wrong += [level for _, level in waited] != sorted(levels, reverse=True)
        # Each is sent behind a symbol of its own; the first symbol grants nobody.
        behind = np.searchsorted(symbols, [cycle for cycle, _ in waited])
        ungranted += int(behind.min()) < 2 or len(set(behind.tolist())) < len(behind)
        removed = events["cycle"][(events["node"] == 0) & (events["fate"] == DELIVERED)]
        removed = np.sort(removed[removed < symbols[-1]])
        after = np.bincount(np.searchsorted(removed, symbols[1:], side="left"), minlength=len(removed) + 1)[1:]
        uneven += int(after[0]) not in (1, 2) or bool((after[1:] != 1).any())
    return Finding(
        early == wrong == uneven == ungranted == 0,
        f"{number} rings: {early} blocked before the queue was full, {wrong} out of the order of priority, "
        f"{ungranted} with a packet sent without a grant, {uneven} with other than one STOP-TO for a removal",
    )


_SERVICE = 300


@checks("todd2001.c05")
def queues_are_served_by_priority_then_by_age(trials: Trials) -> Finding:
    """A slow receiver serves the highest priority first, of one priority the packet that came first."""
    wrong = served = 0
    for protocol in ("sci", "train", "dfc"):
        priorities = {"priorities": 4} if protocol == "sci" else {}
        for _ in range(trials.count(6)):
            nodes = int(trials.rng.integers(4, 8))
            messages = [
                _message(node, 0, int(level), 64, offset=int(trials.rng.integers(0, 200)))
                for node in range(1, nodes)
                for level in trials.rng.choice(4, 3, replace=False)
            ]
            queues = {"receive": 32, "service_time": _SERVICE}
            recording = _recorded(nodes, {"protocol": protocol, **priorities}, messages, 12_000, queues=queues)
            events, packets = recording.tables["events"], recording.packets
            came: dict[int, int] = {}
            gone: list[tuple[int, int]] = []
            rows = zip(*(events[name].tolist() for name in ("cycle", "node", "fate", "packet")), strict=True)
            for cycle, node, fate, packet in rows:
                if node == 0 and fate == ACCEPTED:
                    came[packet] = cycle + int(packets["symbols"][packet])
                elif node == 0 and fate == DELIVERED:
                    gone.append((cycle, packet))
            for cycle, packet in sorted(gone):
                begun = cycle - _SERVICE
                rank = {other: (-int(packets["priority"][other]), at) for other, at in came.items() if at < begun - 1}
                served += 1
                wrong += packet in rank and min(rank.values()) < rank[packet]
                came.pop(packet, None)
    return Finding(wrong == 0 and served > 0, f"{served} packets, {wrong} served before another that ranked higher")
