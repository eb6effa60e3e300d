"""Figures of fairness: how evenly the nodes share, and who starves."""

from collections.abc import Sequence

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import by_node, in_total
from ringlet.figures.measurements import Found


def _min_max_share(found: Found) -> float | None:
    served = [data for data, flows in zip(found.node_data, found.series("flows"), strict=False) if flows]
    return min(served) / max(served) if any(served) else None


STARVED_SHARE = 0.01
"""Share of its fair share below which a node starves where packets wait."""

KNOWN_PACKETS = 100
"""Packets that a node's fair share has to be in the measured time before the share that it got says something."""


def _starved(found: Found) -> Sequence[bool]:
    """Returns which nodes had a packet waiting for most of the time and got next to nothing of their fair share.

    A node that sent no packet at all, nor one again, starves whatever its fair share is. Responses are not counted as
    sent: a node that only answers does not starve.
    """
    best = found.fair_share
    fair = [0.0] * found.nodes if best is None else best.words_per_cycle.tolist()
    known = KNOWN_PACKETS * found.scenario.mean_send_symbols
    each = zip(
        found.counter("transmit_queue_packet_cycles"),
        *(found.series(name)[: found.nodes] for name in ("flows", "sent_packets", "retries")),
        found.words_per_cycle,
        fair,
        strict=True,
    )
    return [
        bool(flows)
        and waited > found.cycles / 2
        and (not (sent or retries) or (share * found.cycles >= known and got < STARVED_SHARE * share))
        for waited, flows, sent, retries, got, share in each
    ]


FAIRNESS = (
    Figure(
        "starved",
        "starved",
        "Whether the node had a packet waiting for most of the time and got less than 1 % of its fair share, or sent "
        "nothing at all.",
        values=by_node(_starved),
        kind="boolean",
        over_seeds=OverSeeds.RUNS,
    ),
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
