"""Runs that must be equal: in any pieces, on any threads, again, from the scenario written out, in a sweep."""

import json
from concurrent.futures import ThreadPoolExecutor

from campaign.case import RuleError
from campaign.observe import Observed
from ringlet import Scenario


def pieces_do_not_matter(observed: Observed) -> None:
    """In how many pieces a simulation goes on changes nothing."""
    rng, left = observed.rng, observed.cycles
    pieces = []
    while left and len(pieces) < 40:
        pieces.append(rng.randint(1, max(1, min(left, rng.choice((1, 10, 500, left))))))
        left -= pieces[-1]
    _equal(observed, f"in pieces {pieces}", pieces=[*pieces, left] if left else pieces)


def threads_do_not_matter(observed: Observed) -> None:
    """On how many threads the rings of a network advance changes nothing."""
    if observed.is_network:
        threads = observed.rng.choice((2, 3, 5))
        _equal(observed, f"on {threads} threads", pieces=[observed.cycles], threads=threads)


def the_same_again(observed: Observed) -> None:
    """The same seed makes the same run."""
    _equal(observed, "again", pieces=[observed.cycles])


def _equal(observed: Observed, how: str, *, pieces: list[int], threads: int = 1) -> None:
    difference = observed.counted.difference(observed.simulate(pieces, threads))
    if difference is not None:
        raise RuleError(f"another result {how}: {difference}")


def written_out_it_is_the_same_scenario(observed: Observed) -> None:
    """A scenario written out with its defaults, through JSON, is the same scenario."""
    written = json.loads(json.dumps(observed.scenario.to_dict(), allow_nan=False))
    again = Scenario.from_dict(written, base_dir=observed.folder)
    if again.network_spec(observed.scenario.seed) != observed.spec:
        raise RuleError("written out and read again it is another scenario")


def a_sweep_equals_its_runs(observed: Observed) -> None:
    """A sweep's replications are the runs with their seeds."""
    import ringlet as rl

    if observed.scenario.horizon.precision is not None:
        return
    with ThreadPoolExecutor(1) as executor:
        swept = rl.sweep(observed.scenario, {}, replications=2, executor=executor)
    for row in swept.points.to_dict("records"):
        total = rl.run(observed.scenario, seed=int(row["seed"])).to_dict()["total"]
        for name in sorted(total.keys() & row.keys()):
            if isinstance(total[name], int | float) and row[name] != total[name]:
                raise RuleError(f"seed {row['seed']}: a sweep has {name} {row[name]}, a run {total[name]}")
