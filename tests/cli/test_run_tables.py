"""Lines of `ringlet run` about a whole run."""

from pathlib import Path

import pytest

import ringlet as rl
from ringlet.cli.run import write_report
from ringlet.cli.run_tables import by_message, by_node
from ringlet.cli.verdicts import latency_line
from ringlet.scenario.activities.deadlines import deadline_line
from ringlet.scenario.activities.events.activity import events_line


def message(**others):
    return {
        "name": "a",
        "missed": 0,
        "deadline_ns": 1e4,
        "deadline_miss_ratio": 0.0,
        "worst_response_ns": 2.5e3,
    } | others


SEEN = {"hyperperiods": 3, "hyperperiod_ns": 1e5, "hyperperiod_fits": True, "never_released": 0, "released_once": 0}
SEEN |= {"jittered": 0, "sporadic": 0, "drifting": 0, "least_released": 3, "copies": 0}


@pytest.mark.parametrize(("seconds", "words"), [(1.0, "1000000 us"), (0.00185342, "1853.42 us"), (2e-5, "20 us")])
def test_how_long_a_run_was_has_no_exponent(capsys, seconds, words):
    document = rl.run({"network": {"nodes": 2}, "run": {"duration": "2 us", "warmup": 0}}).document
    write_report(Path("ring.toml"), {**document, "simulated_s": seconds})
    assert f" cycles ({words}) after " in capsys.readouterr().out


@pytest.mark.parametrize(("ratio", "words"), [(0.0123, "1.2 %"), (0.5, "50 %"), (0.99998, "100 %"), (1.0, "100 %")])
def test_the_share_of_missed_deadlines_has_no_exponent(ratio, words):
    late = message(missed=7, deadline_miss_ratio=ratio)
    assert (
        deadline_line([message(), late], SEEN) == f"deadlines: 1 of 2 messages misses some; a most, {words} of its own"
    )


def test_whether_all_deadlines_are_met_is_one_line_with_the_least_margin():
    close = message(name="b", worst_response_ns=9e3)
    assert deadline_line([message(), close], SEEN) == (
        "deadlines: all 2 messages meet all of theirs (3 hyperperiods); least margin: b, 1 us, 10 % of its deadline"
    )


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        ({"released_once": 1}, "1 of 2 messages was released once; nothing is known of their worst"),
        (
            {"released_once": 2, "never_released": 1},
            "1 of 2 messages was never released and 2 of 2 messages were released once; nothing is known of their "
            "worst",
        ),
        ({}, "the run is shorter than the hyperperiod, 100 us, and its deadlines"),
        (
            {"hyperperiod_ns": 120370849847491641344e3, "hyperperiod_fits": False},
            "the hyperperiod, some 3.8 million years, is longer than any run can be",
        ),
        ({"hyperperiod_ns": 3e12}, "the run is shorter than the hyperperiod, some 50 minutes, and its deadlines"),
        ({"hyperperiod_ns": None}, "the hyperperiod is longer than any run"),
    ],
)
def test_a_run_that_has_not_seen_a_hyperperiod_gives_no_verdict(seen, why):
    line = deadline_line([message(), message(name="b")], {**SEEN, "hyperperiods": 0, **seen})
    assert line == f"deadlines: none missed, which is no verdict: {why}"


def test_a_message_without_a_response_leaves_no_verdict():
    line = deadline_line([message(), message(name="b", worst_response_ns=None)], SEEN)
    assert line == "deadlines: none missed, which is no verdict: 1 of 2 messages had no response yet"


def test_a_message_that_is_missed_is_a_verdict_however_short_the_run():
    late = message(missed=1, deadline_miss_ratio=1.0)
    assert "1 of 1 message misses some" in deadline_line([late], SEEN | {"hyperperiods": 0, "released_once": 1})


def of_a_run(events, *, rate, simulated_s):
    return {"events": events, "scenario": {"events": {"rate": rate}}, "simulated_s": simulated_s}


def test_the_latency_of_events_has_no_exponent():
    counts = ("dead_time_triggers", "refused_triggers", "lost_events", "incomplete_events", "open_events")
    events = dict.fromkeys(counts, 0) | {"triggers": 40, "built_events": 40, "event_rate_kHz": 2.0}
    events |= {"event_latency_mean_ns": 11_020_400.0, "event_latency_p99_ns": 939_140.0}
    assert (
        events_line(of_a_run(events, rate="2 kHz", simulated_s=0.02))
        == "events: 40 triggers, 40 built; 2 kHz, latency 11020 us, p99 939.1 us"
    )


def test_a_run_without_a_trigger_says_that_nothing_is_known_of_events():
    line = events_line(of_a_run({"triggers": 0}, rate="100 Hz", simulated_s=1e-3))
    assert line == "events: no trigger in 1000 us, in which 0.1 are expected at 100 Hz; nothing is known of events"


def run(**content):
    return rl.run(content).document


def text(table):
    return list(table.lines(lambda line, _: line))


READS = {
    "network": {"nodes": 4},
    "traffic": {"transaction": "read64", "load": "1 MB/s", "arrivals": "poisson"},
    "run": {"duration": "2 ms", "warmup": 0},
}


def test_the_latency_of_reads_is_that_of_transactions_and_says_so():
    document = run(**READS)
    total = document["total"]
    rows = text(by_node(document["nodes"], total))
    assert "transaction" in rows[0]
    assert "latency" not in rows[0]
    whole = total["message_latency_ns"]["mean"]
    assert whole == pytest.approx(total["request_latency_mean_ns"] + total["response_latency_mean_ns"], rel=0.02)
    assert f"{whole:.1f}" in rows[-1]
    line = latency_line(total)
    assert line.startswith("latency: of transactions, until the response has been served; one way, ")
    assert f"mean {total['latency_ns']['mean']:.2f}" in line


def test_latencies_without_responses_need_no_line():
    document = run(**READS | {"traffic": {"transaction": "send80", "load": "1 MB/s", "arrivals": "poisson"}})
    assert latency_line(document["total"]) is None
    assert "latency" in text(by_node(document["nodes"], document["total"]))[0]


def test_a_starved_node_has_no_latency_in_the_table():
    # Node 2 sends only when both others leave a gap; the few packets that get through are as fast as any.
    traffic = {"arrivals": "saturated", "pattern": "permutation", "destinations": [3, 3, 3, 1]}
    document = run(network={"nodes": 4}, flow_control={"protocol": "none"}, traffic=traffic, run={"duration": "100 us"})
    starved = [node["starved"] for node in document["nodes"]]
    assert any(starved)
    assert not all(starved)
    rows = text(by_node(document["nodes"], document["total"]))
    for node, row in zip(document["nodes"], rows[2:], strict=False):
        assert (row.split()[8] == "-") == node["starved"], row
    assert any(line.startswith("starved: packets waited at node ") for line in document["warnings"])


def test_a_node_with_less_than_a_hundredth_of_its_fair_share_starves_though_it_sends():
    # A node that waits for three others without flow control gets what they leave: 98 % of the link is theirs.
    loads = ["330 MB/s", "325 MB/s", "300 MB/s", 0]
    traffic = {"arrivals": "poisson", "pattern": "permutation", "destinations": [3, 3, 3, 0], "load": loads}
    content = {"network": {"nodes": 4, "echoes": False}, "flow_control": {"protocol": "none"}, "traffic": traffic}
    document = run(**content, run={"duration": "5 ms", "warmup": "1 ms"})
    for node in document["nodes"]:
        if node["starved"]:
            assert node["throughput_MBps"] < 0.01 * node["optimum_MBps"]


def test_of_many_messages_those_that_missed_most_and_came_closest_are_shown_and_the_rest_is_named():
    each = {"source": 0, "destination": 1, "priority": 0, "size_bytes": 64, "period_ns": 1e4, "released": 1}
    each |= {"mean_response_ns": 1.0, "p99_response_ns": 1.0}
    messages = [message(**each, name=f"m{i}", worst_response_ns=100.0 * i) for i in range(50)]
    messages[3] |= {"missed": 1, "deadline_miss_ratio": 1.0}
    rows = text(by_message(messages))
    assert [row.split()[0] for row in rows[2:5]] == ["m3", "m49", "m48"]
    assert rows[-1] == "... 18 more that missed less and came less close; --json has all"
    # The sentence does not make the column of names wider.
    assert rows[2].startswith("m3          0   1 ")
