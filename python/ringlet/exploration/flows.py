"""The flows of a scenario without chance: one for each way that a packet may go."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.destinations import from_spec

MAX_FLOWS = 8
"""Most flows: a step says of which of them messages arrive, a bit each."""


def explored_flows(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the flows of an engine's spec, each with one destination and one length of its packets.

    Raises:
        RingletError: there are too many.
    """
    flows = []
    for flow in spec["flows"]:
        for destination in _destinations(flow, spec["nodes"]):
            for symbols in sorted({int(size) for size, probability in flow["sizes"] if probability > 0}):
                fixed = {"kind": "fixed", "node": destination}
                flows.append(
                    {**flow, "sizes": [[symbols, 1.0]], "destinations": fixed, "groups": _group(flow["groups"])}
                )
    if len(flows) > MAX_FLOWS:
        what = f"<{len(flows)} flows, each from a source to a destination with packets of a length>"
        allowed = (
            f"at most {MAX_FLOWS} to be explored; fewer nodes (network.nodes), or fixed destinations "
            "(traffic.destinations)"
        )
        raise RingletError.not_allowed("traffic", what, allowed)
    return flows


def name(flow: Mapping[str, Any]) -> str:
    """Returns what a flow is called: `0 to 2`, with its priority if it has one."""
    priority = f", priority {flow['priority']}" if flow["priority"] else ""
    return f"{flow['source']} to {flow['destinations']['node']} ({flow['sizes'][0][0]} symbols{priority})"


def above(flows: Sequence[Mapping[str, Any]], flow: int) -> int:
    """Returns the flows of higher priority, a bit each."""
    return sum(1 << i for i, other in enumerate(flows) if other["priority"] > flows[flow]["priority"])


def _destinations(flow: Mapping[str, Any], nodes: int) -> list[int]:
    """Returns the nodes to which a flow's packets may go."""
    return np.flatnonzero(from_spec(flow["destinations"]).row(flow["source"], nodes)).tolist()


def _group(groups: Mapping[str, Any]) -> dict[str, Any]:
    if groups["kind"] == "schedule" and len(groups["steps"]) > 1:
        raise RingletError.not_allowed("flow_control.schedule", "<a schedule>", "groups that stay, to be explored")
    return dict(groups)
