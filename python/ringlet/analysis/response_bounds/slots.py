"""Response times on a slotted ring (docs/explanation/guarantees.md, Section 6)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Rows, Sums, Windows

STARVED = "destinations empty slots, so that other nodes may fill each one before it comes"


@dataclass(frozen=True)
class Slots(Analysis):
    """A slotted ring where no packet is refused."""

    slots: int | None
    """Slots on the ring; None: as many as there is room for."""
    header: int
    """Symbols of a slot's header."""
    room: int
    """Symbols for which a slot has room behind its header."""
    at_source: bool
    """Does the node that has filled a slot empty it? Else the destination of its packet does."""

    @property
    def _delay(self) -> FloatArray:
        """Cycles for which a slot stays at each node; shape (nodes,)."""
        return np.ones(self.flows.nodes)

    @cached_property
    def _spans(self) -> FloatArray:
        """The longest time for 1 slot to come, for 2 and so on, up to all of them; shape (slots,)."""
        flows = self.flows
        apart = -(-(self.header + self.room) // (int(flows.hops.min()) + 1))
        count = flows.nodes // apart if self.slots is None else self.slots
        # When a slot that begins at each node would be at the first one again.
        way = np.cumsum(np.concatenate([[0.0], flows.hops + self._delay]))
        begins = np.append(way[apart * np.arange(count)], way[-1])
        gaps = np.diff(begins)
        around = np.concatenate([[0.0], np.cumsum(np.tile(gaps, 2))])
        return np.array([np.max(around[few : few + count] - around[:count]) for few in range(1, count + 1)])

    def _until(self, slots: FloatArray) -> FloatArray:
        """Returns the longest time in which so many slots, at least 1, come to a node; shape of `slots`."""
        spans, there = self._spans, np.isfinite(slots)
        before = np.where(there, slots - 1, 0).astype(np.int64)
        turns, more = np.divmod(before, len(spans))
        return np.where(there, turns * spans[-1] + spans[more], np.inf)

    def awaited(self) -> list[str | None]:
        """Returns for each flow a sentence on what its packets wait for, where that has no end at some loads only."""
        return [None if self.at_source else STARVED] * self.flows.count

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows, sent, count, revolution = self.flows, bounds.sent, len(self._spans), float(self._spans[-1])

        def of_node(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, sent)
            first = kinds.sums(late, *kinds.packets_and_cycles_first)
            since = kinds.sums(sent, kinds.same_node.astype(np.float64), longer=revolution)
            return lambda rows: [*first(rows), *since(rows)]

        def others(kinds: Kinds) -> Compute:
            ahead = flows.ahead(kinds.node)
            full = (ahead > 0) & (self.at_source | (ahead <= flows.reach))
            of_nodes = kinds.sums_of_nodes(
                kinds.late(flows.jitter, sent), *kinds.lower_and_all(full.astype(np.float64))
            )

            def compute(rows: Rows, turns: FloatArray) -> Sums:
                lower, every = of_nodes(rows)
                most = np.minimum(every, turns[:, None]) if self.at_source else every
                share = np.divide(lower, every, out=np.zeros_like(lower), where=every > 0)
                return np.floor((share * most).sum(axis=1)), most.sum(axis=1)

            return compute

        once, passing = Once(flows, of_node), Once(flows, others)

        def held(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles, since = once(windows.of, window)
            packets, _ = windows.before(window, packets, cycles)
            sends = windows.first_packets(messages, packets)
            emptied = np.minimum(sends + count, since) - 1 if self.at_source else np.zeros_like(sends)
            lower, full = passing(windows.of, window, sends + count - 1)
            own = sends + np.maximum(emptied, 0)
            access = self._until(np.ones_like(own)) + self.header
            alone, all_but_lower, whole = self._until(own), self._until(own + full - lower), self._until(own + full)
            with np.errstate(invalid="ignore"):
                queue = alone - self._until(np.ones_like(own)) + windows.packet
                return queue, np.zeros_like(own), access, whole - all_but_lower, all_but_lower - alone

        parts, waited, window = longest_waits(flows, held, bounds.window)
        wait = self._delay
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)
