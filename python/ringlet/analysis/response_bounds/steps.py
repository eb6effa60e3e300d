"""Sums over the packets of many flows in windows, found by the lengths at which they grow."""

import numpy as np

from ringlet.analysis.response_bounds.ring import FloatArray, IntArray, RingFlows

ENDLESS = 1e250
"""A number that stands for infinitely many packets in sums, where what does not count has the weight 0."""

FEW = 8
"""Windows for which a table of lengths is not worth while."""

MOST_STEPS = 4
"""Steps of a table, for each of its flows: longer windows are summed one by one."""


class Steps:
    """Sums over the packets of flows that come by a place in a stretch of time.

    A sum is a step function of the length of the stretch. Once some lengths have been asked for, those at which it
    grows are sorted, and the sum up to each is kept: what a further length holds is looked up. All sums are of whole
    numbers, so they are the same bits in any order.
    """

    def __init__(self, flows: RingFlows, late: FloatArray, weights: FloatArray) -> None:
        """Takes the longest time from a due release to the place, less the shortest, of each flow, and what a packet of
        each flow counts in each sum; shapes (flows,) and (sums, flows)."""
        counts = np.flatnonzero(weights.any(axis=0))
        self._period, self._late = flows.period[counts], late[counts]
        self._weights = weights[:, counts] * flows.packets[counts]
        self._asked = 0
        self._until = 0.0
        """Longest stretch that the table has; 0: there is none."""
        self._room = np.floor(MOST_STEPS * len(counts) / max(np.sum(1 / self._period), 1 / flows.farthest))
        """Longest stretch that a table has room for."""
        self._grows: FloatArray = np.empty(0)
        """Lengths at which the sums grow, in cycles, ascending; shape (steps,)."""
        self._sums: FloatArray = np.empty((len(weights), 0))
        """Sums in stretches below the first of these lengths, and from each on; shape (sums, 1 + steps)."""

    def __call__(self, window: FloatArray) -> FloatArray:
        """Returns the sums in closed stretches of time; infinite where a flow that counts has no end.

        Args:
            window: their lengths in cycles; shape (windows,).

        Returns:
            Shape (sums, windows).
        """
        self._asked += len(window)
        if self._asked > FEW:
            self._extend(float(window[np.isfinite(window)].max(initial=0.0)))
        known = (window >= 0) & (window < self._until) & (window == np.floor(window))
        found = np.empty((len(self._weights), len(window)))
        found[:, known] = self._sums[:, np.searchsorted(self._grows, window[known], side="right")]
        others, place = np.unique(window[~known], return_inverse=True)
        summed = [self._weights @ np.minimum(self._messages(one), ENDLESS) for one in others.tolist()]
        if summed:
            found[:, ~known] = np.array(summed).T[:, place]
        return np.where(found < ENDLESS, found, np.inf)

    def _messages(self, window: float) -> FloatArray:
        """Returns the most messages of each flow in a stretch of time; shape (flows,)."""
        return np.asarray(np.floor((window + self._late + 1) / self._period) + 1)

    def _extend(self, longest: float) -> None:
        """Makes the table for stretches up to twice this length, as far as there is room for its steps."""
        until = min(2 * longest, self._room)
        if longest <= self._until or until <= self._until:
            return
        ends = np.flatnonzero(np.isfinite(self._late))
        first = self._messages(0.0)
        more = self._messages(until)[ends] - first[ends]
        steps = more.astype(np.int64)
        of = np.repeat(ends, steps)
        # The number of the message that comes with each step.
        number = first[of] + np.arange(len(of)) - np.repeat(np.cumsum(steps) - steps, steps)
        grows = self._grows_at(of, number)
        order = np.argsort(grows)
        self._until, self._grows = until, grows[order]
        before = (self._weights @ np.minimum(first, ENDLESS))[:, None]
        self._sums = np.cumsum(np.concatenate([before, self._weights[:, of[order]]], axis=1), axis=1)

    def _grows_at(self, of: IntArray, number: FloatArray) -> FloatArray:
        """Returns the least whole length in which flows have more messages than so many."""
        late, period = self._late[of] + 1, self._period[of]
        length = np.ceil(number * period - late)
        # Rounding may put it one beside.
        length -= np.floor((length - 1 + late) / period) >= number
        return np.asarray(length + (np.floor((length + late) / period) < number))
