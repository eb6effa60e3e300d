"""What is worth looking at in a recording, found by program."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringlet.trace.recording import (
    BUSY_ECHO,
    CONTROL,
    DELIVERED,
    DRAIN,
    EVENT,
    IDLE,
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
    """What it is, in a word or two: `first starvation`, `first recovery`, `worst latency` and so on."""
    cycle: int
    """When."""
    node: int
    """Where."""
    packet: int | None
    """The packet that it is about."""
    text: str
    """What happens, in one sentence."""

    @property
    def address(self) -> str:
        """What stands behind the `#` of a player's address that opens it here."""
        packet = "" if self.packet is None else f"&packet={self.packet}"
        return f"cycle={self.cycle}&node={self.node}{packet}"


def moments(recording: Recording) -> list[Moment]:
    """Finds the moments of a recording, in order of time.

    - *first starvation*: the first wait at the head of a transmit queue that lasts longer than two fair rounds. In a fair round each node of the ring could send one
      of the longest packets: `nodes x (longest + 1)` cycles and a revolution.
    - *first recovery*: a node begins to empty its bypass FIFO behind its own packet (state C of picker1994, Figure 2).
    - *first withheld go bit*: a node takes a go bit off the ring.
    - *worst latency*: the packet with the longest way from its generation to the end of its service, of those delivered in the window.
    - *first busy echo*, *first control symbol*, *first train*, *first event*: the first of each on any link.
    """
    if not recording.runs["node"].size:
        return []
    found = [
        *_starvation(recording),
        *_recovery(recording),
        *_withheld(recording),
        *_worst_latency(recording),
        *_firsts(recording),
    ]
    return sorted(found, key=lambda moment: (moment.cycle, moment.name))


def fair_round_cycles(recording: Recording) -> int:
    """Cycles in which every node of the ring could have sent one of the longest packets, and a revolution."""
    symbols = recording.packets["symbols"]
    longest = int(symbols.max()) if symbols.size else 0
    return recording.nodes * (longest + 1 + recording.hop_delay_cycles)


def _starvation(recording: Recording) -> Iterator[Moment]:
    heads, runs = recording.tables["heads"], recording.runs
    own = (runs["activity"] == SENDING) & np.isin(runs["kind"], (SEND, RETRY))
    sent = {(packet, node): cycle for node, cycle, packet in _rows(runs, own, "node", "cycle", "packet")}
    fair_round = fair_round_cycles(recording)
    since: dict[tuple[int, int], int] = {}
    for node, cycle, packet in _rows(heads, heads["value"] >= 0, "node", "cycle", "value"):
        since.setdefault((packet, node), cycle)
    waits = []
    for (packet, node), cycle in since.items():
        # A refused packet has more than one wait; the first says enough.
        until = sent.get((packet, node), recording.stop)
        if until - cycle > STARVATION_ROUNDS * fair_round:
            waits.append((cycle, node, packet, until))
    if waits:
        cycle, node, packet, until = min(waits)
        ends = "and has not been sent when the recording ends" if until == recording.stop else "then is sent"
        yield Moment(
            "first starvation",
            cycle,
            node,
            packet,
            f"Packet {packet} is head at node {node}, waits {until - cycle} cycles, {ends}: a fair round takes {fair_round}.",
        )


def _recovery(recording: Recording) -> Iterator[Moment]:
    runs = recording.runs
    if (first := _first(recording, (runs["activity"] == DRAIN) & (runs["packet"] >= 0))) is not None:
        cycle, node = int(runs["cycle"][first]), int(runs["node"][first])
        packet = int(runs["packet"][first])
        text = f"Node {node} begins to empty its bypass FIFO of what came in while it emitted something else."
        yield Moment("first recovery", cycle, node, packet if packet >= 0 else None, text)


def _withheld(recording: Recording) -> Iterator[Moment]:
    withheld = recording.tables["withheld"]
    chosen = np.flatnonzero((withheld["value"] != 0) & (recording.go_bits > 0))
    if chosen.size:
        first = chosen[np.lexsort((withheld["node"][chosen], withheld["cycle"][chosen]))[0]]
        cycle, node = int(withheld["cycle"][first]), int(withheld["node"][first])
        yield Moment(
            "first withheld go bit", cycle, node, None, f"Node {node} takes a go bit off the ring and saves it."
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
    sends = runs["cycle"][own]
    # Where its last transmission starts, if that is in the window.
    moment = int(sends.max()) if sends.size else int(events["cycle"][delivered[worst]])
    waited = f"; it was generated in cycle {int(packets['generated'][packet])} and starts here" if sends.size else ""
    text = f"Packet {packet} from node {source} to node {destination} takes {cycles} cycles{waited}."
    yield Moment("worst latency", max(moment, recording.start), source if sends.size else destination, packet, text)


def _firsts(recording: Recording) -> Iterator[Moment]:
    runs = recording.runs
    for name, kind, text in (
        (
            "first busy echo",
            BUSY_ECHO,
            "Node {node} emits an echo that says busy: a packet found no place and will be sent again.",
        ),
        (
            "first control symbol",
            CONTROL,
            "Node {node} emits a control symbol: it overtakes packets and every other node reads it.",
        ),
        ("first train", TRAIN, "Node {node} emits the train, in which nodes ask for bandwidth and are granted it."),
        ("first event", EVENT, "Node {node} emits an event message: a packet has inherited a priority."),
    ):
        if (first := _first(recording, runs["kind"] == kind)) is not None:
            node, packet = int(runs["node"][first]), int(runs["packet"][first])
            cycle = max(int(runs["cycle"][first]), recording.start)
            yield Moment(name, cycle, node, packet if packet >= 0 else None, text.format(node=node))
    without_go = (runs["kind"] == IDLE) & (runs["activity"] == PASS) & (runs["word"] == 0)
    if recording.go_bits and (first := _first(recording, without_go)) is not None:
        node, cycle = int(runs["node"][first]), max(int(runs["cycle"][first]), recording.start)
        yield Moment("first idle without go", cycle, node, None, f"Node {node} emits an idle without a go bit.")


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
