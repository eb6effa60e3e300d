"""The campaign's command line: trials until the time is up, what failed, and how to see it again."""

import argparse
import csv
import platform
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from campaign import case, pool, shrink
from campaign.kinds import KINDS
from campaign.worker import Failure

REGRESSIONS = Path(__file__).with_name("regressions")
"""Where cases that have failed are kept."""

LOG_COLUMNS = (
    "date",
    "version",
    "engine",
    "machine",
    "kind",
    "first_seed",
    "trials",
    "ended",
    "failures",
    "processor_s",
)


@dataclass
class Count:
    """What the trials of a kind came to."""

    trials: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    processor_s: float = 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the campaign and returns 1 if anything failed."""
    options = _options(arguments)
    if options.only is not None:
        return _again(options.only, options.kinds, options.keep)
    first = _fresh_seed() if options.seed is None else options.seed
    counts = {name: Count() for name in options.kinds}
    known: set[str] = set()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    try:
        for kind, made, tally in pool.Pool(options.workers).run(dict.fromkeys(counts, first), options.seconds):
            count = counts[kind]
            count.trials += made
            count.ended += tally.ended
            count.failures += tally.failures
            count.processor_s += tally.processor_s
            for failure in tally.failures:
                if (seen := f"{kind} {shrink.signature(failure.what)}") not in known:
                    known.add(seen)
                    _tell(failure)
    except KeyboardInterrupt:
        print("campaign: ended early", file=sys.stderr)
    _report(counts, first, time.monotonic() - began)
    if options.log is not None:
        _log(options.log, counts, first)
    if options.keep:
        for signature in sorted(known):
            kind, _, what = signature.partition(" ")
            _keep(next(one for one in counts[kind].failures if shrink.signature(one.what) == what))
    return 1 if any(count.failures for count in counts.values()) else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="campaign", description="Tries scenarios, traces and files until the time is up."
    )
    parser.add_argument("--seconds", type=float, default=60, help="elapsed time; default: 60")
    parser.add_argument("--seed", type=int, help="first seed of each kind; default: one made of the date and time")
    parser.add_argument("--workers", type=int, default=1, help="worker processes; default: 1")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=f"of {', '.join(KINDS)}"
    )
    parser.add_argument(
        "--only", type=int, metavar="SEED", help="make only this trial of one kind, and say how it ends"
    )
    parser.add_argument("--keep", action="store_true", help=f"shrink what fails and keep it in {REGRESSIONS.name}/")
    parser.add_argument("--log", type=Path, help="CSV file to append the counts to")
    options = parser.parse_args(arguments)
    if options.only is not None and len(options.kinds) != 1:
        parser.error("--only needs one kind")
    return options


def _fresh_seed() -> int:
    """A seed that no other campaign has had: the minute, and room for a million trials of each kind."""
    return int(time.strftime("%Y%m%d%H%M", time.gmtime())) * 10**6


def _tell(failure: Failure) -> None:
    print(f"{failure.kind} {failure.seed}: {failure.what}")
    print(f"  again: make campaign KIND={failure.kind} SEED={failure.seed}", flush=True)


def _report(counts: dict[str, Count], first: int, elapsed: float) -> None:
    trials = sum(count.trials for count in counts.values())
    print(f"seeds from {first} on, {elapsed:.0f} s, {trials / max(elapsed, 1e-9):.0f} trials per second")
    for kind, count in counts.items():
        each = 1000 * count.processor_s / max(count.trials, 1)
        ended = ", ".join(f"{number} {how}" for how, number in sorted(count.ended.items()))
        time_taken = f"{count.processor_s:.0f} s of processor time, {each:.1f} ms each"
        print(f"  {kind}: {count.trials} trials ({ended}), {time_taken}")


def _log(file: Path, counts: dict[str, Count], first: int) -> None:
    from ringlet._engine import SOURCE_DIGEST

    is_new = not file.exists()
    date = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    with file.open("a", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        if is_new:
            rows.writerow(LOG_COLUMNS)
        for kind, count in counts.items():
            ended = ", ".join(f"{number} {how}" for how, number in sorted(count.ended.items()))
            where = (version("ringlet"), SOURCE_DIGEST, platform.machine())
            rows.writerow(
                (date, *where, kind, first, count.trials, ended, len(count.failures), round(count.processor_s))
            )


def _again(seed: int, kinds: Sequence[str], keep: bool) -> int:
    """Makes one trial and says how it ends."""
    with pool.Bench() as bench:
        ended = bench.trial(kinds[0], seed)
    print(KINDS[kinds[0]].generate(seed))
    if not isinstance(ended, Failure):
        print(f"{kinds[0]} {seed}: {ended}")
        return 0
    _tell(ended)
    if keep:
        _keep(ended)
    return 1


def _keep(failure: Failure) -> None:
    """Shrinks the case of a failure and writes it among the regressions."""
    signature = shrink.signature(failure.what)
    with pool.Bench() as bench:

        def fails(candidate: case.Case) -> bool:
            ended = bench.trial(failure.kind, failure.seed, candidate)
            return isinstance(ended, Failure) and shrink.signature(ended.what) == signature

        small = shrink.shrink(KINDS[failure.kind].generate(failure.seed), fails)
    text = case.to_toml(failure.kind, failure.seed, failure.what, small)
    file = REGRESSIONS / f"{failure.kind}-{failure.seed}.toml"
    file.write_text(text, encoding="utf-8")
    print(f"kept as {file}; give it a name that says what fails:\n{text}")
