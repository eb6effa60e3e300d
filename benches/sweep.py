"""What a sweep costs beside its runs, and how fast a large store is opened and queried.

    .venv/bin/python benches/sweep.py                    # all; about three minutes
    .venv/bin/python benches/sweep.py overhead --points 40 --repeats 3
    .venv/bin/python benches/sweep.py tiny --points 100000
    .venv/bin/python benches/sweep.py large --points 1000000 --seconds 60
    .venv/bin/python benches/sweep.py store --runs 100000

`overhead` compares a sweep on two workers with two processes that do the same runs one after the other and keep
nothing: wall-clock and processor time, both with the start of the processes. The processor time means more on a machine
that has other work. `tiny` says what a point of a ring of 4 nodes and 2 us costs in processor time, in the directing
process and in the workers, and what it costs when the study is run again and finds all of them. `large` begins a study
of a thousand points and one of many more, ends each after some seconds, shows what there is, and goes on with it: each
step in a process of its own, with the time until its first run and the most memory. `store` fills a store with runs,
opens it in a fresh process, and asks for the table of points, one mean per value of an axis, and the summary with
intervals.
"""

import argparse
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import ringlet as rl
from ringlet.simulation import engine_version
from ringlet.store import Store, canonical_json
from ringlet.studies import Study
from ringlet.studies.schedule import Counts
from ringlet.studies.worker import Run, simulate

WORKERS = 2
RUN_DURATION = "40 ms"
"""Simulated time of a run: about 0.15 s on one core."""

REPLICATIONS = 10

QUERY = """
import sys, time
import pandas
import ringlet as rl
start = time.perf_counter()
result = rl.SweepResult.load(sys.argv[1])
opened = time.perf_counter()
points = result.points
made = time.perf_counter()
means = points[points["traffic.load_MBps"] > 50].groupby("traffic.load_MBps")["latency_p99_ns"].mean()
queried = time.perf_counter()
summary = result.summary
print(opened - start, made - opened, queried - made, time.perf_counter() - queried)
"""


def study(points: int, duration: str, replications: int = 1) -> Study:
    """Returns a study of 8 nodes over the load."""
    return Study.from_dict(
        {
            "scenario": {"network": {"nodes": 8}, "traffic": {"arrivals": "poisson"}, "run": {"duration": duration}},
            "axes": [{"traffic.load": {"start": "20 MB/s", "stop": "80 MB/s", "count": points}}],
            "replications": {"count": replications},
        }
    )


def bare(whole: Study, first: int) -> None:
    """Runs every other point of a study and keeps nothing."""
    for point in range(first, whole.points, WORKERS):
        rl.run(whole.point_scenario(point))


def by_bare_runs(points: int) -> None:
    """Does the runs of the study in processes that know nothing of a sweep."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=bare, args=(study(points, RUN_DURATION), first)) for first in range(WORKERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def by_sweep(points: int) -> None:
    """Does them by a sweep into a store on disk."""
    with tempfile.TemporaryDirectory() as folder:
        rl.sweep(study(points, RUN_DURATION), workers=WORKERS, store=Path(folder) / "store.sqlite").close()


def timed(work: Callable[[int], None], points: int) -> tuple[float, float]:
    """Returns wall-clock and processor seconds of this process and its children."""
    start, used = time.perf_counter(), processor_s()
    work(points)
    return time.perf_counter() - start, processor_s() - used


def processor_s() -> float:
    """Returns the processor time so far of this process and of its children that ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def overhead(points: int, repeats: int) -> None:
    """Prints what a sweep costs beside its runs."""
    rl.run(study(1, "1 us").point_scenario(0))
    start = time.perf_counter()
    rl.run(study(points, RUN_DURATION).point_scenario(points // 2))
    print(f"{points} points of about {time.perf_counter() - start:.2f} s on {WORKERS} workers, median of {repeats}")
    # Both load what they need, and by turns, as the machine's speed drifts.
    rl.sweep(study(1, "1 us"), workers=1)
    pairs = [(timed(by_bare_runs, points), timed(by_sweep, points)) for _ in range(repeats)]
    for name, which in (("wall clock", 0), ("processor", 1)):
        without = statistics.median(pair[0][which] for pair in pairs)
        with_it = statistics.median(pair[1][which] for pair in pairs)
        print(
            f"{name:>10}: bare {without:.2f} s, sweep {with_it:.2f} s, overhead {100 * (with_it / without - 1):+.1f} %"
        )


def tiny_study(points: int) -> Study:
    """Returns a study of runs that take hardly any time: 4 nodes and 2 us."""
    short = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson"}, "run": {"duration": "2 us", "warmup": 0}}
    loads = {"start": "20 MB/s", "stop": "80 MB/s", "count": points}
    return Study.from_dict({"scenario": short, "axes": [{"traffic.load": loads}]})


def tiny(points: int) -> None:
    """Prints what a point costs that takes hardly any time to simulate."""
    whole = tiny_study(points)
    rl.sweep(study(1, "1 us"), workers=1)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("computed", "found again"):
            start, directing, working = time.perf_counter(), time.process_time(), children_s()
            rl.sweep(whole, workers=WORKERS, store=Path(folder) / "store.sqlite", yes=True).close()
            each = 1e3 / points
            print(
                f"{points} points {name}: {time.perf_counter() - start:.1f} s; for each "
                f"{each * (time.process_time() - directing):.3f} ms of the directing process, "
                f"{each * (children_s() - working):.3f} ms of the workers, with their start"
            )
    print(f"most memory of the directing process: {most_memory_mb():.0f} MB")


def most_memory_mb() -> float:
    """Returns the most memory that this process had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


class CutError(Exception):
    """The time of a sweep is over."""


def large(points: int, seconds: float) -> None:
    """Prints what it takes to begin a large study, to show what there is of it, and to go on."""
    context = multiprocessing.get_context("spawn")
    for size in (1000, points):
        print(f"{size:,} points")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "store.sqlite"
            for step, arguments in ((begin, (seconds,)), (show, ()), (begin, (seconds,)), (show, ())):
                process = context.Process(target=step, args=(path, size, *arguments))
                process.start()
                process.join()
                if process.exitcode:
                    sys.exit(f"the step ended with {process.exitcode}")


def begin(path: Path, points: int, seconds: float) -> None:
    """Runs a study, or goes on with it, for so long or up to its end."""
    start = time.perf_counter()
    looks: list[tuple[float, int, int]] = []

    def progress(counts: Counts) -> None:
        looks.append((time.perf_counter() - start, counts.found, counts.computed))
        # The first and the latest one.
        del looks[1:-1]
        if counts.done < points and looks[-1][0] > seconds:
            raise CutError

    with suppress(CutError):
        rl.sweep(tiny_study(points), workers=WORKERS, store=path, yes=True, progress=progress).close()
    (first, before, _), (ended, found, computed) = looks[0], looks[-1]
    print(
        f"  run: the first ends after {first:.2f} s, when {before:,} were found; {found:,} found and {computed:,} "
        f"computed in {ended:.1f} s; {most_memory_mb():.0f} MB"
    )


def show(path: Path, points: int) -> None:
    """Makes the tables of what there is, and the summary of all of it."""
    del points
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, closing(rl.SweepResult.load(path)) as result:
        opened = time.perf_counter()
        result.export(folder)
        exported = time.perf_counter()
        rows = result.overview.summary.rows
        print(
            f"  show: {result.finished:,} runs, opened in {opened - start:.2f} s, tables of {rows:,} points in "
            f"{exported - opened:.1f} s; {most_memory_mb():.0f} MB"
        )


def children_s() -> float:
    """Returns the processor time so far of the children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def large_store(runs: int) -> None:
    """Prints how fast a store of many runs is opened and queried."""
    whole = study(runs // REPLICATIONS, "5 us", REPLICATIONS)
    engine = engine_version()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        with Store.open(path) as store:
            fill(store, whole, engine)
        done = subprocess.run([sys.executable, "-c", QUERY, path], capture_output=True, text=True, check=True)
        opened, made, queried, summary = map(float, done.stdout.split())
        print(
            f"store of {runs} runs, {path.stat().st_size / 1e6:.0f} MB: open {opened:.2f} s, points {made:.2f} s, ",
            end="",
        )
        print(
            f"query {queried:.2f} s, together {opened + made + queried:.2f} s; summary with intervals {summary:.2f} s"
        )


def fill(store: Store, whole: Study, engine: str) -> None:
    """Stores every run of a study; the figures are those of a few of them."""
    with store.transaction():
        number = store.studies.begin(whole.to_dict(), engine)
    records = []
    for point in range(whole.points):
        text = canonical_json(whole.point_scenario(point).to_dict())
        if point % 100 == 0:
            records = [simulate(Run(point, i, text, i + 1, engine)) for i in range(REPLICATIONS)]
        with store.transaction():
            runs = [(point, i, store.put(text, i + 1, engine, records[i])) for i in range(REPLICATIONS)]
            store.studies.add(number, runs)


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["overhead", "tiny", "large", "store"])
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=100_000)
    arguments = parser.parse_args()
    if arguments.what in (None, "overhead"):
        overhead(arguments.points, arguments.repeats)
    if arguments.what in (None, "tiny"):
        tiny(max(arguments.points, 2000))
    if arguments.what == "large":
        large(arguments.points, arguments.seconds)
    if arguments.what in (None, "store"):
        large_store(arguments.runs)


if __name__ == "__main__":
    main()
