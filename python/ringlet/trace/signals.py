"""A recording as signals that change, for waveform viewers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.trace.recording import EVENT, Recording

SIGNALS = (
    ("kind", 3),
    ("activity", 3),
    ("packet", 32),
    ("destination", 16),
    ("word", 32),
    ("bypass_symbols", 32),
    ("transmit_queue", 32),
    ("receive_queue", 32),
    ("head", 32),
    ("withheld", 32),
)
"""Name and width in bits of each node's signals. Unknown (x) stands for no packet, no idle, no head."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of all signals, in order of time."""

    time_ps: NDArray[np.int64]
    """When."""
    signal: NDArray[np.int64]
    """Which: node times the number of `SIGNALS`, plus the place in it."""
    value: NDArray[np.int64]
    """To what; -1: unknown."""


def scope(node: int) -> str:
    """Name of a node's scope."""
    return f"node{node}"


def time_ps(recording: Recording, cycle: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Returns the time of a cycle's start, in whole ps."""
    return np.rint(np.asarray(cycle) * (recording.symbol_time_ns * 1000)).astype(np.int64)


def changes(recording: Recording) -> Changes:
    """Returns every change of every signal within the window; all signals have a value at its start."""
    runs = recording.runs
    names = [name for name, _ in SIGNALS]
    packet = runs["packet"]
    destination = np.full(packet.shape, -1, dtype=np.int64)
    is_packet = packet >= 0
    # An echo goes back to the packet's source.
    is_echo = np.isin(runs["kind"], (3, 4))
    for chosen, column in ((is_packet & ~is_echo, "destination"), (is_packet & is_echo, "source")):
        destination[chosen] = recording.packets[column][packet[chosen]]
    word = np.where((runs["kind"] == EVENT) | ~is_packet, runs["word"].astype(np.int64), -1)
    on_link = {
        "kind": runs["kind"],
        "activity": runs["activity"],
        "packet": packet,
        "destination": destination,
        "word": word,
    }
    series = [(name, runs["node"], runs["cycle"], value) for name, value in on_link.items()]
    tables = recording.tables
    for name, table in (
        ("bypass_symbols", recording.bypass_fill),
        ("transmit_queue", tables["transmit_lengths"]),
        ("receive_queue", tables["receive_lengths"]),
        ("head", tables["heads"]),
        ("withheld", tables["withheld"]),
    ):
        series.append((name, table["node"], table["cycle"], table["value"]))
    signal = np.concatenate([node.astype(np.int64) * len(names) + names.index(name) for name, node, _, _ in series])
    cycle = np.concatenate([np.maximum(cycle, recording.start) for _, _, cycle, _ in series])
    value = np.concatenate([value.astype(np.int64) for _, _, _, value in series])
    order = np.lexsort((cycle, signal))
    signal, cycle, value = signal[order], cycle[order], value[order]
    changed = np.append(True, (signal[1:] != signal[:-1]) | (value[1:] != value[:-1]))
    signal, cycle, value = signal[changed], cycle[changed], value[changed]
    order = np.lexsort((signal, cycle))
    return Changes(time_ps(recording, cycle[order]), signal[order], value[order])
