"""Response times under SCI's go bit (docs/explanation/guarantees.md, Section 4)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray, settled
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows


@dataclass(frozen=True)
class GoBits(Analysis):
    """SCI with one go bit on a ring where no packet is refused."""

    offers: ClassVar[bool] = False
    survives: ClassVar[bool] = True

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait = flows.longest_sent
        sent = bounds.sent
        ring = flows.revolution
        drain = self._longest_drain(sent, wait)
        # A packet delays a go bit anywhere on its way, its echo on the way back, or while its node still drains.
        around = wait.sum() + ring + wait.max(initial=0.0) + drain
        blocking = 2 * flows.longest_lower

        def held(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, sent + around)
            before, behind = kinds.lower_and_all(flows.packet.astype(np.float64)), kinds.lower_and_all(kinds.on_link)
            weights = *kinds.packets_and_cycles_first, *before, *behind
            return kinds.sums(late, *weights)

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles, lower, passing, lower_behind, behind = once(windows.of, window)
            packets, cycles = windows.before(window, packets, cycles)
            ahead = windows.first_packets(messages, packets)
            # A packet delays one go bit before this node, and one behind it: if one is needed, the first is all.
            several = ahead + flows.lost > 1
            lower = lower + np.where(several, lower_behind, 0.0)
            passing = passing + np.where(several, behind, 0.0)
            # What is sent again may be of this node, and then needs a go bit, too.
            own, access = 2 * windows.first_cycles(messages, cycles) - windows.packet, ring * (ahead + flows.lost) + 1
            return own, blocking[windows.of], access, lower, passing - lower + 2 * flows.sent_again

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)

    def _longest_drain(self, sent: FloatArray, wait: FloatArray) -> float:
        """Returns the longest time from a node's own packet until its bypass FIFO is empty."""
        flows = self.flows
        nothing = np.zeros(flows.count)

        def passing(kinds: Kinds) -> Compute:
            late = kinds.late(nothing, sent, wait)
            return kinds.sums(late, kinds.on_link)

        once = Once(flows, passing)

        def busy(window: FloatArray, senders: IntArray) -> FloatArray:
            begun = flows.longest_sent[flows.senders[senders]] + flows.sent_again
            return np.asarray(begun + once(flows.of_senders[senders], window)[0])

        return float(settled(busy, np.zeros(len(flows.senders)), farthest=flows.farthest).max(initial=0.0))
