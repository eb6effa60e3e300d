"""Lines of `ringlet run` about a whole run."""

import pytest

from ringlet.cli.run_tables import deadline_line


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
