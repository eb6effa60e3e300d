"""Trace Event JSON, for the Perfetto UI and chrome://tracing.

The format is the public "Trace Event Format" of the Chromium project: a node is a process, with a thread for its output
link and
counters for its FIFO and queues; so is a switch's port, and a switch with a thread for each B-Link. An arrow follows
each packet from link to link.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ringlet.trace.recording import ACTIVITIES, CONTROL, FATES, IDLE, KINDS, RETRY, SEND, Recording
from ringlet.trace.tabular import provenance

LINK, HOST = 1, 2
"""Threads of a node's process: its output link, and what happens to packets at its host."""


def write_perfetto(recording: Recording, path: Path) -> None:
    """Writes the recording as Trace Event JSON. Times are in us of simulated time."""
    document = {
        "displayTimeUnit": "ns",
        "otherData": provenance(recording),
        "traceEvents": list(trace_events(recording)),
    }
    path.write_text(json.dumps(document, separators=(",", ":"), allow_nan=False), encoding="utf-8")


def trace_events(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yields the events of the format."""
    layout = recording.layout
    for node, following in enumerate(layout.following):
        link = (
            f"link {layout.name(node)} to {layout.name(following)}"
            if layout.is_network
            else f"link {node} to {following}"
        )
        host = "host" if node < layout.first_port else "port"
        yield from _process(node, layout.name(node), {LINK: link, HOST: host})
    for switch in sorted({port.switch for port in layout.ports}):
        links = [link for one, link in layout.b_links if one == switch]
        yield from _process(layout.interfaces + switch, f"switch {switch}", {LINK + n: f"B-Link {n}" for n in links})
    yield from _links(recording)
    yield from _b_links(recording)
    yield from _fates(recording)
    for name, table in (
        ("bypass FIFO (symbols)", recording.bypass_fill),
        ("transmit queue (packets)", recording.tables["transmit_lengths"]),
        ("receive queue (packets)", recording.tables["receive_lengths"]),
        ("go bits withheld", recording.tables["withheld"]),
    ):
        if name == "go bits withheld" and not recording.go_bits:
            continue
        for node, cycle, value in zip(*(table[key].tolist() for key in ("node", "cycle", "value")), strict=True):
            yield {
                "ph": "C",
                "name": name,
                "pid": node,
                "tid": 0,
                "ts": _us(recording, cycle),
                "args": {"value": value},
            }


def _process(number: int, name: str, threads: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    for thread, thread_name in threads.items():
        yield {"ph": "M", "name": "thread_name", "pid": number, "tid": thread, "args": {"name": thread_name}}
    yield {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}}
    yield {"ph": "M", "name": "process_sort_index", "pid": number, "tid": 0, "args": {"sort_index": number}}


def _b_links(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yields what B-Links carry; the arrow of a packet that is seen on a link before and after goes through it."""
    moved, layout, symbol_ps = recording.tables["transfers"], recording.layout, recording.symbol_ps
    runs = recording.runs
    sends = np.flatnonzero(np.isin(runs["kind"], (SEND, RETRY)))
    seen: dict[int, tuple[int, int]] = {}
    for packet, cycle in zip(runs["packet"][sends].tolist(), runs["cycle"][sends].tolist(), strict=True):
        first, last = seen.get(packet, (cycle, cycle))
        seen[packet] = (min(first, cycle), max(last, cycle))
    names = ("switch", "link", "entry", "exit", "packet", "start_ps", "end_ps")
    for switch, link, entry, leaves, packet, start, end in zip(*(moved[name].tolist() for name in names), strict=True):
        at = {"pid": layout.interfaces + switch, "tid": LINK + link, "ts": start / 1e6}
        args = {"packet": packet, "from": layout.name(entry), "to": layout.name(leaves)}
        yield {"ph": "X", "name": f"packet {packet}", "cat": "b-link", **at, "dur": (end - start) / 1e6, "args": args}
        first, last = seen.get(packet, (0, 0))
        if first * symbol_ps < start < last * symbol_ps:
            yield {"ph": "t", "name": "packet", "cat": "packet", "id": packet, **at}


def _us(recording: Recording, cycles: int) -> float:
    return cycles * recording.symbol_time_ns / 1000


def _links(recording: Recording) -> Iterator[dict[str, Any]]:
    runs, packets = recording.runs, recording.packets
    names = ("node", "cycle", "symbols", "kind", "activity", "word", "packet", "maker")
    order = np.lexsort((runs["node"], runs["cycle"]))
    last_hop = _last_hops(recording)
    begun: set[int] = set()
    for row in zip(order.tolist(), *(runs[name][order].tolist() for name in names), strict=True):
        place, node, cycle, symbols, kind, activity, word, packet, maker = row
        args: dict[str, Any] = {"symbols": symbols, "activity": ACTIVITIES[activity]}
        name = KINDS[kind]
        if packet >= 0:
            source, destination = int(packets["source"][packet]), int(packets["destination"][packet])
            name = f"{name} {packet}: {source} to {destination}"
            args |= {"packet": packet, "source": source, "destination": destination}
        elif kind == IDLE and recording.go_bits:
            name = "idle with go" if word else "idle without go"
            args["go"] = word
        elif kind == CONTROL:
            args |= {"maker": maker, "bits": word}
        at = {"pid": node, "tid": LINK, "ts": _us(recording, cycle)}
        yield {"ph": "X", "name": name, "cat": KINDS[kind], **at, "dur": _us(recording, symbols), "args": args}
        if kind in (SEND, RETRY) and packet in last_hop:
            # An arrow needs two ends.
            step = "s" if packet not in begun else "f" if last_hop[packet] == place else "t"
            begun.add(packet)
            if step != "s" or last_hop[packet] != place:
                binding = {"bp": "e"} if step == "f" else {}
                yield {"ph": step, "name": "packet", "cat": "packet", "id": packet, **at, **binding}


def _last_hops(recording: Recording) -> dict[int, int]:
    """Returns the last link of each packet that is on several links."""
    runs = recording.runs
    sends = np.flatnonzero(np.isin(runs["kind"], (SEND, RETRY)))
    sends = sends[np.lexsort((runs["node"][sends], runs["cycle"][sends]))]
    return dict(zip(runs["packet"][sends].tolist(), sends.tolist(), strict=True))


def _fates(recording: Recording) -> Iterator[dict[str, Any]]:
    events = recording.tables["events"]
    names = ("node", "cycle", "fate", "packet")
    for node, cycle, fate, packet in zip(*(events[name].tolist() for name in names), strict=True):
        at = {"pid": node, "tid": HOST, "ts": _us(recording, cycle)}
        yield {"ph": "i", "s": "t", "name": f"{FATES[fate]} {packet}", "cat": "host", **at, "args": {"packet": packet}}
