"""Scenarios in which nothing is drawn: a run that leaps from period to period counts what a direct one does."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from campaign.case import Case, Kind
from campaign.observe import Counted, Observed, require
from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS

CYCLES = 100_000
"""Cycles of a run of saturated sources, at most."""

HYPERPERIODS = (3, 80)
"""Hyperperiods of a run of periodic sources, at least and at most."""

PERIODS = ((512, 1024, 2048, 4096, 8192), (1000, 1250, 2500, 5000, 10_000), (500.5, 1001, 2002, 4004))
"""Cycles between two releases of a message, or of an instance of a loop; of those of a scenario the last is a multiple
of all others."""

PARTS = ("traffic",) * 3 + ("messages",) * 3 + ("loops",) * 2 + ("events", "both")
"""What sends: `both` are messages beside traffic."""

TRANSACTIONS = ("send16", "send64", "send80", "send288", "dmove64", "read64")


def generate(seed: int) -> Case:
    """Makes a ring or a small network with saturated or periodic sources, messages, loops, events, or several."""
    rng = Random(f"recurrences {seed}")
    # The rates of `rpr` are smoothed, and hardly ever come back.
    protocol = rng.choice([name for name in sorted(PROTOCOLS.listed) if name != "rpr" or rng.random() < 0.1])
    network, nodes = _network(rng, protocol)
    parts = rng.choice(PARTS)
    periods = rng.choice(PERIODS)
    hyperperiods = rng.randint(*HYPERPERIODS)
    cycles = rng.randint(2_000, CYCLES) if parts == "traffic" else int(hyperperiods * max(4000, periods[-1]))
    scenario: dict[str, Any] = {
        "network": network,
        "flow_control": {"protocol": protocol},
        "run": {"duration": cycles, "seed": 1},
    }
    if rng.random() < 0.5:
        scenario["run"]["warmup"] = rng.choice((0, 500, 5_000))
    if rng.random() < 0.2:
        scenario["queues"] = {"receive": rng.randint(1, 4), "service_time": f"{rng.randint(20, 400)} ns"}
    if parts in ("traffic", "both"):
        scenario["traffic"] = _traffic(rng, nodes)
    if parts in ("messages", "both"):
        scenario["messages"] = [_message(rng, nodes, str(one), periods) for one in range(rng.randint(1, 5))]
    if parts == "loops":
        scenario["loops"] = [_loop(rng, nodes, name, periods) for name in ("steer", "brake")[: rng.randint(1, 2)]]
    if parts == "events":
        scenario["events"] = _events(rng, nodes)
    if parts in ("messages", "both", "loops"):
        scenario["allow_late_deadlines"] = True
    return Case({"scenario": scenario})


def _network(rng: Random, protocol: str) -> tuple[dict[str, Any], int]:
    """Returns a network section and its number of nodes."""
    if rng.random() < 0.8:
        nodes = rng.choice((2, 3, 4, 5, 6, 8, 12, 16))
        # The slots of a slotted ring go round.
        least = 150 // nodes + 1 if protocol == "slotted-ring" else 1
        return {"nodes": nodes, "hop_delay": rng.randint(least, least + 20)}, nodes
    topology = rng.choice(("switch", "dual-ring", "torus", "ring-of-rings"))
    if topology in ("torus", "ring-of-rings"):
        shape = [rng.randint(2, 3), rng.randint(2, 3)]
        return {"topology": topology, "shape": shape}, shape[0] * shape[1]
    nodes = rng.choice((4, 6, 8))
    return {"topology": topology, "nodes": nodes}, nodes


def _traffic(rng: Random, nodes: int) -> dict[str, Any]:
    """Returns saturated or periodic sources with one destination each."""
    traffic: dict[str, Any] = {
        "transaction": rng.choice(TRANSACTIONS),
        "destinations": [rng.choice([to for to in range(nodes) if to != node]) for node in range(nodes)],
    }
    if rng.random() < 0.4:
        # Powers of two come back with each other, and with the sources of messages.
        traffic["arrivals"] = "periodic"
        words = rng.choice((0.25, 0.125, 0.0625))
        traffic["load"] = [rng.choice((words, 0.0)) if rng.random() < 0.3 else words for _ in range(nodes)]
        if not any(traffic["load"]):
            traffic["load"][0] = words
    return traffic


def _message(rng: Random, nodes: int, name: str, periods: Sequence[float]) -> dict[str, Any]:
    source, destination = rng.sample(range(nodes), k=2)
    period = rng.choice(periods if rng.random() < 0.3 else periods[2:])
    return {
        "name": name,
        "source": source,
        "destination": destination,
        "size": rng.choice((16, 64, 128, 256) if period < 2000 else (16, 64, 256, 1000)),
        "period": _time(period),
        "offset": _time(rng.choice((0, rng.randrange(int(period)), 0.5 * rng.randrange(int(period))))),
    }


def _loop(rng: Random, nodes: int, name: str, periods: Sequence[float]) -> dict[str, Any]:
    way = rng.sample(range(nodes), k=min(nodes, rng.randint(2, 4)))
    period = rng.choice(periods[2:])
    return {
        "name": name,
        "nodes": way,
        "size": rng.choice((64, 640)),
        "compute_time": _time(rng.randrange(int(period / len(way) / 2))),
        "period": _time(period),
    }


def _time(cycles: float) -> str:
    """Returns a number of cycles of 2 ns as a time."""
    return f"{2 * cycles:g} ns"


def _events(rng: Random, nodes: int) -> dict[str, Any]:
    events = {
        "rate": f"{rng.choice((50, 100, 125))} kHz",
        "trigger": "periodic",
        "fragment": f"{rng.choice((64, 256, 1024))} B",
        "builders": sorted(rng.sample(range(nodes), k=rng.randint(1, nodes - 1))),
        "queue": rng.randint(1, 6),
        "timeout": f"{rng.choice((20, 40))} us",
    }
    return events | ({"build_time": f"{rng.randint(1, 20)} us"} if rng.random() < 0.5 else {})


def found(scenario: Scenario, folder: Path = Path()) -> dict[str, Any] | None:
    """Returns the recurrence that a run finds, None if none, after comparing all that it counts with a simulation that
    is just advanced.

    Raises:
        RuleError: they differ.
    """
    horizon = scenario.horizon
    observed = Observed(scenario, folder, Random(0))
    run = Simulation(scenario.engine_spec)
    measured = run.run(
        {
            "warm_up": None if scenario.warmup == "auto" else scenario.warmup,
            "measured": horizon.measured,
            "precision": horizon.precision,
            "until_over": horizon.until_over,
            "most": horizon.most,
            "feed": None,
            "last_cycle": None,
            "most_bytes": None,
            "failures": [],
        }
    )
    direct = Simulation(scenario.engine_spec)
    stall = None
    if measured["measured_from"] > 0:
        stall = direct.advance(measured["measured_from"])
        direct.reset_measurement()
    if stall is None:
        stall = direct.advance(measured["cycle"] - measured["measured_from"])
    flows = len(observed.spec["flows"])
    # The progress of a replay is no count of what is measured.
    ours, theirs = (replace(Counted.of(one, flows, stall), replayed={}) for one in (run, direct))
    difference = ours.difference(theirs)
    exact: dict[str, Any] | None = measured["exact"]
    lengths = None if exact is None else (exact["transient_cycles"], exact["period_cycles"])
    require(difference is None, f"{lengths}: {difference}")
    return exact


def check(case: Case, folder: Path, _: Random) -> str:
    """Runs the scenario and simulates it."""
    try:
        scenario = Scenario.from_dict(case.content["scenario"], base_dir=folder)
    except RingletError:
        return "refused"
    return "none found" if found(scenario, folder) is None else "exact"


RECURRENCES = Kind("recurrences", "deterministic scenarios: exact runs count what direct ones do", generate, check)
