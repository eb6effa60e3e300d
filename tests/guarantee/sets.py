"""Random message sets as scenarios."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ringlet.analysis.message_sets import random_set
from ringlet.scenario.values.transactions import TRANSACTIONS

PACKET_CYCLES, ECHO_CYCLES = 41, 5
"""What a dmove64 and its echo take of a link, with their idles."""

PROTOCOLS = ("none", "dfc", "sci", "train", "token-ring", "timed-token", "slotted-ring", "metaring")
"""Those that have bounds."""

ANSWERED = ("read64", "nwrite64", "locksb", "nread256", "nwrite16")
"""Transactions with responses: longer, shorter, and as long as their requests."""


@dataclass(frozen=True)
class MessageSet:
    """Messages on one ring, in cycles."""

    nodes: int
    source: np.ndarray
    destination: np.ndarray
    packets: np.ndarray
    period: np.ndarray
    priority: np.ndarray
    transaction: str = "dmove64"
    jitter: np.ndarray | None = None
    """Most cycles by which each message comes after it is due; None: none comes late."""

    def scenario(self, offsets: np.ndarray, *, cycles: int, **sections: Any) -> dict[str, Any]:
        """The file of a simulation from these first releases on."""
        data = TRANSACTIONS[self.transaction].payload_bytes
        rows = zip(self.source, self.destination, self.packets, self.period, self.priority, offsets, strict=True)
        messages = [
            {
                "name": str(i),
                "source": int(source),
                "destination": int(destination),
                "size": data * int(packets),
                "period": float(period),
                "priority": int(priority),
                "offset": float(offset),
            }
            for i, (source, destination, packets, period, priority, offset) in enumerate(rows)
        ]
        if self.jitter is not None:
            for message, jitter in zip(messages, self.jitter.tolist(), strict=True):
                message["jitter"] = int(jitter)
        network = {"nodes": self.nodes, **sections.pop("network", {})}
        moved = {"message_transaction": self.transaction, "messages": messages}
        return {"network": network, "run": {"duration": cycles}, **moved, **sections}

    def between(self, senders: np.ndarray, receivers: np.ndarray, random: np.random.Generator) -> "MessageSet":
        """Returns the set with messages from these nodes to those, as in a network where not every node does both."""
        source = random.choice(senders, len(self.source))
        destination = np.array([random.choice(receivers[receivers != node]) for node in source])
        return replace(self, source=source, destination=destination)


def draw(
    random: np.random.Generator,
    *,
    nodes: int,
    messages: int,
    utilisation: float,
    most_packets: int = 1,
    priorities: int = 1,
    periods: tuple[float, float] = (500, 50_000),
) -> MessageSet:
    """A set that needs so much of the busiest link; its messages have up to so many packets."""
    made = random_set(
        random,
        nodes=nodes,
        messages=messages,
        utilisation=utilisation,
        periods=periods,
        packet=PACKET_CYCLES,
        echo=ECHO_CYCLES,
        most_packets=most_packets,
        levels=priorities,
    )
    return MessageSet(nodes, made.source, made.destination, made.packets, made.period, made.level)
