"""Worker processes that die."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path

import deadly
import pytest
from pandas.testing import assert_frame_equal
from pebble.pool.base_pool import PoolStatus
from small_studies import figures, here, study

import ringlet as rl
from ringlet.executors import open_workers, processes
from ringlet.executors.execute import execute


def outcomes(function, tasks, workers=2):
    take = iter(tasks)
    with open_workers(workers=workers) as at:
        return {one.task: one for each in execute(function, lambda: next(take, None), at) for one in each}


def test_a_task_that_always_kills_its_worker_is_given_up_and_no_other_is_lost():
    found = outcomes(deadly.die_at_three, range(12))
    assert sorted(found) == list(range(12))
    assert str(found[3].error) == "its worker died 3 times"
    assert {task: one.found for task, one in found.items() if task != 3} == {i: i * i for i in range(12) if i != 3}


def test_what_a_dead_worker_had_is_done_again(tmp_path):
    tasks = [(i, str(tmp_path)) for i in range(6)]
    found = outcomes(deadly.die_once, tasks)
    assert {task[0]: one.found for task, one in found.items()} == {i: i for i in range(6)}


def test_short_tasks_travel_together_and_each_has_its_outcome():
    found = outcomes(deadly.die_at_three, list(range(4, 600)), workers=2)
    assert {task: one.found for task, one in found.items()} == {i: i * i for i in range(4, 600)}


def test_a_task_that_kills_its_worker_among_short_ones_is_the_only_one_lost():
    found = outcomes(deadly.die_at_three, [*range(4, 400), 3, *range(400, 500)], workers=2)
    assert str(found[3].error) == "its worker died 3 times"
    assert len(found) == 497
    assert all(one.found == task * task for task, one in found.items() if task != 3)


def test_a_run_that_always_kills_its_worker_is_marked_failed(monkeypatch):
    whole = here(study())
    monkeypatch.setattr(sys.modules["ringlet.studies.sweep"], "simulate", deadly.simulate_unless_point_one)
    result = rl.sweep(study(), workers=2)
    assert result.failures[["point", "replication", "reason"]].values.tolist() == [[1, 0, "its worker died 3 times"]]
    there = ~((whole.points["point"] == 1) & (whole.points["replication"] == 0))
    assert_frame_equal(figures(result.points), figures(whole.points[there].reset_index(drop=True)))


def lost_by_all_but(first_pool, monkeypatch):
    """Makes the first pool lose what it is given, and looks for that at once; returns how many were lost."""
    lost = []
    new = processes._Pools._new

    def make(self):
        pool = new(self)
        if not lost:
            first_pool(pool, lost)
        return pool

    monkeypatch.setattr(processes._Pools, "_new", make)
    monkeypatch.setattr(sys.modules["ringlet.executors.execute"], "LOOK_S", 0.1)
    return lost


def test_what_a_worker_took_that_died_before_it_said_so_is_done_again(monkeypatch):
    def take(pool, lost):
        monkeypatch.setattr(pool._pool_manager.worker_manager, "dispatch", lost.append)

    lost = lost_by_all_but(take, monkeypatch)
    # Longer than a worker takes to start.
    monkeypatch.setattr(processes, "FIRST_S", 4.0)
    found = outcomes(deadly.die_at_three, range(4, 9))
    assert lost
    assert {task: one.found for task, one in found.items()} == {i: i * i for i in range(4, 9)}


def test_what_a_pool_took_that_broke_in_that_moment_is_done_again(monkeypatch):
    def take(pool, lost):
        def schedule(function, args):
            # As after the pool has looked that it is whole.
            pool._context.status = PoolStatus.ERROR
            lost.append(args)
            return Future()

        monkeypatch.setattr(pool, "schedule", schedule)

    lost = lost_by_all_but(take, monkeypatch)
    found = outcomes(deadly.die_at_three, range(4, 9))
    assert lost
    assert {task: one.found for task, one in found.items()} == {i: i * i for i in range(4, 9)}


def test_a_task_that_is_sent_while_its_pool_is_stopped_has_lost_its_worker_and_made_no_error(monkeypatch):
    """A pipe that is closed under pebble's thread which sends a task becomes that task's error, a TypeError."""
    pools = processes._Pools(1)
    given = Future()
    monkeypatch.setattr(pools._pool, "schedule", lambda function, args: given)
    join = pools._pool.join

    def close():
        given.set_exception(TypeError("'NoneType' object cannot be interpreted as an integer"))
        join()

    monkeypatch.setattr(pools._pool, "join", close)
    lost = pools.submit(deadly.die_at_three, 7)
    try:
        pools._renew()
        assert isinstance(lost.exception(timeout=0), BrokenExecutor)
    finally:
        pools.stop()


def test_a_worker_that_is_slow_to_begin_its_first_task_is_waited_for(monkeypatch):
    pools = processes._Pools(1)
    given = Future()
    monkeypatch.setattr(pools._pool, "schedule", lambda function, args: given)
    monkeypatch.setattr(type(pools._pool), "active", True)
    monkeypatch.setattr(pools, "_is_working", lambda: False)
    monkeypatch.setattr(pools, "_renew", lambda: pytest.fail("it has lost nothing"))
    now = [0.0]
    monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
    pools._begun.set()
    pools.submit(deadly.die_at_three, 7)
    for now[0] in (1.0, processes.IDLE_S + 2.0, processes.FIRST_S - 1.0):
        pools.look()
    monkeypatch.undo()
    pools.stop()


def test_an_error_of_the_function_is_its_own():
    found = outcomes(int, ["1", "x"])
    assert found["1"].value() == 1
    with pytest.raises(ValueError, match="invalid literal"):
        found["x"].value()


LONG = """
import deadly
from ringlet.executors import open_workers
from ringlet.executors.execute import execute
if __name__ == "__main__":
    take = iter(["worker"])
    with open_workers(workers=2) as at:
        list(execute(deadly.sleep, lambda: next(take, None), at))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(tmp_path, number):
    (tmp_path / "long.py").write_text(LONG, encoding="utf-8")
    paths = os.pathsep.join((str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
    parent = subprocess.Popen([sys.executable, "long.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths})
    mark, end = tmp_path / "worker", time.monotonic() + 60
    while not mark.exists() or not mark.read_text(encoding="utf-8"):
        assert parent.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    worker = int(mark.read_text(encoding="utf-8"))
    parent.send_signal(number)
    parent.wait()
    # On a machine with nothing else to do: some milliseconds.
    end = time.monotonic() + 5
    while Path(f"/proc/{worker}").exists():
        assert time.monotonic() < end, "the worker outlived its parent"
        time.sleep(0.01)


PLAIN = """
import sys
import ringlet as rl
ring = rl.Scenario.from_dict({"network": {"nodes": 2}, "run": {"duration": "2 us", "warmup": 0}})
result = rl.sweep(ring, {"network.nodes": [2, 3]}, workers=int(sys.argv[1]))
print(len(result.points))
"""


GUARDED = PLAIN.replace("result =", "if __name__ == '__main__':\n  result =").replace("print", "  print")


def plain(folder, workers, begin="", script=PLAIN):
    (folder / "plain.py").write_text(f"{begin}{script}", encoding="utf-8")
    words = [sys.executable, "plain.py", str(workers)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_one_worker_is_the_process_itself_so_that_a_plain_script_runs(tmp_path):
    done = plain(tmp_path, 1)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_a_script_without_a_main_guard_is_told_what_that_is_before_any_worker_starts(tmp_path):
    done = plain(tmp_path, 2, 'print("first line")')
    assert (done.returncode, done.stdout) == (1, "first line\n")
    *_, last = done.stderr.splitlines()
    assert last.startswith("ringlet.errors.RingletError: workers: ")
    assert "plain.py has no main guard: put the call under the main guard, " in last
    assert """'if __name__ == "__main__":', in a file, or choose workers=1; each worker process first imports""" in last
    assert done.stderr.count("Traceback") == 1


def test_a_script_that_looks_at_its_name_and_is_not_guarded_is_told_so_by_its_workers(tmp_path):
    # One write, which does not mix with that of another worker.
    done = plain(tmp_path, 2, r"import os; os.write(1, f'{__name__}\n'.encode())")
    assert done.returncode == 1
    assert done.stdout.startswith("__main__\n__mp_main__\n")
    *_, last = done.stderr.splitlines()
    assert "no worker process could start; what a script prints first, they print again: put the call under" in last
    assert done.stderr.count("Traceback") == 1


def test_workers_start_behind_a_main_guard(tmp_path):
    done = plain(tmp_path, 2, script=GUARDED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


LATE = """
import os, time
if __name__ == "__main__":
    from pebble.pool.process import WorkerManager
    stop = WorkerManager.force_stop_workers
    WorkerManager.force_stop_workers = lambda manager: manager.workers and (time.sleep(2), stop(manager))
else:
    try:
        os.mkdir("first")
    except FileExistsError:
        time.sleep(0.7)
"""


def test_a_worker_that_still_starts_when_all_is_done_ends_without_a_word(tmp_path):
    done = plain(tmp_path, 2, LATE, GUARDED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_a_worker_that_dies_while_it_is_started_costs_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("RINGLET_TEST_MARK", str(tmp_path / "mark"))
    monkeypatch.setattr(processes, "_begin", deadly.begin_but_the_first_time)
    found = outcomes(deadly.die_at_three, [1, 2], workers=2)
    assert (tmp_path / "mark").exists()
    assert {task: one.found for task, one in found.items()} == {1: 1, 2: 4}


def test_errors_of_runs_in_this_process_are_their_own():
    found = outcomes(int, ["1", "x"], workers=1)
    assert found["1"].value() == 1
    with pytest.raises(ValueError, match="invalid literal"):
        found["x"].value()


def test_an_interrupt_that_another_thread_takes_waits_until_the_workers_have_started():
    done = threading.Event()
    # It blocks no signals, as threads of libraries do.
    threading.Thread(target=done.wait).start()
    started = []

    def start():
        with processes._postponing_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            started.append("workers")

    # A shell that runs the tests in its background ignores SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        done.set()
        signal.signal(signal.SIGINT, before)
    assert started == ["workers"]
