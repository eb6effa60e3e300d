"""The time that answers what a scenario asks, where `run.duration` does not say how long to measure.

Messages and loops take a hyperperiod, in which all releases come back; events so many triggers that their latencies
have percentiles; a collective operation until it is complete, a trace until it is delivered; random traffic until its
throughput and mean latency are precise. A cap ends each of them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ringlet.scenario.activities.plan import Periodic

FINEST_PERIOD = 1000
"""Most parts of a cycle of which a period has a whole number, for a hyperperiod."""

ROUNDING = 1e-12
"""Relative error of a period that is taken to be rounding."""

TRIGGERS = 1000
"""Triggers that a run with events takes, and releases of a sporadic message: a 99th percentile of ten of them."""

DEFAULT_PRECISION = 0.02
"""Relative half width at which random traffic is measured well enough where nothing is asked."""

MOST_NODE_CYCLES = 200_000_000
"""Cycles times nodes of random traffic after which the default precision is given up: half a second of one core."""

MOST_SYMBOL_NODE_CYCLES = 1_000_000
"""Most node-cycles where the protocol is written in Python: some ten seconds of one core."""

MOST_PACKETS = 500_000
"""Packets of messages, loops or events after which a run ends before its hyperperiod or its triggers do."""

REVOLUTIONS_TO_END = 10
"""Revolutions of the longest ring in which the last message is served, besides the time of its packets on links: its
way through a network of rings, echoes and responses."""

REVOLUTIONS_EACH = 2
"""Revolutions for each time that a packet waits for what became of an earlier one."""

WORK_TO_END, WORK_OF_NETWORK = 2, 4
"""Times that the busiest node or link takes longer than its own packets do, on a ring and in a network of rings: echoes
and retries, and in a network flows of several nodes that meet on a link."""

By = Literal[
    "duration", "hyperperiod", "triggers", "releases", "ends", "complete", "trace", "precision", "packets", "default"
]
"""Reason for the length of the measurement: the file, what is asked, or the most packets; `ends`: flows that end have
time to be delivered; `default`: 1 ms, of what is asked nothing."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """Length of the measurement in cycles, and why."""

    by: By
    measured: int | None = None
    """Cycles to measure, with a precision the most; None: until what is asked is known."""
    precision: float | None = None
    """Relative half width at which to stop."""
    until_over: bool = False
    """True if to go on until a collective operation is complete."""
    most: int | None = None
    """Most cycles without `measured`; None: what the engine takes for them."""

    @property
    def longest(self) -> int | None:
        """Most cycles that are measured, as far as it is known here."""
        return self.most if self.measured is None else self.measured


def hyperperiod_cycles(periods: Iterable[float]) -> float:
    """Returns the least common multiple of periods that are whole numbers of parts of a cycle; infinite where one is
    not, such as that of a clock that drifts, and beyond a float."""
    given = list(periods)
    if not all(map(math.isfinite, given)):
        return math.inf
    fractions = [Fraction(period).limit_denominator(FINEST_PERIOD) for period in given]
    if any(abs(float(one) - period) > ROUNDING * period for one, period in zip(fractions, given, strict=True)):
        return math.inf
    numerator = math.lcm(*(fraction.numerator for fraction in fractions))
    try:
        return float(Fraction(numerator, math.gcd(*(fraction.denominator for fraction in fractions))))
    except OverflowError:
        return math.inf


def of_plans(
    periodic: Sequence[Periodic],
    trigger_interval: float | None,
    packets_per_cycle: float,
    *,
    least: int,
    release_interval: float | None = None,
    end: int = 0,
) -> Horizon:
    """Returns how long to measure messages, loops and events together.

    Args:
        periodic: messages and loops: a hyperperiod behind the largest offset, and the longest deadline.
        trigger_interval: mean cycles between triggers; None without events.
        packets_per_cycle: of all traffic.
        least: cycles to measure in any case.
        release_interval: mean cycles between releases of the slowest sporadic message; None without any.
        end: cycle in which all that ends has been served, by estimate; it is measured whatever the packets.
    """
    wanted: list[tuple[float, By]] = [(least, "default")]
    if periodic:
        offset, deadline = max(one.offset for one in periodic), max(one.deadline for one in periodic)
        wanted.append((offset + hyperperiod_cycles(one.period for one in periodic) + deadline, "hyperperiod"))
    if trigger_interval is not None:
        wanted.append((TRIGGERS * trigger_interval, "triggers"))
    if release_interval is not None:
        wanted.append((TRIGGERS * release_interval, "releases"))
    if end > 0:
        wanted.append((end, "ends"))
    cycles, by = max(wanted)
    most = max(least, end, MOST_PACKETS / packets_per_cycle)
    return Horizon("packets", math.ceil(most)) if cycles > most else Horizon(by, math.ceil(cycles))


def cycles_to_end(work: float, last_release: int, *, revolution: int, rounds: float, one_ring: bool) -> int:
    """Returns the cycles behind the last release in which all that ends has been served, by estimate.

    Args:
        work: cycles that the busiest node or link takes for all that ends.
        last_release: cycle by which that has been released.
        revolution: cycles of a revolution of the longest ring.
        rounds: times that packets wait for what became of earlier ones, one behind the other.
        one_ring: are all nodes on one ring?
    """
    factor = WORK_TO_END if one_ring else WORK_OF_NETWORK
    around = REVOLUTIONS_TO_END + REVOLUTIONS_EACH * rounds
    return math.ceil(factor * max(work - last_release, 0.0) + around * revolution)
