"""Records a window of a run."""

import json
from typing import Any

from ringlet._engine import Recorder
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.units import MAX_CYCLES
from ringlet.simulation.replay import Feed
from ringlet.trace.recording import Recording

DEFAULT_CYCLES = 10_000
"""Length of the window where none is given."""

MAX_NODE_CYCLES = 20_000_000
"""Most nodes times cycles of a window: its tables take some 5 bytes for each at full load."""


def record(scenario: Scenario, *, start: int = 0, stop: int | None = None, seed: int | None = None) -> Recording:
    """Simulates a scenario from cycle 0 and records the cycles from `start` to before `stop`.

    What is recorded is the run that `ringlet.run` measures, its warm-up included: cycle 0 is that of the empty ring.

    Args:
        scenario: what to simulate.
        start: first cycle of the window.
        stop: cycle behind the window; default: `DEFAULT_CYCLES` after `start`.
        seed: of every random stream; default: the scenario's.

    Raises:
        RingletError: an empty or too long window, a ring that stalls before it, a network of rings, or a scenario that the engine cannot simulate.
    """
    stop = start + DEFAULT_CYCLES if stop is None else stop
    seed = scenario.seed if seed is None else seed
    nodes = scenario.network.nodes
    if scenario.network.switched:
        raise RingletError.not_allowed("network.topology", scenario.network.topology, "'ring': one ring is recorded")
    if scenario.errors.lose:
        raise RingletError.not_allowed("errors", "<[errors]>", "a ring without errors, if it is recorded")
    if scenario.retry.by == "responder":
        raise RingletError.not_allowed("retry.by", scenario.retry.by, "'requester', if the ring is recorded")
    if not 0 <= start < MAX_CYCLES:
        raise RingletError.not_allowed("start", start, f"a cycle from 0 to {MAX_CYCLES - 1}")
    if not start < stop <= MAX_CYCLES:
        raise RingletError.not_allowed("stop", stop, f"a cycle after the start, {start}")
    if (stop - start) * nodes > MAX_NODE_CYCLES:
        allowed = f"with {nodes} nodes at most {max(1, MAX_NODE_CYCLES // nodes)} cycles after the start, {start}"
        raise RingletError.not_allowed("stop", stop, allowed)
    spec = scenario.network_spec(seed)
    try:
        recorder = Recorder(json.dumps(spec, allow_nan=False), start, stop)
        if scenario.replay is not None:
            Feed(scenario.replay).hand_in_until(recorder, stop)
        tables, stall = recorder.record()
    except ValueError as error:
        raise RingletError(str(error)) from error
    if stall is not None:
        stop = min(stop, _last_cycle(tables))
        if stop <= start:
            raise RingletError.not_allowed(
                "start", start, f"a cycle before the ring stalls, which is at cycle {stall['since_cycle']}"
            )
    return Recording(
        scenario=scenario.to_dict(),
        seed=seed,
        start=start,
        stop=stop,
        nodes=nodes,
        hop_delay_cycles=scenario.hop_delay_cycles,
        symbol_time_ns=float(scenario.symbol_time_ns),
        reading=scenario.flow_control.reading(),
        tables=tables,
        stall=stall,
    )


def _last_cycle(tables: dict[str, dict[str, Any]]) -> int:
    """The cycle up to which every node has emitted something."""
    runs = tables["runs"]
    ends: dict[int, int] = {}
    for node, end in zip(runs["node"].tolist(), (runs["cycle"] + runs["symbols"]).tolist(), strict=True):
        ends[node] = max(end, ends.get(node, 0))
    return min(ends.values(), default=0)
