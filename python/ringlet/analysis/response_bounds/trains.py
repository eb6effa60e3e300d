"""Response times under TRAIN (docs/explanation/guarantees.md, Section 5)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, IntArray
from ringlet.analysis.response_bounds.train_paths import TURNS, Emissions, Paths
from ringlet.analysis.response_bounds.windows import Compute, Kinds, Once, Rows, Sums, Windows, in_parts

MOST_ROUNDS = 200
"""Rounds in which the times of all turns have to come to rest."""


@dataclass(frozen=True)
class Trains(Analysis):
    """TRAIN that always arbitrates, on a ring where no ticket is cut off or deleted."""

    master: int
    """Node that makes the train."""
    locomotive: int
    """Symbols of a train without tickets."""
    ticket: int
    """Symbols of a ticket."""
    delay: int
    """Cycles for which a node other than the master keeps a train."""
    tickets: int
    """Most tickets of each node in a train; one gets on in any case."""

    def places(self, capacity: int | None) -> int | None:
        """Returns 0 where a queue has a limit: a ticket may be deleted because there is no place."""
        return None if capacity is None else 0

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds; they follow from the times of all turns, and not from the given bounds."""
        flows, sent = self.flows, self._emissions
        none = np.zeros(flows.count)
        if sent is None:
            return Bounds(np.full(flows.count, np.inf), *[none] * 8)

        def first(kinds: Kinds) -> Compute:
            return kinds.sums(flows.jitter, *kinds.packets_and_cycles_first)

        def held(kinds: Kinds) -> Compute:
            return lambda rows, ahead, reach: delayed(kinds, rows, ahead, reach)

        def delayed(kinds: Kinds, rows: Rows, ahead: FloatArray, reach: IntArray) -> Sums:
            work, access, each = self._delayed(sent, rows.node, ahead, reach, rows.window)
            of_flow = each * flows.packet
            lower = np.where(rows.table(kinds.lower), of_flow, 0.0) @ flows.of_node
            share = np.divide(lower, of_flow @ flows.of_node, out=np.zeros_like(work), where=work > 0)
            others = np.where(np.arange(flows.nodes) == rows.node[:, None], 0.0, work)
            inversion = (others * share).sum(axis=1)
            return work[np.arange(len(work)), rows.node], access, inversion, others.sum(axis=1)

        once_first, once_held = Once(flows, first), Once(flows, held, by_pairs=True)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            of = windows.of
            asked = np.maximum(window - self._granted[flows.source[of]], 0.0)
            before = windows.before(asked, *once_first(of, asked))[0]
            ahead = windows.first_packets(messages, before)
            own, access, inversion, others = once_held(of, window, ahead, flows.reach[of])
            return own + windows.packet, np.zeros(windows.count), access, inversion, others - inversion

        parts, waited, length = longest_waits(flows, shares, bounds.window)
        returned = sent.latest[flows.source] + flows.revolution + flows.symbols
        return Bounds(*parts, flows.transit(np.zeros(flows.nodes)), returned, waited, length)

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self.flows, self.master, self.locomotive, self.ticket, self.delay, self.tickets)

    @property
    def _granted(self) -> FloatArray:
        """Least cycles from a node's request for a packet until it is sent; shape (nodes,)."""
        return self._paths.revolution + self._paths.kept + self._paths.head

    def _delayed(
        self, sent: Emissions, node: IntArray, ahead: FloatArray, hops: IntArray, window: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Returns what a packet waits for from the begin of its node's window until it has passed (Lemma 10).

        Args:
            sent: what each node sends.
            node: of the packet; shape (windows,).
            ahead: packets of the node up to this one, in the order of their grants; shape (windows,).
            hops: links of its way until it has passed; shape (windows,).
            window: its wait so far; shape (windows,).

        Returns:
            Packets and echoes of each node, shape (windows, nodes); what the protocol itself takes, shape (windows,);
            packets of each flow that are counted, shape (windows, flows).
        """
        flows, paths = self.flows, self._paths
        least = float(self._granted.min()) - paths.revolution
        each, of_node = sent.most(window + flows.revolution - least)
        asking = sent.most(window + paths.revolution + flows.revolution)[1]
        before = sent.most(np.array([paths.revolution]))[1][0]
        rows = np.arange(len(node))
        # The packet itself is not in its own way.
        of_node[rows, node] = np.minimum(of_node[rows, node], before[node] + ahead) - 1
        longest = paths.longest(node, hops, each, of_node, asking.sum(axis=1))
        revolutions = 2 * ahead + 1
        access = (
            paths.kept[node]
            + revolutions * paths.revolution
            + paths.kept_on_way(node, hops)
            + paths.head
            + longest.slots
        )
        return longest.work, access, each

    @cached_property
    def _emissions(self) -> Emissions | None:
        """The least times of all turns that prove themselves (Lemma 11); None: there are none."""
        flows = self.flows
        passed = np.zeros((flows.nodes, len(TURNS)))
        reached = np.zeros_like(passed)
        reached[flows.source, 0] = 1
        for _ in range(MOST_ROUNDS):
            sent = Emissions(flows, passed + self._paths.lasting[:, None], reached)
            node, turn = np.nonzero(reached)
            ahead = TURNS[turn].astype(float)
            around = np.full(len(node), flows.nodes)
            after = passed.copy()
            for part in in_parts(len(node), flows.count):
                at, until = node[part], passed[node[part], turn[part]]
                work, access, _ = self._delayed(sent, at, ahead[part], around[part], until)
                after[at, turn[part]] = np.maximum(until, work.sum(axis=1) + access)
            # A window ends with the request that leaves nothing.
            asked = after - self._granted[:, None]
            left = sent.released(asked.T[:, flows.source]) @ flows.of_node > TURNS[:, None]
            further = np.concatenate([reached[:, :1], reached[:, :-1] * left.T[:, :-1]], axis=1)
            further = np.maximum(further, reached)
            if further[:, -1].any() or after.max() > flows.farthest:
                return None
            if np.array_equal(after, passed) and np.array_equal(further, reached):
                return sent
            passed, reached = after, further
        return None
