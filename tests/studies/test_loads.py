"""Loads that ringlet chooses: where curves bend, the same whenever and wherever they are chosen."""

import math

import numpy as np
import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.studies.loads import CLOSEST, FIRST, Measured, further_loads, most_carried
from studies.small_studies import BASE, figures, here, study

TOP = 200
AUTO = {"axes": [{"flow_control.protocol": ["none", "sci"]}, {"traffic.load": {"auto": 10}}]}


@pytest.fixture(scope="module")
def result():
    found = here(study(**AUTO))
    yield found
    found.close()


def queue(load: int, *, saturated_at: float) -> Measured:
    """Mean time in a queue that is full at a part of the largest load."""
    used = load / TOP / saturated_at
    return Measured(load, 100 / (1 - used) if used < 1 else math.inf, overloaded=used >= 1)


def chosen(*saturated_at: float, count: int) -> list[int]:
    loads = sorted(round(part * TOP) for part in FIRST)
    while len(loads) < count:
        curves = [[queue(load, saturated_at=each) for load in loads] for each in saturated_at]
        if not (more := further_loads(curves, TOP, count - len(loads))):
            return loads
        assert not set(more) & set(loads)
        loads = sorted({*loads, *more})
    return loads


@pytest.mark.parametrize("saturated_at", [0.02, 0.3, 0.62, 0.95])
def test_loads_close_in_on_the_knee(saturated_at):
    loads = np.array(chosen(saturated_at, count=16)) / TOP
    below, above = loads[loads < saturated_at].max(initial=0.0), loads[loads >= saturated_at].min()
    assert above - below <= CLOSEST + 1 / TOP
    # More than half of the loads that were added are in the upper half of what is carried, or just beyond.
    near = (loads > saturated_at / 2) & (loads <= saturated_at + CLOSEST)
    assert near.sum() >= 4 if saturated_at > 0.1 else near.any()


def test_every_curve_has_its_knee_narrowed_down():
    loads = np.array(chosen(0.3, 0.8, count=16)) / TOP
    for knee in (0.3, 0.8):
        assert loads[loads >= knee].min() - loads[loads < knee].max() <= CLOSEST + 1 / TOP


def test_nothing_is_cut_beyond_the_first_overloaded_point():
    assert [load for load in chosen(0.3, count=14) if load >= 0.5 * TOP] == [100, 150, 200]


def test_pieces_that_are_short_enough_are_left():
    straight = [Measured(load, 100.0, overloaded=False) for load in range(0, TOP + 1, 5)]
    assert further_loads([straight], TOP, 10) == []


def test_the_most_that_is_carried_is_that_of_the_best_point():
    each = [
        most_carried(study(axes=[{"network.nodes": nodes}, {"traffic.load": "auto"}])) for nodes in ([4], [8], [4, 8])
    ]
    assert each[0] > each[1]
    assert each[2] == each[0]
    scenario = rl.Scenario.from_dict({**BASE, "traffic": {"arrivals": "poisson", "load": f"{each[0]} MB/s"}})
    assert scenario.optimum().growth[0] == pytest.approx(1)


def test_a_study_ends_with_the_loads_that_it_was_to_have(result):
    loads = result.summary["traffic.load_MBps"].unique()
    assert len(loads) == 10
    assert np.all(np.diff(loads) > 0)
    assert result.study.auto_loads is None
    assert result.finished == result.study.points * 2 == 40
    largest = most_carried(study(**AUTO))
    assert loads[-1] == pytest.approx(1.1 * largest, rel=0.02)
    overloaded = result.summary["warned_of"].str.contains("overloaded")
    assert overloaded[result.summary["traffic.load_MBps"] == loads[-1]].all()


def test_the_same_loads_are_chosen_again_and_nothing_is_computed_twice(tmp_path, result):
    first = here(study(**AUTO), store=tmp_path / "one.sqlite")
    assert (first.counts.computed, first.counts.found) == (40, 0)
    first.close()
    again = here(study(**AUTO), store=tmp_path / "one.sqlite")
    assert (again.counts.computed, again.counts.found) == (0, 40)
    assert figures(again.summary).equals(figures(result.summary))
    again.close()
    loaded = rl.SweepResult.load(tmp_path / "one.sqlite")
    assert figures(loaded.summary).equals(figures(result.summary))
    loaded.close()


def test_a_sweep_that_ends_half_way_goes_on(tmp_path, result):
    def give_up(counts):
        if counts.done > 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        here(study(**AUTO), store=tmp_path / "cut.sqlite", progress=give_up)
    rest = here(study(**AUTO), store=tmp_path / "cut.sqlite")
    assert 0 < rest.counts.computed < 20
    assert rest.counts.computed + rest.counts.found == 40
    assert figures(rest.summary).equals(figures(result.summary))
    rest.close()


def test_a_baseline_and_figures_go_with_chosen_loads():
    found = here(
        study(
            **AUTO,
            baseline={"flow_control.protocol": "none"},
            plots=[{"x": "traffic.load", "y": ["latency_mean_ns"], "by": "flow_control.protocol"}],
        )
    )
    assert len(found.differences) == 10
    assert len(found.plot.curves().panels) == 3
    found.close()


def test_saturation_says_between_which_loads_each_curve_is_first_overloaded(result):
    found = result.saturation
    assert found["flow_control.protocol"].tolist() == ["none", "sci"]
    loads = sorted(result.summary["traffic.load_MBps"].unique())
    for row in found.itertuples(index=False):
        curve = result.summary[result.summary["flow_control.protocol"] == row[0]]
        over = curve[curve["warned_of"].str.contains("overloaded")]["traffic.load_MBps"].min()
        assert row.first_overloaded_MBps == over
        assert row.not_yet_at_MBps == loads[loads.index(over) - 1]


def test_without_a_load_there_is_no_saturation():
    found = here(study(axes=[{"network.hop_delay": [1, 2]}]))
    assert found.saturation.empty
    found.close()


@pytest.mark.parametrize(
    ("axes", "keys", "words"),
    [
        ([{"network.nodes": "auto"}], {}, "axes[0].network.nodes: 'auto' is not allowed; a list or a range of values"),
        (
            [{"traffic.load": "auto", "network.hop_delay": [1, 2]}],
            {},
            "axes[0].traffic.load: 'auto' is not allowed; a list or a range of values; only traffic.load, alone on its",
        ),
        ([{"traffic.load": {"auto": 3}}], {}, 'axes[0]."traffic.load".auto: 3 is not allowed; at least 5'),
        ([{"traffic.load": "Auto"}], {}, "'Auto' is not allowed; a list or a table or \"auto\""),
        ([{"traffic.load": "auto"}], {"shard": (1, 2)}, "axes.traffic.load: 'auto' is not allowed; loads or a range"),
        (
            [{"traffic.arrivals": ["saturated"]}, {"traffic.load": "auto"}],
            {},
            "traffic.load: 'auto' is not allowed; loads, or a range: by theory no point has a largest load",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused(axes, keys, words):
    with pytest.raises(RingletError) as error:
        here(study(axes=axes), **keys)
    assert words in str(error.value)
