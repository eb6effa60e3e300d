"""A simulator whose deliveries are written down beforehand, to test what drives it."""

import numpy as np

from ringlet.scenario import Payload


class FakeSimulator:
    """In cycle t, `packets[t, f]` packets of flow f are delivered, of `symbols` symbols and latency `latency[t, f]`."""

    def __init__(self, packets, latency=100, *, symbols=40, stall_at=None):
        packets = np.asarray(packets, dtype=np.uint64)
        latencies = packets * np.broadcast_to(np.asarray(latency, dtype=np.uint64), packets.shape)
        self.length, self.flows = packets.shape
        self.symbols = symbols
        self.stall_at = stall_at
        self.cycle = 0
        self.reset_at = 0
        self.steps = []
        zero = np.zeros((1, self.flows), dtype=np.uint64)
        self._packets = np.concatenate([zero, np.cumsum(packets, axis=0)])
        self._latency = np.concatenate([zero, np.cumsum(latencies, axis=0)])

    def advance(self, cycles):
        end = self.cycle + cycles
        self.steps.append(cycles)
        if self.stall_at is not None and end >= self.stall_at:
            self.cycle = max(self.cycle, self.stall_at)
            return {"since_cycle": self.stall_at - 5, "waiting_nodes": [0], "detail": "no go bit"}
        assert end <= self.length, "the test wrote down fewer cycles"
        self.cycle = end
        return None

    def reset_measurement(self):
        self.reset_at = self.cycle

    def _since_reset(self, counts):
        return counts[self.cycle] - counts[self.reset_at]

    def flow_counters(self):
        packets = self._since_reset(self._packets)
        zero = np.zeros(self.flows, dtype=np.uint64)
        return dict.fromkeys(FLOW_COUNTERS, zero) | {
            "generated_packets": packets,
            "sent_packets": packets,
            "delivered_packets": packets,
            "delivered_symbols": packets * np.uint64(self.symbols),
            "latency_sum_cycles": self._since_reset(self._latency),
        }

    def node_counters(self):
        raise AssertionError("not needed while driving")

    def latency_quantiles(self, flow_groups, quantiles):
        raise AssertionError("not needed while driving")

    message_latency_quantiles = latency_histogram = latency_quantiles


class CountingSimulator:
    """A simulator that is over: its counters are written down."""

    def __init__(self, flows, *, nodes=1, cycle=0, quantile=0.0, **counters):
        self.cycle = cycle
        self.nodes = nodes
        self.quantile = quantile
        zero = np.zeros(flows, dtype=np.uint64)
        assert counters.keys() <= set(FLOW_COUNTERS) | set(NODE_COUNTERS)
        self._flows = {name: np.asarray(counters.get(name, zero), dtype=np.uint64) for name in FLOW_COUNTERS}
        empty = np.zeros(nodes, dtype=np.uint64)
        self._nodes = {name: np.asarray(counters.get(name, empty), dtype=np.uint64) for name in NODE_COUNTERS}

    def reset_measurement(self):
        self._flows = {name: np.zeros_like(values) for name, values in self._flows.items()}

    def flow_counters(self):
        return dict(self._flows)

    def node_counters(self):
        return dict(self._nodes)

    def latency_quantiles(self, flow_groups, quantiles):
        return np.full((len(flow_groups), len(quantiles)), self.quantile)

    message_latency_quantiles = latency_quantiles

    def latency_histogram(self, flows):
        return np.array([], dtype=np.uint64), np.array([], dtype=np.uint64)

    def add(self, cycles, **counters):
        """Lets some cycles pass, in which this is counted."""
        self.cycle += cycles
        for name, values in counters.items():
            self._flows[name] = self._flows[name] + np.asarray(values, dtype=np.uint64)


FLOW_COUNTERS = (
    "generated_packets",
    "lost_packets",
    "sent_packets",
    "retries",
    "retry_symbols",
    "delivered_packets",
    "delivered_symbols",
    "latency_sum_cycles",
    "latency_min_cycles",
    "latency_max_cycles",
    "delivered_responses",
    "response_latency_sum_cycles",
    "completed_messages",
    "given_up_packets",
    "message_latency_sum_cycles",
    "message_latency_min_cycles",
    "message_latency_max_cycles",
    "missed_deadlines",
    "output_inversions",
    "output_inversion_cycles",
    "output_inversion_max_cycles",
    "input_inversions",
    "input_inversion_cycles",
    "input_inversion_max_cycles",
)

NODE_COUNTERS = (
    "link_send_symbols",
    "link_retry_symbols",
    "link_echo_symbols",
    "link_control_symbols",
    "link_idle_symbols",
    "transmit_queue_packet_cycles",
    "transmit_queue_max",
    "receive_queue_packet_cycles",
    "receive_queue_max",
    "bypass_max_symbols",
    "refused_packets",
    "preempted_packets",
    "deleted_tickets",
)


def flow_spec(source, **changes):
    return {
        "source": source,
        "priority": 0,
        "arrivals": {"kind": "saturated"},
        "burst": 1,
        "deadline_cycles": None,
        "sizes": [[40, 1.0]],
        "response_symbols": None,
        "destinations": {"kind": "uniform"},
        "groups": {"kind": "fixed", "group": 0},
    } | changes


def network_spec(flows, *, nodes=None, seed=1, **changes):
    return {
        "seed": seed,
        "nodes": nodes or len(flows),
        "hop_delay": 1,
        "echo_symbols": 4,
        "priorities": 1,
        "flow_control": {"protocol": "sci", "extension": "after-send", "release": "unblocked", "priorities": 1},
        "receive_queue": {"capacity": None, "service_cycles": 0},
        "response_capacity": None,
        "transmit_capacity": None,
        "outstanding_limit": 64,
        "window": None,
        "order": "alternate",
        "retry": {"strategy": "constant", "delay_cycles": 0, "reservation": False},
        "flows": flows,
        "stall_cycles": 100_000,
        "latency_digits": 3,
    } | changes


class FakeScenario:
    """Only what a run asks of a scenario."""

    def __init__(self, spec, *, measured_cycles=30_000, warmup=0, precision=None, seed=1, symbol_time_ns=2.0):
        self._spec = spec
        self.measured_cycles = measured_cycles
        self.warmup = warmup
        self.precision = precision
        self.seed = seed
        self.symbol_time_ns = symbol_time_ns

    def network_spec(self, seed):
        return self._spec | {"seed": seed}

    periodic_messages = ()
    replay = quick_optimum = paper_optimum = None

    def payloads(self):
        return [Payload()] * len(self._spec["flows"])

    def warnings(self):
        return []

    def to_dict(self):
        return {"network": {"nodes": self._spec["nodes"]}}
