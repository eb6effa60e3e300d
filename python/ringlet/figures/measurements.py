"""The input of every figure: the engine's measurements, and the scenario."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ringlet.figures.trend import Trend, trend

if TYPE_CHECKING:
    from ringlet._engine import Measured
    from ringlet.analysis.allocation import Optimum
    from ringlet.scenario import Scenario
    from ringlet.scenario.activities.flow import Flow


DRAWN = ("poisson", "bernoulli")
"""Arrivals whose packets come one by one, at times that are drawn."""

LEAST_RELAXATIONS = 250
"""Times in which queues change, below which a run says too little of them: over 8 kinds of runs at 90 and 97 % of what
they carry, 95 of 100 at 90 % have more, and 97 of 100 at 97 % fewer."""

LEAST_PACKETS = 200
"""Packets of a series from which on its batches give an interval."""

OVERLOAD_SHARE = 0.05
"""Share of the packets generated that may be left waiting before the load counts as more than the ring carries."""

NORMAL_95 = 1.96
"""Standard deviations of a normal distribution to either side of its mean that hold 95 % of it."""


class Offered(NamedTuple):
    """Words of send packets of each flow in the measured time."""

    words: Sequence[float]
    """Words that it offered, or got, if that is more, as where what had waited before was served."""
    entered: Sequence[float]
    """Words of those that found room in the transmit queue."""
    got: Sequence[float]
    """Words of those that were delivered."""


class Found:
    """The measurements of a run, with conversions to the units of the results."""

    def __init__(
        self,
        measured: "Measured",
        scenario: "Scenario",
        activities: "Mapping[str, Any]" = MappingProxyType({}),
        *,
        offered: Offered | None = None,
        largest_total: bool = True,
    ) -> None:
        """Takes what the engine measured in a run of a scenario, and what became of each activity, by its name.

        Where the run has come back to a state, rates, means and distributions are those of the period that repeats, and
        so exact and for all time; counts are those of the measured time (`recorded`).

        Args:
            measured: by the engine.
            scenario: that was simulated.
            activities: what became of each, by its name.
            offered: what each flow offered in the measured time; None: as much as the scenario says.
            largest_total: whether the largest total that the network could carry is asked for: its linear program takes
                longer to load than a short run.
        """
        self._offered = offered
        self.seeks_largest_total = largest_total
        self.recorded = self
        """The measured time alone."""
        self.exact = measured.get("exact")
        if self.exact is not None:
            whole: Measured = {**measured, "exact": None}
            self.recorded = Found(whole, scenario, activities, offered=offered, largest_total=largest_total)
            measured = cast("Measured", measured | self.exact["measured"])
        self.measured = measured
        self.scenario = scenario
        self._activities = activities
        self.symbol_time_ns = float(scenario.symbol_time_ns)
        self.symbol_bytes = scenario.resolved.link_format.symbol_bytes
        self.nodes = measured["nodes"]
        """Number of nodes."""
        self.cycles = measured["cycle"] - measured["measured_from"]
        """Cycles measured."""
        self._known: dict[Callable[[Found], Sequence[Any]], Sequence[Any]] = {}

    def activity(self, name: str) -> Any:  # noqa: ANN401 - each activity has a type of its own
        """Returns what became of an activity of the run."""
        return self._activities[name]

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
        there are none. Nor are there any of a series with few packets, whose batches say little of what is seldom, or
        of a latency that is not steady.
        """
        column = self.series(name)
        if not self.scenario.resolved.has_steady_state:
            return [None] * len(column)
        enough = [packets >= LEAST_PACKETS for packets in self.series("delivered_packets")]
        if name.startswith("latency"):
            enough = [many and known for many, known in zip(enough, self.has_known_latency, strict=True)]
        elif self._come_one_by_one and not is_overloaded(self.measured):
            pairs = zip(column, self._half_widths_offered, self.has_known_latency, strict=True)
            column = [value if value is None or known else max(value, least) for value, least, known in pairs]
        return [value if known else None for value, known in zip(column, enough, strict=True)]

    @cached_property
    def _come_one_by_one(self) -> bool:
        """True if all packets come at times that are drawn one by one, and none is lost."""
        flows = self.scenario.resolved.flows
        alone = all(flow.arrivals.get("kind") in DRAWN and flow.burst == 1 for flow in flows)
        return alone and not self.series("lost_packets")[-1]

    @cached_property
    def _half_widths_offered(self) -> list[float]:
        """Half widths of the 95 % intervals of throughputs that are those of arrivals, as many as were served: their
        number is Poisson's, or with Bernoulli arrivals varies a little less."""
        flows = self.scenario.resolved.flows
        of_source = defaultdict(list)
        for flow in flows:
            of_source[flow.source].append(flow)
        found = []
        for place, (data, packets) in enumerate(
            zip(self.series("payload_symbols"), self.series("delivered_packets"), strict=True)
        ):
            some = of_source[place] if place < self.nodes else flows
            spread = relative_variance(some)
            found.append(NORMAL_95 * data * (spread / packets) ** 0.5 / max(self.cycles, 1) if packets else 0.0)
        return found

    @cached_property
    def latency_trends(self) -> list[Trend]:
        """The trend of the mean latency of each series over the batches."""
        batches = self.measured["batches"]
        pairs = zip(batches["latency_cycles"].tolist(), batches["delivered_packets"].tolist(), strict=True)
        return [trend(sums, packets) for sums, packets in pairs]

    @cached_property
    def has_steady_latency(self) -> list[bool]:
        """True if the latency of each series neither drifts nor wanders from batch to batch."""
        return [one.is_steady for one in self.latency_trends]

    @cached_property
    def has_known_latency(self) -> list[bool]:
        """True if the latency of each series is steady, and the run long beside the time in which its queues change.

        That time is taken to be `w^2 / s`: `w` is how much longer than the shortest latency the mean one is, and `s`
        the time between two packets of a source. In a queue with Poisson arrivals it is a constant times
        `s / (1 - load)^2`, the relaxation time. A run of fewer than 250 of them has an interval by chance alone, which
        holds the mean seldom: docs/explanation/statistics.md. It is asked of Poisson and Bernoulli traffic alone:
        saturated sources have no such queue, packets of one message wait for each other, and a queue that loses packets
        stays as long as it may be.
        """
        if not self._come_one_by_one:
            return self.has_steady_latency
        series = self.measured["series"]
        latency, packets = series["latency"], series["delivered_packets"]
        nodes, cycles = self.measured["nodes"], self.recorded.cycles
        apart = cycles * max(self.measured["unsaturated_nodes"], 1) / max(packets[-1], 1)
        known = []
        for place, steady in enumerate(self.has_steady_latency):
            mean, least = latency["mean"][place], latency["min"][place]
            if mean is not None and least is not None and mean > least:
                between = cycles / packets[place] if place < nodes else apart
                steady = steady and cycles * between >= LEAST_RELAXATIONS * (mean - least) ** 2
            known.append(steady)
        return known

    def counter(self, name: str) -> Sequence[int]:
        """Returns a counter of each node."""
        return self.measured["node_counters"][name]

    def per_cycle(self, counts: Sequence[float]) -> list[float]:
        """Returns counts of the measured time, divided by its cycles."""
        cycles = max(self.cycles, 1)
        # The engine's sum of nothing is -0; adding 0 makes 0 of it.
        return [count / cycles + 0.0 for count in counts]

    def ns(self, cycles: Sequence[float | None]) -> list[float | None]:
        """Returns cycles as times, None where there is none."""
        return [None if each is None else each * self.symbol_time_ns for each in cycles]

    def MBps(self, byte_counts: Sequence[float]) -> list[float]:  # noqa: N802 - the unit
        """Returns numbers of bytes of the measured time as rates in MB/s."""
        ns = self.cycles * self.symbol_time_ns
        # Bytes per ns are GB/s.
        return [count * 1e3 / ns + 0.0 if ns else 0.0 for count in byte_counts]

    @cached_property
    def fair_share(self) -> "Optimum | None":
        """The max-min fair allocation of what was offered; None where it would take long.

        None, too, where something takes place once: it has no rate, and what nodes get holds it beside what has one.
        """
        if self.scenario.resolved.takes_place_once:
            return None
        if self._offered is None:
            return self.scenario.quick_optimum
        return self.scenario.fair_share(*map(self.per_cycle, self._offered))

    @cached_property
    def symbol_cycles(self) -> list[int]:
        """Cycles that a symbol takes on the ring of each node."""
        resolved = self.scenario.resolved
        if resolved.has_one_rate:
            return [1] * self.nodes
        of_nodes: list[int] = resolved.symbol_cycles[resolved.routed_network[0].node_ring].tolist()
        return of_nodes

    @cached_property
    def links_of_node(self) -> int:
        """Links that leave each node."""
        resolved = self.scenario.resolved
        has_two = resolved.switched and resolved.routed_network[0].second_interface is not None
        return 2 if has_two else 1

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


def is_overloaded(measured: "Measured") -> bool:
    """Returns whether more packets were left waiting than a ring leaves that carries its load."""
    generated = measured["generated_packets"]
    left = generated - measured["settled_packets"]
    return left > max(OVERLOAD_SHARE * generated, 10.0 * measured["unsaturated_nodes"])


def relative_variance(flows: "Sequence[Flow]") -> float:
    """Returns the variance of what Poisson arrivals of some flows bring, as a share of the square of its mean, times
    the number of their packets, requests and responses; 1 where all are requests of one size."""
    squares = words = packets = 0.0
    for flow in flows:
        each = [(size, flow.rate * share) for size, share in flow.sizes]
        squares += sum(rate * size**2 for size, rate in each)
        words += sum(rate * size for size, rate in each)
        packets += flow.rate * (1 if flow.response_symbols is None else 2)
    return squares * packets / words**2 if words else 0.0
