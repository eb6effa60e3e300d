"""Response times of synchronous packets on a timed token ring (docs/explanation/guarantees.md, Section 6)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Windows

ASYNCHRONOUS = "an asynchronous packet waits for a token that is early, and nothing bounds how long"

TOO_LONG = "flow_control.synchronous is less than the longest synchronous packet of its node takes, with its idle"


@dataclass(frozen=True)
class TimedTokens(Analysis):
    """A timed token ring where no packet is refused."""

    target: int
    """Target rotation time, in cycles: TTRT."""
    shares: tuple[int, ...]
    """Symbols of synchronous packets that each node may send with each token."""
    synchronous_priority: int
    """The least priority that is not asynchronous."""

    @property
    def _synchronous(self) -> BoolArray:
        """True for flows of the synchronous priority."""
        return np.asarray(self.flows.priority >= self.synchronous_priority)

    @property
    def _longest(self) -> FloatArray:
        """Cycles of the longest synchronous packet of each node; shape (nodes,)."""
        flows, those = self.flows, self._synchronous
        longest = np.zeros(flows.nodes)
        np.maximum.at(longest, flows.source[those], flows.packet[those])
        return longest

    @property
    def _fits(self) -> BoolArray:
        """True for flows of nodes whose share has room for each of their synchronous packets: one that is longer keeps
        back those behind it."""
        return np.asarray((self._longest <= np.array(self.shares))[self.flows.source])

    def unbounded(self) -> list[str | None]:
        """Returns for each flow why it has no bound at any load; None: there may be one."""
        pairs = zip(self._synchronous.tolist(), self._fits.tolist(), strict=True)
        return [ASYNCHRONOUS if not synchronous else None if fits else TOO_LONG for synchronous, fits in pairs]

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows, bounded = self.flows, self._synchronous & self._fits
        shares = np.array(self.shares, dtype=np.float64)
        # Packets of the node that go with each token, if so many wait.
        each = np.maximum(np.floor(shares / np.maximum(self._longest, 1)), 1)[flows.source]
        share = shares[flows.source]
        # Of a node only synchronous packets go before one of them.
        sent = np.where(bounded, bounds.sent, 0.0)

        def first(kinds: Kinds) -> Compute:
            packets, cycles = kinds.packets_and_cycles_first
            return kinds.sums(kinds.late(flows.jitter, sent), packets * bounded, cycles * bounded)

        once = Once(flows, first)

        def held(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles = windows.before(window, *once(windows.of, window))
            visits = np.ceil(windows.first_packets(messages, packets) / each[windows.of])
            own = np.minimum(windows.first_cycles(messages, cycles), share[windows.of])
            access = np.where(bounded[windows.of], (visits + 1) * self.target, np.inf)
            nothing = np.zeros_like(own)
            return own, nothing, access, nothing, nothing

        parts, waited, window = longest_waits(flows, held, bounds.window)
        # Bypass FIFOs are empty: no other node sends.
        free = np.zeros(flows.nodes)
        return Bounds(*parts, flows.transit(free), flows.returned(free), waited, window)
