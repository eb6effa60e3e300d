"""Sweeps of which one write to the store fails, is cut short, or is the last that the process does."""

import os
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from campaign.case import Case, Kind
from campaign.kinds.stores import IN_MEMORY, RUNS, STORE, generate, require_store, sweep_and_end, wanted
from campaign.observe import require
from store.interrupted import HOWS, Fault, Interrupted, is_possible


@cache
def calls() -> int:
    """Calls of a sweep that nothing interrupts."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        told, status = _swept(Path(folder) / STORE, Fault(-1, "error"))
        require(status == 0 and told[0] == RUNS, f"a sweep ended with {status}")
        return told[1]


def _swept(path: Path, fault: Fault) -> tuple[tuple[int, int], int]:
    """Sweeps in a child process; returns the runs that it said are stored, its calls, and how it ended."""
    wanted()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        interrupted = Interrupted(fault)
        sweep_and_end(path, writer, 1, calls=lambda: interrupted.calls)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return (told[-5] if told else 0, int.from_bytes(told[-4:], "little")), status


def interrupted(case: Case, folder: Path, rng: Random) -> str:
    """Interrupts a call of a sweep: what it had stored is there, and the same sweep completes it.

    As many seeds in a row as a sweep has calls, times the ways to interrupt one, interrupt each of them in each way.
    The share of a cut write that is done is drawn.
    """
    del rng
    if not is_possible():
        return "SQLite is no library of its own"
    seed = int(case.content["drawn"])
    how, number = HOWS[seed % len(HOWS)], seed // len(HOWS) % calls()
    kept = Random(f"faults {seed}")
    fault = Fault(number, how, kept.choice((0.0, kept.random(), kept.random(), 1.0)))
    (stored, _), status = _swept(folder / STORE, fault)
    if how == "kill" and status == 0:
        # Runs are stored together that end together, so there may be fewer calls another time.
        require(stored == RUNS, f"{fault}: {stored} runs")
        how = "kill that came too late"
    elif how == "kill":
        require(os.WIFSIGNALED(status), f"{fault}: ended with {status}")
    else:
        # 3: the sweep said in an OSError what the disk does. Some failures at the end cost nothing.
        require(os.waitstatus_to_exitcode(status) in (0, 3), f"{fault}: ended with {status}")
    require_store(folder / STORE, stored)
    return how


FAULTS = Kind("faults", "sweeps of which one write fails, is cut short or is the last", generate, interrupted)
