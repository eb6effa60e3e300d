"""Response times under RPR where no class is kept back (docs/explanation/guarantees.md, Section 7)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray, IntArray, NoBoundError, settled
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows

CLASS_A, CLASS_C = 2, 0
"""Priorities of these classes."""


@dataclass(frozen=True)
class TransitQueues(Analysis):
    """RPR on a ring without echoes, where no packet is lost at a receiver."""

    transit_queue: int
    """Symbols of the secondary transit queue."""
    congested: int
    """Symbols in it above which a node is congested."""
    interval: int
    """Cycles of an aging interval."""
    shares: tuple[int, int]
    """Symbols of classes A and B that a node may send in each interval without being restricted."""
    message: int
    """Symbols of a fairness message."""
    longest_interval: int
    """Most cycles that an aging interval may have."""

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones.

        Raises:
            NoBoundError: a shaper or fairness may keep a class back.
        """
        flows, sent = self.flows, bounds.sent
        # What passes a node has waited at nodes before, no longer than on its whole way round.
        around = np.maximum(bounds.returned - flows.revolution - flows.symbols, 0.0)
        passed = sent + around
        stretch, filled = self._stretches(sent, passed)
        self._check_unrestricted(sent, filled)
        primary = self._in_primary(passed)
        # A packet of lower priority may begin before what is in the transit queue, as much as the node itself has sent.
        lower = flows.longest_lower
        blocking = np.where(lower > 0, lower + np.minimum(filled, self.transit_queue)[flows.source], 0.0)

        def held(kinds: Kinds) -> Compute:
            late = kinds.late(flows.jitter, passed)
            return kinds.sums(late, *kinds.packets_and_cycles_first, *kinds.lower_and_all(kinds.on_link))

        once = Once(flows, held)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles, low, passing = once(windows.of, window)
            own = windows.first_cycles(messages, windows.before(window, packets, cycles)[1])
            access = 1 + self._messages(window)
            return own, blocking[windows.of], access, low, passing - low

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        transit = np.where(self._of_a, flows.transit(primary), flows.transit(stretch))
        returned = np.where(self._of_a, flows.returned(primary), flows.returned(stretch))
        return Bounds(*parts, transit, returned, waited, window)

    @cached_property
    def _of_a(self) -> BoolArray:
        """True for flows of class A."""
        return np.asarray(self.flows.priority >= CLASS_A)

    @cached_property
    def _message_time(self) -> float:
        """Longest time of a fairness message round the ring: at each node it waits for a packet and for that node's own
        message.

        Raises:
            NoBoundError: it may be longer than an interval.
        """
        flows = self.flows
        longest = int(flows.packet.max(initial=0))
        time = flows.revolution + flows.nodes * (longest + 2 * (self.message + 1) + 2)
        if time >= self.interval:
            why = f"fairness messages may take {time} cycles round the ring, and an aging interval has {self.interval}"
            if time < self.longest_interval:
                raise NoBoundError(f"{why}; there is a bound with a longer flow_control.aging_interval")
            raise NoBoundError(f"{why}; none may have more than {self.longest_interval}")
        return float(time)

    def _messages(self, window: FloatArray) -> FloatArray:
        """Returns the most cycles that fairness messages take of a link in windows."""
        generations = np.floor((window + self._message_time + 1) / self.interval) + 1
        return np.asarray(self.flows.nodes * (self.message + 1) * generations)

    def _stretches(self, sent: FloatArray, passed: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the longest time for which each node's transit queues are not empty, and the most cycles of what the
        node itself has sent in that; shape (nodes,) each."""
        flows = self.flows
        nodes = np.arange(flows.nodes)
        own = flows.source == nodes[:, None]
        late = np.where(own, sent, passed)
        cycles = np.where(own, flows.packet, flows.on_links(nodes))
        begun = flows.longest_sent

        def busy(window: FloatArray, these: IntArray) -> FloatArray:
            released = _counted(flows.released(window, late[these]), cycles[these])
            return np.asarray(begun[these] + released + self._messages(window))

        lasting = settled(busy, np.ones(flows.nodes), farthest=flows.farthest)
        finite = np.where(np.isfinite(lasting), lasting, 0.0)
        of_own = _counted(flows.released(finite, late), np.where(own, cycles, 0.0))
        filled = np.where(np.isfinite(lasting), begun + of_own + self._messages(finite), np.inf)
        return lasting, filled

    def _in_primary(self, passed: FloatArray) -> FloatArray:
        """Returns the longest time of a packet of class A in each node's primary queue, behind a packet that has begun
        and fairness messages; shape (nodes,)."""
        longest = np.full(self.flows.nodes, float(self.flows.packet.max(initial=0)))

        def waits(window: FloatArray, these: IntArray) -> FloatArray:
            return np.asarray(longest[these] + self._messages(window))

        return settled(waits, longest, farthest=self.flows.farthest)

    def _check_unrestricted(self, sent: FloatArray, filled: FloatArray) -> None:
        """Raises NoBoundError if a shaper or fairness may keep a packet back."""
        flows = self.flows
        symbols = flows.released(np.full(1, float(self.interval)), sent[None, :])[0] * flows.symbols
        of_b = ~self._of_a & (flows.priority != CLASS_C)
        in_interval = [
            np.bincount(flows.source[which], np.minimum(symbols[which], 1e300), flows.nodes)
            for which in (self._of_a, of_b)
        ]
        for name, which, most, share in zip("ab", (self._of_a, of_b), in_interval, self.shares, strict=True):
            if name == "a" and which.any() and most.max() > share:
                raise NoBoundError(
                    f"a node may have {_told(most.max())} symbols of class A for an aging interval, and flow_control."
                    f"class_a lets {share} through; there is a bound where it lets all of them through"
                )
        restricted = np.zeros(flows.nodes) if in_interval[1].max() <= self.shares[1] else in_interval[1]
        of_c = flows.priority == CLASS_C
        restricted = restricted + np.bincount(flows.source[of_c], np.minimum(symbols[of_c], 1e300), flows.nodes)
        if not restricted.any():
            return
        if filled.max() > self.congested:
            raise NoBoundError(
                f"the transit queue may hold {_told(filled.max())} symbols and is congested above {self.congested}, "
                "flow_control.low_threshold, when fairness restricts class C, and class B beyond its share; there is a "
                "bound where a node is never congested, or for classes A and B within their shares alone"
            )
        if restricted.max() >= self.interval:
            raise NoBoundError("a node may have more to send of classes B and C than its link carries")


def _counted(released: FloatArray, cycles: FloatArray) -> FloatArray:
    """Returns the cycles of packets; what takes none counts none, however many there are."""
    return np.asarray(np.where(cycles > 0, released * cycles, 0.0).sum(axis=1))


def _told(number: float) -> str:
    """Returns a number of symbols in words."""
    return f"{number:z.0f}" if number < 1e15 else "ever more"
