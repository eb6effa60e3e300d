"""The part that all bounds of response times share: flows, and the number of their packets in a stretch of time."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FARTHEST_PERIODS = 10
"""Longest periods beyond which a window is taken to have no end."""

MOST_INSTANCES = 100
"""Releases of a message that one busy window may hold."""

MOST_ROUNDS = 500
"""Steps in which an iteration has to come to rest."""


class NoBoundError(Exception):
    """Says why a protocol, with its options on this ring, has no bound that is proven."""


@dataclass(frozen=True)
class RingFlows:
    """A ring and the periodic or sporadic flows on it; arrays have the shape (flows,).

    A cycle is a symbol time of the ring, and all times are in such cycles.
    """

    nodes: int
    hops: IntArray
    """Cycles from each node's output to the next one's; shape (nodes,)."""
    echo: int
    """Symbols of an echo, without its idle."""
    source: IntArray
    destination: IntArray
    symbols: IntArray
    """Of each packet, without its idle."""
    priority: IntArray
    packets: IntArray
    """Of one message: all are released at once."""
    period: FloatArray
    """Least time between two releases that are due."""
    jitter: FloatArray
    """Most time by which a release comes after it is due."""
    spacing: FloatArray
    """Least time between two packets of a flow that are released one by one, behind a switch or a server; 0: those of a
    message are released at once."""
    overtaking: IntArray
    """Messages of a flow that are due later than one of it and may be released before it all the same."""

    def chosen(self, which: BoolArray) -> "RingFlows":
        """Returns some of the flows alone."""
        of_flows = (one.name for one in fields(self) if one.name not in ("nodes", "hops", "echo"))
        return replace(self, **{name: getattr(self, name)[which] for name in of_flows})

    @cached_property
    def reach(self) -> IntArray:
        """Hops to the destination."""
        return np.asarray((self.destination - self.source - 1) % self.nodes + 1)

    @cached_property
    def packet(self) -> IntArray:
        """Cycles that a link takes for a packet and its idle."""
        return self.symbols + 1

    @cached_property
    def longest_sent(self) -> FloatArray:
        """Cycles that the longest packet of each node takes; 0 where it sends none. Shape (nodes,)."""
        longest = np.zeros(self.nodes)
        np.maximum.at(longest, self.source, self.packet)
        return longest

    @property
    def answer(self) -> int:
        """Cycles that a link takes for an echo and its idle."""
        return self.echo + 1

    @property
    def count(self) -> int:
        """Number of flows."""
        return len(self.source)

    @cached_property
    def revolution(self) -> int:
        """Cycles once round the ring, if nothing waits."""
        return int(self.hops.sum())

    @cached_property
    def farthest(self) -> float:
        """Cycles beyond which a window is taken to have no end."""
        return float(FARTHEST_PERIODS * self.period.max(initial=1e5))

    @cached_property
    def of_node(self) -> FloatArray:
        """1 where a flow (row) is of a node (column)."""
        return np.equal.outer(self.source, np.arange(self.nodes)).astype(float)

    @cached_property
    def ahead(self) -> IntArray:
        """Hops from the source of flow `j` (column) to the source of flow `i` (row); 0 where both are one node."""
        return (self.source[:, None] - self.source[None, :]) % self.nodes

    @cached_property
    def same_node(self) -> BoolArray:
        """Whether flows `i` and `j` start at one node."""
        return np.asarray(self.ahead == 0)

    @cached_property
    def on_link(self) -> FloatArray:
        """Cycles that each packet of flow `j` takes of the link behind the source of flow `i`: of another node's flow.

        Its packet crosses the links to its destination, and its echo all others (docs/explanation/guarantees.md, Lemma
        1).
        """
        crossing = np.where(self.ahead < self.reach[None, :], self.packet[None, :], self.answer)
        return np.where(self.same_node, 0.0, crossing)

    @cached_property
    def others_first(self) -> BoolArray:
        """Whether flow `j` of the same node goes before flow `i` or in turn with it; not itself."""
        return self.same_node & (self.priority[None, :] >= self.priority[:, None]) & ~np.eye(self.count, dtype=bool)

    @cached_property
    def lower(self) -> BoolArray:
        """Whether flow `j` (column) has a lower priority than flow `i` (row)."""
        return np.asarray(self.priority[None, :] < self.priority[:, None])

    @cached_property
    def longest_lower(self) -> FloatArray:
        """Cycles of the longest packet of lower priority of the same node; 0 where there is none."""
        return np.asarray(np.where(self.same_node & self.lower, self.packet[None, :], 0.0).max(axis=1, initial=0.0))

    @cached_property
    def finds_free(self) -> BoolArray:
        """Whether the first packet of a flow in a window is all that its node has sent or begun to send in it."""
        one_by_one = np.where(self.spacing > 0, 1, self.packets) == 1
        return np.asarray(one_by_one & ~self.others_first.any(axis=1) & (self.longest_lower == 0))

    @cached_property
    def longest_passing(self) -> FloatArray:
        """`on_link` of the one flow of another node whose packet, or echo, takes the link for longest, 0 of others."""
        longest = np.zeros_like(self.on_link)
        rows = np.arange(self.count)
        worst = self.on_link.argmax(axis=1) if self.count else rows
        longest[rows, worst] = self.on_link[rows, worst]
        return longest

    def transit(self, wait: FloatArray) -> FloatArray:
        """Returns the time from the first symbol of a packet at the source to the last one at the destination.

        Args:
            wait: longest time in each node's bypass FIFO; shape (nodes,).
        """
        summed = np.concatenate([[0], np.cumsum(np.tile(self.hops, 2))])
        way = summed[self.source + self.reach] - summed[self.source]
        return np.asarray(way + self.symbols + self.waits_on_way(wait))

    def returned(self, wait: FloatArray) -> FloatArray:
        """Returns the time from the first symbol of a packet at the source until its echo is back; shape (flows,).

        Args:
            wait: longest time in each node's bypass FIFO; shape (nodes,).
        """
        return np.full(self.count, self.revolution + self.symbols + wait.sum())

    def waits_between(self, wait: FloatArray) -> FloatArray:
        """Returns the sum of the nodes' waits strictly between the source of `j` (column) and that of `i` (row).

        Args:
            wait: longest time in each node's bypass FIFO; shape (nodes,).
        """
        summed = np.concatenate([[0.0], np.cumsum(np.tile(wait, 2))])
        first = np.broadcast_to(self.source[None, :] + 1, self.ahead.shape)
        return np.where(self.same_node, 0.0, summed[first + np.maximum(self.ahead - 1, 0)] - summed[first])

    def waits_on_way(self, wait: FloatArray) -> FloatArray:
        """Returns the sum of the nodes' waits strictly between each flow's source and its destination."""
        summed = np.concatenate([[0.0], np.cumsum(np.tile(wait, 2))])
        return np.asarray(summed[self.source + self.reach] - summed[self.source + 1])

    def released(self, window: FloatArray, late: FloatArray) -> FloatArray:
        """Returns the most packets of each flow that come by a place within a closed stretch of time.

        Args:
            window: its length; shape (windows,).
            late: longest time from a due release to the place, less the shortest; shape (windows, flows).
        """
        # A release is due at a cycle that is rounded up.
        messages = np.floor((window[:, None] + late + 1) / self.period[None, :]) + 1
        return messages * self.packets[None, :]


class Windows:
    """Windows of time, each of one flow: a flow may have several, for one of its messages after the other.

    Arrays have the shape (windows,), or (windows, flows) where they say something of every flow in a window.
    """

    def __init__(self, flows: RingFlows, of: IntArray) -> None:
        """Takes what each flow meets for its windows; `of` is the flow of each."""
        self.flows, self.of = flows, of
        self.count = len(of)
        self.packet, self.packets = flows.packet[of], flows.packets[of]
        self.same_node, self.on_link = flows.same_node[of], flows.on_link[of]
        self.finds_free = flows.finds_free[of]
        self._lower, self._others_first = flows.lower[of], flows.others_first[of]

    @classmethod
    def of_each(cls, flows: RingFlows) -> "Windows":
        """Returns one window of each flow."""
        return cls(flows, np.arange(flows.count))

    def others(self, released: FloatArray) -> FloatArray:
        """Returns the packets of other nodes among those released in each window; shape (windows, flows)."""
        return np.where(self.same_node, 0.0, released)

    def first_packets(self, messages: FloatArray, released: FloatArray) -> FloatArray:
        """Returns how many packets each flow's node sends until the flow's last message is sent; shape (windows,).

        Args:
            messages: of the flow itself; shape (windows,).
            released: packets of each flow that are released in the window; shape (windows, flows).
        """
        return np.asarray(messages * self.packets + np.where(self._others_first, released, 0.0).sum(axis=1))

    def first_cycles(self, messages: FloatArray, released: FloatArray) -> FloatArray:
        """Returns the cycles that these packets take of the node's link; arguments and shape as for `first_packets`."""
        before = np.where(self._others_first, self.flows.packet * released, 0.0).sum(axis=1)
        return np.asarray(self.packet * messages * self.packets + before)

    def inversion_and_interference(self, passing: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the time that is waited for lower priorities, and for its own and higher ones; shape (windows,).

        Args:
            passing: cycles that are waited for each flow; shape (windows, flows).
        """
        inversion = np.where(self._lower, passing, 0.0).sum(axis=1)
        return inversion, passing.sum(axis=1) - inversion


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper bounds of each flow's times, in cycles; infinite where there is none. Shape (flows,)."""

    own_queue: FloatArray
    """Packets of the same node that go before its last packet: its own, and others of its priority or above."""
    blocking: FloatArray
    """A packet of lower priority of the same node that has begun."""
    access: FloatArray
    """What the protocol itself takes: go bits on their way, revolutions of the train, control symbols."""
    inversion: FloatArray
    """Packets of lower priority of other nodes."""
    interference: FloatArray
    """Packets of other nodes of its priority or above, and echoes."""
    transit: FloatArray
    """From the first symbol of its last packet at the source to the last one at the destination."""
    returned: FloatArray
    """From the first symbol of a packet at the source until its echo is back."""
    waited: FloatArray
    """Longest time from when a packet may be sent until it begins to be."""
    window: FloatArray
    """Longest time for which the node sends packets of the flow's priority or above, or lets others pass."""

    @property
    def sent(self) -> FloatArray:
        """The time from the due release until the last packet begins."""
        return self.own_queue + self.blocking + self.access + self.inversion + self.interference

    @property
    def arrived(self) -> FloatArray:
        """The time from the due release until all of the message is at the destination."""
        return self.sent + self.transit


def settled(step: Callable[[FloatArray], FloatArray], start: FloatArray, *, farthest: float) -> FloatArray:
    """Returns the least fixed point at or above `start` of a growing function; infinite where it is beyond a limit."""
    window = start
    for _ in range(MOST_ROUNDS):
        after = np.maximum(window, step(window))
        after[np.isnan(after) | (after > farthest)] = np.inf
        if np.array_equal(after, window):
            return window
        window, before = after, window
    return np.where(window > before, np.inf, window)
