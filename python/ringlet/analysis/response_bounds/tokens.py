"""Response times on a token ring (docs/explanation/guarantees.md, Section 6)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.known_windows import Held, KnownWindows, Waits
from ringlet.analysis.response_bounds.offsets import Releases, Schedule
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray, RingFlows, settled
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Rows, Sums, Windows


def empty_rotation(flows: RingFlows, token: int) -> int:
    """Returns the longest time of a token of so many symbols once round a ring on which nothing is sent.

    A node acts on its first symbol, behind an idle, and another one may be on its way. On a very short ring it may be
    back before all of it has left a node.
    """
    return flows.revolution + flows.nodes * (2 + max(0, token + 1 - flows.revolution))


def sent_for_a_token(flows: RingFlows, empty: int, each: FloatArray, most: FloatArray) -> tuple[float, FloatArray]:
    """Returns the longest rotation of a token, and the cycles for which each node keeps it at most, shape (nodes,): a
    node that may send all that is released between two of its tokens leaves nothing behind.

    Args:
        flows: of the ring.
        empty: cycles of a rotation in which nothing is sent.
        each: cycles for which a packet of each flow keeps the token; shape (flows,).
        most: packets that each node may send for a token at least; shape (nodes,).
    """
    longest = np.zeros(flows.nodes)
    np.maximum.at(longest, flows.source, each)

    def kept(rotation: float) -> FloatArray:
        released = flows.released(np.full(1, rotation), flows.jitter[None, :])[0]
        packets, cycles = (np.bincount(flows.source, one, flows.nodes) for one in (released, released * each))
        return np.where(packets <= most, cycles, most * longest)

    def step(rotation: FloatArray, _: IntArray) -> FloatArray:
        return np.asarray([empty + kept(float(rotation[0])).sum()])

    rotation = float(settled(step, np.full(1, float(empty)), farthest=flows.farthest)[0])
    return rotation, kept(rotation) if np.isfinite(rotation) else most * longest


@dataclass(frozen=True)
class Tokens(Analysis):
    """A token ring where no packet is refused."""

    token: int
    """Symbols of the token."""
    quota: int
    """Packets that a node sends for a token."""
    release: str
    """Moment at which a node sends the token on: `early`, `header` or `returned`."""

    def at_offsets(self, schedule: Schedule) -> Releases:
        """Returns the releases: what may be sent before a token comes is known."""
        rotation = empty_rotation(self.flows, self.token)
        return KnownWindows(
            self.flows,
            schedule,
            lambda late: _KnownTokens(self.flows, late, rotation, self.quota, self._kept, self._with_each),
        )

    @property
    def _kept(self) -> int:
        """Cycles for which a packet keeps the token at most, beside those that the link takes for it."""
        flows = self.flows
        if self.release == "returned":
            return flows.revolution + 2
        # The header has come round so many cycles after the idle before its packet, or before the idle behind it.
        header = flows.revolution + self.token
        return max(0, header - int(flows.packet.min(initial=header))) if self.release == "header" else 0

    @cached_property
    def _with_each(self) -> FloatArray:
        """Cycles for which each node keeps the token at most; shape (nodes,)."""
        flows, empty = self.flows, empty_rotation(self.flows, self.token)
        each, most = (flows.packet + self._kept).astype(float), np.full(flows.nodes, float(self.quota))
        return sent_for_a_token(flows, empty, each, most)[1]

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        revolution = empty_rotation(flows, self.token)
        # What a packet keeps the token for.
        kept = self._kept
        each = (flows.packet + kept).astype(float)
        with_each = self._with_each
        sent = bounds.sent
        blocking = np.where(flows.longest_lower > 0, flows.longest_lower + kept, 0.0)

        def first(kinds: Kinds) -> Compute:
            return kinds.sums(kinds.late(flows.jitter, sent), *kinds.packets_and_cycles_first)

        def passes(kinds: Kinds) -> Compute:
            of_nodes = kinds.sums_of_nodes(kinds.late(flows.jitter, sent), *kinds.lower_and_all(each))

            def compute(rows: Rows, visits: FloatArray) -> Sums:
                lower, every = of_nodes(rows)
                # A node sends no more with each of the visits than it has had since the one before, and its share.
                most = visits[:, None] * with_each[None, :]
                passing = np.minimum(every, most)
                share = np.divide(lower, every, out=np.zeros_like(lower), where=every > 0)
                return np.floor((share * passing).sum(axis=1)), passing.sum(axis=1)

            return compute

        once_first, once_passing = Once(flows, first), Once(flows, passes)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            packets, cycles = windows.before(window, *once_first(windows.of, window))
            ahead = windows.first_packets(messages, packets)
            own = windows.first_cycles(messages, cycles) + kept * ahead
            visits = np.ceil(ahead / self.quota)
            lower, passing = once_passing(windows.of, window, visits)
            # The first one begins when the token left the node before, or leaves it when it is there.
            access = visits * revolution
            return own, blocking[windows.of], access, lower, passing - lower

        parts, waited, window = longest_waits(flows, shares, bounds.window)
        # Bypass FIFOs are empty: no other node sends.
        free = np.zeros(flows.nodes)
        return Bounds(*parts, flows.transit(free), flows.returned(free), waited, window)


@dataclass(frozen=True)
class _KnownTokens(Waits):
    """Windows that begin with a known release."""

    rotation: int
    """Longest time of the token round an empty ring."""
    quota: int
    """Packets that a node sends for a token."""
    kept: int
    """Cycles for which a packet keeps the token beside those that the link takes for it."""
    with_each: FloatArray
    """Cycles for which each node keeps the token at most; shape (nodes,)."""

    def counts(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Returns the times between which a packet keeps the token."""
        return np.zeros(self.flows.count), (self.flows.packet + self.kept).astype(np.float64)

    def weights(self, node: int) -> FloatArray:
        """Returns how long the packets of each other node keep the token; those of all others first."""
        flows = self.flows
        each = np.where(flows.source == node, 0.0, flows.packet + self.kept)
        return np.stack([each, *(np.where(flows.source == one, each, 0.0) for one in flows.senders)])

    def held(self, node: int, window: FloatArray, packets: FloatArray, cycles: FloatArray, sums: FloatArray) -> Held:
        """Returns what windows hold: as `Tokens.improved`."""
        visits = np.ceil(packets / self.quota)
        most = visits[None, :] * self.with_each[self.flows.senders][:, None]
        passing = np.minimum(sums[1:], most).sum(axis=0)
        return cycles + self.kept * packets, visits * self.rotation, passing

    @cached_property
    def blocking(self) -> tuple[FloatArray, FloatArray]:
        """A packet of lower priority that keeps the token."""
        lower = self.flows.longest_lower
        return np.where(lower > 0, lower + self.kept, 0.0), (self.flows.packet + self.kept).astype(np.float64)

    @cached_property
    def transit(self) -> FloatArray:
        """Time to the destination: bypass FIFOs are empty."""
        return self.flows.transit(np.zeros(self.flows.nodes))
