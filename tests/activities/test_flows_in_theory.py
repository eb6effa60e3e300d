"""Theory of flows: bounds of those with a period, the queueing model of Poisson ones, and why others are refused."""

import json

import pytest

import ringlet as rl
from ringlet import RingletError
from ringlet.cli import main

RING = {"network": {"nodes": 6, "hop_delay": 2}, "flow_control": {"protocol": "dfc", "stop_thru": False}}

SET = [
    {"name": "a", "source": 0, "destination": 3, "size": 640, "period": "60 us", "deadline": "40 us"},
    {"name": "b", "source": 1, "destination": 5, "size": 64, "period": "25 us", "jitter": "3 us", "deadline": "20 us"},
    {"name": "c", "source": 4, "destination": 2, "size": 300, "period": "80 us", "drift": 50, "deadline": "80 us"},
    {
        "name": "d",
        "source": 2,
        "destination": 1,
        "size": 64,
        "period": "30 us",
        "sporadic": "5 us",
        "deadline": "30 us",
    },
]

POISSON = [{"source": i, "destination": (i + 2) % 6, "size": 64, "rate": f"{20 + 5 * i} MB/s"} for i in range(6)]


@pytest.mark.parametrize("protocol", ["sci", "dfc", "token-ring", "metaring", "none"])
def test_flows_with_periods_have_the_bounds_of_the_same_messages(protocol):
    ring = RING | {"flow_control": {"protocol": protocol}}
    expected = rl.guarantee({**ring, "messages": SET})
    found = rl.guarantee({**ring, "flows": SET})
    assert found.equals(expected)
    both = rl.guarantee({**ring, "messages": SET[:2], "flows": SET[2:]})
    assert both.equals(expected)


def test_no_flow_takes_longer_than_its_bound():
    flows = [
        *SET,
        {"name": "e", "source": 3, "destination": [0, 5], "size": {"64": 0.5, "500": 0.5}, "period": "70 us"},
    ]
    bounds = rl.guarantee({**RING, "flows": flows})
    for seed in range(3):
        result = rl.run(rl.Scenario.from_dict({**RING, "flows": flows, "run": {"duration": "20 ms"}}), seed=seed)
        frame = result.part("flows").set_index("name")
        assert (frame["latency_max_ns"] <= 1e3 * bounds["bound_us"]).all()


def test_a_flow_without_a_deadline_has_a_bound_and_no_verdict(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(
        '[network]\nnodes = 4\n[flow_control]\nprotocol = "dfc"\n[[flows]]\nname = "log"\nsource = 0\ndestination = 2\n'
        'size = 64\nperiod = "10 us"\n',
        encoding="utf-8",
    )
    assert main(["guarantee", "x.toml", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["messages"]
    assert one["bound_us"] > 0
    assert (one["deadline_us"], one["margin_us"], one["guaranteed"]) == (None, None, None)
    assert main(["guarantee", "x.toml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "deadlines: none is given"
    assert next(line for line in lines if line.startswith("log")).split()[2:5] == ["-", "-", "-"]
    assert main(["guarantee", "x.toml", "--plot", "x.png"]) == 2
    assert "none has a deadline" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (
            {"rate": "1 MB/s"},
            r"flows\[1\].arrivals: 'poisson' is not allowed; 'periodic', also with jitter or sporadic",
        ),
        ({"arrivals": "saturated"}, r"flows\[1\].arrivals: 'saturated'"),
        ({"times": ["1 us"]}, r"flows\[1\].arrivals: 'times'"),
    ],
)
def test_a_flow_that_nothing_bounds_is_named(flow, said):
    other = {"name": "other", "source": 0, "destination": 1, "size": 64, **flow}
    with pytest.raises(RingletError, match=said):
        rl.guarantee({**RING, "flows": [SET[0], other]})


@pytest.mark.parametrize("beside", [{}, {"messages": SET[:1]}], ids=["alone", "beside messages"])
def test_a_breakdown_takes_no_flows_and_says_where_they_may_stand(beside):
    with pytest.raises(RingletError) as caught:
        rl.breakdown({**RING, **beside, "flows": SET[1:3]})
    assert str(caught.value) == (
        "flows: <2 flows> is not allowed; none for a breakdown, which has the factor of messages: flows with a period "
        "and a deadline may stand among these"
    )


def test_too_many_flows_are_refused_with_the_link():
    flows = [{**SET[0], "size": 30000, "name": f"{i}"} for i in range(3)]
    with pytest.raises(RingletError, match=r"utilisation .* of link .*at most 1, for a guarantee"):
        rl.guarantee({**RING, "flows": flows})


def test_the_model_of_poisson_flows_is_that_of_the_same_background_traffic():
    traffic = {
        "arrivals": "poisson",
        "load": [f"{20 + 5 * i} MB/s" for i in range(6)],
        "destinations": [(i + 2) % 6 for i in range(6)],
        "transaction": "dmove64",
    }
    ring = {"network": {"nodes": 6}}
    found, expected = rl.model({**ring, "flows": POISSON}), rl.model({**ring, "traffic": traffic})
    assert found["latency_ns"].tolist() == pytest.approx(expected["latency_ns"].tolist())
    assert found["queue_packets"].tolist() == pytest.approx(expected["queue_packets"].tolist())
    assert found["utilisation"].tolist() == pytest.approx(expected["utilisation"].tolist())


def test_flows_beside_background_traffic_add_up():
    def traffic(load):
        return {"arrivals": "poisson", "load": load, "transaction": "dmove64"}

    ring = {"network": {"nodes": 6}}
    flows = [{"source": i, "destination": "all", "size": 64, "rate": "40 MB/s"} for i in range(6)]
    found = rl.model({**ring, "traffic": traffic("60 MB/s"), "flows": flows})
    expected = rl.model({**ring, "traffic": traffic("100 MB/s")})
    assert found["latency_ns"].tolist() == pytest.approx(expected["latency_ns"].tolist())


def test_the_model_is_near_a_simulation_of_flows():
    scenario = {"network": {"nodes": 6}, "flow_control": {"protocol": "none"}, "flows": POISSON}
    simulated = rl.run({**scenario, "run": {"duration": "4 ms"}}).nodes["latency_mean_ns"]
    assert rl.model(scenario)["latency_ns"].tolist() == pytest.approx(simulated.tolist(), rel=0.05)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ({"size": 65}, r"flows\[6\].size: <up to 65 bytes> is not allowed; at most 64 bytes: a message of several"),
        ({"period": "1 us"}, r"flows\[6\].arrivals: 'periodic' is not allowed; 'poisson' or 'bernoulli', for the"),
        ({"rate": "1 MB/s", "stop": "1 ms"}, r"flows\[6\].stop: <a beginning or an end> is not allowed"),
    ],
)
def test_a_flow_that_the_model_does_not_take_is_named(flow, said):
    rate = {} if "period" in flow else {"rate": "1 MB/s"}
    other = {"name": "other", "source": 0, "destination": 1, "size": 64, **rate, **flow}
    with pytest.raises(RingletError, match=said):
        rl.model({"network": {"nodes": 6}, "flows": [*POISSON, other]})


def explored(**sections):
    return rl.check({"network": {"nodes": 3}, **sections})


def test_every_state_of_flows_is_that_of_the_same_messages():
    messages = [
        {"source": 0, "destination": 1, "size": 300, "period": "10 us"},
        {"source": 1, "destination": 2, "size": 64, "period": "10 us"},
    ]
    flows = [
        {"source": 0, "destination": 1, "size": 300, "rate": "1 MB/s"},
        {"source": 1, "destination": 2, "size": 64, "period": "10 us", "jitter": "2 us"},
    ]
    found, expected = explored(flows=flows), explored(messages=messages)
    assert (found.holds, found.complete) == (expected.holds, expected.complete) == (True, True)
    assert found.states == pytest.approx(expected.states, abs=1)


def test_sizes_and_destinations_that_are_drawn_are_explored_each():
    one = {"source": 0, "size": 64, "rate": "1 MB/s"}
    drawn = explored(flows=[{**one, "destination": [1, 2], "size": {"64": 0.5, "100": 0.5}}])
    assert (len(drawn.flows), drawn.holds) == (4, True)
    with pytest.raises(RingletError, match=r"<1563 flows, each from .* is not allowed; at most 8 to be explored"):
        explored(flows=[{**one, "destination": 1, "size": {"least": 1, "most": 100000}}])


def test_what_takes_no_flows_names_them():
    flows = [{"source": 0, "destination": 1, "size": 64, "arrivals": "bernoulli", "rate": "1 MB/s"}]
    ring = {"network": {"nodes": 3}, "flows": flows}
    with pytest.raises(RingletError, match=r"network: <\[\[flows\]\]> is not allowed; a single ring without"):
        rl.exact(ring)
