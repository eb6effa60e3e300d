"""Our best explanation of rows that do not agree: shown beside a row only where it does not."""

from ringlet.papers.agreement import Explanations

EXPLANATIONS: Explanations = (
    (
        r"f2(3|5|7)\.(long|omega|second)\.latency\.over",
        "Under no order of the transmit slots that we tried does a packet wait so long; traffic is periodic and in "
        "phase, so that "
        "2 % of the memory's time change it tenfold (table of latencies beyond saturation)",
    ),
    (
        r"f26\.first\.latency\.over",
        "Not explained. A sender on a ring of four ports runs out of transmit slots before the memory is overloaded, "
        "so nothing is refused and nothing waits, whatever the order of the slots; it would need a queue of some 16 "
        "packets in front of the slots, which would lift the other figures as well",
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
        "A check that costs the same after each block is outweighed early; that the largest throughput is the same "
        "with it says that it does not grow with the block",
    ),
)
"""Patterns of row ids, and what there is to say."""
