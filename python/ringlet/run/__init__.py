"""One run: a scenario in, a `Result` out.

`run` builds the engine's network from the scenario, drives it through warm-up and measurement, and gathers throughput,
latency, queues and link use with their confidence intervals. `breakdown` runs a set of periodic messages ever faster, until one
misses its deadline.
"""

from ringlet.run.breakdown import Breakdown, breakdown, breakdowns
from ringlet.run.result import Result
from ringlet.run.simulate import run, run_many
from ringlet.run.version import engine_version

__all__ = ["Breakdown", "Result", "breakdown", "breakdowns", "engine_version", "run", "run_many"]
