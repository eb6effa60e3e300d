"""Scenarios over all keys: no run carries more than the largest total, the fair share or the capacity that it names."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import ringlet as rl
from campaign.case import Case, Kind
from campaign.draw import Walks
from campaign.kinds import networks
from campaign.kinds.scenarios import ring
from campaign.observe import released, require
from ringlet import RingletError, Scenario
from ringlet.analysis.largest_total import largest_total
from ringlet.scenario.activities.flow import Flow, Payload
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.destinations import Fixed
from ringlet.theory.resources import Shared, shared

CYCLES = (8_000, 60_000)
"""Cycles of a run, at least and at most."""

WORK = 600_000
"""Interfaces times cycles of a run, about: some milliseconds."""

MOST_INTERFACES = 60

MOST_PACKETS = 1_000_000
"""Packets of the one run, about (`campaign.observe.MOST_PACKETS`)."""

EDGE = 0.005
"""Share by which what is counted in whole packets and cycles may exceed a rate."""

DEVIATIONS = 3
"""Standard deviations by which drawn sizes or destinations may be other ones than their shares say."""

BY_CHANCE = 4
"""Standard deviations by which more packets may be drawn than a rate says."""

EDGE_PACKETS = 4
"""Packets of each node that may be counted before all that they use has been used: their echoes are under way."""

UNDER_WAY = 64
"""Packets of each node that may have left its queue: those of them that come to full places are missing among what is
delivered, whose shares are other ones then than those of what is sent."""

WHOLE = 0.02
"""Part by which a node's words may hold more data than those of whole transactions before responses count as left."""

FAST = 1e9
"""Words per cycle that stand for whatever something gets."""

LARGEST_EDGE = 0.5
"""Part of the largest total that all this may be: with more of it a run says nothing."""


def _case(walks: Walks, seed: int) -> Case:
    """Returns a scenario of the walks, without link errors, from the empty ring on."""
    case = walks(seed)
    content = {key: value for key, value in case.content["scenario"].items() if key != "errors"}
    known = case.checked
    interfaces = len(known.routed_network[0].interface_ring) if isinstance(known, Scenario) else 8
    cycles = max(CYCLES[0], min(CYCLES[1], WORK // interfaces))
    return Case({"scenario": {**content, "run": {"duration": cycles, "warmup": 0, "seed": 3}}}, case.files)


def check(case: Case, folder: Path, _: Random) -> str:
    """Runs it, and compares what it delivered with what it says can be."""
    try:
        scenario = Scenario.from_dict(case.content["scenario"], base_dir=folder)
        if len(scenario.routed_network[0].interface_ring) > MOST_INTERFACES:
            return "too large"
        duration = case.content["scenario"]["run"]["duration"]
        if released(scenario, duration) > MOST_PACKETS:
            return "too many packets"
        document = rl.run(scenario).document
    except (RingletError, MemoryError):
        return "refused"
    total = document["total"]
    if document["stall"]:
        return "stalled"
    if not total["maximum_MBps"]:
        return "no maximum"
    return held_to(scenario, document)


def held_to(scenario: Scenario, document: dict[str, Any]) -> str:
    """Compares what was delivered with the largest total, the fair share and the capacity."""
    resolved, total = scenario.resolved, document["total"]
    flows = resolved.steady_flows()
    found = None if flows is None else shared(resolved, flows)
    if flows is None or found is None:
        return "no maximum"
    # Windows and slots are free at the beginning: one more turn than fits in the time.
    edge = EDGE + found.longest_held / document["cycles"]
    # All packets of a message come at once, and one message more than there is time for may be among the delivered.
    largest = max(_largest_bytes(flow) for flow in resolved.flows)
    drawn = any(len(flow.sizes) > 1 or not isinstance(flow.destinations, Fixed) for flow in resolved.flows)
    measured_us = document["simulated_s"] * 1e6
    of_node = (EDGE_PACKETS + UNDER_WAY * drawn) * largest / measured_us

    def within(got: float, most: float, packets: float, edges: float = of_node, *, drawn: bool = drawn) -> bool:
        by_chance = DEVIATIONS / math.sqrt(max(1, packets)) if drawn else 0.0
        return bool(got <= most * (1 + edge + by_chance) + edges)

    nodes = [node for node in document["nodes"] if node["offered_MBps"] > 0 or node["optimum_words_per_cycle"]]
    edges = len(nodes) * of_node
    if edge + edges / total["maximum_MBps"] > LARGEST_EDGE:
        return "too short"
    got, packets = total["throughput_MBps"], total["delivered_packets"]
    grow = _receive_queues_grow(resolved, found)
    most = total["maximum_MBps"]
    answers = any(flow.response_symbols is not None for flow in flows)
    left_waiting = (grow or answers) and not within(got, most, packets, edges)
    if left_waiting:
        # More than can be for all time: of no link or server more than it has.
        most = _most_apart(resolved, flows, document["cycles"]) * 1e3 / scenario.symbol_time_ns
    require(within(got, most, packets, edges), f"{got:.6g} of at most {most:.6g} MB/s in total")
    if left_waiting:
        return "total, while something waits"
    if grow or len({one.node for one in found.commodities}) < len(found.commodities):
        return "total"
    # What a node sends has fixed shares. Then of all nodes one has no more than its fair share; and one no larger part
    # of what it offers than all could have at once.
    shares = [node for node in nodes if node["fair_share_MBps"] is not None]
    if nodes and len(shares) == len(nodes):
        if answers and any(_moves_more_by_word(node) for node in shares):
            return "total, while responses wait"
        excess = all(
            not within(_got(node, answers=answers), node["fair_share_MBps"], node["delivered_packets"])
            if node["fair_share_MBps"] > 0
            else node["throughput_words_per_cycle"] > node["optimum_words_per_cycle"] * (1 + EDGE)
            for node in nodes
        )
        require(not excess, "all nodes exceed their fair shares")
    factor = total["capacity_factor"]
    offering = [node for node in nodes if node["offered_MBps"] > 0]
    if offering and factor is not None and factor < 1:
        # What can grow is all that is offered; what a node sends of it first has another mix where times are drawn, of
        # as many packets or messages as there are large ones.
        kinds = {(flow.payload.bytes_each, *flow.sizes) for flow in resolved.flows}
        mixed = drawn or (len(kinds) > 1 and any(flow.times_drawn for flow in resolved.flows))
        excess = all(
            not within(
                got := _got(node, answers=answers),
                factor * node["offered_MBps"],
                min(node["delivered_packets"], got * measured_us / largest) if largest else node["delivered_packets"],
                drawn=mixed,
            )
            for node in offering
        )
        require(not excess, f"all nodes carry more than {factor:.6g} of what they offer")
        return "total, fair share, capacity"
    return "total, fair share"


def _got(node: dict[str, Any], *, answers: bool) -> float:
    """Returns the data that a node got; with `answers` at most that of whole transactions with as many words, since
    requests whose responses are left waiting are none."""
    got: float = node["throughput_MBps"]
    if not answers or not node["optimum_words_per_cycle"]:
        return got
    whole: float = node["fair_share_MBps"] / node["optimum_words_per_cycle"] * node["throughput_words_per_cycle"]
    return min(got, whole)


def _largest_bytes(flow: Flow) -> float:
    """Returns the most bytes that come at once, about."""
    packets = max(symbols * 2.0 * flow.burst for symbols, _ in flow.sizes)
    sizes = ((flow.messages or {}).get("size") or {}).get("sizes", ())
    return max([packets, *(float(size) for size, _ in sizes)])


def _moves_more_by_word(node: dict[str, Any]) -> bool:
    """Returns whether a node's words held more data than those of whole transactions do: of requests whose responses
    are left waiting."""
    words, whole = node["throughput_words_per_cycle"], node["optimum_words_per_cycle"]
    if not whole:
        return False
    return bool(node["throughput_MBps"] * whole > (1 + WHOLE) * node["fair_share_MBps"] * words)


def _receive_queues_grow(resolved: Resolved, found: Shared) -> bool:
    """Returns whether receive queues without a limit may be offered more than is served: what they accept holds up
    nothing that its sender has for others, so that what is delivered has other shares than what is sent."""
    places, limits = found.places, np.array([min(one.limit, FAST) for one in found.commodities])
    loads = found.uses.load(limits, places.count)[places.requests : places.switches].reshape(-1, resolved.nodes)
    unlimited = np.array([one is None for one in resolved.places("receive")])
    return bool((loads.max(axis=0) >= 1)[unlimited].any())


def _most_apart(resolved: Resolved, flows: Sequence[Flow], cycles: int) -> float:
    """Returns the most data per cycle that can be delivered in so many cycles, whatever is left waiting where: packets
    to each node by themselves, and responses apart from requests. Windows and slots are not counted."""
    apart = []
    for flow in flows:
        for node, share in enumerate(flow.destinations.row(flow.source, resolved.nodes)):
            if share <= 0:
                continue
            payload, answer = flow.payload, flow.response_symbols
            rate = flow.rate * share
            rate += BY_CHANCE * math.sqrt(rate / cycles) + 1 / cycles
            one = replace(flow, rate=rate, destinations=Fixed(node), response_symbols=None, dependent=True)
            apart.append(replace(one, payload=Payload(0) if payload.in_response else payload))
            if answer is not None:
                back = replace(one, source=node, destinations=Fixed(flow.source), are_responses=True)
                sent = Payload(payload.bytes_each) if payload.in_response else Payload(0)
                apart.append(replace(back, sizes=[(answer, 1.0)], payload=sent))
    found = shared(resolved, apart)
    assert found is not None, "so few nodes have no more pairs than are followed"
    counted = found.places.hosts
    some = found.uses.of(found.uses.first < counted)
    limits = np.array([one.limit for one in found.commodities])
    data = np.array([one.payload_bytes for one in found.commodities])
    most = largest_total(some, limits=limits, capacity=found.capacity[:counted], values=data)
    return math.inf if most is None else most


SHARES = Kind(
    "shares",
    "scenarios over all keys: largest total, fair share and capacity are never exceeded",
    partial(_case, Walks("shares", ring)),
    check,
)
SHARES_OF_NETWORKS = Kind(
    "shares-networks",
    "the same of random networks of rings",
    partial(_case, Walks("shares-networks", networks.any_network)),
    check,
)
