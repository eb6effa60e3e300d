"""The flows of a scenario without chance: one for each way that a packet may go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.values.destinations import Fixed

if TYPE_CHECKING:
    from ringlet.scenario.resolved.scenario import Resolved

MAX_FLOWS = 8
"""Most flows: a step says of which of them messages arrive, a bit each."""


def check_delivery(resolved: "Resolved") -> None:
    """Raises RingletError where a packet may be lost at a full receive queue, and would be under way for ever."""
    least = resolved.least_receive_places
    if least is not None and not resolved.echoes:
        allowed = "'unlimited' without echoes, as a packet that finds it full is lost; or network.echoes = true"
        raise RingletError.not_allowed("queues.receive", least, allowed)


def explored_flows(drawn: Sequence[Flow], nodes: int, most: int = MAX_FLOWS) -> list[Flow]:
    """Returns the flows of `nodes`, each with one destination, one length of its packets, and one number of packets of
    a message, which come at once.

    Raises:
        RingletError: there are too many.
    """
    if any(flow.counts_copies for flow in drawn):
        raise RingletError.not_allowed("multicast", True, "false: packets with one receiver are explored")
    ways = [
        (np.flatnonzero(flow.destinations.row(flow.source, nodes)), _lengths(flow), _bursts(flow)) for flow in drawn
    ]
    # Counted before they are made: a large network has millions.
    count = sum(len(destinations) * len(lengths) * len(bursts) for destinations, lengths, bursts in ways)
    if count > most:
        what = f"<{count} flows, each from a source to a destination with packets of a length>"
        allowed = (
            f"at most {most} to be explored; fewer nodes (network.nodes), or fixed destinations (traffic.destinations)"
        )
        raise RingletError.not_allowed("traffic", what, allowed)
    return [
        replace(
            flow,
            sizes=[(symbols, 1.0)],
            burst=burst,
            destinations=Fixed(destination),
            groups=_group(flow.groups),
            messages=None,
        )
        for flow, (destinations, lengths, bursts) in zip(drawn, ways, strict=True)
        for destination in destinations.tolist()
        for symbols in lengths
        for burst in bursts
    ]


def _bursts(flow: Flow) -> Sequence[int]:
    """Returns the numbers of packets that messages of a flow have."""
    if flow.messages is None:
        return [flow.burst]
    size, packet_bytes = flow.messages["size"], flow.messages["packet_bytes"]
    if "sizes" in size:
        return sorted({-(-data // packet_bytes) for data, share in size["sizes"] if share > 0})
    return range(-(-size["least"] // packet_bytes), -(-size["most"] // packet_bytes) + 1)


def _lengths(flow: Flow) -> list[int]:
    """Returns the lengths of a flow's packets, in symbols."""
    return sorted({int(size) for size, probability in flow.sizes if probability > 0})


def name(flow: Flow, node_name: Callable[[int], str] = str) -> str:
    """Returns what a flow is called: `0 to 2`, with its priority if it has one."""
    assert isinstance(flow.destinations, Fixed), "an explored flow has one destination"
    priority = f", priority {flow.priority}" if flow.priority else ""
    return f"{node_name(flow.source)} to {node_name(flow.destinations.node)} ({flow.sizes[0][0]} symbols{priority})"


def above(flows: Sequence[Flow], flow: int) -> int:
    """Returns the flows of higher priority, a bit each."""
    return sum(1 << i for i, other in enumerate(flows) if other.priority > flows[flow].priority)


def _group(groups: Mapping[str, Any]) -> dict[str, Any]:
    if groups["kind"] == "schedule" and len(groups["steps"]) > 1:
        raise RingletError.not_allowed("flow_control.schedule", "<a schedule>", "groups that stay, to be explored")
    return dict(groups)
