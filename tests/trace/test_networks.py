"""Recordings of networks, and of rings whose links lose packets."""

import functools
import json

import numpy as np
import polars as pl
import pytest
import pywellen

import ringlet as rl
from ringlet.player import page
from ringlet.scenario import Scenario
from ringlet.trace import moments, record, write
from ringlet.trace.held_back import held_back
from ringlet.trace.recording import (
    ACCEPTED,
    DELIVERED,
    DROPPED,
    ECHO_LOST,
    GIVEN_UP,
    LOST,
    REFUSED,
    RETRY,
    SEND,
    SENDING,
    TIMED_OUT,
)

TORUS = {
    "network": {"topology": "torus", "shape": [3, 2], "hop_delay": 4},
    "traffic": {"transaction": "nwrite64", "arrivals": "poisson", "load": "30 MB/s"},
    "queues": {"receive": 4, "service_time": "100 ns"},
    "run": {"duration": "10 us", "warmup": 0, "seed": 3},
}

CASCADE = {
    "network": {"topology": "switch", "nodes": 4},
    "switch": {"links": 2},
    "traffic": {"transaction": "read64", "arrivals": "poisson", "load": "20 MB/s"},
    "run": {"duration": "10 us", "warmup": 0, "seed": 4},
}

LOSSY = {
    "network": {"nodes": 4, "hop_delay": 3},
    "errors": {"bit_error_rate": 2e-4, "max_timeouts": 1},
    "traffic": {"transaction": "read64", "arrivals": "poisson", "load": "60 MB/s"},
    "run": {"duration": "60 us", "warmup": 0, "seed": 5},
}

STATIONS = {
    "network": {"topology": "dual-attached-ring", "nodes": 5, "hop_delay": 6},
    "traffic": {"transaction": "read64", "arrivals": "poisson", "load": "15 MB/s"},
    "queues": {"service_time": "30 ns"},
    "run": {"duration": "20 us", "warmup": 0, "seed": 6},
}

COPIES = {**STATIONS, "network": {**STATIONS["network"], "ways": "both"}}

SCENARIOS = {"torus": TORUS, "cascade": CASCADE, "lossy": LOSSY, "stations": STATIONS, "copies": COPIES}


@functools.cache
def made(name):
    scenario = Scenario.from_dict(SCENARIOS[name])
    return record(scenario, start=0, stop=scenario.measured_cycles)


@functools.cache
def run(name):
    return rl.run(Scenario.from_dict(SCENARIOS[name]))


@pytest.fixture(params=list(SCENARIOS))
def name(request):
    return request.param


def events(recording, fate):
    return int(np.count_nonzero(recording.tables["events"]["fate"] == fate))


def test_every_link_of_every_ring_has_a_symbol_in_every_cycle(name):
    recording = made(name)
    runs = recording.runs
    for interface in range(recording.interfaces):
        own = runs["node"] == interface
        start, count = np.maximum(runs["cycle"][own], 0), runs["symbols"][own]
        assert start[0] == 0
        assert (start[1:] == start[:-1] + count[:-1]).all()
        assert start[-1] + count[-1] >= recording.stop


def test_packets_are_conserved(name):
    recording = made(name)
    packets, found = recording.packets, run(name).to_dict()["total"]
    table = recording.tables["events"]
    delivered = table["packet"][table["fate"] == DELIVERED]
    assert np.unique(delivered).size == delivered.size > 10
    # What ends with the run counts already.
    assert delivered.size <= found["delivered_packets"] <= delivered.size + 2
    # The second interfaces of nodes have the numbers behind those of the nodes.
    assert (packets["destination"][delivered] == table["node"][table["fate"] == DELIVERED] % recording.nodes).all()
    # Whatever is accepted has been sent, by the interface before.
    accepted = set(table["packet"][table["fate"] == ACCEPTED].tolist())
    own = (recording.runs["activity"] == SENDING) & np.isin(recording.runs["kind"], (SEND, RETRY))
    assert accepted <= set(recording.runs["packet"][own].tolist())
    assert set(delivered.tolist()) <= accepted


def test_what_a_host_still_receives_came_in_before_the_recording():
    late = {
        "host": {"receive_delay": "20 us"},
        "queues": {"receive": 64},
        "run": {**TORUS["run"], "duration": "100 us"},
    }
    delayed = Scenario.from_dict({**TORUS, **late})
    whole, part = record(delayed, start=0, stop=24_000), record(delayed, start=23_000, stop=24_000)

    def accepted(recording):
        table = recording.tables["events"]
        inside = (table["fate"] == ACCEPTED) & (table["cycle"] >= 23_000)
        return sorted(zip(table["cycle"][inside].tolist(), table["node"][inside].tolist(), strict=True))

    assert accepted(part) == accepted(whole) != []


def test_each_interface_of_a_station_is_recorded():
    recording = made("stations")
    layout = recording.layout
    assert (layout.interfaces, layout.first_port, layout.is_network) == (10, 10, True)
    assert layout.interfaces_of(3) == (3, 8)
    assert (layout.name(3), layout.name(8)) == ("node 3 on ring rising", "node 3 on ring falling")
    assert [layout.following[one] for one in (4, 5)] == [0, 9]
    # Nodes 1 and 2 hops away are on either ring, and the responses come back by the other one.
    assert set(recording.runs["node"][recording.runs["kind"] == SEND].tolist()) == set(range(10))
    assert events(recording, DROPPED) == 0
    latest = {moment.name: moment for moment in moments(recording)}["worst latency"]
    assert recording.packets["generated"][latest.packet] > latest.cycle - 1000


def test_each_copy_behind_the_first_is_dropped():
    recording = made("copies")
    table = recording.tables["events"]
    ends = {fate: table["fate"] == fate for fate in (DELIVERED, DROPPED)}
    delivered, dropped = (
        dict(zip(table["packet"][end].tolist(), table["cycle"][end].tolist(), strict=True)) for end in ends.values()
    )
    assert dropped.keys() <= delivered.keys()
    assert len(delivered) - len(dropped) <= 5
    assert all(delivered[packet] <= cycle for packet, cycle in dropped.items())
    requests = recording.packets["response"] == 0
    answered = {(flow, message) for flow, message in _named(recording, ~requests)}
    assert answered <= set(_named(recording, requests))


def _named(recording, chosen):
    return zip(*(recording.packets[name][chosen].tolist() for name in ("flow", "message")), strict=True)


def test_what_holds_a_station_back_is_of_both_interfaces():
    found = held_back(Scenario.from_dict(STATIONS), start=0, stop=5000)
    assert found.shares.shape[0] == 5
    assert found.shares.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(found.round_trips_ns).all()


@pytest.mark.parametrize("file_format", ["perfetto", "vcd", "csv", "player"])
def test_stations_are_written_in_every_format(tmp_path, file_format):
    path = write(made("copies"), tmp_path / "copies", file_format) if file_format != "player" else None
    text = path.read_text() if path else page(made("copies"))
    assert "ring falling" in text or "on_ring_falling" in text


def test_errors_are_seen_where_they_are_counted():
    recording, errors = made("lossy"), run("lossy").to_dict()["errors"]
    assert events(recording, LOST) == errors["lost_sends"] > 0
    assert events(recording, ECHO_LOST) == errors["lost_echoes"] > 0
    assert events(recording, TIMED_OUT) + events(recording, GIVEN_UP) == errors["timeouts"] > 0
    assert "first loss" in {moment.name for moment in moments(recording)}


@pytest.mark.parametrize("name", ["torus", "cascade"])
def test_a_packet_is_followed_across_switches(name):
    recording = made(name)
    runs, moved, layout = recording.runs, recording.tables["transfers"], recording.layout
    packet = int(np.bincount(moved["packet"]).argmax())
    sent = (runs["packet"] == packet) & (runs["activity"] == SENDING) & (runs["kind"] == SEND)
    hops = sorted(
        zip(runs["cycle"][sent].tolist(), runs["node"][sent].tolist(), runs["to"][sent].tolist(), strict=True)
    )
    crossings = np.flatnonzero(moved["packet"] == packet)
    entries, exits = moved["entry"][crossings].tolist(), moved["exit"][crossings].tolist()
    assert [sender for _, sender, _ in hops][1:] == exits[: len(hops) - 1]
    for (_, sender, taker), entry in zip(hops, entries, strict=False):
        assert layout.ring_of[sender] == layout.ring_of[taker] == layout.ring_of[entry]
    # A B-Link joins two ports of one switch.
    for entry, leaves in zip(entries, exits, strict=True):
        one, other = layout.ports[entry - layout.nodes], layout.ports[leaves - layout.nodes]
        assert (one.switch, one.link) == (other.switch, other.link)
        assert one.port != other.port


def test_the_layout_is_that_of_the_network():
    layout = made("cascade").layout
    # Two ports with two link controllers on each of four rings.
    assert (layout.nodes, len(layout.ports), layout.links) == (4, 8, 2)
    assert layout.node_names == ("P0", "P1", "M0", "M1")
    assert [len(ring.interfaces) for ring in layout.rings] == [3] * 4
    assert layout.name(5) == "switch 0 port 0 link 1"


def test_waveforms_have_ports_and_b_links(tmp_path):
    recording = made("torus")
    moved, layout = recording.tables["transfers"], recording.layout
    for file_format in ("vcd", "fst"):
        waveform = pywellen.Waveform(str(write(recording, tmp_path / f"torus.{file_format}", file_format)))
        signals = {variable.full_name: variable.signal for variable in waveform.all_vars()}
        assert len(signals) == 10 * recording.interfaces + 3 * len(layout.b_links)
        for row in range(0, moved["packet"].size, 9):
            switch, link = int(moved["switch"][row]), int(moved["link"][row])
            middle = int(moved["start_ps"][row] + moved["end_ps"][row]) // 2
            value = signals[f"switch_{switch}_b_link_{link}.packet"].value_at(middle)
            read = value if isinstance(value, int) else int(str(value), 2)
            assert read == moved["packet"][row]


def test_the_table_names_rings_ports_and_what_b_links_move(tmp_path):
    recording = made("torus")
    table = pl.read_parquet(write(recording, tmp_path / "torus.parquet", "parquet"))
    csv = pl.read_csv(write(recording, tmp_path / "torus.csv", "csv"), infer_schema_length=None)
    assert table.height == csv.height
    moved = table.filter(pl.col("event") == "moved")
    assert moved.height == recording.tables["transfers"]["packet"].size
    assert moved["interface"].str.starts_with("switch ").all()
    assert set(table["ring"].unique()) == {ring.name for ring in recording.layout.rings}


def test_arrows_go_through_b_links(tmp_path):
    recording = made("torus")
    written = json.loads(write(recording, tmp_path / "torus.json", "perfetto").read_text())["traceEvents"]
    slices = [event for event in written if event.get("cat") == "b-link"]
    assert len(slices) == recording.tables["transfers"]["packet"].size
    named = {event["args"]["name"] for event in written if event["name"] == "process_name"}
    assert {"node 0", "switch 0 port 0", "switch 0"} <= named
    arrows = {(event["pid"], event["id"]) for event in written if event.get("cat") == "packet"}
    assert any(pid >= recording.interfaces for pid, _ in arrows)


def test_a_window_of_a_network_is_a_part_of_a_longer_one():
    whole = made("torus")
    part = record(Scenario.from_dict(TORUS), start=1500, stop=2500)
    inside = (whole.tables["events"]["cycle"] >= 1500) & (whole.tables["events"]["cycle"] < 2500)
    for column in ("node", "cycle", "fate"):
        assert np.array_equal(whole.tables["events"][column][inside], part.tables["events"][column])
    ends, starts = whole.tables["transfers"]["end_ps"], whole.tables["transfers"]["start_ps"]
    symbol_ps = whole.symbol_ps
    shown = (ends > 1500 * symbol_ps) & (starts < 2500 * symbol_ps)
    assert np.array_equal(part.tables["transfers"]["start_ps"], starts[shown])


def test_a_receiver_that_delays_its_busy_echo_is_recorded():
    responder = {
        **LOSSY,
        "errors": {},
        "retry": {"by": "responder", "delay": "200 ns"},
        "queues": {"receive": 1, "service_time": "1 us"},
    }
    scenario = Scenario.from_dict(responder)
    recording = record(scenario, start=0, stop=6000)
    assert events(recording, REFUSED) > 0


def test_moments_of_priorities_deadlines_and_responses():
    scenario = Scenario.from_dict(
        {
            "network": {"topology": "switch", "nodes": 4},
            "flow_control": {"protocol": "ppq"},
            "traffic": {"arrivals": "none"},
            "messages": [
                {"name": "brake", "source": 0, "destination": 2, "period": "4 us", "size": 64, "deadline": "600 ns"},
                {"name": "video", "source": 0, "destination": 2, "period": "9 us", "size": 4096},
            ],
            "run": {"duration": "40 us", "seed": 1},
        }
    )
    recording = record(scenario, start=0, stop=10_000)
    found = {moment.name: moment for moment in moments(recording)}
    assert "'brake'" in found["deadline missed"].text
    assert "'brake'" in found["least margin"].text
    assert found["worst latency"].packet is not None
