"""Response times of messages whose releases are known to the cycle (docs/explanation/guarantees.md, Section 3)."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.ring import (
    MOST_SWEEPS,
    BoolArray,
    Bounds,
    FloatArray,
    IntArray,
    RingFlows,
    settled,
)

MOST_RELEASES = 20_000
"""Releases in a hyperperiod up to which each is looked at."""

MOST_PAIRS = 50_000
"""Windows with a release in each, of a node and priority, up to which those of late releases are looked at: beyond, the
bounds for all phases count."""

MARGIN = 2
"""Cycles by which something may be at a node before or after the sums of its delays say."""


class Sum:
    """The sum of figures of all occurrences up to a time, each of which comes again in every hyperperiod."""

    def __init__(self, time: FloatArray, figure: FloatArray, hyperperiod: int) -> None:
        """Takes the time of each occurrence in one hyperperiod, which may lie beside it, and its figure."""
        turn = np.floor(time / hyperperiod)
        place = time - turn * hyperperiod
        order = np.argsort(place)
        self._at, self._hyperperiod = place[order], hyperperiod
        self._sums = np.concatenate([[0.0], np.cumsum(figure[order])])
        # An occurrence whose place in its hyperperiod is later, or earlier, by so many of them.
        self._shift = float(figure @ turn)

    def until(self, time: FloatArray) -> FloatArray:
        """Returns the sums up to these times, themselves included."""
        turn = np.floor(time / self._hyperperiod)
        place = np.searchsorted(self._at, time - turn * self._hyperperiod, side="right")
        return np.asarray(turn * self._sums[-1] + self._sums[place] - self._shift)


@dataclass(frozen=True)
class Passing:
    """The packets and echoes that come by a node, as the times from when they may to when they have."""

    begins: Sum
    ends: Sum

    def within(self, first: FloatArray, window: FloatArray) -> FloatArray:
        """Returns the sum of the figures of all that may come by in closed stretches of time."""
        return self.begins.until(first + window) - self.ends.until(first - 1)


@dataclass(frozen=True)
class Schedule:
    """The cycles at which the flows of a ring are due; arrays have the shape (flows,)."""

    offset: IntArray
    """Cycle at which the first release of each is due."""
    before: IntArray
    """Flow that each follows: its n-th release comes of that one's n-th; -1: none."""
    behind: Callable[[FloatArray], FloatArray]
    """Returns the most cycles, of flows that follow one, from when all of a message before is at its destination until
    the release, less those from when that is due until this is; given the longest time from when the messages of each
    flow are due until they are there."""


@dataclass(frozen=True)
class Releases(ABC):
    """The releases of a ring on which no packet is refused, each of which is due at a known cycle, and late by no more
    than its jitter, or than the one before it.

    Arrays have the shape (releases,), those of a hyperperiod.
    """

    flows: RingFlows
    schedule: Schedule

    @cached_property
    def hyperperiod(self) -> int:
        """Cycles after which all releases come again."""
        return math.lcm(*self.flows.period.astype(np.int64).tolist())

    @property
    def few(self) -> bool:
        """Are there so few releases in a hyperperiod that each can be looked at?"""
        return float((self.hyperperiod / self.flows.period).sum()) <= MOST_RELEASES

    @cached_property
    def of(self) -> IntArray:
        """The flow of each release."""
        count = self.hyperperiod // self.flows.period.astype(np.int64)
        return np.repeat(np.arange(self.flows.count), count)

    @cached_property
    def due(self) -> FloatArray:
        """The cycle at which each release is due."""
        number = np.arange(len(self.of)) - np.searchsorted(self.of, self.of)
        return np.asarray((self.schedule.offset[self.of] + number * self.flows.period[self.of]) % self.hyperperiod)

    @cached_property
    def _before(self) -> IntArray:
        """The release that each follows; -1: none."""
        first, before = np.searchsorted(self.of, np.arange(self.flows.count)), self.schedule.before[self.of]
        number = np.arange(len(self.of)) - first[self.of]
        return np.where(before < 0, -1, first[before] + number)

    def bounds(self, others: Bounds) -> Bounds:
        """Returns the lesser ones of the bounds that hold for all phases, and of those for these offsets."""
        waited, found = np.zeros(len(self.of)), np.zeros((5, len(self.of)))
        most = others.sent[self.of]
        for _ in range(MOST_SWEEPS):
            late = np.minimum(self._late(waited), most)
            if not np.isfinite(late).all():
                return others
            after, found = self._improved(waited, late)
            after = np.minimum(after, most)
            if not np.isfinite(after).all():
                return others
            if np.array_equal(after, waited):
                break
            waited = np.maximum(after, waited)
        else:
            return others
        way = self._transit(waited)
        return self._lesser(others, waited, found, way)

    def _late(self, waited: FloatArray) -> FloatArray:
        """Returns the most cycles by which each release comes after it is due, if none has waited longer than given."""
        late, follows = np.ceil(self.flows.jitter)[self.of], self._before >= 0
        if not follows.any():
            return np.asarray(late)
        arrived, of_flows = waited + self._transit(waited), np.zeros(self.flows.count)
        np.maximum.at(of_flows, self.of, arrived)
        behind = self.schedule.behind(of_flows)[self.of]
        return np.where(follows, np.maximum(np.ceil(arrived[self._before] + behind), 0), late)

    @abstractmethod
    def _improved(self, waited: FloatArray, late: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns how long each release waits, from when it is due until its last packet begins, if none has waited
        longer than given, nor come later, and the parts of that; shapes (releases,) and (5, releases)."""

    @abstractmethod
    def _transit(self, waited: FloatArray) -> FloatArray:
        """Returns the time from the first symbol of each release's last packet to the last one at the destination."""

    def _lesser(self, others: Bounds, waited: FloatArray, parts: FloatArray, way: FloatArray) -> Bounds:
        """Returns the bounds of each flow: for these offsets, of its release that is complete last."""
        flows, order = self.flows, np.lexsort((waited + way, self.of))
        last = order[np.flatnonzero(np.diff(self.of[order], append=flows.count))]
        longest = np.zeros(flows.count)
        np.maximum.at(longest, self.of, waited)
        in_all = np.stack([others.own_queue, others.blocking, others.access, others.inversion, others.interference])
        own, blocking, access, inversion, interference = np.where(waited[last] < others.sent, parts[:, last], in_all)
        # Another release may wait longer, and be complete sooner after it is due.
        own = own + longest - waited[last]
        transit = waited[last] + way[last] - longest
        better = longest + transit < others.arrived
        chosen = {
            "own_queue": own,
            "blocking": blocking,
            "access": access,
            "inversion": inversion,
            "interference": interference,
            "transit": transit,
            "waited": longest,
        }
        return replace(others, **{key: np.where(better, one, getattr(others, key)) for key, one in chosen.items()})

    def _keep_latest(
        self,
        late: FloatArray,
        release: IntArray,
        parts_of: Callable[[IntArray], tuple[FloatArray, FloatArray, FloatArray, FloatArray]],
        found: FloatArray,
        parts: FloatArray,
    ) -> None:
        """Keeps of each release how late it is in the window in which it is latest, and the parts of that.

        Args:
            late: how late each release is in each window; shape (pairs,).
            release: of each of these pairs.
            parts_of: returns of some pairs the blocking, what the protocol takes, and what passes: of lower priorities,
                and of all.
            found: how late each release is, which is written.
            parts: the parts, as in `_improved`, which are written.
        """
        order = np.lexsort((late, release))
        worst = order[np.flatnonzero(np.diff(release[order], append=-1))]
        found[release[worst]] = late[worst]
        # Releases whose window has no end keep their bounds for all phases, and have no parts of another window.
        worst = worst[np.isfinite(late[worst])]
        if not len(worst):
            return
        at = release[worst]
        blocked, access, lower, passing = parts_of(worst)
        inversion = np.minimum(lower, passing)
        own = late[worst] - blocked - access - passing
        parts[:, at] = np.stack([own, blocked, access, inversion, passing - inversion])
        # What others have taken before the release is no part of its wait.
        for place in (0, 4, 3, 2):
            parts[place - 1, at] += np.minimum(parts[place, at], 0)
            parts[place, at] = np.maximum(parts[place, at], 0)

    def _starts(self, first: IntArray, late: FloatArray, ends: Iterable[FloatArray]) -> FloatArray:
        """Returns the cycles at which windows may begin that are to be looked at, in one hyperperiod: the last ones of
        the stretches in which these releases come, and those after which something counts no more. A window that begins
        in between, up to which the same counts, ends no later than that from the next one of these."""
        due, until = self.due[first], self.due[first] + late[first]
        if not late[first].any():
            return np.unique(due)
        turns = math.ceil(1 + late[first].max() / self.hyperperiod)
        cycles = [np.ceil(one) % self.hyperperiod for one in ends]
        over = np.unique(np.concatenate([until % self.hyperperiod, *cycles]))
        over = (over[None, :] + self.hyperperiod * np.arange(turns + 1)[:, None]).reshape(-1)
        low, high = np.searchsorted(over, due), np.searchsorted(over, until, side="right")
        covered = np.bincount(low, minlength=len(over) + 1) - np.bincount(high, minlength=len(over) + 1)
        return np.unique(over[np.cumsum(covered[:-1]) > 0] % self.hyperperiod)

    def _too_many(self, starts: FloatArray, length: FloatArray, releases: IntArray, late: FloatArray) -> bool:
        """Are there too many pairs of a window and a release that comes late?"""
        latest = float(late[releases].max())
        pairs = len(starts) * (1 + (float(length.mean()) + latest) * len(releases) / self.hyperperiod)
        return latest > 0 and pairs > MOST_PAIRS

    def _coming(self, those: IntArray, late: FloatArray, figure: FloatArray) -> Passing:
        """Returns the sums of a figure of some releases, each in the stretch in which it comes."""
        due, chosen = self.due[those], figure[those]
        return Passing(Sum(due, chosen, self.hyperperiod), Sum(due + late[those], chosen, self.hyperperiod))

    def _in_windows(
        self, starts: FloatArray, length: FloatArray, releases: IntArray, late: FloatArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Returns each pair of a window and a release that may be in it, and when that is due."""
        latest = late[releases].max()
        earlier = math.ceil(latest / self.hyperperiod)
        copies = math.ceil((self.hyperperiod + length.max()) / self.hyperperiod) + 1
        turns = np.arange(-earlier, copies)
        due = (self.due[releases][None, :] + self.hyperperiod * turns[:, None]).reshape(-1)
        which = np.tile(releases, len(turns))
        order = np.argsort(due, kind="stable")
        due, which = due[order], which[order]
        low = np.searchsorted(due, starts - latest)
        high = np.searchsorted(due, starts + length, side="right")
        count = high - low
        window = np.repeat(np.arange(len(starts)), count)
        place = np.repeat(low - np.cumsum(count) + count, count) + np.arange(len(window))
        release, due = which[place], due[place]
        there = due + late[release] >= starts[window]
        return window[there], release[there], due[there]


class Known(Releases):
    """The releases of a ring without flow control, or under DFC without announcements and with packets of which its
    bypass FIFO has space for one."""

    @cached_property
    def _longest(self) -> FloatArray:
        """Cycles of the longest packet of each node."""
        return self.flows.longest_sent

    def _drains(self, waited: FloatArray) -> FloatArray:
        """Returns the longest time from when a node begins a packet until its bypass FIFO is empty; shape (nodes,)."""
        flows, late = self.flows, np.zeros(self.flows.count)
        np.maximum.at(late, self.of, waited)
        nodes = np.arange(flows.nodes)
        # A packet is late by what it has met at each node before, at most.
        late = late + flows.waits_between(nodes, self._longest) + MARGIN
        cycles = flows.on_links(nodes)

        def busy(window: FloatArray, these: IntArray) -> FloatArray:
            released = flows.released(window, late[these])
            passing = np.where(cycles[these] > 0, released, 0.0) * cycles[these]
            return np.asarray(self._longest[these] + passing.sum(axis=1))

        return settled(busy, self._longest, farthest=flows.farthest)

    def _ways(self, waited: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Returns the first and the last cycle in which the first symbol of each release's packets, or echoes, may come
        to each node, given how long they wait until they are sent, and the longest time from then to the destination;
        shape (nodes, releases) the first two."""
        flows, drains = self.flows, self._drains(waited)
        first = np.zeros((flows.nodes, len(self.of)))
        last = np.zeros_like(first)
        # Times in which a node sends, or has not yet emitted what came in since.
        active = [
            self._between(np.flatnonzero(flows.source[self.of] == one), waited, drains[one])
            for one in range(flows.nodes)
        ]
        source, reach = flows.source[self.of], flows.reach[self.of]
        # An echo is the last part of its packet.
        stripped = flows.symbols[self.of] - flows.echo
        at, way = source.copy(), np.zeros(len(self.of))
        least, most = self.due.copy(), self.due + waited
        first[at, np.arange(len(at))], last[at, np.arange(len(at))] = least, most
        for hop in range(1, flows.nodes):
            delay = flows.hops[at]
            at = (at + 1) % flows.nodes
            least, most = least + delay, most + delay
            first[at, np.arange(len(at))], last[at, np.arange(len(at))] = least, most
            way = way + np.where(hop <= reach, delay, 0)
            for node in np.unique(at).tolist():
                here = np.flatnonzero(at == node)
                if self._longest[node] > 0:
                    until = most[here] + np.where(hop < reach[here], 0, stripped[here]) + MARGIN
                    met = self._may_wait(active[node], drains[node], least[here] - MARGIN, until)
                    wait = np.where(met, self._longest[node], 0.0)
                    most[here] += wait
                    way[here] += np.where(hop < reach[here], wait, 0.0)
        return first, last, way + flows.symbols[self.of]

    def _between(self, those: IntArray, waited: FloatArray, drain: float) -> Passing:
        """Returns from when to when a node has something of its own before what passes; `those` are its releases."""
        one, ends = np.ones(len(those)), self.due[those] + waited[those] + (drain if np.isfinite(drain) else 0.0)
        return Passing(Sum(self.due[those], one, self.hyperperiod), Sum(ends, one, self.hyperperiod))

    def _may_wait(self, active: Passing, drain: float, least: FloatArray, most: FloatArray) -> BoolArray:
        if not np.isfinite(drain):
            return np.ones(len(least), dtype=bool)
        return np.asarray(active.within(least, most - least) > 0)

    def _transit(self, waited: FloatArray) -> FloatArray:
        return self._ways(waited)[2]

    def _improved(self, waited: FloatArray, late: FloatArray) -> tuple[FloatArray, FloatArray]:
        flows, found = self.flows, np.zeros(len(self.of))
        parts = np.zeros((5, len(self.of)))
        first, last, _ = self._ways(waited)
        drains = self._drains(waited)
        for node, priority in zip(flows.kind_node.tolist(), flows.kind_priority.tolist(), strict=True):
            self._of_kind(node, priority, (waited, late), float(drains[node]), (first, last), found, parts)
        return found, parts

    def _of_kind(
        self,
        node: int,
        priority: int,
        delays: tuple[FloatArray, FloatArray],
        drain: float,
        comes: tuple[FloatArray, FloatArray],
        found: FloatArray,
        parts: FloatArray,
    ) -> None:
        """Looks at the windows of a node and priority, which begin with a release of that priority or above."""
        flows, hyperperiod, (waited, late) = self.flows, self.hyperperiod, delays
        packets = flows.packets[self.of]
        cycles = (packets * flows.packet[self.of]).astype(np.float64)
        here, of_priority = flows.source[self.of] == node, flows.priority[self.of]
        equal, higher = (
            np.flatnonzero(here & (of_priority == priority)),
            np.flatnonzero(here & (of_priority > priority)),
        )
        of_equal, of_higher = self._coming(equal, late, cycles), self._coming(higher, late, cycles)
        first, last = comes
        others, on_link = np.flatnonzero(~here), flows.on_links(np.array([node]))[0][self.of] * packets
        begins, ends = first[node, others] - MARGIN, last[node, others] + flows.packet[self.of[others]] + MARGIN
        weights = {False: on_link[others], True: on_link[others] * (of_priority[others] < priority)}
        every, lower = (
            Passing(Sum(begins, weights[only], hyperperiod), Sum(ends, weights[only], hyperperiod))
            for only in (False, True)
        )
        first_ones = np.concatenate([equal, higher])
        # A packet of lower priority may have begun, and what it keeps back be in the bypass FIFO.
        behind = np.flatnonzero(here & (of_priority < priority))
        active = self.due[behind] + waited[behind] + (drain if np.isfinite(drain) else 0.0) + MARGIN
        starts = self._starts(first_ones, late, [ends[on_link[others] > 0], active])
        met = self._may_wait(self._between(behind, waited, drain), drain, starts - MARGIN, starts + MARGIN)
        blocking = np.where(met, flows.longest_lower[self.of[equal[0]]], 0.0)

        def whole(window: FloatArray, these: IntArray) -> FloatArray:
            start = starts[these]
            own = of_equal.within(start, window) + of_higher.within(start, window)
            return np.asarray(blocking[these] + 1 + own + every.within(start, window))

        length = settled(whole, np.ones(len(starts)), farthest=flows.farthest)
        if not np.isfinite(length).all() or self._too_many(starts, length, equal, late):
            found[equal] = np.inf
            return
        window, release, due = self._in_windows(starts, length, equal, late)
        start, blocked = starts[window], blocking[window]
        # What has its priority goes first if it was released before, or with it.
        ahead = of_equal.begins.until(due + late[release]) - of_equal.ends.until(start - 1)
        # The only one that may come at the begin of the window is the first one in it.
        alone = flows.finds_free[self.of[release]] & (due <= start)
        alone &= self._coming(first_ones, late, np.ones(len(self.of))).within(start, np.zeros(len(start))) == 1
        most = np.where(alone, flows.longest_passing[0][node], np.inf)

        def begun(window: FloatArray, these: IntArray) -> FloatArray:
            begin = start[these]
            own = ahead[these] + of_higher.within(begin, window)
            passing = np.minimum(every.within(begin, window), most[these])
            return np.asarray(blocked[these] + 1 + own + passing - flows.packet[self.of[release[these]]])

        ended = settled(begun, np.zeros(len(release)), farthest=flows.farthest)

        def parts_of(these: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            begin, window = start[these], ended[these]
            passing = np.minimum(every.within(begin, window), most[these])
            return blocked[these], np.ones(len(these)), lower.within(begin, window), passing

        self._keep_latest(start + ended - due, release, parts_of, found, parts)
