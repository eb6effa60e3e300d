"""Runs a scenario."""

from collections.abc import Iterable
from concurrent.futures import Executor
from operator import index
from typing import TYPE_CHECKING, Literal, cast

from ringlet import limits
from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.network import MAX_NODES
from ringlet.scenario.resolved.horizon import Horizon
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.simulation.data_frames import Batches
from ringlet.simulation.document import Document
from ringlet.simulation.replay import Feed
from ringlet.simulation.result import Result

if TYPE_CHECKING:
    from ringlet._engine import Measured
    from ringlet.simulation import symbol_run
else:
    symbol_run = library("ringlet.simulation.symbol_run")


def run(scenario: ScenarioLike, *, seed: int | None = None, threads: int = 1) -> Result:
    """Simulates a scenario and returns what was measured.

    Warm-up: a given time, or with "auto" as long as MSER-5 finds a transient in the second half of total throughput or
    mean latency, doubling from a tenth of the duration up to the duration. Then the duration is measured in 30 batches,
    or with a precision batch by batch until total throughput and mean latency have it. A trace without a duration is
    measured until all of it has been delivered.

    The interpreter's lock is free while the engine runs, so that threads of one process simulate side by side.

    >>> import ringlet as rl
    >>> result = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}}, seed=7)
    >>> result.nodes["name"].tolist()
    ['node 0', 'node 1', 'node 2', 'node 3']

    Args:
        scenario: what to simulate: a `Scenario`, what a scenario file holds, or the path of one.
        seed: of every random stream, 0 or larger; default: the scenario's.
        threads: threads on which the rings of a network advance; a single ring takes one.

    Returns:
        The result; the same scenario and seed give the same document, bit for bit, on any number of threads.

    Raises:
        RingletError: what is wrong with the scenario, or that the engine cannot simulate it; a negative seed; less than
            one thread.
        MemoryError: it holds more than `ringlet.limits.SIMULATION_BYTES`, since more is offered than is carried.
    """
    if threads < 1:
        raise RingletError.not_allowed("threads", threads, "at least 1")
    seed = None if seed is None else index(seed)
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise RingletError.not_allowed("seed", seed, f"at least 0 and at most {MAX_SEED}")
    scenario = Scenario.of(scenario)
    seed = scenario.seed if seed is None else seed
    try:
        # More threads than rings have nothing to do, and may be more than the engine can count.
        if scenario.runs_in_python:
            # It has the methods of the engine's that a run needs.
            simulation = cast("Simulation", symbol_run.SymbolSimulation(scenario, seed))
        else:
            simulation = Simulation(
                scenario.engine_spec, min(threads, MAX_NODES), seed=seed, payloads=scenario.payloads()
            )
    except (ValueError, OverflowError) as error:
        raise RingletError(str(error)) from error
    found = measure(scenario, simulation, warm_up=scenario.warmup, horizon=scenario.horizon)
    seconds = found["seconds"]
    speed = found["cycle"] * found["nodes"] / seconds if seconds > 0 else None
    return Result(Document(scenario, seed, simulation, found), Batches.of(found), node_cycles_per_s=speed)


def measure(
    scenario: Scenario, simulation: Simulation, *, warm_up: int | Literal["auto"], horizon: Horizon
) -> "Measured":
    """Simulates from cycle 0 on and returns what the engine found.

    Args:
        scenario: that is simulated.
        simulation: the engine's, at cycle 0.
        warm_up: cycles to discard, or "auto".
        horizon: how long to measure.

    Raises:
        MemoryError: it holds more than `ringlet.limits.SIMULATION_BYTES`.
        RingletError: a packet of a trace that cannot be replayed.
    """
    replay, errors = scenario.replay, scenario.link_errors
    failures = [] if errors is None else errors.affected()
    try:
        return simulation.run(
            {
                "warm_up": None if warm_up == "auto" else warm_up,
                "measured": horizon.measured,
                "precision": horizon.precision,
                "until_over": horizon.until_over,
                "most": horizon.most,
                "feed": None if replay is None else Feed(replay),
                "last_cycle": None if replay is None else replay.last_cycle,
                "most_bytes": limits.SIMULATION_BYTES,
                "failures": failures,
            }
        )
    except MemoryError as error:
        waiting = int(simulation.node_counters()["transmit_queue_max"].max())
        waits = f"up to {waiting:,} packets wait at a node, others are on links"
        cause = f"{waits}: a lower load, queues.transmit or queues.outstanding keeps them fewer"
        raise MemoryError(f"the simulation holds {error}; {cause}") from None
    except ValueError as error:
        # Only a packet of a trace may be refused on the way.
        where = "" if replay is None else f"{replay.stretch.file}: "
        raise RingletError(f"{where}{error}") from None


def run_many(scenario: ScenarioLike, seeds: Iterable[int], executor: Executor | None = None) -> list[Result]:
    """Simulates a scenario once with each seed and returns the results in the order of the seeds.

    Args:
        scenario: what to simulate.
        seeds: one run each.
        executor: where to run, any `concurrent.futures.Executor`; default: one after the other in this process. The
            executor stays open.

    Raises:
        RingletError: the engine cannot simulate the scenario.
    """
    scenario = Scenario.of(scenario)
    if executor is None:
        return [run(scenario, seed=seed) for seed in seeds]
    futures = [executor.submit(run, scenario, seed=seed) for seed in seeds]
    return [future.result() for future in futures]
