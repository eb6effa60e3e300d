"""Response times under SCI's go bit (docs/explanation/guarantees.md, Section 4)."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.known_windows import Held, KnownWindows, Waits
from ringlet.analysis.response_bounds.offsets import Releases, Schedule
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows


@dataclass(frozen=True)
class GoBits(Analysis):
    """SCI with one go bit on a ring where no packet is refused."""

    offers: ClassVar[bool] = False
    survives: ClassVar[bool] = True

    def at_offsets(self, schedule: Schedule) -> Releases:
        """Returns the releases: how long each packet is under way is bounded."""
        return KnownWindows(self.flows, schedule, lambda late: _KnownGoBits(self.flows, late, self))

    def around(self) -> float:
        """Returns the longest time from when a packet begins to be sent until all of its echo is back."""
        wait = self.flows.longest_sent
        return float(wait.sum() + self.flows.revolution + wait.max(initial=0.0))

    def beside(self, packets: FloatArray, echoes: FloatArray) -> FloatArray:
        """Returns the cycles of echoes that may count besides their packets, in windows with so many own packets and so
        many cycles of echoes: the go bits go round once less then."""
        return np.where(packets > 1, np.maximum(echoes - self.flows.revolution, 0), 0)

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        wait, ring, around = flows.longest_sent, flows.revolution, self.around()
        # Longest time from when a message is due until the echoes of its packets are back.
        alive = bounds.sent + around
        before, before_lower = self._sent_before(alive)
        most_before = around + wait[flows.source]

        def held(kinds: Kinds) -> Compute:
            packets, cycles = kinds.packets_and_cycles_first
            released = kinds.sums(flows.jitter, packets, cycles)
            weights = kinds.lower_and_all(flows.packet.astype(np.float64))
            echo = kinds.lower_and_all(np.full(flows.count, float(flows.echo)))[1]
            under_way = kinds.sums(alive, cycles, *weights, echo)
            return lambda rows: (*released(rows), *under_way(rows))

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            of = windows.of
            packets, cycles, own_under_way, lower, passing, echoes = once(of, window)
            packets, cycles = windows.before(window, packets, cycles)
            same = (np.floor((window + alive[of] + 1) / flows.period[of]) + 1) * windows.packets * windows.packet
            # Endless windows have no difference.
            others = np.nan_to_num(own_under_way - same - cycles, nan=np.inf)
            earlier = np.minimum(others + before[of] * windows.packet + before_lower[of], most_before[of])
            own = windows.first_cycles(messages, cycles) + earlier
            sent = windows.first_packets(messages, packets) + flows.lost
            passing = passing + flows.sent_again + self.beside(sent, echoes + flows.lost * flows.echo)
            return own, np.zeros(windows.count), ring * sent + 1, lower, passing - lower

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        return Bounds(*parts, flows.transit(wait), flows.returned(wait), waited, window)

    def _sent_before(self, alive: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns what the node of each flow has sent before a window of it begins, and is still under way then: the
        packets of the flow itself, and the cycles of lower priorities, one of which may have just begun.

        Args:
            alive: longest time from when a message is due until the echoes of its packets are back; shape (flows,).
        """
        flows = self.flows
        messages = np.floor((alive + 1) / flows.period)
        # A window that another flow begins, or a packet that is sent again, may begin before any message of the flow
        # itself is due.
        later = flows.has_others_first | (flows.longest_lower > 0) | (flows.spacing > 0) | (flows.lost > 0)
        cycles = (messages + 1) * flows.packets * flows.packet
        # No more are under way than a node sends in that time, so that what is endless counts as that.
        most = self.around() + flows.longest_sent.max(initial=0.0)
        of_kind = np.bincount(flows.kind, np.minimum(cycles, most), len(flows.kind_node))
        below = np.cumsum(of_kind) - of_kind
        of_lower = below - below[np.searchsorted(flows.kind_node, flows.kind_node)]
        return (messages + later) * flows.packets, of_lower[flows.kind]


@dataclass(frozen=True)
class OfferedGoBits(GoBits):
    """PPQ with one priority: a ring of SCI, whose ports offer their packets two at a time; of losses nothing is
    proven."""

    offers: ClassVar[bool] = True
    survives: ClassVar[bool] = False


@dataclass(frozen=True)
class _KnownGoBits(Waits):
    """Windows that begin with a known release."""

    go_bits: GoBits
    """Analysis of the same in all phases."""

    def counts(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Returns the times between which a packet may delay a go bit, wherever it is."""
        return np.zeros(self.flows.count), np.full(self.flows.count, self.go_bits.around())

    def weights(self, node: int) -> FloatArray:
        """Returns what packets of other nodes cost, and their echoes."""
        return np.where(
            self.flows.source == node, 0, np.stack([self.flows.packet, np.full(self.flows.count, self.flows.echo)])
        )

    def held(self, node: int, window: FloatArray, packets: FloatArray, cycles: FloatArray, sums: FloatArray) -> Held:
        """Returns what windows hold: as `GoBits.improved`."""
        return cycles, self.flows.revolution * packets + 1, sums[0] + self.go_bits.beside(packets, sums[1])

    @cached_property
    def blocking(self) -> tuple[FloatArray, FloatArray]:
        """None: of its node all packets count that are under way."""
        return np.zeros(self.flows.count), np.zeros(self.flows.count)

    def under_way(self, node: int) -> tuple[FloatArray, float]:
        """Returns how long each packet is under way, and the most cycles that those of the node may take."""
        return np.full(self.flows.count, self.go_bits.around()), self.go_bits.around() + float(
            self.flows.longest_sent[node]
        )

    @cached_property
    def transit(self) -> FloatArray:
        """Time to the destination, a packet of each node between."""
        return self.flows.transit(self.flows.longest_sent)
