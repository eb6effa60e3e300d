"""A scenario's flows for the analysis of response times: on one ring, or leg by leg on the rings of a network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds import Legs, NoBoundError, RingFlows, SwitchTimes
from ringlet.scenario.resolved import Resolved
from ringlet.scenario.units import exact_cycles, magnitude
from ringlet.topology.network import NONE
from ringlet.topology.trace import legs as legs_of_ways

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
    """Most time by which each message is released after it is due; a message may also come less often."""


@dataclass(frozen=True, slots=True)
class Flows:
    """The flows of a scenario as the analysis takes them; arrays have the shape (flows,), times are in cycles."""

    source: IntArray
    """Node."""
    targets: BoolArray
    """The nodes to which each may go; shape (flows, nodes)."""
    priority: IntArray
    packets: IntArray
    """Of one message."""
    period: FloatArray
    jitter: FloatArray
    symbols: int
    """Of every packet."""


@dataclass(frozen=True, slots=True)
class RingLegs:
    """The legs of the flows on the rings of a network."""

    legs: Legs
    rings: Sequence[RingFlows]
    """The legs on each ring that carries any."""
    names: Sequence[Sequence[str]]
    """What is at each place of these rings."""
    hosts: Sequence[BoolArray]
    """The places of each of these rings at which each of its legs ends with a node; shape (legs, places)."""
    flow: IntArray
    """The flow of each leg; shape (legs,)."""


def flows_of(resolved: Resolved, assumed: Assumed) -> Flows:
    """Returns the flows.

    Raises:
        NoBoundError: a kind of traffic for which no bound is proven.
    """
    nodes, sources = resolved.nodes, resolved.flows
    jitter = exact_cycles(assumed.jitter, resolved.symbol_time_ns)
    lengths = {size for flow in sources for size, _ in flow.sizes}
    if any(flow.response_symbols is not None for flow in sources):
        raise NoBoundError(
            "no bound is proven for transactions with responses; there is one with a move, such as "
            "message_transaction = 'dmove64'"
        )
    if len(lengths) > 1:
        raise NoBoundError("packets have several lengths; there is a bound where all have one")
    rows: list[tuple[int, int, int, float, float]] = []
    targets = np.zeros((len(sources), nodes), dtype=bool)
    background = len(sources) - len(resolved.messages)
    for i, flow in enumerate(sources):
        targets[i] = flow.destinations.row(flow.source, nodes) > 0
        if i < background:
            rows.append((flow.source, flow.priority, 1, *_background(resolved, assumed)))
        else:
            period = resolved.messages[i - background].period_cycles
            rows.append((flow.source, flow.priority, flow.burst, period, jitter))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    times = [column.astype(float) for column in columns[3:]]
    return Flows(columns[0], targets, columns[1], columns[2], times[0], times[1], lengths.pop())


def on_ring(resolved: Resolved, flows: Flows) -> RingFlows:
    """Returns the flows of a single ring.

    What may go to several nodes is taken to go to the farthest: its packet crosses the most links.
    """
    nodes = resolved.nodes
    reach = (np.arange(nodes)[None, :] - flows.source[:, None] - 1) % nodes
    farthest = (flows.source + 1 + np.where(flows.targets, reach, -1).max(axis=1)) % nodes
    return RingFlows(
        nodes,
        resolved.hop_cycles,
        flows.symbols,
        resolved.echo_symbols,
        flows.source,
        farthest,
        flows.priority,
        flows.packets,
        flows.period,
        flows.jitter,
    )


def on_rings(resolved: Resolved, flows: Flows) -> RingLegs:
    """Returns the legs of the flows on the rings of a network.

    Raises:
        NoBoundError: a flow to several nodes, or hosts that fill slots.
    """
    host = resolved.file.host
    if host.slots != "unlimited" or host.adapter is not None or resolved.host_delays.receive_delay.ps:
        raise NoBoundError(
            "no bound is proven for what lies between a node and its ring; there is one without host.slots, "
            "host.receive_delay and host.adapter"
        )
    if host.order not in FIRST_COME:
        raise NoBoundError(f"no bound is proven with host.order = {host.order!r}; there is one with 'retries-first'")
    if np.any(flows.targets.sum(axis=1) > 1):
        raise NoBoundError("traffic of one node goes to several; in a network there is a bound where it goes to one")
    network, routes = resolved.routed_network
    # The link controllers of a port are places of their own; a packet that is not refused uses the first of them.
    controllers = np.where(network.interface_port == NONE, 1, resolved.file.switch.links)
    place = np.concatenate([[0], np.cumsum(controllers)])
    rows: list[IntArray] = []
    flow_leg = np.full(len(flows.source), -1)
    count = 0
    switch = entry = np.full(len(flows.source), -1)
    for leg in legs_of_ways(network, routes, flows.source, flows.targets.argmax(axis=1)):
        ring = network.interface_ring[leg.start]
        here = np.full(len(leg.packet), True)
        here[leg.onward] = False
        of = leg.packet
        start, end = (place[at] - place[network.ring_start[ring]] for at in (leg.start, leg.end))
        out = network.interface_port[leg.start]
        rows.append(np.stack([ring, of, start, end, here, flow_leg[of], switch[of], entry[of], out], axis=1))
        flow_leg[of] = count + np.arange(len(of))
        count += len(of)
        switch, entry = switch.copy(), entry.copy()
        onward = of[leg.onward]
        switch[onward] = leg.switch
        entry[onward] = network.interface_port[leg.end[leg.onward]]
    ring, flow, start, end, here, before, switch, entry, out = np.concatenate(rows).T
    places = [np.flatnonzero(ring == one) for one in np.unique(ring).tolist()]
    made, hosts, names = [], [], []
    for one, those in zip(np.unique(ring).tolist(), places, strict=True):
        first, behind = network.ring_start[one], network.ring_start[one + 1]
        hops = np.repeat(resolved.hop_cycles[first:behind], controllers[first:behind])
        of = flow[those]
        made.append(
            RingFlows(
                len(hops),
                hops,
                flows.symbols,
                resolved.echo_symbols,
                start[those],
                end[those],
                flows.priority[of],
                flows.packets[of],
                flows.period[of],
                flows.jitter[of],
            )
        )
        names.append(
            [network.interface_name(at) for at in np.repeat(np.arange(first, behind), controllers[first:behind])]
        )
        ends = np.zeros((len(those), len(hops)), dtype=bool)
        ends[np.arange(len(those)), end[those]] = here[those] == 1
        hosts.append(ends)
    return RingLegs(Legs(places, before, switch, entry, np.where(before < 0, -1, out)), made, names, hosts, flow)


def switch_times(resolved: Resolved, symbols: int, places: int | None, *, offered: bool) -> SwitchTimes:
    """Returns what a packet meets in every switch.

    Args:
        resolved: with switches.
        symbols: of every packet.
        places: that a port has for packets before the protocol refuses or stops one.
        offered: whether ports offer what they hold, as a protocol that follows their queue.
    """
    delays, switch = resolved.switch_delays, resolved.file.switch
    return SwitchTimes(
        transfer=delays.bus_cycles(symbols),
        to_link=delays.to_link.exact_cycles,
        from_link=delays.from_link.exact_cycles,
        cut_through=switch.forwarding == "cut-through",
        offered=offered,
        receive=places,
        transmit=switch.transmit * (2 if switch.pooled else 1),
    )


def _background(resolved: Resolved, assumed: Assumed) -> tuple[float, float]:
    """Returns period and jitter of a flow that releases as much as a rate and a burst allow."""
    data = float(resolved.file.traffic.moves.payload_bytes)
    per_cycle = magnitude(assumed.rate or "", "byte/ns") * resolved.symbol_time_ns / data
    packets = max(1.0, np.ceil(magnitude(assumed.burst or "", "byte") / data))
    return 1 / per_cycle, (packets - 1) / per_cycle
