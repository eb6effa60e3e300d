"""Tasks that kill the process that does them."""

import os
import signal
import time
from pathlib import Path

from ringlet.studies import worker


def die_at_three(task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def die_once(task: tuple[int, str]) -> int:
    """Dies the first time: the folder remembers."""
    number, folder = task
    mark = Path(folder) / str(number)
    if number % 2 and not mark.exists():
        mark.touch()
        os._exit(7)
    return number


def sleep(mark: str) -> None:
    """Says which process it is, and sleeps for long."""
    Path(mark).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(600)


def begin_but_the_first_time(*ready) -> None:
    """Dies as a worker that is killed before it has begun a task; the ones behind it live."""
    try:
        Path(os.environ["RINGLET_TEST_MARK"]).touch(exist_ok=False)
    except FileExistsError:
        for event in ready:
            event.set()
        return
    os.kill(os.getpid(), signal.SIGKILL)


def simulate_unless_point_one(task: worker.Run):
    if task.point == 1 and task.replication == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return worker.simulate(task)
