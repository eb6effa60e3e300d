"""Kinds of packets in a trace: a transaction, a bare send packet, or one of the two packets of a transaction."""

from dataclasses import dataclass
from functools import cache

from ringlet.scenario.values.transactions import ALLOWED_IN_TRACES, HEADER_BYTES, transaction

COHERENCE = ("mread00", "cread00")
"""Transactions of SCI's cache coherence that move no data, only who owns a line: a header there, and a header back
(IEEE 1596)."""

ALLOWED = (
    f"{ALLOWED_IN_TRACES}, or one packet of a transaction, such as 'read64-request', 'read64-response' or "
    "'mread00-request'"
)


@dataclass(frozen=True, slots=True)
class PacketKind:
    """A packet of a trace on a ring."""

    packet_bytes: int
    """Header, data and CRC."""
    is_response: bool = False
    """True if the packet goes by the queues for responses."""
    response_bytes: int | None = None
    """Bytes of the response that its service creates; None: none does."""
    data_bytes: int | None = None
    """Data moved; None: all bytes count, as for bare send packets."""
    data_in_response: bool = False
    """True if the response that the packet's service creates brings the data."""


@cache
def packet_kind(name: str) -> PacketKind | None:
    """Returns what a name such as "nwrite64", "send80" or "read64-response" stands for; None for any other name."""
    whole, dash, half = name.partition("-")
    if dash:
        return _half(whole, half)
    moves = transaction(whole)
    if moves is None or len(moves.request_bytes) > 1:
        return None
    return PacketKind(
        int(moves.mean_request_bytes),
        response_bytes=moves.response_bytes,
        data_bytes=moves.data_bytes,
        data_in_response=moves.data_in == "response",
    )


def _half(whole: str, half: str) -> PacketKind | None:
    """Returns one of the two packets of a transaction with a response, which creates nothing by itself."""
    if whole in COHERENCE:
        request, response, data, data_in = HEADER_BYTES, HEADER_BYTES, 0, "request"
    else:
        moves = transaction(whole)
        if moves is None or moves.response_bytes is None:
            return None
        request, response = int(moves.mean_request_bytes), moves.response_bytes
        data, data_in = moves.data_bytes or 0, moves.data_in
    match half:
        case "request":
            return PacketKind(request, data_bytes=data if data_in == "request" else 0)
        case "response":
            return PacketKind(response, is_response=True, data_bytes=data if data_in == "response" else 0)
    return None
