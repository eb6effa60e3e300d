"""The list of the charts of runs."""

from importlib import import_module

from ringlet.plots.charts.run_chart import RunChart

_LISTED = (
    "nodes",
    "latency",
    "links",
    "retries",
    "priorities",
    "responses",
    "events",
    "workers",
    "pairs",
    "service",
    "network",
)
"""The modules of all charts, in the order in which they are drawn."""

RUN_CHARTS: tuple[RunChart, ...] = tuple(import_module(f"{__package__}.{name}").CHART for name in _LISTED)
"""Every chart of runs."""
