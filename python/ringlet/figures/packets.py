"""Counts of packets: delivered, lost, dropped after time-outs, sent again, refused."""

from ringlet.document.figure import Figure
from ringlet.figures.by_part import by_node, by_series

PACKETS = (
    Figure(
        "delivered_packets",
        "delivered packets",
        "Send packets that were served at their destinations: a node's requests, and the responses to them.",
        unit="packets",
        values=by_series(lambda found: found.series("delivered_packets")),
        kind="integer",
    ),
    Figure(
        "lost_packets",
        "lost packets",
        "Packets that found the transmit queue of their source full.",
        unit="packets",
        values=by_series(lambda found: found.series("lost_packets")),
        kind="integer",
    ),
    Figure(
        "lost_MBps",
        "lost data",
        "Data of the lost packets.",
        unit="MB/s",
        values=by_series(lambda found: found.MBps(found.series("lost_bytes"))),
        heading="lost\nMB/s",
    ),
    Figure(
        "given_up_packets",
        "packets given up",
        "Packets that their senders gave up after time-outs, since links had errors; without echoes those that found "
        "a receive queue full.",
        unit="packets",
        values=by_series(lambda found: found.series("given_up_packets")),
        kind="integer",
    ),
    Figure(
        "given_up_MBps",
        "data given up",
        "Data of the packets given up.",
        unit="MB/s",
        values=by_series(lambda found: found.MBps(found.series("given_up_bytes"))),
    ),
    Figure(
        "timed_out_requests",
        "requests timed out",
        "Requests whose responses had not come after `queues.response_timeout`: they were sent again, or given up.",
        values=by_series(lambda found: found.series("timed_out_requests")),
        kind="integer",
    ),
    Figure(
        "unanswered_requests",
        "requests given up without a response",
        "Requests that timed out after they had been sent again `queues.response_repeats` times.",
        values=by_series(lambda found: found.series("unanswered_requests")),
        kind="integer",
    ),
    Figure(
        "late_responses",
        "late responses",
        "Responses that came when the time of their request was over, and were dropped.",
        values=by_series(lambda found: found.series("late_responses")),
        kind="integer",
    ),
    Figure(
        "waiting_responses",
        "responses left waiting",
        "Requests that were served less responses that were: those that wait or are under way at the end, beyond "
        "those when its measurement began.",
        values=by_series(lambda found: found.series("waiting_responses")),
        kind="integer",
    ),
    Figure(
        "first_try_packets",
        "packets accepted at the first try",
        "Packets that were accepted the first time they were sent: a node's requests, and the responses to them, which "
        "others send.",
        unit="packets",
        values=by_series(lambda found: found.series("first_try_packets")),
        kind="integer",
    ),
    Figure(
        "retries",
        "packets sent again",
        "How often packets were sent again, after a busy echo or a time-out: a node's requests, and the responses to "
        "them, which others send.",
        values=by_series(lambda found: found.series("retries")),
        kind="integer",
        heading="\nretries",
    ),
)

REFUSALS = (
    Figure(
        "refused_packets",
        "refused packets",
        "Packets that a node answered with a busy echo, since its receive queue had no place for them.",
        unit="packets",
        values=by_node(lambda found: found.counter("refused_packets"), total=sum),
        kind="integer",
    ),
)

RETRIES = (
    Figure(
        "retry_MBps",
        "data sent again",
        "All bytes of the packets that were sent again.",
        unit="MB/s",
        values=by_series(lambda found: found.MBps(found.series("retry_bytes"))),
        heading="retry\nMB/s",
    ),
)
