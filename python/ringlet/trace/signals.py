"""A recording as signals that change, for waveform viewers."""

from collections.abc import Sequence
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
"""Name and width in bits of each interface's signals. Unknown (x) stands for no packet, no idle, no head."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of all signals, in order of time."""

    time_ps: NDArray[np.int64]
    """Time of each change."""
    signal: NDArray[np.int64]
    """Signal that changes: its place among the signals of all `scopes`."""
    value: NDArray[np.int64]
    """Value from then on; -1: unknown."""


B_LINK_SIGNALS = (("packet", 32), ("entry", 32), ("exit", 32))
"""Signals of each B-Link: the packet that it carries, and the interfaces whose buffers it leaves and enters. Unknown:
it is free."""


def scopes(recording: Recording) -> list[tuple[str, Sequence[tuple[str, int]]]]:
    """Returns the scopes with their signals: one for each interface, then one for each B-Link of a network."""
    layout = recording.layout
    interfaces = [
        f"node{one}" if one < layout.nodes and not layout.seconds else layout.name(one).replace(" ", "_")
        for one in range(layout.interfaces)
    ]
    b_links = [f"switch_{switch}_b_link_{link}" for switch, link in layout.b_links]
    return [*((name, SIGNALS) for name in interfaces), *((name, B_LINK_SIGNALS) for name in b_links)]


def time_ps(recording: Recording, cycle: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Returns the time of a cycle's start, in whole ps."""
    return np.rint(np.asarray(cycle) * (recording.symbol_time_ns * 1000)).astype(np.int64)


def changes(recording: Recording) -> Changes:
    """Returns every change of every signal within the window; all signals have a value at its start."""
    runs = recording.runs
    names = [name for name, _ in SIGNALS]
    packet = runs["packet"]
    is_packet = packet >= 0
    destination = runs["to"].astype(np.int64)
    of_event = is_packet & (runs["kind"] == EVENT)
    destination[of_event] = recording.packets["destination"][packet[of_event]]
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
    time = time_ps(recording, cycle)
    if recording.layout.b_links:
        on_b_links = _b_links(recording)
        signal = np.concatenate([signal, on_b_links.signal])
        time, value = np.concatenate([time, on_b_links.time_ps]), np.concatenate([value, on_b_links.value])
    order = np.lexsort((time, signal))
    signal, time, value = signal[order], time[order], value[order]
    changed = np.append(True, (signal[1:] != signal[:-1]) | (value[1:] != value[:-1]))
    signal, time, value = signal[changed], time[changed], value[changed]
    order = np.lexsort((signal, time))
    return Changes(time[order], signal[order], value[order])


def _b_links(recording: Recording) -> Changes:
    """Yields what B-Links carry: values of a packet from its start, unknown from its end on unless the next one starts
    then."""
    moved, layout = recording.tables["transfers"], recording.layout
    first = layout.interfaces * len(SIGNALS)
    window = time_ps(recording, np.array([recording.start, recording.stop]))
    times, signals, values = [], [], []
    for number, (switch, link) in enumerate(layout.b_links):
        own = np.flatnonzero((moved["switch"] == switch) & (moved["link"] == link))
        start, end = (np.maximum(moved[name][own], window[0]) for name in ("start_ps", "end_ps"))
        # The end comes before a start at the same time, and the last value of a time counts.
        time = np.concatenate([window[:1], end, start])
        order = np.argsort(time, kind="stable")
        time = time[order]
        last = np.append(time[1:] != time[:-1], True) & (time < window[1])
        for place, (name, _) in enumerate(B_LINK_SIGNALS):
            free = np.full(own.size + 1, -1, dtype=np.int64)
            value = np.concatenate([free, moved[name][own].astype(np.int64)])[order][last]
            times.append(time[last])
            values.append(value)
            signals.append(np.full(value.size, first + number * len(B_LINK_SIGNALS) + place, dtype=np.int64))
    return Changes(np.concatenate(times), np.concatenate(signals), np.concatenate(values))
