"""The C interface beside a run and steps in Python: the same counters, whichever of them made the save half way."""

import os

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
