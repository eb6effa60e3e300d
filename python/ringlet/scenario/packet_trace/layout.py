"""The columns of a trace, found by their heads."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ringlet.errors import RingletError
from ringlet.scenario.packet_trace.clock import TIME
from ringlet.scenario.packet_trace.rows import Stretch
from ringlet.scenario.values.units import exact_ns

HEADS = {
    "source": ("source", "src", "sender", "from"),
    "destination": ("destination", "dst", "dest", "receiver", "target", "to"),
    "bytes": ("bytes", "size", "size_bytes", "length", "len"),
    "transaction": ("transaction",),
    "priority": ("priority", "prio"),
    "id": ("id",),
    "depends_on": ("depends_on",),
    "cycle": ("cycle",),
}
"""Heads by which each column is known, in letters of either case."""

COLUMNS = (
    "cycle or time_ns (or _us, ...), source, destination, transaction or bytes; optional: priority, id, depends_on"
)

_KNOWN = {head: name for name, heads in HEADS.items() for head in heads}


class Layout:
    """The meaning of each column."""

    def __init__(self, stretch: Stretch, header: Sequence[str]) -> None:
        """Reads the header of what is replayed.

        Raises:
            RingletError: a column is missing, unknown or there twice.
        """
        place = f"{stretch.file}, header"
        at = dict(_columns(stretch, header, place))
        what = [name for name in ("transaction", "bytes") if name in at]
        times = [name for name in ("cycle", "time") if name in at]
        for names, one_of in ((times, "cycle or time_ns"), (what, "transaction or bytes")):
            if len(names) != 1:
                found = " and ".join(header[at[name]] for name in names) or "neither"
                raise RingletError(f"{place}: has {found}; it needs one of {one_of}{'' if names else _NAMED}")
        for name in ("source", "destination"):
            if name not in at:
                raise RingletError(f"{place}: column {name!r} is missing; columns are {COLUMNS}{_NAMED}")
        self.columns = len(header)
        self.largest_bytes = stretch.largest_bytes
        self.step_bytes = max(2, stretch.symbol_bytes)
        self.time, self.time_name = at[times[0]], header[at[times[0]]]
        self.whole_time = times[0] == "cycle"
        self.unit_ns = Fraction(stretch.cycle_ns) if self.whole_time else _unit_ns(stretch, self.time_name, place)
        self.source, self.destination = at["source"], at["destination"]
        self.kind, self.is_bytes = at[what[0]], what[0] == "bytes"
        self.priority, self.id, self.depends_on = (at.get(name) for name in ("priority", "id", "depends_on"))


_NAMED = "; traffic.trace.columns says which column it is, such as columns = {source = 'node'}"


def _columns(stretch: Stretch, header: Sequence[str], place: str) -> Iterator[tuple[str, int]]:
    """Yields each column's name with its place."""
    named = {head: name for name, head in stretch.columns}
    for head, name in named.items():
        if head not in header:
            allowed = f"a column of {stretch.file}: {', '.join(map(repr, header))}"
            raise RingletError.not_allowed(f"traffic.trace.columns.{name}", head, allowed)
    seen: dict[str, str] = {}
    for number, head in enumerate(header):
        if header.count(head) > 1:
            raise RingletError.not_allowed(place, head, "each column once")
        name = named.get(head) or _name(head)
        if not name:
            raise RingletError.not_allowed(place, head, f"columns are {COLUMNS}{_NAMED}")
        if head not in named and name in named.values():
            allowed = f"one column of this meaning: traffic.trace.columns.{name} names another one"
            raise RingletError.not_allowed(place, head, allowed)
        if name in seen:
            raise RingletError(f"{place}: {seen[name]!r} and {head!r} both say the {name}; it needs one of them")
        seen[name] = head
        yield name, number


def _name(head: str) -> str:
    """Returns what a column is by its head; empty if no head is known that is like it."""
    return _KNOWN.get(head.lower()) or ("time" if TIME.fullmatch(head) else "")


def _unit_ns(stretch: Stretch, head: str, place: str) -> Fraction:
    match = TIME.fullmatch(head)
    unit = (match[2] or match[3]) if match else None
    given = stretch.time_unit
    if unit is None and given is None:
        allowed = "a head with its unit, such as time_ns; or traffic.trace.time_unit says it, such as 'ns'"
        raise RingletError.not_allowed(place, head, allowed)
    if unit is not None and given is not None and unit != given:
        raise RingletError.not_allowed("traffic.trace.time_unit", given, f"{unit!r}, which the head {head!r} says")
    try:
        return exact_ns(f"1 {unit or given}")
    except ValueError:
        raise RingletError.not_allowed(
            place, head, "a unit of time behind 'time_', such as time_ns or time_us"
        ) from None
