"""Drawn patterns under each protocol: whoever was promised access has it, and renumbered nodes get what they had."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaign.case import Case, Kind
from campaign.observe import require
from ringlet import run

SERVES = ("sci", "grouped", "ppq", "train", "metaring", "token-ring", "timed-token", "slotted-ring", "rpr")
"""Protocols that promise access to every node, within one priority."""

ALIKE = ("none", "dfc", "sci", "grouped", "ppq", "rpr")
"""Protocols without a privileged node: a TicketMaster, a first holder of the token, the maker of slots or of SAT."""

CYCLES = {"rpr": 600_000, "timed-token": 200_000}
"""Cycles of a run where fair rates take longer to settle than with others, or each node has one long turn after the
other."""

LEAST = 0.01
"""Part of the mean that every sender has at least."""


def generate(seed: int) -> Case:
    """Makes a ring of 3 to 8 nodes, of which some only receive, each other node saturated with one destination."""
    rng = Random(f"laws {seed}")
    rest = [name for name in (*SERVES, *ALIKE[:2]) if name != "rpr"]
    protocol = "rpr" if rng.random() < 0.01 else rng.choice(rest)
    nodes = rng.randint(3, 8)
    silent = rng.sample(range(nodes), rng.randint(0, nodes - 2))
    cycles = CYCLES.get(protocol, 12_000)
    scenario: dict[str, Any] = {
        "network": {
            "nodes": nodes,
            # The slots of a slotted ring go round.
            "hop_delay": rng.randint(1, 12) if protocol != "slotted-ring" else rng.randint(50, 60),
        },
        "traffic": {
            "destinations": [rng.choice([to for to in range(nodes) if to != node]) for node in range(nodes)],
            "transaction": f"send{rng.choice((16, 64, 80, 288))}",
            "load": [0.0 if node in silent else 1.0 for node in range(nodes)],
            "arrivals": "periodic",
        },
        "flow_control": {"protocol": protocol},
        "run": {"duration": cycles, "warmup": cycles // 4, "seed": 1},
    }
    return Case({"scenario": scenario, "turned": rng.randint(1, nodes - 1)})


def _turned(scenario: dict[str, Any], by: int) -> dict[str, Any]:
    """Returns the scenario in which node i is node i + `by`."""
    traffic, nodes = scenario["traffic"], scenario["network"]["nodes"]
    places = [(node - by) % nodes for node in range(nodes)]
    turned = {
        "destinations": [(traffic["destinations"][place] + by) % nodes for place in places],
        "load": [traffic["load"][place] for place in places],
    }
    return {**scenario, "traffic": {**traffic, **turned}}


def _throughput(scenario: dict[str, Any]) -> np.ndarray:
    """Runs a scenario and returns the throughput of each node."""
    return run(scenario).nodes["throughput_words_per_cycle"].to_numpy(dtype=np.float64)


def check(case: Case, _: Path, __: Random) -> str:
    """Runs the ring, and again with other numbers."""
    scenario, by = dict(case.content["scenario"]), int(case.content["turned"])
    protocol = scenario["flow_control"]["protocol"]
    found = _throughput(scenario)
    if protocol in SERVES:
        senders = found[np.array(scenario["traffic"]["load"]) > 0]
        require(senders.min() >= LEAST * senders.mean(), f"{protocol} starves a sender: {found.tolist()}")
    if protocol in ALIKE:
        again = np.roll(_throughput(_turned(scenario, by)), -by)
        require(bool((found == again).all()), f"{protocol}: {found.tolist()}, turned by {by} {again.tolist()}")
    return str(protocol)


LAWS = Kind("laws", "patterns: who is promised access has it, and other numbers change nothing", generate, check)
