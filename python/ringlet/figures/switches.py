"""Figures of link controllers and B-Links of switches."""

from functools import partial

from ringlet.document.figure import Figure, OverSeeds

_figure = partial(Figure, over_seeds=OverSeeds.NONE)

CONTROLLER = (
    _figure("name", "link controller", "The port, and with several B-Links which of them it is on.", kind="string"),
    _figure("ring", "ring", "Its ring.", kind="integer"),
    _figure("sent_packets", "packets", "First transmissions on its ring.", kind="integer", heading="packets\nsent"),
    _figure("retries", "retries", "Packets that it sent again.", kind="integer", heading="\nretries"),
    _figure(
        "accepted_packets",
        "packets taken",
        "Packets that it took from its ring.",
        kind="integer",
        heading="packets\ntaken",
    ),
    _figure(
        "refused_packets",
        "packets refused",
        "Busy echoes that it made: packets for which it had no buffer.",
        kind="integer",
        heading="packets\nrefused",
    ),
    _figure(
        "link_busy_fraction",
        "link in use",
        "Share of the time in which the link that leaves it carries no idles.",
        unit="share of time",
        heading="its link\nbusy %",
        scale=100,
    ),
    _figure(
        "transmit_mean_packets",
        "mean transmit queue",
        "Packets in its transmit slots, on average over time.",
        unit="packets",
        heading="to the ring\npackets",
    ),
    _figure("transmit_max_packets", "largest transmit queue", "The most there.", unit="packets", kind="integer"),
    _figure(
        "receive_mean_packets",
        "mean receive queue",
        "Packets in its receive buffers, on average over time.",
        unit="packets",
        heading="to the B-Link\npackets",
    ),
    _figure("receive_max_packets", "largest receive queue", "The most there.", unit="packets", kind="integer"),
    *(
        figure
        for side, what in (
            ("output", "Packets in its slots that a passing packet of lower priority held up"),
            ("input", "Packets that it took after packets of lower priority had held its buffers"),
        )
        for figure in (
            _figure(f"{side}_inversions", f"{side} inversions", f"{what}.", kind="integer"),
            _figure(f"{side}_inversion_ns", f"time of {side} inversions", f"{what}: for how long, in sum.", unit="ns"),
        )
    ),
)
"""Figures of each link controller, in the order of switches, ports and B-Links."""

B_LINK = (
    _figure("name", "B-Link", "The switch, and which of its B-Links.", kind="string"),
    _figure("packets", "packets", "Packets that it moved.", kind="integer", heading="packets\nmoved"),
    _figure(
        "busy_fraction",
        "B-Link in use",
        "Share of the time in which a packet holds it.",
        unit="share of time",
        heading="\nbusy %",
        scale=100,
    ),
    _figure(
        "inversions",
        "inversions",
        "Packets that were ready while it carried one of lower priority.",
        kind="integer",
        heading="packets\ninverted",
    ),
    _figure(
        "inversion_ns",
        "time of inversions",
        "For how long they were, in sum.",
        unit="ns",
        heading="\ninverted us",
        scale=1e-3,
    ),
)
"""Figures of each B-Link, in the order of switches."""
