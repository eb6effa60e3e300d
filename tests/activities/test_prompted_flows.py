"""Flows whose messages follow from what becomes of others: closed ones, and those after another flow's."""

import pandas as pd
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.cli import main

RING = {"network": {"nodes": 4}}

CAMERA = {"name": "camera", "source": 0, "destination": 2, "size": 640, "rate": "10 kHz"}

SHORT = {"run": {"duration": "4 ms", "warmup": 0}}


def scenario(*flows, **sections):
    return Scenario.from_dict({**RING, "flows": list(flows), **sections})


def found(*flows, **sections):
    return {one["name"]: one for one in rl.run(scenario(*flows, **sections)).document["flows"]}


def refused(*flows, **sections):
    with pytest.raises(RingletError) as caught:
        scenario(*flows, **sections).network_spec(1)
    return str(caught.value)


def closed(**keys):
    return {"name": "disk", "source": 0, "destination": 2, "size": 64, "arrivals": "closed", **keys}


# --- Closed flows -------------------------------------------------------------------------------------------------


def test_the_engine_is_told_of_the_window_and_the_think_time():
    (flow,) = scenario(closed(window=3, think="2 us")).network_spec(1)["flows"]
    assert flow["arrivals"] == {"kind": "window", "window": 3, "think_cycles": 1000, "drawn": False}
    drawn = closed(think="2 us", think_times="exponential")
    (flow,) = scenario(drawn).network_spec(1)["flows"]
    assert flow["arrivals"] == {"kind": "window", "window": 1, "think_cycles": 1000, "drawn": True}
    given = {"source": 0, "destination": 2, "size": 64, "window": 2}
    assert scenario(given).flows[0].arrivals == "closed"


def test_a_closed_flow_goes_round_as_background_traffic_does():
    traffic = {"arrivals": "closed", "pause": "2 us", "transaction": "dmove64"}
    background = rl.run(Scenario.from_dict({**RING, "traffic": {**traffic, "destinations": [2, 3, 0, 1]}, **SHORT}))
    flows = [closed(name=f"{i}", source=i, destination=(i + 2) % 4, think="2 us") for i in range(4)]
    of_flows = rl.run(scenario(*flows, **SHORT))
    columns = ["throughput_MBps", "latency_mean_ns", "latency_max_ns"]
    # The background traffic is exact; the flows are counted in a time that cuts some off.
    pd.testing.assert_frame_equal(of_flows.nodes[columns], background.nodes[columns], rtol=1e-3)


def test_a_wider_window_has_more_under_way_and_no_more_than_that():
    delivered = [found(closed(window=window, think="1 us"), **SHORT)["disk"] for window in (1, 4)]
    assert 3.5 < delivered[1]["delivered"] / delivered[0]["delivered"] < 4.02
    assert all(one["unfinished"] <= window for one, window in zip(delivered, (1, 4), strict=True))


def test_exponential_think_times_have_the_mean():
    run = {"run": {"duration": "40 ms", "warmup": 0}}
    constant = found(closed(think="5 us"), **run)["disk"]["delivered"]
    drawn = found(closed(think="5 us", think_times="exponential"), **run)["disk"]["delivered"]
    # About 8,000 rounds: a standard deviation of 1 %.
    assert constant != drawn
    assert abs(drawn / constant - 1) < 0.04


def test_a_closed_read_is_done_with_its_data():
    keys = {"flow_transaction": "read64", **SHORT}
    read = found(closed(size=256, think="1 us"), **keys)["disk"]
    # The data come back before the next one is asked for.
    assert read["delivered"] == pytest.approx(4e6 / (1000 + read["latency_mean_ns"]), rel=0.01)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"rate": "1 kHz"}, "flows[0].rate: '1 kHz' is not allowed; it belongs to arrivals poisson"),
        ({"jitter": "1 us"}, "flows[0].jitter: '1 us' is not allowed; it belongs to"),
        ({"arrivals": "poisson", "rate": "1 kHz", "window": 2}, "flows[0].window: 2 is not allowed"),
        ({"arrivals": "poisson", "rate": "1 kHz", "think": "2 us"}, "flows[0].think: '2 us' is not allowed"),
        ({"window": 0}, "flows[0].window: 0 is not allowed"),
        ({"think_times": "normal"}, "flows[0].think_times: 'normal' is not allowed; "),
    ],
)
def test_what_does_not_go_with_a_closed_flow_is_refused(keys, said):
    assert refused(closed(**keys)).startswith(said)


# --- Flows after others -------------------------------------------------------------------------------------------


def test_a_message_follows_each_one_that_comes_whole():
    answer = {"name": "answer", "source": 2, "destination": 0, "size": 64, "after": "camera", "delay": "3 us"}
    run = found(CAMERA, answer, **SHORT)
    camera, answer = run["camera"], run["answer"]
    assert camera["delivered"] > 20
    assert 0 <= camera["delivered"] - answer["offered"] <= 1
    assert answer["lost"] == 0


def test_only_what_comes_to_its_node_is_followed():
    shared = {**CAMERA, "destination": {"1": 0.25, "2": 0.75}}
    after = [{"name": f"{i}", "source": i, "destination": 3, "size": 64, "after": "camera"} for i in (1, 2)]
    run = found(shared, *after, run={"duration": "40 ms", "warmup": 0})
    assert run["1"]["offered"] + run["2"]["offered"] == pytest.approx(run["camera"]["delivered"], abs=1)
    assert 2.2 < run["2"]["offered"] / run["1"]["offered"] < 4


def test_of_one_source_it_follows_the_answers():
    asked = {**CAMERA, "size": 640}
    store = {"name": "store", "source": 0, "destination": 1, "size": 640, "after": "camera"}
    run = found(asked, store, flow_transaction="read64", **SHORT)
    assert run["store"]["offered"] == pytest.approx(run["camera"]["delivered"], abs=1)


def test_a_table_has_columns_for_them(tmp_path):
    file = tmp_path / "flows.csv"
    file.write_text(
        "name,source,destination,size_bytes,period_us,window,think_us,think_times,after,delay_us\n"
        "a,0,2,64,,4,10,exponential,,\nb,2,0,64,,,,,a,2.5\n",
        encoding="utf-8",
    )
    first, second = Scenario.from_dict({**RING, "flows_file": str(file)}).network_spec(1)["flows"]
    assert first["arrivals"] == {"kind": "window", "window": 4, "think_cycles": 5000, "drawn": True}
    assert second["arrivals"] == {"kind": "after", "flow": 0, "delay_cycles": 1250}


def test_an_exported_table_has_them_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(
        "[network]\nnodes = 4\n"
        '[[flows]]\nname = "a"\nsource = 0\ndestination = 2\nsize = 64\nwindow = 2\nthink = "2 us"\n'
        'think_times = "exponential"\n'
        '[[flows]]\nname = "b"\nsource = 2\ndestination = 1\nsize = 64\nafter = "a"\ndelay = "1 us"\n',
        encoding="utf-8",
    )
    assert main(["export", "x.toml", "--format", "csv"]) == 0
    again = Scenario.from_dict({**RING, "flows_file": str(tmp_path / "x-flows.csv")})
    first = Scenario.load("x.toml")
    assert [one["arrivals"] for one in again.network_spec(1)["flows"]] == [
        one["arrivals"] for one in first.network_spec(1)["flows"]
    ]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"after": "cam"}, "flows[1].after: 'cam' is not allowed; the name of a flow, such as 'camera'"),
        ({"source": 1}, "flows[1].after: 'camera' is not allowed; a flow whose messages go to node 1"),
        (
            {"source": 0},
            "flows[1].after: 'camera' is not allowed; a flow of another node than 0, or a flow_transaction with "
            "responses",
        ),
        ({"after": None, "arrivals": "after"}, "flows[1].after: missing; arrivals 'after' are after those of another"),
        ({"start": "1 us"}, "flows[1].start: '1 us' is not allowed; it belongs to"),
        ({"period": "1 us"}, "flows[1].period: '1 us' is not allowed; it belongs to"),
    ],
)
def test_a_flow_that_cannot_follow_is_refused(keys, said):
    follower = {"name": "b", "source": 2, "destination": 3, "size": 64, "after": "camera", **keys}
    assert refused(CAMERA, follower).startswith(said)


def test_flows_that_follow_each_other_or_one_that_never_ends_are_refused():
    a = {"name": "a", "source": 0, "destination": 2, "size": 64, "after": "b"}
    b = {"name": "b", "source": 2, "destination": 0, "size": 64, "after": "a"}
    assert "does not follow this one itself: none of them would begin" in refused(a, b)
    endless = {"name": "b", "source": 2, "destination": 0, "size": 64}
    assert "flows[0].after: 'b' is not allowed; a flow with messages, not one with arrivals" in refused(a, endless)
    huge = {"name": "b", "source": 2, "destination": 0, "size": "5 MB", "period": "1 s"}
    assert "a flow with messages of at most 65536 packets" in refused(a, huge)
    asked = {**b, "after": None, "rate": "1 kHz"}
    assert "a flow of the same source, 0, to which a read brings the data" in refused(
        a, asked, flow_transaction="read64"
    )


def test_a_flow_after_what_may_be_sent_twice_is_refused():
    first = {"name": "a", "source": 0, "destination": 2, "size": 64, "rate": "1 kHz"}
    after = {"name": "b", "destination": 3, "size": 64, "after": "a"}
    sections = {"flow_transaction": "nwrite64", "queues": {"response_timeout": "50 us"}}
    said = refused(first, {**after, "source": 2}, **sections)
    assert said.startswith("flows[1].after: 'a' is not allowed; a flow of the same source, 2, where queues.response")
    assert scenario(first, {**after, "source": 0}, **sections).network_spec(1)


# --- Stepped, forked, saved ---------------------------------------------------------------------------------------


def test_steps_forks_and_saves_do_not_matter(tmp_path):
    flows = [
        closed(window=3, think="1 us", think_times="exponential", size={"64": 0.5, "900": 0.5}, destination=[2, 3]),
        {"name": "b", "source": 2, "destination": "all", "size": 200, "after": "disk", "jitter": "2 us"},
        {"name": "c", "source": 3, "destination": 1, "size": 64, "after": "b", "delay": "500 ns"},
    ]
    content = scenario(*flows, run={"duration": "200 us", "warmup": 0})
    run = rl.run(content, seed=3)
    assert run.part("flows")["offered"].gt(10).all()
    expected = run.nodes["delivered_packets"].tolist()
    stepped = rl.Simulation(content, seed=3)
    for cycles in (1, 999, 7_000, 42_000):
        stepped.advance(cycles)
    stepped.save(tmp_path / "half")
    for way in (stepped.fork(), rl.Simulation.load(tmp_path / "half"), stepped):
        way.advance(50_000)
        assert way.counters().nodes["delivered_packets"].tolist() == expected


# --- Theory -------------------------------------------------------------------------------------------------------


def test_a_closed_flow_with_a_constant_think_time_is_bounded_as_its_window_in_each_think_time():
    ring = {**RING, "flow_control": {"protocol": "dfc"}}
    other = {"name": "log", "source": 1, "destination": 3, "size": 64, "period": "40 us", "deadline": "30 us"}
    bounds = rl.guarantee({**ring, "flows": [closed(window=4, think="50 us", size=128), other]})
    same = rl.guarantee(
        {**ring, "flows": [{**closed(), "arrivals": "periodic", "size": 512, "period": "50 us"}, other]}
    )
    assert bounds["bound_us"].tolist() == same["bound_us"].tolist()
    run = {"run": {"duration": "4 ms", "warmup": 0}}
    latencies = found(closed(window=4, think="50 us", size=128), other, flow_control=ring["flow_control"], **run)
    for name, bound in zip(bounds.index, bounds["bound_us"], strict=True):
        assert latencies[name]["latency_max_ns"] <= 1e3 * bound


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (closed(think="5 us", think_times="exponential"), "'closed' is not allowed; .*a constant think time"),
        (closed(window=2), "'closed' is not allowed; .*a constant think time, of at least a cycle"),
        (
            {"name": "b", "source": 2, "destination": 3, "size": 64, "after": "camera"},
            "'after' is not allowed; .*nothing bounds how close to each other deliveries prompt messages",
        ),
    ],
)
def test_guarantee_names_what_nothing_bounds(flow, said):
    ring = {**RING, "flow_control": {"protocol": "dfc"}}
    periodic = {**CAMERA, "arrivals": "periodic"}
    with pytest.raises(RingletError, match=rf"flows\[1\].arrivals: {said}"):
        rl.guarantee({**ring, "flows": [periodic, flow]})


def test_the_model_takes_neither():
    for flow in (closed(think="5 us"), {**closed(), "source": 2, "destination": 3, "after": "x", "arrivals": "after"}):
        poisson = {"name": "x", "source": 1, "destination": 2, "size": 64, "rate": "1 kHz"}
        with pytest.raises(RingletError, match=rf"flows\[1\].arrivals: '{flow['arrivals']}' is not allowed; 'poisson'"):
            rl.model({**RING, "flows": [poisson, flow]})


def test_the_bound_of_a_closed_flow_is_what_it_may_send_and_of_one_after_it_as_much():
    flows = [
        closed(window=2, think="10 us"),
        {"name": "b", "source": 2, "destination": 0, "size": 128, "after": "disk"},
    ]
    bound = rl.bound({**RING, "flows": flows})
    # Two messages of 64 bytes in 10 us, and twice as many bytes after each.
    assert bound["max_min_MBps"].tolist()[0] == pytest.approx(12.8)
    assert bound["max_min_MBps"].tolist()[2] == pytest.approx(25.6)
