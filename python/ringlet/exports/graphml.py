"""Links and flows as GraphML, written by networkx."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import networkx

from ringlet.errors import RingletError
from ringlet.exports.content import Exported
from ringlet.exports.flows import MAX_SHARES, FlowTable, flow_table
from ringlet.exports.links import interfaces
from ringlet.exports.nodes import Nodes
from ringlet.scenario.activities.receivers import ALL
from ringlet.scenario.scenario import Scenario

LINKS = "-links.graphml"
FLOWS = "-flows.graphml"


def written(scenario: Scenario, stem: str) -> Exported:
    """Returns the links of a scenario as a graph, and the flows as another one.

    Raises:
        RingletError: a table cannot hold the traffic.
    """
    resolved = scenario.resolved
    there, flows = interfaces(resolved), flow_table(resolved)
    graph: Any = networkx.DiGraph()
    for one in there:
        graph.add_node(one.name, kind="port" if one.switch else "node")
    for one in there:
        speed = {"rate_MBps": one.link_rate_MBps, "hop_delay_ns": one.hop_delay_ns}
        graph.add_edge(one.name, there[one.following].name, kind="link", ring=one.ring, **speed)
        if one.switch:
            switch = f"switch {one.switch}"
            graph.add_node(switch, kind="switch")
            graph.add_edge(one.name, switch, kind="crossing")
            graph.add_edge(switch, one.name, kind="crossing")
    found = Exported({LINKS: _text(graph)}, [f"links: {len(there)}", *flows.taken], flows.left_out)
    if resolved.switched:
        found.back.append("ringlet import reads single rings: it takes no network with switches")
    else:
        found.back.append(f"ringlet import {stem}{LINKS} makes the ring again: names, link rate and hop delays")
        found.back.append("not in the links: all sections but [network], and what else that says")
    if flows.rows:
        found.files[FLOWS] = _text(_graph_of(flows, Nodes.of(resolved), resolved.nodes))
        found.back.append("nothing reads the flows again: --format csv has them as flows_file takes them")
    return found


def _graph_of(flows: FlowTable, nodes: Nodes, count: int) -> Any:  # noqa: ANN401 - a graph of networkx
    """Returns flows as edges from their sources, one to each of their destinations.

    Raises:
        RingletError: too many edges.
    """
    graph: Any = networkx.MultiDiGraph()
    names = [nodes.name(node) for node in range(count)]
    graph.add_nodes_from(names)
    edges = 0
    for row in flows.rows:
        targets = row_targets(row, names)
        edges += len(targets)
        if edges > MAX_SHARES:
            raise RingletError.not_allowed("traffic", "<its flows>", f"at most {MAX_SHARES:,} edges, for GraphML")
        said = {key: _value(cell) for key, cell in row.items() if key not in ("source", "destination")}
        for target, share in targets.items():
            graph.add_edge(row["source"], target, share=share, **said)
    return graph


def row_targets(row: Mapping[str, str], names: Sequence[str]) -> dict[str, float]:
    """Returns the destinations of a row of a table of flows, with their shares."""
    cell = row["destination"]
    if cell == ALL:
        others = [name for name in names if name != row["source"]] or list(names)
        return dict.fromkeys(others, 1 / len(others))
    pairs = [part.strip().rpartition(":") for part in cell.split(";")]
    return {(name or share).strip(): float(share) if name else 1 / len(pairs) for name, _, share in pairs}


def _value(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def _text(graph: Any) -> str:  # noqa: ANN401 - the same
    text = io.BytesIO()
    networkx.write_graphml(graph, text)
    return text.getvalue().decode("utf-8")
