"""One run: a scenario in, a `Result` out.

`run` builds the engine's network from the scenario, drives it through warm-up and measurement, and gathers throughput,
latency, queues and link use with their confidence intervals. The module `breakdown`
runs a set of periodic messages ever faster, until one misses its deadline.
"""

from ringlet.simulation.result import Result
from ringlet.simulation.simulate import run, run_many
from ringlet.simulation.version import engine_version

__all__ = ["Result", "engine_version", "run", "run_many"]
