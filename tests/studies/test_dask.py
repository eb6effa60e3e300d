"""A Dask cluster: a scheduler and two workers, each a process of its own."""

import importlib
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from pandas.testing import assert_frame_equal
from small_studies import figures, here, study

import ringlet as rl
from ringlet.errors import RingletError

pytest.importorskip("distributed", reason="Dask is not tested without it (pip install 'ringlet[dask]')")

MANY = {"axes": [{"traffic.load": {"start": "20 MB/s", "stop": "80 MB/s", "count": 20}}]}
LONG = {**study().scenario, "run": {"duration": "8 ms", "warmup": "2 us"}}
"""Some 0.05 s."""


@contextmanager
def started(module, *words, **environment):
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *map(str, words)],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def worker(file, **environment):
    # Without a nanny, so that a worker that is killed stays away.
    with started(
        "dask_worker", "--scheduler-file", file, "--no-nanny", "--no-dashboard", "--nthreads", 1, **environment
    ) as one:
        yield one


@pytest.fixture
def scheduler(tmp_path):
    """The file that says where the scheduler is."""
    file = tmp_path / "scheduler.json"
    with started("dask_scheduler", "--scheduler-file", file, "--port", 0, "--no-dashboard"):
        yield file


def address(file, workers):
    """Waits for the workers and returns the scheduler's address."""
    from distributed import Client

    while not file.exists():
        time.sleep(0.05)
    with Client(scheduler_file=str(file), set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=30)
        return client.scheduler.address


def test_a_killed_worker_loses_no_run_and_none_counts_twice(scheduler, tmp_path):
    whole = study(**MANY, scenario=LONG)
    file = tmp_path / "store.sqlite"
    with worker(scheduler) as first, worker(scheduler):
        url = address(scheduler, 2).replace("tcp://", "dask://")

        def kill(counts):
            if counts.done >= 5 and first.poll() is None:
                os.kill(first.pid, signal.SIGKILL)

        result = rl.sweep(whole, executor=url, store=file, progress=kill)
        assert first.wait(5) == -signal.SIGKILL
    assert (result.counts.computed, result.counts.failed) == (40, 0)
    assert len(result.store) == len(result.points) == 40
    assert not result.points.duplicated(["point", "replication"]).any()
    alone = here(whole)
    assert_frame_equal(figures(result.points), figures(alone.points))
    assert_frame_equal(figures(result.nodes), figures(alone.nodes))


def test_a_worker_of_another_release_is_refused(scheduler, tmp_path):
    other = tmp_path / "other"
    (other / "ringlet-0.0.9.dist-info").mkdir(parents=True)
    metadata = "Metadata-Version: 2.1\nName: ringlet\nVersion: 0.0.9\n"
    (other / "ringlet-0.0.9.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    with worker(scheduler, PYTHONPATH=str(other)):
        url = address(scheduler, 1)
        with pytest.raises(RingletError) as caught:
            rl.sweep(study(), executor=url)
    assert str(caught.value).startswith("executor: the worker tcp://")
    assert str(caught.value).endswith(f"runs ringlet 0.0.9; allowed: {rl.__version__}, as here")


def test_a_scheduler_that_ends_is_said_and_what_is_finished_is_kept(tmp_path):
    file, whole = tmp_path / "scheduler.json", study(**MANY, scenario=LONG)
    store = tmp_path / "store.sqlite"
    with started("dask_scheduler", "--scheduler-file", file, "--port", 0, "--no-dashboard") as process, worker(file):
        url = address(file, 1)

        def kill(counts):
            if counts.done >= 3:
                process.kill()

        with pytest.raises(RingletError, match="executor: it ended while runs were under way"):
            rl.sweep(whole, executor=url, store=store, progress=kill)
    assert here(whole, store=store).counts.found >= 3


def test_an_unreachable_scheduler_is_said(monkeypatch):
    monkeypatch.setattr(importlib.import_module("ringlet.executors.dask"), "CONNECT_S", 1)
    with pytest.raises(RingletError, match=r"^executor: the Dask scheduler dask://127.0.0.1:9 cannot be reached: "):
        rl.sweep(study(), executor="dask://127.0.0.1:9")
