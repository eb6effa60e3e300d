"""Bounds at the receiver: the longest wait for service, and the places that packets take
(docs/explanation/guarantees.md, Section 2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.response_bounds.ring import Bounds, FloatArray, RingFlows, settled

MOST_STEPS = 100_000
"""Packets in one stretch of service up to which places are counted."""


@dataclass(frozen=True, slots=True)
class Service:
    """Bounds at the input queues; infinite where there is none."""

    time: FloatArray
    """From the arrival of a packet's last symbol to the end of its service, for each flow."""
    places: FloatArray
    """Packets that each node's queue holds at most; shape (nodes,)."""


def service(flows: RingFlows, bounds: Bounds, targets: NDArray[np.bool_], cycles: int) -> Service:
    """Returns the bounds at servers that take `cycles` for a packet.

    Args:
        flows: of the ring.
        bounds: until their arrival.
        targets: nodes to which each flow may go; shape (flows, nodes).
        cycles: of a service.
    """
    nodes = np.arange(flows.nodes)
    received = targets.any(axis=0)
    if cycles <= flows.packet:
        # Packets come no faster than they are served, so none waits.
        held = np.floor(max(flows.symbols + cycles - 1, 0) / flows.packet) + 1
        return Service(np.full(flows.count, float(cycles)), np.where(received, held, 0.0))
    time = np.full(flows.count, float(cycles))
    places = np.zeros(flows.nodes)
    for node in nodes[received].tolist():
        here = np.flatnonzero(targets[:, node])
        arrivals = _Arrivals(flows, bounds, here)
        places[node] = _places(arrivals, cycles)
        for priority in np.unique(flows.priority[here]).tolist():
            those = here[flows.priority[here] == priority]
            time[those] = np.maximum(time[those], _time(arrivals, priority, cycles))
    return Service(time, places)


@dataclass(frozen=True, slots=True)
class _Arrivals:
    """The packets that come to one node."""

    flows: RingFlows
    bounds: Bounds
    here: NDArray[np.int64]
    """The flows that may come."""

    def among(self, window: FloatArray, which: NDArray[np.bool_]) -> FloatArray:
        """Returns the most packets of some of these flows in closed stretches of time; shape of `window`."""
        chosen = self.here[which]
        late = (self.bounds.sent + self.bounds.transit)[chosen][None, :]
        messages = np.floor((window[:, None] + late + 1) / self.flows.period[chosen][None, :]) + 1
        return np.asarray((messages * self.flows.packets[chosen]).sum(axis=1))

    def fitting(self, window: FloatArray) -> FloatArray:
        """Returns the most packets that a link carries in closed stretches of time."""
        return np.asarray(np.floor(window / self.flows.packet) + 1)


def _time(arrivals: _Arrivals, priority: int, cycles: int) -> float:
    """Returns the longest time from the arrival of a packet of a priority to the end of its service."""
    flows = arrivals.flows
    come = flows.priority[arrivals.here]
    higher, equal = come > priority, come == priority
    lower = int(np.any(come < priority))

    def busy(window: FloatArray) -> FloatArray:
        came = np.minimum(arrivals.among(window, higher | equal), arrivals.fitting(window))
        return np.asarray(cycles * (lower + came))

    longest = settled(busy, np.full(1, float(cycles)), farthest=flows.farthest)[0]
    if not longest < MOST_STEPS * flows.packet:
        return float("inf")
    # The packet arrives between one step and the next, in turn with those of its priority that came before.
    step = np.arange(0, longest, flows.packet)
    until = step + flows.packet
    before = np.minimum(arrivals.among(until, equal), arrivals.fitting(until))

    def ends(window: FloatArray) -> FloatArray:
        came = np.minimum(before + arrivals.among(window, higher), arrivals.fitting(np.maximum(window, until)))
        return np.asarray(cycles * (lower + came))

    end = settled(ends, np.full(len(step), float(cycles)), farthest=flows.farthest)
    return float(np.max(end - step))


def _places(arrivals: _Arrivals, cycles: int) -> float:
    """Returns the most packets in the queue, from the first symbol of each to the end of its service."""
    flows = arrivals.flows
    everything = np.ones(len(arrivals.here), dtype=bool)

    def came(window: FloatArray) -> FloatArray:
        return np.minimum(arrivals.among(window, everything), arrivals.fitting(window))

    longest = settled(lambda window: flows.symbols + cycles * came(window), np.ones(1), farthest=flows.farthest)[0]
    if not longest < MOST_STEPS * flows.packet:
        return float("inf")
    window = np.arange(0, longest + flows.packet, flows.packet)
    served = np.maximum(np.floor((window - flows.symbols) / cycles), 0)
    # What comes up to the next step, less what was served by this one.
    return float(np.max(came(window + flows.packet) - served))
