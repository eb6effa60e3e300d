"""The figures of one result, as `result.plot` offers them, and of several runs beside each other."""

from ringlet.drawable import RunPlots
from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.events import event_chart
from ringlet.plots.charts.latency import latency_chart
from ringlet.plots.charts.links import link_chart
from ringlet.plots.charts.network import network_chart, network_charts
from ringlet.plots.charts.nodes import node_chart
from ringlet.plots.charts.priorities import priority_chart
from ringlet.plots.charts.responses import message_chart, with_deadlines
from ringlet.plots.charts.retries import has_retries, retry_chart
from ringlet.plots.charts.service import service_chart
from ringlet.plots.documents import Runs, documents_of
from ringlet.simulation import Result


class PlotsOfRun(RunPlots):
    """Figures of a result. A notebook shows a `Chart` as it is; `draw()` makes a matplotlib figure of it.

    >>> import ringlet as rl
    >>> result = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
    >>> result.plot.nodes().title
    'Throughput of each node'
    >>> axes = result.plot.latency().panels[0].draw()
    """

    def __init__(self, result: Result) -> None:
        """Takes the result whose figures these are; `result.plot` is what callers want."""
        self._result = result

    def nodes(self) -> Chart:
        """Returns `node_chart` of the result."""
        return node_chart(self._result)

    def latency(self) -> Chart:
        """Returns `latency_chart` of the result."""
        return latency_chart(self._result)

    def links(self) -> Chart:
        """Returns `link_chart` of the result."""
        return link_chart(self._result)

    def priorities(self) -> Chart:
        """Returns `priority_chart` of the result."""
        return priority_chart(self._result)

    def messages(self) -> Chart:
        """Returns `message_chart` of the result."""
        return message_chart(self._result)

    def events(self) -> Chart:
        """Returns `event_chart` of the result."""
        return event_chart(self._result)

    def retries(self) -> Chart:
        """Returns `retry_chart` of the result."""
        return retry_chart(self._result)

    def service(self) -> Chart:
        """Returns `service_chart` of the result."""
        return service_chart(self._result)

    def network(self) -> Chart:
        """Returns `network_chart` of the result."""
        return network_chart(self._result)

    def __call__(self) -> tuple[Chart, ...]:
        """Returns `run_charts` of the result, and `network_chart` where there are switches."""
        return (*run_charts(self._result), *network_charts(self._result))

    def __repr__(self) -> str:
        """One line: what can be called."""
        return (
            "<figures of a run: nodes(), latency(), links(), retries(), priorities(), messages(), events(), service(), "
            "network()>"
        )


def run_charts(runs: Runs) -> tuple[Chart, ...]:
    """Returns every figure of the runs: nodes, latency, links, and retries, priorities, deadlines, events and service
    over time where there are any.

    Raises:
        RingletError: no document.
    """
    documents = documents_of(runs)
    if not documents:
        raise RingletError("runs: none; allowed: one or more")
    charts = [node_chart(documents), latency_chart(documents), link_chart(documents)]
    if any(has_retries(document) for document in documents.values()):
        charts.append(retry_chart(documents))
    if any(document.get("priorities") for document in documents.values()):
        charts.append(priority_chart(documents))
    if any(with_deadlines(document) for document in documents.values()):
        charts.append(message_chart(documents))
    if any(document.get("builders") for document in documents.values()):
        charts.append(event_chart(documents))
    if any(document.get("errors", {}).get("service") for document in documents.values()):
        charts.append(service_chart(documents))
    return tuple(charts)
