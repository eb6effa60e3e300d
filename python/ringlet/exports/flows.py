"""Traffic of a scenario as a table of flows: those that the file lists, messages, and background traffic."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.exports.content import number
from ringlet.exports.nodes import Nodes
from ringlet.scenario.activities.flows.keys import FlowKeys, counts_messages
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.destinations import Fixed, Uniform
from ringlet.scenario.values.sizes import Spread, quantity
from ringlet.scenario.values.units import exact_cycles, magnitude, size_bytes

if TYPE_CHECKING:
    from ringlet.scenario.activities.flow import Flow
    from ringlet.scenario.activities.messages.keys import Message

MAX_SHARES = 1 << 20
"""Shares of destinations that a table may hold in all."""

TIMES = ("period", "offset", "sporadic", "jitter", "on", "off", "think", "delay", "deadline", "start", "stop")
"""Keys of times, each a column in microseconds."""

COLUMNS = (
    *("name", "source", "destination", "multicast", "size_bytes", "arrivals", "rate_MBps", "period_us", "offset_us"),
    "sporadic_us",
    *("jitter_us", "drift_ppm", "on_us", "off_us", "shape", "times", "window", "think_us", "think_times", "after"),
    *("delay_us", "priority", "deadline_us", "start_us", "stop_us", "total"),
)
"""Columns of a table of flows, those of `flows_file`."""


@dataclass
class FlowTable:
    """The flows of a scenario, as the columns of a table."""

    rows: list[dict[str, str]] = field(default_factory=list)
    """Cells of each flow by the names of columns."""
    taken: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    """Keys of the scenario that say what data are cut into, with their values."""

    def cells(self) -> Iterator[list[str]]:
        """Yields the header, of the columns that any flow fills, and a row for each flow."""
        labels = dict.fromkeys(name for row in self.rows for name in row if name not in COLUMNS)
        used = [name for name in (*COLUMNS, *labels) if any(name in row for row in self.rows)]
        yield used
        for row in self.rows:
            yield [row.get(name, "") for name in used]


def flow_table(resolved: Resolved) -> FlowTable:
    """Returns the traffic of a scenario as flows.

    Raises:
        RingletError: too many shares, or a name that a cell cannot hold.
    """
    table, file, ns = FlowTable(), resolved.file, resolved.symbol_time_ns
    nodes = Nodes.of(resolved)
    in_blocks = file.traffic.arrival_process.in_blocks
    background = [] if in_blocks else list(_background(resolved, nodes))
    table.rows += background
    table.rows += [_as_given(flow, nodes, ns) for flow in resolved.flow_table]
    priorities = {one.row: one.priority for one in resolved.messages}
    table.rows += [_of_message(one, priorities[row], nodes, ns) for row, one in enumerate(resolved.message_table)]
    of_messages = f"message_transaction = {resolved.message_keys.message_transaction!r}"
    parts = (
        (len(background), "of [traffic]", f"traffic.transaction = {file.traffic.transaction!r}"),
        (len(resolved.flow_table), "of [[flows]]", f"flow_transaction = {resolved.flow_keys.flow_transaction!r}"),
        (len(resolved.message_table), "of messages", of_messages),
    )
    table.taken += [f"flows {what}: {count}" for count, what, _ in parts if count]
    table.cut += [key for count, _, key in parts if count]
    if in_blocks:
        table.left_out.append("[traffic]: its blocks wait for the ends of others")
    if resolved.replay is not None:
        table.left_out.append("traffic.trace: its packets are a table of their own")
    others = (plan for plan in resolved.plans if not isinstance(plan, FlowPlan))
    table.left_out += [
        f"{section}: its packets wait for others" for section in dict.fromkeys(p.section for p in others)
    ]
    return table


def background_of(resolved: Resolved) -> "Sequence[Flow]":
    """Returns the engine's flows of background traffic."""
    if resolved.replay is not None:
        return ()
    planned = sum(plan.flow_count for plan in resolved.plans)
    return resolved.flows[: len(resolved.flows) - planned - len(resolved.messages)]


def background_names(flows: "Sequence[Flow]", nodes: Nodes) -> Iterator[str]:
    """Yields the name of each flow of background traffic; those of several masters of a bus are numbered."""
    seen = Counter[str]()
    for flow in flows:
        name = f"traffic {nodes.name(flow.source)}" + (f" priority {flow.priority}" if flow.priority else "")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} #{seen[name]}"


def _background(resolved: Resolved, nodes: Nodes) -> Iterator[dict[str, str]]:
    flows, ns = background_of(resolved), resolved.symbol_time_ns
    listed = sum(
        one.destinations.count(resolved.nodes) for one in flows if not isinstance(one.destinations, Fixed | Uniform)
    )
    if listed > MAX_SHARES:
        allowed = f"at most {MAX_SHARES:,} destinations of all nodes, for a table of flows"
        raise RingletError.not_allowed("traffic.pattern", f"<{listed:,} destinations>", allowed)
    moves = resolved.file.traffic.moves
    for flow, name in zip(flows, background_names(flows, nodes), strict=True):
        row = {
            "name": name,
            "source": nodes.name(flow.source),
            "destination": nodes.destinations(flow.destinations, flow.source),
            "size_bytes": _size(moves.data_bytes or dict(moves.request_bytes)),
            "arrivals": flow.arrivals["kind"],
        }
        if "period" in flow.arrivals:
            row |= _us("period", flow.arrivals["period"], ns) | _us("offset", flow.arrivals["phase"], ns)
        elif "rate" in flow.arrivals:
            row |= _us("period", 1 / flow.arrivals["rate"], ns)
        if flow.priority:
            row["priority"] = str(flow.priority)
        yield row


def _as_given(flow: FlowKeys, nodes: Nodes, ns: float) -> dict[str, str]:
    row = {"name": flow.name, "source": nodes.name(flow.source), "arrivals": flow.arrivals}
    row["destination"] = _destination(flow.destination, nodes)
    if flow.multicast:
        row["multicast"] = "true"
    row["size_bytes"] = _size(flow.size)
    if flow.rate is not None and counts_messages(flow.rate):
        row |= _us("period", exact_cycles(f"{1 / magnitude(flow.rate, 'GHz'):.17g} ns", ns), ns)
    elif flow.rate is not None:
        row["rate_MBps"] = number(magnitude(flow.rate, "MB/s"))
    for key in TIMES:
        row |= _us(key, exact_cycles(getattr(flow, key) or 0, ns), ns)
    if flow.times is not None:
        row["times"] = "; ".join(f"{number(exact_cycles(one, ns) * ns)} ns" for one in flow.times)
    if flow.after is not None:
        row["after"] = flow.after
    if flow.think_times != type(flow).fields["think_times"].default:
        row["think_times"] = flow.think_times
    numbers = {"window": flow.window or 0, "drift_ppm": flow.drift, "priority": flow.priority, "total": flow.total or 0}
    if flow.shape != type(flow).fields["shape"].default:
        numbers["shape"] = flow.shape
    return row | {key: number(value) for key, value in numbers.items() if value} | flow.labels


def _destination(to: int | str | list[int] | dict[int, float], nodes: Nodes) -> str:
    """Returns the cell of a destination."""
    if isinstance(to, dict):
        return nodes.shared(to)
    if isinstance(to, list):
        return "; ".join(map(nodes.name, to))
    return to if isinstance(to, str) else nodes.name(to)


def _of_message(message: "Message", priority: int, nodes: Nodes, ns: float) -> dict[str, str]:
    row = {
        "name": message.name,
        "source": nodes.name(message.source),
        "destination": _destination(message.destination, nodes),
        **({"multicast": "true"} if message.multicast else {}),
        "size_bytes": _size(message.size),
        "arrivals": "periodic",
    }
    for key in ("period", "offset", "sporadic", "jitter"):
        row |= _us(key, exact_cycles(getattr(message, key), ns), ns)
    row |= _us("deadline", exact_cycles(message.period if message.deadline is None else message.deadline, ns), ns)
    numbers = {"drift_ppm": message.drift, "priority": priority}
    return row | {key: number(value) for key, value in numbers.items() if value} | message.labels


def _us(key: str, cycles: float, ns: float) -> dict[str, str]:
    """Returns the cell of a time in microseconds; none of a time of 0."""
    return {f"{key}_us": number(float(f"{cycles * ns / 1e3:.15g}"))} if cycles else {}


def _size(size: float | str | Spread | Mapping[Any, float]) -> str:
    """Returns the cell of a size, of sizes with shares, or of a distribution, in bytes."""
    if isinstance(size, Spread):
        given = {key: getattr(size, key) for key in Spread.fields}
        return "; ".join(f"{key}: {number(size_bytes(value))}" for key, value in given.items() if value is not None)
    if not isinstance(size, Mapping):
        return number(size_bytes(size))
    drawn = [(number(size_bytes(quantity(str(one)))), share) for one, share in size.items() if share]
    return drawn[0][0] if len(drawn) == 1 else "; ".join(f"{each}: {number(share)}" for each, share in drawn)
