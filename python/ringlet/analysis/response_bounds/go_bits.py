"""Response times under SCI's go bit (docs/explanation/guarantees.md, Section 4)."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.known_windows import Held, KnownWindows, Waits
from ringlet.analysis.response_bounds.offsets import Releases
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray, settled
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows


@dataclass(frozen=True)
class GoBits(Analysis):
    """SCI with one go bit on a ring where no packet is refused."""

    offers: ClassVar[bool] = False
    survives: ClassVar[bool] = True

    def at_offsets(self, offset: IntArray) -> Releases:
        """Returns the releases: how long each packet may delay go bits is bounded."""
        return KnownWindows(self.flows, offset, lambda late: _KnownGoBits(self.flows, late, self.around(late)))

    def around(self, sent: FloatArray) -> float:
        """Returns the longest time for which a packet may delay go bits: on its way, its echo on the way back, and
        while its node still drains.

        Args:
            sent: longest time from a release until its last packet begins to be sent; shape (flows,).
        """
        wait = self.flows.longest_sent
        drain = self._longest_drain(sent, wait)
        return float(wait.sum() + self.flows.revolution + wait.max(initial=0.0) + drain)

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait = flows.longest_sent
        sent = bounds.sent
        ring = flows.revolution
        around = self.around(sent)
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


@dataclass(frozen=True)
class _KnownGoBits(Waits):
    """Windows that begin with a known release."""

    last: ClassVar[int] = 2

    around: float
    """Longest time for which a packet may delay go bits."""

    def counts(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Returns the times between which a packet may delay a go bit, wherever it is."""
        return np.zeros(self.flows.count), np.full(self.flows.count, self.around)

    def weights(self, node: int) -> FloatArray:
        """Returns what packets cost before the node, and behind it."""
        flows = self.flows
        return np.stack([np.where(flows.source == node, 0.0, flows.packet), flows.on_links(np.array([node]))[0]])

    def held(self, node: int, window: FloatArray, packets: FloatArray, cycles: FloatArray, sums: FloatArray) -> Held:
        """Returns what windows hold: as `GoBits.improved`."""
        before, behind = sums
        return 2 * cycles, self.flows.revolution * packets + 1, before + np.where(packets > 1, behind, 0.0)

    @cached_property
    def blocking(self) -> tuple[FloatArray, FloatArray]:
        """A packet of lower priority, and the go bit for the next one."""
        return 2 * self.flows.longest_lower, np.full(self.flows.count, self.around)

    @cached_property
    def transit(self) -> FloatArray:
        """Time to the destination, a packet of each node between."""
        return self.flows.transit(self.flows.longest_sent)
