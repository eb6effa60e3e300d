"""The cases of `ringlet bench`, and how they are timed."""

import json
import os
import platform
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.scenario import Scenario

REPEATS = 7
REPEAT_S = 0.3
"""Wall-clock time of one repeat, about."""
WARM_UP_CYCLES = 20_000
"""Cycles before the first repeat on a small ring."""
IDLE_CYCLES = 1_000
"""Cycles on the idle ring whose memory is measured."""

SATURATION_WORDS_PER_CYCLE = 40 / (16 / 2 * (41 + 5))
"""Throughput of each of 16 nodes at which uniform send80 traffic fills the links: a send and its echo, each with an
idle, cross 16 links together, half of them on average as a send."""


@dataclass(frozen=True, slots=True)
class Case:
    """A ring to be timed, under uniform traffic."""

    name: str
    description: str
    nodes: int = 16
    flow_control: Mapping[str, Any] = field(default_factory=lambda: {"protocol": "sci"})
    traffic: Mapping[str, Any] = field(default_factory=dict)
    queues: Mapping[str, Any] = field(default_factory=dict)
    warm_up_cycles: int | None = None
    """Cycles before the first repeat; None: `WARM_UP_CYCLES`, or a revolution, if that is longer."""
    note: str = ""
    """Note for the reader of the figures."""

    def spec(self) -> dict[str, Any]:
        """Returns the engine's NetworkSpec."""
        sections = {
            "network": {"nodes": self.nodes},
            "flow_control": self.flow_control,
            "queues": self.queues,
            "traffic": self.traffic,
        }
        return Scenario.from_dict(sections).network_spec(seed=1)


CASES = (
    Case("saturated", "16 nodes, sci, saturated, send80"),
    Case("saturated-mixed", "16 nodes, sci, saturated, mixed sizes", traffic={"transaction": "mixed"}),
    Case(
        "load-10-percent",
        "16 nodes, sci, 10 % of saturation, Poisson, send80",
        traffic={"arrivals": "poisson", "load": 0.1 * SATURATION_WORDS_PER_CYCLE},
    ),
    Case("none-saturated", "16 nodes, none, saturated, send80", flow_control={"protocol": "none"}),
    Case(
        "grouped-saturated",
        "16 nodes, grouped, a group each, saturated, send80",
        flow_control={"protocol": "grouped", "groups": 16, "assignment": "node"},
    ),
    Case(
        "nodes-65536",
        "65536 nodes, sci, saturated, send80",
        nodes=65_536,
        note="measured after one revolution: the links are full, but most packets are still on their way, since every "
        "bypass FIFO that fills makes the way round longer; a steady state would take some 40 revolutions",
    ),
    Case("neighbour", "16 nodes, sci, saturated, send80 to the neighbour", traffic={"pattern": "neighbour"}),
    Case(
        "neighbour-65536",
        "65536 nodes, sci, saturated, send80 to the neighbour",
        nodes=65_536,
        traffic={"pattern": "neighbour"},
        warm_up_cycles=500,
        note="beside 16 nodes with the same traffic, this shows what the size of the ring costs: both are in steady "
        "state",
    ),
    *(
        Case(
            f"read64-{protocol}",
            f"8 nodes, {protocol}, saturated, read64, 16 at a time, queues of 5, service time 100 ns",
            nodes=8,
            flow_control={"protocol": protocol},
            queues={"receive": 5, "service_time": "100 ns", "window": 16},
            traffic={"transaction": "read64"},
        )
        for protocol in ("sci", "ppq", "train", "dfc")
    ),
)


@dataclass(frozen=True, slots=True)
class Timing:
    """The speed of a case, and the memory that the engine takes for it."""

    case: Case
    rates: Sequence[float]
    """Node-cycles per second of each repeat."""
    cycles: int
    """Cycles of each repeat."""
    engine_bytes_per_node: Mapping[str, float]
    """Engine memory: `built`, right after construction with all flows; `idle`, on the same ring without flows after
    some cycles; `loaded`, after the last repeat, with packets and latency histograms."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the timing as JSON-safe values."""
        return {
            "name": self.case.name,
            "description": self.case.description,
            "nodes": self.case.nodes,
            "cycles": self.cycles,
            "repeats": len(self.rates),
            "node_cycles_per_s": {
                "median": statistics.median(self.rates),
                "min": min(self.rates),
                "max": max(self.rates),
            },
            "engine_bytes_per_node": dict(self.engine_bytes_per_node),
            "note": self.case.note,
        }


def chosen(names: Sequence[str]) -> list[Case]:
    """Returns the cases of these names; all without a name.

    Raises:
        RingletError: a name is not known.
    """
    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            raise RingletError.not_allowed("--case", name, f"known cases are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)] or list(CASES)


def measure(case: Case, *, repeats: int = REPEATS, repeat_s: float = REPEAT_S) -> Timing:
    """Times a case.

    Args:
        case: what to simulate.
        repeats: times to measure, at least 1.
        repeat_s: about how long each takes, in seconds.
    """
    spec = case.spec()
    idle = engine(spec | {"flows": []})
    idle.advance(IDLE_CYCLES)
    idle_bytes = idle.engine_bytes()
    simulation = engine(spec)
    built_bytes = simulation.engine_bytes()
    warm_up = case.warm_up_cycles or max(WARM_UP_CYCLES, spec["nodes"] * spec["hop_delay"]["common"])
    trial = warm_up // 10
    _seconds(simulation, warm_up - trial)
    # The end of the warm-up, when the ring has filled, says how many cycles a repeat may take.
    cycles = max(1, round(repeat_s * trial / _seconds(simulation, trial)))
    simulation.reset_measurement()
    rates = [case.nodes * cycles / _seconds(simulation, cycles) for _ in range(repeats)]
    memory = {"built": built_bytes, "idle": idle_bytes, "loaded": simulation.engine_bytes()}
    return Timing(case, rates, cycles, {state: size / case.nodes for state, size in memory.items()})


def engine(spec: Mapping[str, Any]) -> Simulation:
    """Returns the engine's simulation of a NetworkSpec."""
    return Simulation(json.dumps(spec, allow_nan=False))


def _seconds(simulation: Simulation, cycles: int) -> float:
    """Simulates some cycles and returns how long that took."""
    start = time.perf_counter()
    stall = simulation.advance(cycles)
    took = time.perf_counter() - start
    if stall is not None:
        raise RuntimeError(f"the ring stalled at cycle {stall['since_cycle']}: {stall['detail']}")
    return max(took, 1e-9)


def machine() -> dict[str, Any]:
    """Returns what the figures depend on: processor, cores, system, Python."""
    return {
        "processor": _processor(),
        "cores": f"{os.cpu_count()} cores",
        "system": platform.platform(),
        "python": f"Python {platform.python_version()}",
    }


def _processor() -> str:
    """Returns the processor's name: Linux says it in a file only."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
