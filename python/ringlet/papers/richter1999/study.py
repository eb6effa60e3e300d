"""The part that all systems of the study share: lengths of runs, and the quantities that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.simulation import Result

PAPER = "richter1999"
UNITS = "MB = 10^6 bytes"
"""Meaning of the units of rows, axes and tables."""
SEED = 1
"""Seed of all runs; nothing is random in the chapter's traffic, so that another one gives the same result."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of simulation."""

    step_MBps: int  # noqa: N815 - the unit
    """Step between the input rates of a processor, in MB/s."""
    fine_MBps: int  # noqa: N815 - the unit
    """Step between the input rates of a processor where latencies under overload are looked for, in MB/s."""
    overrides: tuple[str, ...] = ()
    """Overrides of durations that are shorter than in the scenario files."""
    long: tuple[str, ...] = ()
    """Overrides of durations that are longer where latencies under overload are looked for: a packet that starves is
    not seen before it is delivered."""
    quick: bool = False


FULL = Scale(step_MBps=25, fine_MBps=5, long=("run.duration=2 ms",))
QUICK = Scale(step_MBps=25, fine_MBps=25, overrides=("run.duration=0.3 ms", "run.warmup=0.1 ms"), quick=True)


@dataclass(frozen=True, slots=True)
class Point:
    """The figures kept of a case: sums over the processors, in MB/s of payload, and what becomes of their packets."""

    offered_MBps: float  # noqa: N815 - the unit
    output_MBps: float  # noqa: N815 - the unit
    loss_MBps: float  # noqa: N815 - the unit
    """Lost at injection, the only place where packets are lost."""
    retry_MBps: float  # noqa: N815 - the unit
    mean_latency_ns: float
    """Mean over all packets delivered; with responses, of both."""
    least_latency_ns: float
    largest_latency_ns: float
    nodes_MBps: tuple[float, ...]  # noqa: N815 - the unit
    """Output of each node."""


Results = Mapping[Case, Point]
"""Figures kept of each case, as `ringlet.papers.runs.simulate` returns them."""


def measure(scenario: Scenario, results: Sequence[Result]) -> Point:
    """Returns what is kept of a case: one run."""
    (result,) = results
    total = result.document["total"]
    latency = {key: float("nan") if value is None else float(value) for key, value in total["latency_ns"].items()}
    return Point(
        offered_MBps=total["offered_MBps"],
        output_MBps=total["throughput_MBps"],
        loss_MBps=total["lost_MBps"],
        retry_MBps=total["retry_MBps"],
        mean_latency_ns=latency["mean"],
        least_latency_ns=latency["min"],
        largest_latency_ns=latency["max"],
        nodes_MBps=tuple(node["throughput_MBps"] for node in result.document["nodes"]),
    )
