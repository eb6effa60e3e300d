"""All figures of single runs, or of a few beside each other."""

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.documents import Runs, documents_of
from ringlet.plots.latency import latency_chart
from ringlet.plots.links import link_chart
from ringlet.plots.messages import message_chart
from ringlet.plots.nodes import node_chart
from ringlet.plots.priorities import priority_chart


def run_charts(runs: Runs) -> tuple[Chart, ...]:
    """Returns every figure of the runs: nodes, latency, links, and priorities and deadlines where there are any.

    Raises:
        RingletError: no document.
    """
    documents = documents_of(runs)
    if not documents:
        raise RingletError("runs: none; allowed: one or more")
    charts = [node_chart(documents), latency_chart(documents), link_chart(documents)]
    if any(document.get("priorities") for document in documents.values()):
        charts.append(priority_chart(documents))
    if any(document.get("messages") for document in documents.values()):
        charts.append(message_chart(documents))
    return tuple(charts)
