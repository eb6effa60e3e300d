"""The flow control of each ring of a network: that of all, or its own."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.rings import Network, Routes
from ringlet.rings.network import IntArray
from ringlet.scenario.flow_control import FlowControl, Reading, Ring
from ringlet.scenario.keys.ring_sections import RingSection, on_ring
from ringlet.scenario.values.destinations import Pattern
from ringlet.scenario.values.node_names import checked_nodes
from ringlet.scenario.values.per_node import some_rings


@dataclass(frozen=True)
class RingProtocols:
    """The flow control of each ring."""

    of_all: FlowControl
    """Flow control of the rings that have none of their own."""
    own: Mapping[int, tuple[str, FlowControl]]
    """Flow control of single rings by their numbers, with their names."""

    @classmethod
    def of(cls, of_all: FlowControl, sections: Mapping[str, RingSection], rings: Mapping[str, int]) -> "RingProtocols":
        """Finds the rings that sections name.

        Args:
            of_all: the flow control of the network.
            sections: of single rings.
            rings: the number of each ring by its name.

        Raises:
            RingletError: there is no such ring.
        """
        for name in sections:
            if name not in rings:
                raise RingletError.not_allowed("rings", name, f"the name of a ring: {some_rings(rings)}")
        return cls(of_all, {rings[name]: (name, one.flow_control) for name, one in sections.items()})

    def named(self) -> Iterator[tuple[str | None, FlowControl]]:
        """Yields the flow control of all rings, without a name, and then those of single rings with theirs."""
        yield None, self.of_all
        yield from self.own.values()

    def by_ring(self, rings: int) -> list[FlowControl]:
        """Returns that of each of so many rings."""
        return [self.own[ring][1] if ring in self.own else self.of_all for ring in range(rings)]

    @property
    def first_with_most_priorities(self) -> FlowControl:
        """The first that distinguishes any priorities that queues have, else the one that distinguishes most."""
        each = [protocol for _, protocol in self.named()]
        return next((one for one in each if one.send_priorities == 1), max(each, key=lambda one: one.send_priorities))

    @property
    def most_priorities(self) -> int:
        """Most priorities that one of them distinguishes."""
        return max(protocol.send_priorities for _, protocol in self.named())

    @property
    def prioritised(self) -> bool:
        """True if priorities are the point of one of them."""
        return any(protocol.prioritised for _, protocol in self.named())

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        found = dict(self.of_all.times())
        for name, protocol in self.own.values():
            found |= {f"rings.{name}.{path}": value for path, value in protocol.times().items()}
        return found

    def specs(self, rings: Mapping[int, Ring]) -> dict[int, dict[str, Any]]:
        """Returns the engine's `flow_control` of some rings, by their numbers.

        Raises:
            RingletError: an option that does not fit the ring.
        """
        found = {}
        for number, ring in rings.items():
            name, protocol = self.own.get(number, (None, self.of_all))
            with nullcontext() if name is None else on_ring(name):
                found[number] = protocol.spec(ring)
        return found

    def base_nodes(self, network: Network) -> list[int]:
        """Returns the nodes that have SCI's own flow control, in ascending order.

        Raises:
            RingletError: a node that is not there, or that is on a ring of another protocol.
        """
        ring_of = network.node_ring.tolist()
        found: list[int] = []
        for own, (name, protocol) in zip((None, *self.own), self.named(), strict=True):
            if not protocol.nodes_of_base_sci:
                continue
            there = [node for node, ring in enumerate(ring_of) if ring == own or (own is None and ring not in self.own)]
            with nullcontext() if name is None else on_ring(name):
                found += checked_nodes(protocol.nodes_of_base_sci, "flow_control.base_nodes", there, network.nodes)
        return sorted(found)

    def interface_groups(self, pattern: Pattern, network: Network, routes: Routes, *, answers: bool) -> IntArray | None:
        """Returns the group of what each interface sends on its ring, 0 on rings without groups; None: there are none.

        Raises:
            RingletError: more groups are needed than there are, or they are not given for rings.
        """
        groups = self.of_all.interface_groups(pattern, network, routes, answers=answers)
        for number, (name, protocol) in self.own.items():
            with on_ring(name):
                own = protocol.interface_groups(pattern, network, routes, answers=answers)
            if own is None and groups is None:
                continue
            if groups is None:
                groups = np.zeros(network.interfaces, dtype=np.int64)
            first, end = network.ring_start[number : number + 2].tolist()
            groups[first:end] = 0 if own is None else own[first:end]
        return groups

    def reading(self) -> Reading:
        """Returns what a recording shows: of rings that differ only what all protocols have."""
        each = [protocol.reading() for _, protocol in self.named()]
        if all(one == each[0] for one in each):
            return each[0]
        return Reading(
            first_in_first_out=all(one.first_in_first_out for one in each),
            takes_ahead=any(one.takes_ahead for one in each),
        )
