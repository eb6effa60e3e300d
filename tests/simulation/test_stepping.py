"""Simulations that a program steps."""

import copy
import json
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringlet as rl
from ringlet import RingletError
from ringlet.scenario import flow_control

SILENT = {"network": {"nodes": 4}, "flow_control": {"protocol": "none"}, "traffic": {"arrivals": "none"}}
EXAMPLES = Path(__file__).parents[2] / "examples"


def trip(hops, symbols):
    """Behind an idle, over hops of one cycle, and then its length."""
    return 1 + hops + symbols


def with_keys(**sections):
    content = copy.deepcopy(SILENT)
    for name, keys in sections.items():
        content[name] = content.get(name, {}) | keys
    return content


def test_a_packet_arrives_with_its_times():
    simulation = rl.Simulation(SILENT)
    assert simulation.inject(1, 3, size=80, time=100) == 0
    simulation.advance("1 us")
    [row] = simulation.deliveries()
    assert (row["packet"], row["source"], row["destination"], row["response"], row["lost"]) == (0, 1, 3, False, False)
    assert (row["generated_cycle"], row["sent_cycle"], row["ended_cycle"]) == (100, 101, 100 + trip(2, 40))
    assert row["ended_ns"] == pytest.approx(2 * row["ended_cycle"])
    assert len(simulation.deliveries()) == 0
    assert (simulation.cycle, simulation.time_ns) == (500, 1000.0)


def test_a_transaction_is_two_deliveries_of_one_number():
    simulation = rl.Simulation(SILENT)
    simulation.inject(0, 2, transaction="read64")
    simulation.advance(200)
    rows = pd.DataFrame(simulation.deliveries())
    assert rows["packet"].tolist() == [0, 0]
    assert rows["response"].tolist() == [False, True]
    assert rows["source"].tolist() == [0, 2]
    assert rows["generated_cycle"].tolist() == [0, trip(2, 8)]
    assert rows["ended_cycle"].tolist() == [trip(2, 8), trip(2, 8) + trip(2, 40)]


def test_the_transaction_of_the_scenario_is_the_default():
    simulation = rl.Simulation(with_keys(traffic={"transaction": "nwrite64"}))
    simulation.inject(0, 1)
    simulation.advance(300)
    assert simulation.deliveries()["response"].tolist() == [False, True]


def test_nodes_go_by_their_names():
    simulation = rl.Simulation(with_keys(network={"node_names": ["sensor", "a", "b", "motor"]}))
    simulation.inject("sensor", "motor", size=16)
    simulation.advance(100)
    assert simulation.deliveries()[["source", "destination"]].tolist() == [(0, 3)]


def test_a_full_queue_loses_a_packet_at_once():
    simulation = rl.Simulation(with_keys(queues={"transmit": 1}))
    for _ in range(3):
        simulation.inject(0, 1, size=16)
    simulation.advance(100)
    rows = simulation.deliveries()
    assert rows["lost"].tolist() == [True, True, False]
    assert rows["sent_cycle"].tolist() == [-1, -1, 1]
    assert np.isnan(rows["sent_ns"][:2]).all()
    assert simulation.counters().nodes["lost_packets"].tolist() == [2, 0, 0, 0]


def test_a_refused_packet_counts_its_retries():
    simulation = rl.Simulation(with_keys(queues={"receive": 1, "service_time": 60}))
    for source in (0, 1, 3):
        simulation.inject(source, 2, size=16)
    simulation.advance(1000)
    retries = simulation.deliveries()["retries"]
    assert len(retries) == 3
    assert retries.sum() == simulation.counters().nodes["retries"].sum() > 0


def test_a_group_is_rewritten_between_packets():
    grouped = {"protocol": "grouped", "groups": 3, "assignment": [0, 0, 0, 0]}
    simulation = rl.Simulation(with_keys(flow_control=grouped))
    simulation.set_group(0, 2)
    simulation.inject(0, 2, size=16)
    simulation.inject(0, 2, size=16, group=1)
    simulation.advance(200)
    assert simulation.deliveries()["lost"].tolist() == [False, False]
    with pytest.raises(RingletError, match="group: 3 is not allowed; a group below 3"):
        simulation.set_group(0, 3)


@pytest.mark.parametrize(
    "groups",
    [
        {"assignment": [0, 0, 0, 1]},
        {"schedule": [{"at": 0, "groups": [0, 0, 0, 1]}, {"at": "10 us", "groups": [0] * 4}]},
    ],
    ids=["assigned", "changing"],
)
@pytest.mark.parametrize("errors", [{}, {"errors": {"bit_error_rate": 1e-30}}], ids=["", "errors"])
def test_a_memory_answers_in_its_group_however_it_is_run(groups, errors):
    """A node that sends nothing of its own has no flow which could tell its group."""
    scenario = {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "grouped", "groups": 2, **groups},
        "traffic": {"transaction": "read64", "matrix": [[0, 0, 0, 1]] * 3 + [[0, 0, 0, 0]], "load": "400 MB/s"},
        "run": {"warmup": 0, "duration": "20 us"},
    } | errors
    ran = rl.run(scenario).to_dict()
    simulation = rl.Simulation(scenario)
    simulation.advance("20 us")
    counted = simulation.counters().nodes["delivered_packets"].tolist()
    assert counted == [node["delivered_packets"] for node in ran["nodes"]]


NETWORKS = [
    {"nodes": 5},
    {"topology": "switch", "nodes": 4},
    {"topology": "torus", "shape": [2, 3]},
]

PACKETS = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 3),
        st.integers(1, 3),
        st.sampled_from(["send16", "send80", "dmove64", "nwrite64", "read64"]),
    ),
    min_size=1,
    max_size=25,
)


def advanced(simulation, packets, steps, end):
    """Injects packets as their times come and returns what arrived."""
    arrived, packets = [], list(packets)
    for turn in range(end):
        while packets and packets[0][0] <= simulation.cycle:
            when, source, destination, name = packets.pop(0)
            simulation.inject(source, destination, transaction=name, time=when)
        until = min([end, *(packet[0] for packet in packets[:1])])
        simulation.advance(min(steps[turn % len(steps)], until - simulation.cycle))
        arrived += simulation.deliveries().tolist()
        if simulation.cycle == end:
            break
    return arrived


@pytest.mark.hypothesis
@settings(max_examples=12, deadline=None)
@given(
    network=st.sampled_from(NETWORKS),
    protocol=st.sampled_from(["none", "sci", "grouped"]),
    drawn=PACKETS,
    steps=st.lists(st.integers(1, 700), min_size=1, max_size=5),
)
def test_injected_packets_are_those_of_a_trace(tmp_path_factory, network, protocol, drawn, steps):
    """Bit for bit, in whatever steps, and on a copy."""
    packets, now = [], 0
    for gap, source, hops, name in drawn:
        now += 1 + gap
        packets.append((now, source, (source + hops) % 4, name))
    end = now + 4000
    folder = tmp_path_factory.mktemp("trace")
    rows = [f"{when},{source},{to},{name}" for when, source, to, name in packets]
    (folder / "t.csv").write_text("cycle,source,destination,transaction\n" + "\n".join(rows) + "\n", encoding="utf-8")
    sections = {"network": network, "flow_control": {"protocol": protocol}}
    trace = {"traffic": {"trace": {"file": "t.csv", "replay": "open-loop"}}, "run": {"duration": end}}
    # The first packet of a trace is at cycle 0.
    start = packets[0][0]
    packets = [(when - start, *rest) for when, *rest in packets]
    ran = rl.run(rl.Scenario.from_dict(sections | trace, base_dir=folder)).to_dict()
    simulation = rl.Simulation(sections | {"traffic": {"arrivals": "none"}})
    arrived = advanced(simulation, packets, [end], end)
    counted = simulation.counters().nodes
    assert counted["delivered_packets"].tolist() == [node["delivered_packets"] for node in ran["nodes"]]
    means = [node["latency_ns"]["mean"] or 0 for node in ran["nodes"]]
    cycle_ns = simulation.scenario.symbol_time_ns
    sums = cycle_ns * counted["latency_sum_cycles"] / np.maximum(counted["delivered_packets"], 1)
    assert sums.tolist() == pytest.approx(means, rel=1e-12)
    by_steps = rl.Simulation(sections | {"traffic": {"arrivals": "none"}})
    assert str(advanced(by_steps.fork(), packets, steps, end)) == str(arrived)
    assert by_steps.cycle == 0


@pytest.mark.parametrize("protocol", flow_control.PROTOCOLS.listed)
def test_all_protocols_deliver_beside_own_traffic(protocol):
    scenario = {
        "network": {"nodes": 4, "hop_delay": 12},
        "flow_control": {"protocol": protocol},
        "queues": {"priorities": 1} if protocol in ("none", "grouped") else {},
        "traffic": {"arrivals": "poisson", "load": "20 MB/s"},
    }
    alone = rl.Simulation(scenario)
    alone.advance("20 us")
    simulation = rl.Simulation(scenario)
    for k in range(10):
        simulation.inject(k % 4, (k + 1) % 4, time=f"{k} us")
    simulation.advance("20 us")
    assert sorted(simulation.deliveries()["packet"].tolist()) == list(range(10))
    own = simulation.counters().nodes["generated_packets"] - np.array([3, 3, 2, 2], dtype=np.uint64)
    assert own.tolist() == alone.counters().nodes["generated_packets"].tolist()


def test_a_trace_runs_beside_injected_packets(tmp_path):
    (tmp_path / "t.csv").write_text("cycle,source,destination,transaction\n0,0,1,send80\n500,2,3,send80\n", "utf-8")
    scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "traffic": {"trace": {"file": "t.csv"}}}, tmp_path)
    simulation = rl.Simulation(scenario)
    simulation.advance(200)
    simulation.inject(1, 2, size=16)
    other = simulation.fork()
    for one in (simulation, other):
        one.advance(800)
        assert one.cycle == 1000
        assert one.deliveries()["packet"].tolist() == [0]
        assert one.counters().nodes["delivered_packets"].tolist() == [1, 1, 1, 0]


def test_a_copy_goes_its_own_way():
    simulation = rl.Simulation(with_keys(traffic={"arrivals": "poisson", "load": "100 MB/s"}))
    simulation.advance("5 us")
    busy = simulation.fork()
    for _ in range(50):
        busy.inject(0, 3, size=80)
    for one in (busy, simulation):
        one.inject(1, 2, size=80, time="6 us")
        one.advance("3 us")
    [alone] = simulation.deliveries()
    rows = busy.deliveries()
    [beside] = rows[rows["source"] == 1]
    assert beside["ended_cycle"] > alone["ended_cycle"]


def saved_half_way(scenario, path, *, seed=None):
    """A simulation, and one that was saved and loaded where the first one stands."""
    simulation = rl.Simulation(scenario, seed=seed)
    simulation.inject(0, 1, size=80, time="3 us")
    simulation.advance("2 us")
    simulation.save(path)
    return simulation, rl.Simulation.load(path, threads=2)


@pytest.mark.parametrize(
    "sections",
    [
        {"flow_control": {"protocol": "dfc"}, "traffic": {"transaction": "read64", "load": "90 MB/s"}},
        {"network": {"topology": "torus", "shape": [3, 3]}, "traffic": {"transaction": "nwrite64", "load": "20 MB/s"}},
        {"network": {"nodes": 4}, "events": {"rate": "200 kHz", "builders": [3], "fragment": 200}},
        {"traffic": {"matrix_file": str(EXAMPLES / "matrix.csv"), "load": "50 MB/s"}, "network": {"nodes": 4}},
    ],
    ids=["priorities", "torus", "events", "matrix-file"],
)
def test_a_loaded_simulation_goes_on_like_the_one_that_was_saved(tmp_path, sections):
    scenario = {"network": {"nodes": 4}, "traffic": {}, "run": {"seed": 3}}
    for name, keys in sections.items():
        scenario[name] = scenario.get(name, {}) | keys
    if "shape" in scenario["network"]:
        del scenario["network"]["nodes"]
    if "load" in scenario["traffic"]:
        scenario["traffic"]["arrivals"] = "poisson"
    elif "events" in scenario:
        scenario["traffic"]["arrivals"] = "none"
    both = saved_half_way(scenario, tmp_path / "half-way", seed=7)
    for simulation in both:
        simulation.inject(1, 0, size=16)
        simulation.advance("20 us")
    first, second = both
    assert first.cycle == second.cycle
    assert len(first.deliveries()) == len(second.deliveries()) == 2
    for name, table in vars_of(first.counters()).items():
        other = vars_of(second.counters())[name]
        assert table.keys() == other.keys()
        assert all(np.array_equal(table[column], other[column]) for column in table), name


def vars_of(counters):
    """The tables of all counters."""
    return {name: getattr(counters, name) for name in counters.__slots__ if name != "cycle"}


def test_a_loaded_replay_goes_on_in_its_trace(tmp_path):
    trace = tmp_path / "trace.csv"
    packets = "".join(f"{200 * i},{i % 4},{(i + 1) % 4},80\n" for i in range(200))
    trace.write_text(f"time_ns,source,destination,bytes\n{packets}")
    scenario = {"network": {"nodes": 4}, "traffic": {"trace": {"file": str(trace)}}}
    simulation = rl.Simulation(scenario)
    simulation.advance("15 us")
    simulation.save(tmp_path / "half-way")
    loaded = rl.Simulation.load(tmp_path / "half-way")
    for one in (simulation, loaded):
        one.advance("40 us")
    delivered = [one.counters().nodes["delivered_packets"].tolist() for one in (simulation, loaded)]
    assert delivered[0] == delivered[1]
    assert sum(delivered[0]) == 200
    trace.write_text(f"time_ns,source,destination,bytes\n{packets}90000,0,1,80\n")
    with pytest.raises(RingletError, match="trace"):
        rl.Simulation.load(tmp_path / "half-way")


def changed_version(saved):
    return saved.replace(b"simulation 0.", b"simulation 9.", 1)


def changed_byte(saved):
    return saved[:-40] + bytes([saved[-40] ^ 1]) + saved[-39:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda saved: b"[network]\nnodes = 4\n", "not a simulation that ringlet has saved"),
        (changed_version, "saved by ringlet 9.1.0.*and only that can load it; this is 0.1.0"),
        (changed_byte, "the saved simulation is damaged"),
        (lambda saved: saved[:-5], "the saved simulation is damaged"),
    ],
    ids=["other", "version", "damage", "cut"],
)
def test_another_file_in_place_of_a_saved_simulation_is_one_clear_error(tmp_path, change, message):
    path = tmp_path / "saved"
    rl.Simulation(SILENT).save(path)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(RingletError, match=f"^{path}: {message}"):
        rl.Simulation.load(path)
    with pytest.raises(RingletError, match="no such file"):
        rl.Simulation.load(tmp_path / "nothing")


def test_other_threads_run_while_a_simulation_advances():
    simulation = rl.Simulation({"network": {"nodes": 64}})
    worker = threading.Thread(target=simulation.advance, args=(400_000,))
    counted = 0
    worker.start()
    while worker.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 3


def test_a_stall_is_an_error_that_says_where():
    """A watch that is much shorter than a packet's way."""
    network = {"nodes": 2, "hop_delay": 100_000}
    simulation = rl.Simulation(with_keys(network=network, run={"stall_after": 1_000}))
    simulation.inject(0, 1, size=16)
    with pytest.raises(rl.StallError, match="stalled since cycle") as raised:
        simulation.advance(300_000)
    assert raised.value.since_cycle < simulation.cycle < 5_000
    assert isinstance(raised.value, RingletError)
    with pytest.raises(rl.StallError):
        simulation.advance(300_000)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.inject(4, 0), "source: 4 is not allowed; a node below 4"),
        (lambda s: s.inject(0, "x"), "destination: 'x' is not allowed; a node's number"),
        (lambda s: s.inject(2, 2), "destination: 2 is not allowed; a node below 4 other than the source 2"),
        (lambda s: s.inject(0, 1, size=17), "size: 17 is not allowed; an even number from 16 to 288 bytes"),
        (lambda s: s.inject(0, 1, size=290), "size: 290 is not allowed"),
        (lambda s: s.inject(0, 1, size=16, transaction="read64"), "transaction: 'read64' is not allowed; none beside"),
        (lambda s: s.inject(0, 1, transaction="mixed"), "transaction: 'mixed' is not allowed; one whose packets"),
        (lambda s: s.inject(0, 1, transaction="read65"), "transaction: 'read65' is not allowed"),
        (lambda s: s.inject(0, 1, priority=1), "priority: 1 is not allowed; a whole number from 0 to 0"),
        (lambda s: s.inject(0, 1, group=1), "group: 1 is not allowed; a group below 1"),
        (lambda s: s.inject(0, 1, time=9), "time: 9 is not allowed; a whole number from 10 to"),
        (lambda s: s.inject(0, 1, time="3 kg"), "time: '3 kg' is not allowed; a number of cycles, or a time"),
        (lambda s: s.advance(-1), "duration: -1 is not allowed"),
        (lambda s: s.advance("soon"), "duration: 'soon' is not allowed; a number of cycles, or a time"),
        (lambda s: s.set_group(9, 0), "node: 9 is not allowed; a node below 4"),
        (lambda s: rl.Simulation(SILENT, threads=0), "threads: 0 is not allowed"),
        (lambda s: rl.Simulation(SILENT, seed=-1), "seed: -1 is not allowed"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    simulation = rl.Simulation(SILENT)
    simulation.advance(10)
    with pytest.raises(RingletError) as raised:
        call(simulation)
    assert str(raised.value).startswith(message)
    assert simulation.inject(0, 1) == 0, "nothing was injected"


STREAMS = {
    "events": {
        "network": {"nodes": 4},
        "events": {"rate": "500 kHz", "builders": [2], "fragment": "1 KiB"},
        "run": {"duration": 20000, "warmup": 0},
    },
    "loops": {
        "network": {"nodes": 8},
        "loops": [
            {"nodes": [2, 5], "size": 317, "period": 595, "jitter": 177},
            {"nodes": [2, 5, 4, 5, 1, 2], "size": [253, 75, 149, 161, 99], "period": 4865, "compute_time": 157},
        ],
        "run": {"duration": 15414, "seed": 743866614, "warmup": 0},
    },
}


@pytest.mark.parametrize("plan", STREAMS)
def test_a_run_and_a_stepped_simulation_draw_the_same_numbers(plan):
    found = rl.run(STREAMS[plan]).to_dict()
    simulation = rl.Simulation(STREAMS[plan])
    simulation.advance(found["cycles"])
    counted = simulation.counters()
    assert counted.nodes["delivered_packets"].sum() == found["total"]["delivered_packets"] > 0
    mean_ns = counted.nodes["latency_sum_cycles"].sum() / counted.nodes["delivered_packets"].sum() * 2
    assert mean_ns == pytest.approx(found["total"]["latency_ns"]["mean"], rel=1e-12)


def test_what_runs_can_be_stepped_whatever_its_timeout():
    """Packets are as long as the time-out of a lost echo allows."""
    content = {
        "network": {"nodes": 8},
        "traffic": {"transaction": "send16", "load": 0.1},
        "errors": {"bit_error_rate": 1e-6, "timeout": 168},
        "run": {"duration": 2000, "warmup": 0},
    }
    delivered = rl.run(content).to_dict()["total"]["delivered_packets"]
    simulation = rl.Simulation(content)
    with pytest.raises(RingletError, match="symbols: 40 is not allowed; 8 to 9 symbols"):
        simulation.inject(0, 1, size=80)
    assert simulation.inject(0, 1, size=16, time=2000) == 0
    simulation.advance(2000)
    assert simulation.counters().nodes["delivered_packets"].sum() == delivered > 0


FRAMES = {"pattern": "uniform", "transaction": "send1500", "largest_packet": 1600}
"""Traffic of long frames, where the traffic of a scenario is that, or where a program makes it."""


@pytest.mark.parametrize("own", [{"load": "1 MB/s"}, {"arrivals": "none"}], ids=["beside others", "alone"])
@pytest.mark.parametrize(
    "network", [{}, {"topology": "dual-attached-ring", "ways": "shorter"}], ids=["one ring", "two rings"]
)
@pytest.mark.parametrize("errors", [{}, {"bit_error_rate": 1e-9}], ids=["no errors", "bit errors"])
@pytest.mark.parametrize("protocol", [name for name, one in flow_control.PROTOCOLS.listed.items() if one().may_lose])
def test_what_a_scenario_sends_can_be_injected(protocol, errors, network, own):
    scenario = {
        "network": {"nodes": 4, "hop_delay": 800, **network},
        "flow_control": {"protocol": protocol},
        "queues": {"priorities": 1} if protocol in ("none", "grouped") else {},
        "traffic": FRAMES | own,
        "errors": errors,
    }
    simulation = rl.Simulation(scenario)
    assert simulation.inject(0, 1) == simulation.inject(0, 1, size=16) - 1
    simulation.advance("400 us")
    assert not simulation.deliveries()["lost"].any()
    assert simulation.under_way == 0


@pytest.mark.parametrize("protocol", ["timed-token", "slotted-ring"])
@pytest.mark.parametrize("errors", [{}, {"bit_error_rate": 1e-9}], ids=["no errors", "bit errors"])
def test_a_packet_that_a_ring_has_no_room_for_is_refused_and_no_shorter_one(errors, protocol):
    """What SCI's longest packet is does not matter to a ring that is built for shorter ones."""
    scenario = {
        "network": {"nodes": 4, "hop_delay": 8},
        "flow_control": {"protocol": protocol},
        "traffic": {"transaction": "send16", "arrivals": "none"},
        "errors": errors,
    }
    simulation = rl.Simulation(scenario)
    with pytest.raises(RingletError, match=r"symbols: 128 is not allowed; 8 to \d\d? symbols"):
        simulation.inject(0, 1, size=256)
    assert simulation.inject(0, 1, size=16) == 0
    simulation.advance("20 us")
    assert len(simulation.deliveries()) == 1


def trace_file(folder, packets=30_000):
    """A trace that is handed in in several pieces."""
    rows = "".join(f"{number * 30},{number % 4},{(number + 1) % 4},send16,0\n" for number in range(packets))
    (folder / "trace.csv").write_text(f"time_ns,source,destination,transaction,priority\n{rows}", encoding="utf-8")
    return rl.Scenario.from_dict({"network": {"nodes": 4}, "traffic": {"trace": {"file": "trace.csv"}}}, folder)


def test_a_trace_goes_on_from_a_file(tmp_path):
    scenario = trace_file(tmp_path)
    whole, first = rl.Simulation(scenario), rl.Simulation(scenario)
    first.advance(1000)
    first.save(tmp_path / "half-way")
    loaded = rl.Simulation.load(tmp_path / "half-way")
    whole.advance(500_000)
    for other in (loaded, first.fork()):
        other.advance(499_000)
        assert (
            other.counters().nodes["delivered_packets"].tolist() == whole.counters().nodes["delivered_packets"].tolist()
        )
    assert whole.counters().nodes["delivered_packets"].sum() == 30_000


def test_the_document_for_c_has_the_packets_of_the_trace(tmp_path):
    scenario = trace_file(tmp_path, packets=5)
    document = json.loads(scenario.stepping_json(seed=7))
    assert document["seed"] == 7
    assert document["trace"]["cycle"] == [0, 15, 30, 45, 60]
    assert document["trace"]["destination"] == [1, 2, 3, 0, 1]
    assert rl.Scenario.from_dict(document["scenario"]).network_spec(7) == scenario.network_spec(7)
    assert "trace" not in json.loads(rl.Scenario.from_dict(SILENT).stepping_json())


@pytest.mark.parametrize("note", ["", "{}", "[]", '{"scenario": 1, "seed": 2}', '{"scenario": {}, "seed": "x"}'])
def test_a_file_without_its_scenario_is_damaged(tmp_path, note):
    simulation = rl.Simulation(SILENT)
    (tmp_path / "file").write_bytes(simulation._engine.save(note))
    with pytest.raises(RingletError, match="the saved simulation is damaged: its scenario"):
        rl.Simulation.load(tmp_path / "file")


def test_the_example_of_a_control_loop():
    import runpy

    hold = runpy.run_path(str(EXAMPLES / "stepping" / "controller.py"))["hold"]
    (_, among_the_rest, late), (_, first, early) = hold(0), hold(3)
    assert among_the_rest > 1 > 10 * first
    assert early < late


def test_the_ring_of_the_example_in_cpp_is_that_of_its_scenario():
    """`crates/ringlet-c` compiles and runs the example with it."""
    folder = EXAMPLES / "c"
    scenario = rl.Scenario.load(folder / "ring.toml")
    assert (folder / "ring.json").read_text("utf-8") == scenario.stepping_json() + "\n"


def test_a_program_sees_how_loops_and_a_collective_operation_go():
    content = {
        "network": {"nodes": 8},
        "collective": {"operation": "all-gather", "size": "1 KiB"},
        "loops": [{"name": "a", "nodes": [0, 3, 5], "size": 64, "period": "10 us"}],
        "events": {"rate": "100 kHz", "trigger": "periodic", "builders": [7], "fragment": 64},
    }
    simulation = rl.Simulation(content)
    start = simulation.counters()
    assert start.collective["delivered"].tolist() == start.loops["completed"].tolist() == [0]
    simulation.inject(1, 2, size=80)
    while simulation.counters().collective["delivered"][0] < simulation.counters().collective["packets"][0]:
        simulation.advance("1 us")
    found = rl.run(content | {"run": {"duration": "50 us"}}).document
    simulation.advance("50 us")
    counted = simulation.counters()
    # The packet that was injected is the only one that is returned.
    assert simulation.deliveries()["packet"].tolist() == [0]
    assert counted.loops["completed"][0] >= found["loops"][0]["completed"] == 5
    assert counted.builders["built"].sum() >= found["events"]["built_events"]
    assert counted.collective["last_cycle"][0] * 2 == pytest.approx(found["collective"]["completion_time_ns"], rel=0.2)
    bare = rl.Simulation(SILENT).counters()
    assert (bare.loops, bare.collective, bare.builders, bare.activities) == ({}, {}, {}, {})
    assert list(counted.activities) == ["events", "collective", "loops"]


def test_a_number_of_a_scenario_is_read_as_it_was_written():
    # A reader that is off by the last bit makes the fourth release, at three times a third of 640 cycles, a cycle late.
    message = {"name": "m", "source": 0, "destination": 2, "size": 16, "period": 213.33333333333334}
    simulation = rl.Simulation(SILENT | {"messages": [message]})
    simulation.advance(641)
    assert simulation.counters().nodes["generated_packets"].sum() == 4
