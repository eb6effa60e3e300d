"""Response times under TRAIN (docs/explanation/guarantees.md, Section 5)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.busy_window import Analysis, Parts, longest_waits
from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, Windows, settled


@dataclass(frozen=True)
class Trains(Analysis):
    """TRAIN that always arbitrates, with trains of any size, on a ring where no ticket is deleted."""

    master: int
    """Node that makes the train."""
    locomotive: int
    """Symbols of a train without tickets."""
    ticket: int
    """Symbols of a ticket."""
    delay: int
    """Cycles for which a node other than the master keeps a train."""
    tickets: int
    """Of each node in a train."""

    def places(self, capacity: int | None) -> int | None:
        """Returns 0 where a queue has a limit: a ticket may be deleted because there is no place."""
        return None if capacity is None else 0

    def improved(self, bounds: Bounds) -> Bounds:
        """Returns the bounds that follow if no packet has ever exceeded the given ones."""
        flows = self.flows
        keep = max(self.delay, 1)
        revolution = flows.revolution + (flows.nodes - 1) * keep + self.locomotive
        at_master = 2 * self.locomotive + 1
        # A revolution without packets, or a train that passes a link that is busy all the time.
        empty = max(revolution, at_master, self.locomotive + 1 + keep)
        passes = np.where(flows.source == self.master, at_master, self.locomotive + 1 + keep)
        deferred = self._deferred(bounds, passes, revolution)
        slots = np.floor(deferred / revolution)
        held = (slots + 1) * passes.max(initial=0) + self.locomotive
        slowest = self._time(empty, bounds.sent, None)

        def shares(windows: Windows, messages: FloatArray, window: FloatArray) -> Parts:
            ahead = windows.first_packets(messages, flows.released(window, flows.jitter[None, :]))
            turns = np.ceil(ahead / self.tickets)
            work = self._work(window, bounds.sent[None, :], slowest)
            own = np.where(windows.same_node, work, 0.0).sum(axis=1)
            access = (2 * turns + 1) * empty + (flows.reach * keep + held)[windows.of]
            inversion, others = windows.inversion_and_interference(windows.others(work))
            return own + windows.packet, np.zeros(windows.count), access, inversion, others

        parts, waited, length = longest_waits(flows, shares, bounds.window)
        alone = flows.revolution + flows.nodes * keep + flows.symbols.max(initial=0) + held.max(initial=0)
        around = self._time(alone, bounds.sent, slowest)
        returned = np.full(flows.count, around)
        return Bounds(*parts, flows.transit(np.zeros(flows.nodes)), returned, waited, length)

    def _work(self, window: FloatArray, late: FloatArray, revolution: FloatArray | float) -> FloatArray:
        """Returns by how long the packets of each flow (column) delay the train: by themselves, and by their tickets.

        A ticket is in the train for two revolutions, at the master twice as long; one of them may be before the window.
        """
        flows = self.flows
        tickets = 4 * self.ticket * flows.released(window, late + np.asarray(revolution))
        return np.asarray(flows.packet[None, :] * flows.released(window, late) + tickets)

    def _time(self, empty: float, late: FloatArray, revolution: float | None) -> float:
        """Returns the longest time for what takes so long without packets.

        Args:
            empty: that time.
            late: longest time from when a packet is due until it is sent; shape (flows,).
            revolution: the longest; None: it is this time itself.
        """

        def busy(window: FloatArray) -> FloatArray:
            before = window[:, None] if revolution is None else revolution
            return np.asarray(empty + self._work(window, late[None, :], before).sum(axis=1))

        return float(settled(busy, np.zeros(1), farthest=self.flows.farthest)[0])

    def _deferred(self, bounds: Bounds, passes: FloatArray, revolution: int) -> FloatArray:
        """Returns the longest time from a grant until the packet begins: its link is busy with what passes, trains, and
        what was granted before; shape (flows,)."""
        flows = self.flows
        late = np.broadcast_to((bounds.sent + bounds.returned)[None, :], (flows.count, flows.count))
        tickets = np.where(flows.source == self.master, 4, 2) * self.ticket

        def busy(window: FloatArray) -> FloatArray:
            trains = np.floor(window / revolution) + 1
            before = self.tickets * (np.floor(window / (2 * revolution)) + 1) - 1
            released = flows.released(window, late)
            passing = (np.where(flows.same_node, 0.0, flows.on_link * released)).sum(axis=1)
            granted = flows.longest_sent[flows.source] * before
            return np.asarray(trains * passes + granted + passing + tickets * released.sum(axis=1))

        return settled(busy, np.zeros(flows.count), farthest=flows.farthest)
