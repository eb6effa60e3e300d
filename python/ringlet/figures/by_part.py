"""Computations of a figure for the parts of a document that show it."""

from collections.abc import Callable, Sequence
from typing import Any

from ringlet.document.figure import Part, Values
from ringlet.figures.measurements import Found


def by_series(function: Values, *, parts: Sequence[Part] = ("nodes", "priorities", "total")) -> dict[Part, Values]:
    """Returns how parts take a figure of all series: each node, each priority, and the total, in this order.

    Args:
        function: computes it for all series at once.
        parts: that show it.
    """

    def nodes(found: Found) -> Sequence[Any]:
        return found.once(function)[: found.nodes]

    def priorities(found: Found) -> Sequence[Any]:
        return found.once(function)[found.nodes : -1]

    def total(found: Found) -> Sequence[Any]:
        return found.once(function)[-1:]

    every: dict[Part, Values] = {"nodes": nodes, "priorities": priorities, "total": total}
    return {part: every[part] for part in parts}


def by_node(function: Values, *, total: Callable[[Sequence[Any]], Any] | None = None) -> dict[Part, Values]:
    """Returns how parts take a figure of nodes.

    Args:
        function: computes it for all nodes at once.
        total: makes one of them for the whole network; None: there is none.
    """
    if total is None:
        return {"nodes": lambda found: found.once(function)}
    return {"nodes": lambda found: found.once(function), "total": lambda found: [total(found.once(function))]}


def by_priority(function: Values) -> dict[Part, Values]:
    """Returns how parts take a figure of the reported priorities, computed for all of them at once."""
    return {"priorities": function}


def of_run(function: Callable[[Found], Any]) -> dict[Part, Values]:
    """Returns how the run itself takes a figure."""
    return {"run": lambda found: [function(found)]}


def in_total(function: Callable[[Found], Any]) -> dict[Part, Values]:
    """Returns how parts take a figure that only the whole network has."""
    return {"total": lambda found: [function(found)]}
