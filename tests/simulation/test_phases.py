"""The search for the phases in which responses are longest: what it finds is so, and less than what is guaranteed."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.simulation import phases as phases_module
from ringlet.simulation.lowest_miss import guaranteed_factor, lowest_miss
from ringlet.simulation.phases import Phases, PhaseSearch, PhaseTrials, random_of, search_phases
from ringlet.studies.breakdown import breakdowns

LOOP = {"nodes": [1, 3, 0], "name": "loop", "size": 200, "compute_time": "100 ns", "period": "6 us"}


def scenario(protocol="sci", **sections):
    """Four senders to node 0, the nearest one of which waits longest where the others are under way."""
    return Scenario.from_dict(
        {
            "network": {"nodes": 6},
            "flow_control": {"protocol": protocol},
            "messages": [
                {"name": str(i), "source": i, "destination": 0, "size": 512, "period": 3000, "offset": 700 * i}
                for i in range(1, 5)
            ],
            **sections,
        }
    )


def test_a_trial_equals_the_run_of_the_scenario_that_is_made_of_it():
    given = scenario(loops=[LOOP])
    trials = PhaseTrials(given)
    phases = Phases((0.0, 20.5, 300.25, 1999.0, 5.0), 20_000)
    responses = trials.responses(phases)
    made = trials.as_scenario(phases)
    result = rl.run(made)
    found = [*result.messages["worst_response_ns"], *result.loops["worst_response_ns"]]
    assert [one * made.symbol_time_ns for one in responses] == pytest.approx(found, rel=1e-12)
    assert [one.offset_cycles for one in made.periodic_messages] == list(phases.offsets[:4])


def test_what_is_overdue_at_the_end_counts_with_its_time_so_far():
    late = scenario(messages=[{"name": "m", "source": 1, "destination": 0, "size": 64, "period": 500, "deadline": 20}])
    (response,) = PhaseTrials(late).responses(Phases((0.0,), 40))
    assert response == 39


def test_a_search_finds_longer_responses_than_the_phases_that_are_given_and_none_beyond_the_bound():
    given = scenario("none")
    own = rl.run(given).messages["worst_response_ns"] / given.symbol_time_ns
    found = search_phases(given, 100)
    assert (np.array(found.worst_cycles) >= own.to_numpy()).all()
    assert max(np.array(found.worst_cycles) / own.to_numpy()) > 1.3
    bounds = rl.guarantee(given)["bound_us"].to_numpy() * 1e3 / given.symbol_time_ns
    assert (np.array(found.worst_cycles) <= bounds + 1e-6).all()


def test_the_witness_is_a_scenario_with_the_response_that_was_found():
    found = search_phases(scenario(), 60)
    again = rl.run(Scenario.from_dict(found.witness.short_dict()))
    worst = again.messages["worst_response_ns"].iloc[found.closest]
    assert worst == pytest.approx(found.worst_cycles[found.closest] * found.witness.symbol_time_ns)


def test_the_seed_alone_decides_what_is_found():
    one, two = search_phases(scenario(), 40), search_phases(scenario(), 40)
    assert one.worst_cycles == two.worst_cycles
    assert one.witness.to_dict() == two.witness.to_dict()
    other = search_phases(scenario(run={"seed": 5}), 40)
    assert other.worst_cycles != one.worst_cycles


def test_more_trials_find_no_less():
    few, many = search_phases(scenario(), 20), search_phases(scenario(), 80)
    assert all(one <= two for one, two in zip(few.worst_cycles, many.worst_cycles, strict=True))


def test_offsets_are_phases_within_the_period_and_the_trial():
    search = PhaseSearch(PhaseTrials(scenario()), random_of(scenario()))
    for _ in range(50):
        phases, _ = search.step()
        assert all(0 <= offset < 3000 for offset in phases.offsets)
        assert max(phases.offsets) < phases.cycles


@pytest.mark.parametrize("trials", [0, -1, 10**7])
def test_a_search_needs_a_budget(trials):
    with pytest.raises(RingletError, match="a search needs a budget"):
        search_phases(scenario(), trials)


def test_a_search_needs_something_that_has_phases():
    with pytest.raises(RingletError, match="messages: missing; a search of phases"):
        search_phases(Scenario.from_dict({"network": {"nodes": 4}}), 10)


SET = {"protocols": ["none", "sci", "train"], "tolerance": 0.1, "trials": 40, "workers": 1}


def test_the_three_factors_are_in_order_and_the_witness_misses():
    given = scenario(queues={"receive": 5, "service_time": "20 ns"})
    lower = 0
    for one in breakdowns(given, **SET):
        assert one.searched_factor <= one.breakdown_factor
        assert one.guaranteed_factor is None or 0 < one.guaranteed_factor <= one.searched_factor
        assert (one.guaranteed_factor is None) == (one.why_unproven is not None)
        assert (one.searched_factor < one.breakdown_factor) <= (one.witness is not None)
        assert one.trials == 40
        if one.witness is not None:
            lower += 1
            run = rl.run(one.witness)
            assert run.messages.loc[one.searched_miss, "missed"] > 0
    assert lower


def test_workers_and_places_do_not_matter_for_what_a_search_finds():
    given = scenario()
    assert breakdowns(given, **SET) == breakdowns(given, **SET | {"workers": 2})


def test_deadlines_hold_at_the_guaranteed_factor_and_not_everywhere_a_little_above():
    given = scenario("none")
    factor, why = guaranteed_factor(given, 100.0, 0.02)
    assert why is None
    assert rl.guarantee(given.scaled(factor))["guaranteed"].all()
    assert not rl.guarantee(given.scaled(factor * 1.03))["guaranteed"].all()


def test_a_set_without_a_factor_is_not_searched():
    found = lowest_miss(scenario(), 0.0, "1", 0.1, 50)
    assert (found.factor, found.missed, found.trials, found.witness) == (0.0, "1", 0, None)


def flows(**more):
    """Three flows of one sink whose packets meet only in other phases than their own, and one without a deadline."""
    rows = [
        {"source": i, "destination": 0, "size": 512, "period": 3000, "offset": 700 * i, "deadline": 2500}
        for i in (1, 2, 3)
    ]
    rows.append({"source": 4, "destination": 0, "size": 64, "period": 5000})
    table = {"network": {"nodes": 6}, "flow_control": {"protocol": "none"}, "flows": rows}
    return Scenario.from_dict({**table, "run": {"duration": 60_000, "warmup": 0}, **more})


def test_flows_with_periods_and_deadlines_have_phases_that_are_searched():
    found = search_phases(flows(), 60)
    assert [(one.part, one.name) for one in found.released] == [("flows", f"{i}-0") for i in (1, 2, 3)]
    own = [one.latency_max_ns for one in rl.run(flows()).part("flows").sort_values("name").itertuples()][:3]
    ns = float(flows().symbol_time_ns)
    assert any(worst * ns > mine for worst, mine in zip(found.worst_cycles, own, strict=True))
    # The witness is a scenario, whose run has the response that was found.
    record = rl.run(found.witness).part("flows").set_index("name")
    closest = found.released[found.closest].name
    assert record.loc[closest, "latency_max_ns"] == found.worst_cycles[found.closest] * ns


def test_a_flow_that_is_overdue_in_a_trial_counts_with_its_time_so_far():
    at = PhaseTrials(flows(flows=[{"source": 1, "destination": 0, "size": 4096, "period": 3000, "deadline": 10}]))
    assert at.responses(Phases((0.0,), 40)).tolist() == [39.0]


def test_messages_loops_and_flows_are_searched_together():
    loop = {"nodes": [1, 2, 3], "size": 64, "period": 4000, "deadline": 3000}
    message = {"name": "m", "source": 2, "destination": 0, "size": 64, "period": 2000}
    mixed = flows(loops=[loop], messages=[message])
    at = PhaseTrials(mixed)
    assert [one.part for one in at.released] == ["messages", "loops", "flows", "flows", "flows"]
    offsets = (10.0, 20.0, 30.0, 40.0, 50.0)
    again = at.as_scenario(Phases(offsets, 9000))
    tables = again.to_dict()
    shown = [tables["messages"][0]["offset"], tables["loops"][0]["offset"], *(f["offset"] for f in tables["flows"])]
    assert shown == [*offsets, 0]
    run = rl.run(again)
    worst = [run.messages, run.loops]
    found = [float(table["worst_response_ns"].iloc[0]) for table in worst] + [
        float(one) for one in run.part("flows").set_index("name").loc[["1-0", "2-0", "3-0"], "latency_max_ns"]
    ]
    assert found == [cycles * float(again.symbol_time_ns) for cycles in at.responses(Phases(offsets, 9000))]


def avionics(factor):
    """The set of 45 messages under the rules of go bits of todd2001's nodes, by which idles that follow a packet carry
    what was sent last."""
    cases = Path(__file__).parents[1] / "verdicts" / "cases"
    return Scenario.load(cases / "avionics.toml", ["flow_control.extension='after-send'"]).scaled(factor)


def test_sweeps_find_misses_that_build_up_over_many_periods(monkeypatch):
    """Clocks that are off by up to 100 ppm come to a miss at a load factor of 16."""
    swept = search_phases(avionics(24), 60)
    assert swept.missed > 0
    again = rl.run(swept.witness).messages
    assert again["missed"].sum() > 0
    monkeypatch.setattr(phases_module, "SWEEP_EVERY", 10**9)
    assert search_phases(avionics(24), 60).missed == 0


def test_a_network_of_rings_is_swept_a_quarter_as_often_and_as_long(monkeypatch):
    swept = []
    monkeypatch.setattr(PhaseTrials, "swept", lambda _, phases, *__: swept.append(phases.cycles) or iter(()))
    for topology, sweeps, windows in (("ring", 8, 128), ("dual-ring", 2, 32)):
        swept.clear()
        at = scenario(network={"nodes": 6, "topology": topology})
        search_phases(at, 65)
        alone = PhaseSearch(PhaseTrials(at), np.random.default_rng(1)).step()[0].cycles
        assert swept == [windows * alone] * sweeps


def test_a_sweep_leaves_the_periods_as_they_are():
    trials = PhaseTrials(scenario())
    offsets = (0.0, 20.5, 300.25, 1999.0)
    before = trials.responses(Phases(offsets, 20_000))
    longest = list(trials.swept(Phases(offsets, 20_000), np.full(4, 7.0), 1000))
    assert len(longest) == 20
    assert all((one <= other).all() for one, other in pairwise(longest))
    assert (trials.responses(Phases(offsets, 20_000)) == before).all()
