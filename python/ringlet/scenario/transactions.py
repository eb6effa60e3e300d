"""SCI's transactions: the packets that each sends, and which of them carries the data (IEEE 1596)."""

from dataclasses import dataclass
from typing import Literal

HEADER_BYTES = 16
"""Bytes of a packet without data, CRC included."""

SELECTED_BYTES = 16
"""Data of the selected-byte transactions."""

_DATA_BYTES = {"00": 0, "16": 16, "64": 64, "256": 256}


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


def send(*request_bytes: tuple[int, float]) -> Transaction:
    """Returns bare send packets of these bytes and probabilities."""
    return Transaction(tuple(sorted(((size, share) for size, share in request_bytes if share > 0), reverse=True)))


def _read(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES, 1.0),), HEADER_BYTES + data_bytes, data_bytes, "response")


def _write(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES + data_bytes, 1.0),), HEADER_BYTES, data_bytes)


def _lock() -> Transaction:
    both = HEADER_BYTES + SELECTED_BYTES
    return Transaction(((both, 1.0),), both, SELECTED_BYTES, "response")


def _move(data_bytes: int) -> Transaction:
    return Transaction(((HEADER_BYTES + data_bytes, 1.0),), None, data_bytes or None)


TRANSACTIONS: dict[str, Transaction] = {
    "readsb": _read(SELECTED_BYTES),
    "writesb": _write(SELECTED_BYTES),
    "locksb": _lock(),
    "read64": _read(64),
    "nread64": _read(64),
    "nread256": _read(256),
    **{f"nwrite{name}": _write(size) for name, size in _DATA_BYTES.items() if size},
    **{f"{kind}{name}": _move(size) for kind in ("dmove", "nmove", "event") for name, size in _DATA_BYTES.items()},
}
"""The transactions by name: reads, writes and locks have a response; moves and events have none."""

NAMES = "read64, nread64, nread256, nwriteN, readsb, writesb, locksb, dmoveN, nmoveN, eventN"
"""Their names in a message; N is 16, 64 or 256, and 00 for moves and events."""

MovingTransaction = Literal[
    "dmove64",
    "dmove16",
    "dmove256",
    "nmove16",
    "nmove64",
    "nmove256",
    "event16",
    "event64",
    "event256",
    "nwrite16",
    "nwrite64",
    "nwrite256",
    "read64",
    "nread64",
    "nread256",
    "readsb",
    "writesb",
    "locksb",
]
"""Those that move data: what a message of many bytes can be cut into."""
