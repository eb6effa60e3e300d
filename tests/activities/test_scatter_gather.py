"""Scatter-gather with a barrier: what is refused, and rounds worked out by hand."""

import pytest

import ringlet as rl
from ringlet import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.activities.scatter_gather import rounds_line
from ringlet.scenario.flow_control import PROTOCOLS

WORK_NS = 2_000


def content(*, network=None, others=None, **keys):
    given = {"root": 0, "piece": 64, "answer": 64, "work_time": f"{WORK_NS} ns", "rounds": 4}
    return {"network": network or {"nodes": 4}, "scatter_gather": given | keys} | (others or {})


def found(**keys):
    return rl.run(content(**keys)).document


def plan(**keys):
    return Scenario.from_dict(content(**keys)).network_spec(1)["workload"][0]


def test_pieces_and_answers_are_cut_into_packets():
    made = plan(piece="1 KiB", answer=65)
    assert (made["piece_packets"], made["answer_packets"], len(made["flows"])) == (16, 2, 4)
    assert plan(workers=[3, 1], work_time=["1 us", "2 us"])["work_cycles"] == [500, 1_000]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"root": 9}, "scatter_gather.root: 9 is not allowed; a node that sends and receives"),
        ({"workers": [1, 0]}, r"scatter_gather.workers\[1\]: 0 is not allowed; a node other than the root"),
        ({"workers": [1, 1]}, r"scatter_gather.workers\[1\]: 1 is not allowed; each node once"),
        ({"network": {"nodes": 1}}, "scatter_gather.root: 0 is not allowed; a node beside which another one sends"),
        ({"work_time": [1, 2]}, "scatter_gather.work_time: <2 times> is not allowed; one time, or 3, one for each"),
        ({"rounds": 0}, "scatter_gather.rounds: 0 is not allowed"),
        ({"rounds": 700_000}, "scatter_gather.rounds: 700000 is not allowed; at most 699050, with 4194304 packets"),
        (
            {"piece": "16 KiB", "answer": "1 KiB", "rounds": 5000},
            "scatter_gather.rounds: 5000 is not allowed; at most",
        ),
        ({"piece": "64 KiB", "answer": "1 KiB"}, "scatter_gather.piece: '64 KiB' is not allowed; at most 65536 waits"),
        ({"start": 2**53}, "scatter_gather.start: .* is not allowed; less than 2.53 cycles of 2 ns"),
        ({"others": {"queues": {"transmit": 4}}}, "queues.transmit: 4 is not allowed; 'unlimited' with a scatter"),
        ({"others": {"run": {"precision": 0.1}}}, "run.precision: 0.1 is not allowed; none: a scatter-gather takes"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_message(keys, message):
    with pytest.raises(RingletError, match=message) as refused:
        Scenario.from_dict(content(**keys))
    assert len(refused.value.args) == 1


def test_a_round_takes_the_time_of_its_packets_and_of_the_work():
    # A dmove64 packet has 40 symbols of 2 ns; it leaves behind an idle, and over h hops of a cycle it takes 41 + h.
    # With one worker, one hop there and three back, a round is both ways and the work.
    document = found(workers=[1])
    rounds = document["scatter_gather"]
    assert rounds["rounds"] == 4
    assert rounds["round_min_ns"] == pytest.approx(2 * (41 + 1) + WORK_NS + 2 * (41 + 3), abs=4 * 2)
    assert document["workers"][0] | {"answers": 4, "last_answers": 4} == document["workers"][0]
    assert document["saw"]["ended_by"] == "complete"


def test_the_next_round_begins_when_all_answers_are_there():
    slow = found(work_time=["2 us", "30 us", "2 us"])
    assert [one["last_answers"] for one in slow["workers"]] == [0, 4, 0]
    assert slow["scatter_gather"]["round_min_ns"] > 30_000
    # The root's own time lies between rounds, and counts in none.
    waits = found(work_time=["2 us", "30 us", "2 us"], root_time="50 us")
    assert waits["scatter_gather"]["round_mean_ns"] == pytest.approx(slow["scatter_gather"]["round_mean_ns"], rel=0.01)
    assert waits["cycles"] == pytest.approx(slow["cycles"] + 3 * 25_000, rel=0.05)


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_every_protocol_completes_all_rounds(protocol):
    others = {"flow_control": {"protocol": protocol}}
    rounds = found(network={"nodes": 6, "hop_delay": 6}, piece="512 B", others=others)["scatter_gather"]
    assert rounds["rounds"] == 4
    assert rounds["round_min_ns"] <= rounds["round_p50_ns"] <= rounds["round_p99_ns"] <= rounds["round_max_ns"]


@pytest.mark.parametrize("network", [{"topology": "torus", "shape": [2, 3]}, {"topology": "dual-ring", "nodes": 6}])
def test_networks_of_rings_complete_all_rounds(network):
    document = found(network=network, piece="512 B")
    assert sum(one["last_answers"] for one in document["workers"]) == document["scatter_gather"]["rounds"] == 4


def test_the_line_names_the_worker_that_answers_last_most_often():
    document = found()
    rounds, slow = document["scatter_gather"], max(document["workers"], key=lambda one: one["last_answers"])
    share = 100 * slow["last_answers"] / rounds["rounds"]
    assert rounds_line(document).endswith(f"; {slow['name']} answers last in {share:.0f} % of them")
    assert f"longest {rounds['round_max_ns'] / 1e3:.4g} us; " in rounds_line(document)


def test_a_run_that_ends_before_says_what_is_known():
    short = found(others={"run": {"duration": "100 ns"}})
    assert short["scatter_gather"]["round_mean_ns"] is None
    assert rounds_line(short) == "scatter-gather: no round complete of 4 rounds; nothing is known of them"
    some = found(others={"run": {"duration": "8 us"}})
    assert rounds_line(some).startswith("scatter-gather: 3 of 4 rounds, not complete; ")
    assert rounds_line(found()).startswith("scatter-gather: 4 rounds; ")


def test_a_program_sees_the_rounds_go_by():
    simulation = rl.Simulation(content())
    simulation.advance("4 us")
    (counted,) = simulation.counters().activities["scatter_gather"]
    assert 0 < counted["rounds"] < 4
    assert counted["workers"]["last"].sum() == counted["rounds"]
