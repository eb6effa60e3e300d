"""Random message sets: utilisations by UUniFast-discard, periods log-uniform.

References: R. I. Davis and A. Burns, "Priority assignment for global fixed priority pre-emptive scheduling", RTSS 2009
(UUniFast-discard); P. Emberson, R. Stafford and R. I. Davis, "Techniques for the synthesis of multiprocessor tasksets",
WATERS 2010 (log-uniform periods).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RandomSet:
    """Messages between random nodes; arrays have the shape (messages,)."""

    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    packets: NDArray[np.int64]
    """Into which each message is cut."""
    period: NDArray[np.float64]
    """Period of each message, in cycles."""
    level: NDArray[np.int64]
    """Send priority of each message."""


def uunifast_discard(random: np.random.Generator, count: int, total: float) -> NDArray[np.float64]:
    """Returns shares that sum up to `total`, evenly distributed among those that are all at most 1."""
    while True:
        left = total * np.cumprod(random.random(count - 1) ** (1 / np.arange(count - 1, 0, -1)))
        shares = np.append(total, left) - np.append(left, 0.0)
        if shares.max() <= 1:
            return np.asarray(shares)


def random_set(
    random: np.random.Generator,
    *,
    nodes: int,
    messages: int,
    utilisation: float,
    periods: tuple[float, float],
    packet: int,
    echo: int,
    most_packets: int = 1,
    levels: int = 1,
) -> RandomSet:
    """Returns a set of which the busiest link needs about such a share.

    Args:
        random: what it is drawn from.
        nodes: of the ring; sources and destinations are drawn evenly.
        messages: of the set.
        utilisation: of the busiest link, by packets and echoes.
        periods: shortest and longest, in cycles. A period is drawn, then made to fit the whole packets of its message;
            it is never above four times the longest.
        packet: cycles that a packet and its idle take of a link.
        echo: the same of an echo.
        most_packets: of a message.
        levels: priorities, drawn evenly.
    """
    source = random.integers(nodes, size=messages)
    reach = random.integers(1, nodes, size=messages)
    shares = uunifast_discard(random, messages, 1.0)
    onward = (np.arange(nodes) - source[:, None]) % nodes
    links = shares @ np.where(onward < reach[:, None], 1.0, echo / packet)
    shares = np.maximum(shares * utilisation / links.max(), 1e-6)
    drawn = np.exp(random.uniform(np.log(periods[0]), np.log(periods[1]), size=messages))
    packets = np.clip(np.rint(shares * drawn / packet), 1, most_packets).astype(np.int64)
    period = np.clip(packets * packet / shares, packets * packet, 4 * periods[1])
    level = random.integers(levels, size=messages)
    return RandomSet(source, (source + reach) % nodes, packets, period, level)
