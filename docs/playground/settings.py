"""Tables of what the sliders of the playground choose between, made by the program.

The page puts a spec together from these tables and computes none of its numbers, so that it has no rule of its own.
What no slider changes is checked when they are made: a new key of a protocol fails the build, rather than differs.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario import Scenario

NODES = (3, 4, 5, 6, 8, 10, 12, 16)
HOP_DELAYS = (1, 2, 4, 8, 16, 32)
LOADS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, None)
"""Offered per node, in words per cycle; None: saturated."""
MIXES = {"send16": "16 bytes", "mixed": "60 % of 16 bytes, 40 % of 80", "send80": "80 bytes"}

PROTOCOLS = {
    "none": "none",
    "sci": "SCI go bits",
    "grouped": "group protocol",
    "ppq": "preemptive priority queues (PPQ)",
    "train": "TRAIN",
    "dfc": "directed flow control (DFC)",
    "metaring": "MetaRing",
    "token-ring": "token ring",
    "timed-token": "timed token ring",
    "slotted-ring": "slotted ring",
    "rpr": "Resilient Packet Ring (RPR)",
}

BY_RING = ("grouped", "train", "timed-token", "slotted-ring", "rpr")
"""Protocols whose options depend on how many nodes the ring has, or on how long it is."""

PATTERNS: Mapping[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "uniform": ("every other node alike", lambda _: {}),
    "fan-in": ("all but two to one node", lambda nodes: {"fan_in": max(2, nodes - 2)}),
    "hot-spot": ("half of all to node 0", lambda _: {"hot_node": 0, "hot_fraction": 0.5}),
    "neighbour": ("the next node", lambda _: {}),
    "tornado": ("almost halfway round", lambda _: {}),
}

SEED = 1


def scenario(
    *, protocol: str, nodes: int, pattern: str, load: float | None, mix: str, hop_delay: int, seed: int = SEED
) -> Scenario:
    """Returns the scenario of these settings."""
    arrivals = {"arrivals": "saturated"} if load is None else {"arrivals": "poisson", "load": load}
    return Scenario.from_dict(
        {
            "network": {"nodes": nodes, "hop_delay": hop_delay},
            "flow_control": {"protocol": protocol},
            "traffic": {"transaction": mix, "pattern": pattern, **PATTERNS[pattern][1](nodes), **arrivals},
            "run": {"seed": seed},
        }
    )


class Distinct:
    """Values kept once each, and told by their places."""

    def __init__(self) -> None:
        """Begins without any."""
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Any) -> int:
        """Returns where the value is."""
        key = json.dumps(value, sort_keys=True)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]


OF_NODES = ("nodes", "hop_delay", "seed", "flows")
"""What of a spec the page fills in."""
OF_SOURCE = ("source", "arrivals", "destinations", "groups", "sizes")
"""What of a flow it fills in."""


def tables() -> dict[str, Any]:
    """Returns the tables of the page.

    Raises:
        ValueError: part of a spec depends on a slider of which these tables do not know that it does.
    """
    flows, optima, specs, fixed = Distinct(), Distinct(), Distinct(), {}
    made: dict[str, dict[str, dict[str, Any]]] = {}
    for protocol in PROTOCOLS:
        made[protocol] = {}
        for pattern in PATTERNS:
            made[protocol][pattern] = {"flows": {}, "optimum": {mix: {} for mix in MIXES}}
            for nodes in NODES:
                for mix in MIXES:
                    known = scenario(
                        protocol=protocol, nodes=nodes, pattern=pattern, load=None, mix=mix, hop_delay=HOP_DELAYS[-1]
                    )
                    spec = known.network_spec(SEED)
                    place = flows.place([{key: flow[key] for key in OF_SOURCE[2:4]} for flow in spec["flows"]])
                    _agree(made[protocol][pattern]["flows"].setdefault(nodes, place), place, "destinations", protocol)
                    optimum = known.optimum()
                    made[protocol][pattern]["optimum"][mix][nodes] = optima.place(
                        None if optimum is None else np.asarray(optimum.words_per_cycle).tolist()
                    )
        fixed[protocol] = _fixed(protocol, specs)
    return {
        "nodes": list(NODES),
        "hopDelays": list(HOP_DELAYS),
        "loads": list(LOADS),
        "mixes": MIXES,
        "patterns": {
            name: {"title": title, "keys": {nodes: keys(nodes) for nodes in NODES}}
            for name, (title, keys) in PATTERNS.items()
        },
        "protocols": {name: {"title": title, **fixed[name]} for name, title in PROTOCOLS.items()},
        "made": made,
        "specs": specs.values,
        "flows": flows.values,
        "optima": optima.values,
        "arrivals": {mix: [_flow(mix, load)["arrivals"] for load in LOADS] for mix in MIXES},
        "sizes": {mix: _flow(mix, None)["sizes"] for mix in MIXES},
    }


def _flow(mix: str, load: float | None) -> dict[str, Any]:
    known = scenario(protocol="none", nodes=4, pattern="uniform", load=load, mix=mix, hop_delay=1)
    return dict(known.network_spec(SEED)["flows"][0])


def _fixed(protocol: str, specs: Distinct) -> dict[str, Any]:
    """What of a protocol's specs, flows and recordings no slider changes but the packet mix and the ring's length.

    A ring on which the protocol does not run has the reason in place of its spec.
    """
    found: dict[str, Any] = {"spec": {}, "flow": {}}
    for mix in MIXES:
        alike: dict[str, Any] = {}
        found["spec"][mix] = {}
        for nodes in NODES:
            found["spec"][mix][nodes] = {}
            for hop_delay in HOP_DELAYS:
                ends = nodes in (NODES[0], NODES[-1]) and hop_delay in (HOP_DELAYS[0], HOP_DELAYS[-1])
                if protocol not in BY_RING and not ends:
                    continue
                for load in (LOADS[0], None) if ends else (None,):
                    place = _spec(protocol, nodes, mix, hop_delay, load, specs, alike)
                    if protocol not in BY_RING:
                        _agree(alike.setdefault("spec", place), place, "options", protocol)
                    ring = found["spec"][mix][nodes]
                    _agree(ring.setdefault(hop_delay, place), place, "options", protocol)
        if protocol not in BY_RING:
            found["spec"][mix] = {nodes: dict.fromkeys(HOP_DELAYS, alike["spec"]) for nodes in NODES}
        found["flow"][mix] = alike["flow"]
    known = scenario(
        protocol=protocol, nodes=NODES[0], pattern="uniform", load=None, mix="mixed", hop_delay=HOP_DELAYS[-1]
    )
    return {**found, "reading": asdict(known.flow_control.reading()), "symbolTimeNs": float(known.symbol_time_ns)}


def _spec(
    protocol: str, nodes: int, mix: str, hop_delay: int, load: float | None, specs: Distinct, alike: dict[str, Any]
) -> int | str:
    """Returns the place of a ring's spec, or why there is none; checks that its flows are like those of other rings."""
    try:
        known = scenario(protocol=protocol, nodes=nodes, pattern="uniform", load=load, mix=mix, hop_delay=hop_delay)
        spec = dict(known.network_spec(SEED))
    except RingletError as error:
        return str(error)
    flow = {key: value for key, value in spec["flows"][0].items() if key not in OF_SOURCE}
    _agree(alike.setdefault("flow", flow), flow, "flows", protocol)
    return specs.place({key: value for key, value in spec.items() if key not in OF_NODES})


def _agree(one: object, other: object, what: str, protocol: str) -> None:
    if one != other:
        message = f"{what} of protocol {protocol} depend on a slider of which the playground does not know it"
        raise ValueError(message)
