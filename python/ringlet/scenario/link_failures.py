"""The errors section resolved: links by the interface that they leave, times in cycles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario.flow_control import Shape
from ringlet.scenario.link_errors import ErrorLink, Errors, FailingNode
from ringlet.scenario.links import link_of
from ringlet.scenario.units import MAX_CYCLES, cycles
from ringlet.topology import Network as Rings

LONGEST_PACKET_SYMBOLS = 144 + 64
"""Symbols of the longest packet with the most framing that the engine takes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A link or node that fails."""

    what: str
    """In words: `link from node 3`."""
    cycle: int
    """From which on nothing comes through, counted from the start of the simulation."""
    interfaces: tuple[int, ...]
    """Those at the ends of the links that it stops: not of one that another failure has stopped before."""


class LinkErrors:
    """The errors section of a network whose rings are known: numbers of interfaces, and cycles."""

    def __init__(
        self, section: Errors, network: Rings, *, switches: Mapping[str, int], symbol_time_ns: float, least_timeout: int
    ) -> None:
        """Finds the interfaces that the section names.

        Args:
            section: what the scenario says.
            network: rings, nodes and switches.
            switches: number of each switch by the name that the scenario gives it.
            symbol_time_ns: time of a cycle.
            least_timeout: cycles that every echo is there in.

        Raises:
            RingletError: a link or node that is not there or is named twice; a time that is too short or too long.
        """
        self._network = network
        self._symbol_time_ns = symbol_time_ns
        self._links: dict[int, tuple[float | None, int | None]] = {}
        self._stopped: list[tuple[str, int, tuple[int, ...]]] = []
        for index, link in enumerate(section.links):
            self._add_link(f"errors.links[{index}]", link, switches)
        for index, node in enumerate(section.nodes):
            self._add_node(f"errors.nodes[{index}]", node)
        self.failures = [self._failure(*stopped) for stopped in self._stopped]
        """What fails."""
        self._section = section
        self.timeout_cycles = least_timeout
        if section.timeout is not None:
            self.timeout_cycles = self._cycles("errors.timeout", section.timeout)
        if self.timeout_cycles < least_timeout:
            allowed = f"at least {least_timeout} cycles of {symbol_time_ns:g} ns, in which every echo is there"
            raise RingletError.not_allowed("errors.timeout", section.timeout, allowed)

    @property
    def are_random(self) -> bool:
        """Whether any link has wrong bits."""
        rates = [self._section.bit_error_rate, *(rate for rate, _ in self._links.values() if rate is not None)]
        return any(rate > 0 for rate in rates)

    def spec(self) -> dict[str, Any]:
        """Returns what the engine takes."""
        network = self._network
        ring = network.interface_ring
        return {
            "bit_error_rate": self._section.bit_error_rate,
            "links": [
                {
                    "ring": int(ring[interface]),
                    "place": interface - int(network.ring_start[ring[interface]]),
                    "bit_error_rate": rate,
                    "fails_at_cycle": fails_at,
                }
                for interface, (rate, fails_at) in sorted(self._links.items())
            ],
            "timeout_cycles": self.timeout_cycles,
            "max_timeouts": self._section.max_timeouts,
        }

    def _cycles(self, path: str, value: float | str) -> int:
        found = cycles(value, self._symbol_time_ns)
        if found > MAX_CYCLES:
            raise RingletError.not_allowed(path, value, f"at most 2^53 cycles of {self._symbol_time_ns:g} ns")
        return found

    def _neighbour(self, interface: int, step: int) -> int:
        """Returns the interface so many links further on its ring."""
        ring = int(self._network.interface_ring[interface])
        first, end = self._network.ring_start[ring : ring + 2].tolist()
        return int(first + (interface + step - first) % (end - first))

    def _add_link(self, path: str, link: ErrorLink, switches: Mapping[str, int]) -> None:
        interface = link_of(f"{path}.source", link.source, self._network, switches)
        if interface in self._links:
            raise RingletError.not_allowed(f"{path}.source", link.source, "each link once")
        fails_at = None if link.fails_at is None else self._cycles(f"{path}.fails_at", link.fails_at)
        self._links[interface] = (link.bit_error_rate, fails_at)
        if fails_at is not None:
            what = f"link from {self._called(link.source)}"
            self._stopped.append((what, fails_at, (interface,)))

    def _called(self, source: int | str) -> str:
        if isinstance(source, str):
            return f"port {source}"
        names = self._network.node_names
        return names[source] if names else f"node {source}"

    def _add_node(self, path: str, failing: FailingNode) -> None:
        nodes = self._network.nodes
        if failing.node >= nodes:
            raise RingletError.not_allowed(f"{path}.node", failing.node, f"a node from 0 to {nodes - 1}")
        what = self._called(failing.node)
        if any(what == other for other, _, _ in self._stopped):
            raise RingletError.not_allowed(f"{path}.node", failing.node, "each node once")
        own = int(self._network.node_interface[failing.node])
        fails_at = self._cycles(f"{path}.fails_at", failing.fails_at)
        links = tuple(sorted({self._neighbour(own, -1), own}))
        for interface in links:
            rate, other = self._links.get(interface, (None, None))
            self._links[interface] = (rate, fails_at if other is None else min(other, fails_at))
        self._stopped.append((what, fails_at, links))

    def _failure(self, what: str, cycle: int, links: Sequence[int]) -> Failure:
        """Returns a failure of the links that leave these interfaces, when all failures are known."""
        first = [interface for interface in links if self._links[interface][1] == cycle]
        return Failure(what, cycle, tuple(sorted(self._neighbour(interface, 1) for interface in first)))


def least_timeout_cycles(shapes: Iterable[Shape]) -> int:
    """Returns cycles in which every echo is there: longer than any way round a ring.

    The engine simulates interfaces apart from each other by what the links between them hold, and refuses less.
    """
    return max(shape.around_cycles + 2 * shape.places * LONGEST_PACKET_SYMBOLS for shape in shapes)
