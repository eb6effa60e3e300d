"""A simulator whose deliveries are written down beforehand, to test what drives it."""

import numpy as np


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
        return {
            "generated_packets": packets,
            "lost_packets": zero,
            "sent_packets": packets,
            "retries": zero,
            "delivered_packets": packets,
            "delivered_symbols": packets * np.uint64(self.symbols),
            "latency_sum_cycles": self._since_reset(self._latency),
            "latency_min_cycles": zero,
            "latency_max_cycles": zero,
        }

    def node_counters(self):
        raise AssertionError("not needed while driving")

    def latency_quantiles(self, flow_groups, quantiles):
        raise AssertionError("not needed while driving")


def flow_spec(source, **changes):
    return {
        "source": source,
        "priority": 0,
        "arrivals": {"kind": "saturated"},
        "sizes": [[40, 1.0]],
        "destinations": {"kind": "uniform"},
        "groups": {"kind": "fixed", "group": 0},
    } | changes


def network_spec(flows, *, nodes=None, seed=1, **changes):
    return {
        "seed": seed,
        "nodes": nodes or len(flows),
        "hop_delay": 1,
        "flow_control": {"protocol": "sci", "extension": "after-send", "release": "unblocked", "priorities": 1},
        "receive_queue": {"capacity": None, "service_cycles": 0},
        "transmit_capacity": None,
        "outstanding_limit": 64,
        "retry": {"strategy": "constant", "delay_cycles": 0},
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

    def to_dict(self):
        return {"network": {"nodes": self._spec["nodes"]}}
