"""A run of a protocol that is written in Python: warm-up, batches and figures as the crate `ringlet-run` makes them.

The 95 % interval of the 99th percentile is left out, and no run is found to come back to a state.
"""

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet._engine import PROTOCOL_COUNTS
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.flow_control import SymbolProtocol
from ringlet.sections.guard import FAILURES, failed, guard
from ringlet.statistics import MAX_BATCHES, MIN_BATCHES, batch_means, collapse, mser5, precise_enough
from ringlet.symbol_ring import Station, SymbolRing

if TYPE_CHECKING:
    from ringlet._engine import Inversions, Measured, SeriesTable, Wanted
    from ringlet.scenario.activities.flow import Payload
    from ringlet.symbol_ring import Stall

BATCHES = 30
"""Batches of a run of given duration."""

WARM_UP_BINS = 200
"""Bins of the automatic warm-up whenever it is judged."""

SHORTEST_BATCH_CYCLES = 1000
"""Length of the first batches of a run that stops at a precision."""

NODE_CYCLES_CAP = 4_000_000_000
"""Cycles times nodes after which a run that has a precision, but no duration, gives up."""

FEW_LEVELS = 4
"""Levels of priority up to which each is reported, whether it is used or not."""

QUANTILES = (0.5, 0.95, 0.99)

Numbers = NDArray[np.float64]
_COUNTS = ("payload_symbols", "delivered_packets", "latency_cycles")


def symbol_ring(scenario: Scenario, spec: Mapping[str, Any]) -> SymbolRing:
    """Returns a ring with the protocol of a scenario, which is written in Python, at cycle 0.

    Args:
        scenario: the scenario.
        spec: of the ring: the scenario's, or one made of it.

    Raises:
        RingletError: the protocol fails, or gives what is no station.
    """
    protocol = scenario.flow_control
    assert isinstance(protocol, SymbolProtocol)
    named = protocol.added_by or f"flow_control.protocol: {protocol.protocol!r}"
    ring = scenario.resolved.ring

    def station(node: int) -> Station:
        try:
            made = protocol.station(node, ring)
        except RingletError:
            raise
        except FAILURES as error:
            raise failed(f"{named}, whose station", error) from error
        if not isinstance(made, Station):
            given = type(made).__name__
            raise RingletError(f"{named}, whose station gives {given} for node {node}; allowed: a Station")
        guard(type(made), named)
        return made

    return SymbolRing(spec, station, protocol.most_carried, named)


class SymbolSimulation:
    """A simulation of such a ring, with the methods of the engine's that a run needs."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        """At cycle 0."""
        spec = scenario.ring_spec(seed)
        self._ring = symbol_ring(scenario, spec)
        self._series = _Series(scenario, scenario.payloads())
        longest = max((size for flow in spec["flows"] for size, _ in flow["sizes"]), default=0)
        answers = [flow["response_symbols"] for flow in spec["flows"] if flow["response_symbols"] is not None]
        self._least_warm_up = 4 * (sum(map(len, self._ring.links)) + max([longest, *answers]))

    def flow_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Returns the counts of each flow since the last reset."""
        return self._ring.flow_counters()

    def node_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Returns the counts of each node since the last reset; those of the engine's protocols are 0."""
        counters = self._ring.node_counters()
        nothing = np.zeros(len(self._ring.nodes), dtype=np.uint64)
        return {**counters, **dict.fromkeys([name for name, _ in PROTOCOL_COUNTS], nothing)}

    def activity_counters(self, kind: str) -> list[dict[str, Any]]:
        """Returns the counts of each activity of a kind: there is none."""
        del kind
        return []

    def run(self, wanted: "Wanted") -> "Measured":
        """Warms up and measures, from cycle 0 on, and returns what was measured."""
        return _Run(self, self._ring, self._series, self._least_warm_up).measured(wanted)


class _Series:
    """The series of a run, in this order: each node (by source), each reported priority, and the total."""

    def __init__(self, scenario: Scenario, payloads: Sequence["Payload"]) -> None:
        flows = scenario.resolved.flows
        levels = scenario.resolved.levels
        used = sorted({flow.priority for flow in flows})
        self.nodes = scenario.resolved.nodes
        self.priorities = list(range(levels)) if 2 <= levels <= FEW_LEVELS else used if len(used) > 1 else []
        self.symbol_bytes = scenario.resolved.link_format.symbol_bytes
        self.framing = scenario.resolved.link_format.framing_symbols
        self.sources = [flow.source for flow in flows]
        self.saturated = np.array([math.isinf(flow.rate) for flow in flows], dtype=bool)
        self.member = np.zeros((self.nodes + len(self.priorities) + 1, len(flows)))
        """1 where a flow is a member of a series; shape (K, flows)."""
        for place, flow in enumerate(flows):
            self.member[flow.source, place] = 1
            if self.priorities:
                self.member[self.nodes + self.priorities.index(flow.priority), place] = 1
        self.member[-1] = 1
        self.payloads = payloads
        self.mean_bytes = np.array(
            [
                self.symbol_bytes * (sum(size * share for size, share in flow.sizes) - self.framing)
                if payload.bytes_each is None
                else payload.bytes_each
                for flow, payload in zip(flows, payloads, strict=True)
            ]
        )
        self.pairs = [(flow.source, flow.priority) for flow in flows]

    def sums(self, values: NDArray[Any] | Sequence[float]) -> Numbers:
        """Returns the sum of one value per flow for each series."""
        summed: Numbers = self.member @ np.asarray(values, dtype=np.float64)
        return summed

    def served(self, ring: SymbolRing) -> Numbers:
        """Returns words of data served, packets delivered and the sum of their latencies of each flow; (3, flows)."""
        table = np.zeros((3, len(self.payloads)))
        for place, counts in enumerate(ring.records.counts):
            packets, responses = len(counts.latencies), len(counts.response_latencies)
            table[:, place] = self.words(place, counts.symbols, packets, responses), packets, sum(counts.latencies)
        return table

    def words(self, flow: int, symbols: int, packets: int, responses: int) -> float:
        """Returns the data of what has been served of a flow, in words."""
        payload = self.payloads[flow]
        if payload.bytes_each is None:
            return float(symbols - self.framing * packets)
        transactions = responses if payload.in_response else packets - responses
        return float(transactions * self.mean_bytes[flow] / self.symbol_bytes)

    def offered_bytes(self, generated: NDArray[np.uint64], cycles: int) -> Numbers:
        """Returns the data that the sources of each series wanted to move; a saturated one takes a word per cycle."""
        saturation = self.symbol_bytes * cycles
        by_pair: dict[tuple[int, int], float] = dict.fromkeys(self.pairs, 0.0)
        for pair, packets, each in zip(self.pairs, generated.tolist(), self.mean_bytes.tolist(), strict=True):
            by_pair[pair] += packets * each
        saturated = {pair for pair, is_saturated in zip(self.pairs, self.saturated, strict=True) if is_saturated}
        by_pair |= dict.fromkeys(saturated, saturation)
        full = {source for source, _ in saturated}
        by_node = [
            saturation if node in full else sum(bytes_ for (source, _), bytes_ in by_pair.items() if source == node)
            for node in range(self.nodes)
        ]
        of_levels = [
            sum(bytes_ for (_, priority), bytes_ in by_pair.items() if priority == level) for level in self.priorities
        ]
        return np.array([*by_node, *of_levels, sum(by_node)])


class _Run:
    """One run, while it goes on."""

    def __init__(self, simulation: SymbolSimulation, ring: SymbolRing, series: _Series, least_warm_up: int) -> None:
        self._simulation, self._ring, self._series = simulation, ring, series
        self._least_warm_up = least_warm_up
        self._stall: Stall | None = None
        self._growing = False
        self._left = 0
        self._sizes: list[float] = []
        self._batches: list[Numbers] = []
        self._seen = np.zeros((3, len(series.payloads)))

    def measured(self, wanted: "Wanted") -> "Measured":
        start = time.perf_counter()
        ring, precision = self._ring, wanted["precision"]
        open_ended = wanted["measured"] is None
        cap = NODE_CYCLES_CAP // len(ring.nodes) if wanted["most"] is None else wanted["most"]
        most = wanted["measured"] or max(cap, self._least_warm_up)
        settled = True
        if wanted["warm_up"] is None:
            settled = self._warm_up(most, open_ended=open_ended)
        else:
            self._advance(wanted["warm_up"])
        before: list[tuple[int, int]] = []
        measured_from = ring.cycle if self._stall is None else 0
        if measured_from:
            before = [(len(counts.message_latencies), counts.missed) for counts in ring.records.counts]
            ring.reset_measurement()
        elif ring.cycle:
            self._close(ring.cycle)
        reached = None
        if precision is None:
            self._measure_duration(most)
        else:
            reached = self._measure_to_precision(most, measured_from, precision, open_ended=open_ended)
        found = self._found(ring.cycle - measured_from)
        found |= {
            "exact": None,
            "cycle": ring.cycle,
            "measured_from": measured_from,
            "seconds": time.perf_counter() - start,
            "settled": settled,
            "precision_reached": reached,
            "growing": self._growing,
            "stall": None if self._stall is None else self._stalled(self._stall),
            "service": None,
            "completed_before": before,
        }
        return found  # type: ignore[return-value]  # the engine's dictionary

    def _stalled(self, stall: "Stall") -> dict[str, Any]:
        heads = sum(node.host.queue.head is not None for node in self._ring.nodes)
        return {
            "since_cycle": stall.since_cycle,
            "waiting_nodes": list(stall.waiting_nodes),
            "detail": f"{heads} packet{'s' if heads != 1 else ''} at the head of a queue and none was let go",
            "blocked": [],
        }

    def _advance(self, cycles: int) -> None:
        if self._stall is None and cycles > 0:
            self._stall = self._ring.advance(cycles)

    # --- Warm-up ------------------------------------------------------------------------------------------------------

    def _warm_up(self, measured: int, *, open_ended: bool) -> bool:
        """Advances until the transient is over; returns whether it is. Each time it doubles its bins do, too."""
        if not self._series.payloads:
            return True
        first = WARM_UP_BINS * SHORTEST_BATCH_CYCLES // 5 if open_ended else measured // 10
        length = -(-max(self._least_warm_up, first) // WARM_UP_BINS)
        limit, bins = max(measured, WARM_UP_BINS * length), WARM_UP_BINS
        records = self._ring.records
        records.deliveries = []
        try:
            while True:
                self._advance(bins * length - self._ring.cycle)
                if self._stall is not None or self._is_settled(bins, length):
                    return True
                if open_ended and self._queues_grow():
                    return False
                length, count = 2 * length, -(-bins // 2)
                bins = min(WARM_UP_BINS, limit // length)
                if count >= bins:
                    return False
        finally:
            records.deliveries = None

    def _is_settled(self, bins: int, length: int) -> bool:
        """Returns whether MSER-5 cuts total throughput and mean latency within their first half."""
        words, packets, latency = np.zeros(bins), np.zeros(bins), np.zeros(bins)
        for cycle, flow, symbols, took, response in self._ring.records.deliveries or ():
            if (place := cycle // length) < bins:
                words[place] += self._series.words(flow, symbols, 1, int(response))
                packets[place] += 1
                latency[place] += took
        with np.errstate(divide="ignore", invalid="ignore"):
            return mser5(words / length).settled and mser5(latency / packets).settled

    def _queues_grow(self) -> bool:
        """Returns whether queues grow without end, by what was left over half the time ago."""
        generated = settled = few = 0
        for counts, saturated in zip(self._ring.records.counts, self._series.saturated, strict=True):
            if not saturated:
                generated += counts.generated
                settled += len(counts.latencies) - len(counts.response_latencies) + counts.lost + counts.dropped
                few += 10
        before, self._left = self._left, max(0, generated - settled)
        many = self._left > few and self._left > 0.05 * generated
        return many and before > 0 and self._left >= 1.5 * before

    # --- Batches ------------------------------------------------------------------------------------------------------

    def _close(self, cycles: int) -> None:
        """Makes a batch of what passed in so many cycles since the last one."""
        if not cycles:
            return
        now = self._series.served(self._ring)
        self._sizes.append(float(cycles))
        self._batches.append(now - self._seen)
        self._seen = now

    def _record(self, cycles: int) -> None:
        before = self._ring.cycle
        self._advance(cycles)
        self._close(self._ring.cycle - before)

    def _measure_duration(self, cycles: int) -> None:
        """Measures in equal batches, the last of which takes the remainder."""
        length, count = max(1, cycles // BATCHES), min(BATCHES, cycles)
        for batch in range(1, count + 1):
            if self._stall is not None:
                break
            self._record(length if batch < count else cycles - length * (count - 1))

    def _measure_to_precision(self, most: int, measured_from: int, precision: float, *, open_ended: bool) -> bool:
        """Measures batch by batch until total throughput and mean latency are precise; returns whether they are."""
        length = max(SHORTEST_BATCH_CYCLES, measured_from // MIN_BATCHES)
        length, doubled, self._left = max(1, min(length, most // MIN_BATCHES)), False, 0
        while self._stall is None:
            measured = self._ring.cycle - measured_from
            if measured >= most:
                break
            self._record(min(length, most - measured))
            count = len(self._sizes)
            over = self._ring.cycle - measured_from >= most
            if over or count == MAX_BATCHES or (count == MIN_BATCHES and not doubled):
                words, packets, latency = (column[-1] for column in self._columns())
                carried = precise_enough(batch_means(words, self._sizes), precision)
                if carried and precise_enough(batch_means(latency, packets), precision):
                    return True
                if open_ended and self._queues_grow() and carried:
                    self._growing = True
                    break
                if not self._series.payloads:
                    break
            if count == MAX_BATCHES:
                self._sizes = collapse(self._sizes, at_most=MIN_BATCHES).tolist()
                self._batches = [a + b for a, b in zip(self._batches[::2], self._batches[1::2], strict=True)]
                length, doubled = 2 * length, True
        return False

    def _columns(self) -> list[Numbers]:
        """Returns words, packets and latencies of each series and batch; each of shape (K, B)."""
        by_flow = np.array(self._batches).reshape(len(self._batches), 3, -1)
        return [self._series.member @ by_flow[:, column].T for column in range(3)]

    # --- Figures ------------------------------------------------------------------------------------------------------

    def _found(self, cycles: int) -> dict[str, Any]:
        """Returns the figures of the measured time."""
        ring, series = self._ring, self._series
        columns, sizes = self._columns(), np.array(self._sizes)
        flows, counts = ring.flow_counters(), ring.records.counts
        table = self._table(flows, columns, cycles)
        shown = [len(series.member) - 1, *range(series.nodes, len(series.member) - 1)]
        members = [np.flatnonzero(series.member[k]) for k in range(len(series.member))]
        free = ~series.saturated
        settled = flows["delivered_packets"] - flows["delivered_responses"] + flows["lost_packets"]
        settled += flows["given_up_packets"]
        words = np.array([table["payload_symbols"][node] for node in range(series.nodes) if len(members[node])])
        square = float((words * words).sum()) * len(words)

        def retries(k: int) -> list[tuple[int, int]]:
            upper, number = _bins([again for flow in members[k] for again in counts[flow].retried], bits=5)
            first = table["first_try_packets"][k]
            return [(0, first)] * (first > 0) + list(zip(upper.tolist(), number.tolist(), strict=True))

        return {
            "nodes": series.nodes,
            "priorities": series.priorities,
            "batches": {"cycles": sizes, **dict(zip(_COUNTS, columns, strict=True))},
            "series": table,
            "certainty": {
                "throughput": _certainty(columns[0][-1], sizes),
                "latency": _certainty(columns[2][-1], columns[1][-1]),
            },
            "fairness": None if square == 0 else float(words.sum()) ** 2 / square,
            "latency_p99_interval": None,
            "generated_packets": int(flows["generated_packets"][free].sum()),
            "settled_packets": int(settled[free].sum()),
            "unsaturated_nodes": len({source for source, one in zip(series.sources, free, strict=True) if one}),
            "node_counters": {name: column.tolist() for name, column in self._simulation.node_counters().items()},
            "distributions": [_bins([took for flow in members[k] for took in counts[flow].latencies]) for k in shown],
            "retry_distributions": [retries(k) for k in shown],
        }

    def _table(self, flows: dict[str, NDArray[np.uint64]], columns: list[Numbers], cycles: int) -> "SeriesTable":
        series, counts = self._series, self._ring.records.counts
        members = [np.flatnonzero(row) for row in series.member]

        def whole(name: str) -> list[int]:
            return [int(value) for value in series.sums(flows[name])]

        def amounts(values: Numbers) -> list[float]:
            found: list[float] = series.sums(values).tolist()
            return found

        def latencies(of: str) -> dict[str, list[float | None]]:
            each = [_latency([took for flow in member for took in getattr(counts[flow], of)]) for member in members]
            return {name: [one[name] for one in each] for name in ("mean", "min", "max", "p50", "p95", "p99")}

        def inversions(of: str) -> "Inversions":
            most = flows[f"{of}_max_cycles"]
            return {
                "packets": whole(f"{of}s"),
                "cycles": whole(f"{of}_cycles"),
                "max_cycles": [int(most[member].max(initial=0)) for member in members],
            }

        packets, symbols = flows["delivered_packets"].astype(float), flows["delivered_symbols"].astype(float)
        responses = series.sums(flows["delivered_responses"])
        unserved = flows["delivered_packets"].astype(np.int64) - 2 * flows["delivered_responses"].astype(np.int64)
        waiting = np.where(self._ring.records.responds, np.maximum(unserved, 0), 0)
        response_cycles = series.sums(flows["response_latency_sum_cycles"])
        all_packets, all_cycles = series.sums(packets), series.sums(flows["latency_sum_cycles"])
        served = series.served(self._ring)[0] if series.payloads else np.zeros(0)
        retried = flows["retry_symbols"] - series.framing * flows["retries"].astype(float)
        throughput = [batch_means(row, self._sizes) for row in columns[0]]
        latency = [batch_means(sums, sizes) for sums, sizes in zip(columns[2], columns[1], strict=True)]
        return {
            "flows": [len(member) for member in members],
            "sent_packets": whole("sent_packets"),
            "delivered_packets": whole("delivered_packets"),
            "lost_packets": whole("lost_packets"),
            "given_up_packets": whole("given_up_packets"),
            "timed_out_requests": whole("timed_out_requests"),
            "unanswered_requests": whole("unanswered_requests"),
            "late_responses": whole("late_responses"),
            "waiting_responses": [int(value) for value in series.sums(waiting)],
            "first_try_packets": whole("first_try_packets"),
            "retries": whole("retries"),
            "offered_bytes": series.offered_bytes(flows["generated_packets"], cycles).tolist(),
            "payload_symbols": amounts(served),
            "packet_symbols": amounts(symbols - series.framing * packets),
            "lost_bytes": amounts(flows["lost_packets"] * series.mean_bytes),
            "given_up_bytes": amounts(flows["given_up_packets"] * series.mean_bytes),
            "retry_bytes": amounts(series.symbol_bytes * retried),
            "throughput_half_width": [_known(float(one.half_width[0])) for one in throughput],
            "latency_half_width": [_known(float(one.half_width[0])) for one in latency],
            "request_latency_mean": _ratios(all_cycles - response_cycles, all_packets - responses),
            "response_latency_mean": _ratios(response_cycles, responses),
            "latency": latencies("latencies"),
            "message_latency": latencies("message_latencies"),
            "output_inversions": inversions("output_inversion"),
            "input_inversions": inversions("input_inversion"),
        }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _ratios(sums: Numbers, sizes: Numbers) -> list[float | None]:
    return [float(total / size) if size else None for total, size in zip(sums, sizes, strict=True)]


def _certainty(totals: Numbers, sizes: Numbers) -> dict[str, Any]:
    found = batch_means(totals, sizes)
    relative = float(found.relative_half_width[0])
    return {
        "relative_half_width": _known(relative),
        "lag1": float(found.lag1[0]),
        "correlated": bool(found.correlated[0]),
    }


def _upper(values: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Returns the upper end of the bin of each value, in a histogram that is exact below 2 to the so many bits."""
    shift = np.maximum(0, np.frexp(values.astype(np.float64))[1] - bits)
    upper: NDArray[np.int64] = (values >> shift << shift) + (1 << shift) - 1
    return upper


def _bins(values: Sequence[int], bits: int = 11) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Returns the upper end of each bin that holds something, and how many."""
    upper, packets = np.unique(_upper(np.array(values, dtype=np.int64), bits), return_counts=True)
    return upper.astype(np.uint64), packets.astype(np.uint64)


def _latency(values: Sequence[int]) -> dict[str, float | None]:
    """Returns mean, extremes and quantiles of latencies, as the engine's histogram has them."""
    if not values:
        return dict.fromkeys(("mean", "min", "max", "p50", "p95", "p99"))
    taken = np.sort(np.array(values, dtype=np.int64))
    least, most = int(taken[0]), int(taken[-1])
    ranks = [max(1, math.ceil(quantile * len(taken))) - 1 for quantile in QUANTILES]
    upper = np.clip(_upper(taken[ranks], 11), least, most).astype(float).tolist()
    mean = float(taken.sum()) / len(taken)
    return {"mean": mean, "min": least, "max": most, **dict(zip(("p50", "p95", "p99"), upper, strict=True))}
