"""Traces, replayed."""

import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.cli.verdicts import replay_line
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.packet_trace import reader
from ringlet.store import scenario_digest
from ringlet.trace.record import record

EXAMPLES = Path(__file__).parents[2] / "examples"
NETRACE = Path(__file__).parents[2].parent / "shared" / "data" / "netrace"

HEADER = "id,cycle,source,destination,transaction,depends_on\n"
# A read whose answer starts 24 cycles after its request in the trace, and a packet that starts 6 cycles after the
# answer.
READ = HEADER + "1,100,0,2,read64-request,\n2,124,2,0,read64-response,1\n3,130,0,1,dmove16,2\n"


def scenario(folder, content=READ, *, nodes=4, **keys):
    (folder / "t.csv").write_text(content, encoding="utf-8")
    other = {name: keys.pop(name) for name in ("run", "queues", "flow_control", "network", "errors") if name in keys}
    sections = {
        "network": {"nodes": nodes},
        "flow_control": {"protocol": "none"},
        "traffic": {"trace": {"file": "t.csv", **keys}},
    }
    return Scenario.from_dict({**sections, **other}, base_dir=folder)


def trip(hops, symbols):
    """Behind an idle, over hops of one cycle, and then its length."""
    return 1 + hops + symbols


def test_a_dependence_driven_replay_keeps_the_time_between_packets(tmp_path):
    trace = rl.run(scenario(tmp_path)).trace
    end = trip(2, 8) + 24 + trip(2, 40) + 6 + trip(1, 16)
    assert trace["run_time_s"] == pytest.approx(2e-9 * end)
    # In the trace the last packet starts 30 cycles after the first one.
    assert trace["late_s"] == pytest.approx(2e-9 * (end - 30))
    assert (trace["packets"], trace["started_packets"], trace["complete"]) == (3, 3, True)


def test_an_open_loop_replay_starts_packets_at_their_own_times(tmp_path):
    trace = rl.run(scenario(tmp_path, replay="open-loop")).trace
    assert trace["run_time_s"] == pytest.approx(2e-9 * max(24 + trip(2, 40), 30 + trip(1, 16)))


def test_a_trace_without_dependences_asks_the_engine_to_remember_nothing(tmp_path):
    alone = HEADER + "1,100,0,2,send80,\n2,124,2,0,send80,\n"
    for content, waits in ((READ, True), (alone, False)):
        arrivals = [flow["arrivals"] for flow in scenario(tmp_path, content).network_spec(1)["flows"]]
        assert {one["dependence_driven"] for one in arrivals} == {waits}
    without = rl.run(scenario(tmp_path, alone))
    open_loop = rl.run(scenario(tmp_path, alone, replay="open-loop"))
    assert without.trace["replay"] == "dependence-driven"
    assert without.document["nodes"] == open_loop.document["nodes"]


def test_throughput_is_of_the_data(tmp_path):
    result = rl.run(scenario(tmp_path))
    data = 1e6 * result.nodes["throughput_MBps"] * result.to_dict()["simulated_s"]
    assert data.tolist() == pytest.approx([16, 0, 64, 0])
    assert result.to_dict()["total"]["delivered_packets"] == 3


def test_a_replay_ends_soon_after_its_trace(tmp_path):
    result = rl.run(scenario(tmp_path)).to_dict()
    end = round(result["trace"]["run_time_s"] / 2e-9)
    assert end <= result["cycles"] <= end + 100
    assert result["warmup_cycles"] == 0
    assert result["warnings"] == []


def test_a_duration_may_end_before_the_trace(tmp_path):
    result = rl.run(scenario(tmp_path, run={"duration": 20}))
    assert result.to_dict()["cycles"] == 20
    trace = result.trace
    assert (trace["complete"], trace["run_time_s"], trace["late_s"]) == (False, None, None)
    assert (trace["started_packets"], trace["waiting_packets"]) == (1, 2)


def test_a_trace_of_which_packets_are_lost_is_not_complete(tmp_path):
    # The last packets of each burst find the only transmit slot taken.
    rows = [(0, 288), (1, 288), (300, 288), (310, 288), (320, 80)]
    content = "cycle,source,destination,bytes\n" + "".join(f"{cycle},0,2,{size}\n" for cycle, size in rows)
    result = rl.run(scenario(tmp_path, content, replay="open-loop", queues={"transmit": 1}))
    trace = result.trace
    lost = result.document["total"]["lost_packets"]
    assert lost >= 2
    assert (trace["started_packets"], trace["dropped_packets"], trace["complete"]) == (5, lost, False)
    # The last delivery would be that of a packet before.
    assert (trace["run_time_s"], trace["late_s"]) == (None, None)
    assert replay_line(trace).endswith(f"5 packets; {lost} of them were not delivered")


@pytest.mark.parametrize(
    ("keys", "never"),
    [
        ({"errors": {"links": [{"source": 0, "fails_at": 300}], "max_timeouts": 1}}, 1),
        ({"network": {"nodes": 4, "echoes": False}, "queues": {"receive": 1, "service_time": 1000}}, 3),
    ],
)
def test_packets_that_wait_for_lost_ones_never_start_and_are_warned_of(tmp_path, keys, never):
    # Each but the first three waits for the one before it.
    rows = ["0,0,2,288,0,", "1,0,2,288,1,", "2,0,2,288,2,", "3,2,3,80,3,2", "4,3,1,80,4,3", "5,1,3,80,5,4"]
    content = "\n".join(["cycle,source,destination,bytes,id,depends_on", *rows, ""])
    result = rl.run(scenario(tmp_path, content, **keys))
    assert result.trace["waiting_packets"] == never
    packets = "one packet" if never == 1 else f"{never} packets"
    said = f"{packets} of the trace never started: packets on which they depend were lost"
    assert result.document["warnings"] == [said]


def test_pieces_do_not_matter(monkeypatch):
    given = Scenario.load(EXAMPLES / "replay-torus.toml", ["traffic.trace.time_scale=0.5"])
    whole = rl.run(given).to_dict(timing=False)
    for piece in (1, 7, 100):
        monkeypatch.setattr(reader, "PIECE", piece)
        assert rl.run(given).to_dict(timing=False) == whole


@pytest.mark.parametrize("name", ["replay-ring", "replay-switch", "replay-torus"])
def test_dependences_slow_a_program_down(name):
    times = {}
    for mode in ("open-loop", "dependence-driven"):
        trace = rl.run(Scenario.load(EXAMPLES / f"{name}.toml", [f"traffic.trace.replay={mode}"])).trace
        assert trace["complete"]
        times[mode] = trace["run_time_s"]
    assert times["open-loop"] < times["dependence-driven"]


def test_a_slow_program_hardly_notices_the_network(tmp_path):
    late = [rl.run(scenario(tmp_path, time_scale=scale)).trace["late_s"] for scale in (1.0, 100.0)]
    assert late[0] == pytest.approx(late[1])


@pytest.mark.parametrize("replay", ["open-loop", "dependence-driven"])
@pytest.mark.parametrize("depends_on", ["", "1"])
def test_a_trace_that_ends_with_a_packet_to_its_own_node_is_not_early(tmp_path, replay, depends_on):
    """The last delivery by the network is long before: `late_s` was -2e-08 and less."""
    content = HEADER + f"1,0,0,1,dmove16,\n2,1000,1,1,read64,{depends_on}\n"
    trace = rl.run(scenario(tmp_path, content, replay=replay)).trace
    # One that waits for another keeps its distance in the trace to the start of that one.
    late = trip(1, 16) if depends_on and replay == "dependence-driven" else 0
    assert trace["late_s"] == pytest.approx(2e-9 * late)
    assert trace["run_time_s"] == pytest.approx(2e-9 * (1000 + late))


def test_packets_to_their_own_node_release_others(tmp_path):
    content = HEADER + "1,0,1,1,read64,\n2,10,1,2,dmove16,1\n"
    result = rl.run(scenario(tmp_path, content))
    assert result.trace["local_packets"] == 1
    assert result.trace["run_time_s"] == pytest.approx(2e-9 * (10 + trip(1, 16)))
    assert result.to_dict()["total"]["delivered_packets"] == 1


def test_every_protocol_replays(tmp_path):
    for protocol in ("none", "sci", "grouped", "ppq", "train", "dfc"):
        result = rl.run(scenario(tmp_path, flow_control={"protocol": protocol}, queues={"receive": 5}))
        assert result.trace["complete"], protocol


def test_priorities_of_a_trace_count(tmp_path):
    content = HEADER.replace("depends_on", "priority") + "1,0,0,2,dmove64,0\n2,0,0,2,dmove64,1\n"
    result = rl.run(scenario(tmp_path, content, flow_control={"protocol": "sci", "priorities": 2}))
    low, high = (record["latency_ns"]["mean"] for record in result.to_dict()["priorities"])
    assert high < low


def test_messages_may_run_beside_a_trace(tmp_path):
    (tmp_path / "t.csv").write_text(READ, encoding="utf-8")
    message = {"name": "m", "source": 3, "destination": 1, "size": 64, "period": 50}
    given = Scenario.from_dict(
        {"network": {"nodes": 4}, "messages": [message], "traffic": {"trace": {"file": "t.csv"}}}, base_dir=tmp_path
    )
    result = rl.run(given)
    assert result.trace["complete"]
    assert result.messages["released"].tolist() == [-(-result.to_dict()["cycles"] // 50)]


def test_a_trace_that_changes_after_the_check_ends_with_its_name(tmp_path):
    given = scenario(tmp_path)
    assert given.replay is not None
    (tmp_path / "t.csv").write_text(READ.replace("124,2,0", "124,9,0"), encoding="utf-8")
    with pytest.raises(RingletError, match=r"t\.csv, line 3: <source 9>"):
        rl.run(given)


def test_runs_of_a_sweep_are_known_by_the_content_of_the_trace(tmp_path):
    digest = [
        scenario_digest(json.dumps(scenario(tmp_path, content).to_dict())) for content in (READ, READ, READ + "\n")
    ]
    assert digest[0] == digest[1] != digest[2]


def test_a_sweep_over_replays(tmp_path):
    axes = {"traffic.trace.replay": ["open-loop", "dependence-driven"], "traffic.trace.time_scale": [1.0, 2.0]}
    with ProcessPoolExecutor(2) as executor:
        swept = rl.sweep(scenario(tmp_path), axes, executor=executor)
    table = swept.summary
    alone = rl.run(scenario(tmp_path, time_scale=2.0)).trace["run_time_s"]
    assert len(table) == 4
    assert table["run_time_s"].iloc[3] == alone
    assert table["complete"].all()


def test_a_replay_can_be_recorded(tmp_path):
    given = scenario(tmp_path)
    packets = record(given, stop=200).tables["packets"]
    assert packets["generated"].tolist() == [0, trip(2, 8) + 24, trip(2, 8) + 24 + trip(2, 40) + 6]


@pytest.mark.skipif(not NETRACE.is_dir(), reason="the published traces are not there")
@pytest.mark.parametrize("mode", ["open-loop", "dependence-driven"])
def test_a_published_trace_is_replayed_completely(mode):
    trace = {"file": str(NETRACE / "example.tra.bz2"), "clock": "2 GHz", "replay": mode}
    result = rl.run(Scenario.from_dict({"network": {"nodes": 64}, "traffic": {"trace": trace}}))
    assert (result.trace["complete"], result.trace["local_packets"]) == (True, 4)
    # Each of 9 write-backs has a response besides.
    assert result.to_dict()["total"]["delivered_packets"] == 175 - 4 + 9


def test_what_starts_in_the_warm_up_is_replayed_and_not_counted(tmp_path):
    whole = rl.run(scenario(tmp_path)).to_dict()
    later = rl.run(scenario(tmp_path, run={"warmup": 25})).to_dict()
    assert later["trace"] == whole["trace"]
    assert abs(later["warmup_cycles"] + later["cycles"] - whole["cycles"]) < 100
    assert later["total"]["delivered_packets"] == whole["total"]["delivered_packets"] - 1


def test_a_result_does_not_need_its_trace_any_more(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("cycle,source,destination,bytes\n0,0,1,32\n", encoding="utf-8")
    result = rl.run(Scenario.from_dict({"network": {"nodes": 2}, "traffic": {"trace": {"file": str(file)}}}))
    file.unlink()
    assert result.trace["complete"]
    assert result.to_dict()["scenario"]["traffic"]["trace"]["file"] == str(file)


@pytest.mark.parametrize("network", [{"nodes": 4}, {"topology": "switch", "nodes": 4, "memory": "numa"}])
def test_the_time_between_packets_costs_nothing(tmp_path, network):
    # 8.5e9 idle cycles between the packets of a slow clock; on a single ring they may be a million times as many.
    (tmp_path / "t.csv").write_text("cycle,source,destination,bytes\n0,0,1,32\n5,0,1,32\n17,1,2,32\n")
    far = {"link_rate": "1 TB/s", "hop_delay": 1, **network}
    clock = "1 kHz"
    if "topology" not in network:
        far["link_rate"], clock = "1 PB/s", "1 Hz"
    scenario = {"network": far, "traffic": {"trace": {"file": "t.csv", "clock": clock}}}
    start = time.process_time()
    found = rl.run(rl.Scenario.from_dict(scenario, base_dir=tmp_path)).to_dict()
    assert time.process_time() - start < 5
    assert found["cycles"] > 8e9
    assert found["trace"]["complete"]
    assert found["warnings"] == []


@pytest.mark.parametrize("nodes", [4, 16])
@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_a_packet_a_second_costs_nothing_whatever_goes_round_between_them(tmp_path, protocol, nodes):
    # 500,050,000 cycles between two packets, in which tokens, trains, slots and fairness messages go round.
    records = "".join(f"{1.0001 * second},{second % nodes},{(second + 1) % nodes},32\n" for second in range(4))
    (tmp_path / "t.csv").write_text(f"time_s,source,destination,bytes\n{records}", encoding="utf-8")
    content = {
        "network": {"nodes": nodes, "hop_delay": 20},
        "flow_control": {"protocol": protocol},
        "traffic": {"trace": {"file": "t.csv"}},
    }
    replayed = rl.Scenario.from_dict(content, base_dir=tmp_path)
    start = time.process_time()
    found = rl.run(replayed).to_dict()
    # Less than one on a machine without other work.
    assert time.process_time() - start < 2
    assert found["total"]["delivered_packets"] == 4
    assert found["cycles"] > 1e9
