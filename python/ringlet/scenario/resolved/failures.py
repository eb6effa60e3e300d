"""The errors section resolved: links by the interface that they leave, times in cycles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.rings import Network as Rings
from ringlet.rings import Routes, routes_on_chain, routes_without
from ringlet.rings.network import IntArray
from ringlet.rings.trace import MAX_PAIRS, legs
from ringlet.scenario.flow_control import Shape
from ringlet.scenario.keys.errors import ErrorLink, Errors
from ringlet.scenario.resolved.wrapping import Interruptions, Wrapping, merge
from ringlet.scenario.values.framing import MOST_FRAMING_SYMBOLS
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.link_names import link_of
from ringlet.scenario.values.transactions import SCI_MAX_BYTES
from ringlet.scenario.values.units import MAX_CYCLES, cycles


@dataclass(frozen=True, slots=True)
class Failure:
    """A link, node or switch that fails."""

    what: str
    """Part that fails, in words: `link from node 3`."""
    cycle: int
    """Cycle from which on nothing comes through, counted from the start of the simulation."""
    repaired_cycle: int | None
    """Cycle from which on it works again; None: it never does."""
    links: tuple[int, ...]
    """The interfaces that the links leave which it stops."""

    def lasts(self, cycle: int) -> bool:
        """Returns whether it has failed by a cycle and has not been repaired."""
        return self.cycle <= cycle and (self.repaired_cycle is None or cycle < self.repaired_cycle)


@dataclass(frozen=True, slots=True)
class Reroute:
    """Other routes from a cycle on."""

    from_cycle: int
    routes: Routes


class LinkErrors:
    """The errors section of a network whose rings are known: numbers of interfaces, and cycles."""

    def __init__(
        self,
        section: Errors,
        network: Rings,
        routes: Routes,
        *,
        counter_rotating: tuple[int, int] | None,
        hop_cycles: IntArray,
        switches: Mapping[str, int],
        symbol_time_ns: float,
        quiet_cycles: int,
        timeouts: tuple[int, int],
    ) -> None:
        """Finds the interfaces that the section names.

        Args:
            section: what the scenario says.
            network: rings, nodes and switches.
            routes: how packets are routed where nothing has failed.
            counter_rotating: two rings that can be joined; None: there are none.
            hop_cycles: of the link that leaves each interface; shape (interfaces,).
            switches: number of each switch by the name that the scenario gives it.
            symbol_time_ns: time of a cycle.
            quiet_cycles: cycles before rings are joined in which nothing comes through.
            timeouts: cycles of the shortest time-out, in which every echo is there, and of the default.

        Raises:
            RingletError: a part that is not there or is named twice; a time that is too short or too long.
        """
        self._network, self._routes = network, routes
        self._symbol_time_ns = symbol_time_ns
        self._rates: dict[int, float | None] = {}
        self._bypasses: list[dict[str, int | None]] = []
        self.failures: list[Failure] = []
        """Failures in the order of the file."""
        for index, link in enumerate(section.links):
            self._add_link(f"errors.links[{index}]", link, switches)
        for index, node in enumerate(section.nodes):
            path = f"errors.nodes[{index}]"
            if node.node >= network.nodes:
                raise RingletError.not_allowed(f"{path}.node", node.node, f"a node from 0 to {network.nodes - 1}")
            own = int(network.node_interface[node.node])
            fails, repaired = self._times(path, node.fails_at, node.repaired_at)
            links = set[int]() if node.bypass else self._around(own)
            if network.second_interface is not None and not node.bypass:
                links |= self._around(int(network.second_interface[node.node]))
            if node.bypass:
                bypass = {"node": node.node, "from_cycle": fails, "until_cycle": repaired}
                self._bypasses.append(bypass)
            self._add(f"{path}.node", node.node, self._called(node.node), fails, repaired, links)
        for index, failing in enumerate(section.switches):
            path = f"errors.switches[{index}]"
            number = switches.get(str(failing.switch))
            if number is None:
                some = ", ".join(list(switches)[:8]) + (", ..." if len(switches) > 8 else "")
                known = f"one of the switches {some}" if some else "none: there is no switch"
                raise RingletError.not_allowed(f"{path}.switch", failing.switch, known)
            first, end = network.switch_start[number : number + 2].tolist()
            links = {link for own in network.port_interface[first:end].tolist() for link in self._around(own)}
            fails, repaired = self._times(path, failing.fails_at, failing.repaired_at)
            self._add(f"{path}.switch", failing.switch, f"switch {failing.switch}", fails, repaired, links)
        self._section = section
        least_timeout, self.timeout_cycles = timeouts
        if section.timeout is not None:
            self.timeout_cycles = self._cycles("errors.timeout", section.timeout)
        if self.timeout_cycles < least_timeout:
            allowed = f"at least {least_timeout} cycles of {symbol_time_ns:g} ns, in which every echo is there"
            raise RingletError.not_allowed("errors.timeout", section.timeout, allowed)
        self.steers_after_cycles: int | None = None
        """Cycles from a failure or repair until routes are those of the network as it then is; None: they stay."""
        if section.steers_after is not None:
            self.steers_after_cycles = self._cycles("errors.steers_after", section.steers_after)
        self.wrapping: Wrapping | None = None
        """Places and times at which rings are joined; None: they never are."""
        if section.wraps_after is not None and counter_rotating is not None:
            after = self._cycles("errors.wraps_after", section.wraps_after)
            if after < quiet_cycles:
                allowed = f"at least {quiet_cycles} cycles of {symbol_time_ns:g} ns, longer than any packet"
                raise RingletError.not_allowed("errors.wraps_after", section.wraps_after, allowed)
            if self.steers_after_cycles is not None and self.steers_after_cycles < after:
                allowed = f"at least errors.wraps_after, {section.wraps_after}: routes lead over the joined rings"
                raise RingletError.not_allowed("errors.steers_after", section.steers_after, allowed)
            failures = [(failure.links, failure.cycle, failure.repaired_cycle) for failure in self.failures]
            self.wrapping = Wrapping(
                network,
                counter_rotating,
                failures,
                after_cycles=after,
                hop_cycles=hop_cycles,
                quiet_cycles=quiet_cycles,
            )

    @property
    def are_random(self) -> bool:
        """True if any link has wrong bits."""
        rates = [self._section.bit_error_rate, *(rate for rate in self._rates.values() if rate is not None)]
        return any(rate > 0 for rate in rates)

    def ends(self, failure: Failure) -> tuple[int, ...]:
        """Returns the interfaces at the ends of the links that a failure stops and no other has stopped before."""
        of_others = [other for other in self.failures if other is not failure and other.cycle < failure.cycle]
        stopped = {link for other in of_others for link in other.links}
        return tuple(sorted(self._neighbour(link, 1) for link in failure.links if link not in stopped))

    @cached_property
    def reroutes(self) -> tuple[Reroute, ...]:
        """The routes that follow each other, in the order of their cycles."""
        # The later one of two that would begin in the first cycle counts.
        found = {reroute.from_cycle: reroute for reroute in self._reroutes()}
        return tuple(found.values())

    def _reroutes(self) -> Iterator[Reroute]:
        if self.steers_after_cycles is None:
            return
        changes = {failure.cycle for failure in self.failures}
        changes |= {failure.repaired_cycle for failure in self.failures if failure.repaired_cycle is not None}
        network, before = self._network, (np.zeros(self._network.rings, dtype=bool), set[int]())
        for cycle in sorted(changes):
            interrupted, spans = np.zeros(network.rings, dtype=bool), set[int]()
            for failure in self.failures:
                if failure.lasts(cycle):
                    interrupted[network.interface_ring[list(failure.links)]] = True
            if self.wrapping is not None:
                # Joined rings carry on: what is left of them is a chain of stations.
                interrupted[list(self.wrapping.rings)] = False
                spans = self.wrapping.spans_down(cycle)
            if np.array_equal(interrupted, before[0]) and spans == before[1]:
                continue
            before = (interrupted, spans)
            changed = self._routes
            if interrupted.any():
                changed = routes_without(network, changed, interrupted)
            if self.wrapping is not None and spans:
                changed = routes_on_chain(network, changed, self.wrapping.rings, spans)
            yield Reroute(max(1, cycle + self.steers_after_cycles), changed)

    def affected(self) -> list[tuple[int, bytes | None]]:
        """Returns of each failure its cycle, and which pairs of nodes are affected: their packets cross a link that it
        stops. Where only their echoes do, packets arrive as before.

        The pairs are a bit each, in the order of the sources, the first one of a byte the highest; None for networks of
        more than 1,024 nodes.
        """
        network = self._network
        if network.nodes**2 > MAX_PAIRS:
            return [(failure.cycle, None) for failure in self.failures]
        changes = [Reroute(0, self._routes), *self.reroutes]
        found: list[tuple[int, bytes | None]] = []
        for failure in self.failures:
            in_force = [change.routes for change in changes if change.from_cycle <= failure.cycle][-1]
            found.append((failure.cycle, np.packbits(self._crossing(in_force, failure.links)).tobytes()))
        return found

    @property
    def last_change_cycle(self) -> int:
        """The cycle of the last failure, repair or change of routes; 0 where there is none."""
        cycles = [cycle for one in self.failures for cycle in (one.cycle, one.repaired_cycle) if cycle is not None]
        return max([*cycles, *(reroute.from_cycle for reroute in self.reroutes)], default=0)

    def stopped_ways(self, source: IntArray, target: IntArray) -> list[Failure | None]:
        """Returns what stops each way for ever, once nothing changes any more; None: nothing does.

        A way is stopped if one of its own links has failed and is not repaired. What a failure elsewhere on its rings
        does to echoes is not counted, nor is a failure on rings that can be joined, which goes by the other one.

        Args:
            source: where each way begins, a node.
            target: where it ends, another node; both of shape (ways,).
        """
        network, joined = self._network, set(() if self.wrapping is None else self.wrapping.rings)
        broken = {
            link: one
            for one in self.failures
            if one.repaired_cycle is None
            for link in one.links
            if int(network.interface_ring[link]) not in joined
        }
        stopped: list[Failure | None] = [None] * len(source)
        if not broken:
            return stopped
        routes = self.reroutes[-1].routes if self.reroutes else self._routes
        for leg in legs(network, routes, source, target):
            for way, start, end in zip(leg.packet.tolist(), leg.start.tolist(), leg.end.tolist(), strict=True):
                link = start
                while link != end and stopped[way] is None:
                    stopped[way] = broken.get(link)
                    link = self._neighbour(link, 1)
        return stopped

    def _crossing(self, routes: Routes, links: Sequence[int]) -> NDArray[np.bool_]:
        """Returns for each pair of a source and a destination whether its packets cross one of these links; shape
        (nodes, nodes)."""
        network = self._network
        source, target = np.meshgrid(network.senders, network.receivers, indexing="ij")
        other = source != target
        source, target = source[other], target[other]
        crosses = np.zeros((network.nodes, network.nodes), dtype=bool)
        for leg in legs(network, routes, source, target):
            ring = network.interface_ring[leg.start]
            length = network.ring_lengths[ring]
            hops = (leg.end - leg.start - 1) % length + 1
            for link in links:
                on = leg.packet[(ring == network.interface_ring[link]) & ((link - leg.start) % length < hops)]
                crosses[source[on], target[on]] = True
        return crosses

    @cached_property
    def interruptions(self) -> dict[int, Interruptions]:
        """Cycles from which on, and before which, the link that leaves an interface carries nothing."""
        found: dict[int, Interruptions] = {}
        for failure in sorted(self.failures, key=lambda failure: failure.cycle):
            for link in failure.links:
                merge(found.setdefault(link, []), failure.cycle, failure.repaired_cycle)
        return found if self.wrapping is None else self.wrapping.interrupted(found)

    def spec(self) -> dict[str, Any]:
        """Returns what the engine takes, but for the routes."""
        network = self._network
        ring = network.interface_ring
        return {
            "bit_error_rate": self._section.bit_error_rate,
            "links": [
                {
                    "ring": int(ring[interface]),
                    "place": interface - int(network.ring_start[ring[interface]]),
                    "bit_error_rate": self._rates.get(interface),
                    "interruptions": self.interruptions.get(interface, []),
                }
                for interface in sorted({*self._rates, *self.interruptions})
            ],
            "timeout_cycles": self.timeout_cycles,
            "max_timeouts": self._section.max_timeouts,
            "gives_up_destinations": self._section.gives_up == "destination",
            "bypasses": self._bypasses,
            "exchanges": [] if self.wrapping is None else self.wrapping.exchanges(network),
        }

    def _cycles(self, path: str, value: float | str) -> int:
        found = cycles(value, self._symbol_time_ns)
        if found > MAX_CYCLES:
            raise RingletError.not_allowed(path, value, f"at most 2^53 cycles of {self._symbol_time_ns:g} ns")
        return found

    def _times(self, path: str, fails_at: float | str, repaired_at: float | str | None) -> tuple[int, int | None]:
        """Returns the cycles of a failure and of its repair."""
        fails = self._cycles(f"{path}.fails_at", fails_at)
        if repaired_at is None:
            return fails, None
        repaired = self._cycles(f"{path}.repaired_at", repaired_at)
        if repaired <= fails:
            raise RingletError.not_allowed(f"{path}.repaired_at", repaired_at, f"a time behind fails_at, {fails_at}")
        return fails, repaired

    def _neighbour(self, interface: int, step: int) -> int:
        """Returns the interface so many links further on its ring."""
        ring = int(self._network.interface_ring[interface])
        first, end = self._network.ring_start[ring : ring + 2].tolist()
        return int(first + (interface + step - first) % (end - first))

    def _around(self, interface: int) -> set[int]:
        """Returns the links to and from an interface."""
        return {self._neighbour(interface, -1), interface}

    def _add_link(self, path: str, link: ErrorLink, switches: Mapping[str, int]) -> None:
        interface = link_of(f"{path}.source", link.source, self._network, switches)
        if interface in self._rates:
            raise RingletError.not_allowed(f"{path}.source", link.source, "each link once")
        self._rates[interface] = link.bit_error_rate
        if link.fails_at is not None:
            fails, repaired = self._times(path, link.fails_at, link.repaired_at)
            what = f"link from {self._called(link.source)}"
            self._add(f"{path}.source", link.source, what, fails, repaired, (interface,))
        elif link.repaired_at is not None:
            raise RingletError.not_allowed(f"{path}.repaired_at", link.repaired_at, "none without fails_at")

    def _called(self, source: int | str) -> str:
        if isinstance(source, str):
            return f"port {source}"
        names = self._network.node_names
        return names[source] if names else f"node {source}"

    def _add(
        self, path: str, value: int | str, what: str, fails: int, repaired: int | None, links: Iterable[int]
    ) -> None:
        if any(what == other.what for other in self.failures):
            raise RingletError.not_allowed(path, value, f"each {path.rpartition('.')[2]} once")
        self.failures.append(Failure(what, fails, repaired, tuple(sorted(links))))


def timeout_cycles(
    rings: Iterable[tuple[Shape, int]], longest_symbols: int, link_format: LinkFormat
) -> tuple[int, int]:
    """Returns the shortest time-out, and the default: cycles in which every echo is there, longer than any way round.

    The engine simulates interfaces apart from each other by what the links between them hold, and refuses less. The
    shortest is for packets of up to `longest_symbols`, the default for SCI's, too. Of each ring its shape is given, and
    the cycles of a symbol.
    """
    rings = tuple(rings)

    def around(symbols: int) -> int:
        return max(cycles * (shape.around_cycles + 2 * shape.places * symbols) for shape, cycles in rings)

    return around(longest_symbols + 1), around(max(longest_symbols + 1, sci_longest(link_format)))


def longest_in_time(rings: Iterable[tuple[Shape, int]], timeout_cycles: int) -> int:
    """Returns the symbols of the longest packet whose echo is there within a time-out."""
    least = min((timeout_cycles // cycles - shape.around_cycles) // (2 * shape.places) for shape, cycles in rings)
    return least - 1


def sci_longest(link_format: LinkFormat) -> int:
    """Returns the symbols of SCI's longest packet with any framing."""
    return link_format.words(SCI_MAX_BYTES) + MOST_FRAMING_SYMBOLS
