"""Simulator for register-insertion rings (SCI, IEEE 1596).

>>> import ringlet as rl
>>> scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
>>> result = rl.run(scenario)
>>> len(result.nodes)
4
"""

from importlib.metadata import version

from ringlet import plots
from ringlet.advise import advise
from ringlet.analysis import maximal_conflict_grouping, optimal_throughput, optimal_throughput_with_echo
from ringlet.errors import RingletError
from ringlet.run import Result, breakdown, run
from ringlet.scenario import Scenario
from ringlet.scenario.bound import bound
from ringlet.sweep import Study, SweepResult, sweep

__version__ = version("ringlet")

__all__ = [
    "Result",
    "RingletError",
    "Scenario",
    "Study",
    "SweepResult",
    "__version__",
    "advise",
    "bound",
    "breakdown",
    "maximal_conflict_grouping",
    "optimal_throughput",
    "optimal_throughput_with_echo",
    "plots",
    "run",
    "sweep",
]
