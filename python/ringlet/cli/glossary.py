"""The terms of the field that ringlet's texts use, for `ringlet explain` and the glossary of the documentation."""

import re
from dataclasses import dataclass

KIND = "a term"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the field and its meaning."""

    name: str
    meaning: str
    """Meaning of the word, in sentences."""
    see: str = ""
    """Page of the documentation that says more."""
    other_names: tuple[str, ...] = ()
    shared: bool = False
    """True if a key, a value or a figure has one of these names, too."""


TERMS = (
    Term(
        "bypass FIFO",
        "The queue in each node of a register-insertion ring that takes in what passes while the node sends a packet "
        "of its own. Behind the packet the node empties it, and may not send before it is empty. It has room for what "
        "may come in during the longest packet.",
        "explanation/model",
        ("bypass", "bypass buffer", "insertion buffer"),
        shared=True,
    ),
    Term(
        "register insertion",
        "The way in which a node of such a ring sends: it puts a packet between two others that pass, and holds back "
        "what comes in meanwhile in its bypass FIFO. Several nodes send at once, each on another stretch of the ring.",
        "explanation/protocols",
        ("register-insertion ring", "buffer insertion"),
    ),
    Term(
        "symbol",
        "What a link carries in one cycle: 16 bits, or as many as network.link_width says. A symbol belongs to a "
        "packet, to an echo, or is an idle.",
        "explanation/model",
    ),
    Term(
        "cycle",
        "The time in which one symbol passes a link: 2 ns at 1 GB/s with 16 bits. A plain number of a time in a file "
        "is in cycles.",
        "explanation/model",
        ("symbol time",),
        shared=True,
    ),
    Term(
        "idle",
        "A symbol between packets. At least one follows each packet. Idles carry what a flow control says from node to "
        "node, such as go bits.",
        "explanation/model",
        ("idle symbol",),
        shared=True,
    ),
    Term(
        "go bit",
        "A bit of an idle. Under SCI's flow control a node may send only behind an idle with a go bit that it has just "
        "emitted. While it empties its bypass FIFO it keeps the go bits that come in, so that the nodes behind it wait "
        "until it has sent.",
        "explanation/protocols",
        ("go-bit", "stop bit"),
    ),
    Term(
        "echo",
        "The answer of a receiver: a packet of 4 symbols that goes on around the ring to the sender, in place of the "
        "end of the packet. An accepting echo ends the packet's life at its sender; a busy echo makes it send the "
        "packet again.",
        "explanation/model",
        ("echo packet", "busy echo"),
        shared=True,
    ),
    Term(
        "busy",
        "A receiver is busy while its receive queue is full: it refuses the packet with a busy echo, and the sender "
        "sends it again after retry.delay. How often that happens is `retries`, and what it takes of the links "
        "`retry_MBps`.",
        "explanation/model",
        ("refused", "busy receiver"),
        shared=True,
    ),
    Term(
        "stripping",
        "Taking a packet off the ring at its destination, which makes idles of its symbols and an echo of its last "
        "ones. The rest of the ring is free for others: that is why several nodes can send at once.",
        "explanation/model",
        ("strip", "spatial reuse"),
    ),
    Term(
        "recovery",
        "The state of a node that has sent a packet of its own and empties its bypass FIFO. It may not send, and under "
        "SCI's flow control it emits idles without go bits.",
        "explanation/model",
        ("draining",),
    ),
    Term(
        "starvation",
        "A node waits with a packet and never sends: others' packets pass without a gap. Without flow control that is "
        "what happens to nodes whose link upstream is always busy.",
        "explanation/protocols",
        ("starve",),
    ),
    Term(
        "transmission group",
        "Packets that share a go bit, under the protocol grouped of Picker, Fellman and Chau (1994). Groups that delay "
        "no waiting node go on sending.",
        "explanation/protocols",
    ),
    Term(
        "block register",
        "The groups of the packets that passed a node while it waited, under the protocol grouped. The node keeps the "
        "go bits of these groups only.",
        "explanation/protocols",
    ),
    Term(
        "priority inversion",
        "A packet of high priority waits while one of lower priority is sent in its way.",
        "explanation/realtime-model",
    ),
    Term(
        "max-min fair share",
        "What each node gets if no node can get more without a node with as little or less getting less. It is what "
        "'ringlet run' compares a node with, and what 'ringlet bound' computes. Keys of JSON call it the optimum.",
        "explanation/what-a-ring-can-carry",
        ("fair share", "optimum", "max-min fair"),
    ),
    Term(
        "saturation",
        "The load from which on more is offered than is carried: queues grow for as long as one looks, and latency has "
        "no steady value.",
        "explanation/what-a-ring-can-carry",
        ("saturated", "knee"),
    ),
    Term(
        "window",
        "The number of packets that a node may have sent whose echoes are missing (queues.outstanding), or of "
        "transactions that are not complete (queues.window). On a long ring it limits the rate: window times packet, "
        "divided by the time around.",
        "explanation/what-a-ring-can-carry",
        shared=True,
    ),
    Term(
        "B-Link",
        "The bus inside of a switch that joins the link controllers of its ports. It carries one packet at a time.",
        "explanation/network-model",
        ("BLink",),
        shared=True,
    ),
    Term(
        "bridge",
        "A switch between two rings: it takes packets off one, stores them and sends them on the other.",
        "explanation/network-model",
        shared=True,
    ),
    Term(
        "warm-up",
        "The time at the beginning of a run that is not measured, since its empty queues are no steady state. It ends "
        "where throughput and latency no longer drift, or at run.warmup.",
        "explanation/statistics",
    ),
    Term(
        "batch means",
        "The method that gives an interval from a single run: means over successive stretches of it are taken as "
        "independent values, if they do not correlate.",
        "explanation/statistics",
        ("batch",),
    ),
)


def terms_of(name: str) -> list[Term]:
    """Returns the terms with a name, in any spelling: 'go-bit', 'Go bits' and 'go bit' are one."""
    asked = spelt(name)
    return [term for term in TERMS if asked in map(spelt, (term.name, *term.other_names))]


def spelt(name: str) -> str:
    """Returns a name as names are compared: without capitals, hyphens and a plural's s."""
    words = re.sub(r"[\s_-]+", " ", name.strip().lower())
    return words if words.endswith("ss") else words.removesuffix("s")
