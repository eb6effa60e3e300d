"""Figures of fairness: how evenly the nodes share."""

from ringlet.figures.figure import Figure, in_total
from ringlet.figures.measurements import Found


def _min_max_share(found: Found) -> float | None:
    served = [data for data, flows in zip(found.node_data, found.series("flows"), strict=False) if flows]
    return min(served) / max(served) if any(served) else None


FAIRNESS = (
    Figure(
        "fairness",
        "fairness (Jain's index)",
        "Jain's index of the throughputs of the nodes that send: 1 if all are equal, 1/n if one of n has all. Missing "
        "if nothing was served.",
        values=in_total(lambda found: found.measured["fairness"]),
        may_lack=True,
    ),
    Figure(
        "min_max_share",
        "min/max share",
        "Least throughput of a node that sends, divided by the largest: 1 if all are equal, 0 if one starves. Missing "
        "if nothing was served.",
        values=in_total(_min_max_share),
        may_lack=True,
    ),
)
