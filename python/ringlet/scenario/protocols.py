"""The engine's flow control from the section's options: which protocol has which, and what they are by default."""

from dataclasses import dataclass
from typing import Any, TypeVar

from ringlet.errors import RingletError
from ringlet.scenario.flow_control import DEFAULT_PRESET, FlowControl
from ringlet.scenario.groups import group_count
from ringlet.scenario.units import cycles

PRESETS = {"A": ("unblocked", "after-send"), "B": ("all", "none")}
"""Release and go-bit extension of each preset."""

REFUSING_EXTENSION = "passing"
"""Default extension where packets may be refused."""

OPTIONS = {
    "none": (),
    "sci": ("preset", "release", "extension", "priorities"),
    "grouped": ("preset", "release", "extension", "groups", "assignment", "schedule"),
    "ppq": ("bypass", "inheritance", "late_echo", "ageing"),
    "train": (
        *("bypass", "inheritance", "ticket_master", "locomotive", "ticket", "delay", "tickets_per_node"),
        *("size", "mode", "shift_up", "shift_down"),
    ),
    "dfc": ("bypass", "high_water", "low_water", "stop_thru", "fair"),
}
"""The flow-control options of each protocol."""

PRIORITISED = ("ppq", "train", "dfc")
"""Protocols whose point is priorities: they have all levels where a scenario does not say how many."""

EVENT_SYMBOLS = 8
"""An event message of PPQ: a header with its CRC."""

DEFAULT_TICKET = 2
"""Symbols of a ticket of TRAIN."""

CONTROL_SYMBOLS = 2
"""A control symbol of DFC has 32 bits (todd2001, Section 3)."""

MAX_DFC_NODES = 256
"""They name nodes with 8 of them."""

Option = TypeVar("Option")

_NEVER = 2**32 - 1
"""A water mark that no queue reaches."""


@dataclass(frozen=True, slots=True)
class Ring:
    """What protocols depend on besides their own options."""

    nodes: int
    symbol_time_ns: float
    framing_symbols: int
    longest_symbols: int
    """Longest packet, framing included."""
    receive: int | None
    """Places of a receive queue; None: unlimited."""
    refuses: bool
    """May a packet be refused, by a full receive queue or by a switch?"""


def check_options(options: FlowControl) -> None:
    """Raises RingletError for an option that belongs to another protocol."""
    allowed = OPTIONS[options.protocol]
    for key in FlowControl.model_fields:
        value = getattr(options, key)
        if key != "protocol" and key not in allowed and value is not None:
            has = f"it has {', '.join(allowed)}" if allowed else "it has none"
            message = f"protocol {options.protocol!r} has no such option; {has}"
            raise RingletError.not_allowed(f"flow_control.{key}", value, message)
    if options.assignment is not None and options.schedule is not None:
        raise RingletError("flow_control.schedule: given together with flow_control.assignment; one of them is allowed")


def flow_control_spec(options: FlowControl, ring: Ring) -> dict[str, Any]:
    """Returns the engine's `flow_control`, all options resolved.

    Raises:
        RingletError: an option that does not fit the ring, its queues or its packets.
    """
    match options.protocol:
        case "none":
            resolved: dict[str, Any] = {}
        case "sci":
            resolved = {**_go_bits(options, ring), "priorities": options.priorities or 1}
        case "grouped":
            resolved = {**_go_bits(options, ring), "groups": group_count(options)}
        case "ppq":
            resolved = _ppq(options, ring)
        case "train":
            resolved = _train(options, ring)
        case "dfc":
            resolved = _dfc(options, ring)
    return {"protocol": options.protocol, **resolved}


def _go_bits(options: FlowControl, ring: Ring) -> dict[str, Any]:
    release, extension = PRESETS[options.preset or DEFAULT_PRESET]
    if options.preset is None and ring.refuses:
        # With the preset's a node that is refused at once can keep a go bit for ever (docs/model-checking.md).
        extension = REFUSING_EXTENSION
    return {"extension": options.extension or extension, "release": options.release or release}


def _ppq(options: FlowControl, ring: Ring) -> dict[str, Any]:
    ageing = options.ageing
    return {
        "bypass_symbols": _bypass(options, ring),
        "late_echo": options.late_echo or "service-end",
        "ageing_cycles": None if ageing is None else cycles(ageing, ring.symbol_time_ns),
        "inheritance": bool(options.inheritance),
        "event_symbols": EVENT_SYMBOLS + ring.framing_symbols,
    }


def _train(options: FlowControl, ring: Ring) -> dict[str, Any]:
    master = _default(options.ticket_master, 0)
    if master >= ring.nodes:
        raise RingletError.not_allowed("flow_control.ticket_master", master, f"a node below {ring.nodes}")
    mode, tickets = options.mode or "arbitrated", _default(options.tickets_per_node, 1)
    size = options.size
    if size is None and mode != "arbitrated":
        size = min(ring.nodes * tickets * (ring.longest_symbols + 1), _NEVER)
    if size == "unlimited" and mode != "arbitrated":
        raise RingletError.not_allowed("flow_control.size", size, f"a number of symbols with mode {mode!r}")
    return {
        "ticket_master": master,
        "bypass_symbols": _bypass(options, ring),
        "locomotive_symbols": _default(options.locomotive, 4) + ring.framing_symbols,
        "ticket_symbols": _default(options.ticket, DEFAULT_TICKET),
        "delay_cycles": cycles(_default(options.delay, 4), ring.symbol_time_ns),
        "tickets_per_node": tickets,
        "size_symbols": size if isinstance(size, int) else None,
        "mode": mode,
        "shift_up": _default(options.shift_up, 0.7),
        "shift_down": _default(options.shift_down, 0.3),
        "inheritance": bool(options.inheritance),
    }


def _dfc(options: FlowControl, ring: Ring) -> dict[str, Any]:
    if ring.nodes > MAX_DFC_NODES:
        allowed = f"at most {MAX_DFC_NODES} with protocol 'dfc', whose control symbols name nodes with 8 bits"
        raise RingletError.not_allowed("network.nodes", ring.nodes, allowed)
    places = _NEVER if ring.receive is None else ring.receive
    high = _default(options.high_water, places)
    if high > places:
        allowed = f"1 to {places}, the places that queues.receive sets"
        raise RingletError.not_allowed("flow_control.high_water", high, allowed)
    low = _default(options.low_water, min(1, high - 1))
    if low >= high:
        raise RingletError.not_allowed("flow_control.low_water", low, f"below flow_control.high_water, which is {high}")
    return {
        "bypass_symbols": _bypass(options, ring),
        "high_water": high,
        "low_water": low,
        "stop_thru": _default(options.stop_thru, True),
        "fair": _default(options.fair, True),
        "control_symbols": CONTROL_SYMBOLS,
    }


def _bypass(options: FlowControl, ring: Ring) -> int:
    least = ring.longest_symbols + 1
    bypass = _default(options.bypass, least)
    if bypass < least:
        allowed = f"at least {least} symbols, the longest packet of the traffic and its idle"
        raise RingletError.not_allowed("flow_control.bypass", bypass, allowed)
    return bypass


def _default(value: Option | None, default: Option) -> Option:
    return default if value is None else value
