"""One run: a scenario in, a `Result` out.

`run` builds the engine's network from the scenario, drives it through warm-up and measurement, and gathers throughput,
latency, queues and link use with their confidence intervals. The module `breakdown`
runs a set of periodic messages ever faster, until one misses its deadline.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
