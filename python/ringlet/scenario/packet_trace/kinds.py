"""What a packet of a trace is on a ring: a transaction, a bare send packet, or one of the two packets of a transaction."""

from dataclasses import dataclass
from functools import cache

from ringlet.scenario.transactions import HEADER_BYTES, NAMES, TRANSACTIONS, send

COHERENCE = ("mread00", "cread00")
"""Transactions of SCI's cache coherence that move no data, only who owns a line: a header there, and a header back (IEEE 1596)."""

MIN_BYTES, MAX_BYTES = 16, 288

ALLOWED = (
    f"'sendN' with N an even number of bytes from {MIN_BYTES} to {MAX_BYTES}, one of {NAMES}, or one packet of a transaction, "
    "such as 'read64-request', 'read64-response' or 'mread00-request'"
)


@dataclass(frozen=True, slots=True)
class PacketKind:
    """A packet of a trace on a ring."""

    packet_bytes: int
    """Header, data and CRC."""
    is_response: bool = False
    """Whether it goes by the queues for responses."""
    response_bytes: int | None = None
    """Bytes of the response that its service creates; None: none does."""
    data_bytes: int | None = None
    """Data moved; None: all bytes count, as for bare send packets."""
    data_in_response: bool = False
    """Whether the response that its service creates brings them."""


@cache
def packet_kind(name: str) -> PacketKind | None:
    """Returns what a name such as "nwrite64", "send80" or "read64-response" stands for; None for any other name."""
    whole, dash, half = name.partition("-")
    if dash:
        return _half(whole, half)
    size = name.removeprefix("send")
    if size != name:
        return PacketKind(int(size)) if is_size(size) else None
    if whole not in TRANSACTIONS:
        return None
    moves = TRANSACTIONS[whole]
    return PacketKind(
        int(moves.mean_request_bytes),
        response_bytes=moves.response_bytes,
        data_bytes=moves.data_bytes,
        data_in_response=moves.data_in == "response",
    )


def is_size(text: str) -> bool:
    """Returns whether a text is a number of bytes that a packet may have."""
    return text.isascii() and text.isdecimal() and len(text) <= 3 and text[0] != "0" and _may_have(int(text))


def _may_have(size: int) -> bool:
    return MIN_BYTES <= size <= MAX_BYTES and size % 2 == 0


def _half(whole: str, half: str) -> PacketKind | None:
    """Returns one of the two packets of a transaction with a response, which creates nothing by itself."""
    if whole in COHERENCE:
        request, response, data, data_in = HEADER_BYTES, HEADER_BYTES, 0, "request"
    else:
        moves = TRANSACTIONS.get(whole, send((HEADER_BYTES, 1.0)))
        if moves.response_bytes is None:
            return None
        request, response = int(moves.mean_request_bytes), moves.response_bytes
        data, data_in = moves.data_bytes or 0, moves.data_in
    match half:
        case "request":
            return PacketKind(request, data_bytes=data if data_in == "request" else 0)
        case "response":
            return PacketKind(response, is_response=True, data_bytes=data if data_in == "response" else 0)
    return None
