"""Formats of frames: the bytes around a packet's data on a link, as named values of known networks, or one's own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from ringlet.errors import RingletError
from ringlet.scenario.values.transactions import HEADER_BYTES
from ringlet.scenario.values.units import SizeOrNone, size_bytes
from ringlet.sections import After, Before, Field, Section, refuse

MAX_FRAMING = 4
"""Most symbols of framing that are given as a number."""

MOST_FRAMING_SYMBOLS = 64
"""Most symbols of framing that the engine takes."""

FORMATS: Mapping[str, Mapping[str, int]] = {
    # IEEE 1596: 14 bytes of header, 2 of CRC, and an idle symbol of 2 bytes.
    "sci": {"preamble": 0, "header": 14, "crc": 2, "gap": 2},
    # IEEE 802.3: preamble with start delimiter; addresses and type; FCS; 96 bit times between frames.
    "ethernet": {"preamble": 8, "header": 14, "crc": 4, "gap": 12},
    # IEC 62439-3: a tag of 6 bytes in the header of Ethernet.
    "hsr": {"preamble": 8, "header": 20, "crc": 4, "gap": 12},
    # IEEE 802.17 on Ethernet's physical layer: time to live, control, addresses, extended control, header checksum and
    # protocol type; FCS.
    "rpr": {"preamble": 8, "header": 20, "crc": 4, "gap": 12},
}
"""Bytes of the parts of each format."""


def _are_whole(value: float | str) -> float | str:
    count = size_bytes(value)
    if count != round(count):
        raise refuse("a whole number of bytes")
    return value


Part = Annotated[SizeOrNone, After(_are_whole)]
"""Bytes of a part, or 0."""


class FrameParts(Section):
    """A format by its parts: bytes of each beside a packet's data."""

    preamble: Part = Field(default=0, description="Bytes before a packet by which a receiver finds it. Default: 0.")
    header: Part = Field(default=0, description="Bytes of its header. Default: 0.")
    crc: Part = Field(default=0, description="Bytes of its check sum. Default: 0.")
    gap: Part = Field(
        default=0, description="Bytes of the gap behind it, of which a ring has one symbol at least. Default: 0."
    )

    @property
    def overhead_bytes(self) -> int:
        """All of them together."""
        return sum(round(size_bytes(one)) for one in (self.preamble, self.header, self.crc, self.gap))


def _is_framing(value: object) -> object:
    if isinstance(value, Mapping):
        return FrameParts.made(dict(value))
    if isinstance(value, str) and value not in FORMATS:
        raise refuse(f"symbols, one of {', '.join(map(repr, FORMATS))}, or a table of preamble, header, crc and gap")
    return value


if TYPE_CHECKING:
    Framing = int | str | FrameParts
else:
    Framing = Annotated[
        Annotated[int, Field(ge=0, le=MAX_FRAMING)] | Literal[tuple(FORMATS)] | FrameParts, Before(_is_framing)
    ]
"""Symbols that a packet has beside its bytes, the name of a format, or its parts."""


def framing_symbols(given: "Framing", symbol_bytes: int) -> int:
    """Returns the symbols that each packet has on a link beside the bytes of a scenario and its one idle.

    A packet of a scenario has 16 bytes of header and CRC, as SCI's, in place of which a format has its own.

    Raises:
        RingletError: a format with less than SCI's header and CRC, or with more than the engine takes.
    """
    if isinstance(given, int):
        return given
    overhead = sum(FORMATS[given].values()) if isinstance(given, str) else given.overhead_bytes
    beside = overhead - HEADER_BYTES
    symbols = max(-(-beside // symbol_bytes) - 1, 0)
    if beside < 0 or symbols > MOST_FRAMING_SYMBOLS:
        most = HEADER_BYTES + symbol_bytes * (MOST_FRAMING_SYMBOLS + 1)
        allowed = f"preamble, header, crc and gap of {HEADER_BYTES} to {most} bytes together"
        raise RingletError.not_allowed("network.framing", f"<{overhead} bytes>", allowed)
    return symbols
