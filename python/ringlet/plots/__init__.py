"""Figures: each is a description (`Chart`) that matplotlib and the report's page both draw.

>>> import ringlet as rl
>>> scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
>>> axes = rl.plots.node_chart(rl.run(scenario)).panels[0].draw()
>>> axes.get_ylabel()
'throughput (MB/s)'
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
