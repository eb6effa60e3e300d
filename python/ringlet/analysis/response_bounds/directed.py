"""Response times under directed flow control, DFC (docs/explanation/guarantees.md, Section 3)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.offsets import Known, Releases, Schedule
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray, IntArray, settled
from ringlet.analysis.response_bounds.steps import Steps
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows

CHANGES = 2
"""Times that a packet changes its node's announcement: when it becomes head, and when it leaves."""


@dataclass(frozen=True)
class Directed(Analysis):
    """DFC on a ring where no input queue reaches its high water, and no announcement keeps anything back."""

    announces: bool
    """Do nodes announce the priority of what waits?"""
    control: int
    """Symbols of a control symbol."""
    high_water: int
    """Packets in an input queue from which on senders are stopped."""
    bypass: int
    """Symbols of the bypass FIFO."""

    def places(self, capacity: int | None) -> int | None:
        """Returns how many packets an input queue may hold before it stops a node; None: any."""
        return None if capacity is None else min(capacity, self.high_water - 1)

    def at_offsets(self, schedule: Schedule) -> Releases | None:
        """Returns the releases, without announcements, and where the bypass FIFO has space for one packet only."""
        return None if self.announces or self._short.any() else Known(self.flows, schedule)

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        sent = bounds.sent
        longest = float(np.max(bounds.arrived + bounds.window, initial=0.0))
        round_trip = self._round_trip(sent) if self.announces else 0.0
        wait, stretch = self._overtaken(bounds, round_trip)
        created = self._created(sent, round_trip)
        horizon = np.array([2 * longest + round_trip + stretch])
        delay = float(created(horizon)[0])
        # A packet of lower priority that is short may begin before what passes: then the bypass FIFO may be full.
        overtaking = flows.longest_of_lower(self._short.astype(np.float64)) > 0
        blocking = flows.longest_lower + np.where(overtaking, self.bypass, 0.0)

        def held(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, sent, wait, delay)
            summed = kinds.sums(late, *kinds.packets_and_cycles_first, *kinds.lower_and_all(kinds.on_link))
            return lambda rows: [*summed(rows), created(rows.window)]

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray, *, first: bool = False) -> Parts:
            packets, cycles, lower, passing, created = once(windows.of, window)
            own = windows.first_cycles(messages, windows.before(window, packets, cycles)[1])
            if first:
                lower, passing = windows.passing_first(lower, passing)
            access = np.ones(windows.count) + created
            return own, blocking[windows.of], access, lower, passing - lower

        # With control symbols what passes may be in the bypass FIFO, too.
        of_first = None if self.announces else partial(shares, first=True)
        parts, waited, window = longest_waits(flows, shares, bounds.window, of_first)
        return Bounds(*parts, flows.transit(wait) + delay, flows.returned(wait) + delay, waited, window)

    @property
    def _short(self) -> BoolArray:
        """True where a flow's packet has space in a bypass FIFO that is not empty; shape (flows,)."""
        return np.asarray(self.flows.packet < self.bypass)

    def _overtaken(self, bounds: Bounds, round_trip: float) -> tuple[FloatArray, float]:
        """Returns how long a packet waits in each node's bypass FIFO, shape (nodes,), and the longest time for which
        one is not empty: short packets of the node go before what waits there, and one of any length has begun."""
        flows = self.flows
        if not self._short.any():
            return flows.longest_sent, 0.0
        sent = bounds.sent
        # What passes a node has waited at nodes before, no longer than on its whole way round.
        around = np.maximum(bounds.returned - flows.revolution - flows.symbols, 0.0)
        created = self._created(sent, round_trip)
        begun, short = flows.longest_sent[flows.senders], np.where(self._short, flows.packet, 0)
        any_short = np.isin(flows.senders, flows.source[self._short])

        def held(kinds: Kinds) -> Compute:
            late = kinds.late(sent, sent + around)
            summed = kinds.sums(late, np.where(kinds.same_node, short, 0.0), kinds.on_link)
            return lambda rows: [*summed(rows), created(rows.window)]

        once = Once(flows, held)

        def busy(window: FloatArray, senders: IntArray) -> FloatArray:
            first, passing, created = once(flows.of_senders[senders], window)
            return np.asarray(begun[senders] + first + passing + created)

        lasting = settled(busy, np.zeros(len(begun)), farthest=flows.farthest)
        wait = np.zeros(flows.nodes)
        first = begun + once(flows.of_senders, lasting)[0]
        wait[flows.senders] = np.where(any_short, first, begun)
        return wait, float(lasting.max(initial=0.0))

    def _created(self, sent: FloatArray, round_trip: float) -> Callable[[FloatArray], FloatArray]:
        """Returns what gives the most symbols of announcements that pass a node in windows of so many cycles."""
        if not self.announces:
            return np.zeros_like
        symbols = np.full((1, self.flows.count), float(self.control * CHANGES))
        steps = Steps(self.flows, sent + round_trip, symbols)
        return lambda window: steps(window)[0]

    def _round_trip(self, sent: FloatArray) -> float:
        """Returns the longest time that a control symbol takes once round the ring: at each node behind one packet and
        the control symbols before it."""
        flows = self.flows
        alone = flows.revolution + flows.nodes * flows.packet.max(initial=0)
        time = float(alone)
        for _ in range(1000):
            after = alone + float(self._created(sent, time)(np.array([time]))[0])
            if after <= time or not np.isfinite(after) or after > flows.farthest:
                return time if after <= time else float("inf")
            time = after
        return float("inf")
