"""Limits of physics: what no network can do is refused before anything is simulated, and defaults follow from them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ringlet import RingletError
from ringlet.advice import Requirements
from ringlet.advice.advice import advice
from ringlet.advice.physics import beyond_ns, check_physics, event_ns, look_ns, run_ns, timeout_ns
from ringlet.advice.traffic import base_content, own_content
from ringlet.store import Store

NEEDS = {"senders": 64, "receivers": 16, "rate": "20 MB/s"}

EVENTS = {"event_building": {"fragment": "1 KiB", "build_time": "100 us"}}


def test_an_event_needs_the_time_of_its_fragments_on_one_link():
    wanted = Requirements.from_dict(NEEDS | EVENTS)
    # 64 fragments of 16 packets of 80 bytes at 500 MB/s, and the time to build it.
    assert event_ns(wanted) == pytest.approx(64 * 16 * 80 / 0.5 + 100e3)
    assert timeout_ns(wanted) == 10 * event_ns(wanted)
    assert run_ns(wanted) == 10 * event_ns(wanted)


def test_an_event_is_not_given_up_before_twice_the_latency_that_is_allowed():
    assert timeout_ns(Requirements.from_dict(NEEDS | EVENTS | {"latency": "5 ms"})) == pytest.approx(10e6)
    given = EVENTS["event_building"] | {"timeout": "2 ms"}
    assert timeout_ns(Requirements.from_dict(NEEDS | {"event_building": given})) == pytest.approx(2e6)
    few = {"senders": 2, "receivers": 2, "rate": "20 MB/s", "event_building": {"fragment": "1 KiB"}}
    assert timeout_ns(Requirements.from_dict(few)) == 100e3


def test_slow_senders_are_seen_and_fast_ones_do_not_run_longer():
    assert run_ns(Requirements.from_dict(NEEDS)) == 200e3
    # Of 64 bytes at 0.1 MB/s 50 packets take 32 ms.
    assert run_ns(Requirements.from_dict(NEEDS | {"rate": "1 MB in 10 s"})) == pytest.approx(32e6)
    events = {"event_building": {"fragment": "1 KiB"}, "rate": "100 MB in 10 s", "senders": 32}
    assert run_ns(Requirements.from_dict(NEEDS | events)) == pytest.approx(50 * 1024 / 10e-3)
    slow = {"message": {"size": 64, "period": "1 s"}}
    # 50,000 packets of 64 bytes at 1,280 MB/s.
    assert run_ns(Requirements.from_dict(NEEDS | slow)) == pytest.approx(50_000 * 64 / 1.28)
    assert run_ns(Requirements.from_dict(NEEDS | {"duration": "7 us"})) == pytest.approx(7e3)


def test_a_run_above_the_required_rate_is_shorter_but_sees_ten_events_and_takes_a_duration_that_is_given():
    slow = Requirements.from_dict(NEEDS | {"rate": "1 MB in 10 s"})
    assert beyond_ns(slow) == pytest.approx(run_ns(slow) / 10)
    many = Requirements.from_dict(NEEDS | {"message": {"size": 64, "period": "1 s"}})
    assert beyond_ns(many) == max(200e3, look_ns(many) / 10)
    assert beyond_ns(Requirements.from_dict(NEEDS)) == run_ns(Requirements.from_dict(NEEDS))
    events = Requirements.from_dict(NEEDS | EVENTS)
    assert beyond_ns(events) == 10 * event_ns(events)
    assert beyond_ns(Requirements.from_dict(NEEDS | {"duration": "7 us"})) == pytest.approx(7e3)


def test_only_runs_above_the_required_rate_are_shorter():
    needs = {"senders": 2, "receivers": 2, "rate": "2 MB/s", "loss": 0.05, "topologies": ["ring"]}
    wanted = Requirements.from_dict(needs | {"at_least": 2, "at_most": 2})
    with Store.open() as store, ThreadPoolExecutor(1) as executor:
        advice(wanted, executor=executor, store=store)
        documents = [store.document(result) for result in store]
    measured = {document["cycles"] * document["symbol_time_ns"] for document in documents}
    assert sorted(measured) == pytest.approx([beyond_ns(wanted), run_ns(wanted)])


def test_candidates_have_these_times():
    from ringlet.advice.candidates import candidates

    wanted = Requirements.from_dict(NEEDS | EVENTS)
    one = candidates(wanted)[0]
    assert base_content(wanted)["run"]["duration"] == f"{run_ns(wanted):.12g} ns"
    assert own_content(wanted, one)["events"]["timeout"] == f"{timeout_ns(wanted):.12g} ns"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"senders": 8, "rate": "450 MB/s"},
            "rate: '450 MB/s' is not allowed; at most 408.6 MB/s: a link of 500 MB/s carries at most 400 MB/s of data",
        ),
        (
            {"receivers": 2, "rate": "50 MB/s"},
            "receivers: 2 is not allowed; at least 8: 64 senders have 3200 MB/s, and a link of 500 MB/s carries",
        ),
        (
            EVENTS | {"latency": "100 us"},
            "latency: '100 us' is not allowed; at least 263.8 us: an event needs 163.8 us",
        ),
        (
            {"event_building": {"fragment": "1 KiB", "timeout": "100 us"}},
            "event_building.timeout: '100 us' is not allowed; at least 163.8 us",
        ),
        (EVENTS | {"duration": "100 us"}, "duration: '100 us' is not allowed; at least 263.8 us"),
        (
            {"event_building": {"fragment": "1 KiB", "build_time": "1 ms"}},
            "event_building.build_time: '1 ms' is not allowed; at most 836",
        ),
        (
            {"message": {"size": "4 KiB", "period": "10 us", "deadline": "5 us"}},
            "message.deadline: '5 us' is not allowed; at least 10.24 us, which a link of 500 MB/s takes for 4096 bytes",
        ),
    ],
)
def test_what_no_network_can_do_is_refused_with_the_limit(keys, message):
    with pytest.raises(RingletError) as caught:
        check_physics(Requirements.from_dict(NEEDS | keys))
    assert message in str(caught.value)
    assert len(caught.value.args) == 1


def test_a_deadline_of_a_flow_is_at_least_its_time_on_a_link():
    flow = {"source": "a", "destination": "x", "size": "4 KiB", "period": "1 ms", "deadline": "5 us"}
    with pytest.raises(RingletError, match=r"a-x: deadline: '5 us' is not allowed; at least 10\.24 us"):
        check_physics(Requirements.from_dict({"flows": [flow]}))


def test_a_time_out_that_decides_is_named():
    events = {"fragment": "1 KiB", "timeout": "8 us"}
    needs = {"senders": 2, "receivers": 1, "rate": "40 MB/s", "topologies": ["switch"], "duration": "2 ms"}
    with ThreadPoolExecutor(1) as executor:
        (one, *_) = advice(needs | {"event_building": events, "at_most": 3}, executor=executor).ranked
    assert "given up after 8 us (event_building.timeout)" in one.why


def test_the_least_buffers_with_which_a_network_fits_are_looked_for():
    needs = {"senders": 2, "receivers": 2, "rate": "80 MB/s", "loss": 0.02, "duration": "400 us", "at_most": 6}
    ring = needs | {"topologies": ["ring"], "prices": {"buffer": 2}}
    with ThreadPoolExecutor(1) as executor:
        (one,) = advice(ring | {"buffers": [1]}, executor=executor).ranked
        (searched,) = advice(ring | {"buffers": [1, 16, 64]}, executor=executor).ranked
    assert one.state == "fails"
    assert "allowed (" in one.why
    assert ": senders hold 1 packets (queues.transmit)" in one.why
    assert (searched.state, searched.candidate.transmit) == ("fits", 16)
    assert searched.scenario.to_dict()["queues"]["transmit"] == 16
    assert (one.price, searched.price) == (2 * 2, 2 * 2 * 16)
