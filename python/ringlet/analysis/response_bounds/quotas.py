"""Response times on a MetaRing (docs/explanation/guarantees.md, Section 7)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.known_windows import Held, KnownWindows, Waits
from ringlet.analysis.response_bounds.offsets import Releases, Schedule
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray, NoBoundError, settled
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows


@dataclass(frozen=True)
class Quotas(Analysis):
    """A MetaRing where no packet is refused."""

    sat: int
    """Symbols of the SAT."""
    most: int
    """Packets that a node may send between two visits of the SAT: k."""
    least: int
    """Packets without which a node that has more to send keeps the SAT: l."""
    timeout: int | None = None
    """Cycles since the SAT has left a node after which it makes another one; None: it never does."""

    def at_offsets(self, schedule: Schedule) -> Releases:
        """Returns the releases: what passes a node is known, and how often the SAT comes is bounded."""
        return KnownWindows(self.flows, schedule, lambda late: _KnownQuotas(self.flows, late, self))

    def waits(self) -> FloatArray:
        """Returns the longest time in each node's bypass FIFO; shape (nodes,)."""
        longest, passes = self.flows.longest_sent, self.sat + 1
        return np.where(longest > 0, longest + passes, 0.0) + passes

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones.

        Raises:
            NoBoundError: a SAT may be taken for lost.
        """
        flows = self.flows
        passes = self.sat + 1
        wait = self.waits()
        sent = bounds.sent
        rotation = self.rotation(sent, wait)
        if self.timeout is not None and np.isfinite(rotation) and rotation >= self.timeout:
            raise NoBoundError(
                f"the SAT may take {math.ceil(rotation)} cycles to come back, and flow_control.sat_timeout lets a node "
                f"make another one after {self.timeout}; there is a bound with a longer one, or without"
            )
        # Each node takes the SAT in, and sends it on a cycle later or more.
        apart = flows.revolution + flows.nodes

        def held(kinds: Kinds) -> Compute:
            late, of_node = kinds.late(flows.jitter, sent, wait), kinds.same_node.astype(np.float64)
            passing = kinds.lower_and_all(kinds.on_link)
            summed = kinds.sums(late, *kinds.packets_and_cycles_first, *passing, np.sign(passing[1]))
            # All that the node has sent since the SAT left it, and what it sends now.
            since = kinds.sums(sent, of_node, longer=rotation)
            return lambda rows: [*summed(rows), *since(rows)]

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles, lower, passing, passed, used = once(windows.of, window)
            packets, cycles = windows.before(window, packets, cycles)
            ahead = windows.first_packets(messages, packets)
            visits = np.where(used <= self.most, 0.0, np.ceil((ahead + 1) / self.most))
            awaited = np.where(visits > 0, visits * rotation, 0.0)
            visited = np.floor(window / apart) + 2
            if apart > passes:
                # While its quota lasts the node emits without a pause: between two visits a packet, or an echo.
                visited = np.where(visits > 0, visited, np.minimum(visited, ahead + passed + 1))
            access = 1 + awaited + passes * visited
            own, blocking = windows.first_cycles(messages, cycles), flows.longest_lower[windows.of]
            return own, blocking, access, lower, passing - lower

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)

    def rotation(self, sent: FloatArray, wait: FloatArray) -> float:
        """Returns the longest time from when the SAT leaves a node until it is back.

        Each node may have to end a packet. Then it sends the packets without which it is not satisfied, and what passes
        it; its quota is not used up meanwhile.
        """
        flows = self.flows
        ended = flows.longest_sent[flows.senders]

        def passes(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, sent, wait)
            return kinds.sums(late, kinds.on_link)

        once = Once(flows, passes)

        def busy(window: FloatArray, senders: IntArray) -> FloatArray:
            passing = once(flows.of_senders[senders], window)[0]
            return np.asarray(ended[senders] * (self.least + 1) + self.sat + 2 + passing)

        held = settled(busy, np.zeros(len(ended)), farthest=flows.farthest)
        # At a node that sends nothing a packet may pass.
        longest = np.full(flows.nodes, flows.packet.max(initial=0) + self.sat + 2.0)
        np.maximum.at(longest, flows.senders, held)
        return float(flows.revolution + longest.sum())


@dataclass(frozen=True)
class _KnownQuotas(Waits):
    """Windows that begin with a known release."""

    ring: Quotas
    """The bounds for all phases."""

    @cached_property
    def _wait(self) -> FloatArray:
        return self.ring.waits()

    @cached_property
    def _rotation(self) -> float:
        """Longest time from when the SAT leaves a node until it is back."""
        return self.ring.rotation(self.late, self._wait)

    def counts(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Returns the times between which a packet, or its echo, comes by the node."""
        flows, here = self.flows, np.array([node])
        hops = np.concatenate([[0], np.cumsum(np.tile(flows.hops, 2))])
        least = (hops[flows.source + flows.ahead(here)[0]] - hops[flows.source]).astype(np.float64)
        return least, least + flows.waits_between(here, self._wait)[0] + self._wait[node] + flows.packet

    def weights(self, node: int) -> FloatArray:
        """Returns what packets of other nodes take of the link, and their number."""
        on_link = self.flows.on_links(np.array([node]))[0]
        return np.stack([on_link, np.sign(on_link)])

    def held(self, node: int, window: FloatArray, packets: FloatArray, cycles: FloatArray, sums: FloatArray) -> Held:
        """Returns what windows hold: as `Quotas.improved`, with a SAT more that the node has not yet sent on."""
        flows, passes = self.flows, self.ring.sat + 1
        passing, passed = sums
        used = np.where(flows.source == node, flows.released(window + self._rotation, self.late[None, :]), 0.0)
        waiting = used.sum(axis=1) > self.ring.most
        visited = np.floor(window / (flows.revolution + flows.nodes)) + 3
        if flows.revolution + flows.nodes > passes:
            visited = np.where(waiting, visited, np.minimum(visited, packets + passed + 2))
        rotations = np.where(waiting, np.ceil((packets + 1) / self.ring.most), 0.0)
        awaited = np.where(rotations > 0, rotations * self._rotation, 0.0)
        return cycles, 1 + awaited + passes * visited, passing

    @cached_property
    def blocking(self) -> tuple[FloatArray, FloatArray]:
        """A packet of lower priority, and what it has kept back, whenever that began."""
        return self.flows.longest_lower, np.full(self.flows.count, np.inf)

    @cached_property
    def transit(self) -> FloatArray:
        """Time to the destination, with what waits at each node between."""
        return self.flows.transit(self._wait)
