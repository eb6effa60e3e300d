"""Networks of Saihu (Tsai, Tabatabaee, Plassart, Le Boudec: arXiv 2303.14565): output ports as JSON, or stations and
switches as the XML of xTFA; flows with arrival curves become periodic ones."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.exports.saihu import OWN
from ringlet.imports.content import Answers, Imported, asked, some
from ringlet.imports.flows.curves import periodic, quantity
from ringlet.imports.flows.flow_rows import flows, named_once
from ringlet.imports.flows.saihu_xml import read_physical
from ringlet.scenario.file.reading import read_bytes
from ringlet.sections.wording import counted

BEHIND = " to "
"""Word between the two nodes of a link in the name of a server."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns the flows of a network, and its links where it is a ring.

    Raises:
        RingletError: the file is no network of Saihu; or it is no ring, and no option says who receives.
    """
    content = read_bytes(file, "a network of Saihu", most_bytes=limits.TOML_BYTES)
    if content.lstrip()[:1] == b"<":
        return read_physical(file, content)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RingletError(f"{file}: not JSON: {error}") from None
    network, servers, given = (
        _checked(file, found, key, kind)
        for key, kind in (("network", Mapping), ("servers", Sequence), ("flows", Sequence))
    )
    units = Units.of(network, Units())
    ports = [Port.of(f"{file}, server {number}", one, network, units) for number, one in enumerate(servers)]
    names = [port.name for port in ports]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RingletError.not_allowed(str(file), twice, "a name of its own for each server")
    ways = [
        way
        for number, one in enumerate(given)
        for way in Way.all_of(f"{file}, flow {number}", one, network, units, names)
    ]
    if not ways:
        raise RingletError.not_allowed(str(file), "<no flow>", "a network with flows")
    order = _order(file, names, ways, answers)
    result, taken = _ring(order, ports, answers) if order is not None else _servers(names, answers)
    ends = _ends(order, result, answers)
    rows = [dict(zip(("source", "destination"), ends(way.path), strict=True)) | way.row for way in ways]
    named_once(rows)
    imported = flows(result, rows)
    own = [way for way in ways if way.is_own]
    taken.append(f"{counted(len(rows), 'flow')}: {some(row['name'] for row in rows)}")
    if own:
        taken.append(f"of {counted(len(own), 'flow')} what ringlet wrote: the key {OWN!r}, not their arrival curves")
    imported.scenario |= {key: value for key, value in _own(network).items() if key == "flow_transaction"}
    if len(own) < len(ways):
        taken.append("of each arrival curve the token bucket of the least rate, as a period and a jitter")
    imported.taken = taken
    more = sum(way.segments > 1 and not way.is_own for way in ways)
    imported.left_out = [f"further segments of the arrival curves of {counted(more, 'flow')}"] if more else []
    if order is None:
        imported.left_out.append("paths and service curves: the servers are no ring")
    imported.left_out.append("multiplexing, packetizer and shaping: flow_control says how a ring serves")
    return imported


def _checked(file: Path, found: object, key: str, kind: type) -> Any:  # noqa: ANN401 - whatever JSON holds
    value = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, str):
        what = "an object" if kind is Mapping else "an array"
        raise RingletError(f"{file}: not a network of Saihu: it needs {key!r}, {what}")
    return value


@dataclass(frozen=True)
class Units:
    """Units of numbers that have none of their own; None: the file says none."""

    time: str | None = None
    data: str | None = None
    rate: str | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any], others: "Units") -> "Units":
        """Returns the units that a part of a file says, and those of others."""
        return cls(
            *(str(found.get(f"{key}_unit", "")) or getattr(others, key) for key in ("time", "data", "rate")),
        )


def _curve(place: str, found: object, first: str, units: tuple[str | None, str | None]) -> list[tuple[float, float]]:
    """Returns the segments of a curve: bursts in bytes, or latencies in ns, and rates in MB/s."""
    key = "bursts" if first == "byte" else "latencies"
    parts = [found.get(name) if isinstance(found, Mapping) else None for name in (key, "rates")]
    if not all(isinstance(part, list) and part for part in parts) or len(parts[0]) != len(parts[1]):  # type: ignore[arg-type]
        raise RingletError.not_allowed(place, str(found)[:80], f"{key!r} and 'rates', arrays of equal lengths")
    return [
        (quantity(f"{place}, {key}", one, units[0], first), quantity(f"{place}, rates", rate, units[1], "MB/s"))
        for one, rate in zip(parts[0], parts[1], strict=True)  # type: ignore[arg-type]
    ]


@dataclass(frozen=True)
class Port:
    """A server: an output port."""

    name: str
    latency_ns: float
    """Latency of the segment of the largest rate."""
    rate: float
    """Capacity, and the largest rate where there is none, in MB/s."""
    segments: int

    @classmethod
    def of(cls, place: str, found: Any, network: Mapping[str, Any], above: Units) -> "Port":  # noqa: ANN401
        """Returns a server of a file."""
        if not isinstance(found, Mapping) or not isinstance(found.get("name"), str):
            raise RingletError.not_allowed(place, str(found)[:80], "an object with a 'name'")
        place = f"{place} ({found['name']!r})"
        units = Units.of(found, above)
        given = found.get("service_curve", network.get("service_curve"))
        curve = _curve(f"{place}, service_curve", given, "ns", (units.time, units.rate))
        latency, rate = max(curve, key=lambda one: one[1])
        capacity = found.get("capacity", network.get("capacity"))
        if capacity is not None:
            rate = quantity(f"{place}, capacity", capacity, units.rate, "MB/s")
        return cls(found["name"], latency, rate, len(curve))


@dataclass(frozen=True)
class Way:
    """A path of a flow, which has several where it is multicast."""

    place: str
    path: tuple[int, ...]
    """Numbers of its servers."""
    row: dict[str, str]
    """Cells of the flow but for its nodes."""
    segments: int
    is_own: bool

    @classmethod
    def all_of(
        cls,
        place: str,
        found: Any,  # noqa: ANN401 - whatever JSON holds
        network: Mapping[str, Any],
        above: Units,
        names: Sequence[str],
    ) -> "list[Way]":
        """Returns the paths of a flow of a file."""
        if not isinstance(found, Mapping) or not isinstance(found.get("name"), str):
            raise RingletError.not_allowed(place, str(found)[:80], "an object with a 'name'")
        place = f"{place} ({found['name']!r})"
        units = Units.of(found, above)
        given = found.get("arrival_curve", network.get("arrival_curve"))
        curve = _curve(f"{place}, arrival_curve", given, "byte", (units.data, units.rate))
        own = _own(found)
        packet = found.get("max_packet_length", network.get("max_packet_length"))
        bytes_ = None if packet is None else quantity(f"{place}, max_packet_length", packet, units.data, "byte")
        cells = own or periodic(place, curve, bytes_)
        several = found.get("multicast") or []
        paths = [(found.get("path_name", "p0"), found.get("path"))]
        paths += [(one.get("name", f"p{number}"), one.get("path")) for number, one in enumerate(several, start=1)]
        return [
            cls(
                place,
                _path(f"{place}, path", path, names),
                {"name": f"{found['name']}#{name}" if several else found["name"]} | cells,
                len(curve),
                bool(own),
            )
            for name, path in paths
        ]


def _own(found: Mapping[str, Any]) -> dict[str, str]:
    """Returns what ringlet itself wrote of a flow or network, by its keys; nothing of files of others."""
    own = found.get(OWN)
    if not isinstance(own, Mapping):
        return {}
    return {str(key): str(value) for key, value in own.items()}


def _path(place: str, found: object, names: Sequence[str]) -> tuple[int, ...]:
    if not isinstance(found, list) or not found:
        raise RingletError.not_allowed(place, str(found)[:80], "names of servers, one at least")
    for one in found:
        if one not in names:
            raise RingletError.not_allowed(place, one, f"a server of the file: {some(names)}")
    return tuple(map(names.index, found))


def _order(file: Path, names: Sequence[str], ways: Iterable[Way], answers: Answers) -> list[int] | None:
    """Returns the servers in the order of the ring; None if they are no ring, and `--receiver` says who receives."""
    if answers.ring:
        for one in answers.ring:
            if one not in names or answers.ring.count(one) > 1:
                raise RingletError.not_allowed("--ring", one, f"each server of {file} once: {some(names)}")
    order = [names.index(one) for one in answers.ring] or list(range(len(names)))
    following = {one: order[(at + 1) % len(order)] for at, one in enumerate(order)}
    for way in ways:
        wrong = next((one for one in way.path if one not in following), None)
        step = next(((a, b) for a, b in zip(way.path, way.path[1:], strict=False) if following.get(a) != b), None)
        if wrong is None and step is None and len(order) > 1:
            continue
        if answers.receiver is not None:
            return None
        why = f"server {names[step[1]]!r} follows {names[step[0]]!r}" if step else "a server is not on the ring"
        said = "which are one, in their order: a,b,c; or --receiver who receives behind the last server of a path"
        raise asked(way.place, f"no ring in the order of the servers: {why}", "--ring", said)
    return order


def _ring(order: Sequence[int], ports: Sequence[Port], answers: Answers) -> tuple[dict[str, Any], list[str]]:
    ring = [ports[one] for one in order]
    sides = [port.name.partition(BEHIND) for port in ring]
    chained = all(here[2] == sides[(at + 1) % len(sides)][0] and here[0] for at, here in enumerate(sides))
    names = [side[0] for side in sides] if chained else [port.name for port in ring]
    numbered = names == [str(number) for number in range(len(names))]
    network: dict[str, Any] = {"nodes": len(names)} if numbered else {"node_names": names}
    network["hop_delay"] = [f"{port.latency_ns:.12g} ns" for port in ring]
    rates = sorted({port.rate for port in ring})
    if answers.link_rate is None and len(rates) > 1:
        value = f"its servers have capacities from {rates[0]:g} to {rates[-1]:g} MB/s, and one is taken"
        raise asked("servers", value, "--link-rate", "it")
    network["link_rate"] = f"{rates[0]:.12g} MB/s"
    taken = [
        f"a ring of {len(names)} nodes, each in front of a server: {some(names)}",
        "the latency of each server as its hop delay, and the capacity as the rate of the links",
    ]
    return network, taken


def _servers(names: Sequence[str], answers: Answers) -> tuple[dict[str, Any], list[str]]:
    nodes = [*names, str(answers.receiver)]
    if len(set(nodes)) < len(nodes):
        raise RingletError.not_allowed("--receiver", answers.receiver, "a name that no server has")
    return {"node_names": nodes}, [f"{len(nodes)} nodes: the servers at which flows begin, and the receiver of all"]


def _ends(order: Sequence[int] | None, network: Mapping[str, Any], answers: Answers) -> Any:  # noqa: ANN401
    names = network.get("node_names") or [str(number) for number in range(network["nodes"])]

    def of(path: Sequence[int]) -> tuple[str, str]:
        if order is None:
            return names[path[0]], str(answers.receiver)
        return names[order.index(path[0])], names[(order.index(path[-1]) + 1) % len(order)]

    return of
