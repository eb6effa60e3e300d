"""Results that the paper derives without simulation (Section 4)."""

from ringlet.papers.todd2001.study import MB, NODES, READ_BYTES

LINK_BYTES_PER_US = 1000
"""1 GB/s."""
REQUEST_BYTES, RESPONSE_BYTES, ECHO_BYTES = 16, 80, 8
"""Packets of a read64, each of the two sends with its echo; idles are left out."""


def peak_GBps() -> float:  # noqa: N802 - the unit
    """Returns the most that reads of 64 bytes can get from a ring with uniform traffic, in 10^9 bytes per second.

    Packet and echo cross half of the links on average, so that the ring carries twice the link speed.
    """
    wire_bytes = REQUEST_BYTES + ECHO_BYTES + RESPONSE_BYTES + ECHO_BYTES
    links_crossed = wire_bytes / READ_BYTES * NODES / 2
    return NODES * LINK_BYTES_PER_US / links_crossed / 1e3


def service_limit_MBps(service_time_us: float) -> float:  # noqa: N802 - the unit
    """Returns what one node can serve, in 2^20 bytes per second."""
    return READ_BYTES / service_time_us * 1e6 / MB
