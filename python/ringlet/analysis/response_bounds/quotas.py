"""Response times on a MetaRing (docs/explanation/guarantees.md, Section 7)."""

import math
from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
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

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones.

        Raises:
            NoBoundError: a SAT may be taken for lost.
        """
        flows = self.flows
        passes = self.sat + 1
        wait = np.where(flows.longest_sent > 0, flows.longest_sent + passes, 0.0) + passes
        sent = bounds.sent
        rotation = self._rotation(sent, wait)
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

    def _rotation(self, sent: FloatArray, wait: FloatArray) -> float:
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
