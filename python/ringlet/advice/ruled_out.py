"""Rules out candidates before anything is simulated: a part of one cannot carry its share, or packets wait too long on
average."""

import math

import numpy as np

from ringlet.advice.physics import FLUCTUATION
from ringlet.advice.requirements import Requirements
from ringlet.advice.verdict import percent
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.theory.latency_model import latency_model
from ringlet.theory.resources import Shared, shared

TRUSTED = 2.0
"""Factor by which the queueing model's mean latency has to be above a limit: its error was below that in every case
that docs/explanation/what-a-ring-can-carry.md compares with simulations."""

ABOVE_MEAN = ("mean", "p95", "p99")
"""Figures of latency that are taken to be at least the mean."""


def hopeless(wanted: Requirements, scenario: Scenario) -> tuple[str, ...]:
    """Returns why a candidate cannot meet the requirements; empty where only a simulation can tell.

    Args:
        wanted: the requirements.
        scenario: the candidate's, at the required rate.
    """
    found = shared(scenario.resolved, scenario.resolved.flows)
    reasons = [] if found is None else _overloaded(wanted, found)
    # A queue that grows without end has no mean latency that could be compared.
    return tuple(reasons or _late(wanted, scenario))


def _overloaded(wanted: Requirements, found: Shared) -> list[str]:
    load = found.load()
    worst = int(load.argmax())
    if load[worst] <= 1:
        return []
    rates = np.array([one.limit for one in found.commodities])
    data = np.array([one.limit * one.payload_bytes for one in found.commodities])
    uses = found.uses
    here = (uses.first <= worst) & (worst < uses.end)
    of_each = np.bincount(uses.commodity[here], uses.amount[here], len(rates)) * rates / found.capacity[worst]
    # What is too much costs the least data where it takes the most of this part for its data.
    dearest = (of_each[data > 0] / data[data > 0]).max()
    missing = float((load[worst] - 1) / dearest / data.sum())
    if missing <= wanted.loss + FLUCTUATION:
        return []
    limit = "none" if wanted.loss == 0 else percent(wanted.loss)
    part = found.places.name(worst)
    needs = f"{part} would have to carry {load[worst]:.3g} times what it can"
    return [f"not simulated: {needs}; loss {percent(missing)} or more, {limit} allowed; its queues stay full"]


def _late(wanted: Requirements, scenario: Scenario) -> list[str]:
    limit = wanted.latency_ns
    if limit is None or wanted.latency_figure not in ABOVE_MEAN:
        return []
    try:
        mean_ns = latency_model(scenario).mean_latency_cycles * scenario.symbol_time_ns
    except RingletError:
        # The model covers some protocols and arrivals only.
        return []
    if not math.isfinite(mean_ns) or mean_ns <= TRUSTED * limit:
        return []
    allowed = f"{wanted.latency_figure} latency {wanted.latency} allowed"
    return [f"not simulated: mean latency {mean_ns / 1e3:.3g} us by the queueing model, {allowed}"]
