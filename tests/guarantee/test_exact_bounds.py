"""Bounds beside exact worst cases: of few messages, over every relation of their phases."""

import numpy as np
import pytest

from guarantee.exact import exact_trial
from guarantee.sets import PROTOCOLS
from guarantee.varied import varied_trial


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(12))
def test_no_response_over_all_relations_of_phases_is_above_its_bound(protocol, seed):
    found = exact_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_response_of_a_varied_set_over_all_relations_of_phases_is_above_its_bound(protocol, loops, seed):
    found = varied_trial(seed, protocol=protocol, loops=loops)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", ["none", "dfc", "slotted-ring"])
def test_most_bounds_of_few_messages_are_their_exact_worst(protocol):
    found = np.concatenate([exact_trial(seed, protocol=protocol).pessimism for seed in range(40)])
    assert np.median(found) < 1.05
