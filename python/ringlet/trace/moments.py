"""Moments of a recording that are worth a look, found by program."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringlet.trace.recording import (
    BUSY_ECHO,
    CONTROL,
    DELIVERED,
    DRAIN,
    ECHO_LOST,
    EVENT,
    IDLE,
    LOST,
    PASS,
    RETRY,
    SEND,
    SENDING,
    TRAIN,
    Recording,
)

STARVATION_ROUNDS = 2
"""Fair rounds after which a wait is a starvation."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a recording."""

    name: str
    """Kind of moment, in a word or two: `first starvation`, `first recovery`, `worst latency` and so on."""
    cycle: int
    """Cycle of the moment."""
    node: int
    """Node at which it happens."""
    packet: int | None
    """The packet that it is about."""
    text: str
    """Sentence on what happens."""

    @property
    def address(self) -> str:
        """The part of a player's address behind the `#` that opens it here."""
        packet = "" if self.packet is None else f"&packet={self.packet}"
        return f"cycle={self.cycle}&node={self.node}{packet}"


def moments(recording: Recording) -> list[Moment]:
    """Finds the moments of a recording, in order of time.

    - *first starvation*: the first wait at the head of a transmit queue that lasts longer than two fair rounds. In a
      fair round each node of the ring could send one of the longest packets: `nodes x (longest + 1)` cycles and a
      revolution.
    - *first recovery*: a node begins to empty its bypass FIFO behind its own packet (state C of picker1994, Figure 2).
    - *first withheld go bit*: a node takes a go bit off the ring.
    - *worst latency*: the packet with the longest way from its generation to the end of its service, of those delivered
      in the window.
    - *worst response*: the longest way from the generation of a request to the end of its response's service.
    - *least margin*: the message, of those that are complete in the window, that takes the largest share of its
      deadline.
    - *deadline missed*: the first message that is complete later than its deadline.
    - *worst inversion*: the packet that waited longest at the head of a queue while packets of lower priority passed.
    - *first loss*: the first packet or echo lost on a link.
    - *first stall*: since when nothing was accepted or served, if that ended the run.
    - *first busy echo*, *first control symbol*, *first train*, *first event*: the first of each on any link.
    """
    if not recording.runs["node"].size:
        return []
    found = [
        *_starvation(recording),
        *_recovery(recording),
        *_withheld(recording),
        *_worst_latency(recording),
        *_responses(recording),
        *_deadlines(recording),
        *_worst_inversion(recording),
        *_first_loss(recording),
        *_stall(recording),
        *_firsts(recording),
    ]
    return sorted(found, key=lambda moment: (moment.cycle, moment.name))


def fair_round_cycles(recording: Recording) -> int:
    """Cycles in which every node of the ring could have sent one of the longest packets, and a revolution."""
    return _fair_rounds(recording)[0]


def _fair_rounds(recording: Recording) -> list[int]:
    """Returns the fair rounds of each ring of a network."""
    symbols = recording.packets["symbols"]
    longest = int(symbols.max()) if symbols.size else 0
    sent = math.ceil((longest + 1) * recording.layout.slowness)
    return [len(ring.interfaces) * sent + sum(ring.hop_cycles) for ring in recording.layout.rings]


def _starvation(recording: Recording) -> Iterator[Moment]:
    heads, runs = recording.tables["heads"], recording.runs
    own = (runs["activity"] == SENDING) & np.isin(runs["kind"], (SEND, RETRY))
    sent = {(packet, node): cycle for node, cycle, packet in _rows(runs, own, "node", "cycle", "packet")}
    fair_rounds, layout = _fair_rounds(recording), recording.layout
    since: dict[tuple[int, int], int] = {}
    for node, cycle, packet in _rows(heads, heads["value"] >= 0, "node", "cycle", "value"):
        since.setdefault((packet, node), cycle)
    waits = []
    for (packet, node), cycle in since.items():
        # A refused packet has more than one wait; the first says enough.
        until = sent.get((packet, node), recording.stop)
        if until - cycle > STARVATION_ROUNDS * fair_rounds[layout.ring_of[node]]:
            waits.append((cycle, node, packet, until))
    if waits:
        cycle, node, packet, until = min(waits)
        ends = "and has not been sent when the recording ends" if until == recording.stop else "then is sent"
        yield Moment(
            "first starvation",
            cycle,
            node,
            packet,
            f"Packet {packet} is head at {layout.name(node)}, waits {until - cycle} cycles, {ends}: "
            f"a fair round takes {fair_rounds[layout.ring_of[node]]}.",
        )


def _recovery(recording: Recording) -> Iterator[Moment]:
    runs = recording.runs
    if (first := _first(recording, (runs["activity"] == DRAIN) & (runs["packet"] >= 0))) is not None:
        cycle, node = int(runs["cycle"][first]), int(runs["node"][first])
        packet = int(runs["packet"][first])
        text = (
            f"{_name(recording, node)} begins to empty its bypass FIFO of what came in while it emitted something else."
        )
        yield Moment("first recovery", cycle, node, packet if packet >= 0 else None, text)


def _withheld(recording: Recording) -> Iterator[Moment]:
    withheld = recording.tables["withheld"]
    chosen = np.flatnonzero((withheld["value"] != 0) & (recording.go_bits > 0))
    if chosen.size:
        first = chosen[np.lexsort((withheld["node"][chosen], withheld["cycle"][chosen]))[0]]
        cycle, node = int(withheld["cycle"][first]), int(withheld["node"][first])
        yield Moment(
            "first withheld go bit",
            cycle,
            node,
            None,
            f"{_name(recording, node)} takes a go bit off the ring and saves it.",
        )


def _worst_latency(recording: Recording) -> Iterator[Moment]:
    events, packets = recording.tables["events"], recording.packets
    delivered = np.flatnonzero(events["fate"] == DELIVERED)
    if not delivered.size:
        return
    number = events["packet"][delivered]
    latency = events["cycle"][delivered] - packets["generated"][number]
    worst = int(np.lexsort((number, -latency))[0])
    packet, cycles = int(number[worst]), int(latency[worst])
    source, destination = int(packets["source"][packet]), int(packets["destination"][packet])
    runs = recording.runs
    own = (runs["packet"] == packet) & (runs["activity"] == SENDING) & np.isin(runs["kind"], (SEND, RETRY))
    layout = recording.layout
    if layout.seconds:
        # Another copy may be on the other ring.
        ring_of = np.asarray(layout.ring_of)
        own &= ring_of[runs["node"]] == ring_of[events["node"][delivered[worst]]]
    sends = runs["cycle"][own]
    # Where its last transmission starts, if that is in the window.
    last = int(np.argmax(sends)) if sends.size else 0
    moment = int(sends[last]) if sends.size else int(events["cycle"][delivered[worst]])
    where = int(runs["node"][own][last]) if sends.size else destination
    waited = f"; it was generated in cycle {int(packets['generated'][packet])} and starts here" if sends.size else ""
    sender = f" from {layout.node_name(source)}" if source >= 0 else ""
    text = f"Packet {packet}{sender} to {layout.node_name(destination)} takes {cycles} cycles{waited}."
    yield Moment("worst latency", max(moment, recording.start), where, packet, text)


def _delivered(recording: Recording) -> Iterator[tuple[int, int, int]]:
    """Cycle, node and packet of each delivery, in order of time."""
    events = recording.tables["events"]
    order = np.flatnonzero(events["fate"] == DELIVERED)
    order = order[np.lexsort((events["node"][order], events["cycle"][order]))]
    columns = (events[name][order].tolist() for name in ("cycle", "node", "packet"))
    return zip(*columns, strict=True)


def _requests(recording: Recording) -> dict[tuple[int, int, int], int]:
    """The number of each request that the window names, by flow, message and part."""
    packets = recording.packets
    requests = np.flatnonzero(packets["response"] == 0)
    keys = zip(*(packets[name][requests].tolist() for name in ("flow", "message", "part")), strict=True)
    return dict(zip(keys, requests.tolist(), strict=True))


def _request_of(recording: Recording, requests: dict[tuple[int, int, int], int], packet: int) -> int | None:
    packets = recording.packets
    if not packets["response"][packet]:
        return packet
    return requests.get((int(packets["flow"][packet]), int(packets["message"][packet]), int(packets["part"][packet])))


def _responses(recording: Recording) -> Iterator[Moment]:
    packets, requests = recording.packets, _requests(recording)
    if not packets["response"].any():
        return
    found = []
    for cycle, node, packet in _delivered(recording):
        request = _request_of(recording, requests, packet)
        if request is not None and request != packet:
            found.append((int(packets["generated"][request]) - cycle, cycle, node, packet, request))
    if found:
        waited, cycle, node, packet, request = min(found)
        name = recording.layout.name(node)
        text = f"The response to packet {request} of {name} is here {-waited} cycles after that was generated."
        yield Moment("worst response", cycle, node, packet, text)


def _deadlines(recording: Recording) -> Iterator[Moment]:
    """The message with the least margin, and the first that misses its deadline."""
    packets, flows = recording.packets, recording.flows
    if all(flow.deadline_cycles is None for flow in flows):
        return
    requests = _requests(recording)
    # The last packet of a message completes it: later ones count more.
    ends: dict[tuple[int, int], tuple[float, int, int, int, int]] = {}
    complete: set[tuple[int, int]] = set()
    missed = None
    for cycle, node, packet in _delivered(recording):
        number = int(packets["flow"][packet])
        flow = flows[number]
        if flow.deadline_cycles is None or (flow.responds and not packets["response"][packet]):
            continue
        request = _request_of(recording, requests, packet)
        if request is None:
            continue
        took = cycle - int(packets["generated"][request])
        key = number, int(packets["message"][packet])
        ends[key] = (took / flow.deadline_cycles, took, cycle, node, packet)
        if int(packets["part"][request]) == flow.packets - 1:
            complete.add(key)
        if took > flow.deadline_cycles and missed is None:
            text = (
                f"{_message(flow.name)}, of which packet {packet} is, is {took - flow.deadline_cycles} cycles later "
                f"here than its deadline of {flow.deadline_cycles}."
            )
            missed = Moment("deadline missed", cycle, node, packet, text)
    if complete:
        share, took, cycle, node, packet = max((ends[key] for key in complete), key=lambda end: end[0])
        name = _message(flows[int(packets["flow"][packet])].name)
        text = f"{name} is complete here {took} cycles after its release, {100 * share:.3g} % of its deadline."
        yield Moment("least margin", cycle, node, packet, text)
    if missed is not None:
        yield missed


def _message(name: str) -> str:
    return f"Message {name!r}" if name else "A message"


def _worst_inversion(recording: Recording) -> Iterator[Moment]:
    runs, packets, heads = recording.runs, recording.packets, recording.tables["heads"]
    if np.unique(packets["priority"]).size < 2:
        return
    is_send = np.isin(runs["kind"], (SEND, RETRY))
    priority = np.where(is_send, packets["priority"][np.maximum(runs["packet"], 0)].astype(np.int64), 256)
    passing = is_send & (runs["activity"] != SENDING)
    # Rows are in order of node and cycle: what has passed since any of them began, of packets below each priority.
    key = runs["node"].astype(np.int64) << 54 | runs["cycle"]
    sums = {}
    for level in np.unique(packets["priority"]).tolist():
        counted = np.where(passing & (priority < level), runs["symbols"], 0)
        sums[level] = np.concatenate([[0], np.cumsum(counted)])
    node, cycle, head = (heads[name] for name in ("node", "cycle", "value"))
    until = np.append(np.where(node[1:] == node[:-1], cycle[1:], recording.stop), recording.stop)[: node.size]
    first = np.searchsorted(key, node.astype(np.int64) << 54 | cycle)
    end = np.searchsorted(key, node.astype(np.int64) << 54 | until)
    worst = (0, 0, 0, 0)
    for place in np.flatnonzero(head >= 0).tolist():
        total = sums[int(packets["priority"][head[place]])]
        held = int(total[end[place]] - total[first[place]])
        if held > worst[0]:
            worst = (held, int(cycle[place]), int(node[place]), int(head[place]))
    held, at, where, packet = worst
    if held:
        text = (
            f"Packet {packet}, of priority {int(packets['priority'][packet])}, is head at "
            f"{recording.layout.name(where)} "
            f"while {held} symbols of packets of lower priority pass."
        )
        yield Moment("worst inversion", at, where, packet, text)


def _first_loss(recording: Recording) -> Iterator[Moment]:
    events = recording.tables["events"]
    lost = np.flatnonzero(np.isin(events["fate"], (LOST, ECHO_LOST)))
    if lost.size:
        first = lost[np.lexsort((events["node"][lost], events["cycle"][lost]))[0]]
        cycle, node, packet = (int(events[name][first]) for name in ("cycle", "node", "packet"))
        what = "Packet" if events["fate"][first] == LOST else "The echo of packet"
        text = f"{what} {packet} is lost on the link to {recording.layout.name(node)}."
        yield Moment("first loss", cycle, node, packet, text)


def _stall(recording: Recording) -> Iterator[Moment]:
    if recording.stall is not None:
        waiting = recording.stall["waiting_nodes"]
        cycle = min(max(int(recording.stall["since_cycle"]), recording.start), recording.stop - 1)
        text = f"Since this cycle nothing has been accepted or served: {recording.stall['detail']}."
        yield Moment("first stall", cycle, int(waiting[0]) if waiting else 0, None, text)


def _name(recording: Recording, interface: int) -> str:
    """Returns the name of an interface, at the start of a sentence."""
    name = recording.layout.name(interface)
    return name[:1].upper() + name[1:]


def _firsts(recording: Recording) -> Iterator[Moment]:
    runs = recording.runs
    for name, kind, text in (
        (
            "first busy echo",
            BUSY_ECHO,
            "{name} emits an echo that says busy: a packet found no place and will be sent again.",
        ),
        (
            "first control symbol",
            CONTROL,
            "{name} emits a control symbol: it overtakes packets and every other node reads it.",
        ),
        ("first train", TRAIN, "{name} emits the train, in which nodes request bandwidth and are granted it."),
        ("first event", EVENT, "{name} emits an event message: a packet has inherited a priority."),
    ):
        if (first := _first(recording, runs["kind"] == kind)) is not None:
            node, packet = int(runs["node"][first]), int(runs["packet"][first])
            cycle = max(int(runs["cycle"][first]), recording.start)
            yield Moment(name, cycle, node, packet if packet >= 0 else None, text.format(name=_name(recording, node)))
    without_go = (runs["kind"] == IDLE) & (runs["activity"] == PASS) & (runs["word"] == 0)
    if recording.go_bits and (first := _first(recording, without_go)) is not None:
        node, cycle = int(runs["node"][first]), max(int(runs["cycle"][first]), recording.start)
        yield Moment(
            "first idle without go", cycle, node, None, f"{_name(recording, node)} emits an idle without a go bit."
        )


def _first(recording: Recording, chosen: "np.typing.NDArray[np.bool_]") -> int | None:
    """Place of the first run of those chosen that begins in the window."""
    runs = recording.runs
    places = np.flatnonzero(chosen & (runs["cycle"] >= recording.start))
    return int(places[np.lexsort((runs["node"][places], runs["cycle"][places]))[0]]) if places.size else None


def _rows(
    table: dict[str, "np.typing.NDArray[np.int64]"], chosen: "np.typing.NDArray[np.bool_]", *names: str
) -> Iterator[tuple[int, ...]]:
    columns = [table[name][chosen].tolist() for name in names]
    return zip(*columns, strict=True)
