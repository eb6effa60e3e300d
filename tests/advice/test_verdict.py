"""Verdicts: intervals against limits."""

import numpy as np
import pandas as pd
import pytest

from ringlet.advice import Requirements
from ringlet.advice.failures import Failing
from ringlet.advice.verdict import Interval, judge, with_failure


def verdict(
    *, lost=(0.0, 0.0, 0.0), latency=(4000.0, 4100.0, 3900.0), packets=10_000, stalled=0, carried=None, **wanted
):
    needs = {"senders": 4, "receivers": 4, "rate": "50 MB/s", "loss": 0.001, "latency": "5 us"}
    runs = pd.DataFrame(
        {
            "offered_MBps": 200.0,
            "lost_MBps": lost,
            "given_up_MBps": 0.0,
            "throughput_MBps": [200.0 - one for one in lost] if carried is None else carried,
            "latency_p99_ns": latency,
            "delivered_packets": packets,
            "lost_packets": 0,
            "stalled": [i < stalled for i in range(3)],
        }
    )
    return judge(Requirements.from_dict(needs | wanted), runs)


FULL = ": senders hold 16 packets (queues.transmit)"


def test_a_network_that_does_what_is_asked_fits():
    found = verdict()
    assert (found.state, found.reasons, found.runs) == ("fits", (), 3)
    assert found.latency.mean == 4000
    # Student's t of 2 degrees of freedom.
    assert found.latency.high == pytest.approx(4000 + 4.3027 * 100 / 3**0.5, rel=1e-4)


def test_without_a_loss_the_rule_of_three_says_how_few_packets_there_are():
    assert verdict().loss.high == pytest.approx(3 / 30_000)
    found = verdict(packets=500)
    assert (found.state, found.reasons) == ("unclear", ("no loss in 1500 packets, too few for 0.1 % allowed",))


def test_no_loss_allowed_means_none_seen():
    assert verdict(loss=0.0, packets=10).state == "fits"
    found = verdict(loss=0.0, lost=(0.0, 0.0, 0.002))
    assert (found.state, found.reasons) == (
        "fails",
        (f"loss 0.00033 %, none allowed{FULL}",),
    )


def test_a_loss_is_compared_with_the_limit():
    found = verdict(lost=(2.0, 2.1, 1.9))
    assert (found.state, found.reasons) == (
        "fails",
        (f"loss 1 %, 0.1 % allowed (10 times){FULL}",),
    )
    assert verdict(lost=(0.0, 0.5, 0.0)).state == "unclear"


def test_what_is_given_up_after_link_errors_is_lost():
    assert verdict(lost=(2.0, 2.0, 2.0)).loss.mean == pytest.approx(0.01)


def test_a_latency_is_compared_with_the_limit():
    found = verdict(latency=(6000.0, 6010.0, 5990.0))
    assert (found.state, found.reasons) == ("fails", ("p99 latency 6 us, 5 us allowed (+20 %)",))
    assert verdict(latency=(4000.0, 6000.0, 4500.0)).state == "unclear"
    nan = float("nan")
    assert verdict(latency=(nan, nan, nan)).reasons == ("p99 latency: nothing arrived",)


def test_a_network_that_fails_says_every_limit_that_it_does_not_keep():
    found = verdict(lost=(2.0, 2.1, 1.9), latency=(4000.0, 6000.0, 4500.0))
    assert found.state == "fails"
    loss, latency = found.reasons
    assert loss == f"loss 1 %, 0.1 % allowed (10 times){FULL}"
    assert latency.startswith("p99 latency 4.833 us (")


def test_data_that_is_neither_lost_nor_delivered_is_missing():
    found = verdict(carried=[150.0, 151.0, 149.0])
    assert (found.state, found.reasons) == ("fails", ("throughput 150 of 200 MB/s (25 % missing)",))


def test_a_stall_fails_whatever_the_rest():
    found = verdict(stalled=1)
    assert (found.state, found.reasons) == ("fails", ("1 of 3 runs stalled",))


def test_what_may_be_missing_or_not_is_unclear():
    found = verdict(carried=[190.0, 200.0, 199.5])
    assert (found.state, found.reasons) == ("unclear", ("throughput 98 % (91 % to 105 %) of what is offered",))


@pytest.mark.parametrize(("duration", "state"), [("300 us", "unclear"), ("3 ms", "fails")])
def test_a_run_as_short_as_an_event_says_nothing_of_a_network_in_which_none_was_complete(duration, state):
    # 64 KiB take 164 us on the link of their receiver, and 100 us are asked to build them.
    nan = float("nan")
    nothing = pd.DataFrame(
        {
            "offered_MBps": [1280.0] * 3,
            "throughput_MBps": [1280.0] * 3,
            "event_latency_p99_ns": nan,
            "loss_ratio": 0.0,
            "triggers": 2000,
            "incomplete_events": 0,
            "lost_packets": 0,
            "lost_events": 0,
            "refused_triggers": 0,
            "stalled": False,
        }
    )
    events = {"fragment": "1 KiB", "build_time": "100 us"}
    needs = {"senders": 64, "receivers": 16, "rate": "20 MB/s", "loss": 0.01, "latency": "500 us"}
    found = judge(Requirements.from_dict(needs | {"event_building": events, "duration": duration}), nothing)
    assert found.state == state
    short = "p99 latency of events: none was complete in runs of 300 us (duration), and an event needs 263.8 us"
    assert found.reasons == ((short,) if state == "unclear" else ("p99 latency of events: nothing arrived",))


@pytest.mark.parametrize(
    ("share", "lost", "state", "reason"),
    [
        (0.5, None, "fails", "50 % of the data have no way, 10 % allowed"),
        (0.05, "no way is left", "unclear", "it cannot be simulated: no way is left"),
        (0.05, Interval(0.05, 0.04, 0.06), "fits", None),
        (0.05, Interval(0.2, 0.19, 0.21), "fails", "20 % of the data are lost, 10 % allowed"),
        (0.05, Interval(0.1, 0.05, 0.15), "unclear", "10 % (5 % to 15 %) of the data are lost, 10 % allowed"),
    ],
)
def test_what_is_lost_with_the_worst_link_broken_is_compared_with_the_limit(share, lost, state, reason):
    needs = {"senders": 4, "receivers": 4, "rate": "50 MB/s", "loss": 0.001, "latency": "5 us", "failure_loss": 0.1}
    failing = Failing("ring 'r0'", "r0.0", steers=True, share=share, reached=np.zeros((4, 4), dtype=bool))
    found = with_failure(Requirements.from_dict(needs), verdict(), failing, lost)
    assert found.state == state
    assert found.reasons == (() if reason is None else (f"with a broken link on ring 'r0' {reason}",))


def test_events_that_are_lost_say_which_limit_took_them():
    runs = pd.DataFrame(
        {
            "offered_MBps": [1280.0] * 3,
            "throughput_MBps": 1280.0,
            "event_latency_p99_ns": 1000.0,
            "loss_ratio": [0.1, 0.101, 0.099],
            "triggers": 1000,
            "incomplete_events": 0,
            "lost_packets": 0,
            "lost_events": [60, 60, 60],
            "refused_triggers": [40, 41, 39],
            "stalled": False,
        }
    )
    needs = {"senders": 64, "receivers": 16, "rate": "20 MB/s", "loss": 0.01, "latency": "500 us"}
    events = {"fragment": "1 KiB", "queue": 3}
    (reason,) = judge(Requirements.from_dict(needs | {"event_building": events}), runs).reasons
    assert reason == (
        "loss 10 %, 1 % allowed (10 times): 6 % found no place: receivers hold 3 events (event_building.queue), "
        "4 % of the triggers found no credit"
    )
