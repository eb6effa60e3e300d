"""The compiled simulator as a run sees it: advanced, timed, and watched for a stall."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ringlet._engine import Packets, Replayed

Counters = dict[str, NDArray[np.uint64]]


class Simulator(Protocol):
    """What a run calls of `ringlet._engine.Simulation`."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    def advance(self, cycles: int) -> Mapping[str, Any] | None:
        """Simulates `cycles` more cycles; stops early at a stall and describes it."""

    def reset_measurement(self) -> None:
        """Starts all counters again."""

    def node_counters(self) -> Counters:
        """Counts per node."""

    def flow_counters(self) -> Counters:
        """Counts per flow."""

    def latency_quantiles(self, flow_groups: list[list[int]], quantiles: list[float]) -> NDArray[np.float64]:
        """Quantiles of one-way latency in cycles, shape (groups, quantiles)."""

    def message_latency_quantiles(self, flow_groups: list[list[int]], quantiles: list[float]) -> NDArray[np.float64]:
        """Quantiles of message latency in cycles, shape (groups, quantiles)."""

    def latency_histogram(self, flows: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Upper edges in cycles of the bins that hold packets of these flows, and how many."""


class TraceTaker(Protocol):
    """What takes the packets of a trace: `ringlet._engine.Simulation`, or its `Recorder`."""

    def hand_in(self, packets: "Packets", until: int) -> None:
        """Takes further packets; all before cycle `until` are known then."""


class Replayer(Simulator, TraceTaker, Protocol):
    """What a run calls besides if there is a trace."""

    @property
    def known_until(self) -> int:
        """Cycle beyond which the simulation does not go before it knows more."""

    def replayed(self) -> "Replayed":
        """How far the replay is."""


class TraceFeed(Protocol):
    """Who hands a trace in."""

    last_cycle: int
    """Own cycle of its last packet."""

    def hand_in(self, engine: TraceTaker) -> int:
        """Hands in the next piece; returns the cycle before which all is known then."""


class Engine:
    """A simulator with a stopwatch. Keeps the stall, if one ended the simulation."""

    def __init__(self, simulator: Simulator) -> None:
        """Wraps a simulator at cycle 0."""
        self._simulator = simulator
        self.feed: TraceFeed | None = None
        """Who hands a trace in, if there is one."""
        self.seconds = 0.0
        """Wall-clock time spent in the simulator."""
        self.stall: dict[str, Any] | None = None
        """`since_cycle`, `waiting_nodes`, `detail` and `blocked` of the stall that ended the simulation."""
        self.measured_from = 0
        """Cycle of the last reset of the counters."""
        self.flow_counters = simulator.flow_counters
        self.node_counters = simulator.node_counters
        self.latency_histogram = simulator.latency_histogram
        self.before: Counters | None = None
        """Flow counters up to that reset; None without one."""

    def latency_quantiles(self, flow_groups: list[list[int]], quantiles: list[float]) -> NDArray[np.float64]:
        """Quantiles of one-way latency in cycles, shape (groups, quantiles)."""
        found = self._simulator.latency_quantiles(flow_groups, quantiles)
        return self._within(found, flow_groups, "latency", "delivered_packets")

    def message_latency_quantiles(self, flow_groups: list[list[int]], quantiles: list[float]) -> NDArray[np.float64]:
        """Quantiles of message latency in cycles, shape (groups, quantiles)."""
        found = self._simulator.message_latency_quantiles(flow_groups, quantiles)
        return self._within(found, flow_groups, "message_latency", "completed_messages")

    def _within(
        self, found: NDArray[np.float64], flow_groups: list[list[int]], name: str, count: str
    ) -> NDArray[np.float64]:
        """Returns quantiles within what was measured: the engine's are upper ends of intervals, which may hold less."""
        counters = self.flow_counters()
        least, most = counters[f"{name}_min_cycles"], counters[f"{name}_max_cycles"]
        within = np.array(found, dtype=np.float64)
        for row, group in zip(within, flow_groups, strict=True):
            members = np.asarray(group, dtype=np.intp)
            if (counted := members[counters[count][members] > 0]).size:
                np.clip(row, float(least[counted].min()), float(most[counted].max()), out=row)
        return within

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""
        return self._simulator.cycle

    @property
    def measured_cycles(self) -> int:
        """Cycles since the counters were reset."""
        return self.cycle - self.measured_from

    def advance(self, cycles: int) -> bool:
        """Simulates `cycles` more cycles; returns whether they ran through, without a stall."""
        stall = self._advance(cycles) if self.feed is None else self._replay(self.feed, cycles)
        if stall is not None:
            self.stall = {
                "since_cycle": int(stall["since_cycle"]),
                "waiting_nodes": [int(node) for node in stall["waiting_nodes"]],
                "detail": str(stall["detail"]),
                "blocked": list(stall.get("blocked", ())),
            }
        return stall is None

    def _advance(self, cycles: int) -> Mapping[str, Any] | None:
        start = time.perf_counter()
        stall = self._simulator.advance(cycles)
        self.seconds += time.perf_counter() - start
        return stall

    def _replay(self, feed: TraceFeed, cycles: int) -> Mapping[str, Any] | None:
        """The same, with packets of the trace whenever the simulation goes no further without."""
        end, stall = self.cycle + cycles, None
        simulator = self.replayer
        while stall is None and self.cycle < end:
            if simulator.known_until <= self.cycle:
                feed.hand_in(simulator)
            else:
                stall = self._advance(end - self.cycle)
        return stall

    @property
    def replayer(self) -> Replayer:
        """The simulator of a trace."""
        return cast(Replayer, self._simulator)

    def reset_measurement(self) -> None:
        """Starts all counters again from this cycle."""
        self.before = self._simulator.flow_counters()
        self._simulator.reset_measurement()
        self.measured_from = self.cycle
