"""Scenarios over all keys: no run carries more than the largest total, the fair share or the capacity that it names."""

import math
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import ringlet as rl
from campaign.case import Case, Kind
from campaign.draw import Walks
from campaign.kinds import networks
from campaign.kinds.scenarios import ring
from campaign.observe import require
from ringlet import RingletError, Scenario
from ringlet.scenario.values.destinations import Fixed
from ringlet.theory.resources import shared

CYCLES = (8_000, 60_000)
"""Cycles of a run, at least and at most."""

WORK = 600_000
"""Interfaces times cycles of a run, about: some milliseconds."""

MOST_INTERFACES = 60

EDGE = 0.005
"""Share by which what is counted in whole packets and cycles may exceed a rate."""

DEVIATIONS = 3
"""Standard deviations by which drawn sizes or destinations may be other ones than their shares say."""

EDGE_PACKETS = 4
"""Packets of each node that may be counted before all that they use has been used: their echoes are under way."""

UNDER_WAY = 64
"""Packets of each node that may have left its queue: those of them that come to full places are missing among what is
delivered, whose shares are other ones then than those of what is sent."""

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
    if found is None:
        return "no maximum"
    # Windows and slots are free at the beginning: one more turn than fits in the time.
    edge = EDGE + found.longest_held / document["cycles"]
    largest = max(symbols * 2.0 for flow in resolved.flows for symbols, _ in flow.sizes)
    drawn = any(len(flow.sizes) > 1 or not isinstance(flow.destinations, Fixed) for flow in resolved.flows)
    of_node = (EDGE_PACKETS + UNDER_WAY * drawn) * largest / (document["simulated_s"] * 1e6)

    answers = any(flow.response_symbols is not None for flow in resolved.flows)

    def within(sender: dict[str, Any], most: float, nodes: int = 1) -> bool:
        by_chance = DEVIATIONS / math.sqrt(max(1, sender["delivered_packets"])) if drawn else 0.0
        got = sender["throughput_MBps"]
        if answers and sender["optimum_words_per_cycle"]:
            # Requests whose responses are left waiting are no whole transactions: words count both.
            each = sender["fair_share_MBps"] / sender["optimum_words_per_cycle"]
            got = min(got, each * sender["throughput_words_per_cycle"])
        return bool(got <= most * (1 + edge + by_chance) + nodes * of_node)

    nodes = [node for node in document["nodes"] if node["offered_MBps"] > 0]
    if edge + len(nodes) * of_node / total["maximum_MBps"] > LARGEST_EDGE:
        return "too short"
    said = f"{total['throughput_MBps']:.6g} of at most {total['maximum_MBps']:.6g} MB/s in total"
    require(within(total, total["maximum_MBps"], len(nodes)), said)
    if len({one.node for one in found.commodities}) < len(found.commodities):
        return "total"
    # What a node sends has fixed shares. Then of all nodes one has no more than its fair share; and one no larger part
    # of what it offers than all could have at once.
    shares = [node for node in nodes if node["fair_share_MBps"] is not None]
    if nodes and len(shares) == len(nodes):
        excess = all(not within(node, node["fair_share_MBps"]) for node in nodes)
        require(not excess, "all nodes exceed their fair shares")
    factor = total["capacity_factor"]
    if nodes and factor is not None and factor < 1:
        excess = all(not within(node, factor * node["offered_MBps"]) for node in nodes)
        require(not excess, f"all nodes carry more than {factor:.6g} of what they offer")
        return "total, fair share, capacity"
    return "total, fair share"


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
