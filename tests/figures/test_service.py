"""When service is back after a failure, from throughput over time that the test writes down."""

import numpy as np
import pytest

from ringlet.simulation.service import Service

BIN = 64


def service(*stretches, first=None):
    """Returns the service of a run of stretches, each of so many bins of so many words."""
    words = np.concatenate([np.full(bins, float(value)) for bins, value in stretches])
    found = {"bin_cycles": BIN, "words": words, "first_deliveries": [first]}
    return Service(found, cycles=BIN * len(words), symbol_time_ns=2.0, symbol_bytes=2)


def back(*stretches, fails=100, until=None):
    return service(*stretches).back_ns(fails * BIN, until if until is None else until * BIN)


def test_service_is_back_where_throughput_is_95_percent_of_that_before_for_good():
    assert back((100, 40), (30, 10), (70, 39)) == 30 * BIN * 2.0
    # A dip behind the first recovery counts as long as what is missing there.
    assert back((100, 40), (30, 10), (5, 40), (20, 10), (70, 40)) == 55 * BIN * 2.0


def test_the_transient_of_the_run_does_not_count():
    assert back((50, 0), (50, 40), (30, 10), (70, 39)) == 30 * BIN * 2.0


def test_a_failure_without_effect_costs_no_time():
    assert back((200, 40)) == 0


@pytest.mark.parametrize("after", [[(100, 30)], [(100, 10)], [(98, 10), (2, 40)]])
def test_service_that_is_not_back_by_the_end_is_not_back(after):
    assert back((100, 40), *after) is None


def test_the_next_failure_ends_what_is_looked_at():
    assert back((100, 40), (30, 10), (70, 39), (100, 10), until=200) == 30 * BIN * 2.0
    assert back((100, 40), (100, 10), (100, 40), until=200) is None


def test_without_throughput_before_the_failure_nothing_is_known():
    assert back((100, 0), (100, 40)) is None
    assert back((100, 40), fails=0) is None


def test_throughput_is_that_of_whole_bins():
    record = service((3, 32)).record()
    # 32 words of 2 bytes in 128 ns.
    assert record == {"bin_ns": 128.0, "throughput_MBps": [500.0] * 3}


def test_the_first_delivery_counts_from_the_failure():
    assert service((3, 1), first=150).first_delivery_ns(0, 100) == 100
    assert service((3, 1)).first_delivery_ns(0, 100) is None
