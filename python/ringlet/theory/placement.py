"""The placement of nodes in the network of a scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.placement import (
    Kinds,
    Order,
    exchanged,
    groups_needed,
    least_distance,
    least_distance_of_kinds,
    travelled,
)
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings import Role
from ringlet.rings.trace import follow, legs
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.keys.ring_sections import on_ring
from ringlet.scenario.scenario import Scenario

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = library("scipy.sparse")

Least = Literal["distance", "load", "groups"]
"""Quantity that is to be least."""

MAX_PLACED = 128
"""Nodes up to which places are searched: each exchange looks at the ways of all pairs."""

MOST_LINKS = 2_000_000_000
"""Links of pairs that all exchanges together look at: about a minute."""

MOST_TRIALS = 100_000
"""Places that are looked at."""

MOST_GROUPED = 1_000
"""Most places that are looked at where groups are counted, which takes milliseconds each."""

PER_NODE = (
    ("traffic", "load"),
    ("traffic", "phase"),
    ("traffic", "priority"),
    ("queues", "receive"),
    ("queues", "service_time"),
    ("queues", "responses"),
    ("queues", "window"),
    ("queues", "transmit"),
    ("queues", "outstanding"),
    ("retry", "strategy"),
    ("retry", "delay"),
    ("host", "slots"),
    ("host", "fill_time"),
    ("host", "fill_delay"),
    ("host", "receive_delay"),
    ("host", "store_delay"),
    ("flow_control", "synchronous"),
    ("flow_control", "synchronous_packets"),
)
"""Keys that may have a value for each node; those of links stay at their places."""


@dataclass(frozen=True)
class Placement:
    """A scenario whose nodes can be placed."""

    scenario: Scenario

    @classmethod
    def of(cls, scenario: Scenario) -> "Placement":
        """Checks that it can be placed.

        Raises:
            RingletError: too many nodes, or traffic whose pairs of sources and destinations are not known.
        """
        network, traffic = scenario.network, scenario.traffic
        if network.nodes > MAX_PLACED:
            raise RingletError.not_allowed("network.nodes", network.nodes, f"at most {MAX_PLACED} that are placed")
        generates = traffic.arrival_process.generates
        active = [one for one in ACTIVITIES if one.is_in(scenario)]
        *most, last = (one.name for one in ACTIVITIES if one.moved is not None)
        allowed = f"a pattern, {', '.join(most)} or {last}, of which places can be changed"
        for one in (one for one in active if one.moved is None):
            raise RingletError(f"{one.name}: its nodes have their parts in it; allowed: {allowed}")
        if traffic.replayed is not None or not (generates or active):
            raise RingletError(f"traffic: a trace, or none; allowed: {allowed}")
        if scenario.errors.lose:
            raise RingletError.not_allowed("errors", "<[errors]>", "none: they name nodes and links by their places")
        if path := scenario.resolved.multicast_path:
            raise RingletError.not_allowed(path, True, "false, to be placed")
        for name, protocol in scenario.resolved.ring_protocols.named():
            if name is not None and (base := list(protocol.nodes_of_base_sci)):
                with on_ring(name):
                    allowed = "none of this ring's own, to be placed: nodes may leave the ring"
                    raise RingletError.not_allowed("flow_control.base_nodes", base, allowed)
        for plan in scenario.resolved.plans:
            if (refused := plan.unplaced) is not None:
                raise RingletError.not_allowed(refused.path, refused.value, f"{refused.allowed}, to be placed")
        if not generates or traffic.arrival_process.follows_load:
            return cls(scenario)
        if active:
            allowed = f"one with a load beside {active[-1].name}, whose rate is known"
            raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, allowed)
        answers = scenario.routed_network[0].roles == Role.MEMORY
        to_each = zip(answers.tolist(), scenario.resolved.pattern.destinations, strict=True)
        if all(to is not None for is_memory, to in to_each if not is_memory):
            return cls(scenario)
        allowed = "one with a load, since some nodes send nothing"
        raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, allowed)

    @cached_property
    def pattern(self) -> NDArray[np.float64]:
        """Share of each node's packets for each other in the pattern; 0 without one."""
        nodes = self.scenario.network.nodes
        if not self.scenario.traffic.arrival_process.generates:
            return np.zeros((nodes, nodes))
        return self.scenario.resolved.pattern.matrix()

    @cached_property
    def traffic(self) -> NDArray[np.float64]:
        """Requests per cycle from each node to each other; relative to each other where there is no load."""
        return np.asarray(self._background + self._named[0], dtype=np.float64)

    @cached_property
    def symbols(self) -> NDArray[np.float64]:
        """Symbols of these requests per cycle, with the idle behind each."""
        symbols = self.scenario.resolved.mean_send_symbols + 1
        return np.asarray(self._background * symbols + self._named[1], dtype=np.float64)

    @cached_property
    def _background(self) -> NDArray[np.float64]:
        """Requests of the pattern."""
        follows = self.scenario.traffic.arrival_process.follows_load
        rates = self.scenario.resolved.request_rates() if follows else [1.0] * len(self.pattern)
        return np.asarray(self.pattern * np.array(rates)[:, None], dtype=np.float64)

    @cached_property
    def _named(self) -> NDArray[np.float64]:
        """Requests of messages, flows and events, and their symbols; shape (2, nodes, nodes)."""
        resolved, nodes = self.scenario.resolved, self.scenario.network.nodes
        found = np.zeros((2, nodes, nodes))
        named = len(resolved.messages) + sum(plan.flow_count for plan in resolved.plans)
        for flow in resolved.flows[len(resolved.flows) - named :]:
            symbols = sum((symbols + 1) * share for symbols, share in flow.sizes)
            requests = flow.rate * flow.destinations.row(flow.source, nodes)
            found[:, flow.source] += [requests, requests * symbols]
        return found

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """Share of each node's requests for each other, of those that send any."""
        if not self._named.any():
            return self.pattern
        every = self.pattern + self._named[0]
        total = every.sum(axis=1, keepdims=True)
        return np.asarray(every / np.where(total > 0, total, 1.0), dtype=np.float64)

    @cached_property
    def kinds(self) -> Kinds:
        """Role of each node: processors have places of processors, and memories those of memories."""
        return np.asarray(self.scenario.routed_network[0].roles)

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """Links from each place to each other."""
        nodes = self.scenario.network.nodes
        source, target = np.divmod(np.arange(nodes * nodes), nodes)
        away = source != target
        distance = np.zeros(nodes * nodes)
        distance[away] = follow(*self.scenario.routed_network, source[away], target[away]).hops
        return distance.reshape(nodes, nodes)

    @cached_property
    def _links(self) -> Any:  # noqa: ANN401 - scipy is loaded on first use
        """Symbols on each link for each symbol from one place to another, and behind them for each echo of a packet
        between the two; shape (2 pairs, links)."""
        network, routes = self.scenario.routed_network
        nodes, echo = network.nodes, self.scenario.resolved.echo_cost_symbols
        pairs = np.flatnonzero(~np.eye(nodes, dtype=bool).ravel())
        source, target = np.divmod(pairs, nodes)
        rows, columns, amounts = list[Any](), list[Any](), list[Any]()
        for leg in legs(network, routes, source, target):
            ring = network.interface_ring[leg.start]
            length, first = network.ring_lengths[ring], network.ring_start[ring]
            hops = (leg.end - leg.start - 1) % length + 1
            packet = np.repeat(np.arange(len(leg.start)), length)
            step = np.arange(len(packet)) - np.repeat(np.cumsum(length) - length, length)
            carries = step < hops[packet]
            rows.append(pairs[leg.packet[packet]] + np.where(carries, 0, nodes * nodes))
            columns.append(first[packet] + (leg.start[packet] - first[packet] + step) % length[packet])
            amounts.append(np.where(carries, 1.0, echo))
        shape = (2 * nodes * nodes, network.interfaces)
        return sparse.csr_array((np.concatenate(amounts), (np.concatenate(rows), np.concatenate(columns))), shape=shape)

    def link_loads(self, order: Order) -> NDArray[np.float64]:
        """Returns what each link carries in symbols for each that it could, packets and echoes."""
        nodes = len(order)
        source, target = np.nonzero(self.traffic)
        pairs = order[source] * nodes + order[target]
        loads = self._links[pairs].T @ self.symbols[source, target]
        loads += self._links[pairs + nodes * nodes].T @ self.traffic[source, target]
        return np.asarray(loads * self.scenario.resolved.link_cycles, dtype=np.float64)

    def places(self, least: Least) -> Order:
        """Returns the place of each node.

        Raises:
            RingletError: groups on several rings.
        """
        alike = (self.kinds == Role.COMPUTER).all()
        near = (
            least_distance(self.traffic, self.distance)
            if alike
            else least_distance_of_kinds(self.traffic, self.distance, self.kinds)
        )
        if least == "distance":
            return near
        if least == "groups" and self.scenario.network.switched:
            raise RingletError.not_allowed("--least", least, "'distance' or 'load' where there are several rings")
        nodes = len(near)
        each = int(self._links.nnz / max(nodes * (nodes - 1), 1) * np.count_nonzero(self.traffic)) + nodes
        most = MOST_GROUPED if least == "groups" else min(MOST_TRIALS, MOST_LINKS // each)
        cost = self._groups if least == "groups" else self._load
        starts = [np.arange(nodes), near]
        return min((exchanged(start, cost, self.kinds, most=most) for start in starts), key=cost)

    def _load(self, order: Order) -> tuple[float, ...]:
        loads = self.link_loads(order)
        # Placements with one worst link differ by their other links: less on all of them is nearer to a better one.
        return round(float(loads.max()), 12), round(float((loads**2).sum()), 12)

    def _groups(self, order: Order) -> tuple[float, ...]:
        return float(self.groups(order)), round(travelled(self.traffic, self.distance, order), 12)

    def groups(self, order: Order) -> int:
        """Returns the transmission groups needed on one ring."""
        return groups_needed(self._placed(self._shares, order))

    def figures(self, order: Order) -> dict[str, float | int | None]:
        """Returns mean distance, load of the worst link, and groups needed; these only on one ring."""
        total = float(self.traffic.sum())
        return {
            "distance_links": travelled(self.traffic, self.distance, order) / total if total else 0.0,
            "worst_link_symbols_per_cycle": float(self.link_loads(order).max()),
            "groups": None if self.scenario.network.switched else self.groups(order),
        }

    def placed(self, order: Order) -> Scenario:
        """Returns the scenario with every node at its place."""
        scenario = self.scenario
        content = scenario.to_dict()
        if scenario.traffic.arrival_process.generates:
            content["traffic"] = self._placed_pattern(content["traffic"], order)
        at = np.argsort(order).tolist()
        for section, key in PER_NODE:
            if section == "flow_control" and scenario.network.switched and scenario.network.has_ports:
                # Shares of the places on each ring.
                continue
            value = content.get(section, {}).get(key)
            # A list of one value has that of all nodes.
            if isinstance(value, dict) or (isinstance(value, list) and len(value) > 1):
                each = self.scenario.resolved.of_nodes(f"{section}.{key}", value)
                content[section][key] = [each[node] for node in at]
        content["host"] |= _placed_host(content["host"], order)
        content["flow_control"] |= self._placed_flow_control(content["flow_control"], order)
        if names := content["network"].get("node_names"):
            content["network"]["node_names"] = [names[node] for node in at]
        for activity in ACTIVITIES:
            if activity.moved is not None and activity.is_in(scenario):
                content |= activity.moved(scenario.resolved, content, order.tolist())
        return Scenario.from_dict(content)

    def _placed_flow_control(self, given: Mapping[str, Any], order: Order) -> dict[str, Any]:
        """Returns the keys of the flow control that name nodes, or have a group of each node or pair, by places."""
        placed: dict[str, Any] = {}
        if base := given.get("base_nodes"):
            # Names move with their nodes.
            placed["base_nodes"] = [one if isinstance(one, str) else int(order[one]) for one in base]
        groups = given.get("assignment")
        if isinstance(groups, list):
            at = np.argsort(order)
            of_pairs = isinstance(groups[0], list)
            placed["assignment"] = np.array(groups)[np.ix_(at, at) if of_pairs else at].tolist()
        if steps := given.get("schedule"):
            at = np.argsort(order).tolist()
            placed["schedule"] = [{**step, "groups": [step["groups"][node] for node in at]} for step in steps]
        # On several rings it is the place on each.
        master = given.get("ticket_master")
        if master is not None and not self.scenario.network.switched:
            placed["ticket_master"] = int(order[master])
        return placed

    def _placed_pattern(self, given: Mapping[str, Any], order: Order) -> dict[str, Any]:
        """Returns the traffic section with the pattern as a matrix of places."""
        scenario = self.scenario
        sends = [to is not None for to in scenario.resolved.pattern.destinations]
        matrix = self._placed(self.pattern, order)
        if (self.kinds != Role.COMPUTER).any():
            # Memories have no row.
            matrix = matrix[self.kinds != Role.MEMORY]
        receivers = np.flatnonzero(self.kinds != Role.PROCESSOR).tolist()
        for place in np.flatnonzero(matrix.sum(axis=1) == 0).tolist():
            # A row sums to 1 even where the load is 0.
            matrix[place, next(node for node in (*receivers[place + 1 :], *receivers) if node != place)] = 1.0
        keys = {key for key in scenario.traffic.fields if key in _KEPT}
        traffic: dict[str, Any] = {key: value for key, value in given.items() if key in keys}
        load = traffic.get("load")
        if load is not None and not isinstance(load, list) and not all(sends):
            traffic["load"] = [load if one else 0 for one in sends]
        return {**traffic, "pattern": "matrix", "matrix": matrix.tolist()}

    def _placed(self, matrix: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
        """Returns a matrix of nodes as one of places."""
        at = np.argsort(order)
        return matrix[np.ix_(at, at)]


def _placed_host(given: Mapping[str, Any], order: Order) -> dict[str, Any]:
    """Returns the keys of the host interfaces that name nodes, by places."""

    def moved(adapter: Mapping[str, Any]) -> dict[str, Any]:
        nodes = adapter.get("nodes")
        return {**adapter, **({} if nodes is None else {"nodes": order[nodes].tolist()})}

    adapter = given.get("adapter")
    if adapter is None:
        return {}
    return {"adapter": [moved(one) for one in adapter] if isinstance(adapter, list) else moved(adapter)}


_KEPT = (
    "transaction",
    "largest_packet",
    "arrivals",
    "load",
    "load_factor",
    "load_counts",
    "phase",
    "block",
    "pause",
    "priority",
    "priorities",
)
"""Keys of the traffic section that do not say where packets go."""


def changed(order: Order) -> Mapping[int, int]:
    """Returns the place of each node that is not at its own number."""
    return {node: place for node, place in enumerate(order.tolist()) if node != place}
