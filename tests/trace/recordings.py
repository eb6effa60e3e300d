"""Recordings of small rings, one for each protocol, and what they say cycle by cycle."""

import functools

import numpy as np

from ringlet.scenario import Scenario
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.trace import Recording, record

CYCLES = 1500

FLOW_CONTROL = {name: {"protocol": name} for name in PROTOCOLS.listed} | {
    "grouped": {"protocol": "grouped", "groups": 3},
    "ppq": {"protocol": "ppq", "inheritance": True},
}


def scenario(protocol: str) -> Scenario:
    """Four nodes that all send as much as they can, with queues that refuse some of it."""
    traffic = {"transaction": "mixed", "arrivals": "saturated", "pattern": "uniform"}
    queues = {"receive": 2, "service_time": "150 ns"}
    if protocol == "ppq":
        # Priorities that wait for each other's places, so that some are inherited.
        queues["outstanding"] = 1
        traffic = {"transaction": "mixed", "load": "500 MB/s", "priorities": [0, 1, 2]}
    return Scenario.from_dict(
        {
            # A slot needs a ring as long as itself.
            "network": {"nodes": 4, "hop_delay": 12 if protocol == "slotted-ring" else 2},
            "flow_control": FLOW_CONTROL[protocol],
            "queues": queues,
            "traffic": traffic,
            "run": {"duration": "20 us", "seed": 5},
        }
    )


@functools.cache
def recording(protocol: str, start: int = 400) -> Recording:
    return record(scenario(protocol), start=start, stop=start + CYCLES)


def by_cycle(made: Recording, column: str) -> np.ndarray:
    """A column of the runs for each node and cycle, shape (nodes, cycles)."""
    runs = made.runs
    values = np.full((made.nodes, made.stop - made.start), -9, dtype=np.int64)
    rows = zip(*(runs[name].tolist() for name in ("node", "cycle", "symbols", column)), strict=True)
    for node, cycle, symbols, value in rows:
        values[node, max(0, cycle - made.start) : max(0, cycle + symbols - made.start)] = value
    return values


def changing(made: Recording, table: dict[str, np.ndarray]) -> np.ndarray:
    """Something that changes, for each node and cycle, shape (nodes, cycles)."""
    values = np.full((made.nodes, made.stop - made.start), -9, dtype=np.int64)
    for node, cycle, value in zip(*(table[name].tolist() for name in ("node", "cycle", "value")), strict=True):
        values[node, cycle - made.start :] = value
    return values
