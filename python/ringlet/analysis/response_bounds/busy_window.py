"""The longest wait of each flow in any busy window of its node, and the fixed point of all flows together."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.offsets import Releases, Schedule
from ringlet.analysis.response_bounds.ring import (
    MOST_INSTANCES,
    MOST_SWEEPS,
    BoolArray,
    Bounds,
    FloatArray,
    IntArray,
    RingFlows,
    settled,
)
from ringlet.analysis.response_bounds.windows import AT_ONCE, Windows

TAKEN = ("arrived", "sent", "returned", "window")
"""Times of `Bounds` from which the next ones follow: bounds prove themselves once none of these grows."""

Parts = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Own queue, blocking, access, inversion, interference, as in `Bounds`."""

Shares = Callable[[Windows, FloatArray, FloatArray], Parts]
"""Returns what windows may hold at most, in cycles, given the messages of the flow itself and the windows' lengths;
shape (windows,) each."""

MOST_NUMBERS = 32
"""Messages, or packets, of a flow that are looked at in one step."""


@dataclass(frozen=True)
class Analysis(ABC):
    """One protocol's bounds, given those of all flows so far."""

    offers: ClassVar[bool] = True
    """Does a port offer its B-Link the packets of its queue two at a time, since the protocol follows the queue?"""

    survives: ClassVar[bool] = False
    """Do the bounds hold where packets and echoes are lost, and sent again?"""

    circles: ClassVar[bool] = True
    """Does something of the protocol go round, which a failure may stop?"""

    flows: RingFlows

    def at_offsets(self, schedule: Schedule) -> Releases | None:
        """Returns the releases of flows that are due at known cycles, where bounds for offsets are proven."""
        return None

    @abstractmethod
    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""

    def places(self, capacity: int | None) -> int | None:
        """Returns how many packets an input queue of this capacity may hold for the bounds to hold; None: any.

        By default as many as it holds before it refuses one.
        """
        return capacity

    def unbounded(self) -> list[str | None]:
        """Returns for each flow why it has no bound at any load; None: there may be one."""
        return [None] * self.flows.count

    def awaited(self) -> list[str | None]:
        """Returns for each flow a sentence on what its packets wait for, where that has no end at some loads only."""
        return [None] * self.flows.count


def longest_waits(
    flows: RingFlows, shares: Shares, least: FloatArray, of_first: Shares | None = None
) -> tuple[Parts, FloatArray, FloatArray]:
    """Returns the parts of each flow's longest wait from its due release until its last packet begins.

    A window begins when the node has nothing to send of the flow's priority or above, and ends when that is so again.
    Every message released in it is looked at (Lehoczky 1990); of what is released one by one, every packet. The second
    result is the longest wait of a packet from when it may be sent, the third the length of the window, which is known
    to be `least` or more. `of_first` says what a window holds until the first message, or packet, of the flow in it is
    sent, where that is less.
    """
    each = Windows.of_each(flows)

    def whole(window: FloatArray, these: IntArray) -> FloatArray:
        messages = np.floor((window + flows.jitter[these] + 1) / flows.period[these]) + 1
        return sum(shares(each.at(these), messages, window), np.zeros(len(these)))

    length = settled(whole, np.maximum(least, flows.packet), farthest=flows.farthest)
    instances = np.floor((length + flows.jitter + 1) / flows.period) + 1
    endless = ~(instances <= MOST_INSTANCES)
    steps = np.where(flows.spacing > 0, flows.packets, 1.0)
    last = np.where(endless, 0, instances * steps)
    longest = _Longest(flows, steps)
    longest.parts[0][endless] = np.inf
    for numbers, those in _in_steps(last):
        some = (numbers == 1) | (numbers == last[those]) | longest.may_grow(those, numbers, length)
        held = of_first if numbers[0] == 1 and of_first is not None else shares
        if some.any():
            longest.look_at(those[some], numbers[some], held)
    own, blocking, access, inversion, interference = longest.parts
    parts = own, blocking, access, inversion, interference
    return parts, np.where(endless, np.inf, longest.waited), np.where(endless, np.inf, length)


def _in_steps(last: FloatArray) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yields numbers of messages, or packets, and the flows that have so many: the first of each alone, then several
    at once, in their order."""
    number, most = 1, int(last.max(initial=0))
    while number <= most:
        those = np.flatnonzero(number <= last)
        together = 1 if number == 1 else max(1, min(MOST_NUMBERS, AT_ONCE // (len(those) * len(last))))
        numbers = np.repeat(np.arange(number, number + together), len(those)).astype(float)
        those = np.tile(those, together)
        there = numbers <= last[those]
        yield numbers[there], those[there]
        number += together


class _Longest:
    """The longest wait of each flow among those that have been looked at; arrays have the shape (flows,)."""

    def __init__(self, flows: RingFlows, steps: FloatArray) -> None:
        """Begins with no wait; `steps` are the windows that are looked at for each message."""
        self._flows, self._steps = flows, steps
        self._late = np.full(flows.count, -np.inf)
        self._begun = np.zeros(flows.count)
        self.parts = [np.zeros(flows.count) for _ in range(5)]
        """Parts of the longest wait, as `Parts`, in cycles."""
        self.waited = np.zeros(flows.count)
        """Longest wait of a packet from when it may be sent."""

    def may_grow(self, those: IntArray, number: FloatArray, length: FloatArray) -> BoolArray:
        """Returns whether the messages, or packets, with these numbers may wait longer than those before, if all begin
        when their windows, whose length is given, are over. The longest wait of those that may all be sent at once is
        the last one's."""
        come, due = self._come_and_due(those, number)
        one_by_one = self._flows.spacing[those] > 0
        longer = one_by_one & (length[those] - come > self.waited[those])
        return np.asarray(longer | (length[those] + self._flows.jitter[those] - due > self._late[those]))

    def _come_and_due(self, those: IntArray, number: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the least times from the begin of a window until messages, or packets, with these numbers may be
        sent, and are due."""
        flows, messages = self._flows, number / self._steps[those]
        # The first release is as late as it may be, and rounding brings the others up to a cycle nearer. Some of the
        # messages before the last one may be due later than it.
        before = np.ceil(messages) - 1 - flows.overtaking[those]
        earlier = np.maximum(before * flows.period[those] - 1, 0)
        come = (number - 1) * flows.spacing[those]
        return come, np.maximum(earlier, come)

    def look_at(self, those: IntArray, number: FloatArray, held: Shares) -> None:
        """Looks at the messages, or packets, with these numbers of these flows, whose numbers grow."""
        flows, windows, messages = self._flows, Windows(self._flows, those), number / self._steps[those]
        nothing = np.zeros(len(those))

        def begins(window: FloatArray, these: IntArray) -> FloatArray:
            """Returns when the last packet begins at the latest if the window so far is no longer than given."""
            some = windows.at(these)
            return np.asarray(sum(held(some, messages[these], window), nothing[these]) - some.packet)

        begun = settled(begins, self._begun[those], farthest=flows.farthest)
        come, due = self._come_and_due(those, number)
        late = begun + flows.jitter[those] - due
        np.maximum.at(self.waited, those, begun - come)
        np.maximum.at(self._begun, those, begun)
        found = list(held(windows, messages, begun))
        # What others have taken before the message was released is no part of its wait.
        found[0] = late - sum(found[1:], nothing)
        for place in (0, 4, 3, 2):
            found[place - 1] = found[place - 1] + np.minimum(found[place], 0)
            found[place] = np.maximum(found[place], 0)
        # The longest of each flow, the first of those that are equal.
        order = np.lexsort((-late, those))
        best = order[np.flatnonzero(np.diff(those[order], prepend=-1))]
        best = best[late[best] > self._late[those[best]]]
        self._late[those[best]] = late[best]
        for part, new in zip(self.parts, found, strict=True):
            part[those[best]] = new[best]


def fixed_point(analysis: Analysis, start: Bounds | None = None) -> Bounds:
    """Returns bounds that prove themselves: if no packet has exceeded them so far, none ever will.

    The induction over time is docs/explanation/guarantees.md, Lemma 2.

    Args:
        analysis: of a protocol on a ring.
        start: bounds from which to search on, none above those that are searched; None: 0.
    """
    flows = analysis.flows
    none = np.zeros(flows.count)
    bounds = Bounds(*[none] * 9) if start is None else start
    for _ in range(MOST_SWEEPS):
        # What has no bound is infinite, and a part of it is no number.
        with np.errstate(invalid="ignore"):
            after = analysis.improved(bounds)
        if all(np.array_equal(getattr(after, name), getattr(bounds, name)) for name in TAKEN):
            return after
        bounds = after
    endless = np.full(flows.count, np.inf)
    return Bounds(endless, *[none] * 8)
