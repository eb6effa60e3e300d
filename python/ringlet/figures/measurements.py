"""The input of every figure: the engine's measurements, and the scenario."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ringlet._engine import Measured
    from ringlet.scenario import PeriodicMessage, Scenario
    from ringlet.scenario.resolved.loop_plan import LoopPlan


@dataclass(frozen=True, slots=True)
class MessageFound:
    """The counts and times of a periodic message in the measured time; times are None where no message was complete."""

    message: "PeriodicMessage"
    released: int
    completed: int
    missed: int
    """Deadlines that passed without the message being complete."""
    due: int
    """Deadlines that passed."""
    unfinished: int
    """Released in the whole run and not complete at its end."""
    mean_cycles: float | None
    p99_cycles: float | None
    worst_cycles: float | None
    """Those that are still under way count with their time so far."""


@dataclass(frozen=True, slots=True)
class BuilderFound:
    """The counts of a builder of events in the measured time; times are in cycles."""

    node: int
    name: str
    built: int
    lost: int
    """Events that found no place."""
    incomplete: int
    """Events that were given up."""
    latency_sum: int
    latency_max: int
    held: int
    """Events that it held, summed over all cycles."""
    held_max: int
    busy: int
    """Cycles in which it processed an event."""


@dataclass(frozen=True, slots=True)
class EventsFound:
    """The counts of event building in the measured time; times are in cycles, None without an event."""

    triggers: int
    dead: int
    """Triggers in the dead time of others."""
    refused: int
    """Triggers without a credit."""
    open: int
    """Events under way at the end."""
    latency_min: int | None
    latency_quantiles: tuple[int | None, int | None, int | None]
    builders: tuple[BuilderFound, ...]

    @property
    def built(self) -> int:
        """Events built."""
        return sum(one.built for one in self.builders)

    @property
    def lost(self) -> int:
        """Events that found no place."""
        return sum(one.lost for one in self.builders)

    @property
    def incomplete(self) -> int:
        """Events that were given up."""
        return sum(one.incomplete for one in self.builders)

    @property
    def all_lost(self) -> int:
        """Triggers and events lost."""
        return self.dead + self.refused + self.lost + self.incomplete

    @property
    def latency_mean(self) -> float | None:
        """Mean latency."""
        return sum(one.latency_sum for one in self.builders) / self.built if self.built else None

    @property
    def latency_max(self) -> int | None:
        """The largest."""
        return max((one.latency_max for one in self.builders if one.built), default=None)

    @property
    def latency_p50(self) -> int | None:
        """Median."""
        return self.latency_quantiles[0]

    @property
    def latency_p95(self) -> int | None:
        """95th percentile."""
        return self.latency_quantiles[1]

    @property
    def latency_p99(self) -> int | None:
        """99th percentile."""
        return self.latency_quantiles[2]


@dataclass(frozen=True, slots=True)
class CollectiveFound:
    """The counts of a collective operation from the start of the run on; times are in cycles."""

    data_bytes: int
    packets: int
    """Packets of all steps."""
    delivered: int
    """Those of them that are delivered."""
    taken: int | None
    """From its start to its last delivery; None while there are some to come."""
    bound: float
    """For which the busiest link, B-Link or receive queue is in use."""


@dataclass(frozen=True, slots=True)
class LoopFound:
    """The counts and times of a control loop in the measured time; times are None where no instance was complete."""

    loop: "LoopPlan"
    node_names: tuple[str, ...]
    released: int
    completed: int
    missed: int
    """Deadlines that passed without the instance being complete."""
    due: int
    """Deadlines that passed."""
    unfinished: int
    """Released in the whole run and not complete at its end."""
    least_cycles: float | None
    mean_cycles: float | None
    p99_cycles: float | None
    worst_cycles: float | None
    """One that is overdue counts with its time so far."""


class Found:
    """The measurements of a run, with conversions to the units of the results."""

    def __init__(
        self,
        measured: "Measured",
        scenario: "Scenario",
        *,
        messages: Sequence["MessageFound"] = (),
        events: "EventsFound | None" = None,
        collective: "CollectiveFound | None" = None,
        loops: Sequence["LoopFound"] = (),
    ) -> None:
        """Takes what the engine measured in a run of a scenario, and what became of its messages, events,
        collective operation and loops."""
        self.measured = measured
        self.scenario = scenario
        self.messages = messages
        self.events = events
        self.collective = collective
        self.loops = loops
        self.symbol_time_ns = float(scenario.symbol_time_ns)
        self.symbol_bytes = scenario.resolved.link_format.symbol_bytes
        self.nodes = measured["nodes"]
        """Number of nodes."""
        self.cycles = measured["cycle"] - measured["measured_from"]
        """Cycles measured."""
        self._known: dict[Callable[[Found], Sequence[Any]], Sequence[Any]] = {}

    def once(self, function: "Callable[[Found], Sequence[Any]]") -> Sequence[Any]:
        """Returns what a function makes of this, computed at the first call only."""
        if function not in self._known:
            self._known[function] = function(self)
        return self._known[function]

    def series(self, name: str) -> Sequence[Any]:
        """Returns a column of the series: each node (by source), each reported priority, and the total."""
        column: Sequence[Any] = self.measured["series"][name]  # type: ignore[literal-required]  # a column's name
        return column

    def half_widths(self, name: str) -> Sequence[float | None]:
        """Returns a column of half widths of 95 % intervals of the series.

        Where nothing is drawn at random, or an operation takes place once, batches are no sample of anything: then
        there are none.
        """
        column = self.series(name)
        return column if self.scenario.resolved.has_steady_state else [None] * len(column)

    def counter(self, name: str) -> Sequence[int]:
        """Returns a counter of each node."""
        return self.measured["node_counters"][name]

    def per_cycle(self, counts: Sequence[float]) -> list[float]:
        """Returns counts of the measured time, divided by its cycles."""
        cycles = max(self.cycles, 1)
        return [count / cycles for count in counts]

    def ns(self, cycles: Sequence[float | None]) -> list[float | None]:
        """Returns cycles as times, None where there is none."""
        return [None if each is None else each * self.symbol_time_ns for each in cycles]

    def MBps(self, byte_counts: Sequence[float]) -> list[float]:  # noqa: N802 - the unit
        """Returns numbers of bytes of the measured time as rates in MB/s."""
        ns = self.cycles * self.symbol_time_ns
        # Bytes per ns are GB/s.
        return [count * 1e3 / ns if ns else 0.0 for count in byte_counts]

    @cached_property
    def symbol_cycles(self) -> list[int]:
        """Cycles that a symbol takes on the ring of each node."""
        resolved = self.scenario.resolved
        if resolved.has_one_rate:
            return [1] * self.nodes
        of_nodes: list[int] = resolved.symbol_cycles[resolved.routed_network[0].node_ring].tolist()
        return of_nodes

    @cached_property
    def node_data(self) -> Sequence[float]:
        """Data of each node that was served, in symbols."""
        return self.series("payload_symbols")[: self.nodes]

    @cached_property
    def payload_bytes(self) -> list[float]:
        """Data of each series that was served."""
        return [self.symbol_bytes * words for words in self.series("payload_symbols")]

    @cached_property
    def words_per_cycle(self) -> list[float]:
        """Throughput of each node, in words of send packets per cycle."""
        return self.per_cycle(self.series("packet_symbols")[: self.nodes])
