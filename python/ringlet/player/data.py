"""A recording as bytes for the page: columns one after the other, compressed."""

import base64
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.trace import Recording

Columns = Iterator[tuple[str, NDArray[Any]]]

TYPES = {"uint8": "Uint8Array", "uint16": "Uint16Array", "int32": "Int32Array"}
"""Names of the typed arrays of a browser, by the names of NumPy's types."""


def columns(recording: Recording) -> Columns:
    """Yields the page's columns by name.

    Interfaces are counted by their places, ring by ring in the direction of the links. Cycles count from the window's
    start; rows stand in order of node and cycle, and `NAME.first` says where each node's begin."""
    places = interface_places(recording)
    tables = {name: _by_place(recording.tables[name], places) for name in CHANGING}
    runs, packets = tables["runs"], recording.packets
    # Each number of a packet is near that of the packet before it.
    packet = runs["packet"]
    before = np.maximum.accumulate(np.where(packet >= 0, np.arange(packet.size), -1))
    last = np.where(before >= 0, packet[before], 0) if packet.size else packet
    step = np.where(packet >= 0, packet - np.concatenate([[0], last[:-1]]) if packet.size else packet, 0)
    yield "runs.first", _first(recording, runs["node"])
    yield "runs.cycle", _deltas(runs["cycle"] - recording.start)
    yield "runs.symbols", _int32(runs["symbols"])
    yield "runs.code", (runs["kind"] | runs["activity"] << 4).astype(np.uint8)
    yield "runs.packet", _int32(step)
    yield "runs.word", _int32(runs["word"])
    yield "runs.maker", _places(places, runs["maker"])
    yield "runs.to", _places(places, runs["to"])
    stays = tables["stays"]
    yield "stays.first", _first(recording, stays["node"])
    yield "stays.cycle", _deltas(stays["cycle"] - recording.start)
    yield "stays.symbols", _int32(stays["symbols"])
    yield "stays.packet", _deltas(stays["packet"])
    yield "stays.kind", stays["kind"].astype(np.uint8)
    # How long after it came in the first symbol leaves; 0: not in the window.
    yield "stays.wait", _int32(np.where(stays["leaves"] >= 0, stays["leaves"] - stays["cycle"], 0))
    yield "stays.leaving", _int32(stays["leaving_symbols"])
    # How long after it came in PPQ put its busy echo there; 0: not.
    yield "stays.replaced", _int32(np.where(stays["replaced"] >= 0, stays["replaced"] - stays["cycle"], 0))
    for name in ("heads", "transmit_lengths", "receive_lengths", "withheld", "slot_lengths"):
        table = tables[name]
        yield f"{name}.first", _first(recording, table["node"])
        yield f"{name}.cycle", _deltas(table["cycle"] - recording.start)
        yield f"{name}.value", _int32(table["value"])
    for name in ("source", "destination", "flow"):
        yield f"packets.{name}", _int32(packets[name])
    yield "packets.symbols", packets["symbols"].astype(np.uint16)
    for name in ("priority", "group", "response"):
        yield f"packets.{name}", packets[name].astype(np.uint8)
    yield "packets.generated", _int32(np.maximum(packets["generated"] - recording.start, NEVER_BEFORE))
    events = recording.tables["events"]
    order = np.argsort(events["packet"], kind="stable")
    yield "events.packet", _deltas(events["packet"][order].astype(np.int64))
    yield "events.cycle", _int32(events["cycle"][order] - recording.start)
    yield "events.node", _places(places, events["node"][order])
    yield "events.fate", events["fate"][order].astype(np.uint8)
    moved = recording.tables["transfers"]
    for name in ("entry", "exit"):
        yield f"transfers.{name}", _places(places, moved[name])
    yield "transfers.packet", _int32(moved["packet"])
    for name, rounded in (("start", np.floor), ("end", np.ceil)):
        yield f"transfers.{name}", _int32(rounded(moved[f"{name}_ps"] / recording.symbol_ps) - recording.start)
    # When it is in the transmit buffer.
    stored = moved["end_ps"] + np.array(recording.layout.from_link_ps, dtype=np.uint64)[moved["switch"]]
    yield "transfers.stored", _int32(np.ceil(stored / recording.symbol_ps) - recording.start)
    fills = tables["fills"]
    yield "fills.first", _first(recording, fills["node"])
    yield "fills.packet", _int32(fills["packet"])
    # What was given the bus before the recorder saw it is known by where it ends only; else the end is to come.
    for name in ("taken", "ready"):
        yield f"fills.{name}", _when(fills, fills[name] - recording.start, fills[name] >= 0)
    for name in ("asked", "start", "end"):
        time = fills[f"{name}_ps"]
        yield f"fills.{name}", _when(fills, np.ceil(time / recording.symbol_ps) - recording.start, time >= 0)


def _when(fills: Mapping[str, NDArray[Any]], cycle: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Cycles; what is not known is before all, or behind all others if it is to come."""
    unknown = np.where(fills["taken"] < 0, NEVER_BEFORE, NEVER)
    return _int32(np.where(known, np.maximum(cycle, NEVER_BEFORE), unknown))


def encode(recording: Recording) -> tuple[list[dict[str, Any]], str]:
    """Returns the directory of the columns (name, type, length, offset in bytes), and base64 of their compressed
    bytes."""
    directory: list[dict[str, Any]] = []
    parts: list[bytes] = []
    offset = 0
    for name, column in columns(recording):
        content = column.astype(column.dtype.newbyteorder("<")).tobytes()
        entry = {"name": name, "type": TYPES[column.dtype.name], "length": int(column.size), "offset": offset}
        directory.append(entry)
        padded = content + bytes(-len(content) % 4)
        parts.append(padded)
        offset += len(padded)
    return directory, base64.b64encode(zlib.compress(b"".join(parts), 9)).decode("ascii")


def _first(recording: Recording, node: NDArray[Any]) -> NDArray[np.int32]:
    return _int32(np.searchsorted(node, np.arange(recording.interfaces + 1)))


NEVER_BEFORE, NEVER = -(2**31), 2**31 - 1
"""Cycles before and behind all others."""

CHANGING = ("runs", "stays", "heads", "transmit_lengths", "receive_lengths", "withheld", "slot_lengths", "fills")
"""Tables of which each interface has its own rows."""


def interface_numbers(recording: Recording) -> NDArray[np.int64]:
    """Returns the number of the interface at each place."""
    return np.concatenate([np.asarray(ring.interfaces, dtype=np.int64) for ring in recording.layout.rings])


def interface_places(recording: Recording) -> NDArray[np.int64]:
    """Returns the place of each interface."""
    return np.argsort(interface_numbers(recording))


def _places(places: NDArray[np.int64], numbers: NDArray[Any]) -> NDArray[np.int32]:
    """Places of interfaces; -1 stands for none."""
    return _int32(np.where(numbers >= 0, places[numbers], -1))


def _by_place(table: Mapping[str, NDArray[Any]], places: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The rows in order of place and cycle, with places for nodes."""
    node = places[table["node"]]
    order = np.argsort(node, kind="stable")
    return {name: (node if name == "node" else column)[order] for name, column in table.items()}


def _int32(column: NDArray[Any]) -> NDArray[np.int32]:
    return column.astype(np.int64).astype(np.int32)


def _deltas(column: NDArray[Any]) -> NDArray[np.int32]:
    """Differences of neighbours, of which the sums are the column."""
    return _int32(np.diff(column.astype(np.int64), prepend=0))
