"""Tests of Section 2: SCI's go bits and priorities."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.rings import least_over_greatest
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring


@checks("picker1994.c22")
def sci_serves_higher_priorities_first(trials: Trials) -> Finding:
    """A node of the highest priority carries its load of .3 beside nodes that flood at the lowest."""
    found = []
    for _ in range(trials.count(60)):
        drawn = draw_ring(trials.rng, sizes=(80,))
        top = int(trials.rng.integers(drawn.nodes))
        priorities = [3 if node == top else 0 for node in range(drawn.nodes)]
        loads = tuple(0.3 if node == top else 1.0 for node in range(drawn.nodes))
        keys = {**drawn.keys, "traffic.priority": priorities, "flow_control.priorities": 4}
        ring = Ring(drawn.destinations, loads=loads, keys=keys).under("sci")
        found.append((ring.carried(top), ring))
    worst, ring = min(found, key=lambda each: each[0])
    short = sum(value < 0.95 for value, _ in found)
    return Finding(short == 0, f"{short} of {len(found)} rings carry less than 95 %; least {worst:z.2f} on {ring}")


@checks("picker1994.c24")
def four_levels_with_one_priority_are_one_go_bit(trials: Trials) -> Finding:
    """SCI's protocol for four priorities, all traffic in one, gives the results of the one with one go bit."""
    number = trials.count(40)
    differ = 0
    for _ in range(number):
        ring = draw_ring(trials.rng, silent=(0, 2)).under("sci")
        differ += not np.array_equal(ring.throughput(), ring.under("sci", priorities=4).throughput())
    return Finding(differ == 0, f"{number - differ} of {number} rings equal to the last digit")


@checks("picker1994.c25")
def a_node_sends_behind_a_go_bit(trials: Trials) -> Finding:
    """The idle before an own packet carries a go bit as it comes in, so something remains of it in the record."""
    sent = wrong = 0
    for _ in range(trials.count(12)):
        recorded = Recorded.of(draw_ring(trials.rng, silent=(0, 1)).under("sci"))
        for runs in recorded.links():
            own = np.flatnonzero(runs.is_own)
            own = own[own > 0]
            sent += len(own)
            wrong += int((runs.word[own - 1] == 0).sum())
    return Finding(wrong == 0, f"{sent} own packets, {wrong} behind an idle without a go bit")


@checks("picker1994.c26")
def no_go_bit_passes_while_a_node_empties_its_fifo(trials: Trials) -> Finding:
    """A node that empties its bypass FIFO emits idles without a go bit until the FIFO is empty."""
    seen = wrong = 0
    for _ in range(trials.count(12)):
        recorded = Recorded.of(draw_ring(trials.rng).under("sci"))
        for node, runs in enumerate(recorded.links()):
            idle = runs.is_idle & runs.drains
            filled = recorded.bypass_symbols(node, runs.cycle[idle]) > 0
            seen += int(filled.sum())
            wrong += int((runs.word[idle][filled] != 0).sum())
    return Finding(wrong == 0, f"{seen} idles of draining nodes, {wrong} with a go bit")


def _followed_by_own(trials: Trials, *, drains: bool) -> Finding:
    """Returns whether an own packet follows each idle with a go bit of a node that always has one waiting."""
    seen = wrong = 0
    for _ in range(trials.count(12)):
        recorded = Recorded.of(draw_ring(trials.rng).under("sci"))
        for runs in recorded.links():
            go = np.flatnonzero((runs.is_idle & (runs.word > 0) & (runs.drains == drains))[:-1])
            seen += len(go)
            wrong += int((~runs.is_own[go + 1]).sum())
    return Finding(wrong == 0 and seen > 0, f"{seen} idles with a go bit, {wrong} not followed by an own packet")


@checks("picker1994.c28")
def a_node_sends_behind_the_saved_go_bit(trials: Trials) -> Finding:
    """A waiting node that has emptied its FIFO and emits the saved go bit sends at once behind it."""
    return _followed_by_own(trials, drains=True)


@checks("picker1994.c32")
def the_own_packet_goes_before_what_passes(trials: Trials) -> Finding:
    """A waiting node with an empty FIFO sends behind a go bit, whatever comes in next."""
    return _followed_by_own(trials, drains=False)


@checks("picker1994.c27")
def several_go_bits_become_one(trials: Trials) -> Finding:
    """A node that always has a packet emits at most one idle with a go bit for each packet that it sends."""
    sent = most = 0
    for _ in range(trials.count(12)):
        recorded = Recorded.of(draw_ring(trials.rng).under("sci"))
        for runs in recorded.links():
            own = int(runs.is_own.sum())
            go = int((runs.is_idle & (runs.word > 0)).sum())
            sent, most = sent + own, max(most, go - own)
    return Finding(
        most <= 1, f"{sent} own packets; at most {max(most, 0)} idles with a go bit more than packets on a link"
    )


@checks("picker1994.c33")
def a_blocked_node_stops_all_others(trials: Trials) -> Finding:
    """While a node empties its FIFO for longer than a round, no other node begins a packet after that round."""
    seen = wrong = 0
    for _ in range(trials.count(20)):
        ring = draw_ring(trials.rng)
        round_cycles = ring.nodes * (int(str(ring.keys["network.hop_delay"])) + ring.size_bytes // 2 + 1 + 5)
        links = list(Recorded.of(ring.under("sci"), cycles=8_000).links())
        for node, runs in enumerate(links):
            ends = np.flatnonzero(np.diff(np.concatenate(([0], runs.drains.astype(int), [0]))))
            for first, last in zip(ends[::2], ends[1::2], strict=True):
                start = int(runs.cycle[first])
                stop = int(runs.cycle[last - 1] + runs.symbols[last - 1])
                if stop - start > round_cycles:
                    seen += 1
                    for other in range(ring.nodes):
                        begun = links[other].cycle[links[other].is_own]
                        late = (begun > start + round_cycles) & (begun < stop)
                        wrong += int(late.sum()) if other != node else 0
    return Finding(wrong == 0, f"{seen} times of over a round, {wrong} packets begun behind the round")


@checks("picker1994.c30")
def extension_refills_a_light_ring(trials: Trials) -> Finding:
    """On a lightly loaded ring most idles carry a go bit with extension, and few without."""
    share = {}
    for extension in ("none", None):
        named: dict[str, object] = {} if extension is None else {"extension": extension}
        ring = Ring((1, 2, 3, 4, 5, 6, 7, 0), loads=(0.05,) * 8, keys={"traffic.transaction": "send80"})
        recorded = Recorded.of(ring.under("sci", **named))
        idles = [runs.symbols[runs.is_idle] for runs in recorded.links()]
        go = [runs.symbols[runs.is_idle & (runs.word > 0)] for runs in recorded.links()]
        share[extension] = sum(map(np.sum, go)) / sum(map(np.sum, idles))
    return Finding(
        share[None] > 0.5 > share["none"], f"{share['none']:z.3f} without, {share[None]:z.3f} with extension"
    )


@checks("picker1994.c31")
def extension_takes_no_fairness_away(trials: Trials) -> Finding:
    """Go-bit extension leaves a loaded ring with silent receivers as fair as it is without."""
    unfair = {"default": 0, "none": 0}
    number = trials.count(40)
    for _ in range(number):
        nodes = int(trials.rng.integers(4, 9))
        to = int(trials.rng.integers(nodes))
        others = [node for node in range(nodes) if node != to]
        quiet = trials.rng.choice(others, int(trials.rng.integers(0, 3)), replace=False).tolist()
        ring = Ring(tuple(to if node != to else (to + 1) % nodes for node in range(nodes)), frozenset({to, *quiet}))
        ring = ring.with_keys({"traffic.transaction": "send80", "network.hop_delay": int(trials.rng.integers(1, 9))})
        unfair["default"] += least_over_greatest(ring.under("sci")) < 0.9
        unfair["none"] += least_over_greatest(ring.under("sci", extension="none")) < 0.9
    return Finding(
        unfair["default"] <= unfair["none"],
        f"unfair {unfair['default']} of {number} rings with extension, {unfair['none']} without",
    )
