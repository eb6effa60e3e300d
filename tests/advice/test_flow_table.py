"""A table of flows as requirements: what it means, what is refused, and that candidates carry it as it is."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError
from ringlet.advice import Requirements
from ringlet.advice.advice import advice
from ringlet.advice.candidates import candidates, shares
from ringlet.advice.flow_table import flow_table, placed
from ringlet.advice.physics import look_ns, run_ns
from ringlet.advice.traffic import base_content, own_content
from ringlet.store import Store

TABLE = """source,destination,size_bytes,rate,period_us,deadline_us,rack
7,store,1024,20 MB/s,,,a
cam,store: 0.75; view: 0.25,256: 0.5; 768: 0.5,40 kHz,,,a
probe,all,64,,20,15,b
probe,view,64,2 MB/s,,,b
"""


def demands(flows):
    """Data between nodes in MB/s, of flows of a scenario."""
    return flow_table(placed(flows), None, 64).demands


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sensors.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "needs.toml").write_text('flows_file = "sensors.csv"\nloss = 0.01\n', encoding="utf-8")
    return tmp_path


@pytest.fixture
def wanted(folder):
    return Requirements.load(folder / "needs.toml")


def test_senders_receivers_and_rates_are_those_of_the_table(wanted):
    table = wanted.table_of_flows
    assert (table.senders, table.receivers) == (("7", "cam", "probe"), ("store", "view"))
    # 40 kHz of 512 bytes in the mean, and 64 bytes in 20 us.
    assert np.allclose(table.demands, [[20, 0], [0.75 * 20.48, 0.25 * 20.48], [1.6, 3.6]])
    assert (wanted.final_senders, wanted.final_receivers, wanted.rate) == (3, 2, "20.48 MB/s")
    # Four times the packets of the largest message, of 64 bytes each.
    assert wanted.queues.transmit == 64


def test_flows_of_one_way_without_names_are_numbered_and_two_equal_names_refused(folder):
    (folder / "sensors.csv").write_text(f"{TABLE}7,store,64,5 MB/s,,,\n", encoding="utf-8")
    wanted = Requirements.load(folder / "needs.toml")
    for one in (wanted, Requirements.from_dict(wanted.to_dict())):
        assert [flow.name for flow in one.table_of_flows.flows][-1] == "7-store (2)"
    named = [{"name": "a", "source": "7", "destination": "store", "size": 64, "rate": "5 MB/s"}] * 2
    with pytest.raises(RingletError, match=r"name: 'a' is not allowed; a name that no other flow has, or none"):
        Requirements.from_dict({"flows": named})


def test_what_a_table_means_can_be_written_and_read_again(wanted):
    assert Requirements.from_dict(wanted.to_dict()) == wanted
    assert wanted.changed(loss=0.5).table_of_flows.rates == wanted.table_of_flows.rates


def test_flows_in_the_file_mean_the_same_as_those_of_a_table(wanted):
    two = {"256": 0.5, "768": 0.5}
    rows = [
        {"source": "7", "destination": "store", "size": 1024, "rate": "20 MB/s"},
        {"source": "cam", "destination": {"store": 0.75, "view": 0.25}, "size": two, "rate": "40 kHz"},
        {"source": "probe", "destination": "all", "size": 64, "period": "20 us", "deadline": "15 us"},
        {"source": "probe", "destination": "view", "size": 64, "rate": "2 MB/s"},
    ]
    same = Requirements.from_dict({"flows": rows, "loss": 0.01})
    assert np.allclose(same.table_of_flows.demands, wanted.table_of_flows.demands)


def test_every_candidate_has_the_flows_between_nodes_of_their_names(wanted):
    for one in candidates(wanted):
        scenario = rl.Scenario.from_dict(base_content(wanted) | own_content(wanted, one))
        names = [scenario.node_name(node) for node in (*one.senders, *one.receivers)]
        assert names == ["7", "cam", "probe", "store", "view"], one.name
        flows = scenario.to_dict()["flows"]
        assert [flow["name"] for flow in flows] == ["7-store", "cam-store+view", "probe-all", "probe-view"]
        assert flows[2]["deadline"] == "15 us"
        assert flows[0]["labels"] == {"rack": "a"}
        assert demands(flows).sum() == pytest.approx(wanted.table_of_flows.demands.sum()), one.name
        assert np.allclose(shares(wanted, one).sum(), 1)


def test_a_higher_rate_is_one_of_all_flows_and_that_of_a_link_one_of_every_sender(wanted):
    one = candidates(wanted)[0]

    def rates(rate):
        flows = own_content(wanted, one, rate)["flows"]
        # A scenario takes them.
        assert len(rl.Scenario.from_dict(base_content(wanted) | own_content(wanted, one, rate)).to_dict()["flows"]) == 4
        return demands(flows).sum(axis=1)

    assert np.allclose(rates("40.96 MB/s"), [40, 40.96, 10.4])
    assert np.allclose(rates("500 MB/s"), 500)


def test_what_has_no_way_around_a_broken_link_is_not_sent(wanted):
    one = candidates(wanted)[0]
    reached = np.array([[False, True], [False, True], [True, True]])
    table = wanted.table_of_flows
    flows = table.content(one.senders, one.receivers, [1.0] * 3, reached)
    assert [flow["name"] for flow in flows] == ["cam-store+view", "probe-all", "probe-view"]
    assert flows[0]["destination"] == one.receivers[1]
    assert flows[0]["rate"] == "10 kHz"


def test_a_table_is_advised_on_and_a_missed_deadline_fails():
    flows = [
        {"source": "a", "destination": "x", "size": 256, "period": "20 us", "deadline": "15 us"},
        {"source": "b", "destination": "all", "size": 512, "rate": "30 MB/s"},
    ]
    needs = {"flows": flows, "receivers": 2, "loss": 0.05, "topologies": ["ring"], "at_most": 3, "duration": "300 us"}
    with ThreadPoolExecutor(1) as executor:
        (fits,) = advice(needs, executor=executor).ranked
        flows[0]["deadline"] = "700 ns"
        (late,) = advice(needs, executor=executor).ranked
    assert fits.verdict.offered_MBps == pytest.approx(42.8, rel=0.2)
    assert "deadline" not in fits.why
    assert late.state == "fails"
    assert "missed their deadline in 3 runs, none allowed" in late.why


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("cam,cam,64,5 MB/s,,,", "flows: 'cam' is not allowed; a node that either sends or receives"),
        ("cam,store,0,5 MB/s,,,", "sensors.csv, line 6, size: '0 bytes' is not allowed; above 0"),
        ("cam,store,64,,,,", "sensors.csv, line 6, arrivals: 'saturated' is not allowed; 'poisson', 'bernoulli'"),
        ("cam,store,64,5 MB/s,10,,", "sensors.csv, line 6, rate: given together with period"),
        ("cam,store,64,5 MB/s,,", "sensors.csv, line 6: <6 values> is not allowed; 7, one per column"),
        ("cam,store: 0.5; view: 0.6,64,5 MB/s,,,", "sensors.csv, line 6, destination: "),
        ("probe,store,64,600 MB/s,,,", "flows: <probe sends 605.2 MB/s> is not allowed; at most 412.4 MB/s"),
    ],
)
def test_a_bad_row_is_named_with_its_line(folder, row, message):
    (folder / "sensors.csv").write_text(f"{TABLE}{row}\n", encoding="utf-8")
    with pytest.raises(RingletError) as caught, ThreadPoolExecutor(1) as executor:
        advice(folder / "needs.toml", executor=executor)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"senders": 4}, "senders: 4 is not allowed; none with flows, which say it: 1"),
        ({"rate": "5 MB/s"}, "rate: '5 MB/s' is not allowed; none with flows, which say it: 20 MB/s"),
        ({"receivers": 3}, "receivers: 3 is not allowed; 1, as flows name them, or more with 'all'"),
        ({"locality": 0.5}, "locality: given together with flows"),
        ({"message": {"size": 64, "period": "5 us"}}, "message: given together with flows"),
        ({"event_building": {"fragment": 64}}, "event_building: given together with flows"),
        ({"arrivals": "periodic"}, "arrivals: given together with flows"),
        ({"growth": 2}, "growth: 2.0 is not allowed; 1 with flows"),
        ({"flows_file": "sensors.csv"}, "flows_file: given together with flows"),
        ({"flows": []}, "flows: [] is not allowed; at least 1"),
        ({"flows": [{"source": "a", "size": 64, "rate": "5 MB/s"}]}, "receivers: missing"),
    ],
)
def test_a_key_that_says_the_same_as_flows_is_refused(keys, message):
    flows = [{"source": "a", "destination": "x", "size": 64, "rate": "20 MB/s"}]
    with pytest.raises(RingletError) as caught:
        Requirements.from_dict({"flows": flows} | keys)
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    (tmp_path / "needs.toml").write_text('flows_file = "none.csv"\n', encoding="utf-8")
    with pytest.raises(RingletError, match=r"none\.csv"):
        Requirements.load(tmp_path / "needs.toml")


SLOW = [{"name": f"s{i}", "source": f"s{i}", "destination": "x", "size": 4096, "rate": "1 MB/s"} for i in range(4)]
"""Flows of which 50 messages of each would be 200 ms."""


def test_what_has_many_packets_is_looked_at_first_and_only_the_cheapest_that_fits_is_run_longer():
    needs = {"flows": SLOW, "loss": 0.05, "topologies": ["ring", "torus"], "at_least": 2, "at_most": 2}
    wanted = Requirements.from_dict(needs)
    assert look_ns(wanted) == pytest.approx(5000 * 64 / 4e6 * 1e9)
    with Store.open() as store, ThreadPoolExecutor(1) as executor:
        found = advice(wanted, executor=executor, store=store)
        documents = [store.document(result) for result in store]
    assert found.best.candidate.name == "ring"
    assert found.best.why == ""
    measured = [round(document["cycles"] * document["symbol_time_ns"] / look_ns(wanted), 1) for document in documents]
    # Each at its first look, and the ring once more at full length and above the required rate.
    assert measured.count(round(run_ns(wanted) / look_ns(wanted), 1)) == 2
    dearer = found.ranked[1:]
    assert len(dearer) == 2
    for one in dearer:
        assert one.why.endswith("looked at for 80000 us only: ring fits and costs no more")
        assert one.verdict.runs == 2


def test_a_first_look_rules_out_what_is_late_and_runs_it_no_longer():
    wanted = Requirements.from_dict(
        {"flows": SLOW, "latency": "200 ns", "topologies": ["ring"], "at_least": 2, "at_most": 2}
    )
    with Store.open() as store, ThreadPoolExecutor(1) as executor:
        (late,) = advice(wanted, executor=executor, store=store).ranked
        documents = [store.document(result) for result in store]
    assert late.state == "fails"
    assert late.most is None
    assert {round(document["cycles"] * document["symbol_time_ns"]) for document in documents} == {
        round(look_ns(wanted))
    }


def test_runs_that_are_short_or_given_have_no_first_look():
    assert look_ns(Requirements.from_dict({"flows": SLOW, "duration": "1 s"})) is None
    assert look_ns(Requirements.from_dict({"senders": 4, "receivers": 4, "rate": "200 MB/s"})) is None
