"""Our best explanation of rows that do not agree: shown beside a row only where it does not."""

from ringlet.papers.agreement import Explanations

EXPLANATIONS: Explanations = (
    (
        r"f2(3|7)\.(long|second)\.latency\.over",
        "Starvation of single packets: traffic is periodic and in phase, and the chapter does not say which transmit "
        "slot is sent first. With the "
        "lowest slot first packets of the second-grade network starve for hundreds of us at some rates and not at all "
        "at the next (table of latencies "
        "beyond saturation), so the figure can be obtained, but not predicted",
    ),
    (
        r"f25\.omega\.latency\.over",
        "Buffers decide it, and the order of the slots: with refused packets behind all others, or with more places "
        "in the hosts' queues, it is larger. "
        "No choice is made for this figure",
    ),
    (
        r"f26\.first\.latency\.over",
        "Not explained. A sender on a ring of four ports runs out of transmit slots before the memory is overloaded, "
        "so nothing is refused and nothing "
        "waits; three times the latency would need a queue of some 16 packets in front of the slots, which would lift "
        "the other figures as well",
    ),
    (
        r"f27\.second\.latency",
        "Between the rings with one port (1127 ns) and with four (1771) a ring with two should take some 1340. The "
        "chapter does not say at which rate and for how long "
        "it looked: at 450 MB/s of each processor, where packets begin to be lost, the mean over the first 50 us of a "
        "run is 1539 ns",
    ),
    (
        r"f3\.setup",
        "The published figure is an upper bound, and it holds",
    ),
    (
        r"f4\.check\.knee",
        "A check that costs the same after each block is outweighed much earlier; at 64 kB the throughput is within "
        "0.2 % of the largest. A check that "
        "grows with the block would explain it, but then the largest throughput would not be the same",
    ),
)
"""Patterns of row ids, and what there is to say."""
