"""The network of a scenario resolved: its links, rings, switches and hosts in the quantities of the engine."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.rings import Network as Rings
from ringlet.rings import Routes
from ringlet.rings.network import NONE
from ringlet.scenario.flow_control import Shape
from ringlet.scenario.hardware.delays import HostDelays, NodeHost, SwitchDelays
from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.network import node_numbers
from ringlet.scenario.network.topology import routed
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.link_names import of_links
from ringlet.scenario.values.node_names import checked_nodes
from ringlet.scenario.values.per_node import of_nodes, of_rings
from ringlet.scenario.values.units import (
    MAX_CYCLES,
    cycles,
    cycles_with_cable,
    exact_cycles,
    length_metres,
    magnitude,
    size_bytes,
)

MAX_SYMBOL_CYCLES = 1000
"""Most cycles that a symbol of a slower ring, or on a slow link, takes: symbol times of the fastest."""

MOST_PARTS = 1_000_000
"""Largest denominator of a ratio of rates; two such ratios differ by more than the rounding of rates."""

ROUNDED = 1e-9
"""Part of a ratio of rates that is rounding."""


class ResolvedNetwork:
    """The network of a scenario file in the quantities of the engine and of theory.

    Each part is computed at its first use, and raises RingletError where what the file says does not fit.
    """

    def __init__(self, file: ScenarioFile, folder: Path) -> None:
        """Takes the sections, and the folder where files that they name start from."""
        self.file = file
        """The sections."""
        self.folder = folder
        """Folder from which files that the scenario names start."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.file.network.nodes

    @property
    def switched(self) -> bool:
        """True if there are switches: more than one ring."""
        return self.file.network.switched

    @cached_property
    def link_format(self) -> LinkFormat:
        """The symbols of packets on links."""
        network = self.file.network
        return LinkFormat(network.link_width // 8, network.framing_symbols, round(size_bytes(network.echo_size)))

    @cached_property
    def link_rates(self) -> list[str]:
        """The link rate of each ring.

        Raises:
            RingletError: a ring that is not there, or rings without a rate.
        """
        if self.rates_of_links is not None:
            return [self.fastest_link_rate]
        return of_rings("network.link_rate", self.file.network.link_rate, lambda: self.rings)

    @cached_property
    def rates_of_links(self) -> list[str] | None:
        """The rate of each node's outgoing link on one ring; None where all links of a ring have one by their key.

        Raises:
            RingletError: a list of the wrong length, a node that is not there, or links without a rate.
        """
        network = self.file.network
        if isinstance(network.link_rate, str) or not network.rates_by_link:
            return None
        return self._of_links("link_rate", network.link_rate)

    @cached_property
    def slow_links(self) -> Mapping[int, Fraction]:
        """Cycles that a symbol takes on each link that is slower than its ring, by the node that it leaves; exact.

        Raises:
            RingletError: a link that is too slow.
        """
        found = {}
        for node, rate in enumerate(self.rates_of_links or ()):
            # The shortest decimals of a float are the rate as it was written, which may be rounded in bytes per ns.
            fastest, own = (Fraction(repr(magnitude(one, "byte/ns"))) for one in (self.fastest_link_rate, rate))
            slowness = (fastest / own).limit_denominator(MOST_PARTS)
            if slowness > MAX_SYMBOL_CYCLES:
                allowed = f"at least a part in {MAX_SYMBOL_CYCLES} of the fastest link's rate, {self.fastest_link_rate}"
                raise RingletError.not_allowed(f"network.link_rate[{node}]", rate, allowed)
            if slowness > 1:
                found[node] = slowness
        return found

    @property
    def link_cycles(self) -> NDArray[np.float64]:
        """Cycles that a symbol takes on the link that leaves each interface, slow links too; shape (interfaces,)."""
        found = self.interface_symbol_cycles.astype(np.float64)
        for node, slowness in self.slow_links.items():
            found[self.routed_network[0].node_interface[node]] = float(slowness)
        return found

    @cached_property
    def fastest_link_rate(self) -> str:
        """The rate of the fastest link."""
        given = self.file.network.link_rate
        if isinstance(given, str):
            return given
        return max(self.rates_of_links or self.link_rates, key=lambda rate: magnitude(rate, "byte/ns"))

    @cached_property
    def symbol_time_ns(self) -> float:
        """Time of one symbol on a link of the fastest ring, in ns: a cycle."""
        return self.link_format.symbol_bytes / magnitude(self.fastest_link_rate, "byte/ns")

    @cached_property
    def symbol_cycles(self) -> NDArray[np.int64]:
        """Cycles that a symbol takes on each ring; shape (rings,).

        Raises:
            RingletError: no whole number, or too many.
        """
        if isinstance(self.file.network.link_rate, str) or self.rates_of_links is not None:
            return np.ones(self.routed_network[0].rings, dtype=np.int64)
        fastest = magnitude(self.fastest_link_rate, "byte/ns")
        exact = np.array([fastest / magnitude(rate, "byte/ns") for rate in self.link_rates])
        whole = np.rint(exact)
        for rate, one, near in zip(self.link_rates, exact.tolist(), whole.tolist(), strict=True):
            if abs(one - near) > ROUNDED * one or near > MAX_SYMBOL_CYCLES:
                allowed = (
                    f"the fastest ring's rate, {self.fastest_link_rate}, divided by a whole number up to "
                    f"{MAX_SYMBOL_CYCLES}: rings advance by whole symbols of the fastest"
                )
                raise RingletError.not_allowed("network.link_rate", rate, allowed)
        return np.asarray(whole, dtype=np.int64)

    @cached_property
    def slowest_sender(self) -> int:
        """First of the nodes that send requests on the slowest links; 0 where none does."""
        network = self.routed_network[0]
        senders = network.senders
        return int(senders[np.argmax(self.link_cycles[network.node_interface[senders]])]) if senders.size else 0

    @property
    def interface_symbol_cycles(self) -> NDArray[np.int64]:
        """Cycles that a symbol takes on the ring of each interface; shape (interfaces,)."""
        return self.symbol_cycles[self.routed_network[0].interface_ring]

    @property
    def has_one_rate(self) -> bool:
        """True if all rings have one rate."""
        return isinstance(self.file.network.link_rate, str) or bool((self.symbol_cycles == 1).all())

    @property
    def symbol_ps(self) -> int:
        """Time of one symbol on a link of the fastest ring, in picoseconds.

        Raises:
            RingletError: it is no whole number.
        """
        whole = round(1000 * self.symbol_time_ns)
        if abs(whole - 1000 * self.symbol_time_ns) > 1e-6 or whole < 1:
            allowed = "a rate at which a symbol takes whole picoseconds, such as '500 MB/s'"
            raise RingletError.not_allowed("network.link_rate", self.fastest_link_rate, allowed)
        return whole

    @cached_property
    def switch_delays(self) -> SwitchDelays:
        """The times that a packet takes in a switch."""
        return SwitchDelays(self.file.switch, self.symbol_time_ns, self.link_format)

    @cached_property
    def hosts(self) -> list[NodeHost]:
        """The interface between each node and its ring; nodes that are alike have the same one.

        Raises:
            RingletError: a list of the wrong length, or a node that is not there.
        """
        host = self.file.host
        adapters = self._adapters
        values = (self.of_nodes(f"host.{key}", getattr(host, key)) for key in NodeHost.KEYS)
        known: dict[tuple[Any, ...], NodeHost] = {}
        found = []
        for node, own in enumerate(zip(*values, strict=True)):
            path = adapters[node]
            key = (*own, path)
            if key not in known:
                bridge = None if path is None else host.adapters[path]
                known[key] = NodeHost.of(*own, adapter=bridge, adapter_path=path or "")
            found.append(known[key])
        return found

    @property
    def _adapters(self) -> list[str | None]:
        """Where the adapter of each node is said; None: it has none."""
        found: list[str | None] = [None] * self.nodes
        others: str | None = None
        for path, adapter in self.file.host.adapters.items():
            if adapter.nodes is None:
                if others is not None:
                    raise RingletError(
                        f"{path}: has no nodes, and {others} has none; one adapter is that of all others"
                    )
                others = path
                continue
            for place, node in enumerate(checked_nodes(adapter.nodes, f"{path}.nodes", range(self.nodes), self.nodes)):
                if found[node] is not None:
                    allowed = f"nodes without another adapter; {found[node]} names it"
                    raise RingletError.not_allowed(f"{path}.nodes[{place}]", node, allowed)
                found[node] = path
        return [path or others for path in found]

    @cached_property
    def host_delays(self) -> list[HostDelays]:
        """The times that packets take between each node and its ring; nodes that are alike have the same ones."""
        each = {id(host): host for host in self.hosts}
        delays = {number: HostDelays(host, self.symbol_time_ns) for number, host in each.items()}
        return [delays[id(host)] for host in self.hosts]

    def of_host_delays(self, function: Callable[[HostDelays], float]) -> NDArray[np.float64]:
        """Returns a function of the times of each node; shape (nodes,)."""
        each = {id(delays): delays for delays in self.host_delays}
        values = {number: function(delays) for number, delays in each.items()}
        return np.array([values[id(delays)] for delays in self.host_delays], dtype=np.float64)

    @property
    def hop_cycles(self) -> NDArray[np.int64]:
        """Hop delay in cycles of the link that leaves each interface; shape (interfaces,).

        Raises:
            RingletError: a list of the wrong length, or a link that is not there.
        """
        return self.hop_symbols if self.has_one_rate else self.hop_symbols * self.interface_symbol_cycles

    @cached_property
    def hop_symbols(self) -> NDArray[np.int64]:
        """Hop delay of the link that leaves each interface, in symbol times of its ring; shape (interfaces,).

        Raises:
            RingletError: a list of the wrong length, or a link that is not there.
        """
        section = self.file.network
        interfaces = self.routed_network[0].interfaces
        given, lengths = section.hop_delay, section.cable_length
        if not isinstance(given, list | dict) and lengths == 0 and self.has_one_rate:
            return np.full(interfaces, self.cycles(given))
        each = self._of_links("hop_delay", given)
        metre_ns = self.exact_cycles(section.cable_delay) * self.symbol_time_ns
        cables = [metre_ns * length_metres(length) for length in self._of_links("cable_length", lengths)]
        times = (self.symbol_time_ns * self.interface_symbol_cycles).tolist()
        hops = zip(each, cables, times, strict=True)
        return np.array([min(cycles_with_cable(*one), MAX_CYCLES) for one in hops], dtype=np.int64)

    def _of_links(self, key: str, given: Any) -> list[Any]:  # noqa: ANN401 - whatever the key may hold
        """Returns the value of a key of `[network]` for the link that leaves each interface."""
        section = self.file.network
        return of_links(
            f"network.{key}",
            given,
            self.routed_network[0],
            names=lambda: node_numbers(section),
            switches=self.switches,
            default=type(section).fields[key].default,
        )

    @property
    def pass_cycles(self) -> int:
        """Cycles for which a packet waits at most at an interface that it passes, beside the hop delay."""
        return self.cycles(self.file.network.pass_delay)

    @property
    def equal_hop_symbols(self) -> int | None:
        """The hop delay of all links in symbol times of their rings; None where it differs."""
        first = int(self.hop_symbols[0])
        return first if (self.hop_symbols == first).all() else None

    @property
    def switches(self) -> dict[str, int]:
        """Number of each switch by the name that the file gives it."""
        names = self.file.network.switch_names
        known = map(str, range(self.routed_network[0].switches)) if names is None else names
        return {name: number for number, name in enumerate(known)}

    @property
    def rings(self) -> dict[str, int]:
        """Number of each ring by the name that the file gives it."""
        network = self.routed_network[0]
        known = self.file.network.ring_names or map(network.names.ring, range(network.rings))
        return {name: number for number, name in enumerate(known)}

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of the fastest rings, each once: of all, where there is one rate."""
        each = zip(self.ring_shapes, self.symbol_cycles.tolist(), strict=True)
        return tuple(dict.fromkeys(shape for shape, symbol in each if symbol == 1))

    @cached_property
    def ring_shapes(self) -> tuple[Shape, ...]:
        """The shape of each ring, in its symbol times."""
        network = self.routed_network[0]
        controllers = np.where(network.interface_port == NONE, 1, self.file.switch.links)
        first = network.ring_start[:-1]
        each = zip(
            np.add.reduceat(controllers, first).tolist(),
            np.add.reduceat(controllers * self.hop_symbols, first).tolist(),
            np.minimum.reduceat(self.hop_symbols, first).tolist(),
            strict=True,
        )
        return tuple(Shape(*one) for one in each)

    def of_nodes(self, path: str, given: Any) -> list[Any]:  # noqa: ANN401 - whatever the key may hold
        """Returns each node's value of a key: of one value, a list or a table.

        Raises:
            RingletError: a list of the wrong length, a name that no node has, or nodes without a value.
        """
        return of_nodes(path, given, self.nodes, lambda: node_numbers(self.file.network))

    @cached_property
    def routed_network(self) -> tuple[Rings, Routes]:
        """Rings, nodes and switches, and how packets are routed."""
        return routed(self.file.network)

    def exact_cycles(self, value: float | str) -> float:
        """Returns a time in cycles, not rounded."""
        return exact_cycles(value, self.symbol_time_ns)

    def cycles(self, value: float | str) -> int:
        """Returns a time in whole cycles, rounded up."""
        return cycles(value, self.symbol_time_ns)
