"""Messages whose releases come late, whose clocks drift, or that are sporadic: in runs, guarantees and searches."""

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.activities.deadlines import deadline_line
from ringlet.simulation.breakdown import breakdown_of

ALARM = {"name": "alarm", "source": 0, "destination": 2, "size": 64, "period": 1000}

CYCLE_NS = 2


def scenario(*messages, **sections):
    table = [{**ALARM, "name": f"m{i}", **message} for i, message in enumerate(messages)]
    return Scenario.from_dict({"network": {"nodes": 4}, "messages": table, **sections})


def refused(*messages, **sections):
    with pytest.raises(RingletError) as caught:
        scenario(*messages, **sections)
    return str(caught.value)


def record(*messages, **sections):
    """What a run found of the first message, and its document."""
    document = rl.run(scenario(*messages, **sections)).to_dict()
    return document["messages"][0], document


def verdict(document):
    return deadline_line(document["messages"], document["saw"]["messages"])


def test_a_late_release_counts_from_when_it_was_due():
    alone = record({}, run={"duration": 1_000_000})[0]
    late = record({"jitter": 200}, run={"duration": 1_000_000})[0]
    assert late["released"] == alone["released"]
    assert late["worst_response_ns"] == alone["worst_response_ns"] + 200 * CYCLE_NS
    # A thousand draws, each alike, from 0 to 200 cycles.
    assert late["mean_response_ns"] == pytest.approx(alone["mean_response_ns"] + 100 * CYCLE_NS, abs=20)
    assert (late["jitter_ns"], alone["jitter_ns"]) == (400, 0)


def test_a_deadline_that_jitter_makes_late_is_missed():
    one, document = record({"jitter": 200, "deadline": 143}, run={"duration": 1_000_000})
    alone = record({}, run={"duration": 10_000})[0]["worst_response_ns"] / CYCLE_NS
    # Draws above what the deadline leaves, of 201.
    share = (200 - (143 - alone)) / 201
    assert one["deadline_miss_ratio"] == pytest.approx(share, abs=0.05)
    assert one["missed"] == document["total"]["missed_deadlines"]
    assert "m0 most" in verdict(document)


def test_a_drift_makes_the_period_longer_and_leaves_the_deadline():
    fast, slow = (scenario({"drift": ppm}).periodic_messages[0] for ppm in (-100, 250))
    assert (fast.period_cycles, slow.period_cycles) == (999.9, 1000.25)
    assert (fast.deadline_cycles, slow.deadline_cycles) == (1000, 1000)
    assert record({"drift": 250_000}, run={"duration": 100_000})[0]["released"] == 80


def test_sporadic_releases_keep_the_least_distance_and_their_mean():
    long = {"run": {"duration": 4_000_000}}
    one, document = record({"sporadic": 1000}, **long)
    assert one["released"] == pytest.approx(2000, abs=100)
    assert one["worst_response_ns"] == record({}, **long)[0]["worst_response_ns"]
    assert document["saw"]["messages"]["sporadic"] == 1


def test_the_same_seed_draws_the_same_and_another_one_does_not():
    content = scenario({"jitter": 300}, {"sporadic": 500, "source": 1, "destination": 3}, run={"duration": 200_000})
    first, again, other = (rl.run(content, seed=seed).to_dict()["messages"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_stepped_simulation_draws_what_a_run_does(tmp_path):
    content = scenario({"jitter": 300}, {"sporadic": 500, "source": 1, "destination": 3}, run={"duration": 50_000})
    run = rl.run(content).nodes["delivered_packets"].tolist()
    stepped = rl.Simulation(content)
    for _ in range(100):
        stepped.advance(250)
    stepped.save(tmp_path / "half")
    ways = [stepped.fork(), rl.Simulation.load(tmp_path / "half"), stepped]
    for way in ways:
        way.advance(25_000)
        assert way.counters().nodes["delivered_packets"].tolist() == run


def test_a_run_with_jitter_says_that_its_releases_are_drawn_and_claims_no_exactness():
    _, document = record({"jitter": 100}, {"source": 1, "destination": 3})
    assert document["exact"] is None
    said = "deadlines: all 2 messages meet all of theirs as drawn (2 hyperperiods, jitter of 1 drawn); least margin: m0"
    assert verdict(document).startswith(said)


def test_a_run_of_a_sporadic_message_says_how_many_releases_it_has_seen():
    _, document = record({"sporadic": 400})
    releases = document["messages"][0]["released"]
    assert releases == pytest.approx(1000, abs=100)
    assert f"(at least {releases} releases of each, distances of 1 drawn)" in verdict(document)
    assert document["saw"]["ended_by"] == "releases"


@pytest.mark.parametrize(("ppm", "words"), [(0.001, "longer than any run, as one message drifts"), (7, "shorter than")])
def test_phases_that_drift_apart_are_no_verdict(ppm, words):
    _, document = record({"drift": ppm}, {"source": 1, "destination": 3}, run={"duration": 100_000})
    assert f"none missed, which is no verdict: the run is {words}" in verdict(document).replace(
        "hyperperiod is", "run is"
    )


def test_a_drift_that_is_a_part_of_a_cycle_comes_back():
    _, document = record({"drift": 1000}, run={"duration": 100_000})
    assert document["saw"]["messages"]["hyperperiods"] >= 1
    assert document["exact"] is not None


def test_a_csv_file_has_columns_for_them(tmp_path):
    rows = "source,destination,size,period_us,jitter_us,drift_ppm,sporadic_us\n0,2,64,2,0.5,-40,1.5\n1,3,64,2,,,\n"
    (tmp_path / "set.csv").write_text(rows)
    (tmp_path / "set.toml").write_text('messages_file = "set.csv"\n[network]\nnodes = 4\n')
    first, second = Scenario.load(tmp_path / "set.toml").periodic_messages
    assert (first.jitter_cycles, first.drift_ppm, first.extra_cycles) == (250, -40, 750)
    assert (second.jitter_cycles, second.drift_ppm, second.extra_cycles) == (0, 0, 0)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"jitter": -1}, ["messages[0].jitter: -1", "at least 0"]),
        ({"jitter": "3 m"}, ["messages[0].jitter: '3 m'", "quantity in ns"]),
        ({"drift": 2e6}, ["messages[0].drift: 2000000", "1000000"]),
        ({"drift": -1e6}, ["messages[0].drift: -1000000", "-1000000"]),
        ({"drift": -999_999.5}, ["messages[0].drift", "at least a cycle"]),
        ({"drift": "fast"}, ["messages[0].drift: 'fast'", "number"]),
        ({"sporadic": "-1 us"}, ["messages[0].sporadic: '-1 us'", "at least 0"]),
    ],
)
def test_times_that_cannot_be_are_refused(message, words):
    said = refused(message)
    assert all(word in said for word in words), said
    assert "\n" not in said


@pytest.mark.parametrize("column", ["drift_us", "jitter_ppm", "jitters"])
def test_a_column_of_another_unit_is_refused(tmp_path, column):
    (tmp_path / "set.csv").write_text(f"source,destination,size,period_us,{column}\n0,2,64,2,1\n")
    content = {"network": {"nodes": 4}, "messages_file": str(tmp_path / "set.csv")}
    with pytest.raises(RingletError, match=rf"line (1|2).*({column}|jitter)"):
        Scenario.from_dict(content)


def test_a_set_that_is_scaled_is_the_same_but_for_its_speed():
    first = scenario({"jitter": 300, "sporadic": 500, "drift": 40}).scaled(2.0).periodic_messages[0]
    assert (first.jitter_cycles, first.extra_cycles, first.drift_ppm) == (150, 250, 40)
    assert first.period_cycles == pytest.approx(500 * (1 + 40e-6))


# --- Guarantees ----------------------------------------------------------------------------------------------------

RING = {"flow_control": {"protocol": "none"}}


def bounds(*messages, **assumed):
    return (rl.guarantee(scenario(*messages, **RING), **assumed)["bound_us"] * 1e3 / CYCLE_NS).round(6).tolist()


def test_each_message_has_its_own_jitter_in_its_bound():
    (alone,), (late,) = bounds({}), bounds({"jitter": 100})
    assert late == alone + 100
    assert bounds({"jitter": 100}, jitter=30) == [late]
    assert bounds({"jitter": 30}, jitter=100) == [late]


def test_the_jitter_of_another_message_counts_where_it_lets_more_of_it_come_by():
    passing = {"source": 3, "destination": 1, "period": 100}
    large = {"size": 1024, "period": 5000}
    plain, late = (bounds(large, {**passing, "jitter": jitter})[0] for jitter in (0, 90))
    assert late > plain


def test_a_sporadic_message_has_the_bound_of_its_least_distance():
    passing = {"source": 3, "destination": 1, "period": 200}
    assert bounds({}, {**passing, "sporadic": 5000}) == bounds({}, passing)


def test_a_clock_that_is_fast_has_the_bounds_of_its_shorter_period():
    passing = {"source": 3, "destination": 1, "period": 100, "jitter": 50}
    large = {"size": 1024, "period": 5000}
    fast = bounds(large, {**passing, "drift": -400_000})
    assert fast == bounds(large, {**passing, "period": 60})
    assert fast[0] > bounds(large, passing)[0]


@pytest.mark.parametrize("seed", range(6))
def test_no_response_of_what_is_drawn_is_above_its_bound(seed):
    random = np.random.default_rng(seed)
    messages = [
        {
            "source": i,
            "destination": (i + 1 + int(random.integers(5))) % 6,
            "size": int(random.integers(1, 200)),
            "period": int(random.integers(900, 3000)),
            "jitter": int(random.integers(0, 2000)) * int(random.integers(2)),
            "sporadic": int(random.integers(0, 500)) * int(random.integers(2)),
            "drift": float(random.uniform(-1000, 1000)),
            "priority": int(random.integers(2)),
        }
        for i in range(6)
    ]
    messages = [one for one in messages if one["source"] != one["destination"]]
    content = scenario(*messages, network={"nodes": 6}, run={"duration": 300_000}, allow_late_deadlines=True, **RING)
    table = rl.guarantee(content)
    worst = rl.run(content).messages["worst_response_ns"] / 1e3
    assert (worst <= table["bound_us"] + 1e-9).all()


# --- Searches ------------------------------------------------------------------------------------------------------


def loaded(**times):
    """Three nodes that send through one link."""
    return scenario(
        *({"source": i, "destination": 3, "size": 512, "period": 1500, "deadline": 1200, **times} for i in range(3)),
        flow_control={"protocol": "dfc"},
    )


def test_jitter_lowers_the_breakdown_factor():
    plain, late = breakdown_of(loaded(), 0.05, 4), breakdown_of(loaded(jitter=600), 0.05, 4)
    assert late.breakdown_factor < plain.breakdown_factor
    assert late.searched_factor <= late.breakdown_factor
    assert plain.simulations > 0


def test_a_search_of_phases_takes_what_is_drawn():
    found = rl.run(scenario({"jitter": 100}, {"source": 1, "destination": 3, "sporadic": 300}, run={"duration": 9000}))
    searched = found.to_dict()
    assert searched["messages"][1]["sporadic_ns"] == 600


def test_a_study_of_sets_draws_jitter_and_drift():
    study = {
        "scenario": {"network": {"nodes": 4}},
        "protocols": [{"protocol": "none"}],
        "utilisations": [0.2],
        "sets": 3,
        "messages": 4,
        "periods": ["2 us", "20 us"],
    }
    plain, _ = rl.schedulability(study, workers=1)
    late, _ = rl.schedulability(study | {"jitter": 0.99, "drift": 100.0}, workers=1)
    assert plain["guaranteed"].tolist() == [1.0]
    assert late["guaranteed"].tolist() < plain["guaranteed"].tolist()
    with pytest.raises(RingletError, match="jitter"):
        rl.schedulability(study | {"jitter": -1}, workers=1)


def test_a_scenario_comes_back_with_its_drift_as_it_was():
    given, left = scenario({"drift": 0}), scenario({})
    assert repr(given.to_dict()["messages"]) == repr(left.to_dict()["messages"])
    assert repr(rl.Scenario.from_dict(given.to_dict()).to_dict()) == repr(given.to_dict())
