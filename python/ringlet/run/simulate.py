"""Runs a scenario."""

import json
from collections.abc import Iterable
from concurrent.futures import Executor

from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.run.document import Document
from ringlet.run.drive import drive
from ringlet.run.engine import Engine
from ringlet.run.error_records import error_records
from ringlet.run.flows import Flows
from ringlet.run.plan import Plan
from ringlet.run.replay import Feed, ReplayRecord
from ringlet.run.result import Result
from ringlet.run.stalls import describe
from ringlet.scenario import Replay, Scenario


def run(scenario: Scenario, *, seed: int | None = None, threads: int = 1) -> Result:
    """Simulates a scenario and returns what was measured.

    Warm-up: a given time, or with "auto" as long as MSER-5 finds a transient in the second half of total throughput or
    mean latency, doubling from a tenth of the duration up to the duration. Then the duration is measured in 30 batches,
    or with a precision batch by batch until total throughput and mean latency have it. A trace without a duration is measured until all of it
    has been delivered.

    Args:
        scenario: what to simulate.
        seed: of every random stream, 0 or larger; default: the scenario's.
        threads: threads on which the rings of a network advance; a single ring takes one.

    Returns:
        The result; the same scenario and seed give the same one, bit for bit but for `node_cycles_per_s`, on any number of threads.

    Raises:
        RingletError: the engine cannot simulate the scenario; less than one thread.
    """
    if threads < 1:
        raise RingletError.not_allowed("threads", threads, "at least 1")
    seed = scenario.seed if seed is None else seed
    spec = scenario.network_spec(seed)
    try:
        simulation = Simulation(json.dumps(spec, allow_nan=False), threads)
    except ValueError as error:
        raise RingletError(str(error)) from error
    engine = Engine(simulation)
    if scenario.replay is not None:
        engine.feed = Feed(scenario.replay)
    flows = Flows.from_spec(spec, scenario.payloads())
    measurement = drive(engine, flows, Plan.of(scenario, spec))
    if engine.stall is not None:
        engine.stall = describe(engine.stall, scenario.routed_network[0] if "network" in spec else None)
    document = Document(engine, flows, measurement, symbol_time_ns=float(scenario.symbol_time_ns))
    switched = "network" in spec and scenario.network.switched
    names = {"node_name": scenario.routed_network[0].node_name} if switched else {}
    errors = error_records(simulation, scenario, cycles=engine.cycle) if "network" in spec else None
    built = document.build(
        scenario=scenario,
        seed=seed,
        messages=scenario.periodic_messages,
        warnings=scenario.warnings(),
        replay=None if scenario.replay is None else _replayed(scenario.replay, simulation, scenario.symbol_time_ns),
        errors=errors,
        **names,
    )
    return Result(built, measurement.batches)


def _replayed(replay: Replay, simulation: Simulation, symbol_time_ns: float) -> ReplayRecord:
    stopped = simulation.cycle <= replay.last_cycle
    return ReplayRecord(replay, simulation.replayed(), stopped=stopped, symbol_time_ns=float(symbol_time_ns))


def run_many(scenario: Scenario, seeds: Iterable[int], executor: Executor | None = None) -> list[Result]:
    """Simulates a scenario once with each seed and returns the results in the order of the seeds.

    Args:
        scenario: what to simulate.
        seeds: one run each.
        executor: where to run, any `concurrent.futures.Executor`; default: one after the other in this process. The
            executor stays open.

    Raises:
        RingletError: the engine cannot simulate the scenario.
    """
    if executor is None:
        return [run(scenario, seed=seed) for seed in seeds]
    futures = [executor.submit(run, scenario, seed=seed) for seed in seeds]
    return [future.result() for future in futures]
