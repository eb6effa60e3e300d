"""The packets of a trace, checked and numbered, in pieces: only one piece is in memory."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.scenario.packet_trace import netrace, table
from ringlet.scenario.packet_trace.kinds import packet_kind
from ringlet.scenario.packet_trace.packets import NotPlainError
from ringlet.scenario.packet_trace.plain import plain_records
from ringlet.scenario.packet_trace.rows import Records, Row, Stretch

PIECE = 8192
"""Packets of a piece."""

REACH = 1 << 18
"""Packets by which a dependence may reach back, at most; what the engine keeps."""


class _Earlier(NamedTuple):
    """A record on whose packets later ones may depend."""

    number: int
    """Number of the record's first packet among the packets that are replayed; -1: it is not replayed."""
    packets: int
    source: int
    destination: int
    responds: bool
    record: int


def read(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    """Yields the packets of a stretch of a trace, in pieces.

    Args:
        stretch: what to read.
        kinds: names of the kinds met so far; longer afterwards.

    Raises:
        RingletError: the file cannot be read, is cut off or corrupt, or a record does not fit; names file and record,
            of CSV the line.
    """
    passed = 0
    try:
        for records in plain_records(stretch, kinds):
            yield records
            passed += len(records)
        return
    except NotPlainError:
        # Row by row, which also says what is wrong.
        pass
    for records in _by_rows(stretch, kinds):
        if passed < len(records):
            yield records.behind(passed)
        passed = max(0, passed - len(records))


def _by_rows(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    """Yields the packets of a stretch, read one by one."""
    places = {name: place for place, name in enumerate(kinds)}
    rows, numbers, names_earlier = _replayed(stretch)
    checker = _Checker(stretch, names_earlier=names_earlier)
    piece: list[tuple[float, int, int, int, int]] = []
    dependences: list[int] = []
    depends_on: list[int] = []
    for record, row in rows:
        replayed = numbers.first <= record < numbers.end and row.side == 0
        if row.side > 0 or record >= numbers.end:
            checker.is_whole = False
            break
        earlier = checker.check(record, row, replayed=replayed)
        if not replayed:
            continue
        for name in row.kinds:
            if (kind := places.get(name)) is None:
                kind = places[name] = len(kinds)
                kinds.append(name)
            piece.append((row.time_ns, row.source, row.destination, kind, row.priority))
            dependences.append(len(earlier))
            depends_on += earlier
            if len(piece) == PIECE:
                yield _records(piece, dependences, depends_on)
                piece, dependences, depends_on = [], [], []
    checker.close()
    if piece:
        yield _records(piece, dependences, depends_on)


def _records(piece: list[tuple[float, int, int, int, int]], counts: list[int], numbers: list[int]) -> Records:
    time, source, destination, kind, priority = zip(*piece, strict=True)
    return Records(
        time_ns=np.array(time, dtype=np.float64),
        source=np.array(source, dtype=np.int64),
        destination=np.array(destination, dtype=np.int64),
        kind=np.array(kind, dtype=np.int64),
        priority=np.array(priority, dtype=np.int64),
        dependences=np.array(counts, dtype=np.uint32),
        depends_on=np.array(numbers, dtype=np.uint32),
    )


class _Numbers(NamedTuple):
    """Numbers of the records that belong to the chosen regions, from 1."""

    first: int
    end: float


def _replayed(stretch: Stretch) -> tuple[Iterator[tuple[int, Row]], _Numbers, bool]:
    """Returns the records of a file with their numbers, which of them belong to the regions, and whether records name
    earlier ones."""
    file = stretch.file
    if file.is_dir():
        raise RingletError.not_allowed(str(file), "<a directory>", "a trace: .csv, .parquet, .tra or .tra.bz2")
    suffixes = "".join(file.suffixes).lower()
    if suffixes.endswith((".csv", ".parquet")):
        if stretch.regions is not None:
            raise RingletError.not_allowed(
                "traffic.trace.regions", list(stretch.regions), "none: only netrace files have some"
            )
        rows = (table.csv_rows if suffixes.endswith(".csv") else table.parquet_rows)(stretch)
        return enumerate(rows, start=1), _Numbers(1, float("inf")), True
    if not suffixes.endswith((".tra", ".tra.bz2")):
        raise RingletError.not_allowed("traffic.trace.file", str(file), "a file .csv, .parquet, .tra or .tra.bz2")
    header, rows = netrace.rows(stretch)
    return enumerate(rows, start=1), _region_numbers(header, stretch.regions), False


def _region_numbers(header: netrace.Header, regions: tuple[int, ...] | None) -> _Numbers:
    if regions is None:
        return _Numbers(1, float("inf"))
    count = len(header.region_packets)
    for place, region in enumerate(regions):
        if region >= count:
            raise RingletError.not_allowed(
                f"traffic.trace.regions[{place}]", region, f"0 to {count - 1}: the file has {count} regions"
            )
    ends = [0, *accumulate(header.region_packets)]
    return _Numbers(ends[regions[0]] + 1, ends[regions[-1] + 1] + 1)


class _Window:
    """The last records of a file whose records name earlier ones."""

    _FACTS: ClassVar[int] = 5
    """Facts that are kept of each: all but the number of the record."""

    def __init__(self) -> None:
        self._ids = array("q")
        self._facts = array("q")
        self._first_record = 1

    def add(self, packet_id: int, packet: _Earlier) -> int | None:
        """Keeps a record; returns the id before it if that is not lower."""
        if self._ids and packet_id <= self._ids[-1]:
            return self._ids[-1]
        self._ids.append(packet_id)
        self._facts.extend(packet[: self._FACTS])
        if len(self._ids) >= 2 * REACH:
            del self._ids[:REACH], self._facts[: self._FACTS * REACH]
            self._first_record += REACH
        return None

    def find(self, packet_id: int) -> _Earlier | None:
        """Returns what is known of a record; None if there is none, or none any more."""
        place = bisect_left(self._ids, packet_id)
        if place == len(self._ids) or self._ids[place] != packet_id:
            return None
        facts = self._facts[self._FACTS * place : self._FACTS * (place + 1)]
        number, packets, source, destination, responds = facts
        return _Earlier(number, packets, source, destination, bool(responds), self._first_record + place)


class _Checker:
    """Checks each record against those before it, and keeps of those what dependences may need."""

    def __init__(self, stretch: Stretch, *, names_earlier: bool) -> None:
        self._stretch = stretch
        self._count = 0
        self.is_whole = True
        """True if the file has been read up to its end."""
        self._window = _Window() if names_earlier else None
        self._named: dict[int, list[_Earlier]] = {}
        """Records that are waited for, by the id of the one that waits, where records name later ones."""
        self._awaiting = 0
        """Names in it."""
        self._line: int | None = None
        """Line of the file at which the record ends that is checked; None where the file has no lines."""

    def check(self, record: int, row: Row, *, replayed: bool) -> list[int]:
        """Returns the numbers of the replayed packets that each of the record waits for."""
        stretch = self._stretch
        self._line = row.line
        for name, node in (("source", row.source), ("destination", row.destination)):
            if not 0 <= node < stretch.nodes:
                raise self._refused(record, f"<{name} {node}>", f"nodes 0 to {stretch.nodes - 1}, as in the network")
        if not math.isfinite(row.time_ns):
            raise self._refused(record, "<a start beyond 1e308 ns>", "an earlier one; is the unit of its times right?")
        if row.priority >= stretch.levels:
            raise self._refused(
                record, f"<priority {row.priority}>", f"below {stretch.levels}, the number of priorities"
            )
        awaited = self._awaited(record, row)
        kind = packet_kind(row.kinds[0])
        responds = kind is not None and kind.response_bytes is not None
        number = self._count if replayed else -1
        self._remember(row, _Earlier(number, len(row.kinds), row.source, row.destination, responds, record))
        if not replayed:
            return []
        self._count += len(row.kinds)
        return [one.number + part for one in awaited if one.number >= 0 for part in range(one.packets)]

    def close(self) -> None:
        """Checks what only the end of the file shows."""
        if self.is_whole and self._named:
            packet, waited_for = next(iter(self._named.items()))
            record = waited_for[0].record
            raise self._refused(record, f"<dependant {packet}>", "the id of a packet behind it, and there is none")

    def _awaited(self, record: int, row: Row) -> list[_Earlier]:
        awaited = self._named.pop(row.id, [])
        self._awaiting -= len(awaited)
        for one in row.depends_on:
            earlier = self._window.find(one) if self._window else None
            if earlier is None:
                allowed = f"the id of a packet before it, at most {REACH} records back"
                raise self._refused(record, f"<depends_on {one}>", allowed)
            awaited.append(earlier)
        for earlier in awaited:
            hears = earlier.destination == row.source or (earlier.source == row.source and earlier.responds)
            if not hears:
                allowed = (
                    f"packets delivered at its source, node {row.source}, and transactions of this node that "
                    f"have a response"
                )
                raise self._refused(record, f"<a dependence on record {earlier.record}>", allowed)
            if earlier.number >= 0 and self._count - earlier.number > REACH:
                allowed = f"records at most {REACH} back"
                raise self._refused(record, f"<a dependence on record {earlier.record}>", allowed)
        return awaited

    def _remember(self, row: Row, packet: _Earlier) -> None:
        for dependant in row.dependants:
            self._named.setdefault(dependant, []).append(packet)
        self._awaiting += len(row.dependants)
        if self._awaiting > limits.AWAITING_PACKETS:
            allowed = f"at most {limits.AWAITING_PACKETS} that are still to come, with those of earlier records"
            raise self._refused(packet.record, f"<{len(row.dependants)} dependants>", allowed)
        if self._window is None:
            return
        before = self._window.add(row.id, packet)
        if before is not None:
            raise self._refused(packet.record, f"<id {row.id}>", f"above {before}: ids rise from record to record")

    def _refused(self, record: int, value: str, allowed: str) -> RingletError:
        place = f"record {record}" if self._line is None else f"line {self._line}"
        return RingletError.not_allowed(f"{self._stretch.file}, {place}", value, allowed)
