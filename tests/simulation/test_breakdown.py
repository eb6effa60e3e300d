"""Breakdown: bisection, how long, and whole searches."""

import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.activities.messages.periodic import PeriodicMessage
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.flow_control.sci import Sci
from ringlet.simulation.bisection import DOUBLINGS, bisect
from ringlet.simulation.breakdown import (
    LEAST_PERIODS,
    MOST_PERIODS,
    first_miss,
    hyperperiod_cycles,
    protocols_able,
    simulated_cycles,
    with_protocol,
)
from ringlet.store import Store
from ringlet.studies import breakdown as search
from ringlet.theory.utilisation import utilisation

breakdowns = partial(search.breakdowns, trials=4)
"""Few trials of other phases: `test_phases.py` has the search."""


@given(st.floats(1e-3, 10), st.floats(0.01, 10), st.sampled_from([0.1, 0.01, 0.001]))
def test_the_first_miss_is_found_to_the_tolerance(breakdown, start, tolerance):
    probed = []

    def probe(factor):
        probed.append(factor)
        return "late" if factor > breakdown else None

    factor, missed, simulations = bisect(probe, start, tolerance, least_factor=0.0)
    assert simulations == len(probed)
    if max(probed) <= breakdown:
        assert (factor, missed) == (start * 2**DOUBLINGS, None)
    else:
        assert missed == "late"
        assert factor <= breakdown <= factor * (1 + tolerance)
    assert simulations < 60


def test_a_set_that_always_misses_has_no_breakdown_factor():
    factor, missed, simulations = bisect(lambda factor: "always", 1.0, 0.01, least_factor=1e-6)
    assert (factor, missed) == (0.0, "always")
    assert simulations < 30


def test_the_first_to_miss_is_that_of_the_smallest_factor_that_misses():
    _, missed, _ = bisect(
        lambda factor: None if factor < 1 else "first" if factor < 1.01 else "second", 4.0, 0.001, least_factor=0.0
    )
    assert missed == "first"


def test_no_factor_is_probed_from_the_least_one_on():
    probed = []
    factor, missed, simulations = bisect(lambda factor: probed.append(factor) or "late", 1.0, 0.01, least_factor=0.25)
    assert (factor, missed, simulations) == (0.0, "late", 2)
    assert probed == [1, 0.5]


@pytest.mark.parametrize(
    ("periods", "expected"),
    [([4, 6], 12), ([2.5, 2], 10), ([1000], 1000), ([0.5, 1 / 3], 1), ([7, 11, 13], 1001)],
)
def test_hyperperiods(periods, expected):
    assert hyperperiod_cycles(periods) == expected


def message(period, deadline=None, offset=0.0):
    return PeriodicMessage("m", 0, 1, 0, 64, 1, period, int(deadline or period), offset)


def test_a_simulation_lasts_offsets_hyperperiod_and_deadline():
    assert simulated_cycles([message(400.0, offset=50.0), message(600.0, 300)]) == 50 + 1200 + 400
    assert simulated_cycles([message(400.0)]) == LEAST_PERIODS * 400 + 400
    primes = [message(float(p)) for p in (9973, 9967, 9949, 9941)]
    assert simulated_cycles(primes) == MOST_PERIODS * 9973 + 9973
    many = [message(10_000 + math.pi * k) for k in range(1, 200)]
    assert math.isfinite(simulated_cycles(many))


def scenario(**sections):
    return Scenario.from_dict(
        {
            "network": {"nodes": 4},
            "queues": {"receive": 5, "service_time": "20 ns"},
            "messages": [
                {"name": "fast", "source": 0, "destination": 2, "size": 64, "period": "2 us", "priority": 2},
                {"name": "bulk", "source": 1, "destination": 3, "size": 2048, "period": "20 us", "priority": 1},
                {"name": "slow", "source": 3, "destination": 2, "size": 4096, "period": "50 us"},
            ],
            **sections,
        }
    )


def test_a_set_has_a_breakdown_under_every_protocol():
    found = rl.breakdown(scenario(), tolerance=0.05, trials=4, workers=2)
    tried, refusals = protocols_able(scenario())
    assert list(found.index) == tried
    assert {*tried, *refusals} == set(PROTOCOLS.listed)
    assert (found["breakdown_factor"] > 0).all()
    # Without flow control nodes downstream starve first.
    assert found.loc[["none", "sci", "ppq", "train", "dfc"], "breakdown_factor"].idxmin() == "none"
    assert (found["breakdown_utilisation"] > 0.1).all()
    # Misses come within the simulated time at the latest a little above a full link.
    assert (found["breakdown_utilisation"] < 1.5).all()
    assert set(found["first_miss"]) <= {"fast", "bulk", "slow"}


TORUS = {"topology": "torus", "shape": [2, 2]}


def test_a_set_has_a_breakdown_on_a_network_of_rings():
    found = rl.breakdown(scenario(network=TORUS), ["sci", "dfc"], tolerance=0.05, trials=4, workers=1)
    assert (found["breakdown_factor"] > 0).all()
    assert found["breakdown_utilisation"].between(0.1, 1.5).all()


def test_the_breakdown_of_a_network_is_at_most_that_of_its_switches():
    slow = scenario(network={**TORUS}, switch={"set_up": "400 ns"})
    (found,) = breakdowns(slow, ["sci"], tolerance=0.05)
    needed = utilisation(slow.resolved, slow.resolved.flows)
    b_links = needed.load[needed.places.switches : needed.places.hosts]
    assert b_links.argmax() + needed.places.switches == needed.load.argmax()
    assert found.breakdown_factor * b_links.max() < 1.05


FAILING = {"source": 0, "fails_at": "2 us"}
CROSSING = [{"name": "m", "source": 0, "destination": 3, "size": 200, "period": "4 us"}]


def failing(errors, **sections):
    """A set beside packets that wait for responses and, when these do not come, go on: nothing ever stalls."""
    background = {"load": "10 MB/s", "transaction": "nwrite64"}
    queues = {"receive": 4, "service_time": "20 ns", "response_timeout": "1 us", "response_repeats": 2}
    return scenario(
        **{"network": TORUS, "messages": CROSSING, "traffic": background, "queues": queues, "errors": errors} | sections
    )


@pytest.mark.parametrize("source", [0, "0.2"])
def test_a_message_without_a_way_misses_at_every_load_and_no_long_simulation_is_needed_to_see_it(source):
    (found,) = breakdowns(failing({"links": [FAILING | {"source": source}]}), ["sci"], tolerance=0.9)
    assert (found.breakdown_factor, found.first_miss) == (0.0, "m")
    kind = "port" if isinstance(source, str) else "node"
    assert found.why_none == f"m has no way once link from {kind} {source} has failed"
    assert found.simulations <= 4


def test_a_ring_without_a_switch_leaves_no_way_round_a_link():
    (found,) = breakdowns(failing({"links": [FAILING | {"fails_at": 0}]}, network={"nodes": 4}), ["sci"], tolerance=0.9)
    assert (found.why_none, found.simulations) == ("m has no way once link from node 0 has failed", 1)


def test_of_a_read_the_way_back_counts_too():
    # The way of its requests does not meet node 3's links: it ends there.
    errors = {"links": [{"source": 3, "fails_at": 0}]}
    (found,) = breakdowns(failing(errors, message_transaction="read64"), ["sci"], tolerance=0.9)
    assert found.why_none == "m has no way once link from node 3 has failed"
    (found,) = breakdowns(failing(errors, message_transaction="dmove64"), ["sci"], tolerance=0.9)
    assert "no way" not in str(found.why_none)


@pytest.mark.parametrize(
    "errors",
    [
        {"links": [FAILING | {"repaired_at": "6 us"}]},
        {"links": [FAILING | {"source": "0.2"}], "steers_after": "1 us"},
        {"links": [{"source": 0, "fails_at": "1 s"}]},
        {"bit_error_rate": 1e-6},
    ],
    ids=["repaired", "steered round", "long after", "no failure"],
)
def test_a_message_that_has_a_way_has_a_breakdown(errors):
    (found,) = breakdowns(failing(errors), ["sci"], tolerance=0.9)
    assert found.breakdown_factor > 0
    assert found.why_none is None


def test_no_way_is_left_by_a_node_that_fails_nor_to_it():
    errors = {"nodes": [{"node": 3, "fails_at": "2 us"}], "steers_after": "1 us"}
    (found,) = breakdowns(failing(errors), ["sci"], tolerance=0.9)
    assert found.why_none == "m has no way once node 3 has failed"


def test_a_message_that_other_traffic_never_lets_through_is_not_waited_for_without_end():
    starved = scenario(
        flow_control={"protocol": "none"},
        messages=[{"name": "m", "source": 1, "destination": 3, "size": 2048, "period": "20 us"}],
        traffic={"pattern": "senders-receivers", "senders": [0], "receivers": [2], "arrivals": "saturated"},
        queues={},
    )
    (found,) = breakdowns(starved, ["none"], tolerance=0.9)
    assert (found.breakdown_factor, found.first_miss) == (0.0, "m")
    assert found.why_none == "m is not served within 4096 times as long as it takes alone"
    assert found.simulations < 20
    (found,) = breakdowns(starved, ["sci"], tolerance=0.9)
    assert found.breakdown_factor > 1


def test_packets_that_nothing_sends_again_are_named_as_the_cause():
    full = scenario(
        flow_control={"protocol": "metaring"},
        queues={"receive": 1, "service_time": 1000},
        messages=[{"name": "m", "source": 0, "destination": 2, "size": 2048, "period": "1 ms"}],
    )
    (found,) = breakdowns(full, ["metaring"], tolerance=0.9)
    assert (found.breakdown_factor, found.first_miss) == (0.0, "m")
    assert found.why_none == "packets of m find a receive queue full, and nothing sends them again without echoes"


def test_a_deadline_far_below_the_period_is_searched_for_as_far_as_any():
    rare = {"name": "m", "source": 0, "destination": 2, "size": 64, "period": "1 s", "deadline": "10 us"}
    (found,) = breakdowns(scenario(messages=[rare]), ["sci"], tolerance=0.5)
    assert 1 < found.breakdown_factor < 100


def test_joined_rings_leave_a_way():
    network = {"topology": "dual-ring", "nodes": 4}
    broken = {"links": [{"source": "0.1", "fails_at": "2 us"}]}
    (found,) = breakdowns(failing(broken | {"wraps_after": "2.5 us"}, network=network), ["sci"], tolerance=0.9)
    assert found.why_none is None


def test_a_protocol_that_cannot_run_a_set_is_left_out_with_the_reason():
    tried, refusals = protocols_able(scenario(network={"nodes": 8, "hop_delay": 1}))
    assert "slotted-ring" not in tried
    assert "at least 5 cycles with protocol 'slotted-ring'" in refusals["slotted-ring"]


def test_the_number_of_workers_does_not_matter():
    protocols = ("sci", "dfc")
    one, two = (breakdowns(scenario(), protocols, tolerance=0.1, workers=workers) for workers in (1, 2))
    assert one == two


def test_what_is_in_the_store_is_not_searched_for_again():
    class Refusing:
        def submit(self, *_):
            raise AssertionError("nothing is left to be searched for")

    with Store.open() as store:
        first = breakdowns(scenario(), ["sci", "dfc"], tolerance=0.2, workers=1, store=store)
        assert len(store) == 2
        assert breakdowns(scenario(), ["dfc", "sci"], tolerance=0.2, executor=Refusing(), store=store) == first[::-1]
        with pytest.raises(AssertionError, match="nothing is left"):
            breakdowns(scenario(), ["sci"], tolerance=0.3, executor=Refusing(), store=store)


def test_any_executor_searches():
    with ThreadPoolExecutor(2) as threads:
        found = breakdowns(scenario(), ["sci", "dfc"], tolerance=0.2, executor=threads)
    assert found == breakdowns(scenario(), ["sci", "dfc"], tolerance=0.2, workers=1)


def test_the_factor_found_meets_the_deadlines_and_a_little_more_does_not():
    (found,) = breakdowns(scenario(), ["sci"], tolerance=0.02)
    cycles = simulated_cycles(scenario().periodic_messages)
    at = found.breakdown_factor
    assert first_miss(scenario().scaled(at), math.ceil(cycles / at)) is None
    beyond = at * 1.021
    assert first_miss(scenario().scaled(beyond), math.ceil(cycles / beyond)) is not None


def test_a_deadline_below_the_way_is_missed_at_once():
    tight = scenario(messages=[{"name": "m", "source": 0, "destination": 3, "size": 64, "period": 100, "deadline": 10}])
    assert first_miss(tight, 1000) == "m"


def test_the_scenario_s_own_protocol_keeps_its_options():
    own = scenario(flow_control={"protocol": "dfc", "high_water": 3})
    assert with_protocol(own, "dfc") is own
    assert with_protocol(own, "sci").flow_control == Sci()


def test_reservation_holds_for_those_that_have_it():
    reserving = scenario(retry={"reservation": True})
    assert with_protocol(reserving, "dfc").retry.reservation
    assert not with_protocol(reserving, "ppq").retry.reservation


@pytest.mark.parametrize(
    ("sections", "arguments", "words"),
    [
        ({"messages": None}, {}, ["messages: missing"]),
        ({}, {"tolerance": 0}, ["tolerance: 0", "at least 1e-06 and below 1"]),
        ({}, {"tolerance": 2.0}, ["tolerance: 2.0"]),
        ({}, {"trials": 0}, ["trials: 0", "a search needs a budget"]),
        ({}, {"workers": 0}, ["workers: 0"]),
        ({}, {"protocols": []}, ["protocols: missing"]),
        ({}, {"protocols": ["sci", "magic"]}, ["protocol: 'magic'", "'dfc'"]),
        ({"network": {"nodes": 300}}, {"protocols": ["sci", "dfc"]}, ["network.nodes: 300", "at most 256"]),
    ],
)
def test_what_has_no_breakdown(sections, arguments, words):
    with pytest.raises(RingletError) as caught:
        rl.breakdown(scenario(**sections), **arguments)
    for word in words:
        assert word in str(caught.value), caught.value
