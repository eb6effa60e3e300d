"""Triggers of events: from a file, in spills, with dead times of either kind."""

import math

import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.activities.events.activity import events_line

EVENTS = {"rate": "50 kHz", "builders": [3], "fragment": "256 B"}


def scenario(run=None, **events):
    events = {key: value for key, value in (EVENTS | events).items() if value is not None}
    return Scenario.from_dict({"network": {"nodes": 4}, "events": events, "run": run or {}})


def plan(**events):
    return scenario(**events).network_spec(1)["workload"][0]


def counted(**events):
    run = {"duration": "20 ms", "warmup": 0}
    return rl.run(scenario(run, **events)).document["events"]


def refused(**events):
    with pytest.raises(RingletError) as caught:
        scenario(**events)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- Times --------------------------------------------------------------------------------------------------------


def test_triggers_come_at_their_times():
    found = counted(rate=None, times=["0 us", "7 us", "7.5 us", "300 us"], dead_time="1 us")
    assert (found["triggers"], found["dead_time_triggers"], found["built_events"]) == (4, 1, 3)


def test_times_of_a_file_are_read_exactly_and_counted_from_the_first_one(tmp_path):
    file = tmp_path / "triggers.csv"
    # Nanoseconds of the day's clock, of which a float holds multiples of 256.
    file.write_text("run,time_ns\n7,1791000000000000002\n7,1791000000000000102\n8,1791000000000100002\n")
    made = plan(rate=None, times_file=str(file))
    assert (made["trigger"], made["trigger_cycles"]) == ({"kind": "listed"}, [0, 50, 50_000])
    file.write_text("timestamp [us]\n3.25\n4.5\n")
    assert plan(rate=None, times_file=str(file))["trigger_cycles"] == [0, 625]


def test_a_document_holds_what_files_have(tmp_path):
    (tmp_path / "triggers.csv").write_text("time_us\n5\n8\n")
    (tmp_path / "sensors.csv").write_text("source,size_bytes\n0,640\n1,64: 0.5; 128: 0.5\n2,least: 1; most: 900\n")
    content = {
        "network": {"nodes": 4},
        "events": {"builders": [3], "times_file": "triggers.csv", "fragments_file": "sensors.csv"},
    }
    first = Scenario.from_dict(content, base_dir=tmp_path)
    again = Scenario.from_dict(first.to_dict())
    assert again.network_spec(1) == first.network_spec(1)
    assert rl.run(again).to_dict()["events"] == rl.run(first).to_dict()["events"]


def test_a_run_lasts_until_the_last_trigger(tmp_path):
    assert scenario(rate=None, times=["0 us", "30 ms"]).resolved.horizon.measured > 15_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time_us\n5\n4\n", ", line 3: '4' is not allowed; times that do not go back"),
        ("time_us\n5\nsoon\n", ", line 3: 'soon' is not allowed; a time, a number"),
        ("time\n5\n", ", line 1: 'time' is not allowed; a head with its unit, such as time_ns or time_us"),
        ("time_s,time_us\n5,5\n", "'time_s and time_us' is not allowed; one column of times"),
        ("event\n5\n", "'event' is not allowed; one column of times, such as time_ns or time_us"),
        ("time_us,event\n5\n", ", line 2: <1 values> is not allowed; 2, one per column"),
        ("time_us\n", "<no time> is not allowed; a header and at least one line below it"),
    ],
)
def test_a_file_with_a_wrong_time_is_refused(text, said, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    assert said in refused(rate=None, times_file=str(tmp_path / "x.csv"))


# --- Spills and dead times ----------------------------------------------------------------------------------------


def test_triggers_come_in_spills_at_the_rate_of_these():
    run = counted(trigger="periodic", rate="100 kHz", spill="1 ms", pause="4 ms")
    # Four spills of 100 triggers each.
    assert run["triggers"] == 400
    flow = scenario(trigger="periodic", rate="100 kHz", spill="1 ms", pause="4 ms").resolved.flows[0]
    assert flow.rate == pytest.approx(4 * 100e3 * 2e-9 / 5)


def test_a_run_takes_a_spill_at_least():
    assert scenario(rate="1 MHz", spill="10 ms", pause="20 ms").resolved.horizon.measured >= 30e6 / 2


@pytest.mark.parametrize("kind", ["non-paralysable", "paralysable"])
def test_dead_times_lose_what_their_formulas_say(kind):
    rate, dead = 50e3, 15e-6
    found = counted(rate="50 kHz", dead_time="15 us", dead_time_kind=kind)
    accepted = 1 - found["dead_time_triggers"] / found["triggers"]
    expected = math.exp(-rate * dead) if kind == "paralysable" else 1 / (1 + rate * dead)
    assert accepted == pytest.approx(expected, abs=0.04)
    flow = scenario(dead_time="15 us", dead_time_kind=kind).resolved.flows[0]
    assert flow.rate == pytest.approx(4 * rate * expected * 2e-9)


def test_listed_triggers_in_dead_times_are_counted_for_the_load():
    times = [f"{t} us" for t in (0, 80, 160, 240, 400)]
    rates = [
        scenario(rate=None, times=times, dead_time="100 us", dead_time_kind=kind).resolved.flows[0].rate
        for kind in ("non-paralysable", "paralysable")
    ]
    assert rates[0] / rates[1] == pytest.approx(3 / 2)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ({"rate": None}, "events.rate: missing; trigger 'poisson' needs a rate"),
        ({"times": [1]}, "events.rate: '50 kHz' is not allowed; none with trigger 'times'"),
        ({"rate": None, "trigger": "times"}, "events.times: missing; trigger 'times' needs times or times_file"),
        ({"rate": None, "times": [2, 1]}, "events.times[1]: 1 is not allowed; times that do not go back"),
        ({"rate": None, "times": [1], "times_file": "x"}, "events.times_file: given together with times"),
        ({"trigger": "poisson", "times": [1]}, "events.times: <a list> is not allowed; it belongs to trigger 'times'"),
        ({"spill": "1 ms"}, "events.pause: missing; spills have a duration, spill, and a pause between them"),
        ({"pause": "1 ms"}, "events.spill: missing; spills have"),
        ({"rate": None, "times": [1], "spill": 5, "pause": 5}, "events.spill: 5 is not allowed; none with trigger"),
        ({"dead_time_kind": "dead"}, "events.dead_time_kind: 'dead' is not allowed; 'non-paralysable'"),
    ],
)
def test_keys_that_do_not_go_together_are_refused(events, said):
    assert refused(**events).startswith(said)


def test_without_a_trigger_nothing_is_known():
    run = {"duration": "10 us", "warmup": 0}
    document = rl.run(scenario(run, rate=None, times=["1 ms"])).document
    assert events_line(document) == "events: no trigger in 10 us; nothing is known of events"


# --- The same whatever the way in ---------------------------------------------------------------------------------


def test_steps_forks_and_saves_do_not_matter(tmp_path):
    spills = {"spill": "30 us", "pause": "20 us", "dead_time": "2 us", "dead_time_kind": "paralysable"}
    content = scenario({"duration": "200 us", "warmup": 0}, rate="400 kHz", **spills)
    run = rl.run(content, seed=3)
    assert run.document["events"]["dead_time_triggers"] > 5
    expected = run.nodes["delivered_packets"].tolist()
    stepped = rl.Simulation(content, seed=3)
    for cycles in (1, 999, 7_000, 42_000):
        stepped.advance(cycles)
    stepped.save(tmp_path / "half")
    for way in (stepped.fork(), rl.Simulation.load(tmp_path / "half"), stepped):
        way.advance(50_000)
        assert way.counters().nodes["delivered_packets"].tolist() == expected
