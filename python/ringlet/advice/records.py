"""Advice as rows of a data frame and records of JSON."""

import math
from dataclasses import asdict
from typing import Any

from ringlet.advice.advised import Advised
from ringlet.advice.requirements import Requirements
from ringlet.advice.verdict import Interval


def _figures(one: Advised, wanted: Requirements) -> dict[str, Any]:
    """Returns the figures of a candidate's runs by name."""
    verdict = one.verdict
    if verdict is None:
        return {}
    latency = f"latency_{wanted.latency_figure}"
    return {
        "runs": verdict.runs,
        "offered_MBps": verdict.offered_MBps,
        "throughput_MBps": verdict.throughput.mean,
        "throughput_low_MBps": verdict.throughput.low,
        "throughput_high_MBps": verdict.throughput.high,
        f"{latency}_ns": verdict.latency.mean,
        f"{latency}_low_ns": verdict.latency.low,
        f"{latency}_high_ns": verdict.latency.high,
        "loss": verdict.loss.mean,
        "loss_low": verdict.loss.low,
        "loss_high": verdict.loss.high,
        **_interval_of("failure_loss", verdict.failure_loss),
        **_interval("most_throughput", one.most),
        **_interval("overloaded_throughput", one.overloaded),
    }


def _transmit(one: Advised) -> dict[str, int]:
    """Returns the packets that a sender may hold, where that is looked for."""
    held = one.candidate.transmit
    return {"transmit_packets": held} if isinstance(held, int) else {}


def _interval_of(name: str, found: Interval | None) -> dict[str, float]:
    return {} if found is None else {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def _interval(name: str, found: Interval | None) -> dict[str, float]:
    if found is None:
        return {}
    return {f"{name}_MBps": found.mean, f"{name}_low_MBps": found.low, f"{name}_high_MBps": found.high}


def row(one: Advised, wanted: Requirements) -> dict[str, Any]:
    """Returns the row of a candidate, units in the names."""
    return {
        "candidate": one.candidate.name,
        "title": one.candidate.title,
        "verdict": one.state,
        "why": one.why,
        "price": one.price,
        **asdict(one.parts),
        **_transmit(one),
        **_figures(one, wanted),
        "one_link_share": one.failing.share,
        "one_link": one.failing.ring,
        **{f"price_at_{stage.growth:g}": stage.price for stage in one.stages},
        "can_deadlock": one.can_deadlock,
    }


def record(one: Advised, wanted: Requirements) -> dict[str, Any]:
    """Returns the record of a candidate, None where there is no number."""
    verdict = one.verdict
    figures = {key: value if math.isfinite(value) else None for key, value in _figures(one, wanted).items()}
    return {
        "name": one.candidate.name,
        "title": one.candidate.title,
        "verdict": one.state,
        "reasons": [one.failure] if verdict is None else list(verdict.reasons),
        "price": one.price,
        "parts": asdict(one.parts),
        **_transmit(one),
        **figures,
        "one_link": {"ring": one.failing.ring, "source": one.failing.source, "share": one.failing.share},
        "stages": [asdict(stage) for stage in one.stages],
        "can_deadlock": one.can_deadlock,
        "network": one.candidate.network,
        "flow_control": one.scenario.flow_control.protocol,
    }
