"""A simulation that a program steps: it injects packets, advances, and reads what has arrived."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet import limits
from ringlet._engine import SavedStepping, Stepping
from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.activities.collective import CollectivePlan
from ringlet.scenario.activities.events.plan import EventBuilding
from ringlet.scenario.activities.flows.found import MessagesFound, flows_counted
from ringlet.scenario.activities.loops.plan import LoopPlan
from ringlet.scenario.activities.registry import PLANS
from ringlet.scenario.file.reading import read_bytes
from ringlet.scenario.network import MAX_NODES
from ringlet.scenario.resolved.two_rings import check_no_copies
from ringlet.scenario.values.maxima import MAX_GROUPS, MAX_SEED
from ringlet.scenario.values.transactions import ALLOWED, MIN_BYTES, transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles
from ringlet.simulation.notices import describe_stall
from ringlet.simulation.replay import Feed

if TYPE_CHECKING:
    from ringlet._engine import Stall

Table = Mapping[str, NDArray[Any]]
"""Columns by name, equally long; `pandas.DataFrame` takes it."""

DELIVERY = np.dtype(
    [
        ("packet", np.int64),
        ("source", np.int64),
        ("destination", np.int64),
        ("response", np.bool_),
        ("lost", np.bool_),
        ("retries", np.int64),
        ("generated_cycle", np.int64),
        ("sent_cycle", np.int64),
        ("ended_cycle", np.int64),
        ("generated_ns", np.float64),
        ("sent_ns", np.float64),
        ("ended_ns", np.float64),
    ]
)
"""A packet that has arrived, or is lost, as `Simulation.deliveries` returns it."""

_TIMES = ("generated", "sent", "ended")


class StallError(RingletError):
    """Packets wait, but none has been accepted or served for `run.stall_after`: a deadlock, most likely.

    Here the watch is shorter than the way of a packet:

    >>> import ringlet as rl
    >>> network, run = {"nodes": 2, "hop_delay": 100_000}, {"stall_after": 1_000}
    >>> simulation = rl.Simulation({"network": network, "traffic": {"arrivals": "none"}, "run": run})
    >>> simulation.inject(0, 1, size=16)
    0
    >>> try:
    ...     simulation.advance(300_000)
    ... except rl.StallError as stall:
    ...     print(stall.since_cycle)
    0
    """

    def __init__(self, stall: Mapping[str, Any]) -> None:
        """Takes the engine's report."""
        super().__init__(f"the simulation stalled since cycle {stall['since_cycle']}: {stall['detail']}")
        self.since_cycle: int = stall["since_cycle"]
        """The last cycle in which something was accepted or served."""
        self.waiting_nodes: list[int] = stall["waiting_nodes"]
        """Nodes with packets to send."""


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts since the start of a simulation, or since `Simulation.reset_counters`: of all its traffic.

    >>> import ringlet as rl
    >>> simulation = rl.Simulation({"network": {"nodes": 4}, "traffic": {"arrivals": "none"}})
    >>> simulation.inject(0, 2, size=80)
    0
    >>> simulation.advance(500)
    >>> simulation.counters().nodes["delivered_packets"].tolist()
    [1, 0, 0, 0]
    """

    cycle: int
    """Cycles simulated."""
    nodes: Table
    """One value per node: packets generated, sent, sent again (retries), delivered and lost, by the node that sends
    them; symbols on the link behind it; its queues."""
    ports: Table
    """One value per link controller of a switch's port; empty on a single ring."""
    b_links: Table
    """One value per B-Link of a switch; empty on a single ring."""
    errors: Table
    """One value per node where links have errors; empty on a single ring."""
    loops: Table
    """One value per control loop: instances released, completed, due (their deadline has passed), missed, open; the
    sum, the least and the largest of their responses in cycles, 0 without any. Empty without loops."""
    collective: Table
    """One value of each channel of a collective operation: its packets, those delivered, and the cycle of the last
    delivery, always from the start of the simulation. Empty without one."""
    builders: Table
    """One value per builder of events: node, built, lost, incomplete, latencies in cycles. Empty without events."""
    flows: Table
    """One value per flow of `[[flows]]`, in their order: messages `offered`, `delivered`, `lost`, `unfinished` (under
    way) and `missed` (their deadlines), their bytes (`offered_bytes`, `delivered_bytes`), and latencies in cycles, from
    when a message was due: `latency_sum_cycles`, `latency_min_cycles` and `latency_max_cycles`, and quantiles,
    `latency_p50_cycles`, `latency_p95_cycles`, `latency_p99_cycles` and `latency_p999_cycles`; 0 without a delivery.
    Empty without flows."""
    destinations: Table
    """One value per node to which flows go: `destination`, its number, and the columns of `flows`."""
    activities: Mapping[str, Sequence[Mapping[str, Any]]]
    """Counts of each activity that the scenario has, by its key: of `loops` a record for each loop."""


class Simulation:
    """One ring or a network of rings that a program steps.

    The scenario's own traffic runs beside the packets that the program injects; `traffic.arrivals = "none"` leaves the
    rings to the program. The same packets give the same results as in `run`, bit for bit, in whatever steps they are
    simulated.

    >>> import ringlet as rl
    >>> simulation = rl.Simulation({"network": {"nodes": 4}, "traffic": {"arrivals": "none"}})
    >>> simulation.inject(0, 2, size=80)
    0
    >>> simulation.advance("1 us")
    >>> simulation.deliveries()[["packet", "source", "destination", "retries", "ended_ns"]].tolist()
    [(0, 0, 2, 0, 86.0)]
    """

    def __init__(self, scenario: ScenarioLike, *, seed: int | None = None, threads: int = 1) -> None:
        """Builds the rings at cycle 0.

        Args:
            scenario: what to simulate: a `Scenario`, what a scenario file holds, or the path of one. How long it runs
                is up to the program: `run.duration`, `run.warmup` and `run.precision` do not count.
            seed: of every random stream of the scenario's own traffic, 0 or larger; default: the scenario's.
            threads: threads on which the rings of a network advance; a single ring takes one.

        Raises:
            RingletError: what is wrong with the scenario, or that the engine cannot simulate it; a negative seed; less
                than one thread.
        """
        if threads < 1:
            raise RingletError.not_allowed("threads", threads, "at least 1")
        self._scenario = Scenario.of(scenario)
        self._threads = min(threads, MAX_NODES)
        seed = self._scenario.seed if seed is None else index(seed)
        if not 0 <= seed <= MAX_SEED:
            raise RingletError.not_allowed("seed", seed, f"at least 0 and at most {MAX_SEED}")
        with _refusals():
            self._engine = Stepping(_engine_spec(self._scenario, seed), self._threads)
        self._seed = seed
        self._file: Path | None = None
        self._feed = None if self._scenario.replay is None else Feed(self._scenario.replay)

    @property
    def scenario(self) -> Scenario:
        """Scenario that is simulated."""
        return self._scenario

    @property
    def cycle(self) -> int:
        """Cycles simulated."""
        return self._engine.cycle

    @property
    def time_ns(self) -> float:
        """Time simulated, in ns."""
        return self.cycle * self._scenario.symbol_time_ns

    @property
    def under_way(self) -> int:
        """Injected packets, and responses to them, that `deliveries` has not returned."""
        return self._engine.under_way

    def inject(
        self,
        source: int | str,
        destination: int | str,
        *,
        size: int | None = None,
        transaction: str | None = None,
        priority: int = 0,
        group: int | None = None,
        time: float | str | None = None,
    ) -> int:
        """Injects a packet into the transmit queue of a node and returns its number, from 0 on.

        Of one time and node packets start in the order in which they are injected, behind what the scenario's own
        traffic generates then; the packet of the highest priority is sent first.

        Args:
            source: the node that sends it, by number or name.
            destination: the node that it is for.
            size: bytes of a bare send packet, header and CRC included, an even number from 16 to
                `traffic.largest_packet`.
            transaction: in place of a size, such as "send80", "nwrite64" or "read64". With some, the destination
                answers when it has served the request, and the response is a delivery of its own with the same number.
                Default: the scenario's `traffic.transaction`.
            priority: 0 is the lowest; the scenario says how many there are.
            group: its transmission group with protocol "grouped"; default: that of its node, or of the pair.
            time: when it is generated: cycles or a time such as "3 us" from the start of the simulation, rounded up to
                cycles, not before the present one; default: now.

        Raises:
            RingletError: what is wrong with the packet; it has not been injected.
        """
        check_no_copies(self._scenario.resolved, "injected packets")
        sender = self._scenario.node_number(source, "source")
        receiver = self._scenario.node_number(destination, "destination")
        request, response = self._packets(size, transaction)
        _within("priority", priority, 0, self._scenario.resolved.send_levels.count - 1)
        if group is not None:
            _within("group", group, 0, MAX_GROUPS - 1)
        if time is None:
            cycle = self.cycle
        else:
            cycle = _cycles("time", time, self._scenario.symbol_time_ns)
            _within("time", cycle, self.cycle, MAX_CYCLES - 1)
        with _refusals():
            return self._engine.inject(cycle, sender, receiver, request, response, priority, group)

    def set_group(self, node: int | str, group: int) -> None:
        """Rewrites the group register of a node: what it sends from now on is in this transmission group.

        That holds for what has not come to the head of its transmit queue, the scenario's own traffic included, but not
        for packets that were injected with a group.

        Args:
            node: its number or name.
            group: below `flow_control.groups`.

        Raises:
            RingletError: a node or group that is not there.
        """
        _within("group", group, 0, MAX_GROUPS - 1)
        with _refusals():
            self._engine.set_group(self._scenario.node_number(node, "node"), group)

    def advance(self, duration: float | str) -> None:
        """Simulates further; other threads of Python run meanwhile.

        Args:
            duration: cycles, or a time such as "10 us", rounded up to cycles.

        Raises:
            RingletError: a negative duration; a trace that is no longer what it was; the engine fails on the state
                that was loaded from a file.
            StallError: nothing moves any more. The simulation has gone as far as that was found, and may go on.
            MemoryError: it holds more than `ringlet.limits.SIMULATION_BYTES`, since more is offered than is carried.
        """
        passed = _cycles("duration", duration, self._scenario.symbol_time_ns)
        _within("duration", passed, 0, MAX_CYCLES)
        end = min(self.cycle + passed, MAX_CYCLES)
        while self.cycle < end:
            if self._engine.known_until <= self.cycle:
                if not self._hand_in():
                    break
                continue
            before = self.cycle
            with self._blamed():
                stall = self._engine.advance_to(end, limits.SIMULATION_BYTES)
            if stall is not None:
                raise StallError(self._described(stall))
            if self.cycle == before:
                # A network ends earlier than a ring, since it counts picoseconds.
                break

    def deliveries(self) -> NDArray[np.void]:
        """Returns the injected packets that have arrived, or were lost, since the last call, in order of time.

        Packets of the scenario's own traffic, its events, loops or collective operation are counted (`counters`) and
        not returned.

        The array has a row for each packet, a request or a response, and the fields of `DELIVERY`: `packet` (the number
        that `inject` has returned, also of its response), `source`, `destination`, `response`, `lost`, `retries` (times
        that it was sent again, on all rings of its way), and three times, in cycles and in ns: `generated` (as
        injected, or of a response when its request had been served), `sent` (its first symbol left; -1 or NaN if it was
        lost before) and `ended` (it had been received and served, or was lost). `pandas.DataFrame` takes it as it is.

        What arrives in the present cycle comes with a later call, so that it does not depend on the steps when
        something is returned.
        """
        with self._blamed():
            found = self._engine.deliveries()
        rows = np.empty(len(found["packet"]), dtype=DELIVERY)
        for name, column in found.items():
            rows[name] = column
        for name in _TIMES:
            in_cycles = rows[f"{name}_cycle"]
            rows[f"{name}_ns"] = np.where(in_cycles < 0, np.nan, in_cycles * self._scenario.symbol_time_ns)
        return rows

    def counters(self) -> Counters:
        """Returns what has been counted since the start, or since `reset_counters`."""
        engine = self._engine
        spec = self._scenario.resolved
        flows = engine.flow_counters()
        senders = np.array([*(flow.source for flow in spec.flows), *range(spec.nodes)], dtype=np.int64)
        # Where nothing can be injected there are no flows for it.
        senders = senders[: len(flows["generated_packets"])]
        nodes: dict[str, NDArray[Any]] = {}
        for name in (
            "generated_packets",
            "lost_packets",
            "given_up_packets",
            "timed_out_requests",
            "unanswered_requests",
            "late_responses",
            "sent_packets",
            "first_try_packets",
            "retries",
            "delivered_packets",
            "delivered_symbols",
            "delivered_responses",
            "latency_sum_cycles",
        ):
            nodes[name] = np.zeros(spec.nodes, dtype=np.uint64)
            np.add.at(nodes[name], senders, flows[name])
        found = flows_counted(engine, spec, self._scenario.node_name)
        activities = {kind.key: engine.activity_counters(kind.kind) for kind in PLANS if kind.kind}
        return Counters(
            cycle=self.cycle,
            nodes=nodes | engine.node_counters(),
            ports=engine.port_counters(),
            b_links=engine.link_counters(),
            errors=engine.error_counters(),
            loops=_columns(activities[LoopPlan.key]),
            collective=_columns(activities[CollectivePlan.key]),
            builders=next((events["builders"] for events in activities[EventBuilding.key]), {}),
            flows={} if found is None else _of_messages(found.flows),
            destinations={}
            if found is None
            else {
                "destination": np.array([one.destination for one in found.destinations], dtype=np.uint64),
                **_of_messages(found.destinations),
            },
            activities={key: counts for key, counts in activities.items() if counts},
        )

    def reset_counters(self) -> None:
        """Starts all counters again from now; the simulation itself goes on unchanged."""
        self._engine.reset_measurement()

    def fork(self) -> "Simulation":
        """Returns a copy that goes its own way from here: what if this had been injected?"""
        return self._going_on(self._scenario, self._seed, self._engine.fork(self._threads), self._threads, self._file)

    def save(self, path: str | Path) -> None:
        """Writes the simulation to a file, as it is now, with its scenario: `load` goes on, with the same results.

        A file of that name is replaced when the new one is whole. The trace of a scenario is named, not copied. The C
        interface goes on from the file, too.

        Raises:
            OSError: the file cannot be written.
        """
        note = {"scenario": self._scenario.to_dict(), "seed": self._seed}
        with self._blamed():
            saved = self._engine.save(json.dumps(note))
        with writing(Path(path)) as aside:
            aside.write_bytes(saved)

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 1) -> "Simulation":
        """Returns the simulation that `save`, or the C interface, has written, to go on from there.

        Only the version of ringlet that has saved a simulation loads it, on whatever machine.

        >>> import ringlet as rl
        >>> simulation = rl.Simulation({"network": {"nodes": 4}, "traffic": {"arrivals": "none"}})
        >>> simulation.inject(0, 2, size=80)
        0
        >>> simulation.save("half-way.ringlet")
        >>> later = rl.Simulation.load("half-way.ringlet")
        >>> later.advance("1 us")
        >>> later.deliveries()["ended_ns"].tolist()
        [86.0]

        Args:
            path: the file.
            threads: threads on which the rings of a network advance; a single ring takes one.

        Raises:
            RingletError: no file that this version has saved, or a damaged one; the scenario's trace is not what it
                was; less than one thread.
        """
        if threads < 1:
            raise RingletError.not_allowed("threads", threads, "at least 1")
        path = Path(path)
        with _refusals(f"{path}: "):
            saved = SavedStepping(read_bytes(path, "a saved simulation", most_bytes=limits.SIMULATION_BYTES))
            scenario, seed = _noted(saved.note or "", path)
            threads = min(threads, MAX_NODES)
            engine = saved.build(_engine_spec(scenario, seed), threads)
        return cls._going_on(scenario, seed, engine, threads, path)

    @classmethod
    def _going_on(
        cls, scenario: Scenario, seed: int, engine: Stepping, threads: int, file: Path | None
    ) -> "Simulation":
        """Returns a simulation that is under way, and that comes from a file or does not."""
        simulation = object.__new__(cls)
        simulation._file = file
        simulation._scenario, simulation._seed, simulation._engine = scenario, seed, engine
        simulation._threads = threads
        simulation._feed = None if scenario.replay is None else Feed(scenario.replay, known=engine.handed_in)
        return simulation

    def __repr__(self) -> str:
        """One line: how far it is, and what is simulated."""
        return f"<Simulation at cycle {self.cycle}: {repr(self._scenario).removeprefix('<Scenario: ')}"

    def _packets(self, size: int | None, name: str | None) -> tuple[int, int | None]:
        """Symbols of a request and of its response."""
        link_format = self._scenario.resolved.link_format
        if size is not None:
            if name is not None:
                raise RingletError.not_allowed("transaction", name, "none beside a size")
            largest = self._scenario.resolved.largest_packet_bytes
            if size % 2 or not MIN_BYTES <= size <= largest:
                raise RingletError.not_allowed("size", size, f"an even number from {MIN_BYTES} to {largest} bytes")
            link_format.check("size", size, size)
            return link_format.symbols(size), None
        moved = self._scenario.traffic.moves if name is None else transaction(name)
        if moved is None:
            raise RingletError.not_allowed("transaction", name, ALLOWED)
        if len(moved.request_bytes) > 1:
            said = name or self._scenario.traffic.transaction
            raise RingletError.not_allowed("transaction", said, "one whose packets have one size; or a size")
        [(request_bytes, _)] = moved.request_bytes
        answer = moved.response_bytes
        link_format.check("transaction", str(name), request_bytes)
        return link_format.symbols(request_bytes), None if answer is None else link_format.symbols(answer)

    def _hand_in(self) -> bool:
        """Hands in the next piece of the scenario's trace; returns whether there is one."""
        if self._feed is None:
            return False
        packets, known = self._feed.piece()
        with _refusals():
            self._engine.hand_in(packets, known)
        return True

    def _blamed(self) -> AbstractContextManager[None]:
        """Names the file in what fails on the state that was loaded from it."""
        return _refusals("" if self._file is None else f"{self._file}: ")

    def _described(self, stall: "Stall") -> Mapping[str, Any]:
        network = self._scenario.routed_network[0] if self._scenario.network.switched else None
        return describe_stall(stall, network)


def _engine_spec(scenario: Scenario, seed: int) -> str:
    """Returns the engine's NetworkSpec as JSON."""
    return json.dumps(scenario.stepping_spec(seed), allow_nan=False)


def _noted(note: str, file: Path) -> tuple[Scenario, int]:
    """Returns the scenario and the seed that the simulation saved in a file was made of.

    Raises:
        ValueError: the note does not hold them.
        RingletError: the scenario is none, or its trace is not what it was.
    """
    try:
        content = json.loads(note)
        scenario, seed = content["scenario"], content["seed"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError("the saved simulation is damaged: its scenario is missing") from None
    if not isinstance(scenario, Mapping) or type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise ValueError("the saved simulation is damaged: its scenario or seed is none")
    try:
        return Scenario.from_dict(scenario), seed
    except RingletError as error:
        raise error.behind(f"{file}: scenario of the saved simulation: ") from None


_NOT_ALWAYS = ("oldest", "p99_cycles")
"""Counts of a loop that are left out: those that there may not be, and what is no count."""


def _columns(records: Sequence[Mapping[str, Any]]) -> Table:
    """Returns records as columns; what is not always there is left out."""
    names = [name for name in records[0] if name not in _NOT_ALWAYS] if records else []
    return {name: np.array([one[name] for one in records], dtype=np.uint64) for name in names}


_QUANTILES = ("p50", "p95", "p99", "p999")
"""Names of the quantiles of flows."""


def _of_messages(found: Sequence[MessagesFound]) -> Table:
    """Returns what was counted of messages, as columns; what there is none of is 0."""
    counts: dict[str, list[int | None]] = {
        "offered": [one.offered for one in found],
        "offered_bytes": [one.offered_bytes for one in found],
        "delivered": [one.delivered for one in found],
        "delivered_bytes": [one.delivered_bytes for one in found],
        "lost": [one.lost for one in found],
        "unfinished": [one.unfinished for one in found],
        "missed": [one.missed for one in found],
        "latency_sum_cycles": [one.sum_cycles for one in found],
        "latency_min_cycles": [one.least_cycles for one in found],
        "latency_max_cycles": [one.largest_cycles for one in found],
    }
    for place, name in enumerate(_QUANTILES):
        each = [_whole(one.quantile_cycles[place]) if one.quantile_cycles else None for one in found]
        counts[f"latency_{name}_cycles"] = each
    return {name: np.array([value or 0 for value in column], dtype=np.uint64) for name, column in counts.items()}


def _whole(cycles: float) -> int | None:
    """Returns a time in whole cycles; None where there is none."""
    return None if math.isnan(cycles) else int(cycles)


@contextmanager
def _refusals(place: str = "") -> Iterator[None]:
    """Raises what the engine refuses inside as RingletError, with a place before it."""
    try:
        yield
    except ValueError as error:
        raise RingletError(f"{place}{error}") from None


def _within(key: str, value: int, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise RingletError.not_allowed(key, value, f"a whole number from {least} to {most}")


def _cycles(key: str, value: float | str, symbol_time_ns: float) -> int:
    try:
        return cycles(value, symbol_time_ns)
    except (ValueError, OverflowError, TypeError):
        raise RingletError.not_allowed(key, value, "a number of cycles, or a time such as '10 us'") from None
