"""How long to warm up and to measure, in cycles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ringlet.scenario import Scenario

BATCHES = 30
"""Batches of a run of given duration."""

NODE_CYCLES_CAP = 4_000_000_000
"""Cycles times nodes after which a run that has a precision, but no duration, gives up; the automatic warm-up
may take as many before. Each is 4 to 20 s of one core at 200 to 1,000 million node-cycles/s."""

WARM_UP_BINS = 200
"""Bins of the automatic warm-up whenever it is judged: 40 averages of five for MSER-5."""

WARM_UP_ROUND_TRIPS = 4
"""Times that a packet and its echo could have been round the ring in the shortest warm-up."""

SHORTEST_BATCH_CYCLES = 1000
"""Length of the first batches of a run that stops at a precision."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run, in cycles."""

    warm_up: int | Literal["auto"]
    """Cycles to discard, or "auto": until MSER-5 finds the transient over."""
    warm_up_bin: int
    """Length of a bin of the shortest automatic warm-up."""
    warm_up_limit: int
    """Where the automatic warm-up gives up."""
    measured: int
    """Cycles to measure; with a precision, the most."""
    precision: float | None
    """Relative half width at which to stop."""
    until_delivered: bool = False
    """Whether to go on until a trace has been delivered."""

    @classmethod
    def of(cls, scenario: Scenario, spec: Mapping[str, Any]) -> "Plan":
        """Makes the plan of a scenario.

        The automatic warm-up begins with a tenth of the duration, at least four round trips of the longest ring and 200 cycles,
        and doubles up to the duration. Without a duration, `NODE_CYCLES_CAP` gives the most to measure; of a trace
        all is measured.
        """
        measured = scenario.measured_cycles
        until_delivered = scenario.replay is not None and measured is None
        if scenario.replay is not None and measured is None:
            measured = max(scenario.replay.last_cycle + 1 - scenario.warmup, 1)
        least = WARM_UP_ROUND_TRIPS * (_longest_ring(spec) * spec["hop_delay"] + _longest_packet(spec))
        if measured is None:
            measured = max(NODE_CYCLES_CAP // spec["nodes"], least)
            first = max(least, WARM_UP_BINS * SHORTEST_BATCH_CYCLES // 5)
        else:
            first = max(least, measured // 10)
        warm_up_bin = -(-first // WARM_UP_BINS)
        return cls(
            warm_up=scenario.warmup,
            warm_up_bin=warm_up_bin,
            warm_up_limit=max(measured, WARM_UP_BINS * warm_up_bin),
            measured=measured,
            precision=scenario.precision,
            until_delivered=until_delivered,
        )


def _longest_packet(spec: Mapping[str, Any]) -> int:
    requests = (int(size) for flow in spec["flows"] for size, _ in flow["sizes"])
    responses = (int(flow["response_symbols"] or 0) for flow in spec["flows"])
    return max((*requests, *responses), default=0)


def _longest_ring(spec: Mapping[str, Any]) -> int:
    if "network" not in spec:
        return int(spec["nodes"])
    return max(len(ring["interfaces"]) for ring in spec["network"]["rings"])
