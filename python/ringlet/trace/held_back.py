"""Shares of time in which each node's next packet was held back, by cause."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.figures.held_back import CAUSES
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.trace.record import MAX_NODE_CYCLES, layout_of, record
from ringlet.trace.recording import (
    ACKNOWLEDGED,
    DRAIN,
    GIVEN_UP,
    IDLE,
    PASS,
    REFUSED,
    RETRY,
    RETURNED,
    SEND,
    SENDING,
    TIMED_OUT,
    Recording,
    Table,
)

SENDS, NOTHING, BYPASS, PROTOCOL, WINDOW, RECEIVER, BRIDGE, LINK_ERROR = range(len(CAUSES))

HELD = tuple(CAUSES)[BYPASS:]
"""Causes for which a node gets less than it could."""

NOTABLE = 0.05
"""Least share of time of which a sentence is made."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Shares of time, which add up to 1, in which each node sent, had nothing to send or was held back."""

    start: int
    """First cycle that was looked at."""
    stop: int
    """Cycle behind the last one."""
    shares: NDArray[np.float64]
    """Share of each cause of `CAUSES`, of a node with two interfaces the mean of both; shape (nodes, causes)."""
    names: tuple[str, ...]
    """Names of the nodes."""
    limits: tuple[int | None, ...]
    """Packets that each node may have under way; None: any number."""
    round_trips_ns: NDArray[np.float64]
    """Mean time from a packet's first symbol until its echo is back, of each node; NaN without one."""
    packet_bytes: NDArray[np.float64]
    """Mean size of the packets that each node sent, in bytes; NaN without one."""

    def records(self) -> list[dict[str, float]]:
        """Returns the shares of each node by the names of the causes."""
        return [dict(zip(CAUSES, row, strict=True)) for row in self.shares.tolist()]

    def sentence(self) -> str:
        """Returns what holds back the node that is held back most, and what would help, in one sentence."""
        held = self.shares[:, BYPASS:]
        node = int(held.sum(axis=1).argmax())
        place = int(held[node].argmax())
        share = float(held[node, place])
        if share < NOTABLE:
            return f"held back: no node for more than {100 * NOTABLE:g} % of the time by one cause"
        name, percent = self.names[node], f"{100 * share:.3g} % of the time"
        cause = HELD[place]
        if cause == "window" and (limit := self.limits[node]) and np.isfinite(self.round_trips_ns[node]):
            trip, size = float(self.round_trips_ns[node]), float(self.packet_bytes[node])
            most = limit * size * 1e3 / trip
            under_way = "one packet is" if limit == 1 else f"{limit} packets are"
            return (
                f"{name}: {under_way} under way, a round trip takes {_time(trip)}: at most {most:.3g} MB/s; "
                "queues.outstanding or network.echoes = false"
            )
        says = {
            "bypass": "its next packet waits while packets of others leave through its link",
            "protocol": "its next packet waits for the flow control",
            "window": "as many packets are under way as may be; queues.outstanding or queues.window",
            "receiver": "its packets wait to be sent again, since the receive queue of their destination was full; "
            "queues.receive or queues.service_time",
            "bridge": "its packets wait to be sent again, since a port of a switch was full; switch.receive_requests",
            "link_error": "its packets wait to be sent again, since their echoes did not come in time; errors.timeout",
        }
        return f"{name}: {percent} {says[cause]}"


def _time(ns: float) -> str:
    for unit, factor in (("ms", 1e6), ("us", 1e3)):
        if ns >= factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns"


def held_back(
    scenario: ScenarioLike, *, start: int | None = None, stop: int | None = None, seed: int | None = None
) -> HeldBack:
    """Says for which share of the time each node's next packet was held back, and by what.

    The run is simulated once more and recorded: a run of which this is not asked is as fast as ever.

    >>> import ringlet as rl
    >>> found = rl.held_back({"network": {"nodes": 4}, "traffic": {"destinations": [1, 2, 3, 0]}})
    >>> bool(abs(found.shares.sum(axis=1) - 1).max() < 1e-12)
    True

    Args:
        scenario: what to simulate.
        start: first cycle that is looked at; default: a given warm-up, or 0.
        stop: cycle behind the last one; default: as many cycles later as are measured, or as can be recorded.
        seed: of every random stream; default: the scenario's.

    Raises:
        RingletError: an empty or too long window, or a scenario that the engine cannot simulate.
    """
    scenario = Scenario.of(scenario)
    spec = scenario.network_spec(scenario.seed)
    if start is None:
        start = 0 if scenario.warmup == "auto" else int(scenario.warmup)
    if stop is None:
        most = MAX_NODE_CYCLES // layout_of(scenario, spec).interfaces
        stop = start + max(1, min(most, scenario.measured_cycles or most))
    recording = record(scenario, start=start, stop=stop, seed=seed)
    nodes = scenario.network.nodes
    hosts = spec["queues"]["limits"]["each"] or [spec["queues"]["limits"]["common"]] * nodes
    limits = tuple(limit["outstanding_limit"] for limit in hosts)
    windows = [limit["window"] for limit in hosts]
    shares, trips, sizes = np.zeros((nodes, len(CAUSES))), np.full(nodes, np.nan), np.full(nodes, np.nan)
    symbol_bytes = scenario.resolved.link_format.symbol_bytes
    for node in range(nodes):
        each = [_Interface(recording, one) for one in recording.layout.interfaces_of(node)]
        causes = np.concatenate([one.causes(limits[node], windows[node] is not None) for one in each])
        shares[node] = np.bincount(causes, minlength=len(CAUSES)) / causes.size
        trips[node] = _mean([one.round_trip for one in each]) * recording.symbol_time_ns
        sizes[node] = _mean([one.packet_symbols for one in each]) * symbol_bytes
    names = tuple(scenario.node_name(node) for node in range(nodes))
    return HeldBack(recording.start, recording.stop, shares, names, limits, trips, sizes)


def _mean(each: list[float]) -> float:
    """Returns the mean of the interfaces that have such a value; NaN without one."""
    known = [one for one in each if np.isfinite(one)]
    return float(np.mean(known)) if known else np.nan


class _Interface:
    """An interface of a node in a recording: its runs and events, cycle by cycle."""

    def __init__(self, recording: Recording, node: int) -> None:
        self.start, self.length = recording.start, recording.stop - recording.start
        self.recording, self.node = recording, node
        self.runs = _of_node(recording.runs, node)
        self.events = _of_node(recording.tables["events"], node)
        self.sent = self._own_sendings()
        echoes = np.isin(self.events["fate"], (ACKNOWLEDGED, RETURNED))
        self.echoes = {name: column[echoes] for name, column in self.events.items()}

    def _own_sendings(self) -> Table:
        runs = self.runs
        own = np.isin(runs["kind"], (SEND, RETRY)) & (runs["activity"] == SENDING)
        return {name: column[own] for name, column in runs.items()}

    @property
    def packet_symbols(self) -> float:
        """Mean length of the packets that it sends; NaN without one."""
        return float(self.sent["symbols"].mean()) if self.sent["symbols"].size else np.nan

    @property
    def round_trip(self) -> float:
        """Mean cycles from a packet's first symbol until its echo is back; NaN without one."""
        before, after = _last_before(self.sent, self.echoes)
        return float((after - before).mean()) if after.size else np.nan

    def causes(self, limit: int | None, has_window: bool) -> NDArray[np.int64]:
        """Returns the place of the cause of each cycle in `CAUSES`."""
        activity, kind = (self._filled(self.runs["cycle"], self.runs[name]) for name in ("activity", "kind"))
        head = self._changes("heads") >= 0
        waits = self._changes("transmit_lengths") > 0
        refused, bridged, missing = self._waiting_again()
        waits |= head | refused | bridged | missing
        passes = (activity == DRAIN) | ((activity == PASS) & (kind != IDLE))
        is_full = np.full(self.length, has_window) if limit is None else (self._under_way() >= limit) | has_window
        causes = np.full(self.length, NOTHING)
        causes[waits] = PROTOCOL
        causes[waits & head & passes] = BYPASS
        causes[waits & ~head & is_full] = WINDOW
        causes[waits & ~head & refused] = RECEIVER
        causes[waits & ~head & bridged] = BRIDGE
        causes[waits & ~head & missing] = LINK_ERROR
        causes[activity == SENDING] = SENDS
        return causes

    def _filled(self, cycle: NDArray[Any], value: NDArray[Any]) -> NDArray[Any]:
        """Returns the value of each cycle of what holds from some cycles on."""
        if not cycle.size:
            return np.zeros(self.length, dtype=np.int64)
        places = np.searchsorted(cycle, np.arange(self.start, self.start + self.length), side="right") - 1
        return value[np.maximum(places, 0)]

    def _changes(self, table: str) -> NDArray[Any]:
        changes = _of_node(self.recording.tables[table], self.node)
        return self._filled(changes["cycle"], changes["value"])

    def _between(self, begins: NDArray[Any], ends: NDArray[Any]) -> NDArray[np.bool_]:
        """Returns whether each cycle lies in one of these stretches."""
        steps = np.zeros(self.length + 1, dtype=np.int64)
        np.add.at(steps, np.clip(begins - self.start, 0, self.length), 1)
        np.add.at(steps, np.clip(ends - self.start, 0, self.length), -1)
        inside: NDArray[np.bool_] = np.cumsum(steps[:-1]) > 0
        return inside

    def _under_way(self) -> NDArray[np.int64]:
        """Packets that have been sent and of which no echo has come, in each cycle."""
        ended = np.isin(self.events["fate"], (ACKNOWLEDGED, RETURNED, TIMED_OUT, GIVEN_UP))
        ends = {name: column[ended] for name, column in self.events.items()}
        known = _last_before(self.sent, ends)[1].size
        steps = np.zeros(self.length + 1, dtype=np.int64)
        # What was sent before the recording ends within it.
        steps[0] = ends["cycle"].size - known
        np.add.at(steps, np.clip(self.sent["cycle"] - self.start, 0, self.length), 1)
        np.add.at(steps, np.clip(ends["cycle"] - self.start, 0, self.length), -1)
        return np.cumsum(steps[:-1])

    def _waiting_again(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Returns in which cycles packets wait to be sent again: refused by a receiver, by a port, or missing."""
        all_events, first = self.recording.tables["events"], self.recording.layout.first_port
        ports = np.unique(all_events["packet"][(all_events["fate"] == REFUSED) & (all_events["node"] >= first)])
        found = []
        for fate in (RETURNED, TIMED_OUT):
            chosen = self.events["fate"] == fate
            begun = {name: column[chosen] for name, column in self.events.items()}
            begins, ends, packets = _next_after(begun, self.sent, self.start + self.length)
            found.append((begins, ends, np.isin(packets, ports)))
        (begins, ends, at_port), (missing_from, missing_to, _) = found
        return (
            self._between(begins[~at_port], ends[~at_port]),
            self._between(begins[at_port], ends[at_port]),
            self._between(missing_from, missing_to),
        )


def _of_node(table: Table, node: int) -> Table:
    chosen = table["node"] == node
    return {name: column[chosen] for name, column in table.items()}


def _last_before(begun: Table, ended: Table) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the cycles of what began last before each end of the same packet, and those ends that have such."""
    order = np.lexsort((begun["cycle"], begun["packet"]))
    keys = _keys(begun["packet"][order], begun["cycle"][order])
    if not keys.size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    places = np.searchsorted(keys, _keys(ended["packet"], ended["cycle"]), side="right") - 1
    has = (places >= 0) & (begun["packet"][order][np.maximum(places, 0)] == ended["packet"])
    return begun["cycle"][order][places[has]], ended["cycle"][has]


def _next_after(begun: Table, ended: Table, stop: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Returns the cycles in which something began, those of the next end of the same packet, or `stop`, and the
    packets."""
    order = np.lexsort((ended["cycle"], ended["packet"]))
    packets, cycles = ended["packet"][order], ended["cycle"][order]
    places = np.searchsorted(_keys(packets, cycles), _keys(begun["packet"], begun["cycle"]), side="left")
    ends = np.full(begun["packet"].size, stop, dtype=np.int64)
    if packets.size:
        inside = np.minimum(places, packets.size - 1)
        has = (places < packets.size) & (packets[inside] == begun["packet"])
        ends[has] = cycles[inside[has]]
    return begun["cycle"].astype(np.int64), ends, begun["packet"]


def _keys(packet: NDArray[Any], cycle: NDArray[Any]) -> NDArray[np.int64]:
    """Returns numbers in the order of packets, and of cycles of the same packet."""
    return packet.astype(np.int64) << 40 | cycle.astype(np.int64)
