"""Simulator for register-insertion rings (SCI, IEEE 1596).

>>> import ringlet as rl
>>> scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
>>> result = rl.run(scenario)
>>> len(result.nodes)
4
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
