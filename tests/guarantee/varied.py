"""One trial with every relation of phases, of sets whose packets, messages, priorities and options are varied, with
control loops or without."""

import json
import math
from typing import Any

import numpy as np

from guarantee.exact import ExactTrial
from guarantee.limits import limits
from guarantee.sets import PROTOCOLS
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS as FLOW_CONTROL

MOST_CYCLES = 10_000_000
"""Cycles in which all relations of a set have to come."""

BYTES = {"dmove16": 16, "dmove64": 64, "dmove256": 256}
"""Data of the transactions that are drawn."""

PACKET_CYCLES = {"dmove16": 17, "dmove64": 41, "dmove256": 137}
"""What a packet of each takes of a link."""


def varied_trial(seed: int, *, protocol: str | None = None, loops: bool = False) -> ExactTrial:
    """Simulates a random set until each relation of its phases has been.

    Some messages have several packets, some share a node, and flows or loops have packets of another length; links may
    differ, one being longer than a packet; echoes, limits of input queues and options of the protocols are drawn; the
    targets of timed tokens are close to what they have to hold.
    """
    random = np.random.default_rng([seed, 78, int(loops)])
    chosen = protocol or str(random.choice(PROTOCOLS))
    content, period, around = _drawn(random, chosen, loops=loops)
    count = len(period)
    trial = ExactTrial(seed, chosen, np.full(count, np.nan), np.zeros(count), content)
    made = limits(content)
    if made is None:
        return trial
    trial.bound = made.bound
    simulation = Simulation(json.dumps(made.scenario.network_spec(1)), seed=1)
    simulation.advance(min(math.prod(period.values()) * around, MOST_CYCLES) + 3 * max(period.values()))
    trial.simulations = 1
    counters = simulation.flow_counters()
    flows = len(counters["completed_messages"])
    alone = [*content.get("flows", []), *content.get("messages", [])]
    of_flow = {one["name"]: flows - len(alone) + place for place, one in enumerate(alone)}
    of_loop = {one["name"]: place for place, one in enumerate(content.get("loops", []))}
    chains = simulation.activity_counters("chain") if of_loop else []
    for place, one in enumerate(made.found):
        if one.name in of_loop:
            chain = chains[of_loop[one.name]]
            since = 0 if chain["oldest"] is None else simulation.cycle - 1 - chain["oldest"]
            trial.worst[place] = max(chain["max_cycles"], since)
        else:
            flow = of_flow[one.name]
            oldest = int(counters["completed_messages"][flow]) * period[one.name]
            latest = float(counters["message_latency_max_cycles"][flow])
            trial.worst[place] = max(latest, simulation.cycle - 1 - oldest)
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial


def _drawn(random: np.random.Generator, protocol: str, *, loops: bool) -> tuple[dict[str, Any], dict[str, int], int]:
    """Returns the file of a set, the period of each message, flow and loop by its name, and what goes round besides."""
    nodes, count = int(random.integers(2, 7)), int(random.choice([2, 2, 3]))
    kind = str(random.choice(["dmove16", "dmove64", "dmove64", "dmove256"]))
    other = str(random.choice(list(BYTES))) if random.random() < 0.5 else kind
    longest = max(PACKET_CYCLES[kind], PACKET_CYCLES[other])
    network, options, around = ring_of(random, protocol, nodes, longest)
    most = max((3e6 / around) ** 0.5 if count == 2 else (9e6 / around) ** (1 / 3), 140)
    periods: list[int] = []
    while len(periods) < count:
        period = int(random.uniform(max(70.0, most / 4), most))
        if all(math.gcd(period, one) == 1 for one in (*periods, around)):
            periods.append(period)
    messages: list[dict[str, Any]] = []
    for number, period in enumerate(periods):
        shared = number > 0 and random.random() < 0.4
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        source = messages[0]["source"] if shared else source
        packets = int(random.integers(1, max(1, min(4, period // PACKET_CYCLES[kind] // 2)) + 1))
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": BYTES[kind] * packets,
                "period": period,
                "priority": int(random.integers(0, 3)) if protocol != "sci" else 0,
            }
        )
    content: dict[str, Any] = {
        "network": network,
        "flow_control": options,
        "queues": {
            "receive": "unlimited" if protocol == "train" or random.random() < 0.7 else int(random.integers(2, 9)),
            "service_time": int(random.choice([0, 0, 30, 60])),
        },
        "run": {"duration": 1},
    }
    if loops:
        these = int(random.integers(1, count + 1))
        content["loops"] = [_in_a_loop(random, one, nodes, other) for one in messages[:these]]
        messages = messages[these:]
    elif other != kind and count == 3:
        one = messages.pop(0)
        content["flow_transaction"] = other
        content["flows"] = [{**one, "size": BYTES[other], "arrivals": "periodic"}]
    if messages:
        content |= {"message_transaction": kind, "messages": messages}
    everything = (*content.get("flows", []), *messages, *content.get("loops", []))
    return content, {one["name"]: one["period"] for one in everything}, around


def ring_of(
    random: np.random.Generator, protocol: str, nodes: int, longest: int
) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Returns a random ring for packets that take so many cycles, its flow control, and what goes round on it."""
    hop_delay, around, options = int(random.integers(1, 4)), 1, {"protocol": protocol}
    if protocol == "slotted-ring":
        hop_delay = int(random.choice([1, 1, 2])) * (-(-(longest + 4) // nodes) + int(random.integers(0, 9)))
        around = nodes * (hop_delay + 1)
        options["release"] = str(random.choice(["source", "destination"]))
    elif protocol == "timed-token":
        shares = [int(random.choice([longest, 2 * longest])) for _ in range(nodes)]
        options["synchronous"] = shares
        if random.random() < 0.5:
            thresholds = random.integers(0, 80, int(random.integers(1, 4))).tolist()
            options["thresholds"] = sorted(thresholds, reverse=True)
        least = sum(shares) + max(nodes * hop_delay + nodes, 4) + longest
        options["target_rotation"] = least + int(random.choice([0, 1, 10, 40, 100, 400]))
    else:
        options |= _options(random, protocol, nodes)
    network = {"nodes": nodes, "hop_delay": hop_delay, "echoes": options.get("release") != "destination"}
    if around == 1 and "target_rotation" not in options and random.random() < 0.5:
        # Links of different lengths, one of them perhaps far longer than a packet.
        hops = random.integers(1, 5, nodes)
        hops[random.integers(nodes)] += int(random.choice([0, 20, 150]))
        network["hop_delay"] = hops.tolist()
    without = FLOW_CONTROL.listed[protocol].bounded_without_echoes and options.get("release") != "returned"
    if without and random.random() < 0.3:
        network["echoes"] = False
    return network, options, around


def _options(random: np.random.Generator, protocol: str, nodes: int) -> dict[str, Any]:
    """Returns random options of a protocol of which nothing goes round in a time of its own."""
    if protocol == "dfc":
        # Short packets go before what waits in a longer bypass FIFO.
        bypass = {"bypass": int(random.integers(140, 600))} if random.random() < 0.4 else {}
        return {"stop_thru": False, **bypass}
    if protocol == "sci":
        return {
            "release": str(random.choice(["unblocked", "all"])),
            "extension": str(random.choice(["received", "none", "passing", "after-send", "always"])),
        }
    if protocol == "metaring":
        most = int(random.choice([1, 2, 4, 20]))
        return {"most_packets": most, "least_packets": int(random.integers(1, most + 1))}
    if protocol == "token-ring":
        return {
            "packets": int(random.choice([1, 2, 5])),
            "release": str(random.choice(["early", "header", "returned"])),
        }
    if protocol == "train":
        # Of several priorities a node may have several tickets, and the default size has room for one of each.
        return {
            "size": "unlimited",
            "tickets_per_node": int(random.choice([1, 2, 8])),
            "ticket_master": int(random.integers(nodes)),
            "delay": int(random.choice([0, 2, 4, 9])),
        }
    return {}


def _in_a_loop(random: np.random.Generator, message: dict[str, Any], nodes: int, kind: str) -> dict[str, Any]:
    """Returns a loop that begins as a message does, and goes on with packets of this kind."""
    way = [message["source"], message["destination"]]
    for _ in range(int(random.integers(1, 3))):
        way.append(int(random.choice([one for one in range(nodes) if one != way[-1]])))
    compute = [int(random.choice([0, 0, 1, 7, 50])) for _ in way]
    return {
        "name": message["name"],
        "nodes": way,
        "size": [BYTES[kind] * int(random.integers(1, 3)) for _ in way[1:]],
        "compute_time": compute if sum(compute) < message["period"] else 0,
        "period": message["period"],
        "priority": message["priority"],
        "transaction": kind,
    }
