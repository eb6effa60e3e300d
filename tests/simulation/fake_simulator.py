"""What a run asks for, written down by the test: a scenario of any spec, and a simulation that is over."""

import json
from types import SimpleNamespace

import numpy as np

from ringlet.scenario import Payload, Scenario
from ringlet.scenario.resolved.horizon import Horizon


class CountingSimulator:
    """A simulator that is over: its counters are written down."""

    def __init__(self, flows, *, quantile=0.0, **counters):
        self.quantile = quantile
        zero = np.zeros(flows, dtype=np.uint64)
        assert counters.keys() <= set(FLOW_COUNTERS)
        self._flows = {name: np.asarray(counters.get(name, zero), dtype=np.uint64) for name in FLOW_COUNTERS}

    def flow_counters(self):
        return dict(self._flows)

    def message_latency_quantiles(self, flow_groups, quantiles):
        return np.full((len(flow_groups), len(quantiles)), self.quantile)


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


def network_spec(
    flows, *, nodes=None, seed=1, priorities=1, stall_cycles=100_000, receive=None, limits=None, **changes
):
    """Returns the spec of a ring; `receive` and `limits` are of all nodes, of which the others are unlimited."""
    return {
        "seed": seed,
        "nodes": nodes or len(flows),
        "hop_delay": {"common": 1, "each": None},
        "format": {"echo_symbols": 4},
        "flow_control": {"protocol": "sci", "extension": "received", "release": "unblocked", "priorities": 1},
        "queues": {
            "priorities": priorities,
            "order": "alternate",
            "receive": {"common": receive or {"capacity": None, "service_cycles": 0}, "each": None},
            "limits": {
                "common": {
                    "response_capacity": None,
                    "transmit_capacity": None,
                    "outstanding_limit": 64,
                    "window": None,
                    "retry": {"strategy": "constant", "delay_cycles": 0},
                }
                | (limits or {}),
                "each": None,
            },
            "reservation": False,
        },
        "flows": flows,
        "measurement": {"stall_cycles": stall_cycles, "latency_digits": 3},
    } | changes


class FakeScenario:
    """Only what a run asks of a scenario; one as far as `isinstance` can tell."""

    __class__ = Scenario
    runs_in_python = False

    def __init__(self, spec, *, measured_cycles=30_000, warmup=0, precision=None, seed=1, symbol_time_ns=2.0):
        self._spec = spec
        self.horizon = Horizon("duration", measured_cycles, precision)
        self.mean_send_symbols = 40.0
        self.warmup = warmup
        self.seed = seed
        self.symbol_time_ns = symbol_time_ns
        self.resolved = SimpleNamespace(
            replays_alone=False,
            replay=None,
            plans_of=lambda kind: (),
            takes_place_once=False,
            link_format=SimpleNamespace(symbol_bytes=2),
            has_steady_state=True,
            flows=(),
            messages=(),
            has_one_rate=True,
            slow_links={},
            switched=False,
            protocol_bits=(0, 0),
            protocol_idle_bits=1,
        )

    @property
    def engine_spec(self):
        return json.dumps(self._spec)

    network = SimpleNamespace(switched=False)
    periodic_messages = ()
    replay = link_errors = quick_optimum = paper_optimum = None

    def node_name(self, node):
        return f"node {node}"

    def payloads(self):
        return [Payload()] * len(self._spec["flows"])

    def warnings(self):
        return []

    def to_dict(self):
        return {"network": {"nodes": self._spec["nodes"]}}
