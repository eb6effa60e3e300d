"""Bounds of families: none is exceeded by a set with offsets, jitters, drifting clocks and losses within them."""

import numpy as np
import pytest

from guarantee.families import family_trial
from guarantee.sets import PROTOCOLS


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(6))
def test_no_response_of_a_set_of_a_family_is_above_its_bound(protocol, seed):
    found = family_trial(seed, protocol=protocol, members=20)
    assert not found.exceeded, found.scenario
    assert found.sets <= found.simulations <= 20


def test_members_come_close_to_the_bounds_of_their_family():
    found = [family_trial(seed, protocol="none", members=20) for seed in range(12)]
    without_losses = np.concatenate([one.pessimism for one in found if "errors" not in one.scenario])
    assert 1 <= without_losses.min() < 1.02
    assert np.median(without_losses) < 1.5
