"""Mean latencies of a scenario by the queueing model of `ringlet.analysis.queueing`.

Every ring of a network is a ring of the model; a packet that crosses switches is sent anew on each ring, so its
latency is the sum over its rings and switches (queues in tandem). A B-Link, and the server of a receive queue, is a
queue with Poisson arrivals.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.analysis.catching_up import Passing, waits_of_passing
from ringlet.analysis.max_min import FloatArray
from ringlet.analysis.queueing import Waits, ring_waits
from ringlet.analysis.trains import RingTraffic
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings.network import IntArray
from ringlet.rings.trace import legs
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.keys.ring_sections import on_ring
from ringlet.scenario.resolved.slow_links import check_equal_links
from ringlet.scenario.resolved.two_rings import check_one_interface
from ringlet.scenario.scenario import Scenario, ScenarioLike
from ringlet.scenario.traffic import arrivals
from ringlet.theory.model_region import Traffic, outside
from ringlet.theory.resources import Places, Sent, bus_cycles, pairs

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

MAX_PAIRS = 1 << 20
"""Pairs of a flow and a destination: 1,024 nodes that send to all others."""

SMALLEST = 1e-13
"""Part of a sum below which a share of it is rounding."""


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """Mean latencies and queues; times in cycles, infinite where a load is more than a link or server carries."""

    latency_cycles: FloatArray
    """Mean one-way latency of the packets of each node's transactions, NaN for a node without any; shape (nodes,)."""
    queue_packets: FloatArray
    """Mean packets in each node's transmit queue, the one that is being sent counted; shape (nodes,)."""
    utilisation: FloatArray
    """Share of each node's outgoing link that packets take, with their idles; shape (nodes,)."""
    mean_latency_cycles: float
    """Mean latency of all packets, in cycles."""
    overloaded: str | None
    """Name of the part that cannot carry the load; None if all can."""
    outside: str | None = None
    """Why the figures may be off by more than 10 %; None where the model has been near simulations, or a part is
    overloaded."""


@dataclass(frozen=True, slots=True)
class _Class:
    """Packets of one class, requests or responses, of each flow; shape (flows,)."""

    rate: FloatArray
    """Packets per cycle."""
    sizes: FloatArray
    """Share of the packets that have each of the model's sizes; shape (sizes, flows)."""
    symbols: FloatArray
    """Mean symbols of a packet and its idle."""
    bus: FloatArray
    """Mean cycles on a B-Link."""
    bus2: FloatArray
    """Second moment of these."""


def check_modelled(scenario: Scenario) -> None:
    """Raises RingletError for a scenario that the model does not cover."""
    traffic = scenario.traffic
    check_one_interface(scenario.resolved, "the queueing model")
    check_equal_links(scenario.resolved, "the queueing model")
    for name, protocol in scenario.resolved.ring_protocols.named():
        with nullcontext() if name is None else on_ring(name):
            if not protocol.modelled:
                allowed = f"{PROTOCOLS.names(lambda one: one.modelled)} for the queueing model"
                raise RingletError.not_allowed("flow_control.protocol", protocol.protocol, allowed)
            protocol.check_modelled()
    for plan in scenario.resolved.plans:
        if (one := plan.not_poisson) is not None:
            raise RingletError.not_allowed(one.path, one.value, f"{one.allowed}, for the queueing model")
    if traffic.replayed is not None:
        raise RingletError("traffic.trace: the queueing model takes Poisson arrivals; allowed: traffic.load")
    alone = not traffic.arrival_process.generates and scenario.resolved.plans
    if not traffic.arrival_process.are_poisson and not alone:
        allowed = f"{arrivals.names(lambda one: one.are_poisson)}, with a load, for the queueing model"
        raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, allowed)
    for activity in ACTIVITIES:
        if activity.not_poisson is not None and activity.is_in(scenario):
            raise RingletError(f"{activity.name}: the queueing model takes {activity.not_poisson}")


def latency_model(scenario: Scenario) -> LatencyModel:
    """Returns mean latencies and queue lengths by the queueing model, in milliseconds where a simulation takes seconds.

    Queues are taken to have room for everything and retries not to happen; arrivals are Poisson.

    Raises:
        RingletError: a scenario that the model does not cover, or too many pairs of nodes.
    """
    check_modelled(scenario)
    return _Model(scenario).solved()


class _Model:
    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._network, self._routes = scenario.routed_network
        sent = Sent(scenario.resolved.steady_flows() or (), scenario.resolved.link_format)
        nodes = self._network.nodes
        if sum(to.count(nodes) for to in sent.destinations) > MAX_PAIRS:
            allowed = "at most 1024 nodes that send to all others, for the queueing model"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)
        self._node = np.array(sent.node, dtype=np.int64)
        rate = np.array(sent.rate)
        if not rate.size:
            raise RingletError.not_allowed("traffic", "<nothing is sent>", "a load above 0, for the queueing model")
        kinds, kind = sent.kinds, sent.kind
        answers = np.array([one.response is not None for one in kinds], dtype=np.float64)[kind]
        used = {size for one in kinds for size, _ in one.sizes} | {one.response for one in kinds if one.response}
        self._sizes = np.array(sorted(used), dtype=np.float64) + 1
        self._requests = self._class([one.sizes for one in kinds], kind, rate)
        self._responses = self._class([[(one.response or 0, 1.0)] for one in kinds], kind, rate * answers)
        self._pairs = list(pairs(sent, nodes))
        self._hops_before = np.concatenate([[0.0], np.cumsum(scenario.hop_cycles)])
        self._symbol = scenario.resolved.interface_symbol_cycles
        self._service = scenario.resolved.service_cycles

    def _class(self, sizes: Sequence[Sequence[tuple[int, float]]], kind: IntArray, rate: FloatArray) -> _Class:
        def mean(power: int, length: Any) -> FloatArray:  # noqa: ANN401 - a function of a size
            return np.array([sum(length(size) ** power * share for size, share in each) for each in sizes])[kind]

        def bus(size: int) -> float:
            return bus_cycles(self._scenario.resolved, size)

        shares = np.array(
            [[sum(share for size, share in each if size + 1 == one) for each in sizes] for one in self._sizes]
        )
        return _Class(rate, shares[:, kind], mean(1, lambda size: size + 1), mean(1, bus), mean(2, bus))

    def _packets(self) -> Iterator[tuple[_Class, IntArray, IntArray, IntArray, FloatArray, bool]]:
        """Yields class, flow, from where, to where, packets per cycle, and whether they are responses."""
        for flow, target, share in self._pairs:
            source = self._node[flow]
            yield self._requests, flow, source, target, self._requests.rate[flow] * share, False
            back = np.flatnonzero(self._responses.rate[flow])
            if back.size:
                at = flow[back]
                yield self._responses, at, target[back], source[back], self._responses.rate[at] * share[back], True

    def solved(self) -> LatencyModel:
        """Adds up what is on each link, solves the rings, and adds up the waits on each way."""
        network, scenario = self._network, self._scenario
        nodes = network.nodes
        traffic, entered, bus, served = self._loads()
        echo = self._scenario.resolved.echo_cost_symbols
        passing = self._passing(traffic, entered)
        # A response begins behind the echo of its request, which waits where it was made if it is not yet served.
        echo_waits = self._waits(np.array([[echo - 1.0]]))[0, network.node_interface]
        behind_echo = np.maximum(echo_waits * self._symbol[network.node_interface] - self._service, 0.0)
        of_rings = scenario.resolved.ring_protocols.by_ring(network.rings)
        go_bits = np.array([protocol.reading().go_bits > 0 for protocol in of_rings])[network.interface_ring]
        waits = ring_waits(traffic, echo_symbols=echo, go_bits=go_bits)
        busy, bus_wait = _queue(*(each / scenario.switch.links for each in bus))
        both = np.tile(self._service, 2)
        server, serving = _queue(served * both, served * both**2)
        overloaded = self._overloaded(waits, busy, server)
        own = network.node_interface
        sent = traffic.sent[:, own]
        rate = sent.sum(axis=0)
        # Nothing waits at a node that sends nothing, however long it would.
        queue = rate * np.where(rate > 0, waits.send[own], 0.0) + traffic.sizes @ sent
        if overloaded is not None:
            never = np.full(nodes, np.inf)
            return LatencyModel(never, np.where(queue > 0, never, 0.0), waits.link[own], np.inf, overloaded)
        total, packets = np.zeros(nodes), np.zeros(nodes)
        for each, flow, source, target, rate, is_response in self._packets():
            latency = self._way(each, flow, source, target, waits, bus_wait, passing)
            latency += self._service[target] + serving[target + nodes * is_response]
            if is_response:
                latency += behind_echo[source]
            total += np.bincount(self._node[flow], rate * latency, nodes)
            packets += np.bincount(self._node[flow], rate, nodes)
        mean = np.divide(total, packets, out=np.full(nodes, np.nan), where=packets > 0)
        everything = float(total.sum() / packets.sum()) if packets.any() else np.nan
        found = Traffic(float(waits.link.max()), *self._to_next_and_lengths())
        return LatencyModel(mean, queue, waits.link[own], everything, None, outside(scenario, found))

    def _to_next_and_lengths(self) -> tuple[float, float, float]:
        """Returns the share of all packets that go to the next node of a ring which has others, too, and their mean
        length in symbols; and how many times as long as requests responses are."""
        packets = near = symbols = 0.0
        of_class = {False: np.zeros(2), True: np.zeros(2)}
        nodes = self._network.nodes
        for each, flow, source, target, rate, is_response in self._packets():
            length = float((rate * (each.symbols[flow] - 1)).sum())
            packets += float(rate.sum())
            symbols += length
            of_class[bool(is_response)] += length, float(rate.sum())
            near += float(rate[(target - source) % nodes == 1].sum())
        is_near = not self._scenario.network.switched and nodes > 2 and packets > 0
        (asked, requests), (answered, responses) = of_class[False], of_class[True]
        longer = answered / responses / (asked / requests) if requests and responses else 0.0
        return near / packets if is_near else 0.0, symbols / packets if packets else 0.0, longer

    def _loads(self) -> tuple[RingTraffic, FloatArray, tuple[FloatArray, FloatArray], FloatArray]:
        """Returns what is on the rings, what of it passes the first interface behind its sender, what is on each switch
        (first and second moment per cycle), and at each server."""
        network = self._network
        places, nodes = network.interfaces, network.nodes
        removed, echoes = np.zeros(places), np.zeros(places)
        sent, passed, entered, taken = (np.zeros((len(self._sizes), places)) for _ in range(4))
        bus = (np.zeros(network.switches), np.zeros(network.switches))
        served = np.zeros(2 * nodes)
        for each, flow, source, target, rate, is_response in self._packets():
            served += np.bincount(target + nodes * is_response, rate, 2 * nodes)
            for leg in legs(network, self._routes, source, target):
                at, part = flow[leg.packet], rate[leg.packet]
                hops, length = self._hops(leg.start, leg.end)
                removed += np.bincount(leg.start, part, places)
                echoes += self._spread(leg.start, hops, length - hops, part)
                for size, share in enumerate(each.sizes):
                    of_size = part * share[at]
                    sent[size] += np.bincount(leg.start, of_size, places)
                    taken[size] += np.bincount(leg.end, of_size, places)
                    passed[size] += self._spread(leg.start, 1, hops - 1, of_size)
                    entered[size] += self._spread(leg.start, 1, np.minimum(hops - 1, 1), of_size)
                crossing = leg.onward
                for load, amount in zip(bus, (each.bus[at], each.bus2[at]), strict=True):
                    load += np.bincount(leg.switch, (part * amount)[crossing], network.switches)
        # A ring counts time by its own symbols.
        symbol = self._symbol
        traffic = RingTraffic(
            self._sizes,
            sent * symbol,
            passed * symbol,
            taken * symbol,
            echoes * symbol,
            removed * symbol,
            *self._around(),
        )
        return traffic, entered * symbol, bus, served

    def _passing(self, traffic: RingTraffic, entered: FloatArray) -> FloatArray:
        """Returns for how many cycles packets of each size wait at all interfaces before each, if they pass them; shape
        (sizes, interfaces + 1), or (0, interfaces + 1) where none waits."""
        symbols = self._sizes[:, np.newaxis]
        waits = self._waits(symbols - 1)
        if not waits.any():
            return np.zeros((0, self._network.interfaces + 1))
        found = waits_of_passing(Passing(symbols, waits, traffic.passed, entered, traffic.upstream))
        return np.pad(np.cumsum(found * self._symbol, axis=1), ((0, 0), (1, 0)))

    def _waits(self, symbols: FloatArray) -> FloatArray:
        """Returns for how many symbols a packet of so many waits at each interface that it passes, if nothing is in
        front of it; shapes (sizes, 1) and (sizes, interfaces)."""
        resolved = self._scenario.resolved
        if self._scenario.network.bypass == "store-and-forward":
            return np.broadcast_to(symbols, (len(symbols), self._network.interfaces))
        return np.minimum(symbols, -(-resolved.pass_cycles // self._symbol))

    def _way(
        self,
        each: _Class,
        flow: IntArray,
        source: IntArray,
        target: IntArray,
        waits: Waits,
        bus_wait: FloatArray,
        passing: FloatArray,
    ) -> FloatArray:
        """Returns the mean time of each packet from its generation until all of it has arrived."""
        resolved, switch = self._scenario.resolved, self._scenario.resolved.switch_delays
        filled = resolved.of_host_delays(lambda host: host.fill_time.exact_cycles + host.fill_delay.exact_cycles)
        received = resolved.of_host_delays(lambda host: host.receive_delay.exact_cycles)
        latency = filled[source] + received[target]
        across = switch.to_link.exact_cycles + switch.from_link.exact_cycles
        summed = np.concatenate([[0.0], np.cumsum(waits.bypass * self._symbol)])
        for leg in legs(self._network, self._routes, source, target):
            at = flow[leg.packet]
            hops, _ = self._hops(leg.start, leg.end)
            # The symbol time in which the packet is found, then its way, then the rest of its symbols.
            on_links = self._sum(self._hops_before, leg.start, 0, hops)
            at_sender = waits.send[leg.start] + 1 + each.symbols[at] - 1
            latency[leg.packet] += at_sender * self._symbol[leg.start] + on_links
            latency[leg.packet] += self._sum(summed, leg.start, 1, hops - 1)
            for share, of_size in zip(each.sizes, passing, strict=False):
                latency[leg.packet] += share[at] * self._sum(of_size, leg.start, 1, hops - 1)
            if leg.onward.size:
                crossing = at[leg.onward]
                latency[leg.packet[leg.onward]] += across + bus_wait[leg.switch] + each.bus[crossing]
        return latency

    def _hops(self, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
        length = self._network.ring_lengths[self._network.interface_ring[start]]
        return (end - start - 1) % length + 1, length

    def _around(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Returns the interface upstream of each, its ring, and the hop delays of that ring in its symbols."""
        network = self._network
        starts, ring = network.ring_start, network.interface_ring
        before = np.arange(network.interfaces) - 1
        before[starts[:-1]] = starts[1:] - 1
        return before, ring, np.diff(self._hops_before[starts])[ring] / self._symbol

    def _stretch(
        self, start: IntArray, offset: int | IntArray, count: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Returns begin and end of so many interfaces from `start + offset` on, and of what is beyond the ring's
        end."""
        ring = self._network.interface_ring[start]
        first, length = self._network.ring_start[ring], self._network.ring_lengths[ring]
        begin = first + (start - first + offset) % length
        end = begin + count
        within = np.minimum(end, first + length)
        return begin, within, first, first + (end - within)

    def _spread(self, start: IntArray, offset: int | IntArray, count: IntArray, amount: FloatArray) -> FloatArray:
        """Returns the sum of the amounts at so many interfaces from `start + offset` on."""
        places = self._network.interfaces
        begin, end, first, beyond = self._stretch(start, offset, count)
        changes = np.bincount(begin, amount, places + 1) - np.bincount(end, amount, places + 1)
        changes += np.bincount(first, amount, places + 1) - np.bincount(beyond, amount, places + 1)
        sums = np.cumsum(changes)[:places]
        # Differences leave a residue where nothing passes.
        return np.where(sums > SMALLEST * amount.sum(), sums, 0.0)

    def _sum(self, summed: FloatArray, start: IntArray, offset: int, count: IntArray) -> FloatArray:
        """Returns the sum over so many interfaces from `start + offset` on; `summed` is that of all before each."""
        begin, end, first, beyond = self._stretch(start, offset, count)
        return np.asarray(summed[end] - summed[begin] + summed[beyond] - summed[first])

    def _overloaded(self, waits: Waits, bus: FloatArray, server: FloatArray) -> str | None:
        places = Places(self._network, single=not self._scenario.network.switched)
        for first, used in (
            (0, np.maximum(waits.link, waits.server)),
            (places.switches, bus),
            (places.requests, server),
        ):
            if used.max(initial=0.0) >= 1:
                return places.name(first + int(used.argmax()))
        return None


def _queue(busy: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Returns utilisation and mean wait of queues with Poisson arrivals (Pollaczek and Khinchine); moments are per
    cycle."""
    free = 1 - busy
    return busy, np.divide(second, 2 * free, out=np.full(busy.shape, np.inf), where=free > 0)


def model_records(scenario: Scenario) -> dict[str, Any]:
    """Returns what `ringlet model` prints as JSON: None for what is infinite, or not there."""
    found = latency_model(scenario)
    ns = scenario.symbol_time_ns
    nodes = [
        {
            "id": node,
            "name": scenario.node_name(node),
            "latency_ns": _number(latency * ns),
            "queue_packets": _number(queue),
            "utilisation": utilisation,
        }
        for node, (latency, queue, utilisation) in enumerate(
            zip(found.latency_cycles.tolist(), found.queue_packets.tolist(), found.utilisation.tolist(), strict=True)
        )
    ]
    return {
        "nodes": nodes,
        "total": {
            "latency_ns": _number(found.mean_latency_cycles * ns),
            "overloaded": found.overloaded,
            "outside": found.outside,
        },
    }


def model(scenario: ScenarioLike) -> "pd.DataFrame":
    """Returns mean latency and queue length of each node by the queueing model: what `ringlet model` prints.

    Columns: `name`; `latency_ns`, mean one-way latency of the packets of the node's transactions; `queue_packets`, mean
    length of its transmit queue, with the packet that is being sent; `utilisation` of its outgoing link. NaN where a
    load is more than a link, switch or server carries. The model takes Poisson arrivals, queues with room for
    everything, and flow control `none` or `sci`; docs/explanation/what-a-ring-can-carry.md derives it and says how good
    it is.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "100 MB/s"}}
    >>> rl.model(ring)["utilisation"].round(2).tolist()
    [0.23, 0.23, 0.23, 0.23]

    Args:
        scenario: or the path of its file, or what the file holds.

    Raises:
        RingletError: a bad scenario, or one that the model does not cover.
    """
    table = pd.DataFrame(model_records(Scenario.of(scenario))["nodes"]).set_index("id")
    return table.astype({"latency_ns": float, "queue_packets": float})


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
