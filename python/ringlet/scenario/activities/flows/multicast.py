"""Flows whose packets have several receivers: a further flow for each counts the copies that it takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ringlet.errors import RingletError
from ringlet.scenario.activities.flow import COPIES
from ringlet.scenario.activities.flows.keys import ALL, FlowKeys
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.values.destinations import Destinations, Fixed
from ringlet.scenario.values.transactions import Transaction

if TYPE_CHECKING:
    from ringlet.rings import Network

MAX_RECEIVERS = 1 << 16
"""Receivers of all flows together: each has a flow of the engine."""


def receivers_of(flow: FlowKeys, network: "Network", transaction: Transaction, at: str) -> list[int]:
    """Returns the receivers of a flow's packets in the order in which they pass them, round the first ring.

    Raises:
        RingletError: no group of receivers, or a network or transaction that has no rule for one.
    """
    path, given = f"{at}destination", flow.destination
    if network.second_interface is None and (len(network.ring_lengths) > 1 or len(network.switch_start) > 1):
        allowed = "false with several rings: nothing says how switches would copy packets"
        raise RingletError.not_allowed(f"{at}multicast", True, allowed)
    if network.ahead is not None:
        allowed = "false where a packet takes one of two rings; ways = 'both' leads to all receivers"
        raise RingletError.not_allowed(f"{at}multicast", True, allowed)
    if transaction.response_bytes is not None:
        allowed = "one without responses, with multicast: no receiver answers"
        raise RingletError.not_allowed("flow_transaction", "<a response>", allowed)
    if isinstance(given, dict):
        allowed = "a list of nodes or 'all', with multicast: no receiver has a share"
        raise RingletError.not_allowed(path, "<nodes with shares>", allowed)
    others = (node for node in range(network.nodes) if node != flow.source)
    nodes = list(others) if given == ALL else list(given) if isinstance(given, list) else [int(given)]
    if len(nodes) < 2:
        allowed = "at least two receivers with multicast"
        raise RingletError.not_allowed(path, f"<{len(nodes)} node>", allowed)
    places = network.node_interface.tolist()
    return sorted(nodes, key=lambda node: (places[node] - places[flow.source]) % network.nodes)


def check_count(receivers: Iterable[Sequence[int]]) -> None:
    """Raises RingletError for more receivers of all flows than the engine is given flows for."""
    count = sum(map(len, receivers))
    if count > MAX_RECEIVERS:
        raise RingletError.not_allowed("flows", f"<{count:,} receivers>", f"at most {MAX_RECEIVERS:,} with multicast")


def with_copies(
    flows: Sequence[ResolvedFlow], receivers: Sequence[Sequence[int]], names: Sequence[str]
) -> tuple[ResolvedFlow, ...]:
    """Returns the flows, of which those with several receivers are one for each, the last receiver's first.

    Args:
        flows: as they are given, those with several receivers to the last one of them.
        receivers: of each flow, in the order in which its packets pass them; empty where it has one.
        names: of the nodes in results.
    """
    starts, start = [], 0
    for each in receivers:
        starts.append(start)
        start += max(len(each), 1)
    made = []
    for one, each, place in zip(flows, receivers, starts, strict=True):
        sent = one if one.follows is None else replace(one, follows=starts[one.follows])
        if not each:
            made.append(sent)
            continue
        *passed, last = each
        made.append(replace(sent, name=f"{one.name} to {names[last]}", to=str(last)))
        made += [
            replace(
                sent,
                name=f"{one.name} to {names[node]}",
                destinations=Fixed(node),
                to=str(node),
                arrivals={"kind": COPIES},
                copies=place,
                follows=None,
            )
            for node in passed
        ]
    return tuple(made)


def last_of(receivers: Sequence[int]) -> tuple[Destinations, str]:
    """Returns the destination of a flow with several receivers, and all of them in words."""
    return Fixed(receivers[-1]), "+".join(map(str, receivers))
