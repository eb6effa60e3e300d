"""How many cycles it takes until a 95 % interval is 1 %: the table of docs/explanation/performance.md.

    .venv/bin/python benches/once/time_to_interval.py [--seeds 40] [--load 60]

A ring of 16 nodes with SCI and Poisson traffic, at shares of the throughput that saturates it. Each seed is simulated
once, in bins of 1,000 cycles that are kept; all ways to find the interval of the throughput or of the mean latency read
the same bins, so that they differ in nothing else. A way looks at ever more bins and ends at the first look at which
the interval is narrow enough. `held` is the share of the seeds whose interval holds the true mean at that look, which
is that of all bins of all seeds (the throughput's is what is offered). An interval that is narrow by chance is no gain:
only ways that hold it in some 95 % of the seeds compare.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

import ringlet as rl
from ringlet._engine import Simulation
from ringlet.statistics import MAX_BATCHES, MIN_BATCHES, batch_means

Array = NDArray[np.float64]

NODES = 16
SYMBOLS = 40
"""Of a packet, 80 bytes."""
MEAN_HOPS = NODES / 2
"""To a destination drawn among the 15 others: 1 to 15 links."""
BIN = 1000
WARM_UP = 100
"""Bins discarded first."""
PRECISION = 0.01
BINS = {30: 12_000, 60: 25_000, 90: 50_000}
"""Kept of each seed, by the load in percent."""
DOUBLINGS = 8
"""Of 1 ms, for the 99th percentile."""
RUNS = 8
"""Replications in place of one long run."""


@dataclass(frozen=True, slots=True)
class Path:
    """What one seed counted, in successive bins or batches of equal length."""

    cycles: int
    """Length of each."""
    delivered: Array
    """Packets."""
    latency: Array
    """Sum over these, in cycles."""
    generated: Array
    """Packets."""
    send_symbols: Array
    """On all links."""
    squares: Array
    """Sum over bins of the packets generated in a bin, squared."""

    def merged(self, bins: int, together: int) -> "Path":
        """Returns the first bins, so many together; what does not fill the last is left out."""
        whole = bins // together * together
        sums = (
            column[:whole].reshape(-1, together).sum(axis=1)
            for column in (self.delivered, self.latency, self.generated, self.send_symbols, self.squares)
        )
        return Path(self.cycles * together, *sums)

    def after(self, bins: int) -> "Path":
        """Returns what comes after so many bins."""
        columns = ("delivered", "latency", "generated", "send_symbols", "squares")
        return replace(self, **{name: getattr(self, name)[bins:] for name in columns})


Interval = tuple[float, float]
"""A mean and the half width of its interval."""

Figure = Callable[[Path], tuple[Array, Array]]
"""What is summed in each batch, and what its mean is per."""


def throughput(path: Path) -> tuple[Array, Array]:
    """Packets per cycle."""
    return path.delivered, np.full(len(path.delivered), float(path.cycles))


def latency(path: Path) -> tuple[Array, Array]:
    """Cycles per packet."""
    return path.latency, path.delivered


def ring(**traffic: object) -> rl.Scenario:
    """Returns the ring."""
    return rl.Scenario.from_dict({"network": {"nodes": NODES}, "traffic": traffic, "run": {"duration": "1 ms"}})


def saturation() -> float:
    """Returns words per cycle of the saturated ring: `run` gives 2 bytes in each cycle of 2 ns as 1,000 MB/s."""
    return float(rl.run(ring(arrivals="saturated")).document["total"]["throughput_MBps"]) / 1000


def simulated(scenario: rl.Scenario, seed: int, bins: int) -> Path:
    """Returns the bins of a seed."""
    simulation = Simulation(scenario.engine_spec, seed=seed)
    simulation.advance(WARM_UP * BIN)
    simulation.reset_measurement()
    counts = np.zeros((bins + 1, 4))
    for bin_ in range(1, bins + 1):
        simulation.advance(BIN)
        flows, nodes = simulation.flow_counters(), simulation.node_counters()
        counted = [flows[name].sum() for name in ("delivered_packets", "latency_sum_cycles", "generated_packets")]
        counts[bin_] = [*counted, nodes["link_send_symbols"].sum()]
    delivered, latencies, generated, symbols = np.diff(counts, axis=0).T
    return Path(BIN, delivered, latencies, generated, symbols, generated**2)


def doubled(first: int, most: int) -> Iterator[tuple[int, int]]:
    """Looks of the engine's own rule: bins, and how many are a batch; at 20 batches, then whenever there are 40."""
    together = first
    yield MIN_BATCHES * together, together
    while MAX_BATCHES * together <= most:
        yield MAX_BATCHES * together, together
        together *= 2


def often(first: int, most: int) -> Iterator[tuple[int, int]]:
    """Looks after every batch, as the first version had them."""
    together, batches = first, MIN_BATCHES
    while batches * together <= most:
        yield batches * together, together
        batches += 1
        if batches > MAX_BATCHES:
            batches, together = MIN_BATCHES + 1, 2 * together


def by_quarters(first: int, most: int) -> Iterator[tuple[int, int]]:
    """Looks whenever there is a quarter more, at 32 batches or more of any length."""
    bins = float(MIN_BATCHES * first)
    while bins <= most:
        yield int(bins), max(1, int(bins) // MAX_BATCHES)
        bins *= 1.25


def plain(figure: Figure, batches: Path, _: float) -> Interval:
    """Batch means as a run has them: wider where batches correlate or are skewed."""
    found = batch_means(*figure(batches))
    return float(found.mean[0]), float(found.half_width[0])


def unskewed(figure: Figure, batches: Path, _: float) -> Interval:
    """Batch means of the first version: wider where batches correlate."""
    return _controlled(figure, batches, np.empty((0, len(batches.delivered))))


def by_offered(figure: Figure, batches: Path, offered: float) -> Interval:
    """Batch means with the packets generated as control variate: their mean is the offered load."""
    return _controlled(figure, batches, (batches.generated - offered * batches.cycles)[None])


def by_hops(figure: Figure, batches: Path, offered: float) -> Interval:
    """The same with a second control, the symbols of send packets on all links: packets times symbols times hops."""
    return _controlled(figure, batches, _packets_and_hops(batches, offered))


def by_bursts(figure: Figure, batches: Path, offered: float) -> Interval:
    """The same with a third, the squares of the packets in bins: for Poisson arrivals, mean plus its square each."""
    mean = offered * BIN
    squares = batches.squares - batches.cycles / BIN * (mean + mean**2)
    return _controlled(figure, batches, np.vstack([_packets_and_hops(batches, offered), squares]))


def _packets_and_hops(batches: Path, offered: float) -> Array:
    packets = offered * batches.cycles
    return np.stack([batches.generated - packets, batches.send_symbols - packets * SYMBOLS * MEAN_HOPS])


def _controlled(figure: Figure, batches: Path, controls: Array) -> Interval:
    """Batch means of a ratio less what linear regression on controls of mean 0 explains (Law, Section 11.4)."""
    totals, sizes = figure(batches)
    mean = totals.sum() / sizes.sum()
    residuals = totals - mean * sizes
    around = controls - controls.mean(axis=1, keepdims=True)
    coefficients = np.linalg.lstsq(around.T, residuals, rcond=None)[0] if len(controls) else np.empty(0)
    left = residuals - coefficients @ around
    n, free = len(left), len(left) - 1 - len(controls)
    square = float(left @ left)
    lag1 = min(max(float(left[1:] @ left[:-1]) / square + 1 / n, 0.0), 0.95) if square else 0.0
    # That the coefficients are estimated makes the mean less sure where the controls are far from theirs.
    away = controls.mean(axis=1)
    unsure = 1 + n * float(away @ np.linalg.solve(around @ around.T, away)) if len(controls) else 1.0
    error = np.sqrt(square * n / free * unsure * (1 + lag1) / (1 - lag1)) / sizes.sum()
    return float(mean - coefficients @ controls.sum(axis=1) / sizes.sum()), float(student.ppf(0.975, free) * error)


def replications(figure: Figure, path: Path, _: float) -> Iterator[tuple[int, Interval]]:
    """Runs in place of one long one, each with a warm-up of its own, and an interval over their means."""
    length = 50
    while RUNS * (length + WARM_UP) <= len(path.delivered):
        # The path stands for the runs: its pieces are as good as independent, so far apart do they lie.
        apart = length + WARM_UP
        runs = [path.after(run * apart + WARM_UP).merged(length, length) for run in range(RUNS)]
        totals, sizes = (np.concatenate(column) for column in zip(*map(figure, runs), strict=True))
        means = totals / sizes
        half_width = student.ppf(0.975, RUNS - 1) * means.std(ddof=1) / np.sqrt(RUNS)
        yield RUNS * apart, (float(means.mean()), float(half_width))
        length *= 2


def looks(
    schedule: Callable[[int, int], Iterator[tuple[int, int]]], way: Callable[[Figure, Path, float], Interval]
) -> Callable[[Figure, Path, float], Iterator[tuple[int, Interval]]]:
    """Returns intervals of one run by a schedule, with the bins that each took."""

    def intervals(figure: Figure, path: Path, offered: float) -> Iterator[tuple[int, Interval]]:
        for bins, together in schedule(WARM_UP // MIN_BATCHES, len(path.delivered)):
            yield WARM_UP + bins, way(figure, path.merged(bins, together), offered)

    return intervals


WAYS = {
    "the rule of a run": looks(doubled, plain),
    "no skewness, a look after every batch": looks(often, unskewed),
    "no skewness": looks(doubled, unskewed),
    "looks by quarters": looks(by_quarters, plain),
    f"{RUNS} replications": replications,
    "control: packets": looks(doubled, by_offered),
    "controls: packets, hops": looks(doubled, by_hops),
    "controls: packets, hops, bursts": looks(doubled, by_bursts),
}


def compare(figure: Figure, paths: list[Path], offered: float, truth: float) -> None:
    """Prints a row for each way."""
    first = 0.0
    for name, way in WAYS.items():
        ends = []
        for path in paths:
            ends += [next((end for end in way(figure, path, offered) if end[1][1] <= PRECISION * end[1][0]), None)]
        reached = [end for end in ends if end is not None]
        cycles = float(np.mean([end[0] if end else len(path.delivered) for end, path in zip(ends, paths, strict=True)]))
        first = first or cycles
        held = np.mean([abs(mean - truth) <= half for _, (mean, half) in reached]) if reached else np.nan
        more = "" if len(reached) == len(ends) else f" or more ({len(ends) - len(reached)} not reached)"
        print(f"| {name} | {cycles * BIN / 1e6:.2f}{more} | {first / cycles:.1f} | {100 * held:.0f} % |", flush=True)


def quantile(scenario: rl.Scenario, seeds: int) -> None:
    """Prints what the 99th percentile takes, which no rule stops at: lengths are doubled until it is precise."""
    cycles, missed = [], 0
    for seed in range(1, seeds + 1):
        for doubling in range(DOUBLINGS + 1):
            run = {"duration": f"{2**doubling} ms", "seed": seed}
            total = rl.run(rl.Scenario.from_dict({**scenario.to_dict(), "run": run})).document["total"]["latency_ns"]
            low, high = total["p99_low"], total["p99_high"]
            precise = high is not None and (high - low) / 2 <= PRECISION * total["p99"]
            if precise:
                break
        missed += not precise
        cycles += [2**doubling * 0.5]
    found = f"{np.mean(cycles):.2f} million cycles, {missed} of {seeds} not reached"
    print(f"\n99th percentile, lengths doubled from 1 ms: {found}", flush=True)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40, help="of each load (default: 40)")
    parser.add_argument("--load", type=int, choices=BINS, help="this load only, in percent")
    options = parser.parse_args()
    for percent, bins in BINS.items():
        if options.load not in (None, percent):
            continue
        words = percent / 100 * saturation()
        scenario, offered = ring(arrivals="poisson", load=words / NODES), words / SYMBOLS
        start = time.process_time()
        paths = [simulated(scenario, seed, bins) for seed in range(1, options.seeds + 1)]
        seconds = (time.process_time() - start) / (len(paths) * (bins + WARM_UP) * BIN)
        print(f"\n{percent} % load; a million cycles take {1e6 * seconds:.3f} s of a core with bins\n")
        mean = sum(path.latency.sum() for path in paths) / sum(path.delivered.sum() for path in paths)
        for figure, truth in ((throughput, offered), (latency, float(mean))):
            print(f"\n| {figure.__name__} by | million cycles | times less | held |\n|---|---|---|---|")
            compare(figure, paths, offered, truth)
        quantile(scenario, min(options.seeds, 3))


if __name__ == "__main__":
    main()
