"""Bounds at the receiver: the longest wait for service, and the places that packets take
(docs/explanation/guarantees.md, Section 2)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds.ring import FloatArray, IntArray, RingFlows, settled

MOST_STEPS = 100_000
"""Packets in one stretch of service up to which places are counted."""


@dataclass(frozen=True, slots=True)
class Service:
    """Bounds at the input queues; infinite where there is none."""

    time: FloatArray
    """Time from the arrival of a packet's last symbol to the end of its service, for each flow."""
    places: FloatArray
    """Packets that each node's queue holds at most; shape (nodes,)."""


def service(flows: RingFlows, arrived: FloatArray, targets: NDArray[np.bool_], cycles: int) -> Service:
    """Returns the bounds at servers that take `cycles` for a packet.

    Args:
        flows: of a ring, all requests or all responses.
        arrived: longest time from when a message is due until all of it is at its destination; shape (flows,).
        targets: nodes to which each flow may go; shape (flows, nodes).
        cycles: of a service.
    """
    time = np.full(flows.count, float(cycles))
    places = np.zeros(flows.nodes)
    for node in np.flatnonzero(targets.any(axis=0)).tolist():
        arrivals = _Arrivals(flows, arrived, np.flatnonzero(targets[:, node]))
        if cycles <= arrivals.apart:
            # Packets come no faster than they are served, so none waits.
            places[node] = np.floor(max(arrivals.longest + cycles - 1, 0) / arrivals.apart) + 1
            continue
        places[node] = _places(arrivals, cycles)
        for priority in set(flows.priority[arrivals.here].tolist()):
            those = arrivals.here[flows.priority[arrivals.here] == priority]
            time[those] = np.maximum(time[those], _time(arrivals, priority, cycles))
    return Service(time, places)


@dataclass(frozen=True)
class _Arrivals:
    """The packets that come to one node."""

    flows: RingFlows
    arrived: FloatArray
    """Longest time from when a message is due until all of it has come; shape (flows,)."""
    here: NDArray[np.int64]
    """The flows that may come."""

    @cached_property
    def apart(self) -> int:
        """Least cycles from one packet to the next."""
        return int(self.flows.packet[self.here].min())

    @cached_property
    def longest(self) -> int:
        """Symbols of the longest packet."""
        return int(self.flows.symbols[self.here].max())

    def among(self, window: FloatArray, which: NDArray[np.bool_]) -> FloatArray:
        """Returns the most packets of some of these flows in closed stretches of time; shape of `window`."""
        chosen = self.here[which]
        late = self.arrived[chosen][None, :]
        messages = np.floor((window[:, None] + late + 1) / self.flows.period[chosen][None, :]) + 1
        return np.asarray((messages * self.flows.packets[chosen]).sum(axis=1))

    def fitting(self, window: FloatArray) -> FloatArray:
        """Returns the most packets that a link carries in closed stretches of time."""
        return np.asarray(np.floor(window / self.apart) + 1)


def _time(arrivals: _Arrivals, priority: int, cycles: int) -> float:
    """Returns the longest time from the arrival of a packet of a priority to the end of its service."""
    flows = arrivals.flows
    come = flows.priority[arrivals.here]
    higher, equal = come > priority, come == priority
    lower = int(np.any(come < priority))

    def busy(window: FloatArray, _: IntArray) -> FloatArray:
        came = np.minimum(arrivals.among(window, higher | equal) + flows.lost, arrivals.fitting(window))
        return np.asarray(cycles * (lower + came))

    longest = settled(busy, np.full(1, float(cycles)), farthest=flows.farthest)[0]
    if not longest < MOST_STEPS * arrivals.apart:
        return float("inf")
    # The packet arrives between one step and the next, in turn with those of its priority that came before.
    step = np.arange(0, longest, arrivals.apart)
    until = step + arrivals.apart
    before = np.minimum(arrivals.among(until, equal) + flows.lost, arrivals.fitting(until))

    def ends(window: FloatArray, these: IntArray) -> FloatArray:
        fitting = arrivals.fitting(np.maximum(window, until[these]))
        came = np.minimum(before[these] + arrivals.among(window, higher), fitting)
        return np.asarray(cycles * (lower + came))

    end = settled(ends, np.full(len(step), float(cycles)), farthest=flows.farthest)
    return float(np.max(end - step))


def _places(arrivals: _Arrivals, cycles: int) -> float:
    """Returns the most packets in the queue, from the first symbol of each to the end of its service."""
    flows = arrivals.flows
    everything = np.ones(len(arrivals.here), dtype=bool)

    def came(window: FloatArray) -> FloatArray:
        return np.minimum(arrivals.among(window, everything) + flows.lost, arrivals.fitting(window))

    def busy(window: FloatArray, _: IntArray) -> FloatArray:
        return arrivals.longest + cycles * came(window)

    longest = settled(busy, np.ones(1), farthest=flows.farthest)[0]
    if not longest < MOST_STEPS * arrivals.apart:
        return float("inf")
    window = np.arange(0, longest + arrivals.apart, arrivals.apart)
    served = np.maximum(np.floor((window - arrivals.longest) / cycles), 0)
    # What comes up to the next step, less what was served by this one.
    return float(np.max(came(window + arrivals.apart) - served))
