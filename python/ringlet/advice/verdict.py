"""The verdict on a candidate: it fits, it fails, or its runs leave that open."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ringlet.advice.failures import Failing
from ringlet.advice.physics import EVENTS, FLUCTUATION, event_ns, run_ns, timeout_ns, us
from ringlet.advice.requirements import Requirements
from ringlet.sections.wording import plural
from ringlet.statistics import replication_means

if TYPE_CHECKING:
    import pandas as pd

State = Literal["fits", "unclear", "fails"]

STATES: tuple[State, ...] = ("fits", "unclear", "fails")
"""Verdicts, from the best on; `unclear`, the interval of some figure holds its limit."""

NONE_SEEN = 3.0
"""Numerator of the largest share that is lost, 3 / n with 95 % confidence, if none of `n` packets is: the rule of three
(Hanley
and Lippman-Hand 1983)."""


@dataclass(frozen=True)
class Interval:
    """A mean over the runs, and the 95 % interval around it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """The verdict on a network, from its runs."""

    state: State
    reasons: tuple[str, ...]
    """Requirements that are not met and by how much, then those that the runs leave open."""
    runs: int
    offered_MBps: float  # noqa: N815 - the unit
    throughput: Interval
    """Throughput, in MB/s."""
    latency: Interval
    """The figure that is limited, in ns; NaN where nothing arrived."""
    loss: Interval
    """Share of the offered data that was lost at senders, or given up after link errors; of triggers and events, where
    events are built."""
    failure_loss: Interval | None = None
    """Share of the offered data that is lost while the worst link is broken; None: that was not simulated."""


def discarded(reasons: tuple[str, ...]) -> Verdict:
    """Returns the verdict on a network that theory rules out, without a run."""
    nothing = Interval(math.nan, math.nan, math.nan)
    return Verdict("fails", reasons, 0, math.nan, nothing, nothing, nothing)


def unfinished() -> Verdict:
    """Returns the verdict on a network of which no run has taken place."""
    nothing = Interval(math.nan, math.nan, math.nan)
    return Verdict("unclear", (), 0, math.nan, nothing, nothing, nothing)


def judge(
    requirements: Requirements, runs: "pd.DataFrame", transmit: int | str | None = None, *, look: bool = False
) -> Verdict:
    """Judges a network.

    Args:
        requirements: what it is for.
        runs: the figures of its runs, one row each, as `SweepResult.points` has them.
        transmit: packets that a sender may hold; default: as the requirements say.
        look: are the runs so short that what is under way at their ends is much of what they carry? Then data that
            have not come yet are no failure.
    """
    offered = runs["offered_MBps"].to_numpy(dtype=np.float64)
    carried = runs["throughput_MBps"].to_numpy(dtype=np.float64)
    latency = interval(runs[requirements.latency_column].to_numpy(dtype=np.float64))
    if requirements.event_building is None:
        gone = (runs["lost_MBps"] + runs["given_up_MBps"]).to_numpy(dtype=np.float64)
        loss = interval(_of_offered(gone, offered))
        packets = float((runs["delivered_packets"] + runs["lost_packets"]).sum())
    else:
        # The ratio is of more triggers than there were in the measured time, if those before it are lost in it.
        gone = np.minimum(runs["loss_ratio"].to_numpy(dtype=np.float64), 1.0)
        loss = interval(gone)
        packets = float(runs["triggers"].sum())
    seen = bool(gone.any())
    loss = Interval(loss.mean, max(loss.low, 0.0), min(max(loss.high, NONE_SEEN / max(packets, 1.0)), 1.0))
    stalled = int(runs["stalled"].sum())
    found = [
        _stalls(stalled, len(runs)),
        _losses(requirements, loss, seen=seen, packets=packets, where=_deciding(requirements, runs, transmit)),
        _misses(requirements, runs),
        # Relative to what was offered in the same run, which varies, too.
        _carried(requirements, interval(_of_offered(carried, offered)), carried.mean(), offered.mean(), look=look),
        _latencies(requirements, latency),
    ]
    state = max((state for state, _ in found), key=STATES.index)
    # All limits, the violated ones first: who may relax a requirement sees what else stands in the way.
    found.sort(key=lambda one: -STATES.index(one[0]))
    reasons = tuple(reason for _, reason in found if reason)
    return Verdict(state, reasons, len(runs), float(offered.mean()), interval(carried), latency, loss)


def with_failure(wanted: Requirements, verdict: Verdict, failing: Failing, lost: Interval | str | None) -> Verdict:
    """Returns a verdict that takes account of the data lost while the worst link is broken.

    Args:
        wanted: the requirements, with a limit of that.
        verdict: on the whole network.
        failing: the worst link.
        lost: what is lost then; in words why it cannot be simulated; None: it was not.
    """
    limit = wanted.failure_loss
    assert limit is not None
    allowed = f"{percent(limit)} allowed"
    broken = f"with a broken link on {failing.ring}"
    if failing.share > limit:
        found: tuple[State, str] = ("fails", f"{broken} {percent(failing.share)} of the data have no way, {allowed}")
    elif isinstance(lost, str):
        found = ("unclear", f"{broken} it cannot be simulated: {lost}")
    elif lost is None:
        return verdict
    elif lost.high <= limit + FLUCTUATION:
        found = ("fits", "")
    elif lost.low > limit + FLUCTUATION:
        found = ("fails", f"{broken} {percent(lost.mean)} of the data are lost, {allowed}")
    else:
        found = ("unclear", f"{broken} {_range(lost, percent)} of the data are lost, {allowed}")
    state, reason = found
    worse = max((verdict.state, state), key=STATES.index)
    reasons = (*verdict.reasons, reason) if reason else verdict.reasons
    return replace(verdict, state=worse, reasons=reasons, failure_loss=lost if isinstance(lost, Interval) else None)


def interval(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Interval:
    """Returns the mean of independent runs, with its interval."""
    mean, half_width, _ = (float(each[0, 0]) for each in replication_means(values.reshape(-1, 1)))
    half = half_width if math.isfinite(half_width) else math.inf
    return Interval(mean, mean - half, mean + half)


def _of_offered(
    rates: "np.ndarray[tuple[int], np.dtype[np.float64]]", offered: "np.ndarray[tuple[int], np.dtype[np.float64]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Returns the share of what was offered of each run; NaN of a run in which nothing was."""
    return np.divide(rates, offered, out=np.full_like(rates, np.nan), where=offered > 0)


def _stalls(stalled: int, runs: int) -> tuple[State, str]:
    return ("fails", f"{stalled} of {runs} {plural(runs, 'run')} stalled") if stalled else ("fits", "")


def _deciding(wanted: Requirements, runs: "pd.DataFrame", transmit: int | str | None) -> str:
    """Returns which limits the losses are due to, in words; empty where links lost them, or nothing is lost."""
    held = wanted.queues.transmit if transmit is None else transmit
    memory = f"senders hold {held if isinstance(held, int) else 'no more'} packets (queues.transmit)"
    found = []
    if wanted.event_building is None:
        if runs["lost_MBps"].sum() > runs["given_up_MBps"].sum():
            found.append(memory)
    else:
        triggers = max(float(runs["triggers"].sum()), 1.0)
        if given_up := float(runs["incomplete_events"].sum()):
            time = f"{percent(min(given_up / triggers, 1.0))} given up after {us(timeout_ns(wanted))}"
            found.append(f"{time} (event_building.timeout)")
        if runs["lost_packets"].sum():
            found.append(memory)
        if full := float(runs["lost_events"].sum()):
            places = f"receivers hold {wanted.event_building.queue} events (event_building.queue)"
            found.append(f"{percent(min(full / triggers, 1.0))} found no place: {places}")
        if full := float(runs["refused_triggers"].sum()):
            found.append(f"{percent(min(full / triggers, 1.0))} of the triggers found no credit")
    return f": {', '.join(found)}" if found else ""


def _losses(wanted: Requirements, loss: Interval, *, seen: bool, packets: float, where: str) -> tuple[State, str]:
    limit = f"{percent(wanted.loss)} allowed"
    if wanted.loss == 0:
        return ("fails", f"loss {percent(loss.mean)}, none allowed{where}") if seen else ("fits", "")
    if loss.high <= wanted.loss:
        return "fits", ""
    if loss.low > wanted.loss:
        return "fails", f"loss {percent(loss.mean)}, {limit} ({_times(loss.mean / wanted.loss)}){where}"
    if not seen:
        what = "packets" if wanted.event_building is None else "triggers"
        return "unclear", f"no loss in {packets:z.0f} {what}, too few for {limit}"
    return "unclear", f"loss {_range(loss, percent)}, {limit}{where}"


def _misses(wanted: Requirements, runs: "pd.DataFrame") -> tuple[State, str]:
    judged = wanted.message is not None or wanted.flows is not None
    if not judged or not (missed := int(runs["missed_deadlines"].sum())):
        return "fits", ""
    return "fails", f"{missed} messages missed their deadline in {len(runs)} runs, none allowed"


def _carried(
    wanted: Requirements, share: Interval, carried_MBps: float, offered_MBps: float, *, look: bool
) -> tuple[State, str]:
    needed = 1 - wanted.loss - FLUCTUATION
    if share.low >= needed:
        return "fits", ""
    what = f"throughput {carried_MBps:.4g} of {offered_MBps:.4g} MB/s"
    if share.high < needed:
        return "unclear" if look else "fails", f"{what} ({percent(1 - share.mean)} missing)"
    return "unclear", f"throughput {_range(share, percent)} of what is offered"


def _latencies(wanted: Requirements, latency: Interval) -> tuple[State, str]:
    limit = wanted.latency_ns
    if limit is None:
        return "fits", ""
    name = f"{wanted.latency_figure} latency{' of events' if wanted.event_building is not None else ''}"
    if not math.isfinite(latency.mean):
        if wanted.event_building is not None and run_ns(wanted) < EVENTS * event_ns(wanted):
            needs = f"an event needs {us(event_ns(wanted))}"
            return "unclear", f"{name}: none was complete in runs of {us(run_ns(wanted))} (duration), and {needs}"
        return "fails", f"{name}: nothing arrived"
    allowed = f"{wanted.latency} allowed"
    if latency.high <= limit:
        return "fits", ""
    if latency.low > limit:
        return "fails", f"{name} {us(latency.mean)}, {allowed} (+{percent(latency.mean / limit - 1)})"
    return "unclear", f"{name} {_range(latency, us)}, {allowed}"


def percent(share: float) -> str:
    """Returns a share in percent, with two digits."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:z.0f} %"


def _range(found: Interval, words: Callable[[float], str]) -> str:
    """Returns a mean with its interval in words; that of too few runs has no ends."""
    if not math.isfinite(found.high):
        return f"{words(found.mean)} (no interval)"
    return f"{words(found.mean)} ({words(max(found.low, 0.0))} to {words(found.high)})"


def _times(factor: float) -> str:
    return f"{factor:.2g} times" if factor < 100 else f"{factor:z.0f} times"
