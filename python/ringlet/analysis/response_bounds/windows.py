"""Windows of time at nodes, and what they may hold: those that hold the same are looked at once."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds.ring import BoolArray, FloatArray, IntArray, RingFlows
from ringlet.analysis.response_bounds.steps import ENDLESS, Steps

AT_ONCE = 32_000
"""Pairs of a window and a flow that are looked at in one step, so that they stay in a processor's cache."""

ALONE = 256
"""Flows from which on windows of different nodes or priorities are not looked at together."""

MOST_KEPT = 1_500_000
"""Pairs of a kind of windows and a flow whose tables are kept for further windows: about 100 MB."""

AnyNumber = TypeVar("AnyNumber", bound=np.generic)

Sums = Sequence[FloatArray]
"""Figures of windows; shape (windows,) each."""


class Kinds:
    """Kinds of windows: pairs of a node and a priority, and what each flow is to them.

    Arrays have the shape (kinds, flows).
    """

    def __init__(self, flows: RingFlows, kinds: IntArray) -> None:
        """Takes the numbers of the kinds among those of the flows."""
        self.flows = flows
        self.node, self.priority = flows.kind_node[kinds], flows.kind_priority[kinds]

    @cached_property
    def same_node(self) -> BoolArray:
        """True where a flow starts at the node."""
        return np.asarray(self.flows.source == self.node[:, None])

    @cached_property
    def lower(self) -> BoolArray:
        """True where a flow has a lower priority."""
        return np.asarray(self.flows.priority < self.priority[:, None])

    @cached_property
    def on_link(self) -> FloatArray:
        """Cycles that each packet of another node's flow takes of the link behind the node."""
        return self.flows.on_links(self.node)

    def late(
        self, own: FloatArray, others: FloatArray, wait: FloatArray | None = None, delay: float = 0.0
    ) -> FloatArray:
        """Returns the longest time from a due release to the node, less the shortest.

        Args:
            own: of the node's flows; shape (flows,).
            others: the same of flows of other nodes until they are sent; shape (flows,).
            wait: longest time in each node's bypass FIFO that what passes has met; shape (nodes,); None: it counts in
                `others`.
            delay: more that others are late.
        """
        if wait is not None:
            others = others + self.flows.waits_between(self.node, wait) + delay
        return np.where(self.same_node, own, others)

    @property
    def packets_and_cycles_first(self) -> tuple[FloatArray, FloatArray]:
        """Weights of the packets that the node sends until the last one of the priority is sent, and of the cycles that
        they take of its link."""
        first = (self.same_node & ~self.lower).astype(np.float64)
        return first, first * self.flows.packet

    def lower_and_all(self, cycles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the weights of the time that is waited for lower priorities of other nodes, and for all of them.

        Args:
            cycles: that are waited for a packet of each flow; shape (kinds, flows), or (flows,).
        """
        passing = np.where(self.same_node, 0.0, cycles)
        return np.where(self.lower, passing, 0.0), passing

    def sums(self, late: FloatArray, *weights: FloatArray, longer: float = 0.0) -> "Callable[[Rows], Sums]":
        """Returns what sums over the packets of all flows in windows of these kinds, by weights.

        Args:
            late: longest time from a due release to the node, less the shortest; a table, or of shape (flows,).
            weights: tables of what a packet of each flow counts.
            longer: cycles by which windows are longer.
        """
        if self.flows.count < ALONE:
            return lambda rows: rows.summed(rows.released(late, longer=longer), *weights)
        # Windows of one kind are looked at together.
        steps = Steps(self.flows, late.reshape(-1), np.concatenate(weights))
        return lambda rows: list(steps(rows.window + longer))

    def sums_of_nodes(self, late: FloatArray, *weights: FloatArray) -> "Callable[[Rows], list[FloatArray]]":
        """Returns what sums over the packets of each node in windows of these kinds; shape (windows, nodes) each.

        Args:
            late: longest time from a due release to the node, less the shortest; a table.
            weights: tables of what a packet of each flow counts.
        """
        flows = self.flows
        if flows.count < ALONE:
            return lambda rows: rows.summed_of_nodes(rows.released(late), *weights)
        of_flows = np.concatenate(weights)
        steps = [(one, Steps(flows, late[0], np.where(flows.source == one, of_flows, 0.0))) for one in flows.senders]

        def summed(rows: Rows) -> list[FloatArray]:
            found = np.zeros((len(weights), len(rows.window), flows.nodes))
            for node, of_node in steps:
                found[:, :, node] = of_node(rows.window)
            return list(found)

        return summed


class Rows:
    """Windows that differ from each other in their kind or length; arrays have the shape (rows, flows).

    Tables of their kinds have the shape (kinds, flows).
    """

    def __init__(self, kinds: Kinds, place: IntArray, window: FloatArray) -> None:
        """Takes the kinds of the windows, which of these each one has, and their lengths."""
        self.flows, self.window, self.node = kinds.flows, window, kinds.node[place]
        self._kinds, self._place = len(kinds.node), place

    def table(self, of_kinds: NDArray[AnyNumber]) -> NDArray[AnyNumber]:
        """Returns what a table says of each row's kind; shape (1, flows) if all rows are of one kind."""
        return of_kinds if self._kinds == 1 else of_kinds[self._place]

    def released(self, late: FloatArray, *, longer: float = 0.0) -> FloatArray:
        """Returns the most packets of each flow in each window.

        Args:
            late: longest time from a due release to the node, less the shortest; a table, or of shape (flows,).
            longer: cycles by which windows are longer.
        """
        return self.flows.released(self.window + longer, late if late.ndim == 1 else self.table(late))

    def summed(self, released: FloatArray, *weights: FloatArray) -> list[FloatArray]:
        """Returns sums over the packets of all flows in each window, by weights; exact, as all are whole numbers.

        Args:
            released: packets.
            weights: tables of what a packet of each flow counts.
        """
        if not np.isfinite(released).all():
            released = np.minimum(released, ENDLESS)
        if self._kinds == 1:
            summed = [released @ one[0] for one in weights]
        else:
            summed = [np.einsum("rf,rf->r", released, self.table(one)) for one in weights]
        return [np.where(one < ENDLESS, one, np.inf) for one in summed]

    def summed_of_nodes(self, released: FloatArray, *weights: FloatArray) -> list[FloatArray]:
        """Returns sums over the packets of each node in each window, by weights; shape (rows, nodes) each.

        Args:
            released: packets.
            weights: tables of what a packet of each flow counts.
        """
        released = np.minimum(released, ENDLESS)
        summed = [(released * self.table(one)) @ self.flows.of_node for one in weights]
        return [np.where(one < ENDLESS, one, np.inf) for one in summed]


Compute = Callable[..., Sums]
"""Takes rows, and of each row what it differs in besides; returns figures of the rows."""


class Once:
    """Figures of windows on a ring, computed once for those that hold the same."""

    def __init__(self, flows: RingFlows, prepare: Callable[[Kinds], Compute], *, by_pairs: bool = False) -> None:
        """Takes the flows, what makes the function that computes figures of rows of some kinds, and whether that looks
        at each pair of a row and a flow however many flows there are."""
        self._flows, self._prepare, self._by_pairs = flows, prepare, by_pairs or flows.count < ALONE
        self._known: dict[tuple[float, ...], tuple[float, ...]] = {}
        self._prepared: dict[bytes, tuple[Kinds, Compute]] = {}
        self._pairs = 0

    def __call__(self, of: IntArray, window: FloatArray, *further: FloatArray | IntArray) -> Sums:
        """Returns the figures of windows of these flows with these lengths; shape (windows,) each.

        Args:
            of: flow of each window.
            window: cycles of each window.
            further: what windows differ in besides their node, priority and length; shape (windows,) each.
        """
        kind = self._flows.kind[of]
        if not self._by_pairs:
            return self._of_each_kind(kind, window, *further)
        known = self._known
        chosen, place = _distinct((*further, window, kind))
        keys = list(zip(*(one[chosen].tolist() for one in (kind, window, *further)), strict=True))
        new = np.array([at for at, key in enumerate(keys) if key not in known], dtype=np.int64)
        for part in self._parts(kind[chosen[new]]):
            these = chosen[new[part]]
            kinds, at_kind = np.unique(kind[these], return_inverse=True)
            found = self._found(kinds, at_kind, window[these], *(one[these] for one in further))
            figures = zip(*(one.tolist() for one in found), strict=True)
            known.update(zip((keys[at] for at in new[part].tolist()), figures, strict=True))
        return list(np.array([known[key] for key in keys]).T[:, place])

    def _of_each_kind(self, kind: IntArray, window: FloatArray, *further: FloatArray | IntArray) -> Sums:
        """Returns the figures of windows of these kinds with these lengths, as `__call__` does."""
        parts, order = [], np.argsort(kind, kind="stable")
        for these in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
            here = np.zeros(len(these), dtype=np.int64)
            parts.append(self._found(kind[these[:1]], here, window[these], *(one[these] for one in further)))
        found = np.empty((len(parts[0]), len(kind)))
        found[:, order] = np.concatenate(parts, axis=1)
        return list(found)

    def _found(self, kinds: IntArray, at: IntArray, window: FloatArray, *further: FloatArray | IntArray) -> Sums:
        """Returns the figures of windows, given which of these kinds each one has."""
        of_kinds, compute = self._of_kinds(kinds)
        return compute(Rows(of_kinds, at, window), *further)

    def _of_kinds(self, kinds: IntArray) -> tuple[Kinds, Compute]:
        """Returns these kinds, and what computes figures of their rows."""
        key = kinds.tobytes()
        found = self._prepared.get(key)
        if found is None:
            self._pairs += len(kinds) * self._flows.count
            if self._pairs > MOST_KEPT:
                self._prepared.clear()
                self._pairs = len(kinds) * self._flows.count
            made = Kinds(self._flows, kinds)
            found = self._prepared[key] = made, self._prepare(made)
        return found

    def _parts(self, kind: IntArray) -> Iterator[slice]:
        """Yields the stretches of rows that are looked at in one step, given the kind of each."""
        ends = [len(kind)] if self._flows.count < ALONE else [*(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(kind)]
        start = 0
        for end in ends:
            for part in in_parts(end - start, self._flows.count):
                yield slice(start + part.start, min(start + part.stop, end))
            start = end


class Windows:
    """Windows of time, each of one flow: a flow may have several, for one of its messages after the other.

    Arrays have the shape (windows,).
    """

    def __init__(self, flows: RingFlows, of: IntArray) -> None:
        """Takes the flow of each window."""
        self.flows, self.of = flows, of
        self.count = len(of)
        self.packet, self.packets = flows.packet[of], flows.packets[of]

    @classmethod
    def of_each(cls, flows: RingFlows) -> "Windows":
        """Returns one window of each flow."""
        return cls(flows, np.arange(flows.count))

    def at(self, these: IntArray) -> "Windows":
        """Returns some of the windows."""
        return Windows(self.flows, self.of[these])

    def before(self, window: FloatArray, packets: FloatArray, cycles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the packets of the node's other flows that go first, and their cycles.

        Args:
            window: cycles of each window.
            packets: of all flows that go first, by the weights of `Kinds.packets_and_cycles_first`.
            cycles: that these take of the node's link.
        """
        flows, of = self.flows, self.of
        own = (np.floor((window + flows.jitter[of] + 1) / flows.period[of]) + 1) * self.packets
        endless = np.isinf(window)
        own[endless] = 0.0
        alone = endless & ~flows.has_others_first[of]
        return np.where(alone, 0.0, packets - own), np.where(alone, 0.0, cycles - self.packet * own)

    def passing_first(self, lower: FloatArray, passing: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns what passes of lower priorities, and of all, before the first packet of each window.

        Where that finds the node free the bypass FIFO is empty, and at most one packet passes just then.

        Args:
            lower: cycles that are waited for lower priorities if it is not free.
            passing: for all.
        """
        flows, of = self.flows, self.of
        free, node = flows.finds_free[of], flows.source[of]
        cycles, priority = (figure[node] for figure in flows.longest_passing)
        of_lower = np.where(priority < flows.priority[of], cycles, 0.0)
        return np.where(free, of_lower, lower), np.where(free, cycles, passing)

    def first_packets(self, messages: FloatArray, before: FloatArray) -> FloatArray:
        """Returns how many packets each flow's node sends until the flow's last message is sent."""
        return np.asarray(messages * self.packets + before)

    def first_cycles(self, messages: FloatArray, before: FloatArray) -> FloatArray:
        """Returns the cycles that these packets take of the node's link, given those before in cycles, too."""
        return np.asarray(self.packet * messages * self.packets + before)


def in_parts(rows: int, flows: int) -> Iterator[slice]:
    """Yields stretches of rows, each with as many as are looked at in one step."""
    step = max(1, AT_ONCE // max(flows, 1))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _distinct(keys: Sequence[FloatArray | IntArray]) -> tuple[IntArray, IntArray]:
    """Returns the places of the first of all that are equal in every key, and which of these each one is.

    They are ordered by the last key, then by the ones before it.
    """
    order = np.lexsort(keys)
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0 if key.dtype.kind == "i" else key[order][1:] != key[order][:-1]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place
