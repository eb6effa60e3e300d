"""Seeds until a verdict is certain: which cases get the second half of a paper's seeds."""

import math
from collections.abc import Mapping
from dataclasses import replace

import fake_todd2001 as fake
import numpy as np
import pytest

from ringlet.papers import paper
from ringlet.papers.agreement import certain, inside, outside
from ringlet.papers.measurement import (
    Interval,
    below,
    common_seeds,
    jointly,
    largest,
    mean_interval,
    median_interval,
    parts_of_relation,
)
from ringlet.papers.picker1994.study import CaseResult
from ringlet.papers.published import PublishedFigure
from ringlet.papers.registry import PICKER1994, RICHTER1997, TODD2001
from ringlet.papers.richter1997.study import Point as DelayPoint
from ringlet.papers.runs import Case
from ringlet.papers.todd2001 import figure8, figure9, figure11
from ringlet.papers.todd2001.curves import STILL_LOW_LOAD, SUSTAINED_LOADS
from ringlet.papers.todd2001.study import FULL

A, B = Case("todd2001", "a.toml"), Case("todd2001", "b.toml")


def between(low, high, case=A):
    return Interval(low, high, (case,), 2)


def published(value, unit="MB/s", *, high=None, kind="exact"):
    return PublishedFigure("x.f1", "x", "f1", "", "", unit, value, high, kind)


def test_a_mean_of_two_seeds_lies_within_12_7_standard_errors():
    found = mean_interval([10.0, 12.0], (A,))
    assert (found.low, found.high) == pytest.approx((11 - 12.706, 11 + 12.706), abs=1e-3)
    assert mean_interval([10.0], (A,)) == Interval(-math.inf, math.inf, (A,), 1)


def test_several_means_hold_together_as_often_as_one():
    draws = np.random.default_rng(3).normal(0.0, 1.0, (4000, 4, 3))
    joint = [[each.joint for each in jointly([mean_interval(values, ()) for values in draw])] for draw in draws]
    held = [all(low <= 0.0 <= high for low, high in each) for each in joint]
    assert np.mean(held) == pytest.approx(0.952, abs=0.01)
    # What one of them is alone does not change.
    alone = mean_interval(draws[0, 0], ())
    (first, *_) = jointly([alone] * 4)
    assert (first.low, first.high) == (alone.low, alone.high) == alone.joint


def test_a_median_lies_between_the_smallest_and_the_largest_of_six_seeds():
    assert median_interval([3.0, 1.0, 2.0, 9.0, 5.0, 4.0], (A,)) == Interval(1.0, 9.0, (A,), 6, "median")
    assert median_interval([3.0, 1.0, 2.0, 9.0, 5.0], (A,)) == Interval(-math.inf, math.inf, (A,), 5, "median")


def test_intervals_hold_the_true_mean_and_median_as_often_as_they_say():
    draws = np.random.default_rng(1).lognormal(0.0, 0.5, (4000, 6))
    median = [median_interval(draw, ()) for draw in draws]
    assert np.mean([each.low <= 1.0 <= each.high for each in median]) == pytest.approx(1 - 2**-5, abs=0.01)
    normal = np.random.default_rng(2).normal(0.0, 1.0, (4000, 2))
    mean = [mean_interval(draw, ()) for draw in normal]
    assert np.mean([each.low <= 0.0 <= each.high for each in mean]) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize(
    ("figure", "within", "across", "beyond"),
    [
        (published(100.0), (96, 104), (94, 96), (80, 94)),
        (published(100.0), (96, 104), (104, 106), (106, 200)),
        (published(100.0), (95, 105), (80, 120), (-5, 0)),
        (published(10.0, "%"), (8, 12), (7, 9), (13, 14)),
        (published(330.0, high=500.0), (330, 500), (400, 501), (501, 502)),
        (published(1.0, "bool", kind="shape"), (1, 1), (0, 1), (0, 0)),
    ],
)
def test_a_verdict_is_certain_wholly_inside_or_wholly_outside(figure, within, across, beyond):
    assert certain(figure, [between(*within)])
    assert inside(figure, between(*within))
    assert not certain(figure, [between(*across)])
    assert certain(figure, [between(*beyond)])
    assert outside(figure, between(*beyond))
    # The furthest counts: one that is outside decides, all must be inside.
    assert certain(figure, [between(*across), between(*beyond)])
    assert not certain(figure, [between(*within), between(*across)])


def test_a_figure_that_could_not_be_obtained_is_open():
    assert not certain(published(100.0), [between(math.nan, math.nan)])
    assert not certain(published(100.0), [between(-math.inf, math.inf)])


def test_relations_of_intervals_hold_fail_or_are_open():
    low, high = between(1, 2), between(3, 4, B)
    assert (below(low, high).low, below(low, high).high, below(low, high).cases) == (1, 1, (A, B))
    assert (below(high, low).low, below(high, low).high) == (0, 0)
    assert (below(between(1, 3), between(2, 4)).low, below(between(1, 3), between(2, 4)).high) == (0, 1)
    # Equal figures are not below one another.
    assert below(between(2, 2), between(2, 2)).high == 0


def test_a_relation_of_many_parts_holds_as_its_parts_do_and_fails_jointly():
    # Alone each margin is surely negative, or surely not; beside others only the one far from 0 is surely negative.
    near, far, fine = between(-2, -1), between(-1001, -1000, B), between(1, 2)
    assert [(part.low, part.high) for part in parts_of_relation([near])] == [(0, 0)]
    found = parts_of_relation([near, far, *[fine] * 10])
    assert [(part.low, part.high) for part in found] == [(0, 1), (0, 0), *[(1, 1)] * 10]
    assert found[1].cases == (B,)


def test_the_joint_interval_of_a_median_needs_more_runs_the_more_figures_stand_beside_it():
    runs = np.arange(12.0)
    six, twelve = median_interval(runs[:6], ()), median_interval(runs, ())
    assert jointly([six])[0].joint == (0, 5)
    assert jointly([six] * 2)[0].joint == (-math.inf, math.inf)
    assert jointly([twelve] * 100)[0].joint == (0, 11)
    assert jointly([twelve] * 103)[0].joint == (-math.inf, math.inf)


def test_a_row_of_many_equal_figures_is_rarely_certain_by_chance():
    # All are just outside: to call them inside all must look so; or just inside: one of twenty looks outside.
    border, many = published(100.0), 20
    draws = np.random.default_rng(5).normal(0.0, 1.0, (1000, many, 5))

    def called(middle, how):
        each = ([mean_interval(middle + values, ()) for values in draw] for draw in draws)
        return np.mean([how(jointly(found)) for found in each])

    inside_wrongly = called(105.1, lambda found: all(inside(border, one) for one in found))
    outside_wrongly = called(104.9, lambda found: any(outside(border, one) for one in found))
    assert inside_wrongly < 0.025
    assert outside_wrongly < 0.05
    # Without joint ends it would be said in every third draw.
    alone = called(104.9, lambda found: any(outside(border, replace(one, beside=1)) for one in found))
    assert alone > 0.25


def test_the_largest_is_one_of_those_that_may_be():
    each = [between(1, 5), between(3, 4, B), Interval(0, 2, (Case("todd2001", "c.toml"),), 2)]
    found = largest(each)
    assert (found.high, found.cases) == (5, (A, B))
    # The lower end is one of two.
    assert found.low == jointly(each[:2])[1].joint[0] < 3
    alone = largest([*each[2:], between(3, 4, B)])
    assert (alone.low, alone.high, alone.cases) == (3, 4, (B,))


def test_cases_with_different_seeds_are_put_together_under_those_that_both_have():
    short, long = common_seeds([np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])])
    assert (short + long).tolist() == [4.0, 6.0]


class Recording(Mapping):
    """Results that record which cases are read."""

    def __init__(self, results):
        self.results, self.read = results, set()

    def __getitem__(self, case):
        self.read.add(case)
        return self.results[case]

    def __iter__(self):
        return iter(self.results)

    def __len__(self):
        return len(self.results)


def one_seed(paper, scale):
    """Every case under one seed, after which no verdict is certain."""
    if paper is TODD2001:
        return fake.results(replace(scale, seeds=(1,)))
    if paper is RICHTER1997:
        return {case: DelayPoint(*np.ones((4, 1))) for case in paper.cases(scale)}
    nodes = {case.file: case.load().network.nodes for case in paper.cases(scale)}
    return {
        case: CaseResult(np.full((1, nodes[case.file]), 0.4), np.full(nodes[case.file], 0.5))
        for case in paper.cases(scale)
    }


@pytest.mark.parametrize("paper", [PICKER1994, TODD2001, RICHTER1997], ids=lambda paper: paper.name)
def test_every_case_that_rows_read_gets_more_seeds_while_all_is_open(paper):
    results = Recording(one_seed(paper, paper.full))
    first = paper.measurements[next(iter(paper.measurements))]
    first(results, paper.full)
    found, long = set(paper.open_cases(results.results, paper.full)), set(paper.long(paper.full))
    # Read, too, but for words beside a row and for tables: the latency at still low load, families of matrices.
    still_low = [f"traffic.load={STILL_LOW_LOAD * levels:g} MiB/s" for levels in (1, 3)]
    beside = {
        case for case in results.read if {*still_low} & {*case.overrides} or "random_matrix.family" in case.command()
    }
    assert results.read - beside - long <= found <= results.read
    assert len(found) < len(results)


def test_only_cases_of_open_rows_get_more_seeds():
    results = fake.results(replace(FULL, seeds=(1, 2)))
    line = figure8.curve("a", "sci")
    settled = set(TODD2001.open_cases(results, FULL))
    for load in SUSTAINED_LOADS:
        case = line.case(load, FULL)
        assert case not in settled
        results[case] = replace(results[case], throughput_MBps=np.array([[600.0], [760.0]]))
    assert set(TODD2001.open_cases(results, FULL)) - settled == {line.case(load, FULL) for load in SUSTAINED_LOADS}
    # As far from what is published as can be: certain again, whether inside or outside.
    for load in SUSTAINED_LOADS:
        case = line.case(load, FULL)
        results[case] = replace(results[case], throughput_MBps=np.array([[100.0], [101.0]]))
    assert set(TODD2001.open_cases(results, FULL)) == settled


def test_a_paper_runs_the_first_half_of_the_seeds_where_rows_read_them_and_no_run_twice(monkeypatch):
    runs = []
    apart = figure8.curve("a", "sci").case(150, FULL)

    def simulate(cases, measure, *, seeds, workers, progress, before=0):
        cases = set(cases)
        runs.extend((case, seed) for case in cases for seed in seeds)
        points = fake.results(replace(FULL, seeds=tuple(seeds)))
        # Far apart at one point, which makes a row open.
        points[apart].throughput_MBps[:, 0] = [500.0 + 100 * seed for seed in seeds]
        return {case: points[case] for case in cases}

    monkeypatch.setattr(paper, "simulate", simulate)
    found = TODD2001.reproduce(quick=False)
    assert len(runs) == len(set(runs))
    assert {case for case, seed in runs if seed == 1} == set(TODD2001.cases(FULL))
    read = {case for case, seed in runs if seed == 2}
    assert {apart, *figure11.long_cases(FULL)} <= read
    # No row reads base SCI where the paper leaves it out.
    assert not read & set(figure9.curve("a", "sci").cases(FULL))
    assert {case for case, seed in runs if seed > 2} < read
    assert {seed for case, seed in runs if case in figure11.long_cases(FULL)} == {1, 2}
    row = next(row for row in found.rows if row.figure.id == "todd2001.f8a.sci")
    assert row.seeds == len(FULL.seeds)
    assert row.obtained == pytest.approx(
        np.mean(
            [
                (500 + 100 * seed + 700 + fake_seed) / 2
                for seed, fake_seed in zip(FULL.seeds, (0, 0, 0, 1, 2), strict=True)
            ]
        )
    )
    assert found.seeds_in_words == "2 to 5"
