"""The keys of a run."""

from typing import Literal

from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.scenario.values.units import PositiveTime, Time
from ringlet.sections import Field, Section


class Run(Section):
    """The length of a run, its warm-up and its seed."""

    duration: PositiveTime | None = Field(
        default=None,
        description="Measured time, after the warm-up. With `precision`, the most. Default: until what is asked is "
        "known: a hyperperiod of messages and loops with its deadlines, 1000 triggers of events, a collective "
        "operation until it is complete, a trace until all of it has been delivered, random traffic until throughput "
        "and mean latency are known within 2 %, each with a cap that the run names; `1 ms` of traffic in which nothing "
        "is random, or where parts fail.",
    )
    precision: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Measure until total throughput and mean latency are known within this relative half width (95 %).",
    )
    warmup: Time | Literal["auto"] = Field(
        default="auto",
        description="Time simulated before the measurement. `auto`: until MSER-5 finds the transient over; none for a "
        "trace, for a message set alone, whose first releases are to count, and where links or nodes fail.",
    )
    seed: int = Field(default=1, ge=0, le=MAX_SEED, description="Seed of all random draws.")
    stall_after: PositiveTime | None = Field(
        default=None,
        description="A ring or network on which packets wait and none is accepted for this long is reported as "
        "stalled. Default: "
        "1,000,000 cycles, with switches a quarter of the duration if that is less, but 25,000 cycles and 20 times "
        "what a packet takes through a switch, at "
        "a node, or until a time-out; at least 20 revolutions of the longest ring.",
    )
