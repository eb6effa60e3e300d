"""A large study is planned, resumed, tabulated and shown piece by piece: in as much memory as a small one."""

import gc
import tracemalloc
from contextlib import closing
from dataclasses import replace

import pandas as pd
import pytest
from small_studies import BASE, here, study

import ringlet as rl
from ringlet.cli.sweep import remarks
from ringlet.report import sweep_tables
from ringlet.simulation import engine_version
from ringlet.store import Store, canonical_json
from ringlet.store.store import without_seed
from ringlet.studies import Study
from ringlet.studies.axes import Space
from ringlet.studies.overview import Warned
from ringlet.studies.schedule import Schedule
from ringlet.studies.worker import Run, simulate

FEW, MANY, AT_ONCE = 300, 1500, 150


def large(points: int) -> Study:
    return Study.from_dict(
        {
            "scenario": {**BASE, "run": {"duration": "1 us", "warmup": 0}},
            "axes": [{"traffic.load": {"start": "20 MB/s", "stop": "80 MB/s", "count": points}}],
        }
    )


def fill(path, points: int) -> Study:
    """A store that has every run of a study: all found what the first one did."""
    whole, engine = large(points), engine_version()
    with Store.open(path) as store:
        schedule = Schedule(whole, store, engine, range(0))
        # To resolve each takes longer, and finds a text that differs in the load alone.
        text = canonical_json(without_seed(whole.point_scenario(0).to_dict()))
        record = simulate(Run(0, 0, text, 1, engine))
        with store.transaction():
            texts = (text.replace('"20 MB/s"', f'"{20 + point / 1000} MB/s"') for point in range(points))
            runs = [(point, 0, store.put(each, 1, engine, record)) for point, each in enumerate(texts)]
            store.studies.add(schedule.id, runs)
    return whole


@pytest.fixture
def small_pieces(monkeypatch):
    """What is read at a time is as little as the stores here are small."""
    monkeypatch.setattr("ringlet.studies.schedule.LOOK_AHEAD", AT_ONCE)
    monkeypatch.setattr("ringlet.store.rows.MOST_SEEN", AT_ONCE)
    monkeypatch.setattr(rl.SweepResult.pieces, "__defaults__", (AT_ONCE,))


def peak_mb(work) -> float:
    # How long garbage stays depends on how much there is beside it: what other tests have loaded is left out.
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def resume(path, whole: Study) -> None:
    with Store.open(path) as store:
        schedule = Schedule(whole, store, engine_version(), range(whole.points))
        assert schedule.take() is None
        assert schedule.counts.found == whole.points


def begin(whole: Study) -> None:
    """Plans a study, and takes as many runs as two workers would."""
    with Store.open() as store:
        schedule = Schedule(whole, store, engine_version(), range(whole.points))
        for _ in range(100):
            assert schedule.take() is not None


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    few, many = folder / "few.sqlite", folder / "many.sqlite"
    return (few, fill(few, FEW)), (many, fill(many, MANY))


def test_planning_takes_as_much_memory_for_ten_thousand_times_the_points(small_pieces, monkeypatch):
    monkeypatch.setattr("ringlet.studies.study.CHECKED_POINTS", AT_ONCE)
    begin(large(FEW))
    few, many = peak_mb(lambda: begin(large(FEW))), peak_mb(lambda: begin(large(10_000 * FEW)))
    assert many < few + 1


def test_resuming_takes_as_much_memory_for_five_times_the_points(stores, small_pieces):
    (few, small), (many, big) = stores
    resume(few, small)
    # Some tenths of a megabyte come and go with what other tests have left.
    assert peak_mb(lambda: resume(many, big)) < peak_mb(lambda: resume(few, small)) + 1


def test_tables_and_what_is_shown_take_as_much_memory_for_five_times_the_points(stores, small_pieces, tmp_path):
    (few, _), (many, big) = stores

    def export(path) -> None:
        with closing(rl.SweepResult.load(path)) as result:
            result.export(tmp_path)
            assert result.overview.summary.rows == result.finished
            remarks(result)

    export(few)
    small = peak_mb(lambda: export(few))
    assert peak_mb(lambda: export(many)) < 1.5 * small
    assert len(pd.read_csv(tmp_path / "points.csv")) == big.points


def test_a_report_of_a_large_study_has_points_evenly_spaced(stores, monkeypatch):
    (_, _), (many, _) = stores
    monkeypatch.setattr("ringlet.report.sweep.MAX_DRAWN", 50)
    with closing(rl.SweepResult.load(many)) as result:
        tables = sweep_tables(result)
    shown = tables.summary["point"]
    assert 40 <= len(shown) <= 50
    assert (shown.iloc[0], shown.iloc[-1]) == (0, MANY - 1)
    assert shown.diff().max() - shown.diff().min() <= 1
    assert tables.points == MANY


@pytest.mark.parametrize("lengths", [(1000,), (10, 1000), (3, 3, 3), (100, 100, 100), (1,), (), (200, 1)])
@pytest.mark.parametrize("most", [1, 10, 500])
def test_fewer_points_are_all_combinations_of_fewer_values_with_both_ends(lengths, most):
    space = Space([{f"key{i}": range(length)} for i, length in enumerate(lengths)])
    points = space.thinned(most)
    assert points == sorted(set(points))
    assert min(space.points, most) / 3 <= len(points) <= most
    kept = [set(places) for places in zip(*map(space.places, points), strict=True)]
    whole = 1
    for places, length in zip(kept, lengths, strict=True):
        whole *= len(places)
        assert len(places) == 1 or {0, length - 1} <= places
    assert len(points) == whole


def pieces_of(result, rows: int) -> pd.DataFrame:
    return pd.concat([piece.summary for piece in result.pieces(rows)], ignore_index=True)


@pytest.mark.parametrize("rows", [1, 3, 5, 100])
def test_pieces_of_any_size_are_the_whole(rows):
    baseline = {"traffic.load": "100 MB/s"}
    axes = [{"traffic.load": ["20 MB/s", "60 MB/s", "100 MB/s"]}, {"network.nodes": [3, 4]}]
    result = here(study(axes=axes, replications={"count": 3}, baseline=baseline))
    pieces = list(result.pieces(rows))
    for name in ("points", "summary", "warnings", "differences"):
        found = pd.concat([getattr(piece, name) for piece in pieces], ignore_index=True)
        pd.testing.assert_frame_equal(found, pd.DataFrame(getattr(result, name)), check_dtype=False)
    nodes = pd.concat([table.frame() for piece in pieces for _, table in piece.part_tables("nodes")], ignore_index=True)
    pd.testing.assert_frame_equal(nodes, result.nodes.all_columns)
    assert all(set(piece.points["point"]).isdisjoint(set(pieces[0].points["point"])) for piece in pieces[1:])


def test_pieces_of_studies_whose_runs_have_other_figures_have_the_same_columns():
    collective = {"operation": "all-reduce", "size": "64 B"}
    axes = [{"traffic.arrivals": ["poisson", "none"], "collective": [None, collective]}]
    result = here(study(axes=axes))
    columns = [piece.points.columns.tolist() for piece in result.pieces(1)]
    assert len(columns) == 2
    assert columns[0] == columns[1] == result.points.columns.tolist()


def test_points_that_are_warned_of_are_named_as_stretches():
    warned = Warned("first")
    warned.add([0, 1, 2, 5], 4)
    warned.add([6, 8], 2)
    assert (warned.where, warned.points, warned.runs) == ("0-2, 5-6, 8", 6, 6)
    many = replace(warned, stretches=[], points=0, last=-1)
    many.add(list(range(0, 100, 2)), 50)
    assert many.where == f"{', '.join(map(str, range(0, 24, 2)))} and 38 more"
