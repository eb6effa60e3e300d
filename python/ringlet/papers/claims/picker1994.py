"""Tests of the sentences of picker1994 (Picker, Fellman and Chau 1994), in the order of the paper."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import optimal_throughput, optimal_throughput_with_echo
from ringlet.analysis.deviation import absolute_deviation, adjusted_deviation
from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, all_patterns, draw_ring, renumbering, words
from ringlet.papers.picker1994.patterns import pattern_classes
from ringlet.scenario import Scenario
from ringlet.simulation import run
from ringlet.trace.recording import ACCEPTED, ACKNOWLEDGED, REFUSED, RETURNED

EXAMPLE = Ring((3, 3, 3, 1), keys={"network.echoes": False, "traffic.transaction": "send80"})
"""Section 1.2's example: nodes 1, 2 and 3 send to 4, and 4 to 2, numbered from 0 here; there are no echoes."""

TRIO = Ring((3, 3, 3, 4, 5, 0), keys={"network.echoes": False, "traffic.transaction": "send80"})
"""Nodes 0, 1 and 2 share the link behind node 2; node 4 has the link to node 5 alone."""

PROTOCOLS = ("none", "sci", "grouped")


def _matrix(destinations: Sequence[int]) -> NDArray[np.float64]:
    """Returns the traffic matrix of one destination for each node, shape (nodes, nodes)."""
    matrix = np.zeros((len(destinations), len(destinations)))
    matrix[np.arange(len(destinations)), list(destinations)] = 1.0
    return matrix


def _deviation(ring: Ring, *, adjusted: bool = True) -> NDArray[np.float64]:
    """Returns each node's deviation from the optimum with echoes of Section 4.3 in %, shape (nodes,)."""
    optimum = optimal_throughput_with_echo(_matrix(ring.destinations), mean_send_symbols=ring.size_bytes // 2)
    return (adjusted_deviation if adjusted else absolute_deviation)(ring.throughput(), optimum)


def _least_over_greatest(ring: Ring) -> float:
    """Returns the least throughput of a sender over the greatest one."""
    found = ring.throughput()[ring.senders]
    return float(found.min() / found.max())


def _ratio_finding(rings: Iterable[Ring], measure: Callable[[Ring], float], least: float, what: str) -> Finding:
    """Returns whether `measure` is at least `least` for all rings, with the ring where it is smallest."""
    found = [(measure(ring), ring) for ring in rings]
    worst, ring = min(found, key=lambda each: each[0])
    below = sum(value < least for value, _ in found)
    return Finding(below == 0, f"{below} of {len(found)} rings below {least:g}; smallest {what} {worst:z.3f} on {ring}")


@checks("picker1994.c01")
def sci_is_fair_with_silent_nodes(trials: Trials) -> Finding:
    """SCI gives each sender of a common link its share, also where other nodes only receive."""
    rings = []
    for _ in range(trials.count(60)):
        ring = draw_ring(trials.rng, silent=(0, 4), sizes=(80,))
        to = int(trials.rng.choice(sorted(ring.silent) or [ring.nodes - 1]))
        # One receiver for all, so that every sender meets the same link and fair means equal.
        destinations = tuple(to if node != to else (to + 1) % ring.nodes for node in range(ring.nodes))
        rings.append(Ring(destinations, ring.silent | {to}, None, ring.keys).under("sci"))
    return _ratio_finding(rings, _least_over_greatest, 0.9, "least over greatest")


@checks("picker1994.c02")
def sci_is_equal_where_all_send(trials: Trials) -> Finding:
    """SCI gives each node the same where all always send packets of one size."""
    rings = [draw_ring(trials.rng, nodes=(4, 16), hop_delays=(1, 11)) for _ in range(trials.count(60))]
    return _ratio_finding([ring.under("sci") for ring in rings], _least_over_greatest, 0.95, "ratio")


@checks("picker1994.c03")
def sci_starves_nobody(trials: Trials) -> Finding:
    """SCI keeps no node that wants to send from it for ever."""
    rings = [
        draw_ring(trials.rng, silent=int(trials.rng.integers(0, 4))).under("sci") for _ in range(trials.count(150))
    ]
    return _ratio_finding(rings, lambda ring: float(ring.throughput()[ring.senders].min()), 0.01, "throughput")


@checks("picker1994.c06")
def without_flow_control_two_nodes_of_the_example_get_nothing(trials: Trials) -> Finding:
    """Without flow control the first and third node of the example get nothing."""
    found = [EXAMPLE.with_keys({"network.hop_delay": delay}).under("none").throughput() for delay in range(1, 9)]
    holds = all(each[0] < 0.001 and each[2] < 0.001 and np.allclose(each[[1, 3]], 40 / 41, rtol=0.01) for each in found)
    return Finding(holds, f"{words(found[0])}, hop delays 1 to 8")


@checks("picker1994.c07")
def sci_gives_thirds_in_the_example(trials: Trials) -> Finding:
    """SCI holds each node of the example to a third of a link."""
    rings = [
        EXAMPLE.turned(by).with_keys({"network.hop_delay": delay}).under("sci")
        for delay in range(1, 12)
        for by in range(4)
    ]
    found = [ring.throughput(cycles=100_000) for ring in rings]
    off = max(float(np.abs(each / (40 / 41 / 3) - 1).max()) for each in found)
    return Finding(
        off < 0.01, f"{words(found[0])}; largest distance from a third {off:z.1%}, hop delays 1 to 11, turned"
    )


@checks("picker1994.c08")
def one_reading_meets_tables_and_example(trials: Trials) -> Finding:
    """The reading of the tables, which is the default, gives the example's throughputs, too."""
    sci = EXAMPLE.under("sci").throughput()
    grouped = EXAMPLE.under("grouped").throughput()
    third = 40 / 41 / 3
    holds = np.allclose(sci, third, rtol=0.02) and np.allclose(grouped, [third, third, third, 2 * third], rtol=0.02)
    return Finding(bool(holds), f"sci {words(sci)}; grouped {words(grouped)}; default reading")


@checks("picker1994.c09")
def the_optimum_of_the_example(trials: Trials) -> Finding:
    """The last node of the example can have two thirds of its links without harm to others."""
    found = optimal_throughput(_matrix(EXAMPLE.destinations), mean_send_symbols=40)
    return Finding(bool(np.allclose(found, 40 / 41 * np.array([1, 1, 1, 2]) / 3)), words(found))


@checks("picker1994.c10")
def sci_restricts_all_nodes(trials: Trials) -> Finding:
    """SCI restricts a node that shares no link with those that are overrun."""
    free = [TRIO.with_keys({"network.hop_delay": d}).under("sci").throughput()[4] for d in range(1, 6)]
    alone = [TRIO.with_keys({"network.hop_delay": d}).under("none").throughput()[4] for d in range(1, 6)]
    return Finding(
        max(free) < 0.4 and min(alone) > 0.9, f"free node {free[0]:z.3f} under sci, {alone[0]:z.3f} under none"
    )


@checks("picker1994.c12")
def a_target_answers_each_send_packet(trials: Trials) -> Finding:
    """Each packet that is accepted or refused is answered by one echo, but for those under way at the ends."""
    met = answered = most = 0
    for _ in range(trials.count(4)):
        drawn = draw_ring(trials.rng)
        slow = {"queues.receive": 2, "queues.service_time": 60}
        for protocol in ("none", "sci", "grouped", "dfc", "train", "ppq"):
            recorded = Recorded.of(drawn.with_keys(slow).under(protocol), start=0)
            fates = recorded.recording.tables["events"]["fate"]
            here = int(np.isin(fates, (ACCEPTED, REFUSED)).sum())
            back = int(np.isin(fates, (ACKNOWLEDGED, RETURNED)).sum())
            # An echo takes at most a revolution, in which each node can have answered a few packets.
            most = max(most, here - back)
            met, answered = met + here, answered + back
    return Finding(answered <= met and most <= 40, f"{met} packets met, {answered} answers, at most {most} under way")


@checks("picker1994.c13", "picker1994.c15")
def packets_are_whole_and_an_idle_follows(trials: Trials) -> Finding:
    """Every packet is whole on a link, and at least one idle follows it."""
    packets = bare = pieces = 0
    for _ in range(trials.count(12)):
        for protocol in PROTOCOLS:
            recorded = Recorded.of(draw_ring(trials.rng, silent=(0, 1)).under(protocol))
            for runs in recorded.links():
                packet = runs.is_packet
                packets += int(packet.sum())
                bare += int((packet[:-1] & packet[1:]).sum())
                pieces += int((runs.symbols[packet][1:-1] != runs.packet_symbols[packet][1:-1]).sum())
    return Finding(bare == 0 and pieces == 0, f"{packets} packets: {bare} without an idle, {pieces} not whole")


@checks("picker1994.c14")
def a_node_sends_while_its_fifo_is_empty(trials: Trials) -> Finding:
    """No own packet begins while the bypass FIFO holds something."""
    sent = wrong = 0
    for _ in range(trials.count(12)):
        for protocol in PROTOCOLS:
            recorded = Recorded.of(draw_ring(trials.rng, silent=(0, 1)).under(protocol))
            for node, runs in enumerate(recorded.links()):
                begins = runs.cycle[runs.is_own][1:]
                sent += len(begins)
                wrong += int((recorded.bypass_symbols(node, begins - 1) > 0).sum())
    return Finding(wrong == 0, f"{sent} own packets, {wrong} begun beside a filled FIFO")


@checks("picker1994.c16")
def a_fifo_of_the_longest_packet_is_enough(trials: Trials) -> Finding:
    """The bypass FIFO never holds more than the longest packet and its idle."""
    over, number, fullest = 0, 0, 0.0
    for _ in range(trials.count(20)):
        drawn = draw_ring(trials.rng)
        longest = drawn.size_bytes // 2 + 1
        for protocol in PROTOCOLS:
            held = drawn.under(protocol).result().nodes["bypass_max_symbols"].max()
            over, number, fullest = over + (held > longest), number + 1, max(fullest, held / longest)
    return Finding(over == 0, f"{over} of {number} rings over; fullest {fullest:z.2f} of it")


@checks("picker1994.c18")
def an_overrun_node_sends_again_soon(trials: Trials) -> Finding:
    """Under SCI a node that always has a packet sends at least once in three rounds of the ring."""
    most, at = 0.0, ""
    for _ in range(trials.count(20)):
        ring = draw_ring(trials.rng)
        # A round: the hops, and a packet with its idle and an echo with its idle of each node.
        round_cycles = ring.nodes * (int(str(ring.keys["network.hop_delay"])) + ring.size_bytes // 2 + 1 + 5)
        for runs in Recorded.of(ring.under("sci"), cycles=20 * round_cycles).links():
            own = runs.cycle[runs.is_own]
            longest = float(np.diff(own).max()) / round_cycles if len(own) > 1 else np.inf
            if longest > most:
                most, at = longest, f" on {ring}"
    return Finding(most <= 3, f"longest time between two own packets {most:z.2f} rounds{at}")


@checks("picker1994.c19")
def the_optimum_gives_to_others_what_a_node_leaves(trials: Trials) -> Finding:
    """The optimum of the other nodes grows, or stays, where one node needs less than its share."""
    fell, more, number = 0, 0, trials.count(60)
    for _ in range(number):
        ring = draw_ring(trials.rng)
        matrix = _matrix(ring.destinations)
        full = optimal_throughput(matrix, mean_send_symbols=40)
        loads = np.ones(ring.nodes)
        loads[0] = full[0] / 2
        less = optimal_throughput(matrix, mean_send_symbols=40, attempted=loads)
        on_common = less[1:].min() - full[1:].min()
        fell, more = fell + (on_common < -1e-12), more + (less[1:].sum() > full[1:].sum() + 1e-12)
    return Finding(fell == 0 and more > 0, f"least of the others fell in {fell} of {number}, sum grew in {more}")


@checks("picker1994.c20")
def others_get_what_a_node_leaves_under_grouped(trials: Trials) -> Finding:
    """Under the enhanced protocol the others on a full link share what one of its senders leaves."""
    off, shown = 0.0, ""
    for load in (0.02, 0.1, 0.2, 0.3, 1.0):
        ring = Ring(EXAMPLE.destinations, loads=(load, 1.0, 1.0, 1.0), keys=EXAMPLE.keys).under("grouped")
        found = ring.throughput(cycles=100_000)
        off = max(off, 1 - found[:3].sum() / 0.95, abs(found[1] - found[2]) / found[1:3].max() - 0.1)
        shown = shown or f"load {load:g}: {words(found)}"
    return Finding(off <= 0, f"{shown}; worst excess {max(off, 0):z.3f}")


@checks("picker1994.c21")
def grouped_stops_only_those_in_conflict(trials: Trials) -> Finding:
    """Under the enhanced protocol a node with links of its own has what it has without flow control."""
    ratios = []
    for delay in range(1, 1 + trials.count(8)):
        keys = {"network.hop_delay": delay, "network.echoes": True}
        alone = TRIO.with_keys(keys).under("none").throughput()[4]
        ratios.append(TRIO.with_keys(keys).under("grouped").throughput()[4] / alone)
    return Finding(min(ratios) >= 0.95, f"free node at least {min(ratios):z.3f} of its throughput without flow control")


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
        unfair["default"] += _least_over_greatest(ring.under("sci")) < 0.9
        unfair["none"] += _least_over_greatest(ring.under("sci", extension="none")) < 0.9
    return Finding(
        unfair["default"] <= unfair["none"],
        f"unfair {unfair['default']} of {number} rings with extension, {unfair['none']} without",
    )


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
    return _ratio_finding(rings, lambda ring: float(ring.throughput().min()), 0.005, "throughput")


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
    return _ratio_finding(rings, _least_over_greatest, 0.95, "least over greatest")


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
def few_groups_are_nearly_as_good_as_many(trials: Trials) -> Finding:
    """Deviation falls with the number of groups, and half as many groups as nodes are near all."""
    average = {}
    rings = [draw_ring(trials.rng, nodes=(8, 8), sizes=(80,), hop_delays=(1, 3)) for _ in range(trials.count(30))]
    for groups in (1, 2, 4, 8):
        each = [ring.under("grouped", groups=groups, assignment="maximal-conflict") for ring in rings]
        average[groups] = float(np.mean([_deviation(ring) for ring in each]))
    holds = average[4] <= average[1] and average[8] <= average[1] and average[4] - average[8] <= average[1] - average[4]
    return Finding(holds, "deviation in % by groups: " + ", ".join(f"{g}: {d:z.1f}" for g, d in average.items()))


@checks("picker1994.c48")
def a_ring_of_4096_nodes_with_16_groups(trials: Trials) -> Finding:
    """A ring of 4096 nodes with four bits for groups carries packets of every group."""
    nodes = 4096
    ring = Ring(tuple((node + 1) % nodes for node in range(nodes)), keys={"traffic.transaction": "send80"})
    groups = [node % 16 for node in range(nodes)]
    found = ring.under("grouped", groups=16, assignment=groups).throughput(cycles=20_000, warmup=0)
    return Finding(bool((found > 0).all()), f"least of {nodes} nodes {found.min():z.3f} words per cycle")


@checks("picker1994.c49")
def the_optimum_is_max_min_fair(trials: Trials) -> Finding:
    """The optimum is max-min fair: an independent filling of the links gives the same."""
    largest = 0.0
    for _ in range(trials.count(80)):
        ring = draw_ring(trials.rng, nodes=(3, 12))
        loads = trials.rng.uniform(0.05, 1.0, ring.nodes)
        ours = optimal_throughput(_matrix(ring.destinations), mean_send_symbols=40, attempted=loads)
        largest = max(largest, float(np.abs(ours - _filled(ring.destinations, loads * 40 / 41)).max()))
    return Finding(largest < 1e-9, f"largest difference from an independent filling {largest:.1e}")


def _filled(destinations: Sequence[int], loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the max-min fair throughput by raising all open nodes together until a link or a load stops them."""
    nodes = len(destinations)
    crosses = np.zeros((nodes, nodes))
    for node, destination in enumerate(destinations):
        for hop in range((destination - node) % nodes):
            crosses[node, (node + hop) % nodes] = 41 / 40
    found, open_nodes = np.zeros(nodes), np.ones(nodes, dtype=bool)
    while open_nodes.any():
        used, wanted = found @ crosses, open_nodes @ crosses
        steps = np.divide(1 - used, wanted, out=np.full(nodes, np.inf), where=wanted > 0)
        step = min(steps.min(), (loads - found)[open_nodes].min())
        found = found + open_nodes * step
        full = (found @ crosses) > 1 - 1e-12
        open_nodes = open_nodes & ~(crosses[:, full] > 0).any(axis=1) & (found < loads - 1e-12)
    return found


@checks("picker1994.c50")
def one_idle_counts_behind_each_packet(trials: Trials) -> Finding:
    """A lone sender's optimum is L / (L + 1) for packets of L symbols."""
    lengths = range(8, 145)
    found = [optimal_throughput(_matrix((1, 0)), mean_send_symbols=length)[0] for length in lengths]
    off = max(abs(value - length / (length + 1)) for value, length in zip(found, lengths, strict=True))
    return Finding(off < 1e-12, f"sizes 16 to 288 bytes, largest difference {off:.1e}")


@checks("picker1994.c51")
def echoes_lower_the_optimum(trials: Trials) -> Finding:
    """No node's optimum with echoes is above that without."""
    above, number = 0, trials.count(100)
    for _ in range(number):
        matrix = _matrix(draw_ring(trials.rng, nodes=(3, 16)).destinations)
        with_echo = optimal_throughput_with_echo(matrix, mean_send_symbols=40)
        above += bool((with_echo > optimal_throughput(matrix, mean_send_symbols=40) + 1e-12).any())
    return Finding(above == 0, f"{above} of {number} patterns with a node above")


@checks("picker1994.c52")
def echoes_lower_the_optimum_by_the_fullest_link(trials: Trials) -> Finding:
    """The optimum with echoes is that without, over the load of the fullest link that a node's packets cross."""
    largest = 0.0
    for _ in range(trials.count(60)):
        matrix = _draw_matrix(trials.rng, int(trials.rng.integers(3, 10)))
        nodes = len(matrix)
        plain = optimal_throughput(matrix, mean_send_symbols=40)
        load, used = np.zeros(nodes), np.zeros((nodes, nodes), dtype=bool)
        for source, destination in zip(*np.nonzero(matrix), strict=True):
            hops = (destination - source) % nodes
            for hop in range(nodes):
                # A send packet has 40 symbols and an idle up to its destination, its echo 4 and one from there on.
                length = 41 if hop < hops else 5
                load[(source + hop) % nodes] += plain[source] * matrix[source, destination] * length / 40
                used[source, (source + hop) % nodes] |= hop < hops
        fullest = np.array([max(1.0, *load[used[node]]) for node in range(nodes)])
        with_echo = optimal_throughput_with_echo(matrix, mean_send_symbols=40)
        largest = max(largest, float(np.abs(with_echo - plain / fullest).max()))
    return Finding(largest < 1e-9, f"largest difference from an independent count {largest:.1e}")


@checks("picker1994.c54")
def adjusted_deviation_is_at_most_the_absolute_one(trials: Trials) -> Finding:
    """The adjusted deviation counts shortfalls only."""
    above, number = 0, trials.count(20)
    for _ in range(number):
        ring = draw_ring(trials.rng, sizes=(80,)).under("sci")
        above += bool((_deviation(ring) > _deviation(ring, adjusted=False) + 1e-9).any())
    return Finding(above == 0, f"{above} of {number} rings with a node above")


def _fan_in(nodes: int, senders: int, protocol: str, **keys: object) -> Ring:
    """Returns the ring of Section 5.3: the `senders` nodes before the last send to it, all others to a neighbour."""
    destinations = [(node + 1) % nodes for node in range(nodes)]
    for node in range(nodes - 1 - senders, nodes - 1):
        destinations[node] = nodes - 1
    return Ring(tuple(destinations), keys={"traffic.transaction": "send80", **keys}).under(protocol)


@checks("picker1994.c56")
def sci_is_worst_at_a_fan_in_of_the_root_of_n(trials: Trials) -> Finding:
    """Without echoes SCI's average deviation is largest where the square root of N nodes send to one."""
    shown, holds = [], True
    for nodes in (4, 16, 64):
        averages = {}
        for senders in range(2, min(nodes - 1, 3 * round(nodes**0.5)) + 1):
            ring = _fan_in(nodes, senders, "sci", **{"network.echoes": False})
            optimum = optimal_throughput(_matrix(ring.destinations), mean_send_symbols=40)
            averages[senders] = float(adjusted_deviation(ring.throughput(), optimum).mean())
        peak = max(averages, key=averages.__getitem__)
        shown.append(f"{nodes} nodes: {peak} ({averages[peak]:z.1f} %)")
        holds = holds and abs(peak - nodes**0.5) <= 1
    return Finding(holds, "largest deviation at fan-in: " + ", ".join(shown))


@checks("picker1994.c55")
def sci_is_worst_where_some_nodes_send_to_one(trials: Trials) -> Finding:
    """No random pattern has a higher average deviation under SCI than the worst fan-in."""
    shown, holds = [], True
    for nodes in (8, 16):
        fan_in = max(float(_deviation(_fan_in(nodes, senders, "sci")).mean()) for senders in range(2, nodes - 1))
        drawn = [
            draw_ring(trials.rng, nodes=(nodes, nodes), sizes=(80,), hop_delays=(1, 1)) for _ in range(trials.count(60))
        ]
        random = max(float(_deviation(ring.under("sci")).mean()) for ring in drawn)
        holds = holds and random <= fan_in
        shown.append(
            f"{nodes} nodes: {fan_in:z.1f} % against {random:z.1f} % at most over {len(drawn)} random patterns"
        )
    return Finding(holds, "; ".join(shown))


@checks("picker1994.c57")
def grouped_gains_most_at_a_fan_in_of_the_root_of_n(trials: Trials) -> Finding:
    """The gain of the enhanced protocol over SCI is largest where the square root of N nodes send to one."""
    shown, holds = [], True
    for nodes in (4, 8, 16):
        gains = {}
        for senders in range(2, nodes - 1):
            sci, grouped = (float(_deviation(_fan_in(nodes, senders, p)).mean()) for p in ("sci", "grouped"))
            gains[senders] = sci - grouped
        peak = max(gains, key=gains.__getitem__)
        holds = holds and abs(peak - nodes**0.5) <= 1
        shown.append(f"{nodes} nodes: {peak} ({gains[peak]:z.1f} points)")
    return Finding(holds, "largest gain at fan-in: " + ", ".join(shown))


@checks("picker1994.c58")
def grouped_is_nearly_optimal_at_the_worst_fan_in(trials: Trials) -> Finding:
    """With one packet size the enhanced protocol deviates by less than 1 % at the worst-case fan-in."""
    average = {
        nodes: max(
            float(_deviation(_fan_in(nodes, round(nodes**0.5), "grouped", **{"network.hop_delay": delay})).mean())
            for delay in (1, 2, 3, 5)
        )
        for nodes in (4, 8, 16)
    }
    shown = ", ".join(f"{nodes} nodes {value:z.2f} %" for nodes, value in average.items())
    return Finding(max(average.values()) < 1, f"worst of hop delays 1 to 5: {shown}")


@checks("picker1994.c60")
def its_largest_node_deviation_is_much_lower(trials: Trials) -> Finding:
    """At the worst-case fan-in the largest node deviation is much lower under the enhanced protocol."""
    pairs = {
        nodes: [float(_deviation(_fan_in(nodes, round(nodes**0.5), p)).max()) for p in ("grouped", "sci")]
        for nodes in (4, 8, 16)
    }
    shown = ", ".join(f"{nodes} nodes {ours:z.1f} for {sci:z.1f}" for nodes, (ours, sci) in pairs.items())
    return Finding(all(ours < sci / 2 for ours, sci in pairs.values()), f"grouped for sci, %: {shown}")


@checks("picker1994.c61")
def patterns_of_four_nodes_in_classes(trials: Trials) -> Finding:
    """The 81 patterns of 4 nodes are 24 up to a turn of the ring."""
    smallest = {min(Ring(pattern).turned(by).destinations for by in range(4)) for pattern in all_patterns(4)}
    return Finding(len(smallest) == 24, f"{len(smallest)} classes of {len(list(all_patterns(4)))} patterns")


@checks("picker1994.c62")
def turned_patterns_perform_alike(trials: Trials) -> Finding:
    """Patterns that differ by a turn of the ring give the same throughputs."""
    largest = 0.0
    for pattern in pattern_classes(4):
        for protocol in PROTOCOLS:
            ring = Ring(pattern.destinations, keys={"traffic.transaction": "send80"}).under(protocol)
            found = ring.throughput()
            by = int(trials.rng.integers(1, 4))
            largest = max(largest, float(np.abs(np.roll(found, by) - ring.turned(by).throughput()).max()))
    return Finding(largest < 0.005, f"largest difference {largest:z.4f} words per cycle")


def _class_deviations(transaction: str, delay: int = 1) -> dict[str, tuple[int, float, float]]:
    """Returns occurrences and average deviation in % under sci and grouped of each class of 4 nodes, by name."""
    keys = {"traffic.transaction": transaction, "network.hop_delay": delay}
    found = {}
    for pattern in pattern_classes(4):
        ring = Ring(pattern.destinations, keys=keys)
        sci, grouped = (float(_deviation(ring.under(protocol)).mean()) for protocol in ("sci", "grouped"))
        found[pattern.name] = (pattern.occurrences, sci, grouped)
    return found


@checks("picker1994.c63")
def grouped_deviates_less_on_average(trials: Trials) -> Finding:
    """Over the 81 patterns of 4 nodes the enhanced protocol's average deviation is clearly below SCI's."""
    found = _class_deviations("send80").values()
    sci, grouped = (sum(each[0] * each[place] for each in found) / 81 for place in (1, 2))
    return Finding(grouped < sci / 1.5, f"send80: sci {sci:z.1f} %, grouped {grouped:z.1f} %")


@checks("picker1994.c64")
def grouped_is_clearly_worse_in_one_class_only(trials: Trials) -> Finding:
    """With one packet size the enhanced protocol is worse than SCI by a point in one class of 24 at most."""
    shown, most = [], 0
    for transaction in ("send64", "send80"):
        found = _class_deviations(transaction)
        worse = {name: grouped - sci for name, (_, sci, grouped) in found.items() if grouped > sci + 1}
        most = max(most, len(worse))
        shown.append(f"{transaction}: {len(worse)} ({', '.join(f'{n} +{w:z.1f}' for n, w in worse.items())})")
    return Finding(most <= 1, "classes worse by a point, " + "; ".join(shown))


@checks("picker1994.c66")
def classes_that_gain_occur_more_often(trials: Trials) -> Finding:
    """Classes of patterns in which the enhanced protocol gains over a point occur more often than those that lose."""
    found = _class_deviations("send80").values()
    gains = sum(occurrences for occurrences, sci, grouped in found if grouped < sci - 1)
    loses = sum(occurrences for occurrences, sci, grouped in found if grouped > sci + 1)
    return Finding(gains > loses, f"{gains} of 81 patterns gain over a point, {loses} lose")


@checks("picker1994.c67")
def one_group_is_sci(trials: Trials) -> Finding:
    """With all nodes in one group the enhanced protocol is SCI, to the last digit."""
    differ, number = 0, trials.count(60)
    for _ in range(number):
        ring = draw_ring(trials.rng, silent=(0, 2))
        one = [int(trials.rng.integers(2))] * ring.nodes
        grouped = ring.under("grouped", groups=2, assignment=one).throughput()
        differ += not np.array_equal(grouped, ring.under("sci").throughput())
    return Finding(differ == 0, f"{number - differ} of {number} rings equal")


@checks("picker1994.c68")
def the_gain_is_larger_with_one_packet_size(trials: Trials) -> Finding:
    """Over random matrices the enhanced protocol gains more on SCI with one packet size than with mixed ones."""
    found = _over_matrices(trials, ("send80", "mixed"))
    gain = {
        (nodes, transaction): float((found[nodes, transaction, "sci"] - found[nodes, transaction, "grouped"]).mean())
        for nodes in (4, 8, 16)
        for transaction in ("send80", "mixed")
    }
    shown = "; ".join(f"{n}: {gain[n, 'send80']:z.1f} and {gain[n, 'mixed']:z.1f}" for n in (4, 8, 16))
    return Finding(
        all(gain[n, "send80"] > gain[n, "mixed"] for n in (4, 8, 16)), f"points, one size and mixed, nodes {shown}"
    )


@checks("picker1994.c69")
def mixed_sizes_vary_the_time_of_a_round(trials: Trials) -> Finding:
    """The time between two packets of a node, a round of the go bits, varies more with mixed sizes than with one."""
    spread: dict[str, list[float]] = {"send80": [], "mixed": []}
    for _ in range(trials.count(10)):
        drawn = draw_ring(trials.rng, sizes=(80,))
        for transaction, found in spread.items():
            ring = drawn.with_keys({"traffic.transaction": transaction}).under("sci")
            for runs in Recorded.of(ring, cycles=8_000).links():
                between = np.diff(runs.cycle[runs.is_own])
                found.append(float(between.std() / between.mean()))
    one, mixed = (float(np.mean(spread[transaction])) for transaction in ("send80", "mixed"))
    return Finding(mixed > one, f"deviation over mean: mixed {mixed:z.2f}, one size {one:z.2f}")


@checks("picker1994.c70")
def a_loaded_ring_serves_nodes_in_turn(trials: Trials) -> Finding:
    """On a saturated ring of one packet size each node sends once between two packets of another."""
    turns = wrong = 0
    for _ in range(trials.count(10)):
        ring = draw_ring(trials.rng)
        own = [runs.cycle[runs.is_own] for runs in Recorded.of(ring.under("sci")).links()]
        for other in range(1, ring.nodes):
            between = np.diff(np.searchsorted(own[other], own[0]))
            turns, wrong = turns + len(between), wrong + int((np.abs(between - 1) > 1).sum())
    return Finding(
        wrong <= turns // 100, f"{turns} turns; in {wrong} another node sent more than twice or was left out"
    )


def _mean_deviations(trials: Trials) -> dict[int, tuple[float, float]]:
    """Returns average deviation in % under sci and grouped over random matrices, by nodes."""
    found = _over_matrices(trials, ("send80",))
    return {
        n: (float(found[n, "send80", "sci"].mean()), float(found[n, "send80", "grouped"].mean())) for n in (4, 8, 16)
    }


@checks("picker1994.c72")
def larger_rings_are_like_small_ones(trials: Trials) -> Finding:
    """The enhanced protocol gains on SCI with 8 and 16 nodes as with 4, for one destination of each node."""
    gains = {}
    for nodes in (4, 8, 16):
        rings = [
            draw_ring(trials.rng, nodes=(nodes, nodes), sizes=(80,), hop_delays=(1, 1)) for _ in range(trials.count(15))
        ]
        sci, grouped = (
            float(np.mean([_deviation(ring.under(protocol)).mean() for ring in rings]))
            for protocol in ("sci", "grouped")
        )
        gains[nodes] = sci - grouped
    shown = ", ".join(f"{nodes} nodes {gain:+z.1f}" for nodes, gain in gains.items())
    return Finding(all(gain > 0 for gain in gains.values()), f"gain in points: {shown}")


@checks("picker1994.c73")
def grouped_deviates_less_on_random_matrices(trials: Trials) -> Finding:
    """On random matrices the enhanced protocol deviates by less than 0.8 of SCI."""
    found = _mean_deviations(trials)
    shown = ", ".join(f"{nodes} nodes {sci:z.1f} to {grouped:z.1f}" for nodes, (sci, grouped) in found.items())
    return Finding(all(grouped < 0.8 * sci for sci, grouped in found.values()), f"sci to grouped, %: {shown}")


@checks("picker1994.c74")
def the_gain_grows_with_the_ring(trials: Trials) -> Finding:
    """The gain over SCI on random matrices grows from 4 to 8 to 16 nodes."""
    gains = [sci - grouped for sci, grouped in _mean_deviations(trials).values()]
    return Finding(gains[0] < gains[1] < gains[2], "points, 4, 8, 16 nodes: " + ", ".join(f"{g:z.1f}" for g in gains))


@checks("picker1994.c75")
def mixed_sizes_have_higher_largest_deviations(trials: Trials) -> Finding:
    """Under the enhanced protocol the largest node deviation on random matrices is higher with mixed sizes."""
    found = _over_matrices(trials, ("send80", "mixed"))
    largest = {n: [float(found[n, t, "grouped"].max()) for t in ("mixed", "send80")] for n in (4, 8, 16)}
    shown = ", ".join(f"{nodes} nodes {mixed:z.0f} for {one:z.0f}" for nodes, (mixed, one) in largest.items())
    return Finding(all(mixed > one for mixed, one in largest.values()), f"mixed for one size, %: {shown}")


@checks("picker1994.c76")
def they_stay_below_those_of_sci(trials: Trials) -> Finding:
    """With mixed sizes the average of the largest deviations is below SCI's."""
    found = _over_matrices(trials, ("mixed",))
    average = {n: [float(found[n, "mixed", p].max(axis=1).mean()) for p in ("grouped", "sci")] for n in (4, 8, 16)}
    shown = ", ".join(f"{nodes} nodes {ours:z.1f} for {sci:z.1f}" for nodes, (ours, sci) in average.items())
    return Finding(all(ours < sci for ours, sci in average.values()), f"grouped for sci, %: {shown}")


@checks("picker1994.c78", "picker1994.c79")
def symmetric_traffic_needs_no_flow_control(trials: Trials) -> Finding:
    """With symmetric traffic no node lags without flow control, and both protocols lower the throughput."""
    shown, holds = [], True
    for nodes in (4, 8, 16):
        deviation = {protocol: _uniform_deviation(nodes, protocol) for protocol in PROTOCOLS}
        holds = holds and deviation["none"] < 2.5 and deviation["none"] < min(deviation["sci"], deviation["grouped"])
        shown.append(f"{nodes}: " + " ".join(f"{protocol} {value:z.1f}" for protocol, value in deviation.items()))
    return Finding(holds, "deviation in %, nodes " + "; ".join(shown))


@checks("picker1994.c80")
def grouped_is_slightly_worse_with_symmetric_traffic(trials: Trials) -> Finding:
    """With symmetric traffic the enhanced protocol is worse than SCI by at most 5 points."""
    gaps = {n: _uniform_deviation(n, "grouped") - _uniform_deviation(n, "sci") for n in (4, 8, 16)}
    shown = ", ".join(f"{nodes} nodes {gap:+z.1f}" for nodes, gap in gaps.items())
    return Finding(all(0 <= gap <= 5 for gap in gaps.values()), f"grouped less sci in points: {shown}")


def _uniform_deviation(nodes: int, protocol: str) -> float:
    """Returns the average deviation in % of a saturated ring with uniform traffic."""
    matrix = (np.ones((nodes, nodes)) - np.eye(nodes)) / (nodes - 1)
    return float(_matrix_deviation(matrix, protocol, "send80", cycles=100_000).mean())


_MEAN_SYMBOLS = {"send64": 32, "send80": 40, "mixed": 0.4 * 40 + 0.6 * 8}
"""Mean length of the send packets of transactions."""


def _matrix_deviation(
    matrix: NDArray[np.float64], protocol: str, transaction: str, *, cycles: int = 40_000
) -> NDArray[np.float64]:
    """Returns each node's deviation from the optimum in %, for saturated nodes that send by a traffic matrix."""
    content = {
        "network": {"nodes": len(matrix)},
        "flow_control": {"protocol": protocol},
        "traffic": {"transaction": transaction, "pattern": "matrix", "matrix": matrix.tolist()},
        "run": {"duration": cycles, "warmup": cycles // 5},
    }
    found = run(Scenario.from_dict(content)).nodes["throughput_words_per_cycle"].to_numpy(dtype=np.float64)
    optimum = optimal_throughput_with_echo(matrix, mean_send_symbols=_MEAN_SYMBOLS[transaction])
    return adjusted_deviation(found, optimum)


def _draw_matrix(rng: np.random.Generator, nodes: int) -> NDArray[np.float64]:
    """Draws a traffic matrix whose rows have one, two, or all other nodes as destinations."""
    matrix = np.zeros((nodes, nodes))
    for node in range(nodes):
        others = [other for other in range(nodes) if other != node]
        chosen = rng.choice(others, int(rng.choice([1, 2, nodes - 1])), replace=False)
        matrix[node, chosen] = rng.dirichlet(np.ones(len(chosen)))
    return matrix


def _over_matrices(trials: Trials, transactions: Sequence[str]) -> dict[tuple[int, str, str], NDArray[np.float64]]:
    """Returns deviations in % by nodes (4, 8, 16), transaction and protocol, shape (matrices, nodes)."""
    found: dict[tuple[int, str, str], NDArray[np.float64]] = {}
    for nodes in (4, 8, 16):
        matrices = [_draw_matrix(trials.rng, nodes) for _ in range(trials.count(12))]
        for transaction in transactions:
            for protocol in ("sci", "grouped"):
                each = [_matrix_deviation(matrix, protocol, transaction) for matrix in matrices]
                found[nodes, transaction, protocol] = np.array(each)
    return found


@checks("picker1994.c81")
def grouped_is_not_worse_where_sci_is_optimal(trials: Trials) -> Finding:
    """The enhanced protocol is within 3 % of the optimum where SCI is within 1 %."""
    found = _class_deviations("send80")
    optimal = {name: grouped for name, (_, sci, grouped) in found.items() if sci < 1}
    worse = {name: value for name, value in optimal.items() if value > 3}
    return Finding(
        not worse, f"{len(worse)} of {len(optimal)} classes: {', '.join(f'{n} {v:z.1f}' for n, v in worse.items())}"
    )


@checks("picker1994.c82")
def mixed_sizes_lower_its_performance_somewhat(trials: Trials) -> Finding:
    """Over the 81 patterns the enhanced protocol deviates more with mixed sizes, by less than a factor of 2."""
    average = {}
    for transaction in ("send80", "mixed"):
        total = 0.0
        for pattern in pattern_classes(4):
            deviation = _matrix_deviation(_matrix(pattern.destinations), "grouped", transaction).mean()
            total += pattern.occurrences * float(deviation)
        average[transaction] = total / 81
    one, mixed = average["send80"], average["mixed"]
    return Finding(one < mixed < 2 * one, f"mixed {mixed:z.1f} %, one size {one:z.1f} %")


@checks("picker1994.c84")
def rings_couple_to_networks_of_any_topology(trials: Trials) -> Finding:
    """Nodes of seven topologies reach each other: what is offered at low load is carried."""
    networks: dict[str, dict[str, object]] = {
        "switch": {"ports": 4, "nodes": 4},
        "omega": {"size": 8},
        "baseline": {"size": 8},
        "butterfly": {"size": 8},
        "torus": {"shape": [3, 3]},
        "dual-ring": {"nodes": 6},
        "flip": {"size": 8},
    }
    least, at = np.inf, ""
    for topology, keys in networks.items():
        content: dict[str, dict[str, object]] = {
            "network": {"topology": topology, **keys},
            "traffic": {"transaction": "dmove64", "arrivals": "poisson", "load": "10 MB/s"},
            "run": {"duration": "1 ms", "warmup": "0.1 ms"},
        }
        nodes = run(Scenario.from_dict(content)).nodes
        part = float(nodes["throughput_MBps"].sum() / nodes["offered_MBps"].sum())
        if part < least:
            least, at = part, topology
    return Finding(least > 0.98, f"carried of offered at least {least:z.3f} ({at}), {len(networks)} topologies")


@checks("picker1994.c85")
def a_lone_sender_fills_its_link(trials: Trials) -> Finding:
    """A saturated node that is alone on its link carries L / (L + 1) of it."""
    off = 0.0
    for size in (16, 64, 80, 288):
        ring = Ring((1, 0), keys={"traffic.transaction": f"send{size}", "network.echoes": False})
        length = size // 2
        off = max(off, abs(ring.under("sci").throughput()[0] - length / (length + 1)))
    return Finding(off < 0.005, f"largest distance from L / (L + 1): {off:z.4f} words per cycle")


def _protocol(name: str, **options: object) -> dict[str, object]:
    """Returns the keys of a protocol, by their paths."""
    return {"flow_control.protocol": name, **{f"flow_control.{key}": value for key, value in options.items()}}


@checks("picker1994.c86")
def renumbering_renumbers_results(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before, without flow control and under SCI."""
    return renumbering(trials, [_protocol("none"), _protocol("sci"), _protocol("sci", extension="none")])


@checks("picker1994.c87")
def renumbering_renumbers_results_with_priorities(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under SCI with four priorities."""
    return renumbering(trials, [_protocol("sci", priorities=4)], priorities=4)


@checks("picker1994.c88")
def renumbering_renumbers_results_with_a_reserve(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under SCI with a reserve for low priorities."""
    return renumbering(trials, [_protocol("sci", priorities=2, reserve=0.1)], priorities=2)


@checks("picker1994.c90")
def renumbering_renumbers_results_with_groups(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before with groups by maximal conflict."""
    return renumbering(trials, [_protocol("grouped", groups=2, assignment="maximal-conflict")])


@checks("picker1994.c91")
def results_do_not_depend_on_the_link_rate(trials: Trials) -> Finding:
    """Throughput in words per cycle is the same at any link rate."""
    largest = 0.0
    for _ in range(trials.count(6)):
        drawn = draw_ring(trials.rng)
        for protocol in ("none", "sci", "grouped", "dfc", "metaring"):
            ring = drawn.under(protocol)
            found = [
                ring.with_keys({"network.link_rate": rate}).throughput() for rate in ("250 MB/s", "1 GB/s", "2 GB/s")
            ]
            largest = max(largest, float(np.ptp(found, axis=0).max()))
    return Finding(largest == 0, f"largest difference {largest:g}")


@checks("picker1994.c92")
def an_idle_node_is_a_longer_link(trials: Trials) -> Finding:
    """A node that neither sends nor receives changes nothing but the length of a link."""
    changed, number, most = 0, 0, 0.0
    for _ in range(trials.count(8)):
        ring = draw_ring(trials.rng, nodes=(3, 7), hop_delays=(2, 8))
        delay = int(str(ring.keys["network.hop_delay"]))
        place = int(trials.rng.integers(1, ring.nodes + 1))
        moved = [d + (d >= place) for d in ring.destinations]
        moved.insert(place, (place + 1) % (ring.nodes + 1))
        delays = [delay] * ring.nodes
        delays[place - 1 : place] = [delay - 1, 1]
        longer = Ring(tuple(moved), frozenset({place}), None, {**ring.keys, "network.hop_delay": delays})
        same = Ring(ring.destinations, frozenset(), (1.0,) * ring.nodes, ring.keys)
        for protocol in ("none", "sci", "grouped", "dfc"):
            straight = same.under(protocol).throughput(cycles=60_000)
            beside = np.delete(longer.under(protocol).throughput(cycles=60_000), place)
            gap = float(np.abs(straight - beside).max())
            changed, number, most = changed + (gap > 0.02), number + 1, max(most, gap)
    return Finding(changed == 0, f"{changed} of {number} rings change by over .02; largest {most:z.3f}")
