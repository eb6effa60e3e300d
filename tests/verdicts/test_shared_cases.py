"""Cases of users that lie beside the repository: what is right of each of them."""

import gzip
import json
import re
import runpy
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.cli.app import main
from ringlet.studies import Study

CASES = Path(__file__).parents[3] / "shared/cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not there")


def run(name, *settings):
    return rl.run(rl.Scenario.load(CASES / name, settings)).document


def script(name, capsys):
    """Returns the lines that a script of Python prints."""
    runpy.run_path(str(CASES / name))
    return capsys.readouterr().out.splitlines()


def test_times_of_the_day_s_clock_are_those_from_zero():
    epoch, zero = run("clock-times.toml"), run("clock-times.toml", "traffic.trace.file=clock-times-from-zero.csv")
    assert epoch["nodes"] == zero["nodes"]
    assert epoch["trace"]["run_time_s"] == zero["trace"]["run_time_s"]
    started = run("clock-times.toml", 'traffic.trace.start="1791000000000000000 ns"')
    assert started["total"]["delivered_packets"] > 0


@pytest.mark.parametrize(
    ("file", "loads"), [("demands.csv", [192, 224, 20, 96]), ("demands-zero-row.csv", [192, 224, 0, 96])]
)
def test_loads_follow_from_a_matrix_of_demands_with_its_unit(file, loads):
    settings = (f"traffic.matrix_file={file}", "traffic.matrix_unit=MB/s", "run.duration=1 ms", "run.warmup=0")
    nodes = run("demands.toml", *settings)["nodes"]
    # Packets come at random: of 20 MB/s 312 of 64 bytes are expected, and as many as 5 deviations more or fewer.
    for node, load in zip(nodes, loads, strict=True):
        assert node["throughput_MBps"] == pytest.approx(load, abs=5 * (load * 64 / 1000) ** 0.5)


def test_demands_are_the_same_with_labels_and_with_any_delimiter(tmp_path):
    text = (CASES / "demands-labelled.csv").read_text(encoding="utf-8")
    files = [CASES / name for name in ("demands-labelled.csv", "demands-whitespace.csv")]
    for name, delimiter in (("tabs.csv", "\t"), ("semicolons.csv", ";")):
        files.append(tmp_path / name)
        files[-1].write_text(text.replace(",", delimiter), encoding="utf-8")
    files.append(tmp_path / "demands.csv.gz")
    files[-1].write_bytes(gzip.compress(text.encode()))
    found = [rl.Scenario.load(CASES / "demands.toml", [f"traffic.matrix_file={file}"]) for file in files]
    for scenario in found:
        assert scenario.traffic_matrix().tolist() == [[0, 0.5, 0.5, 0], [0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("rows", "packets"), [("rows-4096-bytes.csv", 15), ("rows-8-bytes.csv", 1), ("rows-odd.csv", 1)]
)
def test_rows_of_a_trace_of_any_size_are_cut_into_packets(rows, packets):
    trace = run("replay.toml", f"traffic.trace.file={rows}")["trace"]
    assert trace["complete"]
    assert trace["packets"] == packets


NAMES = ["1", "eth0.1", "2", "3", "4", "5", "6", "7", "8", "9"]
FLOW = {"source": 0, "destination": 1, "size": "1 KB", "arrivals": "periodic", "period": "10 us"}


@pytest.mark.parametrize(
    ("setting", "found", "value"),
    [
        ('network.link_rate="2.5 Gb/s"', lambda one: one["symbol_time_ns"], 6.4),
        ('traffic.load="30 %"', lambda one: one["nodes"][3]["offered_MBps"] / 300, pytest.approx(1, abs=0.1)),
        (f"network.node_names={NAMES}", lambda one: [node["name"] for node in one["nodes"]], NAMES),
        (f"flows={json.dumps([FLOW])}".replace('": ', '" = '), lambda one: one["flows"][0]["size_bytes"], 1000),
    ],
)
def test_what_people_write_is_taken(setting, found, value):
    assert found(run("base.toml", setting)) == value


@pytest.mark.parametrize("way", ['flow_control.protocol="rpr"', "traffic.largest_packet=1500"])
def test_a_frame_is_taken_where_packets_are_as_long(way):
    frame = 'traffic.transaction="send1500"'
    document = run("base.toml", frame, way)
    total = document["total"]
    assert total["throughput_MBps"] == pytest.approx(
        1500 * total["delivered_packets"] / (1e6 * document["simulated_s"])
    )
    with pytest.raises(
        rl.RingletError, match=r"'send1500' is not allowed; .* traffic\.largest_packet takes up to 65,408"
    ):
        run("base.toml", frame)


def test_one_slow_link_of_a_ring_is_taken():
    nodes = run("base.toml", f"network.link_rate={['1 GB/s'] * 9 + ['500 MB/s']}")["nodes"]
    assert [node["slow_link_max_symbols"] for node in nodes[:9]] == [None] * 9
    assert nodes[9]["slow_link_max_symbols"] >= 40
    assert nodes[9]["link"]["idle"] < nodes[8]["link"]["idle"] - 0.3


def test_what_is_not_taken_names_what_is():
    said = "a table whose keys are even numbers of bytes from 16 to 65408"
    with pytest.raises(rl.RingletError, match=said):
        run("base.toml", 'traffic.transaction={sizes = {"1 KB" = 1.0}}')


def test_the_groups_of_the_paper_s_example_share_in_thirds():
    found = [node["throughput_words_per_cycle"] for node in run("groups-example.toml")["nodes"]]
    # Of 41 symbols 40 are the packet's.
    assert found == pytest.approx([40 / 41 * third / 3 for third in (1, 1, 1, 2)], rel=0.01)


def test_every_sender_of_a_train_sends():
    shares = [node["of_optimum"] for node in run("train-starves.toml")["nodes"]]
    assert min(shares) > 0.8


def test_a_ring_of_857_km_carries_what_is_offered():
    total = run("packet-ring-857km.toml")["total"]
    assert total["of_optimum"] > 0.99


def test_an_axis_that_nobody_draws_is_refused():
    with pytest.raises(rl.RingletError, match=r"no key draws the axis network\.hop_delay"):
        Study.load(CASES / "three-axes.toml")


def test_fragments_of_each_source_are_taken():
    events = run("fragments.toml")["events"]
    assert events["built_events"] == events["triggers"] > 0


def test_the_latency_of_reads_is_that_of_transactions():
    latency = run("read-latency.toml")["total"]
    assert latency["message_latency_ns"]["mean"] > 1.9 * latency["latency_ns"]["mean"]


def test_events_are_built_behind_four_rows_of_switches():
    events = run("events-omega.toml")["events"]
    # Nothing gives up: what a hidden time-out of 100 us had discarded was all of them.
    assert events["triggers"] == 71
    assert events["built_events"] == 63
    assert events["lost_events"] == 0


def test_reads_of_a_ring_with_one_place_are_shared_alike_and_none_waits_for_ever(capsys):
    document = run("ppq-mixed.toml")
    assert [node["of_optimum"] for node in document["nodes"]] == pytest.approx([1, 1, 1])
    main(["check", str(CASES / "ppq-mixed.toml"), "--under-way", "2", "--step", "8", "--states", "2000"])
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("serves ") and "so far" in line for line in lines) == 3
    assert not any("violated" in line for line in lines)


def test_the_worst_of_500_messages_stand_first_and_all_in_the_file(capsys):
    duration = 'run.duration="10 ms"'
    assert main(["run", str(CASES / "m500.toml"), "--set", duration]) == 0
    printed = capsys.readouterr().out
    shown = re.findall(r"^(m\d+) ", printed, flags=re.MULTILINE)
    messages = run("m500.toml", duration)["messages"]
    assert len(messages) == 500
    closest = sorted(messages, key=lambda one: -one["worst_response_ns"] / one["deadline_ns"])
    assert shown == [one["name"] for one in closest[: len(shown)]]
    assert f"... {500 - len(shown)} more that missed less and came less close; --json has all" in printed


def test_a_collective_operation_of_fast_links_reaches_its_bound():
    document = run("all-reduce-fast.toml")
    assert 0.99 < document["collective"]["bandwidth_bound_ratio"] <= 1
    assert all(node["of_optimum"] is None for node in document["nodes"])


def test_no_packet_is_said_to_come_through_a_dead_link_again(capsys):
    lines = script("dead-link.py", capsys)
    assert len(lines) == 12
    assert not any("back_ns" in line or "first_delivery_ns" in line for line in lines)


def test_a_program_that_steps_sees_what_a_run_sees(capsys):
    lines = script("stepping-events.py", capsys)
    counts = [re.search(r"\((\d+), (\d+), ", line).groups() for line in lines]
    assert len(counts) == 3
    assert all(run == stepped for run, stepped in counts)


def test_a_train_in_steps_is_a_train_at_once(capsys):
    *lines, whole = script("train-steps.py", capsys)
    assert len(lines) == 12
    assert all(line.endswith("differ: {}") for line in lines)
    assert re.fullmatch(r"run (\[.*\]) Simulation in steps \1", whole)


def test_an_interval_of_few_packets_holds_the_truth_or_is_not_there(capsys):
    lines = script("few-packets.py", capsys)
    inside = [re.search(r"total: (\d+)/(\d+) inside, (\d+) of width 0, (\d+) without", line).groups() for line in lines]
    assert len(inside) == 10
    for held, intervals, pointless, without in (map(int, found) for found in inside):
        assert intervals + without == 200
        assert pointless == 0
        assert held >= 0.93 * intervals


def test_the_limits_of_an_event_builder_are_what_an_event_needs(capsys):
    assert main(["advise", str(CASES / "advise-event-building.toml"), "--budget", "1 s", "--workers", "1"]) == 0
    printed = capsys.readouterr().out
    # 64 fragments of 1 KiB over the builder's link, its build time of 100 us, and what goes with them.
    assert "an event needs at least 263.8 us and is given up after 2638 us" in printed
    # What is not simulated is ruled out by what something would have to carry, or has no way round a broken link.
    failed = re.findall(r"^ *\d+ .*; fails \(0 runs\): (.*)$", printed, flags=re.MULTILINE)
    assert failed
    assert all("would have to carry" in why or "have no way" in why for why in failed)
    assert not re.search(r"^ *\d+ omega\S* +fails", printed, flags=re.MULTILINE)
