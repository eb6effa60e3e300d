"""Systems of the chapter, and what is read from their runs."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run

RINGLETS = "figure6-21-ringlets.toml"


LONG_RINGS = "figure6-23-long-rings.toml"


FOUR_RINGS = "figure6-24-four-rings.toml"


EIGHT = "figure6-17-eight-processors.toml"


OMEGA_RINGLETS = "figure6-25-ringlets.toml"


FIRST_GRADE = "figure6-26-first-grade.toml"


SECOND_GRADE = "figure6-27-second-grade.toml"


def load_scenario(file: str, *overrides: str) -> Scenario:
    """Returns one of the paper's scenario files with overrides, shortened to 0.3 ms."""
    short = () if file.startswith("testbed") else ("run.duration=0.3 ms", "run.warmup=0.1 ms")
    return Case("richter1999", file, (*short, *overrides)).load()


@cache
def run_file(file: str, *overrides: str) -> Result:
    """Runs one of the paper's scenario files with overrides."""
    return run(load_scenario(file, *overrides))


def at_load(file: str, load_MBps: float, *overrides: str) -> Result:
    """Runs a scenario file at a gross load of each processor."""
    return run_file(file, f"traffic.load={load_MBps} MB/s", *overrides)


def carried_MBps(result: Result) -> float:  # noqa: N802 - the unit
    """Returns the throughput of all nodes in MB/s."""
    return float(result.nodes["throughput_MBps"].sum())


def latency_ns(result: Result, which: str = "mean") -> float:
    """Returns a latency of the whole network in ns."""
    return float(result.total[f"latency_{which}_ns"].iloc[0])


def as_text(values: Sequence[float] | NDArray[np.float64]) -> str:
    """Returns numbers as text, without decimals."""
    return " ".join(f"{value:z.0f}" for value in values)
