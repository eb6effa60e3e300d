"""The C interface, called from Python: the library that was built of the same sources, if there is one."""

import ctypes
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from ringlet._engine import SOURCE_DIGEST, __version__

OK, BAD_INPUT, STALLED, FAILED = range(4)
"""Statuses of calls, as `ringlet.h` has them."""

REPOSITORY = Path(__file__).parents[2]

_Row = TypeVar("_Row", bound=ctypes.Structure)


class Delivery(ctypes.Structure):
    """A packet that has arrived, or is lost: `RingletDelivery`."""

    _fields_ = (
        ("packet", ctypes.c_uint32),
        ("source", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        ("retries", ctypes.c_uint32),
        ("response", ctypes.c_bool),
        ("lost", ctypes.c_bool),
        ("generated", ctypes.c_uint64),
        ("sent", ctypes.c_uint64),
        ("ended", ctypes.c_uint64),
    )

    def row(self) -> tuple[int, ...]:
        """Returns its numbers in the order of `ringlet.simulation.stepping.DELIVERY`; -1: it was never sent."""
        sent = -1 if self.sent == 2**64 - 1 else self.sent
        ends = (self.packet, self.source, self.destination, self.response, self.lost, self.retries)
        return (*ends, self.generated, sent, self.ended)


_FLOW = (
    "generated_packets",
    "lost_packets",
    "given_up_packets",
    "sent_packets",
    "first_try_packets",
    "retries",
    "delivered_packets",
    "delivered_symbols",
    "latency_sum_cycles",
    "latency_min_cycles",
    "latency_max_cycles",
    "completed_messages",
    "message_latency_sum_cycles",
    "message_latency_min_cycles",
    "message_latency_max_cycles",
    "missed_deadlines",
)

_MESSAGES = {
    "released": "released",
    "released_bytes": "released_bytes",
    "completed": "completed_messages",
    "completed_bytes": "completed_bytes",
    "lost": "lost",
    "open": "open",
    "judged": "judged",
    "missed": "missed",
    "latency_sum_cycles": "message_latency_sum_cycles",
    "latency_min_cycles": "message_latency_min_cycles",
    "latency_max_cycles": "message_latency_max_cycles",
}
"""Counts of messages, with their names in Python."""

ALL_DESTINATIONS = 2**32 - 1
"""Number in place of a destination: all messages of a flow."""


class FlowCounters(ctypes.Structure):
    """Counts of a flow: `RingletFlowCounters`."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in _FLOW)


class MessageCounters(ctypes.Structure):
    """Counts of the messages of a flow, or to a destination: `RingletMessageCounters`."""

    _fields_ = (
        ("flow", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in _MESSAGES),
    )


@cache
def library() -> ctypes.CDLL | None:
    """Returns the library of these sources; None: it is not built (`make c`)."""
    places = [REPOSITORY / "target" / profile for profile in ("release", "campaign", "debug", "debug/deps")]
    named = os.environ.get("RINGLET_C_LIBRARY")
    for path in [Path(named)] if named else [place / "libringlet_c.so" for place in places]:
        if not path.is_file():
            continue
        found = ctypes.CDLL(str(path))
        if not hasattr(found, "ringlet_version"):
            continue
        found.ringlet_version.restype = found.ringlet_message.restype = ctypes.c_char_p
        found.ringlet_cycle.restype = ctypes.c_uint64
        found.ringlet_cycle.argtypes = (ctypes.c_void_p,)
        found.ringlet_free.argtypes = (ctypes.c_void_p,)
        if found.ringlet_version().decode() == f"{__version__}+{SOURCE_DIGEST}":
            return found
    return None


class CError(Exception):
    """A call was not answered with OK."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class CSimulation:
    """A simulation of the C interface."""

    def __init__(self, found: ctypes.CDLL, pointer: ctypes.c_void_p) -> None:
        self._library, self._pointer = found, pointer

    @property
    def cycle(self) -> int:
        """Cycles simulated."""
        return int(self._library.ringlet_cycle(self._pointer))

    def advance(self, cycles: int) -> None:
        """Simulates further."""
        _call(self._library.ringlet_advance, self._pointer, ctypes.c_uint64(cycles))

    def save(self, path: Path) -> None:
        """Writes it to a file."""
        _call(self._library.ringlet_save, self._pointer, os.fsencode(path))

    def deliveries(self) -> list[tuple[int, ...]]:
        """Returns what has arrived."""
        rows: list[tuple[int, ...]] = []
        places, count = (Delivery * 16)(), ctypes.c_size_t(16)
        while count.value == len(places):
            size = ctypes.c_size_t(len(places))
            _call(self._library.ringlet_deliveries, self._pointer, places, size, ctypes.byref(count))
            rows += [places[index].row() for index in range(count.value)]
        return rows

    def flow_counters(self) -> dict[str, list[int]]:
        """Returns the counts of each flow, by the names that they have in Python."""
        rows = self._table(self._library.ringlet_flow_counters, FlowCounters)
        return {name: [getattr(row, name) for row in rows] for name in _FLOW}

    def message_counters(self) -> dict[str, list[int]]:
        """Returns the counts of the messages of each flow, by the names that they have in Python."""
        rows = self._table(self._library.ringlet_message_counters, MessageCounters)
        assert [(row.flow, row.destination) for row in rows] == [(flow, ALL_DESTINATIONS) for flow in range(len(rows))]
        return {name: [getattr(row, ours) for row in rows] for ours, name in _MESSAGES.items()}

    def destination_counters(self) -> dict[str, list[int]]:
        """Returns the counts of the messages of flows to each destination, by the names that they have in Python."""
        rows = self._table(self._library.ringlet_destination_counters, MessageCounters)
        names = {"flow": "flow", "destination": "destination", **_MESSAGES}
        return {name: [getattr(row, ours) for row in rows] for ours, name in names.items()}

    def message_latency(self, flow: int, quantile: float, destination: int = ALL_DESTINATIONS) -> float:
        """Returns a quantile of the latencies of messages in cycles; NaN without a complete message."""
        cycles = ctypes.c_uint64()
        where = ctypes.c_uint32(flow), ctypes.c_uint32(destination), ctypes.c_double(quantile)
        _call(self._library.ringlet_message_latency, self._pointer, *where, ctypes.byref(cycles))
        return math.nan if cycles.value == 2**64 - 1 else float(cycles.value)

    def _table(self, function: "ctypes._CFuncPtr", row: type[_Row]) -> list[_Row]:
        """Returns all rows, of which a first call says how many there are."""
        count = ctypes.c_size_t()
        _call(function, self._pointer, (row * 1)(), ctypes.c_size_t(0), ctypes.byref(count))
        rows = (row * max(1, count.value))()
        _call(function, self._pointer, rows, count, ctypes.byref(count))
        return list(rows)[: count.value]


@contextmanager
def opened(document: str, saved: Path | None = None) -> Iterator[CSimulation]:
    """Yields the simulation of what `Scenario.stepping_json` writes, at its beginning or as it was saved."""
    found = library()
    assert found is not None, "make c"
    pointer = ctypes.c_void_p()
    if saved is None:
        _call(found.ringlet_new, document.encode(), ctypes.byref(pointer))
    else:
        _call(found.ringlet_load, document.encode(), os.fsencode(saved), ctypes.byref(pointer))
    try:
        yield CSimulation(found, pointer)
    finally:
        found.ringlet_free(pointer)


def _call(function: "ctypes._CFuncPtr", *arguments: object) -> None:
    status = function(*arguments)
    if status != OK:
        found = library()
        message = b"" if found is None else found.ringlet_message()
        raise CError(status, message.decode())
