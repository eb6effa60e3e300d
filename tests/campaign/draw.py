"""Draws whole scenarios: keys from the schema, sizes that a run of some milliseconds can have, files that keys name."""

import copy
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from campaign import files, repair, schema
from campaign.case import Case
from campaign.schema import Values
from ringlet import RingletError, Scenario

MOST_CYCLES = 5000
"""Cycles of a run."""
MOST_WORK = 300_000
"""Interfaces times cycles of a run: some milliseconds."""
MOST_INTERFACES = (150, 4000)
"""Interfaces of most networks, and of one walk in `LARGE_WALKS`."""
LARGE_WALKS = 64
DRAWS = 20
"""Scenarios drawn until one can be made valid."""
WALK = 32
"""Scenarios of a walk, each made from the one before it."""
STEP_REPAIRS = 12
"""Repairs after which another step is tried."""
STEPS = 6
"""Steps tried from a scenario before the walk stays where it is."""

Shape = Callable[[Random], dict[str, Any]]
"""Draws the network section that a walk begins with; where it names a topology, the walk keeps it."""


class Walks:
    """Scenarios by number: walks from a scenario drawn afresh, in steps that change a few keys and repair the rest.

    A step costs a twentieth of a fresh scenario. What a number stands for depends on nothing but the number.
    """

    def __init__(self, name: str, shape: Shape) -> None:
        """`name` makes the walks other ones than those of other kinds."""
        self._name, self._shape = name, shape
        self._next: tuple[int, Iterator[Case]] = (-1, iter(()))

    def __call__(self, number: int) -> Case:
        """Returns the scenario of a number, quickly for one number after the other."""
        expected, walk = self._next
        if number != expected or number % WALK == 0:
            walk = self._walk(Random(f"{self._name} {number // WALK}"))
            for _ in range(number % WALK):
                next(walk)
        case = next(walk)
        self._next = (number + 1, walk)
        return case

    def _walk(self, rng: Random) -> Iterator[Case]:
        with tempfile.TemporaryDirectory(prefix="campaign-", dir=in_memory()) as folder:
            for _ in range(DRAWS):
                drawn = _Drawn(rng, self._shape(rng), Path(folder))
                if drawn.fill(rng.choice((2, 5, 10, 20, 30))):
                    break
            else:
                raise AssertionError(f"no valid scenario in {DRAWS} draws: messages do not say what to change")
            yield drawn.case()
            while True:
                for _ in range(STEPS):
                    stepped = drawn.copy()
                    if stepped.step():
                        break
                else:
                    stepped = drawn
                yield stepped.case()
                # A scenario that the program fails on is a case, but there is no way on from it.
                drawn = drawn if stepped.scenario is None else stepped


class _Drawn:
    """A scenario under way."""

    def __init__(self, rng: Random, network: dict[str, Any], folder: Path) -> None:
        self._rng, self._folder = rng, folder
        self.largest = MOST_INTERFACES[rng.random() < 1 / LARGE_WALKS]
        self.kept = {"topology", "rings", "switches"} if "topology" in network else {"nodes"}
        self.content: dict[str, Any] = {"network": network}
        self.files: dict[str, bytes] = {}
        self._written: dict[str, bytes] = {}
        self.scenario: Scenario | None = None

    def copy(self) -> "_Drawn":
        other = copy.copy(self)
        other.content, other.files = _copied(self.content), dict(self.files)
        return other

    def case(self) -> Case:
        text = repr(self.content)
        used = {name: file for name, file in self.files.items() if name in text}
        return Case({"scenario": self.content}, used, None if used else self.scenario)

    @property
    def _values(self) -> Values:
        nodes = self.content["network"].get("nodes")
        if not isinstance(nodes, int):
            # Other keys say how many: a guess will do.
            nodes = self._rng.randint(2, 8)
        nodes = max(1, min(nodes, 64))
        return Values(self._rng, nodes, lambda key: files.make(key, nodes, self._rng, self.files))

    def fill(self, count: int) -> bool:
        """Draws so many keys; returns whether a valid scenario came out."""
        decisive = [("flow_control", "protocol"), ("traffic", "pattern"), ("traffic", "arrivals")]
        chosen = [path for path in (*decisive, ("traffic", "transaction")) if self._rng.random() < 0.6]
        for path in (*chosen, *self._rng.sample(schema.all_keys(), k=count)):
            self._draw(path)
        return self._mend(repair.MOST)

    def step(self) -> bool:
        """Changes a few keys; returns whether a valid scenario came out."""
        rng = self._rng
        for _ in range(rng.choice((1, 1, 2, 4))):
            there = [path for path in schema.all_keys() if self._holds(path)]
            roll = rng.random()
            if there and roll < 0.2:
                self._drop(rng.choice(there))
            elif there and roll < 0.5:
                self._draw(rng.choice(there))
            elif roll < 0.6:
                self._draw(
                    rng.choice([path for path in schema.all_keys() if path[-1] in ("protocol", "pattern", "arrivals")])
                )
            else:
                self._draw(rng.choice(schema.all_keys()))
        return self._mend(STEP_REPAIRS)

    def _holds(self, path: schema.Path) -> bool:
        table: Any = self.content
        for part in path:
            if not isinstance(table, dict) or part not in table:
                return False
            table = table[part]
        return True

    def _is_kept(self, path: schema.Path) -> bool:
        return path[0] == "network" and path[-1] in self.kept

    def _draw(self, path: schema.Path) -> None:
        if self._is_kept(path):
            return
        table = self.content
        for part in path[:-1]:
            table = table.setdefault(part, {})
        found = schema.at(path)
        assert found is not None
        table[path[-1]] = self._values.draw(found, str(path[-1]))

    def _drop(self, path: schema.Path) -> None:
        if self._is_kept(path):
            return
        table: Any = self.content
        for part in path[:-1]:
            table = table[part]
        del table[path[-1]]

    def _mend(self, repairs: int) -> bool:
        """Repairs what the program refuses and bounds the run; returns whether it is valid then, or the program
        fails."""
        self.scenario = None
        for _ in range(repairs):
            self._bound()
            try:
                scenario = self._validated()
            except RingletError as error:
                if not repair.repair(self.content, str(error), self._values):
                    return False
                if "topology" in self.kept and "topology" not in self.content["network"]:
                    return False
                continue
            except Exception:
                return True
            if len(scenario.routed_network[0].interface_ring) > self.largest:
                return False
            if work(scenario) > MOST_WORK:
                self._shorten(scenario)
                continue
            self.scenario = scenario
            return True
        return False

    def _validated(self) -> Scenario:
        text = repr(self.content)
        for name, file in self.files.items():
            if name in text and self._written.get(name) is not file:
                (self._folder / name).write_bytes(file)
                self._written[name] = file
        return Scenario.from_dict(self.content, base_dir=self._folder)

    def _bound(self) -> None:
        """Keeps sizes and duration small before they are tried: a large network takes seconds to build."""
        for key, value in self.content["network"].items():
            found = schema.at(("network", key))
            if found is None or any("unit" in option for option in schema.options(found)):
                continue
            if isinstance(value, int) and value > self.largest:
                self.content["network"][key] = self._rng.randint(2, 16)
            elif key == "shape" and isinstance(value, list) and _product(value) > self.largest:
                self.content["network"][key] = [self._rng.randint(2, 4) for _ in range(min(len(value), 3))]
        run, rng = self.content.setdefault("run", {}), self._rng
        if not isinstance(run.get("duration"), int) or not 0 < run["duration"] <= MOST_CYCLES:
            run["duration"] = rng.randint(1, rng.choice((300, MOST_CYCLES)))
            if rng.random() < 0.7:
                run.setdefault("warmup", 0)

    def _shorten(self, scenario: Scenario) -> None:
        interfaces = len(scenario.routed_network[0].interface_ring)
        self.content["run"] |= {"duration": max(1, min(MOST_CYCLES, MOST_WORK // interfaces // 4)), "warmup": 0}


def in_memory() -> str | None:
    """Returns a folder that is no disk, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _copied(value: Any) -> Any:
    """Returns a copy of tables and lists; `copy.deepcopy` takes four times as long."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _product(values: list[Any]) -> float:
    return math.prod(value for value in values if isinstance(value, int | float))


def work(scenario: Scenario) -> float:
    """Returns the most interface-cycles that a run of a scenario takes; infinite where nothing limits it."""
    measured: float | None = scenario.measured_cycles
    if measured is None:
        measured = float("inf") if scenario.replay is None else 2 * scenario.replay.last_cycle + 100_000
    # An automatic warm-up is at least four round trips of the longest ring.
    around = max(shape.around_cycles for shape in scenario.resolved.shapes)
    warmup = max(measured, 4 * around) if scenario.warmup == "auto" else scenario.warmup
    return float(measured + warmup) * len(scenario.routed_network[0].interface_ring)
