"""Lines of `ringlet run` about a whole run."""

import pytest

from ringlet.cli.run_tables import deadline_line, events_line


def message(**others):
    return {
        "name": "a",
        "missed": 0,
        "deadline_ns": 1e4,
        "deadline_miss_ratio": 0.0,
        "worst_response_ns": 2.5e3,
    } | others


@pytest.mark.parametrize(("ratio", "words"), [(0.0123, "1.2 %"), (0.5, "50 %"), (0.99998, "100 %"), (1.0, "100 %")])
def test_the_share_of_missed_deadlines_has_no_exponent(ratio, words):
    late = message(missed=7, deadline_miss_ratio=ratio)
    assert deadline_line([message(), late]) == f"deadlines: 1 of 2 messages miss some; a most, {words} of its own"


def test_whether_all_deadlines_are_met_is_one_line_with_the_least_margin():
    close = message(name="b", worst_response_ns=9e3)
    line = "deadlines: all 2 messages meet all of theirs in this run; least margin: b, 1 us, 10 % of its deadline"
    assert deadline_line([message(), close]) == line


def test_the_latency_of_events_has_no_exponent():
    counts = ("dead_time_triggers", "refused_triggers", "lost_events", "incomplete_events", "open_events")
    events = dict.fromkeys(counts, 0) | {"triggers": 40, "built_events": 40, "event_rate_kHz": 2.0}
    events |= {"event_latency_mean_ns": 11_020_400.0, "event_latency_p99_ns": 939_140.0}
    assert events_line(events) == "events: 40 triggers, 40 built; 2 kHz, latency 11020 us, p99 939.1 us"
