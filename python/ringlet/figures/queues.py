"""Lengths of queues."""

from collections.abc import Sequence

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import by_node, in_total
from ringlet.figures.measurements import Found


def _held_by_slow_links(found: Found) -> Sequence[int | None]:
    slow_links, held = found.scenario.resolved.slow_links, found.counter("slow_link_max_symbols")
    return [int(most) if node in slow_links else None for node, most in enumerate(held)]


QUEUES = (
    Figure(
        "transmit_queue_mean_packets",
        "mean transmit queue",
        "Packets that waited in the node's transmit queue, on average over time.",
        unit="packets",
        values=by_node(lambda found: found.per_cycle(found.counter("transmit_queue_packet_cycles"))),
        formerly=("queues", "transmit_mean"),
    ),
    Figure(
        "transmit_queue_max_packets",
        "largest transmit queue",
        "Packets in the node's transmit queue at most.",
        unit="packets",
        values=by_node(lambda found: found.counter("transmit_queue_max")),
        formerly=("queues", "transmit_max"),
        kind="integer",
        over_seeds=OverSeeds.LARGEST,
    ),
    Figure(
        "receive_queue_mean_packets",
        "mean receive queue",
        "Packets in the node's receive queue, on average over time.",
        unit="packets",
        values=by_node(lambda found: found.per_cycle(found.counter("receive_queue_packet_cycles"))),
        formerly=("queues", "receive_mean"),
    ),
    Figure(
        "receive_queue_max_packets",
        "largest receive queue",
        "Packets in the node's receive queue at most.",
        unit="packets",
        values=by_node(lambda found: found.counter("receive_queue_max")),
        formerly=("queues", "receive_max"),
        kind="integer",
        over_seeds=OverSeeds.LARGEST,
    ),
    Figure(
        "bypass_max_symbols",
        "largest fill of the bypass FIFO",
        "Symbols in the node's bypass FIFO at most.",
        unit="symbols",
        values=by_node(lambda found: found.counter("bypass_max_symbols")),
        formerly=("queues", "bypass_max_symbols"),
        kind="integer",
        over_seeds=OverSeeds.LARGEST,
    ),
    Figure(
        "slow_link_max_symbols",
        "largest queue of the slow link",
        "Symbols of packets that waited for the node's outgoing link at most, where that is slower than its ring, "
        "without those of the packet that leaves it; null where it is not.",
        unit="symbols",
        values=by_node(_held_by_slow_links),
        kind="integer",
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
    ),
    Figure(
        "max_backlog_packets",
        "maximum backlog",
        "Packets that waited at one node at most: the largest transmit queue of all nodes.",
        unit="packets",
        values=in_total(lambda found: max(found.counter("transmit_queue_max"))),
        kind="integer",
        over_seeds=OverSeeds.LARGEST,
    ),
)
