"""Other simulators on the work of the engine, in turns with it: `ringlet bench --peers`.

The work is a ring of 16 nodes without flow control, under uniform Poisson traffic of send80 packets. The bare loop and
the SimPy model simulate the same ring symbol by symbol, so that their mean latencies agree with the engine's. BookSim 2
has no register-insertion ring; it gets its nearest network, a torus of one dimension, with packets as long and as
often.
"""

import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from ringlet._engine import BareRing
from ringlet.benchmarks.cases import SATURATION_WORDS_PER_CYCLE, Case, engine
from ringlet.errors import RingletError

LOADS = (0.1, 0.5)
"""Shares of the load at which uniform traffic fills the links."""

ROUNDS = 5
TURN_S = 0.5
"""Wall-clock time of one turn, about."""
SYMBOLS = 40
"""Symbols of a send80 packet, without the idle after it."""
NODES = 16
SEED = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """Outcome of a simulator's turn."""

    cycles: int
    seconds: float
    mean_latency_cycles: float


Simulate = Callable[[int], Turn]
"""Simulates about so many cycles."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A simulator."""

    name: str
    description: str
    made: Callable[[float], Simulate]
    """Takes the load, a share of saturation."""
    first_cycles: int
    """Cycles of a first short turn, which says how many the others may take."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A simulator beside the engine at one load."""

    peer: Peer
    load: float
    node_cycles_per_s: Sequence[float]
    """Rate of each round."""
    ratios: Sequence[float]
    """Speed of the engine as a multiple of this simulator, in each round."""
    mean_latency_cycles: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON-safe values."""
        return {
            "name": self.peer.name,
            "description": self.peer.description,
            "load": self.load,
            "node_cycles_per_s": {"min": min(self.node_cycles_per_s), "max": max(self.node_cycles_per_s)},
            "engine_is_faster_by": {"min": min(self.ratios), "max": max(self.ratios)},
            "mean_latency_cycles": self.mean_latency_cycles,
        }


def compare(booksim: Path | None = None, *, rounds: int = ROUNDS, turn_s: float = TURN_S) -> list[Compared]:
    """Lets all simulators do the same work in turns, at each load.

    The machine's other work falls on all of them in the same way, so that ratios within a round mean more than rates.

    Args:
        booksim: the program of BookSim 2; None: without it.
        rounds: turns of each.
        turn_s: about how long a turn takes, in seconds.

    Raises:
        RingletError: BookSim is not there or gives no result.
    """
    made = peers(booksim)
    found = []
    for load in LOADS:
        simulations = [peer.made(load) for peer in made]
        cycles = []
        for peer, simulate in zip(made, simulations, strict=True):
            first = simulate(peer.first_cycles)
            cycles.append(max(1_000, round(first.cycles * turn_s / max(first.seconds, 1e-6))))
        turns = [[simulate(count) for simulate, count in zip(simulations, cycles, strict=True)] for _ in range(rounds)]
        rates = [[NODES * turn.cycles / turn.seconds for turn in of_round] for of_round in turns]
        for place, peer in enumerate(made):
            found.append(
                Compared(
                    peer,
                    load,
                    [of_round[place] for of_round in rates],
                    [of_round[0] / of_round[place] for of_round in rates],
                    fmean(of_round[place].mean_latency_cycles for of_round in turns),
                )
            )
    return found


def peers(booksim: Path | None) -> list[Peer]:
    """Returns the engine and the simulators that are there."""
    made = [
        Peer("ringlet", "the engine of ringlet", _engine, 1_000_000),
        Peer("bare", "bare loop over symbols, in Rust", _bare, 100_000),
    ]
    try:
        from ringlet.benchmarks.simpy_ring import Ring as SimpyRing
    except ModuleNotFoundError:
        pass
    else:
        made.append(Peer("simpy", "the same loop as SimPy processes", lambda load: _ring(SimpyRing, load), 2_000))
    if booksim is not None:
        if not booksim.is_file():
            raise RingletError.not_allowed("--booksim", str(booksim), "the path of BookSim 2's program")
        made.append(Peer("booksim", "BookSim 2, torus of one dimension", lambda load: _booksim(booksim, load), 50_000))
    return made


def _mean_gap(load: float) -> float:
    """Returns the mean cycles between two packets of a node."""
    return SYMBOLS / (load * SATURATION_WORDS_PER_CYCLE)


def _engine(load: float) -> Simulate:
    traffic = {"arrivals": "poisson", "load": load * SATURATION_WORDS_PER_CYCLE}
    spec = Case("", "", NODES, {"protocol": "none"}, traffic).spec()
    simulation = engine(spec)

    def simulate(cycles: int) -> Turn:
        simulation.reset_measurement()
        start = time.perf_counter()
        simulation.advance(cycles)
        seconds = time.perf_counter() - start
        counts = simulation.flow_counters()
        return Turn(cycles, seconds, float(counts["latency_sum_cycles"].sum() / counts["delivered_packets"].sum()))

    return simulate


def _bare(load: float) -> Simulate:
    return _ring(BareRing, load)


def _ring(make: Callable[[int, int, int, float, int], Any], load: float) -> Simulate:
    hop_delay = Case("", "", NODES).spec()["hop_delay"]["common"]
    ring = make(NODES, hop_delay, SYMBOLS, _mean_gap(load), SEED)

    def simulate(cycles: int) -> Turn:
        delivered, latency = ring.delivered, ring.latency
        start = time.perf_counter()
        ring.advance(cycles)
        seconds = time.perf_counter() - start
        return Turn(cycles, seconds, (ring.latency - latency) / max(1, ring.delivered - delivered))

    return simulate


BOOKSIM = {
    "topology": "torus",
    "k": NODES,
    "n": 1,
    "routing_function": "dim_order",
    "num_vcs": 2,
    "vc_buf_size": 64,
    "traffic": "uniform",
    "packet_size": SYMBOLS + 1,
    "injection_rate_uses_flits": 0,
    "sim_type": "throughput",
    "sim_count": 1,
    "warmup_periods": 1,
    "max_samples": 5,
}
"""A packet has a flit for each symbol and one for its idle; two virtual channels keep a torus free of deadlock."""


def _booksim(program: Path, load: float) -> Simulate:
    def simulate(cycles: int) -> Turn:
        # BookSim's warm-up and samples are periods of the same length.
        run = BOOKSIM | {"injection_rate": 1 / _mean_gap(load), "sample_period": max(1_000, cycles // 5)}
        with TemporaryDirectory() as folder:
            config = Path(folder, "ring.cfg")
            config.write_text("".join(f"{key} = {value};\n" for key, value in run.items()), encoding="utf-8")
            try:
                done = subprocess.run([program.resolve(), config], capture_output=True, text=True, errors="replace")
            except OSError as error:
                raise RingletError(f"--booksim: {program}: {error.strerror}") from None
        read = _read(done.stdout)
        if read is None:
            raise RingletError(
                f"--booksim: {program}: no result of BookSim 2; it ended with exit code {done.returncode}"
            )
        return Turn(round(read["cycles"]), read["seconds"], read["latency"])

    return simulate


def _read(printed: str) -> Mapping[str, float] | None:
    patterns = {
        "cycles": r"Time taken is (\S+) cycles",
        "seconds": r"Total run time (\S+)",
        "latency": r"Packet latency average = (\S+) \(",
    }
    found = {name: re.findall(pattern, printed) for name, pattern in patterns.items()}
    return {name: float(values[-1]) for name, values in found.items()} if all(found.values()) else None
