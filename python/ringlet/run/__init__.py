"""One run: a scenario in, a `Result` out.

`run` builds the engine's network from the scenario, drives it through warm-up and measurement, and gathers throughput,
latency, queues and link use with their confidence intervals. `breakdown` runs a set of periodic messages ever faster, until one
misses its deadline.
"""

from ringlet.run.breakdown import Breakdown, breakdown, breakdowns
from ringlet.run.result import Result
from ringlet.run.simulate import run, run_many

__all__ = ["Breakdown", "Result", "breakdown", "breakdowns", "run", "run_many"]
