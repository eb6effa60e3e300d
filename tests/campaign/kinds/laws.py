"""Drawn patterns under each protocol: whoever was promised access has it, and renumbered nodes get what they had."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaign.case import Case, Kind
from campaign.observe import require
from ringlet._engine import Simulation
from ringlet.scenario import Scenario

SERVES = ("sci", "grouped", "ppq", "train", "metaring", "token-ring", "timed-token", "slotted-ring", "rpr")
"""Protocols that promise access to every node, within one priority."""

ALIKE = ("none", "dfc", "sci", "grouped", "ppq", "train", "rpr")
"""Protocols without a privileged node, a first holder of the token or the maker of slots or of SAT, other than TRAIN's
TicketMaster, whose place is an option and is turned, too."""

PROTOCOLS = ("none", "dfc", *SERVES)

OPTIONS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "dfc": ({"stop_thru": False}, {"fair": False}),
    "sci": (
        {"extension": "none"},
        {"extension": "passing"},
        {"release": "all"},
        {"priorities": 2},
        {"priorities": 4},
        {"priorities": 2, "reserve": 0.1},
    ),
    "grouped": (
        {"permit": "any"},
        {"groups": 1},
        {"extension": "none"},
        {"extension": "passing"},
    ),
    "ppq": (
        {"late_echo": "service-end"},
        {"late_echo": "service-start"},
        {"late_echo": "service-end", "inheritance": True},
        {"late_echo": "service-end", "ageing": 500},
        {"overtakes": "busy-echoes"},
        {"extension": "none"},
        {"extension": "passing"},
    ),
    "train": (
        {"mode": "switching"},
        {"mode": "gearshift"},
        {"inheritance": False},
        {"size": "unlimited"},
        {"tickets_per_node": 1},
    ),
    "metaring": ({"most_packets": 1}, {"most_packets": 8, "least_packets": 8}),
    "token-ring": ({"packets": 4}, {"release": "header"}, {"release": "returned"}),
    "slotted-ring": ({"slots": 1},),
    "rpr": ({"mode": "conservative"}, {"class_a": 0.0}),
}
"""Options, other than the default, under which the laws hold, too. Not among them: the extensions `after-send` and
`always`, which starve senders beside silent nodes, slots that destinations empty, and fewer groups than nodes, which
hang on the whole pattern."""

CYCLES = {16: 1_500, 64: 1_500, 80: 1_500, 288: 3_000}
"""Cycles of a run with packets of so many bytes, of which the first quarter is not counted; four times as many on
every eighth ring."""

SETTLED = {"rpr": 12_000, "timed-token": 6_000}
"""The same, whatever the packets, where fair rates take longer to settle than with others, or each node has one long
turn after the other."""

LONGEST = {"rpr": 600_000, "timed-token": 200_000}
"""Cycles after which a sender of these has its least, if it has not in the run's own: the run goes on, each time to
four times as many, of which the last three quarters are counted."""

LONGER = 24_000
"""The same of all others."""

LEAST = 0.01
"""Part of the mean that every sender has at least."""

PATTERNS = 200
"""Patterns of senders and receivers on each ring."""


def generate(seed: int) -> Case:
    """Makes a ring of 3 to 8 nodes, and patterns of which some nodes only receive, each other one saturated with one
    destination."""
    rng = Random(f"laws {seed}")
    number, place = divmod(seed, len(PROTOCOLS))
    protocol = PROTOCOLS[place]
    options = rng.choice(OPTIONS[protocol]) if number % 2 and protocol in OPTIONS else {}
    nodes = rng.randint(3, 8)
    size_bytes = rng.choice(list(CYCLES))
    ring: dict[str, Any] = {
        "network": {
            "nodes": nodes,
            # The slots of a slotted ring go round.
            "hop_delay": rng.randint(1, 12) if protocol != "slotted-ring" else rng.randint(50, 60),
        },
        "traffic": {
            "transaction": f"send{size_bytes}",
            "arrivals": "periodic",
        },
        "flow_control": {"protocol": protocol, **options},
        "run": {"seed": 1},
    }
    patterns = [_pattern(nodes, rng) for _ in range(PATTERNS)]
    cycles = SETTLED.get(protocol, CYCLES[size_bytes]) * (4 if rng.random() < 1 / 8 else 1)
    return Case({"ring": ring, "patterns": patterns, "turned": rng.randint(1, nodes - 1), "cycles": cycles})


def _pattern(nodes: int, rng: Random) -> list[int]:
    """Draws the destination of each node; -1: it is silent."""
    silent = rng.sample(range(nodes), rng.randint(0, nodes - 2))
    to = [rng.choice([other for other in range(nodes) if other != node]) for node in range(nodes)]
    return [-1 if node in silent else to[node] for node in range(nodes)]


def _turned(destinations: list[int], by: int) -> list[int]:
    """Returns the pattern in which node i is node i + `by`."""
    nodes = len(destinations)
    before = [destinations[(node - by) % nodes] for node in range(nodes)]
    return [(to + by) % nodes if to >= 0 else -1 for to in before]


def scenario_of(ring: Mapping[str, Any], destinations: list[int]) -> dict[str, Any]:
    """Returns the scenario of one pattern."""
    pattern = {
        # A silent node has no packet for its neighbour.
        "destinations": [to if to >= 0 else (node + 1) % len(destinations) for node, to in enumerate(destinations)],
        "load": [float(to >= 0) for to in destinations],
    }
    return {**ring, "traffic": {**ring["traffic"], **pattern}}


class Patterns:
    """The specs of all patterns on one ring, composed of the flows in which each node sends to each other one.

    That a spec is the scenario's own is a test's matter; a scenario for each pattern takes as long as its simulation.
    """

    def __init__(self, ring: Mapping[str, Any]) -> None:
        """Resolves a scenario for each distance of the destinations."""
        nodes = ring["network"]["nodes"]
        self._flows: dict[tuple[int, int], str] = {}
        for distance in range(1, nodes):
            scenario = Scenario.of(scenario_of(ring, [(node + distance) % nodes for node in range(nodes)]))
            spec = json.loads(scenario.engine_spec)
            for node, flow in enumerate(spec["flows"]):
                self._flows[node, (node + distance) % nodes] = json.dumps(flow)
            before, after = json.dumps({**spec, "flows": None}).split('"flows": null')
            self._around = (f'{before}"flows": [', f"]{after}")

    def spec(self, destinations: list[int]) -> str:
        """Returns the engine's spec of a pattern."""
        flows = [self._flows[node, to] for node, to in enumerate(destinations) if to >= 0]
        return ", ".join(flows).join(self._around)

    def delivered(self, destinations: list[int], cycles: int) -> Iterator[NDArray[np.float64]]:
        """Simulates a pattern and yields the symbols that each node has brought to its destination in the last three
        quarters of so many cycles, of four times as many, and so on."""
        simulation = Simulation(self.spec(destinations))
        simulation.advance(cycles // 4)
        before = cycles // 4
        while True:
            simulation.reset_measurement()
            stall = simulation.advance(cycles - before)
            require(stall is None, f"{destinations} stands still: {stall}")
            found = np.zeros(len(destinations))
            found[np.array(destinations) >= 0] = simulation.flow_counters()["delivered_symbols"]
            yield found
            before, cycles = cycles, 4 * cycles


def _served(destinations: list[int], found: NDArray[np.float64]) -> bool:
    """Returns whether each sender has its least."""
    senders = found[np.array(destinations) >= 0]
    return bool(senders.min() >= LEAST * senders.mean() > 0)


def check(case: Case, _: Path, __: Random) -> str:
    """Runs each pattern of a ring, and again with other numbers."""
    ring, by, cycles = case.content["ring"], int(case.content["turned"]), int(case.content["cycles"])
    options = ring["flow_control"]
    protocol = str(options["protocol"])
    patterns = turned = Patterns(ring)
    if protocol == "train":
        turned = Patterns({**ring, "flow_control": {**options, "ticket_master": by}})
    for destinations in case.content["patterns"]:
        runs = patterns.delivered(destinations, cycles)
        found = next(runs)
        if protocol in ALIKE:
            again = np.roll(next(turned.delivered(_turned(destinations, by), cycles)), -by)
            alike = bool((found == again).all())
            require(alike, f"{protocol}: {destinations}: {found.tolist()}, turned by {by} {again.tolist()}")
        if protocol in SERVES:
            simulated = cycles
            while not _served(destinations, found) and simulated < LONGEST.get(protocol, LONGER):
                found, simulated = next(runs), 4 * simulated
            served = _served(destinations, found)
            require(served, f"{protocol}: {destinations} starves a sender: {found.tolist()}")
    return protocol if len(options) == 1 else f"{protocol} with options"


LAWS = Kind("laws", "patterns: who is promised access has it, and other numbers change nothing", generate, check)
