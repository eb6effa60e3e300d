"""A ring that is advanced symbol by symbol in Python equals the engine: every count of every flow and node."""

import json
from random import Random
from typing import Literal

import numpy as np
import pytest

import ringlet as rl
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS, SymbolProtocol
from ringlet.symbol_ring import NoneStation, SciStation, SymbolRing

STATIONS = {"none": NoneStation, "sci": SciStation}


class InPython(SymbolProtocol):
    """Protocols of the engine as stations."""

    protocol: Literal["none-in-python", "sci-in-python"] = "none-in-python"
    most_carried = 1

    @classmethod
    def names(cls):
        return ("none-in-python", "sci-in-python")

    def station(self, node, ring):
        return STATIONS[self.protocol.removesuffix("-in-python")]()


@pytest.fixture
def in_python(monkeypatch):
    """Lets scenarios name these protocols."""
    listed = {**PROTOCOLS.listed, **dict.fromkeys(InPython.names(), InPython)}
    monkeypatch.setattr(PROTOCOLS, "listed", listed)


def drawn(draws, protocol):
    """Any small ring, its queues, retries and traffic."""
    nodes = draws.randint(3, 6)
    hops = draws.choice([1, 3, 6, 13, [draws.randint(1, 20) for _ in range(nodes)]])
    arrivals = draws.choice(["saturated", "poisson", "bernoulli", "periodic"])
    traffic = {
        "transaction": draws.choice(["send80", "send16", "read64", "nwrite64", "dmove64"]),
        "arrivals": arrivals,
        "pattern": draws.choice(["uniform", "hot-spot", "tornado"]),
        "priorities": draws.choice([None, draws.sample(range(3), 2)]),
    }
    if arrivals != "saturated":
        traffic["load"] = f"{draws.choice([50, 150, 300, 600])} MB/s"
    if traffic["pattern"] == "hot-spot":
        traffic |= {"hot_node": 1, "hot_fraction": 0.4}
    queues = {"priorities": 3}
    if draws.random() < 0.6:
        queues |= {"receive": draws.choice([1, 2, 4]), "service_time": f"{draws.choice([0, 50, 300])} ns"}
    for key, values in (
        ("transmit", [1, 3, 10]),
        ("outstanding", [1, 2, 5]),
        ("responses", [1, 2]),
        ("window", [1, 2]),
        ("order", ["alternate", "oldest", "response-first", "request-first"]),
    ):
        if draws.random() < 0.4:
            queues[key] = draws.choice(values)
    retry = {"strategy": draws.choice(["constant", "linear", "exponential"]), "delay": draws.choice([0, 20, 100])}
    return rl.Scenario.from_dict(
        {
            "network": {"nodes": nodes, "hop_delay": hops},
            "flow_control": {"protocol": protocol},
            "traffic": {key: value for key, value in traffic.items() if value is not None},
            "queues": queues,
            "retry": retry,
            "run": {"duration": "20 us", "seed": draws.randrange(1 << 53)},
        }
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protocol", ["none", "sci"])
def test_every_count_of_drawn_rings_is_the_engine_s(protocol, seed):
    draws = Random(f"{protocol} {seed}")
    for _ in range(3):
        scenario = drawn(draws, protocol)
        spec = scenario.network_spec(scenario.seed)
        for flow in spec["flows"]:
            if flow["arrivals"]["kind"] == "periodic":
                # The engine reads a period such as 266.6... from JSON to within a unit in the last place.
                flow["arrivals"]["period"] = float(round(flow["arrivals"]["period"]))
        engine = Simulation(json.dumps(spec))
        ring = SymbolRing(spec, lambda _: STATIONS[protocol](), most_carried=1)
        for step, cycles in enumerate([1, 700, 5, 2000]):
            assert engine.advance(cycles) is None
            assert ring.advance(cycles) is None
            for ours, theirs in (
                (ring.flow_counters(), engine.flow_counters()),
                (ring.node_counters(), engine.node_counters()),
            ):
                for name, column in theirs.items():
                    # Behind a reset the engine looks at its bypass FIFOs where they change alone.
                    if not (name == "bypass_max_symbols" and step > 1):
                        expected = ours.get(name, np.zeros_like(column))
                        assert column.tolist() == expected.tolist(), (name, scenario.short_dict())
            if step == 1:
                engine.reset_measurement()
                ring.reset_measurement()


def differences(one, other, path=""):
    """The paths at which two documents differ, by more than rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{place}]")
    elif isinstance(one, int | float) and isinstance(other, int | float):
        if other != pytest.approx(one, rel=1e-9, abs=1e-12):
            yield path
    elif one != other:
        yield path


@pytest.mark.parametrize(
    "scenario",
    [
        {"run": {"duration": "20 us", "warmup": "2 us"}},
        {"run": {"duration": "20 us"}, "traffic": {"transaction": "read64", "load": "150 MB/s", "arrivals": "poisson"}},
        {"run": {"precision": 0.08}},
        {
            "run": {"duration": "20 us"},
            "traffic": {"load": "0.4 GB/s", "arrivals": "poisson"},
            "queues": {"transmit": 2},
        },
        {"run": {"duration": "20 us", "warmup": 0}, "traffic": {"priorities": [0, 2]}, "queues": {"priorities": 3}},
    ],
)
@pytest.mark.parametrize("protocol", ["none", "sci"])
def test_the_document_of_a_run_is_the_engine_s(in_python, protocol, scenario):
    common = {"network": {"nodes": 3}, "traffic": {"load": "100 MB/s", "arrivals": "poisson"}, **scenario}
    theirs = rl.run({**common, "flow_control": {"protocol": protocol}}).to_dict()
    ours = rl.run({**common, "flow_control": {"protocol": f"{protocol}-in-python"}}).to_dict()
    known = {
        ".scenario.flow_control.protocol",
        ".protocol_registers_bits",
        ".protocol_idle_bits",
        # These options are the engine's.
        ".scenario.flow_control.extension",
        ".scenario.flow_control.release",
        ".total.latency_ns.p99_low",
        ".total.latency_ns.p99_high",
    }
    assert set(differences(theirs, ours)) <= known
    assert ours["total"]["delivered_packets"] > 50


def test_a_ring_that_moves_no_more_stalls(in_python, monkeypatch):
    from ringlet.symbol_ring import Next

    monkeypatch.setattr(NoneStation, "decide", lambda self, here, carried: Next.PASS)
    document = rl.run(
        {
            "network": {"nodes": 3},
            "flow_control": {"protocol": "none-in-python"},
            "run": {"duration": "20 us", "warmup": 0, "stall_after": "1 us"},
        }
    ).to_dict()
    assert document["stall"]["since_cycle"] == 0
    assert "3 packets at the head of a queue" in document["stall"]["detail"]
