"""Bounds beside exact worst cases: of few messages, over every relation of their phases."""

import numpy as np
import pytest

from guarantee.exact import exact_trial
from guarantee.sets import PROTOCOLS


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(12))
def test_no_response_over_all_relations_of_phases_is_above_its_bound(protocol, seed):
    found = exact_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", ["none", "dfc", "slotted-ring"])
def test_most_bounds_of_few_messages_are_their_exact_worst(protocol):
    found = np.concatenate([exact_trial(seed, protocol=protocol).pessimism for seed in range(40)])
    assert np.median(found) < 1.05
