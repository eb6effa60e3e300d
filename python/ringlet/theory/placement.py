"""The placement of nodes in the network of a scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.placement import Order, exchanged, groups_needed, least_distance, travelled
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings import Role
from ringlet.rings.trace import follow, legs
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
)
"""Keys that may have a value for each node."""


@dataclass(frozen=True)
class Placement:
    """A scenario whose nodes can be placed."""

    scenario: Scenario

    @classmethod
    def of(cls, scenario: Scenario) -> "Placement":
        """Checks that it can be placed.

        Raises:
            RingletError: too many nodes, memories, or traffic whose pairs of sources and destinations are not known.
        """
        network, traffic = scenario.network, scenario.traffic
        if network.nodes > MAX_PLACED:
            raise RingletError.not_allowed("network.nodes", network.nodes, f"at most {MAX_PLACED} that are placed")
        if (scenario.routed_network[0].roles != Role.COMPUTER).any():
            allowed = "one whose nodes all compute: processors and memories have places of their own"
            raise RingletError.not_allowed("network.topology", network.topology, allowed)
        planned = scenario.has_messages or bool(scenario.resolved.plans)
        if traffic.replayed is not None or planned or not traffic.arrival_process.generates:
            raise RingletError(
                "traffic: a trace, messages, flows, events, loops or a collective operation, which name their nodes; "
                "allowed: a pattern, of which places can be changed"
            )
        if scenario.errors.lose:
            raise RingletError.not_allowed("errors", "<[errors]>", "none: they name nodes and links by their places")
        if traffic.arrival_process.follows_load or all(to is not None for to in scenario.resolved.pattern.destinations):
            return cls(scenario)
        allowed = "one with a load, since some nodes send nothing"
        raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, allowed)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Share of each node's packets for each other."""
        return self.scenario.resolved.pattern.matrix()

    @cached_property
    def traffic(self) -> NDArray[np.float64]:
        """Requests per cycle from each node to each other; relative to each other where there is no load."""
        follows = self.scenario.traffic.arrival_process.follows_load
        rates = self.scenario.resolved.request_rates() if follows else [1.0] * len(self.matrix)
        return np.asarray(self.matrix * np.array(rates)[:, None], dtype=np.float64)

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """Links from each place to each other."""
        nodes = len(self.matrix)
        source, target = np.divmod(np.arange(nodes * nodes), nodes)
        away = source != target
        distance = np.zeros(nodes * nodes)
        distance[away] = follow(*self.scenario.routed_network, source[away], target[away]).hops
        return distance.reshape(nodes, nodes)

    @cached_property
    def _links(self) -> Any:  # noqa: ANN401 - scipy is loaded on first use
        """Symbols that a packet and its echoes put on each link, for each pair of places; shape (pairs, links)."""
        network, routes = self.scenario.routed_network
        nodes, symbols = network.nodes, self.scenario.resolved.mean_send_symbols + 1
        echo = self.scenario.resolved.echo_cost_symbols
        pairs = np.flatnonzero(~np.eye(nodes, dtype=bool).ravel())
        source, target = np.divmod(pairs, nodes)
        rows, columns, amounts = list[Any](), list[Any](), list[Any]()
        for leg in legs(network, routes, source, target):
            ring = network.interface_ring[leg.start]
            length, first = network.ring_lengths[ring], network.ring_start[ring]
            hops = (leg.end - leg.start - 1) % length + 1
            packet = np.repeat(np.arange(len(leg.start)), length)
            step = np.arange(len(packet)) - np.repeat(np.cumsum(length) - length, length)
            rows.append(pairs[leg.packet[packet]])
            columns.append(first[packet] + (leg.start[packet] - first[packet] + step) % length[packet])
            amounts.append(np.where(step < hops[packet], symbols, echo))
        shape = (nodes * nodes, network.interfaces)
        return sparse.csr_array((np.concatenate(amounts), (np.concatenate(rows), np.concatenate(columns))), shape=shape)

    def link_loads(self, order: Order) -> NDArray[np.float64]:
        """Returns what each link carries in symbols for each that it could, packets and echoes."""
        nodes = len(order)
        source, target = np.nonzero(self.traffic)
        pairs = order[source] * nodes + order[target]
        loads = self._links[pairs].T @ self.traffic[source, target]
        return np.asarray(loads * self.scenario.resolved.interface_symbol_cycles, dtype=np.float64)

    def places(self, least: Least) -> Order:
        """Returns the place of each node.

        Raises:
            RingletError: groups on several rings.
        """
        near = least_distance(self.traffic, self.distance)
        if least == "distance":
            return near
        if least == "groups" and self.scenario.network.switched:
            raise RingletError.not_allowed("--least", least, "'distance' or 'load' where there are several rings")
        nodes = len(near)
        each = int(self._links.nnz / max(nodes * (nodes - 1), 1) * np.count_nonzero(self.traffic)) + nodes
        most = MOST_GROUPED if least == "groups" else min(MOST_TRIALS, MOST_LINKS // each)
        cost = self._groups if least == "groups" else self._load
        starts = [np.arange(nodes), near]
        return min((exchanged(start, cost, most=most) for start in starts), key=cost)

    def _load(self, order: Order) -> tuple[float, ...]:
        loads = self.link_loads(order)
        # Of placements with one worst link, that with less on all the others is nearer to a better one.
        return round(float(loads.max()), 12), round(float((loads**2).sum()), 12)

    def _groups(self, order: Order) -> tuple[float, ...]:
        return float(self.groups(order)), round(travelled(self.traffic, self.distance, order), 12)

    def groups(self, order: Order) -> int:
        """Returns the transmission groups needed on one ring."""
        return groups_needed(self._placed(self.matrix, order))

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
        scenario, nodes = self.scenario, len(order)
        content = scenario.to_dict()
        sends = [to is not None for to in scenario.resolved.pattern.destinations]
        matrix = self._placed(self.matrix, order)
        for place in np.flatnonzero(matrix.sum(axis=1) == 0).tolist():
            # A row sums to 1 even where the load is 0.
            matrix[place, (place + 1) % nodes] = 1.0
        keys = {key for key in scenario.traffic.fields if key in _KEPT}
        traffic: dict[str, Any] = {key: value for key, value in content["traffic"].items() if key in keys}
        load = traffic.get("load")
        if load is not None and not isinstance(load, list) and not all(sends):
            traffic["load"] = [load if one else 0 for one in sends]
        content["traffic"] = {**traffic, "pattern": "matrix", "matrix": matrix.tolist()}
        for section, key in PER_NODE:
            value = content.get(section, {}).get(key)
            if isinstance(value, list | dict):
                each = self.scenario.resolved.of_nodes(f"{section}.{key}", value)
                content[section][key] = [each[node] for node in np.argsort(order).tolist()]
        return Scenario.from_dict(content)

    def _placed(self, matrix: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
        """Returns a matrix of nodes as one of places."""
        at = np.argsort(order)
        return matrix[np.ix_(at, at)]


_KEPT = (
    "transaction",
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
