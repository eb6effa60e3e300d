"""The C interface beside a run and steps in Python: the same counters, whichever of them made the save half way."""

import os

import numpy as np
import pytest

import ringlet as rl
from campaign import c_interface
from campaign.checks.ways import difference
from ringlet._engine import Simulation
from ringlet.simulation.simulate import measure

pytestmark = pytest.mark.skipif(
    c_interface.library() is None, reason="the C interface of these sources is not built (make c, or cargo test)"
)

ROWS = "".join(f"{number * 30},{number % 4},{(number + 1) % 4},send16,0\n" for number in range(20_000))

CASES = {
    "events with Poisson triggers": {
        "network": {"nodes": 4},
        "events": {"rate": "500 kHz", "builders": [2], "fragment": "1 KiB"},
        "run": {"duration": 20_000, "warmup": 0},
    },
    "loops with jitter": {
        "network": {"nodes": 8},
        "loops": [
            {"nodes": [2, 5], "size": 317, "period": 595, "jitter": 177},
            {"nodes": [2, 5, 4, 5, 1, 2], "size": [253, 75, 149, 161, 99], "period": 4865, "compute_time": 157},
        ],
        "run": {"duration": 15_414, "seed": 743_866_614, "warmup": 0},
    },
    "messages with jitter beside Poisson traffic on links with errors": {
        "network": {"nodes": 4},
        "traffic": {"arrivals": "poisson", "load": "50 MB/s"},
        "messages": [{"source": 0, "destination": 2, "size": 500, "period": "3 us", "jitter": "1 us"}],
        "errors": {"bit_error_rate": 1e-6},
        "run": {"duration": 30_000, "warmup": 0, "seed": 5},
    },
    "a trace": {
        "network": {"nodes": 4},
        "traffic": {"trace": {"file": "trace.csv"}},
        "run": {"duration": 310_000, "warmup": 0},
    },
    "reads through a switch under TRAIN": {
        "network": {"topology": "switch", "nodes": 4, "ports": 4},
        "flow_control": {"protocol": "train"},
        "traffic": {"arrivals": "poisson", "load": "20 MB/s", "transaction": "read64"},
        "run": {"duration": 20_000, "warmup": 0},
    },
}


@pytest.fixture(params=CASES)
def scenario(request, tmp_path):
    (tmp_path / "trace.csv").write_text(f"time_ns,source,destination,transaction,priority\n{ROWS}", encoding="utf-8")
    return rl.Scenario.from_dict(CASES[request.param], tmp_path)


def ran(scenario):
    """Returns the engine's simulation after a run of it, and its cycle."""
    run = Simulation(scenario.engine_spec, 1, seed=scenario.seed, payloads=scenario.payloads())
    document = measure(scenario, run, warm_up=0, horizon=scenario.horizon)
    assert document["stall"] is None
    return run, document["cycle"]


def pieces(end):
    """Yields uneven pieces that come to an end."""
    cycle = 0
    for piece in (1, 7, 999, end // 3, end):
        piece = min(piece, end - cycle)
        cycle += piece
        yield piece


def test_a_run_steps_in_python_and_steps_in_c_count_the_same(scenario, tmp_path):
    run, end = ran(scenario)
    flows = len(scenario.network_spec(scenario.seed)["flows"])
    steps = rl.Simulation(scenario)
    saved = tmp_path / "saved"
    with c_interface.opened(scenario.stepping_json()) as in_c:
        for piece in pieces(end):
            steps.advance(piece)
            in_c.advance(piece)
            assert in_c.cycle == steps.cycle
        arrived = in_c.deliveries()
        in_c.save(saved)
    from_c = rl.Simulation.load(saved)
    assert run.flow_counters()["delivered_packets"].sum() > 50
    assert difference(run, steps._engine, flows) is None
    assert difference(run, from_c._engine, flows) is None
    assert arrived == [tuple(row)[:9] for row in steps.deliveries().tolist()]


FLOWS = {
    "network": {"nodes": 6},
    "flow_transaction": "read64",
    "flows": [
        {"source": 0, "destination": 3, "size": 700, "rate": "20 MB/s", "deadline": "2 us"},
        {"source": 1, "destination": {"2": 0.7, "4": 0.3}, "size": {"least": 10, "most": 900}, "rate": "9 MB/s"},
        {"source": 2, "destination": "all", "size": 64},
        {"source": 3, "destination": 5, "size": 64},
        {"source": 4, "destination": [0, 1], "size": 64, "period": "3 us", "deadline": "600 ns"},
    ],
    "run": {"duration": 20_000, "warmup": 0, "seed": 3},
}
STATIONS = {
    "network": {"topology": "dual-attached-ring", "nodes": 6, "ways": "shorter"},
    "flows": [{"source": 2, "destination": "all", "size": 64, "deadline": "1 us"}, FLOWS["flows"][1]],
    "run": FLOWS["run"],
}


def _latency(in_c, asked, quantile):
    flow, *destination = asked if isinstance(asked, tuple) else (asked,)
    return in_c.message_latency(flow, quantile, *destination)


@pytest.mark.parametrize("content", [FLOWS, STATIONS], ids=["a ring", "stations on two rings"])
def test_flows_and_their_destinations_come_out_of_c_as_of_a_run(content, tmp_path):
    scenario = rl.Scenario.from_dict(content)
    run, end = ran(scenario)
    whole = rl.run(scenario).to_dict(timing=False)
    steps, saved = rl.Simulation(scenario), tmp_path / "saved"
    steps.advance(end // 2)
    steps.save(saved)
    steps.advance(end - steps.cycle)
    with c_interface.opened(scenario.stepping_json(), saved) as in_c:
        in_c.advance(end - in_c.cycle)
        of_c = in_c.flow_counters(), in_c.message_counters(), in_c.destination_counters()
        # Flows of packets that programs inject stand behind those of the scenario.
        count = len(run.flow_counters()["delivered_packets"])
        # In C all that is complete stands beside what is released.
        in_messages = {name: run.flow_counters()[name] for name in of_c[1].keys() & run.flow_counters().keys()}
        of_run = run.flow_counters(), run.message_counters() | in_messages, run.destination_counters()
        for ours, theirs, most in zip(of_c, of_run, (count, count, None), strict=True):
            for name in ours:
                assert ours[name][:most] == theirs[name].tolist(), name
        assert set(of_c[2]["destination"]) == set(range(6))
        asked = [[flow] for flow in range(count)]
        asked += [[pair] for pair in zip(of_c[2]["flow"], of_c[2]["destination"], strict=True)]
        found = [[_latency(in_c, one, q) for q in (0.5, 0.99, 1)] for [one] in asked]
        np.testing.assert_array_equal(found, run.message_latency_quantiles(asked, [0.5, 0.99, 1]))
        with pytest.raises(c_interface.CError, match=r"flow: 99 is not allowed; below"):
            in_c.message_latency(99, 0.5)
        with pytest.raises(c_interface.CError, match=r"quantile: 1\.5 is not allowed; 0 to 1"):
            in_c.message_latency(0, 1.5)
    symbol_ns = scenario.symbol_time_ns
    for part, table in (("flows", steps.counters().flows), ("destinations", steps.counters().destinations)):
        rows = whole[part]
        for name in ("offered", "delivered", "lost", "unfinished"):
            assert table[name].tolist() == [row[name] for row in rows]
        largest = [0 if row["latency_max_ns"] is None else row["latency_max_ns"] for row in rows]
        np.testing.assert_allclose(table["latency_max_cycles"] * symbol_ns, largest)


def test_a_save_of_either_is_gone_on_with_by_the_other(scenario, tmp_path):
    run, end = ran(scenario)
    flows, half_way = len(scenario.network_spec(scenario.seed)["flows"]), tmp_path / "half-way"
    document = scenario.stepping_json()
    first = rl.Simulation(scenario)
    first.advance(end // 3)
    first.save(half_way)
    with c_interface.opened(document, half_way) as in_c:
        in_c.advance(end // 3)
        in_c.save(half_way)
    last = rl.Simulation.load(half_way)
    last.advance(end - last.cycle)
    assert difference(run, last._engine, flows) is None


def test_a_trace_advances_in_c_to_its_last_packet(tmp_path):
    (tmp_path / "trace.csv").write_text(f"time_ns,source,destination,transaction,priority\n{ROWS}", encoding="utf-8")
    scenario = rl.Scenario.from_dict(CASES["a trace"], tmp_path)
    with c_interface.opened(scenario.stepping_json()) as in_c:
        in_c.advance(310_000)
        in_c.save(tmp_path / "saved")
    counted = rl.Simulation.load(tmp_path / "saved").counters()
    assert counted.nodes["delivered_packets"].sum() == 20_000


def test_a_device_that_c_saves_to_stays_a_device(tmp_path):
    path = tmp_path / "half-way"
    path.symlink_to(os.devnull)
    with c_interface.opened(rl.Scenario.from_dict(CASES["loops with jitter"]).stepping_json()) as in_c:
        in_c.save(path)
    assert path.is_symlink()
    assert path.is_char_device()
