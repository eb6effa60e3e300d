"""Response times under SCI's go bit (docs/explanation/guarantees.md, Section 4)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, Windows, settled


@dataclass(frozen=True)
class GoBits(Analysis):
    """SCI with one go bit on a ring where no packet is refused."""

    offers: ClassVar[bool] = False

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait = flows.longest_sent
        sent = bounds.sent
        ring = flows.revolution
        drain = self._longest_drain(sent, wait)
        # A packet delays a go bit anywhere on its way, its echo on the way back, or while its node still drains.
        around = wait.sum() + ring + wait.max(initial=0.0) + drain
        late = np.where(flows.same_node, flows.jitter[None, :], sent[None, :] + around)
        blocking = 2 * flows.longest_lower

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            released = flows.released(window, late[windows.of])
            ahead = windows.first_packets(messages, released)
            # A packet delays one go bit before this node, and one behind it: if one is needed, the first is all.
            delays = flows.packet[None, :].astype(float) + np.where(ahead[:, None] > 1, windows.on_link, 0.0)
            passing = delays * windows.others(released)
            own, access = 2 * windows.first_cycles(messages, released) - windows.packet, ring * ahead + 1
            return own, blocking[windows.of], access, *windows.inversion_and_interference(passing)

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)

    def _longest_drain(self, sent: FloatArray, wait: FloatArray) -> float:
        """Returns the longest time from a node's own packet until its bypass FIFO is empty."""
        flows = self.flows
        late = np.where(flows.same_node, 0.0, sent[None, :] + flows.waits_between(wait))

        def busy(window: FloatArray) -> FloatArray:
            longest = flows.longest_sent[flows.source]
            return np.asarray(longest + (flows.on_link * flows.released(window, late)).sum(axis=1))

        return float(settled(busy, np.zeros(flows.count), farthest=flows.farthest).max(initial=0.0))
