"""When a point has been simulated often enough."""

import numpy as np
import pytest

from ringlet.errors import RingletError
from ringlet.studies import Replications


def test_a_number_is_wanted_once():
    replications = Replications(count=3)
    assert (replications.first, replications.most, replications.wanted([[1.0]] * 3)) == (3, 3, 3)
    assert [replications.seed(10, i) for i in range(3)] == [10, 11, 12]


def test_given_seeds_are_taken():
    replications = Replications(seeds=[7, 3])
    assert [replications.seed(10, i) for i in range(replications.most)] == [7, 3]


def test_precise_figures_need_no_more():
    replications = Replications(precision=0.1)
    assert replications.wanted([[100.0, 5.0], [101.0, 5.0], [99.0, 5.0], [100.0, 5.0], [100.0, 5.0]]) == 5


def test_more_are_wanted_in_the_light_of_the_worst_figure_and_at_most_twice_as_many():
    replications = Replications(precision=0.01, at_most=100)
    values = [[100.0, x] for x in (4.0, 5.0, 6.0, 5.0, 5.0)]
    assert replications.wanted(values) == 10


def test_the_limit_ends_it():
    replications = Replications(precision=0.0001, at_least=2, at_most=3)
    values = np.random.default_rng(1).random((3, 2)).tolist()
    assert replications.wanted(values[:2]) == 3
    assert replications.wanted(values) == 3
    assert not replications.is_precise(values)


def test_a_figure_that_is_always_zero_is_precise_and_a_missing_one_is_not():
    replications = Replications(precision=0.1, watch=["lost_MBps"])
    assert replications.is_precise([[0.0]] * 5)
    assert not replications.is_precise([[np.nan]] * 5)
    assert not replications.is_precise([[1.0], [1.0], [np.nan]])


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"count": 2, "seeds": [1]}, "replications.seeds: given together with count; one of them is allowed"),
        ({"watch": ["a"]}, "replications.watch: ['a'] is not allowed; it belongs to precision, and there is none"),
        ({"seeds": [1, 1]}, "replications.seeds[1]: 1 is not allowed; each seed once"),
        ({"seeds": [-1]}, "replications.seeds[0]: -1 is not allowed; at least 0 and at most 9223372036854775807"),
        (
            {"precision": 0.1, "at_least": 9, "at_most": 8},
            "replications.at_most: 8 is not allowed; at least 9, the replications to begin with",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(keys, message):
    with pytest.raises(RingletError) as caught:
        Replications(**keys)
    assert str(caught.value) == message
