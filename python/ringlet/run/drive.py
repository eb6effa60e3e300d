"""Drives the engine: warm-up, then measurement batch by batch."""

from dataclasses import dataclass

import numpy as np

from ringlet.run.batches import Batches, Recorder
from ringlet.run.engine import Engine
from ringlet.run.flows import Flows
from ringlet.run.plan import BATCHES, SHORTEST_BATCH_CYCLES, WARM_UP_BINS, Plan
from ringlet.run.replay import LEAST_STEP, STEPS, is_over
from ringlet.statistics import MAX_BATCHES, MIN_BATCHES, mser5, precise_enough


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured, besides the engine's own counters."""

    batches: Batches
    """The measured time in batches."""
    precision_reached: bool | None
    """Whether the wanted precision was reached; None without one."""
    warnings: list[str]
    """What a reader should know before trusting the figures."""


def drive(engine: Engine, flows: Flows, plan: Plan) -> Measurement:
    """Warms up and measures as planned, or until the engine stalls.

    After a stall during the warm-up everything since cycle 0 is what was measured.
    """
    warnings = _warm_up(engine, flows, plan) if plan.warm_up == "auto" else _skip(engine, plan.warm_up)
    if engine.stall is None and engine.cycle:
        # At cycle 0 there is nothing to forget, but the first arrivals are there already.
        engine.reset_measurement()
    recorder = Recorder(engine, flows, flows.sums)
    recorder.close()
    if plan.precision is None:
        _measure_duration(engine, recorder, plan.measured)
        if plan.until_delivered:
            _measure_the_rest(engine, recorder)
        return Measurement(recorder.batches, None, warnings)
    reached = _measure_to_precision(engine, recorder, flows, plan, plan.precision)
    if not reached:
        warnings.append(_imprecision(recorder.total, plan.precision, engine.measured_cycles))
    return Measurement(recorder.batches, reached, warnings)


def _skip(engine: Engine, cycles: int) -> list[str]:
    if cycles:
        engine.advance(cycles)
    return []


def _warm_up(engine: Engine, flows: Flows, plan: Plan) -> list[str]:
    """Advances until the transient is over; returns warnings.

    Each time the warm-up doubles its bins do, too, so that their number, and with it the cost, stays the same.
    """
    if not len(flows):
        return []
    recorder = Recorder(engine, flows, flows.total)
    length, bins = plan.warm_up_bin, WARM_UP_BINS
    while len(recorder) < bins:
        if not recorder.record(length):
            return []
        if len(recorder) == bins:
            if _is_settled(recorder.batches):
                return []
            length *= 2
            bins = min(WARM_UP_BINS, plan.warm_up_limit // length)
            recorder.collapse(WARM_UP_BINS // 2)
    return [f"warm-up not detected: throughput or latency still drift after {engine.cycle} cycles"]


def _is_settled(bins: Batches) -> bool:
    """Whether MSER-5 cuts total throughput and mean latency within their first half."""
    packets = bins.delivered_packets[:, 0]
    latency = np.full(packets.shape, np.nan)
    np.divide(bins.latency_cycles[:, 0], packets, out=latency, where=packets > 0)
    return mser5(bins.payload_symbols[:, 0] / bins.cycles).settled and mser5(latency).settled


def _measure_duration(engine: Engine, recorder: Recorder, cycles: int) -> None:
    """Measures `cycles` cycles in equal batches, the last of which takes the remainder."""
    length = max(1, cycles // BATCHES)
    count = min(BATCHES, cycles)
    for batch in range(count):
        if engine.stall is not None:
            return
        recorder.record(length if batch < count - 1 else cycles - length * (count - 1))


def _measure_the_rest(engine: Engine, recorder: Recorder) -> None:
    """Measures until all of a trace has been delivered, in batches of the length of those before.

    Each time 40 batches are full, pairs are merged and the batches to come are twice as long.
    """
    length = max(1, engine.measured_cycles // BATCHES)
    passed = 0
    while engine.stall is None and not is_over(engine.replayer.replayed()):
        # In short steps, so that the run ends soon after the trace.
        step = min(max(LEAST_STEP, engine.cycle // STEPS), max(length - passed, 1))
        engine.advance(step)
        passed += step
        if passed < length:
            continue
        recorder.close()
        passed = 0
        if len(recorder) >= MAX_BATCHES:
            recorder.collapse(MIN_BATCHES)
            length *= 2
    recorder.close()


def _measure_to_precision(engine: Engine, recorder: Recorder, flows: Flows, plan: Plan, precision: float) -> bool:
    """Measures batch by batch until total throughput and mean latency are precise; returns whether they are.

    Each time 40 batches are full, pairs are merged and the batches to come are twice as long.
    """
    # A warm-up is as long as the correlations of the series, or longer: a twentieth of it is a first guess of a batch.
    length = max(SHORTEST_BATCH_CYCLES, engine.measured_from // MIN_BATCHES)
    length = max(1, min(length, plan.measured // MIN_BATCHES))
    while engine.stall is None and engine.measured_cycles < plan.measured:
        recorder.record(min(length, plan.measured - engine.measured_cycles))
        total = recorder.total
        if precise_enough(total.throughput, precision) and precise_enough(total.latency, precision):
            return True
        if len(recorder) == MAX_BATCHES:
            recorder.collapse(MIN_BATCHES)
            length *= 2
        if not len(flows) and len(recorder) == MIN_BATCHES:
            return False
    return False


def _imprecision(total: Batches, precision: float, cycles: int) -> str:
    def percent(relative: float) -> str:
        return f"{100 * relative:.2g} %" if np.isfinite(relative) else "no interval"

    throughput, latency = (float(i.relative_half_width[0]) for i in (total.throughput, total.latency))
    return (
        f"precision {precision:g} not reached in {cycles} cycles: "
        f"throughput {percent(throughput)}, mean latency {percent(latency)}"
    )
