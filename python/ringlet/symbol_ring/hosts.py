"""A node's host: its transmit queue with the retries, and its two input queues (docs/explanation/model.md, 1 and 2;
docs/explanation/realtime-model.md for responses)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ringlet.symbol_ring.draws import Source
from ringlet.symbol_ring.packets import REQUEST, RESPONSE, FlowCounts, Message, Packet

Eligible = Callable[[Packet], bool]


@dataclass(slots=True, eq=False)
class Refused:
    """A packet on the retry list."""

    packet: Packet
    at: int
    """Cycle of its busy echo's last symbol, which no two packets of a node share."""
    ready: int
    """First cycle in which it may be sent again."""


@dataclass(slots=True, eq=False)
class Head:
    """The packet at the head."""

    packet: Packet
    since: int
    """Cycle in which it became head."""
    refused: Refused | None
    """Place on the retry list that it came from; None: it is new."""


@dataclass(slots=True, eq=False)
class Flow:
    """A flow at its source."""

    index: int
    spec: Mapping[str, Any]
    source: Source


@dataclass(slots=True, eq=False)
class _First:
    """The first packet of a class and priority."""

    packet: Packet
    refused: Refused | None


class Records:
    """Packets made on the ring as a whole, and the counts of its flows."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        """Begins a ring at cycle 0."""
        self.made = 0
        """Packets."""
        self.deadlines = [flow["deadline_cycles"] for flow in spec["flows"]]
        self.responds = [flow["response_symbols"] is not None for flow in spec["flows"]]
        """Have the requests of each flow responses?"""
        self.counts = [FlowCounts() for _ in self.deadlines]
        self.deliveries: list[tuple[int, int, int, int, bool]] | None = None
        """Cycle, flow, symbols, latency of each delivery, and whether it was a response; None: they are not kept."""
        self.progress = 0
        """Cycle of the last acceptance or service."""

    def number(self) -> int:
        """Returns the number of a new packet."""
        self.made += 1
        return self.made - 1

    def deliver(self, packet: Packet, cycle: int) -> None:
        """The service of a packet ends."""
        counts = self.counts[packet.flow]
        latency = cycle - packet.generated
        counts.symbols += packet.symbols
        counts.latencies.append(latency)
        if packet.kind == RESPONSE:
            counts.response_latencies.append(latency)
        if self.deliveries is not None:
            self.deliveries.append((cycle, packet.flow, packet.symbols, latency, packet.kind == RESPONSE))
        self.progress = max(self.progress, cycle)
        if packet.response_symbols is not None:
            return
        packet.message.incomplete -= 1
        if packet.message.incomplete == 0:
            took, deadline = cycle - packet.message.arrival, self.deadlines[packet.flow]
            counts.message_latencies.append(took)
            counts.missed += deadline is not None and took > deadline

    def count_accepted(self, packet: Packet) -> None:
        """A packet is accepted, as its sender knows."""
        counts = self.counts[packet.flow]
        if packet.refusals:
            counts.retried.append(packet.refusals)
        else:
            counts.first_try += 1


class TransmitQueue:
    """A node's transmit queue: what its flows have generated, the responses it owes, refused packets, and the head."""

    def __init__(self, spec: Mapping[str, Any], node: int, records: Records) -> None:
        """Begins a node at cycle 0."""
        limits = own(spec["queues"]["limits"], node)
        self._node, self._records = node, records
        self._capacity: int | None = limits["transmit_capacity"]
        self._outstanding: int | None = limits["outstanding_limit"]
        self._window: int | None = limits["window"]
        self._retry: Mapping[str, Any] = limits["retry"]
        self._order: str = spec["queues"]["order"]
        self.flows = [
            Flow(index, flow, Source(spec["seed"], index, flow, spec["nodes"]))
            for index, flow in enumerate(spec["flows"])
            if flow["source"] == node
        ]
        self.waiting: list[Packet] = []
        """New packets that wait, in the order in which they were made."""
        self.refused: list[Refused] = []
        """Refused packets in the order of refusal."""
        self.head: Head | None = None
        self.unaccepted: tuple[list[Packet], list[Packet]] = ([], [])
        """Packets of each class that were sent and not yet accepted."""
        self._begun = 0
        """Transactions with a response begun and not complete."""
        self._last_left = RESPONSE
        self.most = 0
        """Most packets just after one was taken in."""

    def __len__(self) -> int:
        """Packets in the queue, responses included, refused ones never."""
        return len(self.waiting) + (self.head is not None and self.head.refused is None)

    # --- What comes in ------------------------------------------------------------------------------------------------

    def take_arrivals(self, cycle: int) -> None:
        """Takes in the arrivals up to a cycle, flow by flow; those that find no room are lost."""
        for flow in self.flows:
            if flow.source.saturated:
                if cycle == 0:
                    self._generate(flow, 0)
                continue
            while flow.source.next <= cycle:
                arrival, burst = flow.source.take_arrival(), flow.spec["burst"]
                if self._capacity is not None:
                    requests = sum(packet.kind == REQUEST for packet in self.waiting)
                    head = self.head
                    requests += head is not None and head.refused is None and head.packet.kind == REQUEST
                    if requests + burst > self._capacity:
                        self._records.counts[flow.index].generated += burst
                        self._records.counts[flow.index].lost += burst
                        continue
                self._generate(flow, arrival)

    def _generate(self, flow: Flow, cycle: int) -> None:
        burst = flow.spec["burst"]
        self._records.counts[flow.index].generated += burst
        message = Message(cycle, burst)
        for _ in range(burst):
            destination, symbols = flow.source.draw_packet()
            self._enter(
                Packet(
                    self._records.number(),
                    REQUEST,
                    flow.index,
                    self._node,
                    destination,
                    symbols,
                    flow.spec["response_symbols"],
                    flow.spec["priority"],
                    cycle,
                    message,
                )
            )

    def _enter(self, packet: Packet) -> None:
        self.waiting.append(packet)
        self.most = max(self.most, len(self))

    def respond(self, request: Packet, cycle: int) -> None:
        """Creates the response to a request that has been served."""
        assert request.response_symbols is not None
        self._enter(
            Packet(
                self._records.number(),
                RESPONSE,
                request.flow,
                self._node,
                request.source,
                request.response_symbols,
                None,
                request.priority,
                cycle,
                request.message,
            )
        )

    def take_echo(self, cycle: int, packet: Packet, *, accepted: bool) -> None:
        """An echo takes effect."""
        if accepted:
            self._records.count_accepted(packet)
            self.forget(packet)
            return
        packet.refusals += 1
        self.refused.append(Refused(packet, cycle, min(cycle + self._retry_delay(packet.refusals), 1 << 63)))

    def forget(self, packet: Packet) -> None:
        """Nothing waits for a packet's echo any more."""
        if packet.inversion:
            self._records.counts[packet.flow].output_inversions.add(packet.inversion)
        if packet in self.unaccepted[packet.kind]:
            self.unaccepted[packet.kind].remove(packet)

    def _retry_delay(self, refusals: int) -> int:
        start: int = self._retry["delay_cycles"]
        match self._retry["strategy"]:
            case "linear":
                return start * refusals
            case "exponential":
                return start << min(refusals - 1, 64)
        return start

    def complete_transaction(self) -> None:
        """A response for this node has been served."""
        self._begun -= 1

    # --- The head -----------------------------------------------------------------------------------------------------

    def _may_begin(self, packet: Packet) -> bool:
        under_way = len(self.unaccepted[packet.kind])
        return (self._outstanding is None or under_way < self._outstanding) and (
            packet.response_symbols is None or self._window is None or self._begun < self._window
        )

    def _tops(self, cycle: int) -> list[_First]:
        """Returns for each class the first packet of the highest priority that has one: the ready retry that was
        refused first, else the oldest waiting packet, if it may be sent."""
        tops: list[_First] = []
        if not self.waiting and not self.refused:
            return tops
        ready = [refused for refused in self.refused if refused.ready <= cycle]
        for kind in (REQUEST, RESPONSE):
            levels = {packet.priority for packet in self.waiting if packet.kind == kind}
            levels |= {refused.packet.priority for refused in ready if refused.packet.kind == kind}
            for level in sorted(levels, reverse=True):
                again = [one for one in ready if (one.packet.kind, one.packet.priority) == (kind, level)]
                if again:
                    first = min(again, key=lambda one: one.at)
                    tops.append(_First(first.packet, first))
                    break
                new = [one for one in self.waiting if (one.kind, one.priority) == (kind, level)]
                oldest = min(new, key=_age)
                if self._may_begin(oldest):
                    tops.append(_First(oldest, None))
                    break
        return tops

    def _rank(self, packet: Packet, *, responses_first: bool) -> tuple[bool, int]:
        return responses_first and packet.kind == REQUEST, -packet.priority

    def _turn(self, packet: Packet) -> tuple[int, bool]:
        match self._order:
            case "response-first":
                return 0, packet.kind == REQUEST
            case "request-first":
                return 0, packet.kind == RESPONSE
            case "oldest":
                return packet.generated, packet.kind == RESPONSE
        return 0, packet.kind == self._last_left

    def _best(self, cycle: int, eligible: Eligible, *, responses_first: bool) -> _First | None:
        tops = [first for first in self._tops(cycle) if eligible(first.packet)]
        if not tops:
            return None
        return min(
            tops,
            key=lambda first: (self._rank(first.packet, responses_first=responses_first), self._turn(first.packet)),
        )

    def choose_head(self, cycle: int, eligible: Eligible, *, pressed: bool) -> None:
        """Chooses a head, if there is none and a packet may be sent.

        Args:
            cycle: now.
            eligible: says of a packet whether the protocol lets it be head.
            pressed: as many responses as may be are pending.
        """
        if self.head is not None:
            return
        best = self._best(cycle, eligible, responses_first=pressed and self._last_left == REQUEST)
        if best is None:
            return
        if best.refused is None:
            self.waiting.remove(best.packet)
        else:
            self.refused.remove(best.refused)
        self.head = Head(best.packet, cycle, best.refused)

    def yield_head(self, cycle: int, eligible: Eligible, *, pressed: bool) -> None:
        """A head that is not eligible, or that a better packet could replace, goes back to where it was."""
        head = self.head
        if head is None:
            return
        responses_first = pressed and self._last_left == REQUEST
        best = self._best(cycle, eligible, responses_first=responses_first)
        rank = self._rank(head.packet, responses_first=responses_first)
        better = best is not None and self._rank(best.packet, responses_first=responses_first) < rank
        if better or not eligible(head.packet):
            self.head = None
            if head.refused is None:
                self.waiting.append(head.packet)
                self.waiting.sort(key=lambda packet: packet.number)
            else:
                self.refused.append(head.refused)
                self.refused.sort(key=lambda refused: refused.at)

    # --- What goes out ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The head's first symbol is emitted."""
        assert self.head is not None
        packet = self.head.packet
        counts = self._records.counts[packet.flow]
        if self.head.refused is None:
            counts.sent += 1
        else:
            counts.retries += 1
            counts.retry_symbols += packet.symbols

    def leave_head(self, cycle: int) -> Packet:
        """The head has been sent, and leaves; its flow, if saturated, generates the next packet."""
        assert self.head is not None
        packet, refused = self.head.packet, self.head.refused
        self.head = None
        self._last_left = packet.kind
        if refused is None:
            self.unaccepted[packet.kind].append(packet)
            self._begun += packet.response_symbols is not None
        if packet.kind == REQUEST and not packet.has_left:
            packet.has_left = True
            flow = next(flow for flow in self.flows if flow.index == packet.flow)
            if flow.source.saturated:
                self._generate(flow, cycle)
        return packet


def _age(packet: Packet) -> tuple[int, int, int]:
    """Returns by what waiting packets of a class are ordered."""
    if packet.kind == RESPONSE:
        return 0, 0, packet.number
    return packet.generated, packet.flow, packet.number


@dataclass(slots=True, eq=False)
class _Held:
    """A packet that holds a place of an input queue."""

    packet: Packet
    priority: int
    complete: int
    """Cycle from which on it may be served."""
    end: int | None = None
    """Cycle in which its service ends, once it has started."""


class Host:
    """Transmit queue, input queues and their servers of one node."""

    def __init__(self, spec: Mapping[str, Any], node: int, records: Records) -> None:
        """Begins a node at cycle 0."""
        receive = own(spec["queues"]["receive"], node)
        self.queue = TransmitQueue(spec, node, records)
        self._records = records
        self._capacity: int | None = receive["capacity"]
        self._service: int = receive["service_cycles"]
        self._inputs: tuple[list[_Held], list[_Held]] = ([], [])
        self._response_capacity: int | None = own(spec["queues"]["limits"], node)["response_capacity"]
        self._pending = 0
        """Responses created and not yet accepted."""
        self.held = 0
        """Packets that hold places in both input queues."""
        self.most = 0
        """Most packets in both input queues just after one was accepted."""

    @property
    def is_pressed(self) -> bool:
        """True if as many responses are pending as may be."""
        return self._response_capacity is not None and self._pending >= self._response_capacity

    def serve(self, cycle: int) -> None:
        """Lets the servers work up to a cycle: what is over ends before anything starts, requests go first."""
        while self.held and (self._end(cycle) or self._start(cycle)):
            pass

    def _end(self, cycle: int) -> bool:
        for inputs in self._inputs:
            for held in inputs:
                if held.end is not None and held.end <= cycle:
                    inputs.remove(held)
                    self.held -= 1
                    packet = held.packet
                    if packet.kind == RESPONSE:
                        self.queue.complete_transaction()
                    self._records.deliver(packet, cycle)
                    if packet.response_symbols is not None:
                        self.queue.respond(packet, cycle)
                        self._pending += 1
                    return True
        return False

    def _start(self, cycle: int) -> bool:
        for inputs in self._inputs:
            if any(held.end is not None for held in inputs):
                continue
            complete = [held for held in inputs if held.complete <= cycle]
            if not complete:
                continue
            first = min(complete, key=lambda held: (-held.priority, held.complete))
            if self.is_pressed and first.packet.response_symbols is not None:
                continue
            first.end = cycle + self._service
            return True
        return False

    def receive(self, cycle: int, packet: Packet, priority: int) -> bool:
        """Returns whether an input queue takes a packet, whose first symbol comes in."""
        inputs = self._inputs[packet.kind]
        if self._capacity is not None and len(inputs) >= self._capacity:
            if packet.refused_since is None and any(held.priority < priority for held in inputs):
                packet.refused_since = cycle
            return False
        inputs.append(_Held(packet, priority, cycle + packet.symbols))
        self.held += 1
        packet.accepted = True
        if packet.refused_since is not None:
            self._records.counts[packet.flow].input_inversions.add(cycle - packet.refused_since)
            packet.refused_since = None
        self._records.progress = max(self._records.progress, cycle)
        self.most = max(self.most, self.held)
        return True

    def take_echo(self, cycle: int, packet: Packet, *, accepted: bool) -> None:
        """An echo takes effect. It may make room for another response."""
        self.queue.take_echo(cycle, packet, accepted=accepted)
        if accepted and packet.kind == RESPONSE:
            self._pending -= 1

    def let_go(self, packet: Packet) -> None:
        """Without echoes: an own packet has been emitted, and nothing waits for it any more."""
        self.queue.forget(packet)
        if packet.kind == RESPONSE:
            self._pending -= 1


def own(values: Mapping[str, Any], node: int) -> Any:  # noqa: ANN401 - what the spec holds
    """Returns a node's part of what a spec has in common or for each node."""
    return values["common"] if values.get("each") is None else values["each"][node]
