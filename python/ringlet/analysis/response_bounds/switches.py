"""Bounds in a switch: the longest wait for its B-Link, and the buffers that packets take
(docs/explanation/guarantees.md, Section 8)."""

from dataclasses import dataclass

import numpy as np

from ringlet.analysis.response_bounds.ring import FARTHEST_PERIODS, BoolArray, FloatArray, IntArray, settled

MOST_STEPS = 10_000
"""Packets in one stretch of work at a port up to which each is looked at."""


@dataclass(frozen=True)
class Crossing:
    """The flows that cross a B-Link; arrays have the shape (flows,), times are in cycles."""

    entry: IntArray
    """Port that takes each flow's packets off its ring."""
    exit: IntArray
    """Port that puts them on the next one."""
    packets: IntArray
    """Packets of one message."""
    period: FloatArray
    """Least time between two messages that are due."""
    arrived: FloatArray
    """Longest time from when a message is due until all of it is at the entry."""
    packet: IntArray
    """Time that each packet takes of the link to its entry: the least until the next one."""
    hold: FloatArray
    """Longest time for which each packet keeps the B-Link from the next one that waits."""
    in_turn: bool
    """Does the B-Link take ports in turn, whatever the priorities and classes of their packets?"""
    lost: int = 0
    """Packets and echoes that are lost at most: as many packets more may come at any time."""

    def chosen(self, which: BoolArray) -> "Crossing":
        """Returns some of the flows alone."""
        return Crossing(
            self.entry[which],
            self.exit[which],
            self.packets[which],
            self.period[which],
            self.arrived[which],
            self.packet[which],
            self.hold[which],
            self.in_turn,
            self.lost,
        )

    def among(self, window: FloatArray, which: IntArray, late: FloatArray) -> FloatArray:
        """Returns the most packets of some flows in closed stretches of time; shape of `window`.

        Args:
            window: lengths.
            which: of the flows.
            late: longest time from when each of them is due to the place; shape (chosen,).
        """
        messages = np.floor((window[:, None] + late[None, :] + 1) / self.period[which][None, :]) + 1
        return np.asarray((messages * self.packets[which]).sum(axis=1))

    def came(self, window: FloatArray, port: int) -> FloatArray:
        """Returns the most packets that come to a port in closed stretches of time: no more than its link carries."""
        those = np.flatnonzero(self.entry == port)
        come = self.among(window, those, self.arrived[those]) + self.lost
        return np.asarray(np.minimum(come, self.fitting(window, port)))

    def fitting(self, window: FloatArray, port: int) -> FloatArray:
        """Returns the most packets that a port's link carries in closed stretches of time."""
        return np.asarray(np.floor(window / self.packet[self.entry == port].min()) + 1)

    def work(self, window: FloatArray, port: int) -> FloatArray:
        """Returns how long packets that come to a port in closed stretches of time keep the B-Link at most."""
        those = np.flatnonzero(self.entry == port)
        each = sum(
            self.hold[one] * self.among(window, those[at : at + 1], self.arrived[those[at : at + 1]])
            for at, one in enumerate(those.tolist())
        )
        longest = self.hold[those].max()
        return np.asarray(np.minimum(each + longest * self.lost, longest * self.fitting(window, port)))


def waits(crossing: Crossing) -> FloatArray:
    """Returns the longest time from when a packet is at the B-Link until its transfer has ended; shape (flows,)."""
    ports = np.unique(crossing.entry).tolist()
    farthest = float(FARTHEST_PERIODS * crossing.period.max(initial=1e5))

    def work(window: FloatArray, _: IntArray) -> FloatArray:
        return np.asarray(sum(crossing.work(window, port) for port in ports))

    # While anything waits the bus works: what comes in such a stretch of work has left by its end.
    longest = float(settled(work, np.full(1, crossing.hold.max()), farthest=farthest)[0])
    found = np.full(len(crossing.entry), longest)
    if crossing.in_turn and longest < MOST_STEPS * crossing.packet.min():
        for port in ports:
            found[crossing.entry == port] = min(longest, _in_turn(crossing, port, ports, longest))
    return found


def _in_turn(crossing: Crossing, port: int, ports: list[int], longest: float) -> float:
    """Returns the longest wait at one port if the bus takes ports in turn: before each of its packets goes one of each
    other port at most, and no more than come in the longest stretch of work."""
    # A packet comes between one step and the next, and those of its port before it go first.
    apart = int(crossing.packet[crossing.entry == port].min())
    step = np.arange(0, longest, apart)
    own = crossing.came(step + apart, port)
    others = [np.minimum(crossing.came(np.full(1, longest), other), own) for other in ports if other != port]
    return float(np.max(crossing.hold.max() * (own + sum(others)) - step))


def received(crossing: Crossing, wait: FloatArray, before: FloatArray) -> dict[int, float]:
    """Returns the most packets that each port's receive buffers hold.

    Args:
        crossing: the flows that use the same buffers.
        wait: what `waits` returned of them.
        before: cycles from a packet's first symbol until it is at the B-Link, and from the end of its transfer until
            its buffer is free; shape (flows,).
    """
    ports = np.unique(crossing.entry).tolist()
    stay = {port: float((before + wait)[crossing.entry == port].max()) for port in ports}
    return {port: float(crossing.came(np.array([stay[port]]), port)[0]) for port in ports}


def sent(crossing: Crossing, freed: FloatArray, stay: FloatArray, *, least: float) -> dict[int, float]:
    """Returns the most packets that each port's transmit slots hold.

    Args:
        crossing: the flows that use the same slots.
        freed: longest time from when a message is due until the slots of its packets are free; shape (flows,).
        stay: longest time of a packet in its slot; shape (flows,).
        least: the shortest time between two packets that the B-Link brings.
    """
    found = {}
    for port in np.unique(crossing.exit).tolist():
        those = np.flatnonzero(crossing.exit == port)
        due = crossing.among(np.zeros(1), those, freed[those])[0]
        # What is lost is kept longer, and so is what came late, since it was lost before.
        found[port] = float(min(due, np.floor(stay[those].max() / least) + 1) + crossing.lost)
    return found
