"""Advice: simulated, ranked, and the same whatever computes it."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import ringlet as rl
from ringlet.advice import runs
from ringlet.advice.advice import advice
from ringlet.cli import main
from ringlet.plots import advice_chart

NEEDS = {
    "senders": 4,
    "receivers": 4,
    "rate": "200 MB/s",
    "locality": 0.5,
    "loss": 0.01,
    "latency": "6 us",
    "duration": "60 us",
    "topologies": ["ring", "switch", "omega"],
    "at_most": 6,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("advise") / "store.sqlite"


@pytest.fixture(scope="module")
def here():
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def found(store, here):
    return advice(NEEDS, executor=here, store=store)


def test_what_fits_comes_first_the_cheapest_on_top(found):
    table = found.table
    order = ["fits", "unclear", "fails", "failed"]
    ranks = [order.index(state) for state in table["verdict"]]
    assert ranks == sorted(ranks)
    for state in order:
        prices = table.loc[table["verdict"] == state, "price"].tolist()
        assert prices == sorted(prices)
    assert found.best is not None
    assert found.best.candidate.name == table.index[0]
    assert (table["price"] == table["ports"]).all()
    assert (table["adapters"] == 8).all()


def test_the_bottleneck_fails_and_says_by_how_much(found):
    # Half of 800 MB/s would cross one B-Link of 436 MB/s.
    (switch,) = [one for one in found.ranked if one.candidate.name == "switch-long-rings-2"]
    assert switch.state == "fails"
    assert "would have to carry 1.07 times what it can; loss 3.3 % or more, 1 % allowed" in switch.why
    assert switch.verdict.runs == 0


def test_what_theory_rules_out_fails_when_it_is_simulated_too(found, store, here):
    simulated = advice(NEEDS | {"discard": False}, executor=here, store=store)
    ruled_out = {one.candidate.name for one in found.ranked if one.verdict.runs == 0}
    assert ruled_out == {"ring", "switch-long-rings-2"}
    for one in simulated.ranked:
        assert one.verdict.runs >= 3
        if one.candidate.name in ruled_out:
            assert one.state == "fails"
            assert "allowed (" in one.why
    assert found.best.candidate == simulated.best.candidate


def test_a_mean_latency_far_above_the_limit_by_the_queueing_model_is_not_simulated(here):
    needs = {"senders": 2, "receivers": 2, "rate": "20 MB/s", "topologies": ["switch"], "latency": "250 ns"}
    found = advice(needs, executor=here)
    assert found.counts.computed == 0
    assert "by the queueing model, p99 latency 250 ns allowed" in found.ranked[0].why
    median = advice(needs | {"latency_figure": "p50", "duration": "20 us"}, executor=here)
    assert median.counts.computed > 0


def test_more_is_carried_than_is_required_where_it_fits(found):
    for one in found.ranked:
        if one.state == "fits":
            assert one.most.mean >= one.verdict.throughput.mean
            assert one.most.mean >= one.overloaded.mean


def test_the_same_again_comes_from_the_store(found, store, here):
    again = advice(NEEDS, executor=here, store=store)
    assert again.counts.computed == 0
    assert again.table.equals(found.table)
    assert advice(NEEDS, workers=1).table.equals(found.table)


def test_only_what_is_unclear_is_run_more_often(found):
    runs = {one.state: set() for one in found.ranked}
    for one in found.ranked:
        runs[one.state].add(one.verdict.runs)
    assert runs.get("unclear", {6}) == {6}
    # What theory rules out has none.
    assert min(min(each) for each in runs.values()) == 0
    assert min(runs["fits"]) == 3


def test_prices_change_the_order_and_nothing_else(found, store, here):
    priced = advice(NEEDS | {"prices": {"unit": "EUR", "cable": 1}}, executor=here, store=store)
    assert priced.counts.computed == 0
    table = priced.table
    assert (table["price"] == table["cables"]).all()
    assert set(table.index) == set(found.table.index)


def test_a_candidate_is_a_scenario_like_any_other(found):
    name = found.best.candidate.name
    scenario = found.scenario(name)
    total = rl.run(scenario, seed=1).document["total"]
    assert total["throughput_MBps"] == pytest.approx(800, rel=0.1)
    with pytest.raises(rl.RingletError, match="candidate: 'none' is not allowed"):
        found.scenario("none")


def test_json_and_figure_have_every_candidate(found):
    document = found.to_dict()
    assert document["best"] == found.best.candidate.name
    assert [one["name"] for one in document["candidates"]] == found.table.index.tolist()
    most, latency = advice_chart(found).panels
    assert sorted(label for series in most.series for label in series.labels) == sorted(
        str(number) for number, one in enumerate(found.ranked, 1) if one.verdict.runs
    )
    needed, allowed = (*most.levels, *latency.levels)
    assert [needed.name, allowed.name] == ["required throughput", "allowed latency"]
    assert needed.dashes != allowed.dashes
    fitting = [value for series in most.series if series.name == "fits" for value in series.y]
    assert min(fitting) >= needed.value


def test_one_sender_and_one_receiver_need_no_switch(here):
    needs = {"senders": 1, "receivers": 1, "rate": "20 MB/s", "duration": "60 us", "loss": 0.1}
    table = rl.advise(needs, executor=here)
    assert table.index[0] == "ring"
    assert set(table["verdict"]) == {"fits"}


def test_what_the_engine_refuses_is_said_and_stops_nothing(here, monkeypatch):
    def refuse(scenario, **options):
        raise rl.RingletError("too large")

    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "run", refuse)
    table = rl.advise({"senders": 2, "receivers": 2, "rate": "20 MB/s", "topologies": ["ring"]}, executor=here)
    assert table.loc["ring", ["verdict", "why"]].tolist() == ["failed", "too large"]


def test_a_defect_of_the_program_is_told_as_one_and_not_as_a_network_that_does_not_fit(here, monkeypatch):
    def fail_when_loaded(scenario, **options):
        if scenario.traffic.load == "20 MB/s":
            return run(scenario, **options)
        raise ZeroDivisionError("why")

    run = sys.modules["ringlet.studies.worker"].run
    needs = {"senders": 2, "receivers": 2, "rate": "20 MB/s", "loss": 0.1, "duration": "40 us", "topologies": ["ring"]}
    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "run", fail_when_loaded)
    with pytest.warns(UserWarning, match="runs failed by a defect of ringlet: ring: internal error: ZeroDivisionError"):
        table = rl.advise(needs, executor=here)
    # Beyond the required rate alone: the verdict holds.
    assert table.loc["ring", "verdict"] == "fits"
    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "run", lambda *_, **__: 1 / 0)
    found = advice(needs, executor=here)
    assert found.table.loc["ring", ["verdict", "why"]].tolist() == [
        "failed",
        "internal error: ZeroDivisionError: division by zero",
    ]
    assert len(found.defects) == found.counts.failed


def test_nothing_to_try_is_said():
    with pytest.raises(rl.RingletError, match="topologies: none of torus"):
        rl.advise({"senders": 1, "receivers": 1, "rate": "1 MB/s", "topologies": ["torus"]})


def test_the_rate_of_the_links_is_a_requirement(here):
    needs = {"senders": 2, "receivers": 2, "rate": "300 MB/s", "loss": 0.01, "duration": "200 us"}
    needs |= {"topologies": ["ring"]}
    slow, fast = (advice(needs | more, executor=here) for more in ({}, {"link_rate": "2 GB/s"}))
    assert [(one.state, one.scenario.network.link_rate) for one in slow.ranked] == [("fails", "500 MB/s")]
    assert [(one.state, one.scenario.network.link_rate) for one in fast.ranked] == [("fits", "2 GB/s")]
    assert fast.to_dict()["requirements"]["link_rate"] == "2 GB/s"
    with pytest.raises(rl.RingletError, match="at most 200 MB/s, the rate of a sender's link"):
        advice(needs | {"link_rate": "200 MB/s"}, executor=here)


def test_too_few_packets_give_no_interval_in_words_and_none_in_json():
    needs = {"senders": 1, "receivers": 1, "rate": "20 MB/s", "duration": "5 us", "at_least": 2, "at_most": 2}
    found = advice(needs | {"message": {"size": "64 byte", "period": "20 us"}}, workers=1)
    reasons = [reason for one in found.ranked if one.verdict is not None for reason in one.verdict.reasons]
    assert any(reason.endswith("% (no interval) of what is offered") for reason in reasons)
    json.dumps(found.to_dict(), allow_nan=False)
    assert all(None in one.values() for one in found.to_dict()["candidates"])


def test_a_budget_that_is_spent_leaves_the_dearest_open(tmp_path, monkeypatch, found):
    clock = [0.0]
    monkeypatch.setattr(runs, "monotonic", lambda: clock[0])

    def tick(counts):
        clock[0] = counts.computed

    store = tmp_path / "store.sqlite"
    # Two networks that are clear after three runs each, and one run of the next.
    some = advice(NEEDS, workers=1, store=store, progress=tick, budget="7 s")
    assert some.counts.computed == 7
    whole = {one.candidate.name: one for one in found.ranked}
    closed = [one for one in some.ranked if runs.SPENT not in one.verdict.reasons]
    for one in closed:
        assert one.verdict == whole[one.candidate.name].verdict
    left = [one for one in some.ranked if one not in closed]
    assert 0 < some.unfinished == len(left)
    assert {one.state for one in left} == {"unclear"}
    assert all(one.why.endswith("not simulated to the end: the budget is spent") for one in left)
    simulated = [one.price for one in closed if one.verdict.runs]
    assert max(simulated) <= min(one.price for one in left)
    # What was simulated is kept.
    rest = advice(NEEDS, workers=1, store=store)
    assert rest.unfinished == 0
    assert (rest.counts.found, rest.counts.computed) == (7, found.counts.computed + found.counts.found - 7)
    assert [one.verdict for one in rest.ranked] == [one.verdict for one in found.ranked]


def test_no_budget_is_enough_for_no_run(tmp_path):
    none = advice(NEEDS, workers=1, budget="0 s")
    assert none.counts.computed == 0
    assert {one.state for one in none.ranked} == {"unclear", "fails"}


def test_a_budget_is_a_time():
    with pytest.raises(rl.RingletError, match="budget: '5' is not allowed; a time with its unit, such as '60 s'"):
        advice(NEEDS, budget="5")


def test_the_command_says_what_a_budget_left_open(capsys):
    needs = ["senders=4", "receivers=4", "rate=20 MB/s", "loss=0.01", "duration=60 us", 'topologies=["ring"]']
    assert main(["advise", *(part for need in needs for part in ("--set", need)), "--budget", "0 s"]) == 0
    printed = capsys.readouterr().out
    assert "unclear (0 runs): not simulated to the end: the budget is spent" in printed
    assert printed.endswith("the budget of 0 s is spent: one candidate left open\n")
