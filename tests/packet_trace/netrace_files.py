"""Netrace files for tests."""

import bz2
import struct
from pathlib import Path

MAGIC = 0x484A5455
READ_REQUEST, READ_RESPONSE, WRITE_BACK, UPGRADE, INVALIDATION = 1, 2, 6, 13, 27

READS = [
    # cycle, id, type, source, destination, dependants
    (10, 0, READ_REQUEST, 0, 2, [1]),
    (34, 1, READ_RESPONSE, 2, 0, []),
    (40, 2, WRITE_BACK, 0, 3, []),
    (40, 3, READ_REQUEST, 1, 1, [4]),
    (64, 4, READ_RESPONSE, 1, 1, []),
]


def content(records=READS, *, magic=MAGIC, version=1.0, nodes=4, packets=None, regions=None, notes=b"made\0") -> bytes:
    """The bytes of a file; `regions` are numbers of packets."""
    regions = [len(records)] if regions is None else regions
    packets = len(records) if packets is None else packets
    header = struct.pack("<If30sBxQQII8x", magic, version, b"test", nodes, 64, packets, len(notes), len(regions))
    body = b"".join(struct.pack("<QQQ", 0, 0, count) for count in regions)
    for cycle, packet, kind, source, destination, dependants in records:
        body += struct.pack("<QIIBBBBB", cycle, packet, 0, kind, source, destination, 0, len(dependants))
        body += struct.pack(f"<{len(dependants)}I", *dependants)
    return header + notes + body


def write(folder: Path, *arguments, name="t.tra.bz2", **keywords) -> Path:
    """Writes a file, compressed if it is called so."""
    raw = content(*arguments, **keywords)
    file = folder / name
    file.write_bytes(bz2.compress(raw) if name.endswith(".bz2") else raw)
    return file
