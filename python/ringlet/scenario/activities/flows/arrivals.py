"""Arrivals of flows in the terms of the engine: when their messages come, and how many of them."""

import math
from collections.abc import Callable, Mapping
from typing import Any, get_args

from ringlet.errors import RingletError
from ringlet.scenario.activities.flows.keys import FlowArrivals, FlowKeys, ThinkTimes, counts_messages
from ringlet.scenario.activities.flows.sizes import Sizes
from ringlet.scenario.activities.messages.periodic import drifted
from ringlet.scenario.activities.plan import Surroundings
from ringlet.scenario.values.units import MAX_CYCLES, cycles, exact_cycles, magnitude

DRAWN = frozenset({"poisson", "bernoulli", "sporadic", "on-off"})
"""The engine's arrivals whose times are drawn."""

TIMES = ("period", "offset", "sporadic", "jitter", "on", "off", "think", "delay", "deadline", "start", "stop")
"""Keys of a flow that are times."""

AT_TIMES = ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times")
"""Arrivals by the clock."""

BELONGS = {
    "rate": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off"),
    "period": ("poisson", "bernoulli", "periodic", "on-off", "pareto-on-off"),
    "offset": ("periodic",),
    "sporadic": ("periodic",),
    "drift": ("periodic",),
    "on": ("on-off", "pareto-on-off"),
    "off": ("on-off", "pareto-on-off"),
    "shape": ("pareto-on-off",),
    "times": ("times",),
    "window": ("closed",),
    "think": ("closed",),
    "think_times": ("closed",),
    "after": ("after",),
    "delay": ("after",),
    "jitter": (*AT_TIMES, "after"),
    "start": (*AT_TIMES, "closed"),
    "stop": (*AT_TIMES, "closed", "after"),
    "total": (*AT_TIMES, "closed", "after"),
}
"""Arrivals to which each key belongs."""


FOREIGN: Mapping[str, tuple[str, ...]] = {
    arrivals: tuple(key for key, those in BELONGS.items() if arrivals not in those)
    for arrivals in get_args(FlowArrivals)
}
"""Keys that do not belong to each kind of arrivals."""


def check_keys(flow: FlowKeys, at: str) -> None:
    """Raises RingletError for a key that does not belong to the arrivals, or one that is missing."""
    for key in () if flow.given.isdisjoint(FOREIGN[flow.arrivals]) else FOREIGN[flow.arrivals]:
        value = getattr(flow, key)
        if value != type(flow).fields[key].default:
            shown = "<a list>" if isinstance(value, list) else value
            raise RingletError.not_allowed(f"{at}{key}", shown, f"it belongs to arrivals {' or '.join(BELONGS[key])}")
    if flow.arrivals in BELONGS["rate"] and (flow.rate is None) == (flow.period is None):
        if flow.rate is None:
            raise RingletError(f"{at}rate: missing; arrivals {flow.arrivals!r} need a rate or a period")
        raise RingletError(f"{at}rate: given together with period; one of them is allowed")
    for key in ("on", "off"):
        if flow.arrivals in BELONGS[key] and getattr(flow, key) is None:
            raise RingletError(f"{at}{key}: missing; arrivals {flow.arrivals!r} have mean times on and off")
    if flow.arrivals in BELONGS["times"] and flow.times is None:
        raise RingletError(f"{at}times: missing; arrivals 'times' are listed")
    if flow.arrivals in BELONGS["after"] and flow.after is None:
        raise RingletError(f"{at}after: missing; arrivals 'after' are after those of another flow")


def arrivals_of(
    flow: FlowKeys, sizes: Sizes, timing: dict[str, Any], around: Surroundings, at: str
) -> tuple[dict[str, Any], float]:
    """Returns the engine's arrivals, and messages per cycle; listed times go where the engine has them."""
    ns = around.symbol_time_ns
    if flow.arrivals in PROMPTED:
        return PROMPTED[flow.arrivals](flow, ns)
    if flow.arrivals not in AT_RATE:
        if flow.times is None:
            return {"kind": flow.arrivals}, math.inf
        times = [cycles(one, ns) for one in flow.times]
        later = next((i for i in range(1, len(times)) if times[i] < times[i - 1]), None)
        if later is not None:
            raise RingletError.not_allowed(f"{at}times[{later}]", flow.times[later], "times that do not go back")
        if times[-1] >= MAX_CYCLES:
            raise RingletError.not_allowed(f"{at}times", flow.times[-1], f"less than 2^53 cycles of {ns:g} ns")
        timing["times"] = times
        # No more than its link carries: of messages that come at once, the mean over that time.
        carried = len(times) * sizes.mean_bytes / around.link_bytes_per_cycle[flow.source]
        return {"kind": "listed"}, len(times) / max(times[-1], carried, 1)
    interval = _interval(flow, sizes, ns)
    if not interval >= 1:
        key = "rate" if flow.period is None else "period"
        allowed = f"at most one message in a cycle of {ns:g} ns"
        raise RingletError.not_allowed(f"{at}{key}", getattr(flow, key), allowed)
    return AT_RATE[flow.arrivals](flow, interval, ns, at)


def _drawn(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals with a rate, each drawn independently of others."""
    del ns, at
    return {"kind": flow.arrivals, "rate": 1 / interval}, 1 / interval


def _periodic(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals with a period, or with a least distance."""
    period = drifted(interval, flow.drift)
    if not 1 <= period <= MAX_CYCLES:
        raise RingletError.not_allowed(f"{at}drift", flow.drift, "one that leaves a period of 1 to 2^53 cycles")
    found = {"kind": flow.arrivals, "period": period, "phase": exact_cycles(flow.offset, ns)}
    extra = exact_cycles(flow.sporadic, ns)
    return ({**found, "kind": "sporadic", "extra": extra} if extra else found), 1 / (period + extra)


def _on_off(flow: FlowKeys, interval: float, ns: float, at: str) -> tuple[dict[str, Any], float]:
    """Returns arrivals at equal distances of the time in which the source is on."""
    del at
    on, off = exact_cycles(flow.on or 0, ns), exact_cycles(flow.off or 0, ns)
    shape = flow.shape if flow.arrivals in BELONGS["shape"] else None
    gap = interval * on / (on + off)
    return {"kind": "on-off", "gap": gap, "on": on, "off": off, "shape": shape}, 1 / interval


AT_RATE: Mapping[str, Callable[[FlowKeys, float, float, str], tuple[dict[str, Any], float]]] = {
    "poisson": _drawn,
    "bernoulli": _drawn,
    "periodic": _periodic,
    "on-off": _on_off,
    "pareto-on-off": _on_off,
}
"""The engine's arrivals, and messages per cycle, of those that have a mean time between messages."""


ARE_DRAWN: Mapping[ThinkTimes, bool] = {"constant": False, "exponential": True}
"""Distributions of think times, and whether these are drawn."""


def _closed(flow: FlowKeys, ns: float) -> tuple[dict[str, Any], float]:
    """Returns arrivals of a window, each a think time after an earlier one is done."""
    window, think = flow.window or 1, exact_cycles(flow.think, ns)
    # Messages are taken to last no time: there are no more than these.
    most = window / think if think >= 1 else math.inf
    drawn = ARE_DRAWN[flow.think_times]
    return {"kind": "window", "window": window, "think_cycles": think, "drawn": drawn}, most


def _after(flow: FlowKeys, ns: float) -> tuple[dict[str, Any], float]:
    """Returns arrivals after another flow's, which says how many there are."""
    return {"kind": "after", "delay_cycles": cycles(flow.delay, ns)}, math.inf


PROMPTED: Mapping[str, Callable[[FlowKeys, float], tuple[dict[str, Any], float]]] = {
    "closed": _closed,
    "after": _after,
}
"""The engine's arrivals, and messages per cycle, of those that follow from what becomes of messages."""


def _interval(flow: FlowKeys, sizes: Sizes, ns: float) -> float:
    """Returns the mean cycles between two messages."""
    if flow.period is not None:
        return exact_cycles(flow.period, ns)
    assert flow.rate is not None, "it was just checked"
    if counts_messages(flow.rate):
        per_ns = magnitude(flow.rate, "GHz")
    else:
        per_ns = magnitude(flow.rate, "byte/ns") / sizes.mean_bytes
    return exact_cycles(1 / (per_ns * ns), ns)


def check_link(flow: FlowKeys, bytes_per_cycle: float, around: Surroundings, at: str) -> None:
    """Raises RingletError for a rate beyond that of the link."""
    most = around.link_bytes_per_cycle[flow.source]
    if bytes_per_cycle > most * (1 + 1e-9):
        key = "rate" if flow.period is None else "period"
        rates = [1e3 * value / around.symbol_time_ns for value in (bytes_per_cycle, most)]
        allowed = f"data of at most {rates[1]:g} MB/s, the rate of the link from node {flow.source}, not {rates[0]:.6g}"
        raise RingletError.not_allowed(f"{at}{key}", getattr(flow, key), allowed)
