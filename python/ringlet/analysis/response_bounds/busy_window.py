"""The longest wait of each flow in any busy window of its node, and the fixed point of all flows together."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ringlet.analysis.response_bounds.ring import MOST_INSTANCES, Bounds, FloatArray, IntArray, RingFlows, settled

MOST_SWEEPS = 60
"""Rounds in which the bounds of all flows have to come to rest."""

Parts = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Own queue, blocking, access, inversion, interference, as in `Bounds`."""

Shares = Callable[[FloatArray, FloatArray], Parts]
"""What a window of each flow may hold: of so many messages of the flow itself, and in so many cycles."""


@dataclass(frozen=True)
class Analysis(ABC):
    """One protocol's bounds, given those of all flows so far."""

    offers: ClassVar[bool] = True
    """Does a port offer its B-Link the packets of its queue two at a time, since the protocol follows the queue?"""

    flows: RingFlows

    @abstractmethod
    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""

    def places(self, capacity: int | None) -> int | None:
        """Returns how many packets an input queue of this capacity may hold for the bounds to hold; None: any.

        By default as many as it holds before it refuses one.
        """
        return capacity


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
    own = np.zeros(flows.count)

    def whole(window: FloatArray) -> FloatArray:
        released = flows.released(window, flows.jitter[None, :])
        messages = np.diagonal(released) / flows.packets
        return sum(shares(messages, window), own)

    length = settled(whole, np.maximum(least, flows.packet), farthest=flows.farthest)
    instances = np.floor((length + flows.jitter + 1) / flows.period) + 1
    endless = ~(instances <= MOST_INSTANCES)
    worst = np.full(flows.count, -np.inf)
    parts: list[FloatArray] = [np.where(endless, np.inf, 0.0)] + [np.zeros(flows.count) for _ in range(4)]
    begun, waited = np.zeros(flows.count), np.zeros(flows.count)
    steps = np.where(flows.spacing > 0, flows.packets, 1.0)
    last = np.where(endless, 0, instances * steps)
    for number in range(1, int(last.max(initial=0)) + 1):
        messages = number / steps
        held = of_first if number == 1 and of_first is not None else shares
        step = partial(_begins, held, messages, flows.packet)
        begun = settled(step, begun, farthest=flows.farthest)
        # The first release is as late as it may be, and rounding brings the others up to a cycle nearer.
        earlier = np.maximum((np.ceil(messages) - 1) * flows.period - 1, 0)
        come = (number - 1) * flows.spacing
        late = begun + flows.jitter - np.maximum(earlier, come)
        waited = np.where(number <= last, np.maximum(waited, begun - come), waited)
        better = (number <= last) & (late > worst)
        worst = np.where(better, late, worst)
        found = list(held(messages, begun))
        # What others have taken before the message was released is no part of its wait.
        found[0] = late - sum(found[1:], own)
        for place in (0, 4, 3, 2):
            found[place - 1] = found[place - 1] + np.minimum(found[place], 0)
            found[place] = np.maximum(found[place], 0)
        parts = [np.where(better, new, old) for new, old in zip(found, parts, strict=True)]
    whole_parts = (parts[0], parts[1], parts[2], parts[3], parts[4])
    return whole_parts, np.where(endless, np.inf, waited), np.where(endless, np.inf, length)


def _begins(shares: Shares, messages: FloatArray, packet: IntArray, window: FloatArray) -> FloatArray:
    """Returns when the last packet begins at the latest if the window so far is no longer than given."""
    return np.asarray(sum(shares(messages, window), np.zeros(len(window))) - packet)


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
        if np.array_equal(after.arrived, bounds.arrived) and np.array_equal(after.sent, bounds.sent):
            return after
        bounds = after
    endless = np.full(flows.count, np.inf)
    return Bounds(endless, *[none] * 8)
