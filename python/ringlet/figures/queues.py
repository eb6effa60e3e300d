"""Lengths of queues."""

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import by_node, in_total

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
        "max_backlog_packets",
        "maximum backlog",
        "Packets that waited at one node at most: the largest transmit queue of all nodes.",
        unit="packets",
        values=in_total(lambda found: max(found.counter("transmit_queue_max"))),
        kind="integer",
        over_seeds=OverSeeds.LARGEST,
    ),
)
