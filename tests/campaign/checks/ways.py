"""Ways into one simulation: a run, steps in any pieces, a copy, a file, threads and the C interface count the same."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringlet as rl
from campaign import c_interface
from campaign.case import RuleError
from campaign.observe import PLANS, TABLES, Observed, as_text
from ringlet._engine import Simulation, Stepping
from ringlet.scenario import Scenario
from ringlet.simulation.simulate import measure

WAYS = ("steps", "fork", "file", "C")
"""Ways to go on with a simulation."""


def all_ways_are_one_simulation(observed: Observed) -> None:
    """What a run measures is what is counted in steps, some of them taken by a copy, from a file, on threads or in C,
    whether nothing is injected or, up to there, something was."""
    scenario, rng = observed.scenario, observed.rng
    run = Simulation(scenario.engine_spec, 1, seed=scenario.seed, payloads=scenario.payloads())
    measured = measure(scenario, run, warm_up=scenario.warmup, horizon=scenario.horizon)
    end, begin, stall = measured["cycle"], measured["measured_from"], measured["stall"]
    stepped = Walk(scenario, observed.folder, rng)
    stepped.go_to(begin)
    if begin:
        stepped.simulation.reset_counters()
    stepped.go_to(end)
    if (None if stall is None else stall["since_cycle"]) != stepped.stalled_since:
        raise RuleError(f"a run ends with {stall}, {stepped} with a stall since {stepped.stalled_since}")
    if stall is None:
        found = difference(run, stepped.engine, len(observed.spec["flows"]))
        if found is not None:
            raise RuleError(f"a run and {stepped} differ: {found}")


def injected_packets_fare_alike_in_all_ways(observed: Observed) -> None:
    """The same packets injected arrive at the same times, whichever way the simulation takes meanwhile."""
    scenario, rng, end = observed.scenario, observed.rng, min(observed.cycles, 20_000)
    if scenario.network.nodes < 2 or not end:
        return
    whole = rl.Simulation(scenario)
    walk = Walk(scenario, observed.folder, rng)
    for leg in sorted(rng.choices((0, end, rng.randrange(end)), k=2)):
        if not _both_go_to(leg, whole, walk):
            end = whole.cycle
            break
        _both_inject(rng, whole, walk, end)
    _both_go_to(end, whole, walk)
    expected = _rows(whole)
    if walk.arrived + _rows(walk.simulation) != expected:
        raise RuleError(f"other deliveries after {walk}")
    found = difference(whole._engine, walk.engine, len(observed.spec["flows"]) + scenario.network.nodes)
    if found is not None:
        raise RuleError(f"after packets were injected {walk} counts something else: {found}")


def _both_inject(rng: Random, whole: rl.Simulation, walk: "Walk", end: int) -> None:
    """Injects the same packets into both, for times before an end, and rewrites the group register of a node."""
    scenario = whole.scenario
    if whole.cycle >= end:
        return
    for _ in range(rng.randint(1, 20)):
        source, destination = rng.sample(range(scenario.network.nodes), 2)
        priorities = scenario.resolved.send_levels.count
        packet: dict[str, Any] = {"time": rng.randrange(whole.cycle, end), "priority": rng.randrange(priorities)}
        kind = rng.choice(("size", "size", "transaction"))
        packet[kind] = 2 * rng.randint(8, 40) if kind == "size" else rng.choice(("read64", "nwrite16", "dmove64"))
        if rng.random() < 0.2:
            packet["group"] = rng.randrange(4)
        try:
            whole.inject(source, destination, **packet)
        except rl.RingletError:
            # Its ring or its time-out is for shorter ones, there is no way, or no such group.
            continue
        walk.simulation.inject(source, destination, **packet)
    node, group = rng.randrange(scenario.network.nodes), rng.randrange(4)
    try:
        whole.set_group(node, group)
    except rl.RingletError:
        return
    walk.simulation.set_group(node, group)


def _both_go_to(end: int, whole: rl.Simulation, walk: "Walk") -> bool:
    """Simulates both until a cycle; returns whether they do not stall before."""
    try:
        whole.advance(end - whole.cycle)
    except rl.StallError as stall:
        walk.go_to(whole.cycle)
        if walk.stalled_since != stall.since_cycle:
            raise RuleError(f"stalled since {stall.since_cycle}, {walk} since {walk.stalled_since}") from stall
        return False
    walk.go_to(end)
    return True


class Walk:
    """A simulation that goes on in pieces, each time in another way."""

    def __init__(self, scenario: Scenario, folder: Path, rng: Random) -> None:
        self.simulation = rl.Simulation(scenario, threads=rng.choice((1, 1, 2, 3)))
        self.arrived: list[tuple[int, ...]] = []
        """What has arrived in C, which returns it once."""
        self.stalled_since: int | None = None
        self._scenario, self._folder, self._rng = scenario, folder, rng
        self._taken: list[str] = []

    @property
    def engine(self) -> Stepping:
        """The engine's simulation."""
        return self.simulation._engine

    def __str__(self) -> str:
        """The ways that it has taken."""
        return f"a simulation by {', '.join(self._taken) or 'nothing'}"

    def go_to(self, end: int) -> None:
        """Simulates until a cycle, in up to six pieces and ways."""
        rng, pieces = self._rng, 0
        while self.simulation.cycle < end and self.stalled_since is None:
            left, pieces = end - self.simulation.cycle, pieces + 1
            piece = left if pieces == 6 else min(left, rng.choice((1, 7, rng.randint(1, left), left)))
            way = rng.choice(WAYS)
            self._taken.append(f"{way} to {self.simulation.cycle + piece}")
            before = self.simulation.cycle
            try:
                self._go_on(way, piece)
            except rl.StallError as stall:
                self.stalled_since = stall.since_cycle
            if self.simulation.cycle == before:
                # A network ends earlier than a ring, since it counts picoseconds.
                break

    def _go_on(self, way: str, piece: int) -> None:
        file = self._folder / "half-way.ringlet"
        if way == "C" and c_interface.library() is None:
            way = "file"
        match way:
            case "fork":
                self.simulation = self.simulation.fork()
            case "file" | "C":
                self.simulation.save(file)
        if way == "C":
            document = self._scenario.stepping_json()
            with c_interface.opened(document, file) as in_c:
                try:
                    in_c.advance(piece)
                except c_interface.CError as error:
                    if error.status != c_interface.STALLED:
                        raise
                    self.stalled_since = int(str(error).split("since cycle ")[1].split(":")[0])
                self.arrived += in_c.deliveries()
                in_c.save(file)
        if way in ("file", "C"):
            self.simulation = rl.Simulation.load(file, threads=self._rng.choice((1, 2)))
        if way != "C":
            self.simulation.advance(piece)


def _rows(simulation: rl.Simulation) -> list[tuple[int, ...]]:
    """Returns what has arrived, with times in cycles."""
    return [tuple(row)[:9] for row in simulation.deliveries().tolist()]


def difference(one: Simulation | Stepping, other: Simulation | Stepping, flows: int) -> str | None:
    """Returns the first counter that differs, of the first flows; None: none does."""
    if one.cycle != other.cycle:
        return f"cycle {one.cycle} or {other.cycle}"
    for name in TABLES:
        theirs = getattr(other, name)()
        for column, values in getattr(one, name)().items():
            most = flows if name == "flow_counters" else None
            unlike = _unlike(values[:most], theirs[column][:most])
            if unlike is not None:
                return f"{name}.{column}{unlike}"
    for name in PLANS:
        ours, theirs = (as_text(each.activity_counters(name)) for each in (one, other))
        if ours != theirs:
            return f"{name}: {ours} or {theirs}"
    return None


def _unlike(ours: NDArray[Any], theirs: NDArray[Any]) -> str | None:
    if ours.shape != theirs.shape:
        return f": {ours.shape} or {theirs.shape}"
    places = np.flatnonzero(ours != theirs)
    return None if not places.size else f"[{places[0]}]: {ours[places[0]]} or {theirs[places[0]]}"
