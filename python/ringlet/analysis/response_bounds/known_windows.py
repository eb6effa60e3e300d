"""Windows that begin with a known release, under protocols whose nodes wait for more than what passes
(docs/explanation/guarantees.md, Lemma 27)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.offsets import MARGIN, Passing, Releases, Sum
from ringlet.analysis.response_bounds.ring import FloatArray, IntArray, RingFlows, settled

Held = tuple[FloatArray, FloatArray, FloatArray]
"""Cycles of the node's own packets, of what the protocol takes, and of packets of other nodes; shape (windows,)
each."""


@dataclass(frozen=True)
class Waits(ABC):
    """Windows of a protocol, and what they hold if no packet has been later than given; arrays: shape (flows,)."""

    flows: RingFlows
    late: FloatArray
    """Longest time from a release until its last packet begins to be sent."""

    @abstractmethod
    def counts(self, node: int) -> tuple[FloatArray, FloatArray]:
        """Returns from when on after its release, and until when after it begins to be sent, a packet of each flow may
        take something of a node's windows."""

    @abstractmethod
    def weights(self, node: int) -> FloatArray:
        """Returns what a packet of each flow adds to the sums from which `held` tells; shape (sums, flows)."""

    @abstractmethod
    def held(self, node: int, window: FloatArray, packets: FloatArray, cycles: FloatArray, sums: FloatArray) -> Held:
        """Returns what windows of a node hold.

        Args:
            node: whose windows they are.
            window: their lengths.
            packets: of the node that go before a window's last packet, and that one.
            cycles: that these take of the node's link.
            sums: over packets of other nodes, by `weights`; shape (sums, windows).
        """

    @property
    @abstractmethod
    def blocking(self) -> tuple[FloatArray, FloatArray]:
        """Cycles for which a packet of lower priority of the node keeps a flow back, and the time after it begins to be
        sent until it no longer does; the latter for each flow as the one that keeps back."""

    def under_way(self, node: int) -> tuple[FloatArray, float] | None:
        """Returns for how long packets of the node count that it has sent before a window, each from when it begins to
        be sent, and the most cycles that they may take; None: they do not count."""
        return None

    @property
    @abstractmethod
    def transit(self) -> FloatArray:
        """Time from the first symbol of a packet at the source to the last one at the destination."""


@dataclass(frozen=True)
class KnownWindows(Releases):
    """The releases of a ring under a protocol of which `waits` tells what its windows hold."""

    waits: Callable[[FloatArray], Waits]

    @cached_property
    def _cycles(self) -> FloatArray:
        """Cycles of a link that the packets of each release take."""
        return (self.flows.packets * self.flows.packet)[self.of].astype(np.float64)

    def _waits(self, waited: FloatArray) -> Waits:
        late = np.zeros(self.flows.count)
        np.maximum.at(late, self.of, waited)
        return self.waits(late)

    def _transit(self, waited: FloatArray) -> FloatArray:
        return self._waits(waited).transit[self.of]

    def _improved(self, waited: FloatArray, late: FloatArray) -> tuple[FloatArray, FloatArray]:
        found, parts = np.zeros(len(self.of)), np.zeros((5, len(self.of)))
        waits = self._waits(waited)
        if not all(np.isfinite(one).all() for node in self.flows.senders.tolist() for one in waits.counts(node)):
            return np.full(len(self.of), np.inf), parts
        for node, priority in zip(self.flows.kind_node.tolist(), self.flows.kind_priority.tolist(), strict=True):
            self._of_kind(node, priority, (waited, late), waits, found, parts)
        return found, parts

    def _passing(self, those: IntArray, waited: FloatArray, waits: Waits, node: int, weight: FloatArray) -> Passing:
        """Returns the sums over packets of some releases, from when they may count at a node until they do no more."""
        least, most = waits.counts(node)
        of = self.of[those]
        begins = self.due[those] + least[of] - MARGIN
        ends = self.due[those] + waited[those] + most[of] + MARGIN
        figure = (weight * self.flows.packets)[of].astype(np.float64)
        return Passing(Sum(begins, figure, self.hyperperiod), Sum(ends, figure, self.hyperperiod))

    def _lower(self, waited: FloatArray, waits: Waits, node: int, priority: int) -> tuple[IntArray, FloatArray]:
        """Returns the releases of lower priority of a node, and until when each may keep a window back."""
        lower = np.flatnonzero((self.flows.source[self.of] == node) & (self.flows.priority[self.of] < priority))
        return lower, self.due[lower] + waited[lower] + waits.blocking[1][self.of[lower]] + MARGIN

    def _blocking(self, starts: FloatArray, waited: FloatArray, waits: Waits, node: int, priority: int) -> FloatArray:
        """Returns for how long a packet of lower priority of the node keeps windows back that begin at `starts`."""
        flows, (lower, ends) = self.flows, self._lower(waited, waits, node, priority)
        if not len(lower):
            return np.zeros(len(starts))
        if np.isfinite(ends).all():
            one = np.ones(len(lower))
            active = Passing(Sum(self.due[lower] - MARGIN, one, self.hyperperiod), Sum(ends, one, self.hyperperiod))
            met = active.within(starts, np.zeros(len(starts))) > 0
        else:
            met = np.ones(len(starts), dtype=bool)
        of_kind = (flows.source == node) & (flows.priority == priority)
        return np.where(met, waits.blocking[0][of_kind].max(), 0.0)

    def _until_back(self, those: IntArray, waited: FloatArray, lasting: FloatArray) -> FloatArray:
        """Returns until when some releases are under way."""
        return np.asarray(self.due[those] + waited[those] + lasting[self.of[those]] + MARGIN)

    def _under_way(
        self,
        starts: FloatArray,
        delays: tuple[FloatArray, FloatArray],
        node: int,
        priority: int,
        lasting: FloatArray,
        most: float,
    ) -> FloatArray:
        """Returns the cycles of the node's packets that may be under way at `starts`, without those that windows from
        there count as released in them."""
        waited, late = delays
        here = self.flows.source[self.of] == node
        first = np.flatnonzero(here & (self.flows.priority[self.of] >= priority))
        found, nothing = np.zeros(len(starts)), np.zeros(len(starts))
        for those in (first, np.flatnonzero(here & (self.flows.priority[self.of] < priority))):
            until = Sum(self._until_back(those, waited, lasting), self._cycles[those], self.hyperperiod)
            found += Passing(self._coming(those, late, self._cycles).begins, until).within(starts, nothing)
        released = self._coming(first, late, self._cycles).within(starts, nothing)
        return np.clip(found - released, 0.0, most)

    def _of_kind(
        self,
        node: int,
        priority: int,
        delays: tuple[FloatArray, FloatArray],
        waits: Waits,
        found: FloatArray,
        parts: FloatArray,
    ) -> None:
        """Looks at the windows of a node and priority, which begin with a release of that priority or above."""
        waited, late = delays
        flows = self.flows
        here, of_priority = flows.source[self.of] == node, flows.priority[self.of]
        equal, higher = (
            np.flatnonzero(here & (of_priority == priority)),
            np.flatnonzero(here & (of_priority > priority)),
        )
        first = np.concatenate([equal, higher])
        numbers = flows.packets[self.of].astype(np.float64)
        of_equal, of_higher, of_first = (
            (self._coming(those, late, numbers), self._coming(those, late, self._cycles))
            for those in (equal, higher, first)
        )
        others = np.flatnonzero(~here)
        weights = waits.weights(node)
        every = [self._passing(others, waited, waits, node, weight) for weight in weights]
        lower = self._passing(others, waited, waits, node, weights[0] * (flows.priority < priority))
        mine = waits.under_way(node)
        if mine is None:
            ends = self._lower(waited, waits, node, priority)[1]
            ends = ends[np.isfinite(ends)]
        else:
            ends = self._until_back(np.flatnonzero(here), waited, mine[0])
        most = waits.counts(node)[1]
        passed = self.due[others] + waited[others] + most[self.of[others]] + MARGIN
        starts = self._starts(first, late, [passed, ends])
        if mine is None:
            blocking = self._blocking(starts, waited, waits, node, priority)
        else:
            blocking = self._under_way(starts, delays, node, priority, *mine)

        def sums(start: FloatArray, window: FloatArray) -> FloatArray:
            return np.array([one.within(start, window) for one in every])

        def whole(window: FloatArray, these: IntArray) -> FloatArray:
            start = starts[these]
            packets, cycles = (one.within(start, window) for one in of_first)
            own, access, passing = waits.held(node, window, packets, cycles, sums(start, window))
            return np.asarray(blocking[these] + own + access + passing)

        length = settled(whole, np.ones(len(starts)), farthest=min(2 * flows.period.max(), self.hyperperiod))
        # A window as long as a hyperperiod, or two periods, is taken to have no end.
        if not np.isfinite(length).all() or self._too_many(starts, length, equal, late):
            found[equal] = np.inf
            return
        window, release, due = self._in_windows(starts, length, equal, late)
        start, blocked = starts[window], blocking[window]
        # What has its priority goes first if it was released before, or with it.
        ahead = [one.begins.until(due + late[release]) - one.ends.until(start - 1) for one in of_equal]

        def held(window: FloatArray, these: IntArray) -> Held:
            begin = start[these]
            packets, cycles = (
                equals[these] + one.within(begin, window) for equals, one in zip(ahead, of_higher, strict=True)
            )
            return waits.held(node, window, packets, cycles, sums(begin, window))

        def begun(window: FloatArray, these: IntArray) -> FloatArray:
            return np.asarray(blocked[these] + sum(held(window, these)) - flows.packet[self.of[release[these]]])

        ended = settled(begun, np.zeros(len(release)), farthest=self.hyperperiod)

        def parts_of(these: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            _, access, passing = held(ended[these], these)
            return blocked[these], access, lower.within(start[these], ended[these]), passing

        self._keep_latest(start + ended - due, release, parts_of, found, parts)
