"""SCI's transactions: the packets that each sends, and which of them carries the data (IEEE 1596).

All are listed in `KINDS`.

>>> TRANSACTIONS["read64"].response_bytes
80
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

HEADER_BYTES = 16
"""Bytes of a packet without data, CRC included."""

SCI_MAX_BYTES = 288
"""Bytes of SCI's longest packet: header, extended header and 256 bytes of data."""

MIN_BYTES, MAX_BYTES = HEADER_BYTES, 65_408
"""Bytes that a packet may have: an even number. The engine has the same limit, in symbols of any width."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """A request and, with some, a response."""

    request_bytes: tuple[tuple[int, float], ...]
    """Bytes of the request packet (header, data, CRC) with their probabilities, longest first."""
    response_bytes: int | None = None
    """Bytes of the response packet; None: there is none."""
    data_bytes: int | None = None
    """Data moved; None: all bytes of the request count, as for bare send packets."""
    data_in: Literal["request", "response"] = "request"
    """The packet that carries the data."""

    @property
    def mean_request_bytes(self) -> float:
        """Mean bytes of the request packet."""
        return sum(size * share for size, share in self.request_bytes)

    @property
    def payload_bytes(self) -> float:
        """Mean bytes that a load or a throughput counts for each transaction."""
        return self.mean_request_bytes if self.data_bytes is None else self.data_bytes

    @property
    def carrier_bytes(self) -> float:
        """Mean bytes of the packet that carries the data."""
        in_response = self.data_in == "response" and self.response_bytes is not None
        return float(self.response_bytes or 0) if in_response else self.mean_request_bytes


def _read(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES, 1.0),), HEADER_BYTES + data_bytes, data_bytes, "response")


def _write(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES + data_bytes, 1.0),), HEADER_BYTES, data_bytes)


def _lock(data_bytes: int) -> Transaction:
    both = HEADER_BYTES + data_bytes
    return Transaction(((both, 1.0),), both, data_bytes, "response")


def _move(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES + data_bytes, 1.0),), None, data_bytes or None)


DATA_BYTES: Mapping[str, int] = {"00": 0, "16": 16, "64": 64, "256": 256, "sb": 16}
"""Data of a transaction by the end of its name; `sb`: of selected bytes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Transactions that differ in how much data they move."""

    name: str
    """The beginning of their names."""
    sizes: tuple[str, ...]
    """The ends of their names."""
    made: Callable[[int], Transaction]
    """Returns the one that moves so many bytes."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of these transactions in scenarios."""
        return tuple(f"{self.name}{size}" for size in self.sizes)

    @property
    def in_words(self) -> str:
        """Names of these transactions in a message; N is 16, 64 or 256, and 00 for moves and events."""
        return f"{self.name}N" if len(self.sizes) > len(("64", "256")) else ", ".join(self.names)


KINDS = (
    Kind("dmove", ("64", "16", "256", "00"), _move),
    Kind("nmove", ("64", "16", "256", "00"), _move),
    Kind("event", ("64", "16", "256", "00"), _move),
    Kind("nwrite", ("64", "16", "256"), _write),
    Kind("read", ("64", "sb"), _read),
    Kind("nread", ("64", "256"), _read),
    Kind("write", ("sb",), _write),
    Kind("lock", ("sb",), _lock),
)
"""All of SCI's: reads, writes and locks have a response; moves and events have none."""

TRANSACTIONS: Mapping[str, Transaction] = {
    name: kind.made(DATA_BYTES[size]) for kind in KINDS for name, size in zip(kind.names, kind.sizes, strict=True)
}
"""Transactions by name."""

if TYPE_CHECKING:
    MovingTransaction = str
else:
    MovingTransaction = Literal[tuple(name for name, one in TRANSACTIONS.items() if one.data_bytes is not None)]
"""The names of those that move data: what a message of many bytes can be cut into."""

WRITTEN = tuple(name for name, one in TRANSACTIONS.items() if one.data_bytes is not None and one.data_in == "request")
"""The transactions whose requests carry data: what a fragment can be cut into."""

if TYPE_CHECKING:
    WritingTransaction = str
else:
    WritingTransaction = Literal[WRITTEN]


def send(*request_bytes: tuple[int, float]) -> Transaction:
    """Returns bare send packets of these bytes and probabilities."""
    return Transaction(tuple(sorted(((size, share) for size, share in request_bytes if share > 0), reverse=True)))


MIXES: Mapping[str, Transaction] = {"mixed": send((80, 0.4), (16, 0.6))}
"""Bare send packets of several sizes by name (picker1994, Section 5.1)."""

DEFAULT_TRANSACTION = "send80"
"""The transaction of traffic that does not name one."""

_SENDS = f"'sendN' with N an even number of bytes from {MIN_BYTES} to {MAX_BYTES}"
_KINDS = ", ".join(kind.in_words for kind in KINDS)

ALLOWED = f"{', '.join(map(repr, MIXES))}, {_SENDS}, or one of {_KINDS}"
"""The names of all in a message."""

ALLOWED_IN_TRACES = f"{_SENDS}, one of {_KINDS}"
"""The names of those that a trace may have."""


def is_size(text: str) -> bool:
    """Returns whether a text is a number of bytes that a packet may have."""
    return bool(re.fullmatch("[1-9][0-9]{1,4}", text)) and MIN_BYTES <= int(text) <= MAX_BYTES and int(text) % 2 == 0


def send_size(name: str) -> int | None:
    """Returns the bytes of the packets that a name such as "send80" stands for; None for any other name."""
    size = name.removeprefix("send")
    return int(size) if size != name and is_size(size) else None


@lru_cache(maxsize=64)
def transaction(name: str) -> Transaction | None:
    """Returns what a name stands for; None if it is none."""
    size = send_size(name)
    return MIXES.get(name) or TRANSACTIONS.get(name) or (None if size is None else send((size, 1.0)))
