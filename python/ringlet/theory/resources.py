"""Commodities and resources of a scenario, and the use of each resource by a rate of one.

A *commodity* is the traffic of a node at one priority, in fixed shares to its destinations: what has a load, or what
has none and takes whatever it gets. A flow that waits for what others deliver or accept is one of its own: where they
are held up it is less of its node's traffic; and one that takes all it gets and ends. The rate of a commodity is
counted in words of send packets per cycle, requests and responses. A *resource* is a link, the bus of a switch (its
B-Links), the server of a receive queue, or a host's bus. A packet uses
- every link that it crosses for its symbols and the idle behind it, and the rest of each of its rings for its echo
  and the idle behind that (picker1994, Section 1.2; with TRAIN also for its ticket: todd2001, Section 2.3);
- the bus of each switch on its way for as long as it holds it (docs/explanation/network-model.md, Section 3);
- the server of its receiver for the service time, and the busses of hosts that fill slots;
- a place among the packets that its node may have sent without an echo (`queues.outstanding`), or a slot of the host
  or port that sends it, until the echo can be back: a time round the ring; and a place in the window of transactions
  (`queues.window`) until the response can be there.

What a protocol adds besides, refused packets, and places in receive queues cost nothing here.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ringlet.analysis.allocation import Commodity
from ringlet.analysis.max_min import FloatArray, Uses
from ringlet.rings import Network
from ringlet.rings.network import IntArray
from ringlet.rings.trace import legs
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.hardware.adapter import WRITE_BUFFERS
from ringlet.scenario.hardware.delays import NodeHost
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.destinations import Fixed, Weighted
from ringlet.scenario.values.link_format import LinkFormat

MAX_PAIRS = 1 << 24
"""Pairs of a flow and a destination up to which they are followed: 4,096 nodes that send to all others."""

PIECE_PAIRS = 1 << 20
"""Pairs followed at once."""

MOST_KEPT_FLOWS = 256
"""Flows up to which what they use is kept for the next scenario."""

DENSE = 4
"""Pairs of a flow and a ring for each entry, below which a sum of each pair is kept."""

MERGED = 1 << 14
"""Entries from which on those of one flow and one stretch are made one."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Commodities, resources, and the use of each resource by each commodity."""

    commodities: tuple[Commodity, ...]
    """Ascending by node and priority."""
    uses: Uses
    """Parts of resources that each commodity uses."""
    capacity: FloatArray
    """Capacity of each resource; shape (resources,)."""
    places: "Places"
    """Places of the resources: which one is what."""

    longest_held: float
    """Cycles for which a packet holds a place in a window, or a slot, at most until its echo can be back."""
    senders: IntArray
    """Commodity of each part of a flow; shape (parts,). A flow has two parts if it starts at both interfaces of its
    node, else it is one."""
    flows: IntArray
    """Number of the flow of each part; shape (parts,)."""
    shares: FloatArray
    """Share of its flow's transactions that each part has; shape (parts,)."""
    words: FloatArray
    """Mean words of a transaction of each flow; shape (flows,)."""

    def load(self) -> FloatArray:
        """Returns what all commodities at their largest rates need of each resource, as shares of its capacity; shape
        (resources,)."""
        rates = np.array([one.limit for one in self.commodities])
        return np.asarray(self.uses.load(rates, len(self.capacity)) / self.capacity)


class Places:
    """Numbers the resources: links, servers of requests and of responses, busses of switches and of hosts, windows and
    slots of nodes, slots of ports. Where nodes have two interfaces, servers, windows and slots are those of the first
    ones, and behind them of the second ones."""

    def __init__(self, network: Network, *, single: bool) -> None:
        """Counts them; on a `single` ring links and nodes go by their numbers."""
        self._network, self.single = network, single
        nodes = network.nodes
        self.attached = nodes * (1 if network.second_interface is None else 2)
        """Number of interfaces of nodes."""
        self.links = 0
        self.requests = network.interfaces
        self.responses = self.requests + self.attached
        self.switches = self.responses + self.attached
        self.hosts = self.switches + network.switches
        self.windows = self.hosts + nodes
        """First resource of the windows: of requests without an echo, and behind those of all nodes of responses."""
        self.transactions = self.windows + 2 * self.attached
        self.node_slots = self.transactions + nodes
        self.port_slots = self.node_slots + self.attached
        """First resource of the slots of ports: of requests, and behind those of all ports of responses."""
        self.count = self.port_slots + 2 * network.ports

    def name(self, resource: int) -> str:
        """Returns what a resource is called."""
        network = self._network
        if resource < self.requests:
            if self.single:
                return f"link from {network.node_names[resource]}" if network.node_names else f"link {resource}"
            ring = network.names.ring(int(network.interface_ring[resource]))
            name = network.interface_name(resource)
            return f"link from {name}" if name.endswith(ring) else f"link from {name} on {ring}"
        if resource < self.switches:
            kind = "requests" if resource < self.responses else "responses"
            return f"receive queue for {kind} of {self._interface(resource - self.requests)}"
        if resource < self.hosts:
            return f"B-Links of {network.names.switch(resource - self.switches)}"
        if resource < self.windows:
            return f"host bus of {self._node(resource - self.hosts)}"
        if resource < self.node_slots:
            if resource >= self.transactions:
                return f"queues.window of {self._node(resource - self.transactions)}"
            return f"queues.outstanding of {self._interface(resource - self.windows)}"
        if resource < self.port_slots:
            return f"transmit slots of {self._interface(resource - self.node_slots)}"
        return f"transmit slots of {network.port_name((resource - self.port_slots) % network.ports)}"

    def _interface(self, number: int) -> str:
        """Returns what an interface of a node is called, one of two by its ring; `number` is its place in a block."""
        network = self._network
        name = self._node(number % network.nodes)
        if self.attached == network.nodes:
            return name
        return f"{name} on {network.names.ring(number % self.attached // network.nodes)}"

    def _node(self, node: int) -> str:
        return f"node {node}" if self.single and not self._network.node_names else self._network.node_name(node)


def shared(
    resolved: Resolved,
    flows: Sequence[Flow],
    *,
    echoes: bool = True,
    tickets: bool = True,
    max_pairs: int = MAX_PAIRS,
    taken: FloatArray | None = None,
) -> Shared | None:
    """Returns who uses what.

    Args:
        resolved: whose network and queues are used.
        flows: its flows.
        echoes: whether echoes count.
        tickets: whether TRAIN's tickets count, where echoes do.
        max_pairs: of a flow and a destination; None is returned where there are more.
        taken: transactions of each flow that takes whatever it gets, in proportion to those of the others of its
            commodity; shape (flows,); default: of all equally many.
    """
    network = resolved.routed_network[0]
    parts = _by_interface(network, flows)
    of_parts = [part.flow for part in parts]
    sent = Sent(of_parts, resolved.link_format, at_second=[part.at_second for part in parts])
    if sum(to.count(network.nodes) for to in sent.destinations) > max_pairs:
        return None
    each = [1.0] * len(flows) if taken is None else taken.tolist()
    commodities, place, transactions = _commodities(sent, [each[part.number] for part in parts])
    costs = _costs(resolved, sent, of_parts, echoes=echoes, tickets=echoes and tickets)
    by_flow = costs.by_flow
    commodity = place[by_flow.commodity].astype(np.int32, copy=False)
    uses = Uses(commodity, by_flow.first, by_flow.end, by_flow.amount * transactions[by_flow.commodity])
    capacity = np.ones(costs.places.count)
    capacity[costs.places.links : costs.places.requests] = 1 / resolved.link_cycles
    capacity[costs.places.switches : costs.places.hosts] = resolved.file.switch.links
    capacity[costs.places.windows :] = costs.places_held
    numbers = np.array([part.number for part in parts], dtype=np.int64)
    shares = np.array([part.share for part in parts])
    words = np.zeros(len(flows))
    words[numbers] = [sent.kinds[kind].words for kind in sent.kind.tolist()]
    return Shared(commodities, uses, capacity, costs.places, costs.longest_held, place, numbers, shares, words)


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a flow that starts at one interface of its node."""

    number: int
    """Number of the flow."""
    flow: Flow
    """Flow with this part alone."""
    share: float
    """Share of the flow's transactions."""
    at_second: bool
    """True if it starts at the second interface."""


def _by_interface(network: Network, flows: Sequence[Flow]) -> list[_Part]:
    """Returns the flows by the interfaces of their nodes at which they start: each has a queue, so that what waits at
    one does not hold up what is for the other."""
    if network.ahead is None:
        return [_Part(number, flow, 1.0, at_second=False) for number, flow in enumerate(flows)]
    found = []
    for number, flow in enumerate(flows):
        row = flow.destinations.row(flow.source, network.nodes)
        on_first = (np.arange(network.nodes) - flow.source) % network.nodes <= network.ahead[flow.source]
        rows = [np.where(on_first, row, 0.0), np.where(on_first, 0.0, row)]
        sides = [side for side, each in enumerate(rows) if each.any()]
        if len(sides) < len(rows):
            found.append(_Part(number, flow, 1.0, at_second=sides == [1]))
            continue
        for side, each in enumerate(rows):
            share = float(each.sum() / row.sum())
            part = replace(flow, destinations=Weighted(each / each.sum()), rate=flow.rate * share)
            found.append(_Part(number, part, share, at_second=side == 1))
    return found


def _costs(resolved: Resolved, sent: "Sent", flows: Sequence[Flow], *, echoes: bool, tickets: bool) -> "_Costs":
    """Returns what transactions use, made once for scenarios whose flows differ in their rates alone."""
    if len(flows) > MOST_KEPT_FLOWS:
        return _Costs(resolved, sent, echoes=echoes, tickets=tickets)
    # Costs hold `sent`, and it the destinations, so that no other ones have these numbers.
    each = [(one.source, id(one.destinations), one.are_responses) for one in flows]
    key = (echoes, tickets, *each, *(kind.sizes for kind in sent.kinds), *(kind.response for kind in sent.kinds))
    key = (*key, *sent.kind.tolist())
    kept = resolved.kept.get("costs")
    if kept is None or kept[0] != key:
        resolved.kept["costs"] = kept = key, _Costs(resolved, sent, echoes=echoes, tickets=tickets)
    found: _Costs = kept[1]
    return found


@dataclass(frozen=True, slots=True)
class Kind:
    """Packets of a transaction."""

    words: float
    """Mean words, without framing."""
    payload_bytes: float
    """Mean data."""
    sizes: tuple[tuple[int, float], ...]
    """Symbols of a request, framing included, with their probabilities."""
    response: int | None
    """Symbols of the response."""

    @classmethod
    def of(cls, flow: Flow, link_format: LinkFormat) -> "Kind":
        """Returns the packets of a flow, without the framing that links add."""
        framing = link_format.framing_symbols
        sizes, response = tuple(flow.sizes), flow.response_symbols
        words = sum(size * share for size, share in sizes) - framing
        words += 0 if response is None else response - framing
        each = flow.payload.bytes_each
        payload = link_format.symbol_bytes * words if each is None else each
        return cls(words, flow.good * payload, sizes, response)


class Sent:
    """The flows in numbers, an entry each."""

    def __init__(
        self, flows: Sequence[Flow], link_format: LinkFormat, *, at_second: Sequence[bool] | None = None
    ) -> None:
        """Takes steady flows, how packets lie on links, and which of the flows wait at the second interfaces of their
        nodes; default: none."""
        self.is_second = [False] * len(flows) if at_second is None else list(at_second)
        # Flows of a background have one list of sizes and one payload.
        known: dict[tuple[int, int | None, int], int] = {}
        self.kinds: list[Kind] = []
        """The different kinds of packets that there are."""
        kind = []
        for flow in flows:
            key = (id(flow.sizes), flow.response_symbols, id(flow.payload))
            if key not in known:
                known[key] = len(self.kinds)
                self.kinds.append(Kind.of(flow, link_format))
            kind.append(known[key])
        self.kind = np.array(kind, dtype=np.int64)
        self.node = [flow.source for flow in flows]
        self.priority = [flow.priority for flow in flows]
        self.rate = [flow.rate for flow in flows]
        """Transactions per cycle; infinite for what takes all it gets."""
        self.apart = [
            place if flow.dependent or (flow.ends and math.isinf(flow.rate)) else -1 for place, flow in enumerate(flows)
        ]
        """Number of each flow that may send less than its rate, or end, while the others of its node do not; else -1.
        """
        self.is_response = [flow.are_responses for flow in flows]
        """True if its packets, of a trace, are themselves responses."""
        self.destinations = [flow.destinations for flow in flows]


def _commodities(sent: Sent, taken: Sequence[float]) -> tuple[tuple[Commodity, ...], IntArray, FloatArray]:
    """Returns the commodities, and for each flow the place of its own and its transactions for each word of that.

    Args:
        sent: the flows.
        taken: transactions of each that takes whatever it gets, in proportion to those of the others of its commodity.
    """
    keys = list(zip(sent.node, sent.priority, map(math.isinf, sent.rate), sent.is_second, sent.apart, strict=True))
    found = {key: place for place, key in enumerate(sorted(set(keys)))}
    place = np.array([found[key] for key in keys], dtype=np.int64)
    rate = np.array([share if math.isinf(one) else one for one, share in zip(sent.rate, taken, strict=True)])
    words = np.bincount(place, rate * np.array([kind.words for kind in sent.kinds])[sent.kind], len(found))
    data = np.bincount(place, rate * np.array([kind.payload_bytes for kind in sent.kinds])[sent.kind], len(found))
    commodities = tuple(
        Commodity(node, priority, math.inf if takes_all else total, moved / total if total else 0.0)
        for (node, priority, takes_all, *_), total, moved in zip(found, words.tolist(), data.tolist(), strict=True)
    )
    # What sent nothing at an interface uses nothing.
    return commodities, place, rate / np.where(words, words, 1.0)[place]


def pairs(sent: Sent, nodes: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yields flow, destination and its share of the flow's transactions, in pieces."""
    fixed = [(flow, to.node) for flow, to in enumerate(sent.destinations) if isinstance(to, Fixed)]
    if fixed:
        flow, target = np.array(fixed, dtype=np.int64).T
        yield flow, target, np.ones(len(fixed))
    spread = [flow for flow, to in enumerate(sent.destinations) if not isinstance(to, Fixed)]
    rows = max(1, PIECE_PAIRS // nodes)
    for first in range(0, len(spread), rows):
        piece = spread[first : first + rows]
        shares = np.array([sent.destinations[flow].row(sent.node[flow], nodes) for flow in piece])
        row, target = np.nonzero(shares)
        yield np.array(piece, dtype=np.int64)[row], target, shares[row, target]


class _Costs:
    """The use of each resource by the transactions of each flow, on their ways."""

    def __init__(self, resolved: Resolved, sent: Sent, *, echoes: bool, tickets: bool) -> None:
        self._resolved = resolved
        self._network, self._routes = resolved.routed_network
        self.places = Places(self._network, single=not resolved.switched)
        self._node = np.array(sent.node, dtype=np.int64)
        self._echo = resolved.echo_cost_symbols if echoes else 0
        kinds, kind = sent.kinds, sent.kind

        def each(values: Sequence[float]) -> FloatArray:
            return np.array(values, dtype=np.float64)[kind] if kinds else np.zeros(0)

        self._symbols = each([sum(size * share for size, share in one.sizes) for one in kinds])
        self._bus = each([sum(bus_cycles(resolved, size) * share for size, share in one.sizes) for one in kinds])
        self._answers = each([one.response is not None for one in kinds]) > 0
        self._answer_symbols = each([one.response or 0 for one in kinds])
        self._answer_bus = each([bus_cycles(resolved, one.response or 0) for one in kinds])
        self._servers = np.where(sent.is_response, self.places.responses, self.places.requests)
        protocols, link_format = resolved.ring_protocols.by_ring(self._network.rings), resolved.link_format
        grants = [one.grants(link_format) if tickets else None for one in protocols]
        self._ticket = np.array([0 if one is None else one.symbols for one in grants], dtype=np.int64)
        self._ticket_master = np.array([0 if one is None else one.master for one in grants], dtype=np.int64)
        self._service = resolved.service_cycles
        data_bytes = resolved.file.traffic.moves.payload_bytes
        self._fill = resolved.of_host_delays(lambda delays: delays.fill_cycles(data_bytes))
        self._hop_cycles = resolved.hop_cycles
        starts = self._network.ring_start
        self._around = np.add.reduceat(self._hop_cycles, starts[:-1])
        self._behind = np.concatenate([[0], np.cumsum(self._hop_cycles)])
        self._limits_of_places()
        self._sent = sent

    @cached_property
    def by_flow(self) -> Uses:
        """The use of each resource by one transaction of each flow."""
        pieces = pairs(self._sent, self._network.nodes)
        return _joined([part for piece in pieces for part in self.of(*piece)])

    def _limits_of_places(self) -> None:
        """Finds windows and slots that hold a packet until its echo can be back; 1 where there is no limit, and then
        nothing uses them."""
        resolved, network, places = self._resolved, self._network, self.places
        echoed = self._echo > 0

        def numbers(given: Sequence[int | None], *, limited: bool = True) -> FloatArray:
            return np.array([np.inf if one is None or not limited else one for one in given], dtype=np.float64)

        each = places.attached // network.nodes
        outstanding = np.tile(numbers(resolved.outstanding, limited=echoed), each)
        # Requests count at the interface that sends them, and their responses may come by the other one.
        window = numbers(resolved.places("window")) * each
        slots = np.tile(numbers([_host_slots(host) for host in resolved.hosts], limited=echoed), each)
        switch = resolved.file.switch
        few = switch.transmit * switch.links * (2 if switch.pooled else 1)
        ports = numbers([few] * network.ports, limited=echoed)
        given = np.concatenate([outstanding, outstanding, window, slots, ports, ports])
        self._limited = np.isfinite(given)
        self.places_held = np.where(self._limited, given, 1.0)
        self._attached = np.full(network.interfaces, -1)
        """Place of each interface of a node among them, the first ones before the second ones; -1 of ports."""
        self._attached[network.node_interface] = np.arange(network.nodes)
        if network.second_interface is not None:
            self._attached[network.second_interface] = network.nodes + np.arange(network.nodes)
        first = places.transactions - places.windows
        self._has_windows = bool(self._limited[first : first + network.nodes].any())
        self._interface_port = np.full(network.interfaces, -1)
        self._interface_port[network.port_interface] = np.arange(network.ports)
        self._slot_cycles = resolved.of_host_delays(lambda delays: delays.before_echo_cycles)
        longest = float(self._around.max() + self._slot_cycles.max())
        if self._has_windows:
            # Both ways over all rings, with both packets.
            longest += float(
                2 * self._around.sum() + self._symbols.max(initial=0.0) + self._answer_symbols.max(initial=0)
            )
        self.longest_held = longest

    def of(self, flow: IntArray, target: IntArray, share: FloatArray) -> Iterator[Uses]:
        """Yields what one transaction of each flow, in shares to its destinations, takes; commodities are flows."""
        source = self._node[flow]
        servers = self._servers[flow]
        yield from self._packets(flow, source, target, share, self._symbols, self._bus, servers, is_response=False)
        back = np.flatnonzero(self._answers[flow])
        if back.size:
            flow, source, target, share = flow[back], source[back], target[back], share[back]
            servers = np.full(len(flow), self.places.responses)
            yield from self._packets(
                flow, target, source, share, self._answer_symbols, self._answer_bus, servers, is_response=True
            )

    def _packets(
        self,
        flow: IntArray,
        source: IntArray,
        target: IntArray,
        share: FloatArray,
        symbols: FloatArray,
        bus: FloatArray,
        servers: IntArray,
        *,
        is_response: bool,
    ) -> Iterator[Uses]:
        """Yields what one packet of each pair takes; `symbols` and `bus` are those of each flow, `servers` the first
        server of the packet's kind.

        Of windows it takes places: the time for which it holds one, at least.
        """
        network, places = self._network, self.places
        for leg in legs(network, self._routes, source, target):
            at, part = flow[leg.packet], share[leg.packet]
            yield from self._held(at, part, leg.start, is_response=is_response)
            ring = network.interface_ring[leg.start]
            first, length = network.ring_start[ring], network.ring_lengths[ring]
            # A ticket goes round once to be granted, and before that from the node to the TicketMaster.
            yield from self._all_round(at, ring, part * (self._echo + self._ticket[ring]))
            hops = (leg.end - leg.start - 1) % length + 1
            # On one ring no two of a flow's packets have the same way.
            several = network.switches > 0
            amount = part * (symbols[at] + 1 - self._echo)
            yield from _stretches(at, leg.start, hops, first, length, amount, merged=several)
            if self._ticket.any():
                to_master = (first + self._ticket_master[ring] - leg.start - 1) % length + 1
                amount = part * self._ticket[ring]
                yield from _stretches(at, leg.start, to_master, first, length, amount, merged=True)
            if leg.onward.size:
                crossing = at[leg.onward]
                yield _single(crossing, places.switches + leg.switch, part[leg.onward] * bus[crossing])
            if self._service.any():
                last = np.flatnonzero(self._attached[leg.end] >= 0)
                packet = leg.packet[last]
                server = servers[packet] + self._attached[leg.end[last]]
                yield _single(at[last], server, part[last] * self._service[target[packet]])
        if self._has_windows:
            # The node that waits for the response is where it goes.
            waits = target if is_response else source
            some = np.flatnonzero(
                self._limited[places.transactions - places.windows + waits]
                & (self._answers[flow] if not is_response else True)
            )
            way = np.full(len(flow), np.inf if network.sends_copies else 0.0)
            for leg in legs(network, self._routes, source, target):
                # Of two copies the one acts that is there first.
                joined = np.minimum if network.sends_copies else np.add
                joined.at(way, leg.packet, self._way(leg.start, leg.end))
            held = share * (way + symbols[flow] + self._service[target])
            yield _single(flow[some], places.transactions + waits[some], held[some])
        if self._fill.any() and not is_response:
            yield _single(flow, places.hosts + source, share * self._fill[source])

    def _way(self, start: IntArray, end: IntArray) -> FloatArray:
        """Returns the cycles of the links from interfaces to others on their rings."""
        around = self._around[self._network.interface_ring[start]]
        straight = self._behind[end] - self._behind[start]
        return np.asarray(np.where(straight > 0, straight, straight + around), dtype=np.float64)

    def _held(self, flow: IntArray, share: FloatArray, start: IntArray, *, is_response: bool) -> Iterator[Uses]:
        """Yields the places that packets hold where they are put on a ring: a time round it, until the echo is back."""
        network, places = self._network, self.places
        around = self._around[network.interface_ring[start]]
        node, port = self._attached[start], self._interface_port[start]
        late = places.attached * int(is_response)
        yield from self._limited_places(flow, places.windows + late + node, share * around, node >= 0)
        if not is_response:
            yield from self._limited_places(
                flow, places.node_slots + node, share * (around + self._slot_cycles[node % network.nodes]), node >= 0
            )
        late = network.ports * int(is_response)
        yield from self._limited_places(flow, places.port_slots + late + port, share * around, port >= 0)

    def _limited_places(
        self, flow: IntArray, resource: IntArray, amount: FloatArray, which: "np.ndarray[Any, np.dtype[np.bool_]]"
    ) -> Iterator[Uses]:
        """Yields the use of those of some resources that have a limit."""
        some = np.flatnonzero(which)
        some = some[self._limited[resource[some] - self.places.windows]]
        if some.size:
            yield _single(flow[some], resource[some], amount[some])

    def _all_round(self, flow: IntArray, ring: IntArray, amount: FloatArray) -> Iterator[Uses]:
        """Yields what flows take of all links of rings, one entry for each of both."""
        rings = self._network.rings
        if not amount.any():
            return
        base = int(flow.min())
        key = (flow - base) * rings + ring
        if int(key.max()) < DENSE * key.size:
            total = np.asarray(np.bincount(key, amount), dtype=np.float64)
            some = np.flatnonzero(total)
            total = total[some]
        else:
            some, of_key = np.unique(key, return_inverse=True)
            total = np.asarray(np.bincount(of_key, amount), dtype=np.float64)
        of, on = np.divmod(some, rings)
        start = self._network.ring_start
        # What is zero is left out there.
        yield _uses(base + of, start[on], start[on + 1], total)


def _host_slots(host: NodeHost) -> int | None:
    """Returns how many requests a node's interface may hold that are filled, sent or not yet accepted."""
    if host.adapter is None:
        return host.slots
    return host.adapter.masters if host.adapter.masters > 1 else WRITE_BUFFERS


def bus_cycles(resolved: Resolved, symbols: int) -> float:
    """Returns the cycles for which a packet holds a B-Link; 0 where there are no switches."""
    return resolved.switch_delays.bus_cycles(symbols) if resolved.switched else 0.0


def _stretches(
    flow: IntArray,
    start: IntArray,
    hops: IntArray,
    first: IntArray,
    length: IntArray,
    amount: FloatArray,
    *,
    merged: bool,
) -> Iterator[Uses]:
    """Yields so many links from interfaces on, of rings that begin at `first`; two stretches where a ring ends."""
    behind = first + length
    end = start + hops
    yield _uses(flow, start, np.minimum(end, behind), amount, merged=merged)
    wraps = np.flatnonzero(end > behind)
    if wraps.size:
        yield _uses(flow[wraps], first[wraps], (first + end - behind)[wraps], amount[wraps], merged=merged)


def _single(flow: IntArray, resource: IntArray, amount: FloatArray) -> Uses:
    return _uses(flow, resource, resource + 1, amount, merged=True)


def _uses(flow: IntArray, first: IntArray, end: IntArray, amount: FloatArray, *, merged: bool = False) -> Uses:
    """Returns the entries with an amount; `merged`: one for all that a flow uses of a stretch, if there are many."""
    if merged and flow.size > MERGED:
        span = int(end.max()) + 1
        key = (flow * span + first) * span + end
        order = np.argsort(key)
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        chosen = order[starts]
        flow, first, end, amount = flow[chosen], first[chosen], end[chosen], np.add.reduceat(amount[order], starts)
    if not amount.all():
        some = np.flatnonzero(amount)
        flow, first, end, amount = flow[some], first[some], end[some], amount[some]
    return Uses(flow.astype(np.int32), first.astype(np.int32), end.astype(np.int32), amount)


def _joined(parts: Sequence[Uses]) -> Uses:
    nothing = np.zeros(0, dtype=np.int32)
    every = [Uses(nothing, nothing, nothing, np.zeros(0)), *parts]
    return Uses(
        np.concatenate([one.commodity for one in every]),
        np.concatenate([one.first for one in every]),
        np.concatenate([one.end for one in every]),
        np.concatenate([one.amount for one in every]),
    )
