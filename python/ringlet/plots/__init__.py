"""Figures: each is a description (`Chart`) that matplotlib and the report's page both draw.

>>> import ringlet as rl
>>> scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
>>> axes = rl.plots.node_chart(rl.run(scenario)).panels[0].draw()
>>> axes.get_ylabel()
'throughput (MB/s)'
"""

from ringlet.plots.chart import Chart, Panel, with_common_ranges
from ringlet.plots.charts.advice import advice_chart
from ringlet.plots.charts.differences import difference_chart
from ringlet.plots.charts.events import event_chart
from ringlet.plots.charts.latency import latency_chart
from ringlet.plots.charts.links import link_chart
from ringlet.plots.charts.network import network_chart
from ringlet.plots.charts.nodes import node_chart
from ringlet.plots.charts.priorities import priority_chart
from ringlet.plots.charts.responses import message_chart
from ringlet.plots.charts.retries import retry_chart
from ringlet.plots.charts.service import service_chart
from ringlet.plots.curves import curves
from ringlet.plots.parts import Axis, Level, Series
from ringlet.plots.run_plots import run_charts
from ringlet.plots.sweeps import Layout, default_charts, drawn_sweep, roll_off_chart, sweep_chart, with_published
from ringlet.plots.vega import vega_lite

__all__ = [
    "Axis",
    "Chart",
    "Layout",
    "Level",
    "Panel",
    "Series",
    "advice_chart",
    "curves",
    "default_charts",
    "difference_chart",
    "drawn_sweep",
    "event_chart",
    "latency_chart",
    "link_chart",
    "message_chart",
    "network_chart",
    "node_chart",
    "priority_chart",
    "retry_chart",
    "roll_off_chart",
    "run_charts",
    "service_chart",
    "sweep_chart",
    "vega_lite",
    "with_common_ranges",
    "with_published",
]
