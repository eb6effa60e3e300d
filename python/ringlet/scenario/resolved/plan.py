"""Plans of packets: parts of a scenario that say which packet starts when, and where it goes."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ringlet.scenario.resolved.flows import Flow
from ringlet.scenario.values.destinations import Destinations, Pattern, Weighted
from ringlet.scenario.values.link_format import LinkFormat


class Plan(ABC):
    """A plan in the terms of the engine, such as events that are built on triggers."""

    waits: ClassVar[bool] = True
    """Whether its packets wait for others."""

    @property
    @abstractmethod
    def flow_count(self) -> int:
        """Flows of the plan."""

    @abstractmethod
    def flows(self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool) -> Iterator[Flow]:
        """Yields its flows, of which nothing is in flight but what the plan releases.

        Args:
            group_specs: the engine's groups of each node.
            link_format: how packets lie on links.
            waiting: whether packets of any plan of the scenario wait for others.
        """

    @abstractmethod
    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields each node that sends, and where to."""

    @abstractmethod
    def spec(self, first_flow: int) -> dict[str, Any]:
        """Returns the engine's form.

        Args:
            first_flow: number of the first of its flows.
        """


def pattern_of(plans: Iterable[Plan], nodes: int) -> Pattern:
    """Returns where each node's packets of all plans go, each of a node's ways alike; None for a node without."""
    ways: dict[int, list[Destinations]] = {}
    for plan in plans:
        for node, to in plan.ways():
            ways.setdefault(node, []).append(to)
    together: list[Destinations | None] = [None] * nodes
    for node, each in ways.items():
        if all(to == each[0] for to in each):
            together[node] = each[0]
        else:
            together[node] = Weighted(np.mean([to.row(node, nodes) for to in each], axis=0).tolist())
    return Pattern(nodes, tuple(together))
