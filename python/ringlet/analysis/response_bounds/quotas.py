"""Response times on a MetaRing (docs/explanation/guarantees.md, Section 7)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, Windows, settled


@dataclass(frozen=True)
class Quotas(Analysis):
    """A MetaRing where no packet is refused."""

    sat: int
    """Symbols of the SAT."""
    most: int
    """Packets that a node may send between two visits of the SAT: k."""
    least: int
    """Packets without which a node that has more to send keeps the SAT: l."""

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        passes = self.sat + 1
        wait = np.where(flows.longest_sent > 0, flows.longest_sent + passes, 0.0) + passes
        sent = bounds.sent
        late = np.where(flows.same_node, flows.jitter[None, :], sent[None, :] + flows.waits_between(wait))
        rotation = self._rotation(late)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            released = flows.released(window, late[windows.of])
            ahead = windows.first_packets(messages, released)
            # All that the node has sent since the SAT left it, and what it sends now.
            since = flows.released(window + rotation, sent[None, :])
            used = np.where(windows.same_node, since, 0.0).sum(axis=1)
            visits = np.where(used <= self.most, 0.0, np.ceil((ahead + 1) / self.most))
            awaited = np.where(visits > 0, visits * rotation, 0.0)
            access = 1 + awaited + passes * (np.floor(window / flows.revolution) + 2)
            passing = windows.on_link * windows.others(released)
            own, blocking = windows.first_cycles(messages, released), flows.longest_lower[windows.of]
            return own, blocking, access, *windows.inversion_and_interference(passing)

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)

    def _rotation(self, late: FloatArray) -> float:
        """Returns the longest time from when the SAT leaves a node until it is back.

        Each node may have to end a packet. Then it sends the packets without which it is not satisfied, and what passes
        it; its quota is not used up meanwhile.
        """
        flows = self.flows
        ended = flows.longest_sent[flows.source]

        def busy(window: FloatArray) -> FloatArray:
            released = np.where(flows.same_node, 0.0, flows.released(window, late))
            passing = (flows.on_link * released).sum(axis=1)
            return np.asarray(ended * (self.least + 1) + self.sat + 2 + passing)

        held = settled(busy, np.zeros(flows.count), farthest=flows.farthest)
        # At a node that sends nothing a packet may pass.
        longest = np.full(flows.nodes, flows.packet.max(initial=0) + self.sat + 2.0)
        np.maximum.at(longest, flows.source, held)
        return float(flows.revolution + longest.sum())
