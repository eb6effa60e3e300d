"""The engine timed on this machine, beside the last time, and beside other simulators."""

from ringlet.benchmarks.cases import CASES, Case, Timing, chosen, machine, measure
from ringlet.benchmarks.history import Last, compared
from ringlet.benchmarks.peers import LOADS, Compared, Peer, compare

__all__ = [
    "CASES",
    "LOADS",
    "Case",
    "Compared",
    "Last",
    "Peer",
    "Timing",
    "chosen",
    "compare",
    "compared",
    "machine",
    "measure",
]
