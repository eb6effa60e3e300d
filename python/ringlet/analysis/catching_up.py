"""Packets that catch up with longer ones, where what passes an interface waits there.

Part of the queueing model of `ringlet.theory.latency_model`; docs/explanation/what-a-ring-can-carry.md derives it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.trains import ROUNDS, SETTLED, FloatArray, ratio


@dataclass(frozen=True, slots=True)
class Passing:
    """Send packets that pass each interface, in packets per symbol; shape (sizes, interfaces) each."""

    symbols: FloatArray
    """Length of a packet of each size, the idle behind it included; shape (sizes, 1)."""
    waits: FloatArray
    """Symbols for which a packet waits there, if nothing is in front of it."""
    passed: FloatArray
    """All packets."""
    entered: FloatArray
    """Part of these packets that the interface upstream has sent."""
    upstream: NDArray[np.int64]
    """Interface upstream of each interface; shape (interfaces,)."""


def waits_of_passing(passing: Passing) -> FloatArray:
    """Returns for how many symbols packets of each size wait on average at an interface that they pass, for the wait
    itself and behind longer packets in front that wait longer; shape (sizes, interfaces)."""
    waits = passing.waits.astype(np.float64)
    for size, own in enumerate(passing.waits):
        for ahead in range(len(waits)):
            gain = np.maximum(passing.waits[ahead] - own, 0.0)
            if gain.any():
                waits[size] += _behind(passing, size, ahead, gain)
    return waits


def _behind(passing: Passing, size: int, ahead: int, gain: FloatArray) -> FloatArray:
    """Returns the mean wait at each interface of packets of one size behind those of another one, on which they gain so
    many symbols there."""
    passed, upstream = passing.passed, passing.upstream
    behind, front = passed[size], passed[ahead]
    before, front_before = behind[upstream], front[upstream]
    # Share of what passed the interface upstream that passes this one, too.
    goes_on = ratio(passed - passing.entered, passed[:, upstream])
    both = goes_on[size] * goes_on[ahead]
    # A packet that is sent while one passes begins right behind it; one that passes waits for one that is sent.
    met = passing.symbols[ahead] * (
        passing.entered[size] * front_before * goes_on[ahead] + goes_on[size] * before * passing.entered[ahead]
    )
    close = np.minimum(front * gain, 1.0)
    caught = np.zeros(behind.shape)
    for _ in range(ROUNDS):
        # What comes in right behind a longer packet: as it was upstream, caught up there, or met there.
        now = np.minimum(both * (caught + (behind - caught) * close)[upstream] + met, behind)
        change = np.abs(now - caught).max(initial=0.0)
        caught = now
        if change < SETTLED:
            break
    share = ratio(caught, behind)
    # A packet that is caught up with within this wait is between 0 and `gain` ahead.
    return np.asarray(share * gain + (1 - share) * front * gain**2 / 2)
