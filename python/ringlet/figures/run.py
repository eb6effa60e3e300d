"""Figures of the run itself: its length, and whether it reached its precision."""

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import of_run

RUN = (
    Figure(
        "cycles",
        "measured time",
        "Cycles that were measured, after the warm-up.",
        unit="cycles",
        values=of_run(lambda found: found.cycles),
        kind="integer",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "warmup_cycles",
        "warm-up",
        "Cycles before the measurement.",
        unit="cycles",
        values=of_run(lambda found: found.measured["measured_from"]),
        kind="integer",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "symbol_time_ns",
        "symbol time",
        "Time of a cycle, in which a link moves one symbol, of 16 bits unless `network.link_width` says otherwise.",
        unit="ns",
        values=of_run(lambda found: found.symbol_time_ns),
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "protocol_registers_bits",
        "registers of the protocol",
        "Bits of the registers that a node needs for its flow control; of several rings those of the largest node.",
        unit="bits",
        values=of_run(lambda found: found.scenario.resolved.protocol_bits[0]),
        kind="integer",
        may_lack=True,
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "protocol_queues_bits",
        "queues of the protocol",
        "Bits of the queues that a node needs for its flow control: its bypass FIFO, and what it keeps of messages or "
        "echoes; of several rings those of the largest node. None where a queue may have any length.",
        unit="bits",
        values=of_run(lambda found: found.scenario.resolved.protocol_bits[1]),
        kind="integer",
        may_lack=True,
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "protocol_idle_bits",
        "bits in an idle symbol",
        "Bits that an idle symbol has to carry for the flow control; of several rings those of the one with most. "
        "SCI's has 8 bits for all purposes, with their complement.",
        unit="bits",
        values=of_run(lambda found: found.scenario.resolved.protocol_idle_bits),
        kind="integer",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "simulated_s",
        "measured time",
        "The measured time.",
        unit="s",
        values=of_run(lambda found: found.cycles * found.symbol_time_ns * 1e-9),
        over_seeds=OverSeeds.GIVEN,
    ),
)

PRECISION = (
    Figure(
        "run_precision_reached",
        "precision reached",
        "Whether the run reached the scenario's precision.",
        at=("reached",),
        kind="boolean",
    ),
    Figure(
        "throughput_relative_half_width",
        "relative half width of the throughput",
        "Half width of the 95 % interval of the total throughput, as a share of it.",
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "latency_relative_half_width",
        "relative half width of the mean latency",
        "Half width of the 95 % interval of the mean latency, as a share of it.",
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
)
"""Figures of a run that has a precision to reach."""

WENT = (
    Figure(
        "stalled",
        "stalled",
        "Whether packets waited and nothing moved any more.",
        at=("stall",),
        kind="boolean",
        over_seeds=OverSeeds.RUNS,
        read=lambda stall: stall is not None,
    ),
    Figure(
        "warnings",
        "warnings",
        "How many warnings the run gave.",
        kind="integer",
        over_seeds=OverSeeds.SUM,
        read=len,
    ),
)
"""Figures that a table says of a run besides its totals."""
