"""The compiled simulator. Everything is in cycles, symbols and node numbers; units belong to the layers above."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

SOURCE_DIGEST: str
"""Digest of the engine's sources, 16 hexadecimal digits: another engine has another one."""

__version__: str
"""The release, such as `0.1.0`."""

PROTOCOL_COUNTS: tuple[tuple[str, str], ...]
"""Counts that nodes keep for any flow-control protocol: name, and meaning in words."""

Choices = list[tuple[int, int | None]]
"""Events of each step: flows that generate a message, a bit each, and the link over which the next packet is lost."""

Way = tuple[Choices, Choices]
"""Steps that lead to a state, and steps that lead from there back to it."""

class Stall(TypedDict):
    """Packets wait, but none was accepted or served for the spec's `stall_cycles`, and no retry delay runs."""

    since_cycle: int
    waiting_nodes: list[int]
    detail: str
    blocked: list[tuple[int, int, int, bool]]
    """Ports of a network that wait: switch, port, the port of the switch for a transmit slot of which the first packet
    waits, and True if this packet is a response; empty for a single ring."""

class Packets(TypedDict):
    """Packets of a trace as columns, in the order of their cycles; they are numbered from 0 in the order in which they
    are handed in."""

    cycle: NDArray[np.uint64]
    """Own cycle of each."""
    flow: NDArray[np.uint32]
    """Flow of each: its place in the spec."""
    destination: NDArray[np.uint32]
    dependences: NDArray[np.uint32]
    """Number of packets on which each packet depends."""
    depends_on: NDArray[np.uint32]
    """Numbers of the packets that each one waits for, packet by packet."""

class Replayed(TypedDict):
    """Progress of the replay of a trace: packets that have started, those of them that stay at their node, that wait
    for others, that will start in a known cycle, that are under way (responses included); the cycles of the first start
    and of the latest delivery."""

    started: int
    local: int
    waiting: int
    due: int
    in_flight: int
    first_start: int | None
    last_delivery: int | None

class Payload(Protocol):
    """Part of a flow that counts as data when it has been served."""

    @property
    def bytes_each(self) -> float | None:
        """Bytes of each transaction; None: all bytes of its request, whatever its length."""

    @property
    def in_response(self) -> bool:
        """True if the response brings the data."""

class Feed(Protocol):
    """Who hands a trace in while a run goes on."""

    def piece(self) -> tuple[Packets, int]:
        """Returns the next packets, and the cycle before which all are known then."""

class Wanted(TypedDict):
    """Length of a run, in cycles, and the feed of its trace, if there is one."""

    warm_up: int | None
    """Cycles to discard; None: until MSER-5 finds the transient over."""
    measured: int | None
    """Cycles to measure, with a precision the most; None: until the precision is reached, the trace delivered, or the
    collective operation complete."""
    precision: float | None
    """Relative half width of the 95 % intervals at which to stop."""
    until_over: bool
    """True if, without `measured`, the run goes on until a collective operation is complete."""
    most: int | None
    """Most cycles to measure without `measured`; None: 4 * 10^9 divided by the nodes."""
    feed: Feed | None
    last_cycle: int | None
    """Own cycle of the last packet of the trace."""
    most_bytes: int | None
    """Bytes of memory that the simulation may hold; it ends with a MemoryError where it holds more."""
    failures: list[tuple[int, bytes | None]]
    """Cycle of each failure of a part, and the pairs of nodes whose ways it cuts: a bit each, in the order of the
    sources, the first one of a byte the highest; None: not known."""

class BatchTable(TypedDict):
    """Counts of B successive batches."""

    cycles: NDArray[np.float64]
    """Length of each, shape (B,)."""
    payload_symbols: NDArray[np.float64]
    """16-bit words of data served, shape (K, B)."""
    delivered_packets: NDArray[np.float64]
    """Packets delivered, shape (K, B)."""
    latency_cycles: NDArray[np.float64]
    """Sum of their latencies, shape (K, B)."""

class Inversions(TypedDict):
    """Priority inversions, a value per series."""

    packets: list[int]
    cycles: list[int]
    max_cycles: list[int]

class SeriesTable(TypedDict):
    """Figures since the measurement began, a value for each of K series: nodes (by source), reported priorities, total.
    None where there is no number."""

    flows: list[int]
    sent_packets: list[int]
    delivered_packets: list[int]
    lost_packets: list[int]
    given_up_packets: list[int]
    timed_out_requests: list[int]
    unanswered_requests: list[int]
    late_responses: list[int]
    waiting_responses: list[int]
    first_try_packets: list[int]
    retries: list[int]
    offered_bytes: list[float]
    """Data that the sources wanted to move; a saturated one takes a word per cycle."""
    payload_symbols: list[float]
    """16-bit words of data served."""
    packet_symbols: list[float]
    """Symbols of the send packets served, without framing."""
    lost_bytes: list[float]
    given_up_bytes: list[float]
    retry_bytes: list[float]
    """Bytes of the packets that were sent again."""
    throughput_half_width: list[float | None]
    """Half width of the 95 % interval of the throughput, in words of data per cycle."""
    latency_half_width: list[float | None]
    """Half width of the 95 % interval of the mean one-way latency, in cycles."""
    request_latency_mean: list[float | None]
    response_latency_mean: list[float | None]
    """Mean one-way latency of requests, and of responses, in cycles."""
    latency: dict[str, list[float | None]]
    """One-way latency in cycles: `mean`, `min`, `max`, `p50`, `p95`, `p99`."""
    message_latency: dict[str, list[float | None]]
    """Latency of messages in cycles: `mean`, `min`, `max`, `p50`, `p95`, `p99`."""
    output_inversions: Inversions
    input_inversions: Inversions

class Certainty(TypedDict):
    """Certainty of a mean over the batches."""

    relative_half_width: float | None
    lag1: float
    """Correlation of neighbouring batches."""
    correlated: bool
    """True if the correlation `lag1` is significantly above 0."""

class TotalCertainty(TypedDict):
    """Certainty of the means of the total."""

    throughput: Certainty
    latency: Certainty

class ServiceTable(TypedDict):
    """Deliveries over time, in a run in which parts fail."""

    bin_cycles: int
    words: NDArray[np.float64]
    """16-bit words of data delivered in each bin, from cycle 0 on."""
    first_deliveries: list[int | None]
    """Cycle of the first delivery after each failure, of a request generated after it whose way it has cut; None
    without one, or where it is not known which requests those are."""

class Exact(TypedDict):
    """The period of a run that has come back to a state."""

    transient_cycles: int
    """Cycle from which on all repeats."""
    period_cycles: int
    measured: dict[str, Any]
    """Figures of one period: the entries of `Measured` that do not tell of the course of a run. Maxima and minima are
    those of all the measured time."""
    period: Simulation
    """The simulation with the counts of one period."""

class Measured(TypedDict):
    """Findings of a run."""

    exact: Exact | None
    """Period of the run; None where none was found."""

    cycle: int
    """Cycles simulated."""
    measured_from: int
    """Cycle in which the measurement began."""
    seconds: float
    """Wall-clock time of the simulation."""
    settled: bool
    """True if the warm-up was long enough, as far as it can be told."""
    precision_reached: bool | None
    """True if the precision was reached; None without one."""
    growing: bool
    """True if the run ended since queues grow without end."""
    stall: Stall | None
    """Stall that ended the simulation early; None without one."""
    service: ServiceTable | None
    """Service of each node; None where nothing fails."""
    nodes: int
    priorities: list[int]
    """Priorities that have a series of their own."""
    batches: BatchTable
    series: SeriesTable
    certainty: TotalCertainty
    fairness: float | None
    """Jain's index of the throughputs of the nodes that send: 1 if all are equal, 1/n if one has all; None if nothing
    was served."""
    latency_p99_interval: tuple[int, int | None] | None
    """95 % interval of the 99th percentile of all latencies, in cycles; without an upper end where the run is short."""
    generated_packets: int
    """Requests generated by flows that are not saturated."""
    settled_packets: int
    """Requests of these flows that were served, lost or given up."""
    unsaturated_nodes: int
    """Nodes with such flows."""
    completed_before: list[tuple[int, int]]
    """Messages of each flow that were complete before the measurement, and those of them that were late; empty if the
    measurement began at cycle 0."""
    node_counters: dict[str, list[int]]
    """Counts of each node, as `Simulation.node_counters` has them."""
    distributions: list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]
    """One-way latencies of the total and of each priority, as `latency_histogram` has them."""
    retry_distributions: list[list[tuple[int, int]]]
    """Retries of the total and of each priority: how often packets were sent again before they were accepted,
    ascending, and how many packets; exact up to 31 times, beyond the upper end of a bin."""

class Simulation:
    """One ring or a network of rings, advanced in steps. Results do not depend on the steps, nor on the number of
    threads."""

    def __init__(
        self, spec_json: str, threads: int = 1, *, seed: int | None = None, payloads: Sequence[Payload] = ()
    ) -> None:
        """`spec_json` is the JSON of the engine's NetworkSpec; raises ValueError if the engine refuses it.

        The rings of a network are advanced on so many `threads`; a single ring needs one. `seed` takes the place of the
        spec's. `payloads` say what of each flow counts as data; without, all bytes of its requests.
        """

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    def advance(self, cycles: int) -> Stall | None:
        """Simulates `cycles` more cycles without holding the interpreter lock, no further than a trace is known; stops
        early at a stall and says where."""

    def run(self, wanted: Wanted) -> Measured:
        """Warms up and measures, from cycle 0 on, without holding the interpreter lock, and returns what was measured.

        Raises ValueError for the first packet of a trace that cannot be replayed, and what `feed` raises.
        """

    @property
    def known_until(self) -> int:
        """Cycle beyond which the simulation does not go: up to there all packets of the trace are known. Without a
        trace, 2^53."""

    def hand_in(self, packets: Packets, until: int) -> None:
        """Takes further packets of a trace, none of them before `known_until`; all packets before cycle `until` are
        known then.

        Raises ValueError for the first one that cannot be replayed. In how many pieces a trace comes does not matter.
        """

    def replayed(self) -> Replayed:
        """Returns the progress of the replay of a trace; all zero without one."""

    def activity_counters(self, kind: str) -> list[dict[str, Any]]:
        """Counts of each activity of a kind, such as `events`, since the last reset, in the order of the spec; the
        file of the activity in `crates/ringlet-engine/src/activities` says what is counted. Those of what takes place
        once are from cycle 0 on."""

    def message_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts of the messages of each flow since the last reset, one value per flow; 0 of a flow whose messages are
        all alike and come at times that follow from its spec.

        `released`, `released_bytes`, `completed_bytes`, `lost`, `judged` (complete or lost, or past their deadlines),
        `missed` (of those, not complete by their deadline), `open` (under way, released at any time) and `oldest` (the
        cycle in which the one of them was due that has been for longest; 2^64 - 1 without any).
        """

    def destination_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts of the messages of flows to each of their destinations since the last reset, where the spec has them
        counted (`by_destination` of the flow's messages): a row for each `flow` and `destination` that had any, in
        this order.

        The columns of `message_counters`, and `completed_messages`, `message_latency_sum_cycles`,
        `message_latency_min_cycles` and `message_latency_max_cycles` as of `flow_counters`.
        """

    def reset_measurement(self) -> None:
        """Starts all counters and histograms again from this cycle; the simulation itself goes on unchanged."""

    def node_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts since the last reset, one value per node.

        `link_send_symbols`, `link_retry_symbols`, `link_echo_symbols`, `link_control_symbols` (DFC's control symbols,
        trains, events), `link_idle_symbols` (symbols emitted by the node in each kind; their sum is the number of
        cycles), `transmit_queue_packet_cycles` (integral of the queue length over cycles), `transmit_queue_max`,
        `receive_queue_packet_cycles`, `receive_queue_max`, `bypass_max_symbols` (largest bypass FIFO fill),
        `slow_link_max_symbols` (most symbols of packets that waited for a slow link; 0 without one), `refused_packets`
        (busy echoes made by the node), and the columns that `PROTOCOL_COUNTS` names, in which protocols count what is
        their own: `preempted_packets` (busy echoes for packets that PPQ took out of a queue), `deleted_tickets`
        (TRAIN).
        """

    def port_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts since the last reset, one value per link controller of a switch's port, by switch, port and B-Link;
        empty on a single ring.

        `switch`, `port`, `link`, `ring`, `place` say which one it is (places count the link controllers of cascades one
        by one); `sent_packets`, `retries` (first transmissions and retransmissions from its transmit slots),
        `accepted_packets` (taken from its ring), and all that `node_counters` has. `output_inversions`,
        `output_inversion_cycles` (packets from its slots that packets of lower priority held up), `input_inversions`,
        `input_inversion_cycles` (packets that it took after packets of lower priority had held its buffers).
        """

    def error_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Errors since the last reset, one value per node; empty on a single ring.

        `lost_sends`, `lost_echoes` (on the link to it), `timeouts` (of what it has sent), `given_up_packets`,
        `first_timeout_cycle`, `first_given_up_cycle`, and, resets or not, `first_failure_cycle` (first loss because the
        link to it has failed); of cycles 0 is none. `port_counters` has the same columns.
        """

    def link_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts since the last reset, one value per B-Link of a switch.

        `switch`, `link`, `packets` (moved), `busy_ps` (time for which it was held), `inverted_packets`, `inverted_ps`
        (packets that were ready while it carried one of lower priority, and for how long).
        """

    def flow_counters(self) -> dict[str, NDArray[np.uint64]]:
        """Counts since the last reset, one value per flow of the spec, in its order; requests and responses together
        unless said otherwise.

        `generated_packets` (requests), `lost_packets` (found the transmit queue full), `sent_packets` (first
        transmissions), `first_try_packets` (accepted at that), `retries`, `retry_symbols`, `delivered_packets`,
        `delivered_symbols`, `latency_sum_cycles`, `latency_min_cycles`, `latency_max_cycles` (one way; 0 without a
        delivery), `delivered_responses`, `response_latency_sum_cycles` (the part of the responses),
        `repeated_packets` (requests of messages found bad, generated again), `bad_packets`, `bad_symbols`,
        `bad_responses` (the part of bad messages in the deliveries), `timed_out_requests` (whose responses did not come
        in time), `unanswered_requests` (given up for that), `late_responses` (dropped),
        `completed_messages`, `message_latency_sum_cycles`, `message_latency_min_cycles`, `message_latency_max_cycles`
        (from an arrival until all its packets and their responses are served), `missed_deadlines`,
        `output_inversions`, `output_inversion_cycles`, `output_inversion_max_cycles` (packets held up at their source
        by passing ones of lower priority), `input_inversions`, `input_inversion_cycles`, `input_inversion_max_cycles`
        (held up by ones of lower priority in their input queue).
        """

    def latency_quantiles(self, flow_groups: list[list[int]], quantiles: list[float]) -> NDArray[np.float64]:
        """Latency quantiles in cycles, shape (len(flow_groups), len(quantiles)), each over all packets of the group's
        flows; NaN without a delivery."""

    def message_latency_quantiles(
        self, flow_groups: Sequence[Sequence[int | tuple[int, int]]], quantiles: list[float]
    ) -> NDArray[np.float64]:
        """Quantiles of the latencies of messages in cycles, shape (len(flow_groups), len(quantiles)), each over all
        messages of the group's flows, or those of a flow to a destination where that is counted; NaN without a complete
        message."""

    def latency_histogram(self, flows: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Recorded latencies of these flows: upper edge of each non-empty bin in cycles, and its number of packets."""

    def engine_bytes(self) -> int:
        """Memory held by the simulator, in bytes."""

class Stepping:
    """A simulation that a program steps: it injects packets at nodes whose flows are for that, and takes what has
    become of them. What it is advanced by does not matter to the results."""

    def __init__(self, spec_json: str, threads: int) -> None:
        """`spec_json` is the JSON of the engine's NetworkSpec. Raises ValueError if the engine refuses it."""

    def save(self, note: str) -> bytes:
        """The simulation with a note, for `SavedStepping`."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    @property
    def known_until(self) -> int:
        """Cycle up to which all packets of the scenario's own trace are known, as in `Simulation`."""

    @property
    def handed_in(self) -> int:
        """Packets of the scenario's own trace that have been handed in."""

    @property
    def under_way(self) -> int:
        """Injected packets, and responses to them, that have not been taken."""

    def hand_in(self, packets: Packets, until: int) -> None:
        """Takes further packets of the scenario's own trace, as `Simulation.hand_in` does."""

    def inject(
        self,
        cycle: int,
        source: int,
        destination: int,
        symbols: int,
        response_symbols: int | None,
        priority: int,
        group: int | None,
    ) -> int:
        """Injects a packet and returns its number; raises ValueError for one that cannot be."""

    def set_group(self, node: int, group: int) -> None:
        """Rewrites the group register of a node; raises ValueError for a node or group that is not there."""

    def advance_to(self, cycle: int, most_bytes: int) -> Stall | None:
        """Simulates up to a cycle without holding the interpreter lock, no further than a trace is known; stops early
        at a stall and says where. Raises MemoryError where the simulation holds more than so many bytes."""

    def deliveries(self) -> dict[str, NDArray[Any]]:
        """Injected packets that arrived or were lost since the last call and before the present cycle, in order of
        time: `packet`, `source`, `destination`, `response`, `lost`, `retries`, `generated_cycle`, `sent_cycle` (-1: it
        was not), `ended_cycle`."""

    def reset_measurement(self) -> None:
        """Starts all counters and histograms again, as in `Simulation`, whose methods the counters below are, too."""

    def node_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def flow_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def port_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def error_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def link_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def message_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def destination_counters(self) -> dict[str, NDArray[np.uint64]]: ...
    def message_latency_quantiles(
        self, flow_groups: Sequence[Sequence[int | tuple[int, int]]], quantiles: list[float]
    ) -> NDArray[np.float64]: ...
    def activity_counters(self, kind: str) -> list[dict[str, Any]]: ...
    def fork(self, threads: int) -> Stepping:
        """A copy that goes its own way from here, on so many threads."""

class SavedStepping:
    """A simulation that `Stepping.save` has written, read again."""

    def __init__(self, saved: bytes) -> None:
        """Raises ValueError for anything else, or if it is damaged or of another version."""

    @property
    def note(self) -> str | None:
        """Note that was saved with the simulation; None once it is built."""

    def build(self, spec_json: str, threads: int) -> Stepping:
        """The simulation, once. Raises ValueError for another spec than that of which it was saved."""

class Recorder:
    """A simulation of which the cycles from `start` to before `stop` are recorded."""

    def __init__(self, spec_json: str, start: int, stop: int) -> None:
        """`spec_json` is the JSON of the engine's NetworkSpec; raises ValueError if the engine refuses it, or for an
        empty window."""

    def hand_in(self, packets: Packets, until: int) -> None:
        """Takes packets of a trace; those up to `stop` have to be known before the recording."""

    def record(self) -> tuple[dict[str, dict[str, NDArray[Any]]], Stall | None]:
        """Simulates up to `stop`, or to a stall, and returns the tables, each a dictionary of columns, rows in order of
        node and cycle.

        `runs`: what each node emits (`node`, `cycle` of the first symbol, `symbols`, `kind`, `activity` of the node
        meanwhile, `word`, `packet`, `maker`, and `to`, the interface that takes a packet or echo off this ring).
        `stays`: what has been in bypass FIFOs (`node`, `cycle` in which the first symbol came in, `symbols`, `kind`,
        `packet`, `leaves`, the cycle in which the first symbol left, `leaving_symbols`, and `replaced`, the cycle in
        which PPQ put a busy echo in its place). `packets`: `flow`, `message`, `part`, `response`, `source`,
        `destination`, `symbols`, `priority`, `group`, `generated`; their numbers are their places. `heads`,
        `transmit_lengths`, `receive_lengths`, `withheld`: changes (`node`, `cycle`, `value`), with one at `start` for
        each node. `events`: `node`, `cycle`, `fate`, `packet`. `transfers`: what B-Links move, in order of time
        (`switch`, `link`, `entry` and `exit`, the interfaces whose buffers a packet leaves and enters, `packet`,
        `ready_ps`, `start_ps`, `end_ps`). `slot_lengths`: changes of the requests that wait for a slot, of nodes whose
        hosts have slots. `fills`: what comes into these slots (`node`, `packet`, `taken`, the cycle in which a request
        took its slot, or a response was made; `asked_ps`, when its master has set it up and requests the host's bus;
        `start_ps` and `end_ps`, from when to when it has the bus; `ready`, the cycle from which on it may be sent).

        In a network interfaces have numbers: nodes their own, ports those behind them, ring by ring and link by link. A
        source that is not known, of a response that has come through a switch, is -1. Else -1 stands for no packet, no
        node, never.
        """

class MarkovChain(TypedDict):
    """The states of a ring of F flows and the steps between them, for each of the 2^F sets of flows with an arrival."""

    flows: int
    next: NDArray[np.uint32]
    """The state that each step leads to."""
    lost: NDArray[np.uint8]
    """Flows whose arrival is lost in it, a bit each."""
    delivered: NDArray[np.uint8]
    """Flows of which a packet is delivered in it, a bit each."""
    held: NDArray[np.uint16]
    """Packets of each flow that are generated and not delivered, in each state."""

def markov_chain(spec_json: str, most: int) -> tuple[int, MarkovChain | None]:
    """Returns the states of a ring whose flows generate a packet in each cycle or do not, and how many were met; None
    where there are more than `most`."""

class Exploration:
    """Every state that a small ring or network can come to, on the simulator's own code: a step is some cycles, at
    whose beginning messages of any set of flows arrive, and a link may lose something.

    Two sequences of steps, those that lead to a state and those that lead from there back to it, show what may happen
    for ever.
    """

    def __init__(
        self, spec_json: str, under_way: int, losses: int, step_cycles: int, bypass_symbols: int | None
    ) -> None:
        """Begins with nothing under way; a flow may have `under_way` messages begun and not completed, `losses`
        packets and echoes are lost altogether, and a bypass FIFO should hold no more than `bypass_symbols`.

        `spec_json` is the JSON of the engine's NetworkSpec, whose arrivals do not count, and of whose errors only which
        links have any; raises ValueError if the engine refuses it, or for more than 8 flows.
        """

    def explore(self, states: int) -> bool:
        """Explores until so many states have been met, or all; returns whether it was all."""

    @property
    def states(self) -> int:
        """States met."""

    @property
    def frontier_bytes(self) -> int:
        """Memory that states hold whose steps are not known yet, about."""

    @property
    def bypass_max_symbols(self) -> int:
        """Most symbols that a bypass FIFO has held."""

    def rest(self) -> tuple[int | None, Way | None]:
        """Steps that the ring needs at most, left alone, to deliver everything and come to rest.

        Or steps after which it never does.
        """

    def rest_lasts(self) -> Way | None:
        """Steps after which the ring leaves its rest by itself; None: it never does."""

    def bypass_holds(self) -> Way | None:
        """Steps after which a bypass FIFO holds too much; None: none ever does."""

    def wait(self, flow: int, without: int) -> tuple[int | None, Way | None]:
        """Steps between two deliveries of a flow at most, while no message of the flows `without` (a bit each) arrives.

        Or steps with which there is no next.
        """

    def repeat(self, along: Way, times: int) -> NDArray[np.uint64]:
        """Messages of each flow that are complete when steps have been repeated so often."""

    def cause(self, along: Way) -> str:
        """Why the ring does not come to rest: `deadlock` (nothing is sent), `livelock` (packets are sent and none
        delivered), `lost` (all is delivered).
        """

    def held(self, along: Way) -> list[str]:
        """Names of what is not at rest in the state to which steps lead."""

    def record(self, along: Way, cycles: int) -> tuple[dict[str, dict[str, NDArray[Any]]], int]:
        """Records steps from the beginning on, repeated twice or for so many cycles.

        Returns the tables of `Recorder.record` and the last cycle.
        """

def mser5(series: NDArray[np.float64]) -> tuple[int, bool]:
    """Leading observations that are transient, and whether that is at most half of the series."""

def batch_means(
    totals: NDArray[np.float64], sizes: NDArray[np.float64]
) -> tuple[
    tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]],
    int,
]:
    """Means, half widths, correlations, and whether these are significant, of the columns of two tables of shape (B,
    K); and the number of batches used."""

def collapse(values: NDArray[np.float64], at_most: int) -> NDArray[np.float64]:
    """Neighbouring rows added until at most so many are left. Raises ValueError for less than one."""

def write_fst(
    path: Path,
    version: str,
    start_ps: int,
    stop_ps: int,
    scopes: list[tuple[str, list[tuple[str, int]]]],
    time_ps: NDArray[np.int64],
    signal: NDArray[np.int64],
    value: NDArray[np.int64],
) -> None:
    """Writes an FST file: scopes with their signals (name, bits), and changes in order of time; `signal` counts all
    signals, a value below 0 is unknown."""

class BareRing:
    """One ring without flow control as a bare loop over cycles, nodes and symbols, under uniform Poisson traffic: what
    the engine's speed is compared with."""

    def __init__(self, nodes: int, hop_delay: int, symbols: int, mean_gap: float, seed: int) -> None:
        """`symbols` are those of a packet, `mean_gap` the mean cycles between two packets of a node; raises
        ValueError for a ring of one node, a hop delay of 0, packets of one symbol and gaps that are not positive."""

    def advance(self, cycles: int) -> None:
        """Simulates `cycles` more cycles without holding the interpreter lock."""

    @property
    def delivered(self) -> int:
        """Packets delivered so far."""

    @property
    def latency(self) -> int:
        """Sum of their latencies, in cycles."""
