"""Studies from Python: what is computed, what is found, and that it does not matter where."""

import importlib
import itertools
import json
import re
import sys
from collections import OrderedDict
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from small_studies import BASE, LOADS, figures, here, study

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.store import Store
from ringlet.studies import Study
from ringlet.studies.schedule import Schedule
from ringlet.studies.worker import simulated


@pytest.fixture(scope="module")
def result():
    return here(study())


def test_every_point_has_every_replication(result):
    points = result.points
    assert points[["point", "replication", "seed"]].values.tolist() == [
        [p, r, r + 1] for p in range(3) for r in range(2)
    ]
    assert points["traffic.load_MBps"].tolist() == [20.0, 20.0, 60.0, 60.0, 100.0, 100.0]


def test_a_row_can_be_run_again(result):
    row = result.points.iloc[3]
    again = rl.run(result.scenario(int(row["point"])), seed=int(row["seed"]))
    assert again.document["total"]["throughput_MBps"] == row["throughput_MBps"]
    assert again.document["total"]["latency_ns"]["p99"] == row["latency_p99_ns"]
    assert again.to_dict(timing=False) | {"scenario": 0} == result.document(1, 1) | {"scenario": 0}
    assert result.document(1, 1)["scenario"]["run"]["seed"] == 2


def test_every_node_has_a_row(result):
    nodes = result.nodes
    assert len(nodes) == 3 * 2 * 4
    first = rl.run(result.scenario(0)).nodes
    assert nodes["latency_p95_ns"].head(4).tolist() == first["latency_p95_ns"].tolist()
    assert result.priorities.empty
    assert result.messages.empty


def test_the_summary_has_means_and_intervals_over_the_replications(result):
    summary, points = result.summary, result.points
    assert summary["replications"].tolist() == [2, 2, 2]
    pair = points["throughput_MBps"].to_numpy()[:2]
    assert summary["throughput_MBps"][0] == pytest.approx(pair.mean())
    assert summary["throughput_ci95_MBps"][0] == pytest.approx(12.7062 * pair.std(ddof=1) / np.sqrt(2), rel=1e-4)
    assert summary["latency_max_ns"].tolist() == points.groupby("point")["latency_max_ns"].max().tolist()
    assert (summary["ci95_from"] == "replications").all()


def test_a_single_replication_has_the_interval_of_its_run():
    result = here(study(replications={}, scenario=BASE | {"run": {"duration": "2 ms", "warmup": "2 us"}}))
    intervals = result.summary["throughput_ci95_MBps"]
    assert (intervals > 0).all()
    assert intervals.tolist() == result.points["throughput_ci95_MBps"].tolist()
    assert result.summary["latency_p99_ci95_ns"].isna().all()
    assert (result.summary["ci95_from"] == "batches").all()


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_where_it_runs_makes_no_difference(result, executor):
    with executor(2) as pool:
        other = rl.sweep(study(), executor=pool)
        # The executor is the caller's and stays open.
        assert pool.submit(len, "ab").result() == 2
    for table in ("points", "nodes", "summary"):
        assert_frame_equal(figures(getattr(other, table)), figures(getattr(result, table)))


def test_processes_of_this_machine_make_no_difference(result):
    assert_frame_equal(figures(rl.sweep(study(), workers=2).points), figures(result.points))


PRECISE = {"precision": 0.1, "watch": ["throughput_MBps"], "at_least": 2, "at_most": 12}


@pytest.fixture(scope="module")
def precise():
    return here(study(replications=PRECISE))


def test_replications_are_added_until_figures_are_precise(precise):
    summary = precise.summary
    reached = summary["throughput_ci95_MBps"] <= 0.1 * summary["throughput_MBps"]
    assert reached.any()
    assert summary["precision_reached"].tolist() == reached.tolist()
    assert (summary["replications"][~reached] == 12).all()
    assert list(precise.imprecise) == summary["point"][~reached].tolist()
    assert summary["replications"].nunique() > 1


def test_how_many_are_added_does_not_depend_on_who_is_done_first(precise):
    class Backwards(Executor):
        """Does nothing until it has several tasks, then the last one first."""

        def __init__(self):
            self.waiting = []

        def submit(self, function, /, *arguments):
            future = Future()
            self.waiting.append((future, function, arguments))
            return future

    executor = Backwards()

    class Feed:
        """Lets waiting tasks be done whenever the sweep asks for results."""

        def __init__(self, queue):
            self.queue = queue

        def put(self, item):
            self.queue.put(item)

        def empty(self):
            return self.queue.empty()

        def get(self, *, timeout):
            while executor.waiting:
                future, function, arguments = executor.waiting.pop()
                future.set_result(function(*arguments))
            return self.queue.get(timeout=timeout)

        def get_nowait(self):
            return self.queue.get_nowait()

    from queue import SimpleQueue
    from unittest.mock import patch

    with patch.object(sys.modules["ringlet.executors.execute"], "SimpleQueue", lambda: Feed(SimpleQueue())):
        backwards = rl.sweep(study(replications=PRECISE), executor=executor)
    assert_frame_equal(figures(backwards.points), figures(precise.points))


def test_what_is_there_is_not_computed_again(tmp_path):
    file = tmp_path / "store.sqlite"
    first = here(study(), store=file)
    assert (first.counts.computed, first.counts.found) == (6, 0)
    again = here(study(), store=file)
    assert (again.counts.computed, again.counts.found) == (0, 6)
    more = here(study(replications={"count": 3}), store=file)
    assert (more.counts.computed, more.counts.found) == (3, 6)
    changed = here(study(scenario={**BASE, "network": {"nodes": 5}}), store=file)
    assert (changed.counts.computed, changed.counts.found) == (6, 0)
    # Another study with the same points by other means.
    other = Study.from_dict({"scenario": BASE, "axes": [{"traffic.load": LOADS[::-1]}]})
    found = here(other, store=file)
    assert (found.counts.computed, found.counts.found) == (0, 3)


def test_a_failed_attempt_hides_nothing_that_is_finished(tmp_path):
    file = tmp_path / "store.sqlite"
    here(study(), store=file).close()
    with pytest.raises(RingletError, match="there are no other processes"):
        rl.sweep(study(), store=file, executor="mpi")
    assert len(rl.SweepResult.load(file).points) == 6


def test_points_that_an_earlier_sweep_finished_are_not_even_made(tmp_path, monkeypatch):
    file = tmp_path / "store.sqlite"
    here(study(), store=file, shard=(1, 2)).close()
    made, begin = [], Schedule._begin

    def recorded(schedule, number):
        made.append(number)
        begin(schedule, number)

    monkeypatch.setattr(Schedule, "_begin", recorded)
    rest = here(study(), store=file)
    assert made == [1]
    assert (rest.counts.computed, rest.counts.found, rest.counts.total) == (2, 4, 6)


def test_a_run_that_failed_is_tried_again(tmp_path, monkeypatch):
    file = tmp_path / "store.sqlite"
    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "run", lambda *_, **__: 1 / 0)
    failed = here(study(), store=file)
    assert failed.failures["reason"].tolist() == ["internal error: ZeroDivisionError: division by zero"] * 6
    assert failed.summary.empty
    failed.close()
    monkeypatch.undo()
    again = here(study(), store=file)
    assert (again.counts.computed, len(again.failures)) == (6, 0)


@pytest.mark.parametrize("error", [MemoryError("8 GB"), OSError("no space left")])
def test_what_the_machine_lacks_is_no_internal_error(monkeypatch, error):
    def fail(scenario, **options):
        raise error

    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "run", fail)
    assert here(study()).failures["reason"].tolist() == [f"{type(error).__name__}: {error}"] * 6


def test_other_code_does_not_reuse_a_result(tmp_path, monkeypatch):
    file = tmp_path / "store.sqlite"
    here(study(), store=file)
    for module in ("ringlet.studies.sweep", "ringlet.studies.worker"):
        monkeypatch.setattr(sys.modules[module], "engine_version", lambda: "0.0.9+abc")
    changed = here(study(), store=file)
    assert changed.counts.computed == 6
    assert set(changed.points["ringlet"]) == {"0.0.9+abc"}


def test_a_changed_file_of_the_scenario_is_another_point(tmp_path):
    matrix = tmp_path / "matrix.csv"
    content = {
        **BASE,
        "network": {"nodes": 2},
        "traffic": {**BASE["traffic"], "pattern": "matrix", "matrix_file": "matrix.csv"},
    }
    content["network"] = {"nodes": 3}
    matrix.write_text("0,1,0\n0,0,1\n1,0,0\n", encoding="utf-8")
    made = Study.from_dict({"scenario": content}, base_dir=tmp_path)
    store = Store.open(tmp_path / "store.sqlite")
    assert here(made, store=store).counts.computed == 1
    assert here(made, store=store).counts.computed == 0
    matrix.write_text("0,0,1\n1,0,0\n0,1,0\n", encoding="utf-8")
    changed = here(made, store=store)
    assert changed.counts.computed == 1
    assert changed.document(0)["scenario"]["traffic"]["matrix"][0] == [0.0, 0.0, 1.0]


def test_results_open_as_a_data_frame_in_two_lines(tmp_path):
    made = here(study(title="a title"), store=tmp_path / "store.sqlite")
    opened = rl.SweepResult.load(tmp_path)
    assert_frame_equal(opened.points, made.points)
    assert opened.study == made.study
    assert opened.study.title == "a title"


def test_shards_make_up_the_whole(tmp_path, result):
    with Store.open(tmp_path / "store.sqlite") as store:
        for i in (1, 2):
            part = here(study(), shard=(i, 2), store=tmp_path / f"{i}.sqlite")
            assert part.points["point"].unique().tolist() == list(range(i - 1, 3, 2))
            part.close()
            assert store.merge(tmp_path / f"{i}.sqlite") == len(part.study.axes[0]["traffic.load"][i - 1 :: 2]) * 2
            assert store.merge(tmp_path / f"{i}.sqlite") == 0
        whole = here(study(), store=store)
        assert (whole.counts.computed, whole.counts.found) == (0, 6)
        assert_frame_equal(figures(whole.points), figures(result.points))
        assert_frame_equal(figures(whole.nodes), figures(result.nodes))


def test_a_point_that_cannot_be_simulated_does_not_stop_the_others(monkeypatch):
    # As in a study of more than 1,000 points, which is not checked as a whole.
    monkeypatch.setattr(Study, "check", lambda self: None)
    result = here(study(axes=[{"network.nodes": [2, 0, 3]}]))
    assert result.points["network.nodes"].tolist() == [2, 2, 3, 3]
    assert result.failures[["point", "replication", "network.nodes"]].values.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert result.failures["reason"][0] == "point 1 (network.nodes=0): network.nodes: 0 is not allowed; at least 1"
    assert result.counts.done == result.counts.total == 6


def test_progress_is_told():
    seen = []
    here(study(), progress=lambda counts: seen.append((counts.done, counts.total)))
    assert seen[-1] == (6, 6)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_progress_is_a_line_where_it_is_asked_for(capsys):
    here(study(), progress=True)
    first, *texts = capsys.readouterr().err.split("\r")
    assert first == ""
    # Each text is as long as the one before, or would leave a rest of it.
    assert all(len(after) >= len(before) for before, after in itertools.pairwise(text.rstrip("\n") for text in texts))
    assert re.fullmatch(r"sweep: 6 of 6 runs, \d+ s\n", texts[-1])
    here(study(), progress=False)
    assert capsys.readouterr().err == ""


def test_a_scenario_and_axes_make_a_study():
    scenario = rl.Scenario.from_dict(BASE)
    product = here(scenario, {"network.nodes": np.array([2, 3]), "run.seed": range(5, 7)})
    assert product.points[["network.nodes", "seed"]].values.tolist() == [[2, 5], [2, 6], [3, 5], [3, 6]]
    together = here(scenario, [{"network.nodes": (2, 3), "run.duration": ["4 us", "8 us"]}], replications=2)
    assert together.summary[["network.nodes", "run.duration_us", "replications"]].values.tolist() == [
        [2, 4, 2],
        [3, 8, 2],
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axes": {"network.nodes": 3}}, 'axes[0]."network.nodes": 3 is not allowed; a list or a table'),
        ({"axes": 3}, "axes: 3 is not allowed; keys with their values, or a list of such"),
        ({"replications": 0}, "replications.count: 0 is not allowed; at least 1"),
        ({"workers": 0}, "workers: 0 is not allowed; at least 1"),
        ({"shard": (3, 2)}, "shard: '3/2' is not allowed; I/N with I from 1 to N"),
        ({"executor": "ftp://here"}, "executor: 'ftp://here' is not allowed; allowed: dask://HOST:PORT"),
        ({"executor": "mpi", "workers": 2}, "workers: given together with an executor"),
        ({"study": 3}, "study: '<a int>' is not allowed"),
    ],
)
def test_a_bad_argument_is_named(arguments, message):
    with pytest.raises(RingletError) as caught:
        rl.sweep(**{"study": rl.Scenario.from_dict(BASE), **arguments})
    assert str(caught.value).startswith(message.replace("'<a int>'", "<a int>"))


def test_an_executor_that_is_closed_is_said_and_what_is_finished_kept(tmp_path):
    class Closing(ThreadPoolExecutor):
        """Takes the first run, which goes alone; how many of the others go together depends on how long it took."""

        taken = 0

        def submit(self, *arguments):
            self.taken += 1
            if self.taken > 1:
                self.shutdown()
            return super().submit(*arguments)

    file = tmp_path / "store.sqlite"
    with pytest.raises(
        RingletError, match=r"executor: it ended while runs were under way .*; what is finished is kept"
    ):
        rl.sweep(study(), executor=Closing(1), store=file)
    assert here(study(), store=file).counts.done == 6


def test_a_worker_with_other_code_is_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["ringlet.studies.worker"], "engine_version", lambda: "0.0.9+abc")
    with pytest.raises(RingletError, match=r"runs ringlet 0.0.9\+abc; allowed: 0.1.0\+"):
        here(study())


def test_what_directs_a_sweep_has_checked_its_points_and_a_worker_does_not_check_them_again(monkeypatch):
    checks = importlib.import_module("ringlet.scenario.resolved.checks")
    # One of the checks of every scenario, of whatever it takes from the one before it.
    check, checked = checks._check_arrivals, []

    def counted(resolved):
        checked.append(resolved)
        check(resolved)

    monkeypatch.setattr(checks, "_check_arrivals", counted)
    monkeypatch.setattr("ringlet.scenario.scenario._LATEST", OrderedDict())
    whole = study()
    whole.check()
    once, before = len(checked), len(checked)
    here(whole)
    # All points before the first run, and none again.
    assert len(checked) - before == once > 0


@pytest.mark.parametrize(
    "keys",
    [
        {"network": {"nodes": 3}, "traffic": {"pattern": "matrix", "matrix": [[0, 2, 1], [1, 0, 3], [1, 1, 0]]}},
        {"network": {"nodes": 4}, "messages": [{"source": 0, "destination": 2, "size": 64, "period": "5 us"}]},
        {"network": {"topology": "switch", "nodes": 4, "ports": 4}, "flow_control": {"protocol": "sci"}},
    ],
)
def test_a_scenario_that_is_kept_from_the_check_gives_the_record_of_its_text(keys):
    traffic = {"arrivals": "poisson", **keys.get("traffic", {})}
    base = {**keys, "traffic": traffic, "run": {"duration": "20 us", "warmup": 0}}
    whole = Study.from_dict({"scenario": base, "axes": [{"traffic.load": ["10 MB/s", "40 MB/s"]}]})
    whole.check()
    for point in range(whole.points):
        text, seed = whole.point_text(point)
        scenario = whole.take_scenario(point)
        assert scenario is not None
        assert whole.take_scenario(point) is None
        kept, read = simulated(scenario, seed), simulated(rl.Scenario.from_dict(json.loads(text)), seed)
        assert (kept.layout, kept.figures, kept.document) == (read.layout, read.figures, read.document)


def test_a_scenario_that_names_a_file_is_read_again_for_its_run(tmp_path):
    (tmp_path / "matrix.csv").write_text("0,1\n1,0\n", encoding="utf-8")
    traffic = {"matrix_file": "matrix.csv"}
    loads = [{"traffic.load": ["10 MB/s", "20 MB/s"]}]
    base = {"network": {"nodes": 2}, "traffic": {"arrivals": "poisson", **traffic}}
    whole = Study.from_dict({"scenario": base, "axes": loads}, base_dir=tmp_path)
    whole.check()
    assert whole.take_scenario(0) is None


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_exported_rows_have_all_that_is_needed_to_run_them_again(tmp_path, result, file_format):
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[file_format]
    files = result.export(tmp_path, file_format)
    assert [file.name for file in files] == [f"{name}.{file_format}" for name in ("summary", "points", "nodes")]
    points = read(tmp_path / f"points.{file_format}")
    row = points.iloc[5]
    again = rl.run(rl.Scenario.from_dict(json.loads(row["scenario"])))
    assert again.seed == row["seed"] == 2
    assert again.document["total"]["throughput_MBps"] == row["throughput_MBps"]
    assert row["ringlet"].startswith(f"{rl.__version__}+")
    assert len(read(tmp_path / f"nodes.{file_format}")) == 24
    assert len(read(tmp_path / f"summary.{file_format}")) == 3


def test_parquet_files_hold_the_study_and_the_versions(tmp_path, result):
    import pyarrow.parquet as pq

    result.export(tmp_path, "parquet")
    metadata = pq.read_schema(tmp_path / "nodes.parquet").metadata
    assert json.loads(metadata[b"study"]) == result.study.to_dict()
    assert metadata[b"ringlet"].decode() == result.engine
