"""Event building in a scenario: what is refused, and what the engine is told."""

import pytest

from ringlet import RingletError
from ringlet.scenario import Scenario

EVENTS = {"rate": "50 kHz", "builders": [7], "fragment": "1 KiB"}


def scenario(*, network=None, **events):
    events = {key: value for key, value in (EVENTS | events).items() if value is not None}
    content = {"network": {"nodes": 8} | (network or {}), "events": events}
    return Scenario.from_dict(content)


def test_sizes_that_take_equally_many_packets_are_one_share_of_at_most_1():
    shares = {"134": 0.13503214861215806, "190": 0.7650591745328, "48": 0.09990867685504282}
    assert sum(shares.values()) > 1
    made = plan(fragment=shares, transaction="nwrite256")
    assert made["fragments"][0]["packets"] == ((1, 1.0),)


def plan(**events):
    return scenario(**events).network_spec(1)["workload"][0]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ({"dead_time": "30 us"}, "events.dead_time: '30 us' is not allowed; at most 20000 ns, the mean time between"),
        ({"builders": [9]}, "events.builders[0]: 9 is not allowed; a node below 8"),
        ({"builders": ["disk"]}, "events.builders[0]: 'disk' is not allowed; a node's number"),
        ({"builders": [7, 7]}, "events.builders[1]: 7 is not allowed; each node once"),
        ({"builders": []}, "events.builders: [] is not allowed; at least 1 of them"),
        ({"builders": list(range(8))}, "at least one node left that sends"),
        ({"sources": [8]}, "events.sources[0]: 8 is not allowed; a node below 8"),
        ({"sources": [0, 7]}, "events.sources[1]: 7 is not allowed; a node other than the only builder"),
        ({"fragment": 0}, "events.fragment: 0 is not allowed; above 0"),
        ({"fragment": "0 B"}, "events.fragment: '0 B' is not allowed; above 0"),
        ({"fragment": 0.5}, "events.fragment: 0.5 is not allowed; a whole number of bytes"),
        ({"fragment": {"1 KiB": 0.5}}, "probabilities that sum to 1, not 0.5"),
        ({"fragment": {"0": 1.0}}, "'0' is none"),
        ({"fragment": "1 GiB"}, "events.fragment: '1 GiB' is not allowed; at most 65535 packets of 64 bytes"),
        ({"fragment": {"mean": "1 KiB"}}, "a mean and a deviation, or neither"),
        (
            {"fragment": {"mean": "1 KiB", "deviaton": 3}},
            "events.fragment.deviaton: unknown key; did you mean 'deviation'?",
        ),
        ({"fragment": {"least": 64, "most": 32}}, "a least size that is at most the largest one"),
        ({"fragment": {"least": 64}}, "a mean and a deviation, or a largest size, most"),
        (
            {"fragment": {"mean": "1 MiB", "deviation": "8 MiB"}},
            "events.fragment.most: <no limit> is not allowed; at most 65535 packets of 64 bytes",
        ),
        ({"fragments": {"7": 64}}, "events.fragments.7: '7' is not allowed; a node that sends fragments"),
        ({"fragments": {"9": 64}}, "events.fragments.9: '9' is not allowed; a node from 0 to 7"),
        (
            {"fragment": None, "fragments": {"0": 64}},
            "events.fragments: <1 sources> is not allowed; data of a fragment of every source, node 1 included",
        ),
        ({"fragment": None}, "events.fragment: <none> is not allowed; data of a fragment of every source"),
        ({"destination": "credits"}, "events.queue: 'unlimited' is not allowed; a number of events with 'credits'"),
        ({"credit_delay": "2 us"}, "events.credit_delay: '2 us' is not allowed; it belongs to 'credits'"),
        ({"rate": "1 THz"}, "events.rate: '1 THz' is not allowed; a mean time of 1 to 2^53 cycles"),
        ({"rate": 50}, "events.rate: 50 is not allowed; a string with a unit"),
        ({"priority": 1}, "events.priority: 1 is not allowed; below 1, which flow_control.priorities sets"),
        ({"transaction": "read64"}, "events.transaction: 'read64' is not allowed; 'dmove64'"),
        ({"queue": 0}, "events.queue: 0 is not allowed"),
    ],
)
def test_what_cannot_be_built_is_refused_in_one_message(events, message):
    with pytest.raises(RingletError) as refused:
        scenario(**events)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "lossy", [{"queues": {"transmit": 8}}, {"errors": {"bit_error_rate": 1e-9}}], ids=["full queues", "bit errors"]
)
def test_where_packets_can_be_lost_a_timeout_is_needed(lossy):
    content = {"network": {"nodes": 8}, "events": EVENTS, **lossy}
    with pytest.raises(RingletError, match=r"events\.timeout: missing"):
        Scenario.from_dict(content)
    Scenario.from_dict({**content, "events": EVENTS | {"timeout": "1 ms"}})


def test_a_trace_and_events_are_refused(tmp_path):
    (tmp_path / "trace.csv").write_text("cycle,source,destination,bytes\n0,0,1,80\n", encoding="utf-8")
    content = {"network": {"nodes": 8}, "events": EVENTS, "traffic": {"trace": {"file": "trace.csv"}}}
    with pytest.raises(RingletError, match="events: given together with a trace"):
        Scenario.from_dict(content, base_dir=tmp_path)


def test_without_other_traffic_all_other_nodes_send_to_the_builders():
    found = scenario(builders=[3, 7])
    flows = found.resolved.flows
    assert [flow.source for flow in flows] == [0, 1, 2, 4, 5, 6]
    assert found.traffic_matrix()[0].tolist() == [0, 0, 0, 0.5, 0, 0, 0, 0.5]
    # 16 packets each 20 us, of 2 ns a cycle.
    assert flows[0].rate == pytest.approx(16 / 10_000)


def test_a_source_that_builds_keeps_its_own_fragments():
    flows = scenario(builders=[3, 7], sources=[3, 7]).resolved.flows
    assert [flow.destinations.spec() for flow in flows] == [{"kind": "fixed", "node": 7}, {"kind": "fixed", "node": 3}]
    assert flows[0].rate == pytest.approx(8 / 10_000)


def test_fragments_are_cut_into_packets_and_the_last_is_filled_up():
    assert plan(fragment=65)["fragments"][0]["packets"] == ((2, 1.0),)
    found = plan(fragment={"64 B": 0.25, "60": 0.25, "1 KiB": 0.5})
    assert found["fragments"][0]["packets"] == ((1, 0.5), (16, 0.5))


def test_a_dead_time_costs_triggers_of_which_the_rate_is_told():
    flow = scenario(dead_time="20 us").resolved.flows[0]
    assert flow.rate == pytest.approx(16 / 20_000)
    assert scenario(dead_time="20 us", trigger="periodic").resolved.flows[0].rate == pytest.approx(16 / 10_000)


def test_names_stand_for_nodes():
    named = {"nodes": 3, "node_names": ["camera", "lidar", "disk"]}
    found = scenario(network=named, builders=["disk"], sources=["camera", "lidar"]).network_spec(1)["workload"][0]
    assert found["builders"] == (2,)


def test_only_what_is_drawn_is_random():
    assert scenario().resolved.is_random
    assert not scenario(trigger="periodic").resolved.is_random
    assert scenario(trigger="periodic", fragment={"64": 0.5, "128": 0.5}).resolved.is_random


def test_a_matrix_that_events_do_not_use_is_written_out_as_well(tmp_path):
    tmp_path.joinpath("matrix.csv").write_text("0,1\n1,0\n")
    content = {
        "network": {"nodes": 2},
        "traffic": {"arrivals": "none", "matrix_file": "matrix.csv"},
        "events": {**EVENTS, "builders": [0]},
    }
    written = Scenario.from_dict(content, base_dir=tmp_path).to_dict()
    assert written["traffic"]["matrix"] == [[0, 1], [1, 0]]
    assert Scenario.from_dict(written).to_dict() == written


def test_a_matrix_file_that_events_do_not_use_must_be_there_as_well(tmp_path):
    traffic = {"arrivals": "none", "matrix_file": "matrix.csv"}
    with pytest.raises(RingletError, match=r"matrix\.csv: no such file"):
        Scenario.from_dict({"network": {"nodes": 2}, "traffic": traffic, "events": EVENTS | {"builders": [0]}})


def test_each_source_may_have_fragments_of_its_own():
    made = plan(fragments={"0": "2 KiB", "3": {"64 B": 0.5, "128 B": 0.5}})
    packets = [one["packets"] for one in made["fragments"]]
    assert packets == [((32, 1.0),), ((16, 1.0),), ((16, 1.0),), ((1, 0.5), (2, 0.5)), *[((16, 1.0),)] * 3]


def test_names_of_nodes_say_whose_fragments_are_meant():
    names = {"node_names": [*(f"sensor {k}" for k in range(7)), "disk"]}
    made = plan(network=names, builders=["disk"], fragments={"sensor 2": "64 B"})
    assert made["fragments"][2]["packets"] == ((1, 1.0),)


def test_fragments_may_have_names_and_numbers_and_a_source_that_is_not_in_the_network_is_refused():
    with pytest.raises(RingletError, match=r"events.fragments.camera: 'camera' is not allowed"):
        scenario(fragments={"camera": "64 B"})
