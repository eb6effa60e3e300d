"""Captured packets (pcap, pcapng), read by dpkt: a trace between addresses."""

import ipaddress
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.captures.frames import Frame, trace
from ringlet.imports.content import Answers, Imported
from ringlet.imports.libraries import library

ETHERNET = 1
RAW_IP = (12, 101)
"""Link types of a capture that have addresses (LINKTYPE of tcpdump)."""

_MULTICAST = ("ff-ff-ff-ff-ff-ff", "255.255.255.255")


def read(file: Path, answers: Answers) -> Imported:
    """Returns the frames of a capture as a trace: nodes are its IP addresses, and those of Ethernet where it has none.

    Raises:
        RingletError: dpkt is not there, the file is no capture, or has no frame between two nodes.
    """
    del answers  # a capture says all
    dpkt = library("dpkt", "dpkt", "Captures")
    left: dict[str, int] = {}
    with file.open("rb") as stream:
        try:
            reader = dpkt.pcap.UniversalReader(stream)
        except (ValueError, dpkt.Error) as error:
            raise RingletError(f"{file}: not a capture: {error}") from None
        if reader.datalink() not in (ETHERNET, *RAW_IP):
            value = f"<link type {reader.datalink()}>"
            raise RingletError.not_allowed(str(file), value, "Ethernet (1) or raw IP (12, 101)")
        found = trace(_frames(file, dpkt, reader, left), "frames")
    if not found.scenario["network"]["node_names"]:
        raise RingletError.not_allowed(str(file), "<no frame>", "a capture with frames from one node to another")
    found.left_out += [f"{count} frames {why}" for why, count in left.items()]
    found.left_out.append("what frames carry, and which one answers which: the trace has no dependences")
    return found


def _frames(file: Path, dpkt: Any, reader: Any, left: dict[str, int]) -> Iterator[Frame]:  # noqa: ANN401
    number = 0
    try:
        for time, content in reader:
            number += 1
            # Times of microseconds come as floats: of 16 digits, which are those of the file.
            ns = time * 10**9 if isinstance(time, Decimal) else Decimal(round(time * 10**6)) * 1000
            ends = _ends(dpkt, content, reader.datalink())
            why = _why_not(ends)
            if ends is None or why:
                left[why] = left.get(why, 0) + 1
                continue
            yield Frame(ns, ends[0], ends[1], max(ends[2], len(content)))
    except (dpkt.Error, ValueError, EOFError) as error:
        raise RingletError(f"{file}, frame {number + 1}: damaged: {error or type(error).__name__}") from None


def _why_not(ends: tuple[str, str, int] | None) -> str:
    if ends is None:
        return "without addresses"
    source, destination, _ = ends
    if source == destination:
        return "to the node that sends them"
    first = destination.split(".", 1)[0]
    if (
        destination in _MULTICAST
        or destination.startswith(("ff", "33-33", "01-00-5e"))
        or (first.isdecimal() and 224 <= int(first) < 240)
    ):
        return "to several nodes (broadcast, multicast)"
    return ""


def _ends(dpkt: Any, content: bytes, link: int) -> tuple[str, str, int] | None:  # noqa: ANN401
    """Returns source, destination and bytes of a frame as it was sent, though less of it may be kept."""
    try:
        if link == ETHERNET:
            frame = dpkt.ethernet.Ethernet(content)
            inner, head = frame.data, len(content) - len(frame.data)
        else:
            frame, head = None, 0
            inner = (dpkt.ip6.IP6 if content[:1] and content[0] >> 4 == 6 else dpkt.ip.IP)(content)
    except (dpkt.Error, IndexError):
        return None
    if isinstance(inner, dpkt.ip.IP | dpkt.ip6.IP6):
        size = inner.len if isinstance(inner, dpkt.ip.IP) else inner.plen + 40
        source, destination = (str(ipaddress.ip_address(one)).replace(":", "-") for one in (inner.src, inner.dst))
        return source, destination, head + size
    if frame is None:
        return None
    return frame.src.hex("-"), frame.dst.hex("-"), len(content)
