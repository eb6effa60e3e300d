"""Deadlock check beside simulation: the tables of docs/how-to/topologies.md, "What simulation says".

    .venv/bin/python benches/deadlocks.py

For networks that can deadlock and networks that cannot it prints in how many of 32 seeds nothing moved any more within
2 ms, with 1, 2 and 4 packets for each of requests and responses in each buffer of a port. The second table has an Omega
network that cannot deadlock, with rules of flow control that let a node starve. It takes six minutes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import ringlet as rl

SEEDS = range(32)
BUFFERS = (1, 2, 4)

RUN = {"duration": "2 ms", "warmup": 0, "stall_after": "50 us"}
TORUS = {"topology": "torus", "shape": [3, 3]}
LONG_TORUS = {**TORUS, "connection": "long-ring"}
OMEGA = {"topology": "omega", "size": 8, "connection": "long-ring"}


def circle(count: int, **keys: str) -> dict[str, Any]:
    """Network of rings in a circle, each joined to the next by a switch of two ports."""
    rings = [{"members": [ring, f"b{ring}.0", f"b{(ring - 1) % count}.1"]} for ring in range(count)]
    switches = [{"name": f"b{ring}", "ports": 2} for ring in range(count)]
    return {"topology": "rings", "rings": rings, "switches": switches, **keys}


def onward(count: int, transaction: str = "dmove64", load: str = "100 MB/s") -> dict[str, Any]:
    """Sections with which every node sends half of the way round."""
    half = [(node + count // 2) % count for node in range(count)]
    return {"traffic": {"transaction": transaction, "destinations": half, "arrivals": "poisson", "load": load}}


def responding(*, pooled: bool) -> dict[str, Any]:
    """Sections of hosts that serve one request at a time, and wait until its response is accepted."""
    return {
        "traffic": {"transaction": "nwrite64", "arrivals": "saturated"},
        "queues": {"receive": 1, "responses": 1},
        "switch": {"pooled": pooled},
    }


ROWS: Mapping[str, Mapping[str, Any]] = {
    "5 rings in a circle | none": {"network": circle(5), **onward(5)},
    "5 rings in a circle | separate": {"network": circle(5), **onward(5, "nwrite64")},
    "the same, `up-down` | none": {"network": circle(5, routing="up-down"), **onward(5, load="250 MB/s")},
    "3 x 3 torus, ringlets | shared": {"network": TORUS, **responding(pooled=True)},
    "3 x 3 torus, ringlets | separate": {"network": TORUS, **responding(pooled=False)},
    "3 x 3 torus, long rings | shared": {"network": LONG_TORUS, **responding(pooled=True)},
    "3 x 3 torus, long rings | separate": {"network": LONG_TORUS, **responding(pooled=False)},
    "8 x 8 Omega, long rings | shared": {"network": OMEGA, **responding(pooled=True)},
    "8 x 8 Omega, long rings | separate": {"network": OMEGA, **responding(pooled=False)},
}
"""Networks of the first table, under `sci` with its defaults."""

SEPARATE = {"network": OMEGA, **responding(pooled=False)}
STARVING: Mapping[str, Mapping[str, Any]] = {
    "`none`": {**SEPARATE, "flow_control": {"protocol": "none"}},
    "`sci`, extension `after-send`": {**SEPARATE, "flow_control": {"extension": "after-send"}},
    "`sci`, extension `passing`": {**SEPARATE, "flow_control": {"extension": "passing"}},
    "`none`, retry delay of 500 ns": {**SEPARATE, "flow_control": {"protocol": "none"}, "retry": {"delay": "500 ns"}},
}
"""Networks of the second table: none of them can deadlock."""


def made(sections: Mapping[str, Any], buffers: int) -> rl.Scenario:
    """A row's scenario with as many packets in each buffer of a port."""
    switch = {**sections.get("switch", {}), "receive": buffers, "transmit": buffers}
    return rl.Scenario.from_dict({"flow_control": {"protocol": "sci"}, "run": RUN, **sections, "switch": switch})


def standstills_us(scenario: rl.Scenario, seeds: Sequence[int] = SEEDS) -> list[float]:
    """Instants since which nothing moved, in the order of time, of the runs that came to a standstill."""
    found = []
    for seed in seeds:
        document = rl.run(scenario, seed=seed).document
        if document["stall"] is not None:
            found.append(document["stall"]["since_cycle"] * document["symbol_time_ns"] / 1e3)
    return sorted(found)


def cell(instants_us: Sequence[float]) -> str:
    """Entry of the tables: how many runs came to a standstill and, where the buffers let some go on long, when."""
    span = f" (after {instants_us[0]:.0f} to {instants_us[-1]:.0f} us)" if instants_us and instants_us[-1] > 500 else ""
    return f"{len(instants_us)}{span}"


def main() -> None:
    """Prints both tables."""
    for title, rows in (("network | responses | check", ROWS), ("rules | check", STARVING)):
        print(title, *(f"{count} packet{'s' if count > 1 else ''}" for count in BUFFERS), sep=" | ")
        for name, sections in rows.items():
            check = "possible" if made(sections, 1).warnings() else "none"
            found = [standstills_us(made(sections, buffers)) for buffers in BUFFERS]
            print(name, check, *map(cell, found), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
