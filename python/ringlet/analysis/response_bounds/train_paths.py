"""The path of causes that delays a train, and packets behind it, for longest (docs/explanation/guarantees.md, 5)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.ring import FloatArray, IntArray, RingFlows

MOST_STRETCHES = 8
"""Parts of the ring at which a train is looked at; a ring of more links has several in each, which count as one."""

TURNS = np.array(sorted({math.ceil(1.5**step) for step in range(18)}), dtype=np.int64)
"""Turns of a node whose times are looked at: each of the first ones, then some, which stand for those before."""


@dataclass(frozen=True)
class Emissions:
    """The longest times until the packets of each node's busy window have passed, turn by turn."""

    flows: RingFlows
    passed: FloatArray
    """Longest time from the begin of a window until a turn's packets have passed; shape (nodes, turns)."""
    reached: FloatArray
    """1 for the turns that a window may have, else 0; shape (nodes, turns)."""

    @property
    def latest(self) -> FloatArray:
        """Longest time from the begin of a window of each node until a packet of it has passed; shape (nodes,)."""
        return np.asarray((self.passed * self.reached).max(axis=1))

    def most(self, window: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns the most packets that come by in so many cycles: of each flow, and of each node (Lemma 11).

        Args:
            window: cycles; shape (windows,).

        Returns:
            Packets of each flow, shape (windows, flows), and of all flows of each node, shape (windows, nodes); the
            latter may be fewer than the sum of the former.
        """
        flows, source = self.flows, self.flows.source
        each = self.released(window[:, None] + self.latest[source])
        of_node = np.zeros((len(window), flows.nodes))
        before = 0
        for turn, (passed, reached) in zip(TURNS, zip(self.passed.T, self.reached.T, strict=True), strict=True):
            if not reached.any():
                break
            # What was sent in the turns before is not sent in the window.
            since = self.released(window[:, None] + passed[source]) @ flows.of_node - before
            of_node = np.maximum(of_node, since * reached)
            before = turn
        return each, np.minimum(of_node, each @ flows.of_node)

    def released(self, time: FloatArray) -> FloatArray:
        """Returns the most packets of each flow that are released in a closed stretch of time; shape (..., flows)."""
        flows = self.flows
        time = np.maximum(time, 0.0)
        packets = flows.packets * (np.floor((time + flows.jitter + 1) / flows.period) + 1)
        spacing = np.where(flows.spacing > 0, flows.spacing, 1.0)
        one_by_one = np.minimum(packets, np.floor(time / spacing) + 1)
        return np.asarray(np.where(flows.spacing > 0, one_by_one, packets))


@dataclass(frozen=True)
class Paths:
    """The paths of causes by which trains are delayed on a ring (Lemmas 9 and 10)."""

    flows: RingFlows
    master: int
    """Node that makes the train."""
    locomotive: int
    """Symbols of a train without tickets."""
    ticket: int
    """Symbols of a ticket."""
    delay: int
    """Cycles for which a node other than the master keeps a train."""
    tickets: int
    """Most tickets of each node in a train."""

    @cached_property
    def kept(self) -> FloatArray:
        """Cycles for which each node keeps a train without tickets; shape (nodes,)."""
        is_master = np.arange(self.flows.nodes) == self.master
        return np.where(is_master, float(self.locomotive), float(max(self.delay, 1)))

    @property
    def head(self) -> int:
        """Symbols of a train without tickets, and the idle behind it."""
        return self.locomotive + 1

    @property
    def revolution(self) -> float:
        """Cycles of a train without tickets once round a ring on which nothing waits."""
        return self.flows.revolution + float(self.kept.sum())

    @property
    def spared(self) -> float:
        """Cycles of the empty revolution that a train does not make while it waits for a slot to end."""
        return self.revolution - self.head

    @property
    def lasting(self) -> FloatArray:
        """Cycles from when a packet of each node might begin to be emitted at the end of its way until no more than the
        symbols of a train are left of it, or of its echo, which comes later; shape (nodes,)."""
        flows = self.flows
        return np.maximum(flows.longest_sent - min(self.head, flows.answer), 0.0)

    def kept_on_way(self, node: IntArray, hops: IntArray) -> FloatArray:
        """Returns the cycles for which nodes between keep a train; shape (windows,).

        Args:
            node: at which each way begins; shape (windows,).
            hops: its links; shape (windows,).
        """
        summed = np.concatenate([[0.0], np.cumsum(np.tile(self.kept, 2))])
        return np.asarray(summed[node + hops] - summed[node + 1])

    def longest(
        self, node: IntArray, hops: IntArray, packets: FloatArray, of_node: FloatArray, asked: FloatArray
    ) -> "Longest":
        """Returns what delays a packet of each node on the path that takes longest.

        Args:
            node: that sends the packet; shape (windows,).
            hops: links of its way; shape (windows,).
            packets: of each flow that come by; shape (windows, flows).
            of_node: of all flows of each node; shape (windows, nodes).
            asked: tickets that are in a train; shape (windows,).
        """
        echoes = self.flows.answer * of_node
        work, slots = np.zeros_like(of_node), np.zeros(len(node))
        for own in sorted(set(node.tolist())):
            here = np.flatnonzero(node == own)
            taken = self._links.taken(packets[here], of_node[here])
            further = self._further(own, hops[here])
            if self.tickets == 1:
                # Packets of the node are in slots of their own, each of which spares a revolution.
                before = of_node[here, own]
                taken[:, :, own] = np.maximum(self.flows.longest_sent[own] - self.spared, 0.0) * before
                echoes[here, own] = 0.0
                further = np.maximum(further - before, 0.0)
            best = (taken.sum(axis=2) - self.spared * further).argmax(axis=0)
            found = best, np.arange(len(here))
            work[here] = taken[found]
            # A train has a ticket for two revolutions.
            slots[here] = 2 * self.ticket * asked[here] - self.spared * further[found]
        return Longest(work + echoes, slots)

    @cached_property
    def _on_link(self) -> FloatArray:
        """Cycles that each packet takes of each link beyond an echo; shape (flows, nodes)."""
        flows = self.flows
        ahead = (np.arange(flows.nodes) - flows.source[:, None]) % flows.nodes
        return np.where(ahead < flows.reach[:, None], flows.packet[:, None] - flows.answer, 0.0)

    @cached_property
    def _stretch(self) -> IntArray:
        """The stretch of each link; shape (nodes,)."""
        nodes = self.flows.nodes
        return np.arange(nodes) * min(MOST_STRETCHES, nodes) // nodes

    @cached_property
    def _stretches(self) -> FloatArray:
        """Cycles that each packet takes of each stretch of the ring beyond an echo; shape (flows, stretches)."""
        count = self._stretch.max() + 1
        return np.stack([self._on_link[:, self._stretch == one].max(axis=1) for one in range(count)], axis=1)

    def _further(self, own: int, hops: IntArray) -> FloatArray:
        """Returns for how many slots a train waits beside the last one on a packet's way, for each set of links.

        Args:
            own: node that sends the packets.
            hops: links of their ways; shape (windows,).

        Returns:
            Slots; shape (sets, windows).
        """
        count = self._stretch.max() + 1
        ahead = (np.arange(self.flows.nodes) - own) % self.flows.nodes
        on_way = np.zeros((count, len(hops)), dtype=bool)
        np.logical_or.at(on_way, self._stretch, ahead[:, None] < hops)
        pairs = (1.0 - np.eye(count))[:, :, None] + ~on_way[:, None, :]
        return np.concatenate([pairs.reshape(-1, len(hops)), np.full((1, len(hops)), 2.0)])

    @cached_property
    def _links(self) -> "Links":
        """All pairs of two stretches, and at last the whole ring."""
        pairs = np.maximum(self._stretches[:, :, None], self._stretches[:, None, :]).reshape(self.flows.count, -1)
        return Links.of(self.flows, np.concatenate([pairs, self._on_link.max(axis=1, keepdims=True)], axis=1))


@dataclass(frozen=True)
class Links:
    """Sets of links, and what packets take of them beyond an echo each."""

    flows_of: IntArray
    """The flows of each node, filled up with one that does not exist; shape (nodes, most flows of a node)."""
    cycles: FloatArray
    """Cycles that each packet takes; shape (nodes, most flows of a node, sets)."""

    @classmethod
    def of(cls, flows: RingFlows, cycles: FloatArray) -> "Links":
        """Takes the cycles of each flow's packets; shape (flows, sets)."""
        here = [np.flatnonzero(flows.source == node) for node in range(flows.nodes)]
        flows_of = np.full((flows.nodes, max(map(len, here))), flows.count)
        for node, those in enumerate(here):
            flows_of[node, : len(those)] = those
        return cls(flows_of, np.concatenate([cycles, np.zeros((1, cycles.shape[1]))])[flows_of])

    def taken(self, packets: FloatArray, of_node: FloatArray) -> FloatArray:
        """Returns the most cycles that the packets of each node take of each set.

        Args:
            packets: of each flow; shape (windows, flows).
            of_node: of all flows of each node; shape (windows, nodes).

        Returns:
            Cycles; shape (sets, windows, nodes).
        """
        each = np.concatenate([packets, np.zeros((len(packets), 1))], axis=1)[:, self.flows_of]
        summed = np.matmul(each.transpose(1, 0, 2), self.cycles)
        most = of_node.T[:, :, None] * self.cycles.max(axis=1)[:, None, :]
        return np.asarray(np.minimum(summed, most).transpose(2, 1, 0))


@dataclass(frozen=True, slots=True)
class Longest:
    """The delays of packets on the longest path, in cycles."""

    work: FloatArray
    """Packets and echoes of each node; shape (windows, nodes)."""
    slots: FloatArray
    """Tickets in the trains behind which a packet waits, less the empty revolutions that are spared; shape
    (windows,)."""
