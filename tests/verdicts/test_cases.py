"""Small inputs of users, and what ringlet says of them: nothing that it does not know."""

import re
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.cli.verdicts import failure_lines, length_line
from ringlet.scenario.activities.deadlines import all_met, deadline_line
from ringlet.scenario.activities.events.activity import events_line

CASES = Path(__file__).parent / "cases"


def load(name, **keys):
    return rl.Scenario.load(CASES / name, [f"{key.replace('__', '.')}={value}" for key, value in keys.items()])


def run(name, **keys):
    return rl.run(load(name, **keys)).document


def verdict(document, part="messages"):
    return deadline_line(document[part], document["saw"][part], part.removesuffix("s"))


def test_a_set_cut_short_says_what_was_released_once_and_gives_no_verdict():
    line = verdict(run("avionics.toml", run__duration='"1 ms"'))
    assert line.startswith("deadlines: none missed, which is no verdict: 31 of 45 messages were released once; ")


def test_periods_that_drift_through_all_phases_give_no_verdict():
    line = verdict(run("avionics-sync.toml", run__duration='"20 ms"'))
    assert line.startswith("deadlines: none missed, which is no verdict: ")


def test_a_late_response_to_a_release_of_the_warm_up_is_no_verdict():
    message = {"source": 0, "destination": 1, "size": 640, "period": "10 us", "deadline": "50 ns"}
    ring = {"network": {"nodes": 2}, "messages": [message], "run": {"warmup": 100, "duration": 1000}}
    document = rl.run(ring).document
    assert document["messages"][0]["missed"] == 0
    late = "1 of 1 message responded late to a release of the warm-up"
    assert verdict(document) == f"deadlines: none missed, which is no verdict: {late}"
    assert not all_met(document)


def test_missed_deadlines_have_one_count_wherever_they_stand():
    document = run("never-complete.toml")
    (message,) = document["messages"]
    assert message["missed"] == document["total"]["missed_deadlines"] == 33


def test_a_run_without_a_trigger_says_so_and_nothing_else_of_events():
    document = run("slow-trigger.toml")
    line = events_line(document | {"simulated_s": 1e-3})
    assert line == "events: no trigger in 1000 us, in which 0.1 are expected at 100 Hz; nothing is known of events"
    assert not any("warm-up" in line for line in document["warnings"])


def test_a_guarantee_names_all_sizes_that_are_needed_at_once():
    scenario = load("two-rings.toml", queues__outstanding=1)
    (why,) = set(rl.guarantee(scenario)["why"])
    sizes = why.partition("all that is needed: ")[2].split(", ")
    assert [size.split(" = ")[0] for size in sizes] == ["switch.receive", "switch.transmit", "queues.outstanding"]
    enough = load("two-rings.toml", **{key.replace(".", "__"): value for key, value in (s.split(" = ") for s in sizes)})
    assert rl.guarantee(enough)["guaranteed"].all()


@pytest.mark.parametrize("source", range(4))
@pytest.mark.parametrize("destination", range(4))
def test_packets_come_through_again_only_where_they_had_to_cross_what_failed(source, destination):
    if source == destination:
        return
    message = {"name": "a", "source": source, "destination": destination, "size": 64, "period": "2 us"}
    document = rl.run(
        {
            "network": {"topology": "dual-ring", "nodes": 4},
            "messages": [message],
            "errors": {"links": [{"source": "1.1", "fails_at": 0}]},
            "run": {"duration": "400 us", "warmup": 0},
        }
    ).document
    (failure,) = document["errors"]["failures"]
    # Link 1.1 is never repaired, and there is no steering: nothing that has to cross it arrives.
    assert failure["first_delivery_ns"] is None
    assert "arrive again" not in failure_lines(document)[0]


@pytest.mark.parametrize(
    ("warm_up", "words"),
    [
        (0, r"[1-9]\d* packets and \d+ echoes lost, the first after \S+ us; detected"),
        ("100 us", r"0 packets and 0 echoes lost in the measured time, the first after \S+ us and before that time;"),
    ],
)
def test_what_was_lost_before_the_measured_time_is_not_said_to_be_lost_in_it(warm_up, words):
    document = rl.run(
        {
            "network": {"topology": "dual-ring", "nodes": 4},
            "messages": [{"name": "a", "source": 1, "destination": 2, "size": 64, "period": "2 us"}],
            "errors": {"links": [{"source": "1.1", "fails_at": "20 us", "repaired_at": "60 us"}]},
            "run": {"duration": "50 us", "warmup": warm_up},
        }
    ).document
    assert re.search(f"fails at 20.00 us: {words}", failure_lines(document)[0])


@pytest.mark.parametrize(("name", "hyperperiod_ns"), [("long-periods.toml", 30e6), ("avionics.toml", 100e6)])
def test_a_set_without_a_duration_is_seen_for_a_hyperperiod(name, hyperperiod_ns):
    document = run(name)
    seen = document["saw"]
    assert (seen["ended_by"], seen["messages"]["hyperperiod_ns"]) == ("hyperperiod", hyperperiod_ns)
    assert seen["messages"]["hyperperiods"] == 1
    assert f"all {len(document['messages'])} messages meet all of theirs (one hyperperiod)" in verdict(document)
    assert f"{1e6 * document['simulated_s']:.0f} us, a hyperperiod of all" in length_line(document)


def test_flows_without_a_duration_are_released_as_often_as_their_percentile_needs():
    flow = {"name": "clock", "source": 0, "destination": 2, "size": 64, "period": "1 us"}
    document = rl.run({"network": {"nodes": 4}, "flows": [flow]}).document
    assert document["saw"]["ended_by"] == "releases"
    assert document["flows"][0]["offered"] == 1000
    assert "1000 us, in which 1000 releases of each flow and sporadic message" in length_line(document)


def test_triggers_without_a_duration_are_as_many_as_their_percentile_needs():
    content = {**load("slow-trigger.toml").to_dict(), "run": {}}
    document = rl.run(content).document
    assert document["saw"]["ended_by"] == "triggers"
    assert document["saw"]["events"]["triggers"] == pytest.approx(1000, rel=0.15)
    assert document["events"]["event_latency_p99_ns"] > 0


@pytest.mark.parametrize("name", ["all-gather-fast.toml", "all-reduce.toml"])
def test_a_collective_operation_without_a_duration_is_complete(name):
    document = run(name)
    assert document["saw"]["ended_by"] == "complete"
    assert document["saw"]["collective"]["complete"]
    taken = document["collective"]["completion_time_ns"] * 1e-9
    assert taken <= document["simulated_s"] <= 1.001 * taken + 1e-6
    assert "until the operation was complete" in length_line(document)


def test_random_traffic_without_a_duration_is_precise_or_says_that_it_grows():
    content = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "60 MB/s"}}
    document = rl.run(content).document
    assert document["saw"]["ended_by"] == "precision"
    assert document["total"]["latency_ns"]["ci95"] <= 0.02 * document["total"]["latency_ns"]["mean"]
    overloaded = rl.run({**content, "traffic": {"arrivals": "poisson", "load": "900 MB/s"}}).document
    assert overloaded["saw"]["ended_by"] == "growing queues"
    assert [line.partition(":")[0] for line in overloaded["warnings"]] == ["overloaded"]
    assert "a longer run says no more of the throughput" in length_line(overloaded)


def test_demands_with_their_unit_are_the_loads():
    found = load("demands.toml", traffic__matrix_unit='"MB/s"')
    assert found.resolved.load == ["192 MB/s", "224 MB/s", "20 MB/s", "96 MB/s"]
    assert found.warnings() == []
    document = rl.run(found).document
    offered = [node["offered_MBps"] for node in document["nodes"]]
    assert offered == pytest.approx([192, 224, 20, 96], rel=0.25)
    assert document["total"]["throughput_MBps"] == pytest.approx(sum(offered), rel=0.01)


def test_demands_without_a_unit_are_said_to_be_no_loads():
    (warning,) = load("demands.toml").warnings()
    assert warning.endswith(
        "loads are those of traffic.load: traffic.matrix_unit, such as 'MB/s', makes them of the rates"
    )


def test_a_node_without_demands_only_receives():
    found = load("demands.toml", traffic__matrix_file='"demands-zero-row.csv"', traffic__matrix_unit='"MB/s"')
    assert found.resolved.load == ["192 MB/s", "224 MB/s", "0 MB/s", "96 MB/s"]
    assert rl.run(found).document["nodes"][2]["offered_MBps"] == 0


@pytest.mark.parametrize("name", ["demands-whitespace.csv", "demands-labelled.csv"])
def test_tables_of_other_programs_are_read(name):
    matrix = load("demands.toml", traffic__matrix_file=f'"{name}"').traffic_matrix()
    assert matrix.tolist() == [[0, 0.5, 0.5, 0], [0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]]


def of_topology(topology, **keys):
    keys = {"network__topology": f'"{topology}"', "network__link_rate": '"1 GB/s"', "run__duration": '"10 ms"', **keys}
    return rl.run(load("dual-ring-light.toml", **keys)).document


def test_stations_on_two_rings_take_half_the_way():
    # On one ring of 10 a packet goes 5 hops on average; on the shorter way 25 / 9.
    far = [of_topology(one, network__hop_delay='"1 us"') for one in ("dual-attached-ring", "ring")]
    ways = [one["total"]["latency_ns"]["mean"] for one in far]
    assert ways[0] / ways[1] == pytest.approx(25 / 9 / 5, rel=0.05)


def test_stations_on_two_rings_need_no_switch():
    switched, attached = map(of_topology, ("dual-ring", "dual-attached-ring"))
    assert switched["total"]["latency_ns"]["mean"] > 5 * attached["total"]["latency_ns"]["mean"]
    assert len(switched["b_links"]) == 10
    assert attached["b_links"] == attached["link_controllers"] == []


def sci_factors(name):
    """Breakdown of SCI with the rules of go bits of todd2001's nodes: idles that follow a packet carry what was sent
    last."""
    scenario = load(name, flow_control__extension="after-send")
    return rl.breakdown(scenario, ["sci"], trials=1, workers=1).loc["sci"]


def test_clocks_that_drift_bring_the_breakdown_factor_down():
    """Periods that are off by up to 100 ppm pass through phases that miss, of which those at time 0 say nothing."""
    assert sci_factors("avionics.toml")["breakdown_factor"] == pytest.approx(38.9, rel=0.02)
    assert sci_factors("avionics-drift.toml")["breakdown_factor"] == pytest.approx(15.8, rel=0.02)


def test_a_load_whose_phases_miss_is_not_called_schedulable():
    """Half of the breakdown factor of other phases, with offsets that a search found."""
    scenario = load("avionics-miss.toml", flow_control__extension="after-send", run__duration='"300 ms"')
    document = rl.run(scenario).document
    assert not all_met(document)
    assert re.match(r"deadlines: [34] of 45 messages miss some; irs2_rates_fcc2 most, ", verdict(document))
    factors = sci_factors("avionics-miss.toml")
    assert factors["searched_factor"] <= factors["breakdown_factor"] < 1


def test_a_table_gives_each_message_its_jitter():
    jittered = load("avionics.toml", messages_file="avionics-jitter.csv")
    bounds, without = rl.guarantee(jittered), rl.guarantee(load("avionics.toml"))
    assert bounds["guaranteed"].all()
    # What may be released later by its jitter also comes after others that are.
    assert (bounds["bound_us"] > without["bound_us"]).all()
    assert "(2 hyperperiods, jitter of 45 drawn)" in verdict(rl.run(jittered).document)
