"""What antithetic pairs and regenerative cycles make of the time to an interval (docs/explanation/performance.md).

    .venv/bin/python benches/once/variance.py [--pairs 12] [--cycles 1000000]

The ring and loads are those of `time_to_interval.py`, but the packets are drawn here and injected, so that a second run
can be made of the same draws: its times between packets come from 1 - u where those of the first come from u, and its
destinations are as far before a node as the first's are behind it. The draws begin anew in each batch (Poisson arrivals
have no memory), so that the runs of a pair stay side by side.

`antithetic` says how many times less cycles a pair takes than one run, to the same width of the interval of the mean
latency: the ratio of the variances that batches leave in it, for equally many cycles. `controls` are the packets
generated, the links that they pass, and the squares of those of a bin; both may be combined. `regenerative` is the same
ratio of batches to cycles between two packets that find the ring at rest.
"""

import argparse

import numpy as np
from numpy.typing import NDArray
from time_to_interval import BIN, MEAN_HOPS, NODES, SYMBOLS, ring, saturation

import ringlet as rl

Array = NDArray[np.float64]

BATCH = 100 * BIN
REST = 4 * NODES + SYMBOLS
"""Cycles after a delivery in which its echo comes back and go idles go round."""


def drawn(rate: float, seed: int, batches: int, *, mirrored: bool) -> tuple[Array, Array, Array]:
    """Returns times in cycles, sources and hops of Poisson packets, `rate` of each node and cycle, in order of time."""
    times, sources, hops = [], [], []
    most = int(rate * BATCH + 10 * np.sqrt(rate * BATCH) + 10)
    for batch in range(batches):
        uniform = np.random.default_rng([seed, batch]).random((2, NODES, most))
        if mirrored:
            uniform = 1 - uniform
        at = np.cumsum(-np.log1p(-np.minimum(uniform[0], 1 - 1e-16)) / rate, axis=1)
        node, place = np.nonzero(at < BATCH)
        times.append(batch * BATCH + at[node, place])
        sources.append(node)
        hops.append(1 + np.minimum((uniform[1, node, place] * (NODES - 1)).astype(np.int64), NODES - 2))
    time, source, hop = (np.concatenate(each) for each in (times, sources, hops))
    order = np.argsort(time, kind="stable")
    return np.ceil(time[order]), source[order], hop[order]


def simulated(time: Array, source: Array, hops: Array) -> Array:
    """Returns the cycle in which each packet has been delivered."""
    simulation = rl.Simulation(ring(arrivals="none"))
    for at, sender, distance in zip(time.tolist(), source.tolist(), hops.tolist(), strict=True):
        simulation.inject(sender, (sender + distance) % NODES, size=2 * SYMBOLS, time=at)
    simulation.advance(int(time[-1]) + 10 * BATCH)
    found = simulation.deliveries()
    ended = np.empty(len(time))
    ended[found["packet"]] = found["ended_cycle"]
    return ended


def in_batches(time: Array, hops: Array, latency: Array, batches: int, rate: float) -> tuple[Array, Array, Array]:
    """Returns of each batch but the first: sum of latencies, packets, and the controls, whose mean is 0."""
    batch = (time // BATCH).astype(np.int64)
    latencies, packets, links = (
        np.bincount(batch, weights, batches)[1:batches] for weights in (latency, np.ones(len(time)), hops)
    )
    expected = rate * NODES * BATCH
    of_bins = np.bincount((time // BIN).astype(np.int64), minlength=batches * BATCH // BIN)[: batches * BATCH // BIN]
    squares = (of_bins.reshape(batches, -1)[1:] ** 2).sum(axis=1)
    in_bin = rate * NODES * BIN
    controls = [packets - expected, links - expected * MEAN_HOPS, squares - BATCH / BIN * (in_bin + in_bin**2)]
    return latencies, packets, np.stack(controls, axis=1)


def left(values: Array, controls: Array | None = None) -> float:
    """Returns the variance of values of mean 0, without what linear regression on controls explains."""
    if controls is None:
        return float(values @ values) / (len(values) - 1)
    rest = values - controls @ np.linalg.lstsq(controls, values, rcond=None)[0]
    return float(rest @ rest) / (len(values) - controls.shape[1])


def regenerative(time: Array, ended: Array) -> tuple[int, float]:
    """Returns how many cycles begin with the ring at rest, and the variance of the latency sum that they leave, less
    the mean latency for each packet, for a cycle of the simulation."""
    before = np.maximum.accumulate(ended)[:-1]
    starts = np.flatnonzero(time[1:] > before + REST) + 1
    if len(starts) < 3:
        return len(starts), float("nan")
    sums = np.add.reduceat(ended - time, starts)[:-1]
    packets = np.diff(starts)
    rest = sums - sums.sum() / packets.sum() * packets
    return len(starts), float(rest @ rest) / float(time[starts[-1]] - time[starts[0]])


def compare(percent: int, pairs: int, cycles: int, rate: float) -> None:
    """Prints a row of the table."""
    batches = cycles // BATCH
    found: list[list[tuple[Array, Array, Array]]] = []
    begun, variances = 0, []
    for seed in range(1, pairs + 1):
        runs = []
        for mirrored in (False, True):
            time, source, hops = drawn(rate, seed, batches, mirrored=mirrored)
            ended = simulated(time, source, hops)
            runs.append(in_batches(time, hops, ended - time, batches, rate))
            if not mirrored:
                starts, variance = regenerative(time, ended)
                begun += starts
                variances.append(variance)
        found.append(runs)
    latencies, packets = (np.array([[run[i] for run in runs] for runs in found]) for i in (0, 1))
    controls = np.array([[run[2] for run in runs] for runs in found])
    mean = latencies.sum() / packets.sum()
    # Shape (pairs, 2, batches).
    rest = latencies - mean * packets
    single, together = rest.reshape(-1), rest.mean(axis=1).reshape(-1)
    each, both = controls.reshape(-1, 3), controls.mean(axis=1).reshape(-1, 3)
    plain = left(single)
    correlation = float(np.corrcoef(rest[:, 0].reshape(-1), rest[:, 1].reshape(-1))[0, 1])
    by_cycles = plain / BATCH / float(np.mean(variances))
    print(
        f"| {percent} % | {mean:.1f} | {correlation:+.2f} | {plain / (2 * left(together)):.2f} | "
        f"{plain / left(single, each):.2f} | {plain / (2 * left(together, both)):.2f} | "
        f"{begun / pairs / cycles * 1e6:,.0f} | {by_cycles:.2f} |",
        flush=True,
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=12, help="of runs (default: 12)")
    parser.add_argument("--cycles", type=int, default=1_000_000, help="of each run (default: 1,000,000)")
    options = parser.parse_args()
    full = saturation() / SYMBOLS / NODES
    print("| load | latency | correlation | antithetic | controls | both | at rest in 10^6 cycles | regenerative |")
    print("|---|---|---|---|---|---|---|---|")
    for percent in (30, 60, 90):
        compare(percent, options.pairs, options.cycles, percent / 100 * full)


if __name__ == "__main__":
    main()
