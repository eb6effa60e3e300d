"""Bounds of dual-attached rings: none is exceeded, with a failure neither, and each ring is as it would be alone."""

import numpy as np
import pytest

import ringlet as rl
from guarantee.copied import copied_trial

MESSAGES = [
    {"name": "a", "source": 0, "destination": 3, "size": 64, "period": 1000},
    {"name": "b", "source": 1, "destination": 2, "size": 640, "period": 1000},
]
DUAL = {
    "network": {"topology": "dual-attached-ring", "nodes": 5, "ways": "both"},
    "flow_control": {"protocol": "none"},
    "messages": MESSAGES,
}


@pytest.mark.parametrize("failure", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_no_response_of_a_dual_attached_ring_is_above_its_bound(failure, seed):
    found = copied_trial(seed, failure=failure)
    assert not found.exceeded, found.scenario


def test_a_copy_that_is_first_counts_and_with_a_failure_the_other_one():
    ring = {**DUAL, "network": {"nodes": 5, "echoes": False}}
    falling = [{**one, "source": 4 - one["source"], "destination": 4 - one["destination"]} for one in MESSAGES]
    alone = [rl.guarantee({**ring, "messages": messages})["bound_us"] for messages in (MESSAGES, falling)]
    assert rl.guarantee(DUAL)["bound_us"].tolist() == np.minimum(*alone).tolist()
    assert rl.guarantee(DUAL, any_failure=True)["bound_us"].tolist() == np.maximum(*alone).tolist()


def test_what_has_no_bound_with_a_failure_says_why():
    with_echoes = rl.guarantee({**DUAL, "network": {**DUAL["network"], "echoes": True}}, any_failure=True)
    assert "is sent again and again; there is a bound with network.echoes = false" in with_echoes["why"].iloc[0]
    of_tokens = rl.guarantee({**DUAL, "flow_control": {"protocol": "token-ring"}}, any_failure=True)
    assert "under protocol 'none', where nothing goes round" in of_tokens["why"].iloc[0]
    for network in ({"nodes": 5}, {**DUAL["network"], "ways": "shorter"}):
        with pytest.raises(rl.RingletError, match=r"a dual-attached ring with network\.ways = 'both'"):
            rl.guarantee({**DUAL, "network": network}, any_failure=True)


@pytest.mark.parametrize(
    "errors",
    [
        {"links": [{"source": "2.rising", "fails_at": 10}]},
        {"links": [{"source": "4.rising", "fails_at": 0}, {"source": "0.falling", "fails_at": 5, "repaired_at": 90}]},
        {"nodes": [{"node": 4, "fails_at": 0}]},
    ],
)
def test_a_file_with_one_failure_has_the_bounds_of_any(errors):
    found = rl.guarantee({**DUAL, "errors": errors}, any_failure=True)
    assert found["bound_us"].tolist() == rl.guarantee(DUAL, any_failure=True)["bound_us"].tolist()


def test_messages_of_the_station_that_fails_have_no_bound():
    found = rl.guarantee({**DUAL, "errors": {"nodes": [{"node": 2, "fails_at": 0}]}}, any_failure=True)
    assert found["bound_us"].notna().tolist() == [True, False]
    assert found["why"].iloc[1] == "it is from or to the station that fails"


@pytest.mark.parametrize(
    "errors",
    [
        {"links": [{"source": "2.rising", "fails_at": 10}, {"source": "2.falling", "fails_at": 10}]},
        {"nodes": [{"node": 4, "fails_at": 0}, {"node": 3, "fails_at": 50}]},
        {"nodes": [{"node": 4, "fails_at": 0}], "links": [{"source": "2.rising", "fails_at": 10}]},
        {"nodes": [{"node": 4, "fails_at": 0, "bypass": True}]},
    ],
)
def test_a_file_with_failures_at_more_than_one_place_has_no_bound(errors):
    with pytest.raises(rl.RingletError, match="a link, the links between two stations, or a station"):
        rl.guarantee({**DUAL, "errors": errors}, any_failure=True)
