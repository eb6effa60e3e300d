"""Netrace files: packets of a cache-coherent machine with the dependences between them.

The format is that of Hestness, Grot and Keckler, "Netrace: dependency-driven trace-based network-on-chip simulation"
(NoCArc 2010): little endian, mostly compressed with bzip2; a header with regions, then packed records of which each
lists those that wait for it.
"""

import bz2
import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.scenario.file.reading import unreadable
from ringlet.scenario.packet_trace.clock import Clock
from ringlet.scenario.packet_trace.rows import Row, Stretch

MAGIC = 0x484A5455
_HEADER = struct.Struct("<If30sBxQQII8x")
_REGION = struct.Struct("<QQQ")
_RECORD = struct.Struct("<QIIBBBBB")
_BUFFER = 1 << 20

KINDS = {
    1: "read64-request",
    2: "read64-response",
    3: "read64-response",
    4: "nwrite64-request",
    5: "nwrite64-response",
    6: "nwrite64",
    13: "mread00-request",
    14: "mread00-response",
    15: "read64-request",
    16: "read64-response",
    27: "cread00-request",
    28: "cread00-response",
    29: "cread00-request",
    30: "cread00-response",
}
"""SCI's packet for each type of netrace's: the nearest one, and the same data.

Cache lines have 64 bytes. A read, shared (1, 2, 3) or exclusive (15, 16), is a read64 whose two packets the trace has;
a write (4, 5) likewise a nwrite64. A write-back (6) has no answer in the trace, and is a whole nwrite64. An upgrade
(13, 14) requests a line's ownership without its data: mread00. Invalidations and downgrades (27 to 30) go to
caches: cread00.
"""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file."""

    nodes: int
    packets: int
    region_packets: tuple[int, ...]


def rows(stretch: Stretch) -> tuple[Header, Iterator[Row]]:
    """Returns the header of a file and its records, read one by one.

    Args:
        stretch: what to read; the file is compressed with bzip2, or not.

    Raises:
        RingletError: no such file, or none of netrace's; while reading, a file that is cut off or corrupt, with the
        number of the record.
    """
    file = stretch.file
    try:
        with file.open("rb") as raw:
            compressed = raw.read(3) == b"BZh"
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    # The generator closes it.
    opened = io.BufferedReader(bz2.BZ2File(file), _BUFFER) if compressed else file.open("rb")
    stream = _Stream(file, opened)
    try:
        header = _header(stream)
    except BaseException:
        stream.close()
        raise
    clock = Clock(Fraction(stretch.cycle_ns), start_ns=stretch.start_ns, stop_ns=stretch.stop_ns)
    return header, _records(stream, header, clock)


class _Stream:
    """Bytes in order, and where in the trace they are."""

    def __init__(self, file: Path, stream: io.BufferedIOBase) -> None:
        self.file = file
        self.place = f"{file}, header"
        self._stream = stream

    def take(self, size: int) -> bytes:
        """Returns so many bytes."""
        content = self.take_some(size)
        if len(content) < size:
            raise RingletError(f"{self.place}: the file ends {size - len(content)} bytes early; it is cut off")
        return content

    def take_some(self, size: int) -> bytes:
        """Returns so many bytes, or those up to the end of the file."""
        try:
            return self._stream.read(size)
        except EOFError:
            raise RingletError(f"{self.place}: the compressed file ends early; it is cut off") from None
        except (OSError, ValueError) as error:
            raise RingletError(f"{self.place}: not in bzip2's format: {error}") from None

    def close(self) -> None:
        self._stream.close()


def _header(stream: _Stream) -> Header:
    file = stream.file
    magic, version, _, nodes, _, packets, notes, regions = _HEADER.unpack(stream.take(_HEADER.size))
    if magic != MAGIC:
        raise RingletError.not_allowed(
            f"{file}, header", f"<magic number {magic:#010x}>", f"{MAGIC:#010x}: a netrace file"
        )
    if version != 1.0:
        raise RingletError.not_allowed(f"{file}, header", f"<version {version:g}>", "version 1")
    for what, count, most in (("bytes of notes", notes, limits.NOTES_BYTES), ("regions", regions, limits.REGIONS)):
        if count > most:
            raise RingletError.not_allowed(f"{file}, header", f"<{count} {what}>", f"at most {most}")
    stream.take(notes)
    sizes = []
    for number in range(regions):
        stream.place = f"{file}, header, region {number}"
        sizes.append(_REGION.unpack(stream.take(_REGION.size))[2])
    if sum(sizes) != packets:
        allowed = f"{packets}, as many as the file says it has"
        raise RingletError.not_allowed(f"{file}, header", f"<regions of {sum(sizes)} packets>", allowed)
    return Header(nodes, packets, tuple(sizes))


def _records(stream: _Stream, header: Header, clock: Clock) -> Iterator[Row]:
    file, unpack, size = stream.file, _RECORD.unpack, _RECORD.size
    try:
        for number in range(1, header.packets + 1):
            stream.place = f"{file}, record {number} of {header.packets}"
            cycle, packet, _, kind, source, destination, _, dependants = unpack(stream.take(size))
            if kind not in KINDS:
                known = ", ".join(map(str, KINDS))
                raise RingletError.not_allowed(stream.place, f"<type {kind}>", f"types {known}")
            ids = struct.unpack(f"<{dependants}I", stream.take(4 * dependants)) if dependants else ()
            before = clock.last
            ns = clock.ns(cycle)
            if ns is None:
                allowed = f"at least {before}, the start of the record before it"
                raise RingletError.not_allowed(stream.place, f"<a start in cycle {cycle}>", allowed)
            side = clock.side(ns)
            yield Row(ns, source, destination, (KINDS[kind],), 0, packet, dependants=ids, side=side)
        stream.place = f"{file}, behind record {header.packets}"
        if stream.take_some(1):
            raise RingletError.not_allowed(stream.place, "<more bytes>", "the end of the file, as its header says")
    finally:
        stream.close()
