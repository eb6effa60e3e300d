"""The list of the charts of runs."""

from ringlet.plots.charts import (
    events,
    latency,
    links,
    network,
    nodes,
    pairs,
    priorities,
    responses,
    retries,
    service,
    workers,
)

RUN_CHARTS = (
    nodes.CHART,
    latency.CHART,
    links.CHART,
    retries.CHART,
    priorities.CHART,
    responses.CHART,
    events.CHART,
    workers.CHART,
    pairs.CHART,
    service.CHART,
    network.CHART,
)
"""Every chart of runs, in the order in which they are drawn."""
