"""Figures of link errors: losses, and the time until a sender's time-out detects a failure."""

from ringlet.document.figure import Figure, OverSeeds

COUNTS = tuple(
    Figure(name, words, meaning, kind="integer", heading=heading, over_seeds=OverSeeds.NONE)
    for name, words, meaning, heading in (
        ("lost_sends", "lost packets", "Send packets lost on the link to it.", "packets lost\non link to it"),
        ("lost_echoes", "lost echoes", "Echoes lost on the link to it.", "echoes\nlost"),
        ("timeouts", "time-outs", "Time-outs of what it had sent.", "\ntime-outs"),
        ("given_up_packets", "packets given up", "Packets that it gave up after time-outs.", "packets\ngiven up"),
        (
            "undelivered_packets",
            "packets not delivered",
            "Packets given up that no node and no port has received: they are lost.",
            "of these\nundelivered",
        ),
    )
)
"""Counts of an interface, and in total."""


def _time(name: str, words: str, meaning: str, heading: str = "") -> Figure:
    return Figure(
        name,
        words,
        meaning,
        unit="ns",
        may_lack=True,
        heading=heading,
        scale=1e-3,
        over_seeds=OverSeeds.NONE,
    )


FIRST = (
    _time("first_timeout_ns", "first time-out", "Time of the first time-out.", "first\ntime-out us"),
    _time("first_given_up_ns", "first packet given up", "Time at which a packet was given up.", "first\ngiven up us"),
)

ERRORS = (
    Figure(
        "timeout_ns",
        "time-out",
        "Time after which a sender without an echo sends again.",
        unit="ns",
        over_seeds=OverSeeds.NONE,
    ),
    *COUNTS,
    Figure(
        "undelivered_MB",
        "data not delivered",
        "Length of the packets given up that no node and no port has received, headers included.",
        unit="MB",
        over_seeds=OverSeeds.NONE,
    ),
    *FIRST,
)

SERVICE = (
    Figure(
        "bin_ns",
        "bin of time",
        "Time over which each throughput is taken, one behind the other from the start of the simulation.",
        unit="ns",
        over_seeds=OverSeeds.NONE,
    ),
)

INTERFACES = (
    Figure(
        "name",
        "interface",
        "The interface; a node with two interfaces has one record for both.",
        kind="string",
        over_seeds=OverSeeds.NONE,
    ),
    Figure("ring", "ring", "Its ring; of two interfaces the first.", kind="integer", over_seeds=OverSeeds.NONE),
    *COUNTS,
    *FIRST,
)

FAILURES = (
    Figure("what", "what fails", "The link, node or switch that fails.", kind="string", over_seeds=OverSeeds.NONE),
    Figure("fails_at_ns", "failure", "Time of the failure.", unit="ns", over_seeds=OverSeeds.NONE),
    _time("first_loss_ns", "first loss", "Time from the failure until the first packet or echo is lost because of it."),
    _time("noticed_ns", "time-out of the sender", "Time from the failure until the sender's time-out."),
    _time(
        "first_delivery_ns",
        "first delivery after it",
        "Time from the failure until a request comes through that was generated after it, from a node to another one "
        "between which the way had led over what failed. None if there is none, and in networks of more than 1,024 "
        "nodes.",
    ),
    _time(
        "back_ns",
        "throughput back",
        "Time from the failure until the throughput is back for good: its mean from there to any later time, up to the "
        "next failure, is at least 95 % of the one in the second half of the time before the failure. None if it is "
        "not back by then.",
    ),
    *COUNTS[:2],
    Figure(
        "lost_are_copies",
        "lost are copies",
        "Of each packet another copy takes the other ring, so that one that is lost here need not be missing.",
        kind="boolean",
        over_seeds=OverSeeds.NONE,
    ),
)
