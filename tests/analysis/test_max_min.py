import numpy as np
import pytest
from scipy.optimize import linprog

from ringlet.analysis.max_min import NO_RESOURCE, Uses, max_min
from ringlet.errors import RingletError


def random_case(rng):
    """Uses, limits and capacities of few commodities and resources; ties, own limits and unused resources all occur."""
    commodities, resources = int(rng.integers(1, 7)), int(rng.integers(1, 9))
    entries = int(rng.integers(commodities, 4 * commodities))
    commodity = np.concatenate([np.arange(commodities), rng.integers(0, commodities, entries - commodities)])
    first = rng.integers(0, resources, entries)
    end = np.array([rng.integers(start + 1, resources + 1) for start in first])
    amount = rng.choice([0.1, 0.5, 1.0, 1.0, 2.0, 41.0], entries) * (1 if rng.random() < 0.5 else rng.random(entries))
    limits = np.where(rng.random(commodities) < 0.6, np.inf, rng.choice([0.0, 0.01, 0.1, 0.5], commodities))
    capacity = rng.choice([1.0, 1.0, 3.0], resources)
    return Uses(commodity, first, end, amount), limits, capacity


def table(uses, commodities, resources):
    """What a rate of 1 of each commodity takes of each resource, entry by entry."""
    found = np.zeros((commodities, resources))
    for commodity, first, end, amount in zip(uses.commodity, uses.first, uses.end, uses.amount, strict=True):
        found[commodity, first:end] += amount
    return found


def level_by_level(costs, limits, capacity):
    """Max-min rates by linear programming: the largest rate that all can have; those that can have no more are done;
    again for the others.

    A commodity whose constraint `rate >= level` has a positive multiplier can have no more in any solution.
    """
    commodities, resources = costs.shape
    fixed = np.full(commodities, np.nan)
    while np.isnan(fixed).any():
        # Variables: the rates, then the level.
        free = np.isnan(fixed)
        above = np.hstack([-np.eye(commodities)[free], np.ones((int(free.sum()), 1))])
        within = np.hstack([costs.T, np.zeros((resources, 1))])
        highest = np.where(free, limits, fixed)
        bounds = [
            (0 if is_free else most, None if np.isinf(most) else most)
            for is_free, most in zip(free, highest, strict=True)
        ]
        solved = linprog(
            np.append(np.zeros(commodities), -1.0),
            A_ub=np.vstack([above, within]),
            b_ub=np.concatenate([np.zeros(len(above)), capacity]),
            bounds=[*bounds, (None, None)],
        )
        assert solved.status == 0
        done = np.flatnonzero(free)[solved.ineqlin.marginals[: len(above)] < -1e-9]
        assert done.size, "some commodity decides the level"
        fixed[done] = solved.x[-1]
    return fixed


def test_rates_are_those_of_linear_programming_level_by_level():
    rng = np.random.default_rng(1994)
    for case in range(300):
        uses, limits, capacity = random_case(rng)
        found = max_min(uses, limits=limits, capacity=capacity).rates
        expected = level_by_level(table(uses, limits.size, capacity.size), limits, capacity)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=f"case {case}, seed 1994")


def test_nobody_could_have_more_but_at_the_cost_of_one_that_has_no_more():
    """Each commodity is at its limit, or uses a full resource of which no other user has more (Bertsekas and
    Gallager, Section 6.5.2)."""
    rng = np.random.default_rng(7)
    for case in range(3000):
        uses, limits, capacity = random_case(rng)
        allocation = max_min(uses, limits=limits, capacity=capacity)
        rates, costs = allocation.rates, table(uses, limits.size, capacity.size)
        load = rates @ costs
        assert (load <= capacity * (1 + 1e-9)).all(), f"case {case}: a resource is overloaded"
        for commodity, resource in enumerate(allocation.stopped_by):
            where = f"case {case}, seed 7, commodity {commodity}"
            if resource == NO_RESOURCE:
                assert rates[commodity] == limits[commodity], where
            else:
                assert costs[commodity, resource] > 0, where
                assert load[resource] == pytest.approx(capacity[resource], rel=1e-9), where
                assert rates[commodity] >= rates[costs[:, resource] > 0].max() * (1 - 1e-9), where


def test_a_limit_below_the_fair_share_leaves_the_rest_to_others():
    uses = Uses(np.array([0, 1, 2]), np.array([0, 0, 0]), np.array([1, 1, 1]), np.ones(3))
    allocation = max_min(uses, limits=[0.1, np.inf, np.inf], capacity=[1.0])
    np.testing.assert_allclose(allocation.rates, [0.1, 0.45, 0.45])
    assert allocation.stopped_by.tolist() == [NO_RESOURCE, 0, 0]


def test_what_uses_nothing_and_has_no_limit_is_refused():
    nothing = np.zeros(0, dtype=np.int64)
    with pytest.raises(RingletError, match="limits: infinite"):
        max_min(Uses(nothing, nothing, nothing, np.zeros(0)), limits=[np.inf], capacity=[1.0])


def test_what_takes_next_to_nothing_of_many_places_is_no_warning():
    # As rounded sums leave it in place of a use.
    uses = Uses(np.array([0, 0]), np.array([0, 1]), np.array([1, 2]), np.array([1.0, 5e-324]))
    with np.errstate(over="raise"):
        assert max_min(uses, limits=[np.inf], capacity=[1.0, 64.0]).rates == [1.0]
