"""Many seeds, here and in other processes, from real scenarios."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from ringlet.scenario import Scenario
from ringlet.simulation import run, run_many

SEEDS = [3, 1, 2]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_dict(
        {
            "network": {"topology": "ring", "nodes": 4},
            "flow_control": {"protocol": "sci"},
            "traffic": {"transaction": "send80", "pattern": "uniform", "arrivals": "poisson", "load": "100 MB/s"},
            "run": {"duration": "40 us", "warmup": "10 us"},
        }
    )


def comparable(results):
    return [result.to_dict(timing=False) for result in results]


def test_results_come_in_the_order_of_the_seeds(scenario):
    results = run_many(scenario, SEEDS)
    assert [result.seed for result in results] == SEEDS
    assert comparable(results) == comparable([run(scenario, seed=seed) for seed in SEEDS])


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_where_it_runs_makes_no_difference(scenario, executor):
    with executor(2) as pool:
        assert comparable(run_many(scenario, SEEDS, pool)) == comparable(run_many(scenario, SEEDS))


def test_no_seeds_give_no_results(scenario):
    assert run_many(scenario, []) == []


def test_scenarios_survive_a_pickle(scenario):
    copy = pickle.loads(pickle.dumps(scenario))
    assert run(copy).to_dict(timing=False) == run(scenario).to_dict(timing=False)


def test_the_result_holds_the_scenario_that_was_run(scenario):
    document = run(scenario).to_dict()
    assert document["scenario"] == scenario.to_dict()
    assert document["cycles"] == 20_000
    assert document["warmup_cycles"] == 5000
    assert document["symbol_time_ns"] == 2.0


def test_an_offered_load_in_bytes_arrives_as_such(scenario):
    for node in run(scenario, seed=5).to_dict()["nodes"]:
        assert node["offered_MBps"] == pytest.approx(100, rel=0.6)
