"""The format of a link: how many symbols the bytes of a packet are."""

from dataclasses import dataclass
from typing import Annotated

from ringlet.errors import RingletError
from ringlet.scenario.values.units import Size, size_bytes
from ringlet.sections import After, refuse

LINK_WIDTH = 16
"""Bits of SCI's symbols."""

ECHO_BYTES = 8
"""Bytes of an echo: target, command, source and CRC."""


MOST_ECHO_BYTES = 64


def _of_an_echo(value: float | str) -> float | str:
    count = size_bytes(value)
    if count != round(count) or not ECHO_BYTES <= count <= MOST_ECHO_BYTES:
        raise refuse(f"a whole number of bytes from {ECHO_BYTES} to {MOST_ECHO_BYTES}")
    return value


EchoSize = Annotated[Size, After(_of_an_echo)]
"""Bytes of an echo."""


@dataclass(frozen=True, slots=True)
class LinkFormat:
    """The symbols of packets on the links of a network."""

    symbol_bytes: int
    """Bytes that a link carries at once: a word."""
    framing_symbols: int
    """Symbols that each packet has beside its bytes."""
    echo_bytes: int = ECHO_BYTES
    """Bytes of an echo, without framing."""

    def words(self, content_bytes: int) -> int:
        """Returns the symbols that so many bytes fill, the last of them perhaps in part."""
        return -(-content_bytes // self.symbol_bytes)

    def check(self, path: str, value: float | str, packet_bytes: int) -> None:
        """Raises RingletError if a packet, which a key says, does not fill its symbols."""
        if packet_bytes % self.symbol_bytes:
            allowed = f"packets of whole symbols, of {self.symbol_bytes} bytes each with this network.link_width"
            raise RingletError.not_allowed(path, value, allowed)

    def symbols(self, packet_bytes: int) -> int:
        """Returns the length of a packet in symbols, framing included and its idle not."""
        return self.words(packet_bytes) + self.framing_symbols

    @property
    def bare_echo_symbols(self) -> int:
        """Length of an echo without framing."""
        return self.words(self.echo_bytes)

    @property
    def echo_symbols(self) -> int:
        """Length of an echo, framing included and its idle not."""
        return self.symbols(self.echo_bytes)
