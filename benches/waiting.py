"""Processor time and most memory of what users wait for, beside what each may take.

    .venv/bin/python benches/waiting.py [--turns 3] [--only sweep]

User and system time of the command with its workers, the least of some turns, and the most memory of one of its
processes. Compile the modules first (`python -m compileall python`). The largest cases take up to a minute a turn.
"""

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
RING = str(EXAMPLES / "four-nodes.toml")

DICT_LIMIT_MS = 0.15
"""Aim for a scenario from a dict."""

SHARE_LIMIT_PERCENT = 85
"""Aim for the share of the engine in a run of 100 us."""

FLOWS, NODES = 100_000, 4096


@dataclass(frozen=True)
class Case:
    """A command that someone waits for."""

    name: str
    words: tuple[str, ...]
    """Words behind `ringlet`; `{turn}` is the number of the turn."""
    limit_s: float
    megabytes_limit: float | None = None
    prepared: tuple[str, ...] = ()
    """Words of a command that is run before the first turn."""


CASES = (
    Case("sweep of 10 points of 2 us", ("sweep", "ten.toml", "--workers", "1", "--out", "ten-{turn}"), 0.7),
    Case(
        "the same, all in the store",
        ("sweep", "ten.toml", "--workers", "1", "--out", "stored"),
        0.4,
        prepared=("sweep", "ten.toml", "--workers", "1", "--out", "stored"),
    ),
    Case("sweep of 1,000 points of 2 us", ("sweep", "many.toml", "--workers", "1", "--out", "many-{turn}"), 2.0),
    Case(
        "plot of 200 stored points",
        ("plot", "some"),
        2.0,
        prepared=("sweep", "some.toml", "--workers", "1", "--out", "some"),
    ),
    Case("explain a key", ("explain", "traffic.load"), 0.1),
    Case("plot of a run", ("plot", RING, "--out", "plots"), 0.8),
    Case("check of four nodes", ("check", RING), 2.0, 200),
    Case("run of a 16^4 torus, 10 MB/s", ("run", "torus.toml", "--json"), 12.0, 4096),
    Case("run of a 16^4 torus, saturated", ("run", "saturated.toml", "--json"), 30.0, 4096),
    Case("run of 100,000 flows on 4,096 nodes", ("run", "flows.toml"), 30.0, 4096),
)


def written(folder: Path) -> None:
    """Writes the files of the cases."""
    for name, points in ("ten", 10), ("some", 200), ("many", 1000):
        loads = ", ".join(f'"{100 * place / points:g} MB/s"' for place in range(1, points + 1))
        (folder / f"{name}.toml").write_text(
            '[scenario]\nnetwork = {nodes = 4}\nrun = {duration = "2 us", warmup = 0}\n'
            f'traffic = {{arrivals = "poisson"}}\n[[axes]]\ntraffic = {{load = [{loads}]}}\n',
            encoding="utf-8",
        )
    torus = '[network]\ntopology = "torus"\nshape = [16, 16, 16, 16]\n[traffic]\ntransaction = "nwrite64"\n'
    light = 'load = "10 MB/s"\n[run]\nduration = "5 us"\nwarmup = 0\n'
    (folder / "torus.toml").write_text(torus + light, encoding="utf-8")
    saturated = 'arrivals = "saturated"\n[run]\nduration = "5 us"\n'
    (folder / "saturated.toml").write_text(torus + saturated, encoding="utf-8")
    drawn = random.Random(1)
    rows = ["name,source,destination,size_bytes,rate_MBps,period_us,deadline_us"]
    for flow in range(FLOWS):
        source = drawn.randrange(NODES)
        to = (source + drawn.randrange(1, NODES)) % NODES
        size, period = drawn.choice((64, 256, 1500)), drawn.choice((5000, 10000))
        rows.append(f"f{flow},{source},{to},{size},{'0.01,,' if flow % 2 else f',{period},{period}'}")
    (folder / "flows.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "flows.toml").write_text(
        'flows_file = "flows.csv"\n[network]\ntopology = "torus"\nshape = [16, 16]\nconcentration = 16\n'
        '[run]\nduration = "100 us"\nwarmup = 0\n',
        encoding="utf-8",
    )


def taken(words: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Returns the processor time in seconds and the most memory in MB of a command and its children."""
    quiet = subprocess.DEVNULL
    started = subprocess.Popen([sys.executable, "-m", "ringlet", *words], cwd=folder, stdout=quiet, stderr=quiet)
    _, _, used = os.wait4(started.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def least_ms(each: Callable[[], object], turns: int) -> float:
    """Returns the least processor time of a call, of 200 in a turn, in ms."""
    each()
    least = float("inf")
    for _ in range(turns):
        start = time.process_time()
        for _ in range(200):
            each()
        least = min(least, (time.process_time() - start) / 200)
    return 1e3 * least


def of_dicts(turns: int) -> None:
    """Prints what a scenario from a dict takes: one like that before it, one of another load, one of
    another of two rings in turns, and one of a ring like none before it."""
    import ringlet as rl

    numbers = itertools.count()

    def content(*, nodes: int, load: str) -> dict[str, object]:
        traffic = {"arrivals": "poisson", "load": load}
        return {"network": {"nodes": nodes}, "traffic": traffic, "run": {"duration": "100 us"}}

    cases: dict[str, Callable[[], object]] = {
        "the same": lambda: rl.Scenario.from_dict(content(nodes=8, load="100 MB/s")),
        "another load": lambda: rl.Scenario.from_dict(content(nodes=8, load=f"{100 + next(numbers) / 1e3} MB/s")),
        "another ring": lambda: rl.Scenario.from_dict(content(nodes=7 + next(numbers) % 2, load="100 MB/s")),
        "a new ring": lambda: rl.Scenario.from_dict(content(nodes=4 + next(numbers) % 16, load="100 MB/s")),
    }
    for name, each in cases.items():
        print(f"{f'scenario from a dict, {name}, ms':36} {least_ms(each, turns):8.2f} {DICT_LIMIT_MS:8g}")


def of_run(turns: int) -> None:
    """Prints the share of the engine in a run of 100 us, in percent."""
    import ringlet as rl
    from ringlet._engine import Simulation

    traffic = {"arrivals": "poisson", "load": "100 MB/s"}
    scenario = rl.Scenario.from_dict({"network": {"nodes": 8}, "traffic": traffic, "run": {"duration": "100 us"}})
    found = rl.run(scenario).to_dict()
    cycles = found["cycles"] + found["warmup_cycles"]
    alone = least_ms(lambda: Simulation(scenario.engine_spec, seed=1).advance(cycles), turns)
    share = 100 * alone / least_ms(lambda: rl.run(scenario), turns)
    print(f"{'run of 100 us, the engine, %':36} {share:8.0f} {SHARE_LIMIT_PERCENT:8g}")


def main() -> None:
    """Prints a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose names hold this")
    options = parser.parse_args()
    print(f"{'what':36} {'seconds':>8} {'at most':>8} {'MB':>6} {'at most':>8}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        written(folder)
        for case in CASES:
            if options.only not in case.name:
                continue
            if case.prepared:
                taken(case.prepared, folder)
            found = [
                taken(tuple(word.format(turn=turn) for word in case.words), folder) for turn in range(options.turns)
            ]
            seconds, memory = min(one[0] for one in found), max(one[1] for one in found)
            most = "" if case.megabytes_limit is None else f"{case.megabytes_limit:g}"
            print(f"{case.name:36} {seconds:8.2f} {case.limit_s:8g} {memory:6.0f} {most:>8}", flush=True)
    if options.only in "scenario from a dict":
        of_dicts(options.turns)
    if options.only in "run of 100 us":
        of_run(options.turns)


if __name__ == "__main__":
    main()
