"""Flows whose packets have several receivers: a further flow for each counts the copies that it takes."""

from collections.abc import Sequence
from dataclasses import replace

from ringlet.scenario.activities.flow import COPIES
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.values.destinations import Destinations, Fixed


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
