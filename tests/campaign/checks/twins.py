"""Packets that a program injects, beside those that a trace hands in: the same packets fare alike."""

import json
from random import Random
from typing import Any

import numpy as np

from campaign.case import RuleError
from campaign.observe import Counters, Observed
from ringlet import limits
from ringlet._engine import Simulation, Stepping

MOST_PACKETS = 120
"""Packets of a trace, at most."""

TRACE = {"kind": "trace", "responses": False, "dependence_driven": False}

Packet = tuple[int, int, int]
"""Cycle, flow, destination."""


def injected_packets_are_those_of_a_trace(observed: Observed) -> None:
    """Half of the flows get their packets from a trace, or from a program: nodes, ports and links count the same."""
    traced = observed.scenario.network_spec(observed.scenario.seed)
    injected = observed.scenario.stepping_spec(observed.scenario.seed)
    flows = traced["flows"]
    own = len(flows) // 2
    if traced["nodes"] < 2 or not flows or traced.get("workload") or not _may_be_handed_in(flows):
        return
    doors = injected["flows"][len(flows) :]
    injected["flows"] = [*flows[:own], *doors]
    for flow in flows[own:]:
        flow |= {"arrivals": TRACE, "burst": 1, "sizes": [[flow["sizes"][0][0], 1.0]], "deadline_cycles": None}
        # The flow's messages become single packets, whatever their sizes.
        flow["messages"] = None
    if observed.rng.random() < 0.5 and observed.scenario.network.topology != "dual-attached-ring":
        # Some packets find the queue full.
        capacity = observed.rng.randint(1, 6)
        for spec in (traced, injected):
            spec["queues"]["limits"]["common"]["transmit_capacity"] = capacity
    end = min(observed.cycles, 20_000)
    stepping = Stepping(json.dumps(injected, allow_nan=False), 1)
    drawn = _packets(observed.rng, traced, own, end)
    packets = [packet for packet in drawn if _is_injected(stepping, flows[packet[1]], packet)]
    replay = Simulation(json.dumps(traced, allow_nan=False), 1)
    replay.hand_in(
        {
            "cycle": np.array([packet[0] for packet in packets], dtype=np.uint64),
            "flow": np.array([packet[1] for packet in packets], dtype=np.uint32),
            "destination": np.array([packet[2] for packet in packets], dtype=np.uint32),
            "dependences": np.zeros(len(packets), dtype=np.uint32),
            "depends_on": np.zeros(0, dtype=np.uint32),
        },
        2**64 - 1,
    )
    replay.advance(end)
    stepping.advance_to(end, limits.SIMULATION_BYTES)
    difference = _difference(
        _tables(replay, [flow["source"] for flow in flows], traced["nodes"]),
        _tables(stepping, [flow["source"] for flow in injected["flows"]], traced["nodes"]),
    )
    if difference is not None:
        raise RuleError(f"{len(packets)} packets of a trace and injected ones differ: {difference}")


def _may_be_handed_in(flows: list[dict[str, Any]]) -> bool:
    """Whether a door has the group of each flow: where that changes with time, only if the flow is alone."""
    return all(flow["groups"]["kind"] != "schedule" and flow["arrivals"]["kind"] != "trace" for flow in flows)


def _packets(rng: Random, spec: dict[str, Any], first: int, end: int) -> list[Packet]:
    """Returns packets of the flows from a number on, no two in one cycle of a ring: of one, a trace has them by
    flow."""
    rings = (spec.get("network") or {"rings": []})["rings"]
    least_gap = max((ring["symbol_cycles"] for ring in rings), default=1)
    packets = []
    cycle = 0
    for _ in range(rng.randint(1, MOST_PACKETS)):
        cycle += max(least_gap, rng.choice((1, 1, 2, rng.randint(1, 60), rng.randint(1, 600))))
        flow = rng.randrange(first, len(spec["flows"]))
        destination = rng.randrange(spec["nodes"])
        if cycle < end and destination != spec["flows"][flow]["source"]:
            packets.append((cycle, flow, destination))
    return packets


def _is_injected(stepping: Stepping, flow: dict[str, Any], packet: Packet) -> bool:
    """Injects a packet as one of a flow; returns whether that may be."""
    cycle, _, destination = packet
    groups = flow["groups"]
    group = groups["group"] if groups["kind"] == "fixed" else groups["groups"][destination]
    try:
        stepping.inject(
            cycle,
            flow["source"],
            destination,
            flow["sizes"][0][0],
            flow["response_symbols"],
            flow["priority"],
            group,
        )
    except ValueError:
        # It is too long for its ring, or there is no way.
        return False
    return True


def _tables(simulation: Simulation | Stepping, sources: list[int], nodes: int) -> dict[str, Counters]:
    """Returns what has been counted, that of flows summed by node."""
    flows = {}
    for name, values in simulation.flow_counters().items():
        if not name.endswith(("min_cycles", "max_cycles")):
            flows[name] = np.zeros(nodes, dtype=values.dtype)
            np.add.at(flows[name], sources, values)
    return {
        "flows of nodes": flows,
        "nodes": simulation.node_counters(),
        "ports": simulation.port_counters(),
        "B-Links": simulation.link_counters(),
        "errors": simulation.error_counters(),
    }


def _difference(one: dict[str, Counters], other: dict[str, Counters]) -> str | None:
    for table, columns in one.items():
        for name, values in columns.items():
            unlike = np.flatnonzero(values != other[table][name])
            if unlike.size:
                at = int(unlike[0])
                return f"{name}[{at}] of {table}: {values[at]} or {other[table][name][at]}"
    return None
