"""Tests of Section 3: transmission groups."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.rings import EXAMPLE, TRIO, deviation_percent, least_over_greatest, ratio_finding
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring, words
from ringlet.scenario import Scenario
from ringlet.simulation import run


@checks("picker1994.c34")
def grouped_carries_more_than_sci(trials: Trials) -> Finding:
    """The enhanced protocol has a higher total throughput than SCI."""
    shown, holds = [], True
    for nodes in (4, 8, 16):
        ratios = []
        for _ in range(trials.count(15)):
            ring = draw_ring(trials.rng, nodes=(nodes, nodes), sizes=(80,), hop_delays=(1, 3))
            total = [ring.under(protocol).throughput().sum() for protocol in ("grouped", "sci")]
            ratios.append(total[0] / total[1])
        shown.append(f"{nodes} nodes {np.mean(ratios):z.3f} (least {min(ratios):z.3f})")
        holds = holds and float(np.mean(ratios)) > 1
    return Finding(holds, "grouped over sci: " + ", ".join(shown))


@checks("picker1994.c36")
def the_source_chooses_the_group(trials: Trials) -> Finding:
    """A packet has the group that its source's register holds, constant or rewritten between packets."""
    ring = draw_ring(trials.rng)
    groups = trials.rng.integers(0, 4, ring.nodes)
    packets = Recorded.of(ring.under("grouped", groups=4, assignment=groups.tolist()), start=0).recording.packets
    constant = bool((packets["group"] == groups[packets["source"]]).all())
    later = [{"at": 0, "groups": groups.tolist()}, {"at": 2_000, "groups": ((groups + 1) % 4).tolist()}]
    packets = Recorded.of(ring.under("grouped", groups=4, schedule=later), start=3_000).recording.packets
    old = packets["generated"] < 2_000
    rewritten = bool((packets["group"][~old] == (groups[packets["source"][~old]] + 1) % 4).all())
    return Finding(
        constant and rewritten, f"{len(packets['group'])} packets on {ring}; registers rewritten at cycle 2000"
    )


@checks("picker1994.c37")
def nodes_apart_do_not_hinder_each_other(trials: Trials) -> Finding:
    """Two congested trios on separate parts of a ring get what each gets without the other."""
    keys = {"traffic.transaction": "send80", "network.echoes": False}
    both = Ring((3, 3, 3, 4, 8, 8, 8, 8, 0), keys=keys).under("grouped", groups=9)
    found = both.throughput(cycles=60_000)
    shares = found[[0, 1, 2, 4, 5, 6, 7]]
    due = 40 / 41 / np.array([3, 3, 3, 4, 4, 4, 4])
    off = float(np.abs(shares / due - 1).max())
    return Finding(off < 0.05, f"{words(found)}; largest distance from the fair share {off:z.1%}")


@checks("picker1994.c38")
def blocked_nodes_do_not_lock_each_other(trials: Trials) -> Finding:
    """With any assignment of groups every node goes on sending."""
    rings = []
    for _ in range(trials.count(120)):
        ring = draw_ring(trials.rng)
        groups = int(trials.rng.integers(2, ring.nodes + 1))
        assignment = trials.rng.integers(0, groups, ring.nodes).tolist()
        rings.append(ring.under("grouped", groups=groups, assignment=assignment))
    return ratio_finding(rings, lambda ring: float(ring.throughput().min()), 0.005, "throughput")


@checks("picker1994.c42")
def grouped_is_fair_among_nodes_in_conflict(trials: Trials) -> Finding:
    """Nodes that all cross one full link and have one receiver get equal shares under the enhanced protocol."""
    rings = []
    for _ in range(trials.count(40)):
        nodes = int(trials.rng.integers(4, 9))
        to = int(trials.rng.integers(nodes))
        keys = {"traffic.transaction": "send80", "network.hop_delay": int(trials.rng.integers(1, 9))}
        destinations = tuple(to if node != to else (to + 1) % nodes for node in range(nodes))
        rings.append(Ring(destinations, frozenset({to}), None, keys).under("grouped"))
    return ratio_finding(rings, least_over_greatest, 0.95, "least over greatest")


@checks("picker1994.c43")
def grouped_reaches_the_optimum_of_the_example(trials: Trials) -> Finding:
    """The enhanced protocol gives 1/3, 1/3, 1/3, 2/3 of a link in the example."""
    found = [EXAMPLE.with_keys({"network.hop_delay": d}).under("grouped").throughput() for d in range(1, 9)]
    optimum = 40 / 41 * np.array([1, 1, 1, 2]) / 3
    off = max(float(np.abs(each / optimum - 1).max()) for each in found)
    return Finding(off < 0.02, f"{words(found[0])}; largest distance {off:z.1%}, hop delays 1 to 8")


@checks("picker1994.c44")
def groups_by_pair_remove_all_blocking(trials: Trials) -> Finding:
    """With a group for each pair a node alone on its links has them whole."""
    found = [
        TRIO.with_keys({"network.hop_delay": d}).under("grouped", assignment="pair", groups=6).throughput()[4]
        for d in range(1, 9)
    ]
    return Finding(min(found) >= 0.93, f"lone node at least {min(found):z.3f} words per cycle")


@checks("picker1994.c45")
def most_patterns_need_few_groups(trials: Trials) -> Finding:
    """Most patterns with eight pairs have a grouping in at most four that deviates no more, within a point, than one
    group for each pair."""
    rings = [draw_ring(trials.rng, nodes=(8, 8), sizes=(80,), hop_delays=(1, 3)) for _ in range(trials.count(30))]
    few = sum(_is_enough(ring, 4, trials.rng) for ring in rings)
    maximal = sum(
        deviation_percent(ring.under("grouped", groups=4, assignment="maximal-conflict")).mean() <= _enough(ring)
        for ring in rings
    )
    shown = f"4 groups are enough for {few} of {len(rings)} patterns with 8 pairs, by maximal conflict for {maximal}"
    return Finding(few > 0.5 * len(rings), shown)


def _enough(ring: Ring) -> float:
    """Returns the average deviation in % up to which a grouping is as good as one group for each node."""
    return _average_deviation(ring, list(range(ring.nodes))) + 1


def _average_deviation(ring: Ring, assignment: list[int]) -> float:
    grouped = ring.under("grouped", groups=max(assignment) + 1, assignment=assignment)
    return float(deviation_percent(grouped).mean())


def _is_enough(ring: Ring, groups: int, rng: np.random.Generator) -> bool:
    """Returns whether a search finds an assignment to so many groups that is as good as one group for each node: from
    one group, from blocks and from random assignments on, single nodes change their group as long as that helps."""
    enough = _enough(ring)
    starts = [[0] * ring.nodes, [node * groups // ring.nodes for node in range(ring.nodes)]]
    starts += rng.integers(0, groups, (4, ring.nodes)).tolist()
    for best in starts:
        least, helps = _average_deviation(ring, best), True
        while least > enough and helps:
            helps = False
            for node, group in product(range(ring.nodes), range(groups)):
                moved = [group if other == node else own for other, own in enumerate(best)]
                if moved != best and (found := _average_deviation(ring, moved)) < least:
                    best, least, helps = moved, found, True
        if least <= enough:
            return True
    return False


@checks("picker1994.c48")
def a_ring_of_4096_nodes_with_16_groups(trials: Trials) -> Finding:
    """A ring of 4096 nodes with four bits for groups carries packets of every group."""
    nodes = 4096
    ring = Ring(tuple((node + 1) % nodes for node in range(nodes)), keys={"traffic.transaction": "send80"})
    groups = [node % 16 for node in range(nodes)]
    found = ring.under("grouped", groups=16, assignment=groups).throughput(cycles=20_000, warmup=0)
    return Finding(bool((found > 0).all()), f"least of {nodes} nodes {found.min():z.3f} words per cycle")


@checks("picker1994.c40")
def the_protocol_adapts(trials: Trials) -> Finding:
    """50 us after all destinations have changed each node carries what it does where they have always been so."""
    largest, at, number = 0.0, "", trials.count(10)
    for _ in range(number):
        before, after = draw_ring(trials.rng, nodes=(4, 4)), draw_ring(trials.rng, nodes=(4, 4))
        changed, fresh = (_carried_at_last(old, after) for old in (before, None))
        gap = float((np.abs(changed - fresh) / fresh).max())
        if gap > largest:
            largest, at = gap, f" ({before.destinations} to {after.destinations})"
    return Finding(largest < 0.05, f"{number} changes, largest difference {largest:.1%}{at}")


def _carried_at_last(before: Ring | None, after: Ring) -> NDArray[np.float64]:
    """Returns what the nodes of a grouped ring carry from 90 us on, whose destinations change at 40 us."""
    flow = {"size": 64, "arrivals": "periodic", "rate": "1 GB/s"}
    flows = [
        {**flow, "name": f"then {node}", "source": node, "destination": to, "start": "40 us"}
        for node, to in enumerate(after.destinations)
    ]
    if before is not None:
        flows += [
            {**flow, "name": f"first {node}", "source": node, "destination": to, "stop": "40 us"}
            for node, to in enumerate(before.destinations)
        ]
    content: dict[str, Any] = {
        "network": {"nodes": after.nodes, "hop_delay": after.keys["network.hop_delay"]},
        "flow_transaction": "dmove64",
        "flow_control": {"protocol": "grouped"},
        "queues": {"transmit": 2},
        "flows": flows,
        "run": {"duration": "190 us", "warmup": "90 us"},
    }
    nodes = run(Scenario.from_dict(content)).nodes
    return nodes["throughput_words_per_cycle"].to_numpy(dtype=np.float64)
