"""Response times on a timed token ring (docs/explanation/guarantees.md, Section 6)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import BoolArray, Bounds, FloatArray, IntArray, settled
from ringlet.analysis.response_bounds.tokens import empty_rotation, sent_for_a_token
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Rows, Sums, Windows

EARLY = "an asynchronous packet waits for a token that is early"

NEVER_EARLY = f"{EARLY}, and on an empty ring none is early enough"

TOO_LONG = "flow_control.synchronous is less than the longest synchronous packet of its node takes, with its idle"


@dataclass(frozen=True)
class TimedTokens(Analysis):
    """A timed token ring where no packet is refused."""

    target: int
    """Target rotation time, in cycles: TTRT."""
    shares: tuple[int, ...]
    """Symbols of synchronous packets that each node may send with each token."""
    thresholds: tuple[int, ...]
    """Cycles that must be left of the target for a packet of each asynchronous priority to begin, from 0 on; higher
    priorities are synchronous."""
    token: int
    """Symbols of the token."""

    @property
    def _synchronous(self) -> BoolArray:
        """True for flows of a synchronous priority."""
        return np.asarray(self.flows.priority >= len(self.thresholds))

    def _longest(self, those: BoolArray) -> FloatArray:
        """Cycles of the longest packet of each node among those of some flows; shape (nodes,)."""
        flows = self.flows
        longest = np.zeros(flows.nodes)
        np.maximum.at(longest, flows.source[those], flows.packet[those])
        return longest

    @property
    def _fits(self) -> BoolArray:
        """True for flows of nodes whose share has room for each of their synchronous packets: one that is longer keeps
        back those behind it."""
        return np.asarray((self._longest(self._synchronous) <= np.array(self.shares))[self.flows.source])

    @property
    def _empty(self) -> int:
        """Cycles of a rotation in which nothing is sent."""
        return empty_rotation(self.flows, self.token)

    def _left(self, rotation: float) -> FloatArray:
        """Returns the cycles, above its threshold, that a token of this rotation leaves to each flow; infinite for
        synchronous ones. Shape (flows,)."""
        thresholds = np.append(np.array(self.thresholds, dtype=np.float64), -np.inf)
        return np.asarray(self.target - rotation - thresholds[np.minimum(self.flows.priority, len(thresholds) - 1)])

    def unbounded(self) -> list[str | None]:
        """Returns for each flow why it has no bound at any load; None: there may be one."""
        late = self._left(self._empty) <= 0
        pairs = zip(late.tolist(), self._fits.tolist(), strict=True)
        return [TOO_LONG if not fits else NEVER_EARLY if never else None for never, fits in pairs]

    def awaited(self) -> list[str | None]:
        """Returns for each flow a sentence on what its packets wait for, where that has no end at some loads only."""
        return [None if synchronous else EARLY for synchronous in self._synchronous.tolist()]

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones.

        Those by the target hold at any load, for synchronous packets; those by what is sent, for all, where every token
        is early. The lesser one of both counts.
        """
        by_target, by_sent = self._by_target(bounds), self._by_sent(bounds)
        lesser = by_target[0] <= by_sent[0]
        own, blocking, access, inversion, interference = (
            np.where(lesser, *pair) for pair in zip(by_target[1:6], by_sent[1:6], strict=True)
        )
        waited, window = (np.minimum(by_target[at], by_sent[at]) for at in (6, 7))
        # Bypass FIFOs are empty: no other node sends.
        free = np.zeros(self.flows.nodes)
        parts = own, blocking, access, inversion, interference
        return Bounds(*parts, self.flows.transit(free), self.flows.returned(free), waited, window)

    def _by_target(self, bounds: Bounds) -> tuple[FloatArray, ...]:
        """Returns how long after its release each flow's last packet begins, the parts of that, how long a packet waits
        and how long a window lasts, from the target rotation."""
        flows, bounded = self.flows, self._synchronous & self._fits
        # Packets of the node that go with each token, if so many wait.
        each, share = self._with_each_token(flows.source), np.array(self.shares, dtype=np.float64)[flows.source]
        # Only synchronous packets of a node go before one of them.
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

        return _flat(*longest_waits(flows, held, bounds.window))

    def _with_each_token(self, node: IntArray) -> FloatArray:
        """Returns how many synchronous packets of each node may go with each token at least."""
        longest = self._longest(self._synchronous)
        return np.asarray(np.maximum(np.floor(np.array(self.shares) / np.maximum(longest, 1)), 1)[node])

    def _by_sent(self, bounds: Bounds) -> tuple[FloatArray, ...]:
        """Returns the same as `_by_target` from what is sent in the rotations, where all end before the target."""
        flows, sent, synchronous = self.flows, bounds.sent, self._synchronous
        rotation, with_each = self._emptied()
        rotation = min(rotation, self._rotation(sent))
        left = self._left(rotation)
        bounded = self._fits & (left > 0) & np.isfinite(rotation)
        longest = np.maximum(self._longest(~synchronous), 1)[flows.source]
        asynchronous_each = np.floor(np.maximum(left - 1, 0) / longest) + 1
        synchronous_each = self._with_each_token(flows.source)
        # A node with synchronous packets for which its share has no room left goes on with others.
        goes_on = self._longest(synchronous) > 0

        def counted(kinds: Kinds) -> Compute:
            packets, cycles = kinds.packets_and_cycles_first
            first = kinds.sums(kinds.late(flows.jitter, sent), packets, cycles, packets * synchronous)
            before = kinds.same_node & (~kinds.lower | ~goes_on[kinds.node][:, None])
            passing = np.where(before, 0.0, flows.packet.astype(np.float64))
            late = np.broadcast_to(sent, passing.shape)
            others = kinds.sums_of_nodes(late, np.where(kinds.lower, passing, 0.0), passing)

            def compute(rows: Rows) -> Sums:
                lower, every = others(rows)
                return *first(rows), *lower.T, *every.T

            return compute

        once = Once(flows, counted)
        nodes = np.arange(flows.nodes)

        def held(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            of = windows.of
            packets, cycles, of_share, *of_nodes = once(of, window)
            of_lower, every = np.array(of_nodes).reshape(2, flows.nodes, -1)
            packets, cycles = windows.before(window, packets, cycles)
            ahead = windows.first_packets(messages, packets)
            of_share = np.where(synchronous[of], ahead, of_share)
            visits = np.ceil(of_share / synchronous_each[of]) + np.ceil((ahead - of_share) / asynchronous_each[of])
            access = np.where(bounded[of], visits * self._empty, np.inf)
            # Another node keeps each token no longer than for what it has had since the one before.
            most = np.where(nodes[:, None] == flows.source[of], np.inf, visits * with_each[:, None])
            passing = np.minimum(every, most).sum(axis=0)
            lower = np.minimum(of_lower.sum(axis=0), passing)
            return windows.first_cycles(messages, cycles), flows.longest_lower[of], access, lower, passing - lower

        return _flat(*longest_waits(flows, held, bounds.window))

    def _emptied(self) -> tuple[float, FloatArray]:
        """Returns the longest rotation, and the cycles for which each node keeps the token at most, shape (nodes,);
        infinite where a node might not send with one token all that is released between two."""
        flows, synchronous = self.flows, self._synchronous
        each = flows.packet.astype(np.float64)
        rotation, with_each = sent_for_a_token(flows, self._empty, each, np.full(flows.nodes, np.inf))
        if np.isfinite(rotation):
            released = flows.released(np.full(1, rotation), flows.jitter[None, :])[0]
            longest = np.maximum(self._longest(~synchronous), 1)[flows.source]
            left = self._left(rotation)
            asynchronous_each = np.where(left > 0, np.floor(np.maximum(left - 1, 0) / longest) + 1, 0)
            able = np.where(synchronous, self._with_each_token(flows.source), asynchronous_each)
            for those in (synchronous, ~synchronous):
                packets = np.bincount(flows.source[those], released[those], flows.nodes)
                if (packets[flows.source[those]] > able[those]).any():
                    break
            else:
                if bool(self._fits.all()):
                    return rotation, with_each
        return np.inf, np.full(flows.nodes, np.inf)

    def _rotation(self, sent: FloatArray) -> float:
        """Returns the longest time from when the token comes to a node until it is back, given how long after their
        release packets are sent at most."""
        flows = self.flows

        def takes(window: FloatArray, _: IntArray) -> FloatArray:
            return np.asarray(self._empty + (flows.released(window, sent[None, :]) * flows.packet).sum(axis=1))

        return float(settled(takes, np.full(1, float(self._empty)), farthest=float(self.target))[0])


def _flat(parts: Parts, waited: FloatArray, window: FloatArray) -> tuple[FloatArray, ...]:
    """Returns the sum of the parts, each part, and the others."""
    with np.errstate(invalid="ignore"):
        whole = sum(parts[1:], parts[0])
    return (np.where(np.isnan(whole), np.inf, whole), *parts, waited, window)
