"""A scenario's flows for the analysis of response times: on one ring, or leg by leg on the rings of a network."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds import NO_ECHO, Legs, NoBoundError, RingFlows, SwitchTimes
from ringlet.rings.network import NONE
from ringlet.rings.trace import legs as legs_of_ways
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.units import exact_cycles, magnitude

FIRST_COME = ("retries-first", "oldest-first", "requeue", "new-first")
"""Orders of `host.order` in which packets that are not refused are sent as they have come."""

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions that the scenario does not state."""

    rate: str | None = None
    """Most data per second that each node's background traffic sends over a long time, such as `20 MB/s`."""
    burst: str | None = None
    """Data beyond that which it may send at once, such as `1 KiB`."""
    jitter: float | str = 0
    """Most time by which each message is released after it is due, where its own jitter is less; a message may also
    come less often."""
    losses: int = 0
    """Packets and echoes that are lost at most, from the start on."""
    failure: bool = False
    """May one link, pair of links between two stations, or station fail that has copies of packets on each ring?"""
    offsets: bool = False
    """Are messages released at the offsets of the file, to the cycle? Else in any phases."""


@dataclass(frozen=True, slots=True)
class Flows:
    """The flows of a scenario as the analysis takes them; arrays have the shape (flows,), times are in cycles of the
    network."""

    source: IntArray
    """Node."""
    targets: BoolArray
    """The nodes to which each may go, or that all take a copy; shape (flows, nodes)."""
    priority: IntArray
    packets: IntArray
    """Packets of one message."""
    symbols: IntArray
    """Symbols of each request."""
    answer_symbols: IntArray
    """Symbols of each response; 0: there is none."""
    period: FloatArray
    jitter: FloatArray
    overtaking: IntArray
    """Later messages of each flow that may be released before one that is due, since the jitter is that long."""
    follows: BoolArray
    """True for flows whose messages are released when those of the flow before are delivered and worked on."""
    lost: int
    """Packets and echoes that are lost at most."""

    @property
    def before(self) -> IntArray:
        """The flow that each follows; -1 where it follows none."""
        return np.where(self.follows, np.arange(len(self.follows)) - 1, -1)


@dataclass(frozen=True, slots=True)
class PacketWays:
    """The ways of packets from node to node: those of all flows, and then those of their responses.

    Arrays have the shape (ways,).
    """

    source: IntArray
    targets: BoolArray
    """The nodes to which each may go; shape (ways, nodes)."""
    symbols: IntArray
    flow: IntArray
    response: BoolArray

    @classmethod
    def of(cls, flows: Flows) -> "PacketWays":
        """Returns the ways of all packets: each node to which a request may go is taken to answer all of them."""
        asked = flows.answer_symbols > 0
        flow, answering = np.nonzero(flows.targets & asked[:, None])
        back = np.zeros((len(flow), flows.targets.shape[1]), dtype=bool)
        back[np.arange(len(flow)), flows.source[flow]] = True
        count = len(flows.source)
        return cls(
            np.concatenate([flows.source, answering]),
            np.concatenate([flows.targets, back]),
            np.concatenate([flows.symbols, flows.answer_symbols[flow]]),
            np.concatenate([np.arange(count), flow]),
            np.arange(count + len(flow)) >= count,
        )


@dataclass(frozen=True, slots=True)
class RingLegs:
    """The legs of all packets on the rings of a scenario."""

    legs: Legs
    rings: Sequence[RingFlows]
    """The legs on each ring that carries any, in its symbol times."""
    numbers: Sequence[int]
    """The number of each of these rings in the network."""
    names: Sequence[Sequence[str]]
    """Names of what is at each place of these rings."""
    hosts: Sequence[BoolArray]
    """The places of each of these rings at which each of its legs ends with a node; shape (legs, places)."""
    flow: IntArray
    """The flow of each leg; shape (legs,)."""
    transfer: FloatArray
    """Cycles of the network of a packet of each leg on a B-Link; shape (legs,)."""

    @property
    def symbols(self) -> list[int]:
        """Cycles of the network that a symbol takes on each of these rings."""
        return [int(self.legs.symbol[places[0]]) for places in self.legs.rings]


def flows_of(resolved: Resolved, assumed: Assumed) -> Flows:
    """Returns the flows.

    Raises:
        NoBoundError: a kind of traffic for which no bound is proven.
    """
    nodes, sources = resolved.nodes, resolved.flows
    jitter = exact_cycles(assumed.jitter, resolved.symbol_time_ns)
    if any(len(flow.sizes) > 1 for flow in sources):
        raise NoBoundError(
            "the packets of a node have several lengths; there is a bound where those of each flow have one"
        )
    of = analysed(resolved)
    # The receivers of one packet are nodes to which it goes, each of which it loads.
    targets = np.zeros((of.max() + 1, nodes), dtype=bool)
    np.logical_or.at(targets, of, [flow.destinations.row(flow.source, nodes) > 0 for flow in sources])
    background = background_count(resolved)
    rows: list[tuple[int, float, float]] = [(1, *background_release(resolved, assumed)) for _ in range(background)]
    planned = [one for plan in resolved.plans for one in plan.bounds()]
    follows = np.zeros(len(sources), dtype=bool)
    follows[background : background + len(planned)] = [one.follows for one in planned]
    rows += [(one.packets, one.period_cycles, max(jitter, one.jitter_cycles)) for one in planned]
    # What comes at distances that are drawn keeps to the least one; a clock that drifts has its own period.
    rows += [(one.packets, one.period_cycles, max(jitter, one.jitter_cycles)) for one in resolved.messages]
    sends = np.unique(of, return_index=True)[1]
    sources = tuple(sources[flow] for flow in sends.tolist())
    packets, period, late = np.array(rows, dtype=float)[sends].T
    # The jitter of background traffic stands for a burst, whose packets come in order.
    overtaking = np.where(np.arange(len(sends)) < background, 0, np.floor((late + 1) / period)).astype(np.int64)
    return Flows(
        source=np.array([flow.source for flow in sources]),
        targets=targets,
        priority=np.array([flow.priority for flow in sources]),
        packets=packets.astype(np.int64),
        symbols=np.array([flow.sizes[0][0] for flow in sources]),
        answer_symbols=np.array([flow.response_symbols or 0 for flow in sources]),
        period=period,
        jitter=late,
        overtaking=overtaking,
        follows=follows[sends],
        lost=assumed.losses,
    )


def analysed(resolved: Resolved) -> IntArray:
    """Returns the place of each flow of the engine among those of the analysis: flows that count copies of another
    one's packets have that of the other one. Shape (flows of the engine,)."""
    places: list[int] = []
    sent = 0
    for flow in resolved.flows:
        if flow.counts_copies:
            places.append(places[flow.arrivals["flow"]])
        else:
            places.append(sent)
            sent += 1
    return np.array(places, dtype=np.int64)


def legs_of(resolved: Resolved, flows: Flows) -> RingLegs:
    """Returns the legs of all packets, of a single ring or of a network.

    Raises:
        NoBoundError: in a network, a flow to several nodes, or hosts that fill slots.
    """
    return _on_rings(resolved, flows) if resolved.switched else _on_ring(resolved, flows)


def _on_ring(resolved: Resolved, flows: Flows) -> RingLegs:
    """Returns the legs on a single ring.

    What may go to several nodes, or goes to all of them, is taken to go to the farthest: its packet crosses the most
    links.
    """
    nodes, ways = resolved.nodes, PacketWays.of(flows)
    reach = (np.arange(nodes)[None, :] - ways.source[:, None] - 1) % nodes
    farthest = (ways.source + 1 + np.where(ways.targets, reach, -1).max(axis=1)) % nodes
    count = len(ways.source)
    none = np.full(count, -1)
    legs = Legs(
        [np.arange(count)],
        before=np.where(ways.response, ways.flow, flows.before[ways.flow]),
        switch=none,
        entry=none,
        exit=none,
        response=ways.response,
        symbol=np.ones(count, dtype=np.int64),
    )
    transfer = np.zeros(count)
    ring = _ring(resolved, flows, ways, resolved.hop_symbols, 1, np.arange(count), ways.source, farthest)
    ring = replace(ring, spacing=_spacing(resolved, flows, legs, transfer))
    names = [f"node {i}" for i in range(nodes)]
    return RingLegs(legs, [ring], [0], [names], [ways.targets], ways.flow, transfer)


def _on_rings(resolved: Resolved, flows: Flows) -> RingLegs:
    received = resolved.of_host_delays(lambda delays: delays.receive_delay.ps)
    if any(one.slots is not None or one.adapter is not None for one in resolved.hosts) or received.any():
        raise NoBoundError(
            "no bound is proven for what lies between a node and its ring; there is one without host.slots, "
            "host.receive_delay and host.adapter"
        )
    if resolved.file.network.bypass == "store-and-forward" or resolved.pass_cycles:
        raise NoBoundError(
            "no bound is proven where packets wait at interfaces that they pass; there is one with network.bypass = "
            "'cut-through' and network.pass_delay = 0"
        )
    cascade = resolved.file.switch.cascade
    if resolved.file.switch.links > 1 and cascade != "first-free":
        raise NoBoundError(f"no bound is proven with switch.cascade = {cascade!r}; there is one with 'first-free'")
    order = resolved.file.host.order
    if order not in FIRST_COME:
        raise NoBoundError(f"no bound is proven with host.order = {order!r}; there is one with 'retries-first'")
    if np.any(flows.targets.sum(axis=1) > 1):
        raise NoBoundError("traffic of one node goes to several; in a network there is a bound where it goes to one")
    network, routes = resolved.routed_network
    # The link controllers of a port are places of their own; a packet that is not refused uses the first of them.
    controllers = np.where(network.interface_port == NONE, 1, resolved.file.switch.links)
    place = np.concatenate([[0], np.cumsum(controllers)])
    ways = PacketWays.of(flows)
    rows: list[IntArray] = []
    way_leg = np.full(len(ways.source), -1)
    count = 0
    switch = entry = np.full(len(ways.source), -1)
    for leg in legs_of_ways(network, routes, ways.source, ways.targets.argmax(axis=1)):
        ring = network.interface_ring[leg.start]
        here = np.full(len(leg.packet), True)
        here[leg.onward] = False
        of = leg.packet
        start, end = (place[at] - place[network.ring_start[ring]] for at in (leg.start, leg.end))
        out = np.where(switch[of] < 0, -1, network.interface_port[leg.start])
        rows.append(np.stack([ring, of, start, end, here, way_leg[of], switch[of], entry[of], out], axis=1))
        way_leg[of] = count + np.arange(len(of))
        count += len(of)
        switch, entry = switch.copy(), entry.copy()
        onward = of[leg.onward]
        switch[onward] = leg.switch
        entry[onward] = network.interface_port[leg.end[leg.onward]]
    ring, way, start, end, here, before, switch, entry, out = np.concatenate(rows).T
    # A way of responses begins where the last leg of the requests ends.
    response = ways.response[way]
    before = np.where((before < 0) & response, way_leg[ways.flow[way]], before)
    # So does that of a message that a node has worked on.
    follows = (before < 0) & (flows.before[ways.flow[way]] >= 0)
    before = np.where(follows, way_leg[flows.before[ways.flow[way]]], before)
    # Copies go round both rings at once, and neither waits for the other.
    before = np.full_like(before, -1) if network.sends_copies else before
    rings = sorted(set(ring.tolist()))
    places = [np.flatnonzero(ring == one) for one in rings]
    legs = Legs(places, before, switch, entry, out, response, resolved.symbol_cycles[ring])
    transfer = np.array([resolved.switch_delays.bus_cycles(size) for size in ways.symbols[way].tolist()])
    spacing = _spacing(resolved, flows, legs, transfer)
    made, hosts, names = [], [], []
    for one, those in zip(rings, places, strict=True):
        first, behind = network.ring_start[one], network.ring_start[one + 1]
        hops = np.repeat(resolved.hop_symbols[first:behind], controllers[first:behind])
        symbol = int(resolved.symbol_cycles[one])
        on_this = _ring(resolved, flows, ways, hops, symbol, way[those], start[those], end[those])
        made.append(replace(on_this, spacing=spacing[those]))
        names.append(
            [network.interface_name(at) for at in np.repeat(np.arange(first, behind), controllers[first:behind])]
        )
        ends = np.zeros((len(those), len(hops)), dtype=bool)
        ends[np.arange(len(those)), end[those]] = here[those] == 1
        hosts.append(ends)
    return RingLegs(legs, made, rings, names, hosts, ways.flow[way], transfer)


def _ring(
    resolved: Resolved,
    flows: Flows,
    ways: PacketWays,
    hops: IntArray,
    symbol: int,
    chosen: IntArray,
    start: IntArray,
    end: IntArray,
) -> RingFlows:
    """Returns a ring with these hops, in its symbols of so many cycles of the network, on which legs of the chosen ways
    start and end at these places."""
    of = ways.flow[chosen]
    # A release is rounded up to a cycle, which all count, and from there to a symbol.
    jitter = flows.jitter[of] + (symbol - 1)
    return RingFlows(
        len(hops),
        hops,
        resolved.echo_symbols if resolved.echoes else NO_ECHO,
        start,
        end,
        ways.symbols[chosen],
        flows.priority[of],
        flows.packets[of],
        flows.period[of] / symbol,
        jitter / symbol,
        np.zeros(len(of)),
        flows.overtaking[of],
        flows.lost,
    )


def _spacing(resolved: Resolved, flows: Flows, legs: Legs, transfer: FloatArray) -> FloatArray:
    """Returns the least time between two packets of each leg, in symbol times of its ring; 0: those of a message are
    released at once."""
    # A server ends one service after the other, and where it takes no longer than a packet nothing waits for it.
    service = np.ceil(resolved.service_cycles.min() / legs.symbol)
    served = np.maximum(service, int(flows.symbols.min()) + 1)
    # What a B-Link moves to one port comes one by one; rounding brings it up to a symbol nearer.
    moved = np.maximum(transfer / legs.symbol - 1, 0.0)
    return np.where(legs.switch >= 0, moved, np.where(legs.answers, served, 0.0))


def switch_times(resolved: Resolved, made: RingLegs, places: FloatArray, offered: BoolArray) -> SwitchTimes:
    """Returns what a packet meets in every switch.

    Args:
        resolved: with switches.
        made: the legs.
        places: that a port of each ring has for packets before its protocol refuses or stops one; infinite: any. Shape
            (rings,).
        offered: whether the ports of each ring offer what they hold, as under a protocol that follows their queue;
            shape (rings,).
    """
    ring = np.zeros(len(made.flow), dtype=np.int64)
    for number, those in enumerate(made.legs.rings):
        ring[those] = number
    entered = ring[np.where(made.legs.before < 0, np.arange(len(ring)), made.legs.before)]
    delays, switch = resolved.switch_delays, resolved.file.switch
    return SwitchTimes(
        transfer=made.transfer,
        to_link=delays.to_link.exact_cycles,
        from_link=delays.from_link.exact_cycles,
        cut_through=switch.forwarding == "cut-through",
        offered=offered[entered],
        receive=places[entered],
        transmit=switch.transmit * (2 if switch.pooled else 1),
        pooled=switch.pooled,
    )


def background_count(resolved: Resolved) -> int:
    """Returns how many of the flows are background traffic: they stand before those of plans and messages."""
    return len(resolved.flows) - sum(plan.flow_count for plan in resolved.plans) - len(resolved.messages)


def background_release(resolved: Resolved, assumed: Assumed) -> tuple[float, float]:
    """Returns period and jitter, in cycles of the network, of a flow that releases as much as a rate and a burst
    allow."""
    data = float(resolved.file.traffic.moves.payload_bytes)
    per_cycle = magnitude(assumed.rate or "", "byte/ns") * resolved.symbol_time_ns / data
    packets = max(1.0, np.ceil(magnitude(assumed.burst or "", "byte") / data))
    return 1 / per_cycle, (packets - 1) / per_cycle
