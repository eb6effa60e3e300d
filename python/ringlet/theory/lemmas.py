"""The lemmas from which bounds of response times follow, by the numbers and names of docs/explanation/guarantees.md."""

from collections.abc import Collection

from ringlet.scenario.flow_control import PROTOCOLS

NAMES = {
    1: "what a packet takes",
    2: "induction over time",
    3: "arrivals",
    4: "bypass FIFO",
    5: "window",
    6: "a node with an eligible head emits without a pause",
    7: "go bits are not lost",
    8: "who delays a go bit",
    9: "path",
    10: "response",
    11: "what a node sends",
    12: "nothing comes behind the token",
    13: "revolution",
    14: "one wait or the other",
    15: "rotation",
    16: "what a switch releases",
    17: "B-Link",
    18: "buffers",
    19: "what a server releases",
    20: "both classes",
    21: "limits",
    22: "timed token",
    23: "early token",
    24: "slots that come",
    25: "work",
    26: "losses",
    27: "known releases",
    28: "copies",
    29: "several receivers",
    30: "classes that nothing keeps back",
    31: "releases that come late",
}
"""Each lemma in words."""

OF_ALL = (1, 2, 3, 21)
"""Lemmas of every bound."""

OF_SWITCHES, OF_RESPONSES, OF_LOOPS = (16, 17, 18), (19, 20), (25,)
"""Lemmas of networks, of transactions with responses, and of control loops."""

OF_LOSSES, OF_OFFSETS, OF_COPIES, OF_RECEIVERS = (26,), (27, 31), (28,), (29,)
"""Lemmas of bounds with losses, of bounds for given offsets, of stations on two rings, and of packets with several
receivers."""


def lemmas(
    protocols: Collection[str],
    *,
    switched: bool,
    responses: bool,
    loops: bool = False,
    losses: bool = False,
    offsets: bool = False,
    copies: bool = False,
    receivers: bool = False,
) -> list[str]:
    """Returns the lemmas of a bound in words, such as `Lemma 3 (arrivals)`; none where a protocol has no bound.

    Args:
        protocols: of all rings.
        switched: whether there are switches.
        responses: whether messages are moved by requests with responses.
        loops: whether there are control loops.
        losses: whether packets may be lost.
        offsets: whether bounds are those for given offsets.
        copies: whether each node is on two rings.
        receivers: whether packets have several receivers.
    """
    each = [PROTOCOLS.listed[one].lemmas for one in protocols]
    if not all(each):
        return []
    used = {*OF_ALL, *(number for one in each for number in one)}
    used |= set(OF_SWITCHES if switched else ()) | set(OF_RESPONSES if responses else ())
    used |= set(OF_LOOPS if loops else ()) | set(OF_LOSSES if losses else ())
    used |= set(OF_OFFSETS if offsets else ()) | set(OF_COPIES if copies else ())
    used |= set(OF_RECEIVERS if receivers else ())
    return [f"Lemma {number} ({NAMES[number]})" for number in sorted(used)]
