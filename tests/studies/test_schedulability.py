"""Acceptance ratios of random message sets: the same for a seed, and never more guaranteed than simulated."""

from importlib import import_module
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.studies.schedulability import Schedulability

module = import_module("ringlet.studies.schedulability")

EXAMPLE = Path(__file__).parents[2] / "examples" / "schedulability" / "protocols.toml"

STUDY = {
    "scenario": {"network": {"nodes": 4}},
    "protocols": [{"protocol": "dfc", "stop_thru": False}, {"protocol": "grouped"}],
    "utilisations": [0.2, 0.6, 1.0],
    "sets": 12,
    "messages": 6,
    "periods": ["1 us", "5 us"],
}


@pytest.fixture(scope="module")
def found():
    return rl.schedulability(STUDY, workers=1)


def test_no_set_is_guaranteed_that_misses_a_deadline_and_lower_utilisations_accept_more(found):
    ratios, _ = found
    assert not (ratios["guaranteed"] > ratios["simulated"]).any()
    for protocol in ("dfc", "grouped"):
        simulated = ratios.loc[protocol, "simulated"].tolist()
        assert simulated == sorted(simulated, reverse=True)
    assert ratios.loc[("dfc", 0.2), "guaranteed"] > 0


def test_under_a_protocol_without_any_bound_no_share_is_given(found):
    ratios, reached = found
    assert ratios.loc["grouped", "guaranteed"].isna().all()
    assert reached.loc["grouped", "simulated"] > 0
    why = Schedulability.from_dict(STUDY).unproven()
    assert why == {"grouped": "no bound is proven for protocol 'grouped'"}


def test_the_breakdown_utilisation_is_within_the_study(found):
    ratios, reached = found
    assert not (reached["guaranteed"] > reached["simulated"]).any()
    assert reached.loc["dfc", "simulated"] <= 1
    # The mean of the steps that are reached, if no set is accepted beyond one at which it is not.
    steps = ratios.loc["dfc", "simulated"].to_numpy() @ [0.2, 0.4, 0.4]
    assert reached.loc["dfc", "simulated"] <= steps + 1e-12


def test_the_same_seed_gives_the_same_on_processes(found):
    again = rl.schedulability(STUDY, workers=2)
    for one, other in zip(found, again, strict=True):
        assert one.equals(other.loc[one.index])
    assert not rl.schedulability({**STUDY, "seed": 2}, workers=1)[0].equals(found[0])


def test_what_the_store_holds_is_not_computed_again_and_more_sets_are_added(found, tmp_path, monkeypatch):
    file = tmp_path / "sets.sqlite"
    rl.schedulability({**STUDY, "sets": 5}, workers=1, store=file)
    computed = []
    compute = module.computed
    monkeypatch.setattr(module, "computed", lambda task: computed.append(task.number) or compute(task))
    for one, other in zip(found, rl.schedulability(STUDY, workers=1, store=file), strict=True):
        assert one.equals(other.loc[one.index])
    assert sorted(computed) == list(range(5, STUDY["sets"]))


def test_a_guarantee_at_a_utilisation_holds_at_each_lower_one():
    study = Schedulability.from_dict({**STUDY, "simulate": False})
    for number in range(4):
        holds = [
            module._is_guaranteed(study.scenario_of(number, utilisation, 0)) for utilisation in (0.2, 0.4, 0.6, 0.8)
        ]
        assert holds == sorted(holds, reverse=True)


def test_a_set_is_the_same_at_each_utilisation_but_for_its_periods():
    study = Schedulability.from_dict(STUDY)
    slow, fast = (study.scenario_of(3, utilisation, 0).periodic_messages for utilisation in (0.2, 0.8))
    for one, other in zip(slow, fast, strict=True):
        assert (one.source, one.destination, one.packets) == (other.source, other.destination, other.packets)
        assert one.period_cycles == pytest.approx(4 * other.period_cycles)


def test_without_a_simulation_there_is_only_the_guarantee():
    ratios, _ = rl.schedulability({**STUDY, "simulate": False, "sets": 2}, workers=1)
    assert ratios["simulated"].isna().all()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"utilisations": [0.5, 1.2]}, "utilisations"),
        ({"protocols": [{"protocol": "magic"}]}, "flow_control.protocol: 'magic'"),
        ({"periods": ["5 us", "1 us"]}, "periods"),
        ({"scenario": {"network": {"nodes": 1}}}, "scenario.network.nodes"),
        ({"scenario": {"network": {"nodes": 4}, "traffic": {}}}, "scenario.traffic"),
        ({"scenario": {"network": {"topology": "switch", "nodes": 4}}, "protocols": [{}]}, "network.topology"),
        ({"set": 3}, "set"),
    ],
)
def test_a_bad_study_is_refused(keys, message):
    with pytest.raises(rl.RingletError) as error:
        rl.schedulability({**STUDY, **keys}, workers=1)
    assert message in str(error.value)


def test_the_example_is_a_good_study_of_10_000_sets():
    study = Schedulability.load(EXAMPLE)
    assert study.sets * len(study.utilisations) == 10_000


def test_searched_sets_lie_between_those_guaranteed_and_those_simulated(found):
    searched, reached = rl.schedulability({**STUDY, "sets": 6, "trials": 15}, workers=1)
    assert (searched["guaranteed"] <= searched["searched"]).loc["dfc"].all()
    assert (searched["searched"] <= searched["simulated"]).all()
    assert (searched["searched"] < searched["simulated"]).any()
    assert (reached["searched"] <= reached["simulated"]).all()
    assert found[0]["searched"].isna().all()


def test_trials_are_at_least_one():
    with pytest.raises(rl.RingletError, match=r"trials: 0 is not allowed; at least 1"):
        Schedulability.from_dict({**STUDY, "trials": 0})
