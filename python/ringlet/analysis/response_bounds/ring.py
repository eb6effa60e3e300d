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

NO_ECHO = -1
"""Symbols of an echo where there are none: with its idle it takes no cycle of a link."""

MOST_SWEEPS = 60
"""Rounds in which the bounds of all flows have to come to rest."""

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
    """Symbols of an echo, without its idle; `NO_ECHO`: a packet ends at its destination."""
    source: IntArray
    destination: IntArray
    symbols: IntArray
    """Symbols of each packet, without its idle."""
    priority: IntArray
    packets: IntArray
    """Packets of one message: all are released at once."""
    period: FloatArray
    """Least time between two releases that are due."""
    jitter: FloatArray
    """Most time by which a release comes after it is due."""
    spacing: FloatArray
    """Least time between two packets of a flow that are released one by one, behind a switch or a server; 0: those of a
    message are released at once."""
    overtaking: IntArray
    """Messages of a flow that are due later than one of it and may be released before it all the same."""
    lost: int = 0
    """Packets and echoes that are lost at most, each of which makes a node send a packet again."""

    def chosen(self, which: BoolArray) -> "RingFlows":
        """Returns some of the flows alone."""
        of_flows = (one.name for one in fields(self) if one.name not in ("nodes", "hops", "echo", "lost"))
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
    def sent_again(self) -> float:
        """Cycles that a link takes for all that is sent again."""
        return float(self.lost * self.packet.max(initial=0))

    @cached_property
    def of_node(self) -> FloatArray:
        """1 where a flow (row) is of a node (column)."""
        return np.equal.outer(self.source, np.arange(self.nodes)).astype(float)

    @cached_property
    def kind(self) -> IntArray:
        """Which pair of a node and a priority each flow has."""
        return self._kinds[1]

    @cached_property
    def kind_node(self) -> IntArray:
        """Node of each such pair; shape (kinds,)."""
        return np.asarray(self._kinds[0][0])

    @cached_property
    def kind_priority(self) -> IntArray:
        """Priority of each such pair, which ascends at each node; shape (kinds,)."""
        return np.asarray(self._kinds[0][1])

    @cached_property
    def _kinds(self) -> tuple[IntArray, IntArray]:
        pairs, place = np.unique(np.stack([self.source, self.priority]), axis=1, return_inverse=True)
        return pairs, place.reshape(-1)

    @cached_property
    def has_others_first(self) -> BoolArray:
        """True where another flow of the node goes before a flow or in turn with it."""
        count = np.bincount(self.kind, minlength=len(self.kind_node))
        ordered = np.cumsum(count[::-1])[::-1]
        # What is behind a node's last kind is of other nodes.
        last = np.flatnonzero(np.diff(self.kind_node, append=-1) != 0)
        behind = np.append(ordered[1:], 0)[last]
        at_node = np.searchsorted(self.kind_node[last], self.kind_node)
        return np.asarray((ordered - behind[at_node])[self.kind] > 1)

    def longest_of_lower(self, cycles: FloatArray) -> FloatArray:
        """Returns the most of a figure of the flows of lower priority of the same node; 0 where there are none.

        Args:
            cycles: the figure, at least 0; shape (flows,).
        """
        longest = np.zeros(len(self.kind_node))
        np.maximum.at(longest, self.kind, cycles)
        lower = np.zeros_like(longest)
        for kind in range(1, len(longest)):
            if self.kind_node[kind] == self.kind_node[kind - 1]:
                lower[kind] = max(lower[kind - 1], longest[kind - 1])
        return lower[self.kind]

    @cached_property
    def longest_lower(self) -> FloatArray:
        """Cycles of the longest packet of lower priority of the same node; 0 where there is none."""
        return self.longest_of_lower(self.packet.astype(np.float64))

    @cached_property
    def finds_free(self) -> BoolArray:
        """True where the first packet of a flow in a window is all that its node has sent or begun to send in it."""
        one_by_one = np.where(self.spacing > 0, 1, self.packets) == 1
        return np.asarray(one_by_one & ~self.has_others_first & (self.longest_lower == 0))

    @cached_property
    def senders(self) -> IntArray:
        """The nodes that send, ascending; shape (senders,)."""
        return self.source[self.of_senders]

    @cached_property
    def of_senders(self) -> IntArray:
        """First flow of each of them; shape (senders,)."""
        return np.unique(self.source, return_index=True)[1]

    def ahead(self, nodes: IntArray) -> IntArray:
        """Returns the hops from the source of each flow to these nodes, 0 where both are one; shape (nodes, flows)."""
        straight = nodes[:, None] - self.source
        return np.where(straight < 0, straight + self.nodes, straight)

    def on_links(self, nodes: IntArray) -> FloatArray:
        """Returns the cycles that each packet takes of the links behind these nodes; 0 of a node's own flows.

        A packet crosses the links to its destination, and its echo all others (docs/explanation/guarantees.md, Lemma
        1).

        Args:
            nodes: shape (links,).

        Returns:
            Cycles; shape (links, flows).
        """
        ahead = self.ahead(nodes)
        crossing = np.where(ahead < self.reach, self.packet, self.answer)
        return np.where(ahead == 0, 0.0, crossing)

    @cached_property
    def longest_passing(self) -> tuple[FloatArray, IntArray]:
        """Cycles of the link behind each node that the longest packet, or echo, of another node takes, and the priority
        of that; shape (nodes,) each."""
        cycles, priority = np.zeros(self.nodes), np.zeros(self.nodes, dtype=np.int64)
        for node in self.senders.tolist():
            on_link = self.on_links(np.array([node]))[0]
            worst = int(on_link.argmax())
            cycles[node], priority[node] = on_link[worst], self.priority[worst]
        return cycles, priority

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

    def waits_between(self, nodes: IntArray, wait: FloatArray) -> FloatArray:
        """Returns the sum of the waits strictly between the source of each flow and these nodes; shape (nodes, flows).

        Args:
            nodes: at which the ways end.
            wait: longest time in each node's bypass FIFO; shape (nodes,).
        """
        summed = np.concatenate([[0.0], np.cumsum(np.tile(wait, 2))])
        ahead, first = self.ahead(nodes), self.source + 1
        return np.where(ahead == 0, 0.0, summed[first + np.maximum(ahead - 1, 0)] - summed[first])

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


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper bounds of each flow's times, in cycles; infinite where there is none. Shape (flows,)."""

    own_queue: FloatArray
    """Packets of the same node that go before its last packet: its own, and others of its priority or above."""
    blocking: FloatArray
    """A packet of lower priority of the same node that has begun."""
    access: FloatArray
    """Time that the protocol itself takes: go bits on their way, revolutions of the train, control symbols."""
    inversion: FloatArray
    """Packets of lower priority of other nodes."""
    interference: FloatArray
    """Packets of other nodes of its priority or above, and echoes."""
    transit: FloatArray
    """Time from the first symbol of its last packet at the source to the last one at the destination."""
    returned: FloatArray
    """Time from the first symbol of a packet at the source until its echo is back."""
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


def settled(step: Callable[[FloatArray, IntArray], FloatArray], start: FloatArray, *, farthest: float) -> FloatArray:
    """Returns the least fixed points at or above `start` of growing functions; infinite where one is beyond a limit.

    Args:
        step: returns what follows from some windows, each by itself, whose places are given, too.
        start: shape (windows,).
        farthest: the limit.
    """
    window = start.astype(np.float64)
    moving = np.arange(len(window))
    for _ in range(MOST_ROUNDS):
        if not moving.size:
            return window
        before = window[moving]
        after = np.maximum(before, step(before, moving))
        after[np.isnan(after) | (after > farthest)] = np.inf
        window[moving] = after
        moving = moving[(after != before) & np.isfinite(after)]
    window[moving] = np.inf
    return window
