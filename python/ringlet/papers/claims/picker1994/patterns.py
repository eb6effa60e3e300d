"""Tests of Sections 5.3 and 5.4: fan-in, and the patterns of four nodes."""

import numpy as np

from ringlet.analysis import optimal_throughput
from ringlet.analysis.deviation import adjusted_deviation
from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.rings import PROTOCOLS, deviation_percent, matrix_of
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, all_patterns, draw_ring
from ringlet.papers.picker1994.patterns import pattern_classes


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
            optimum = optimal_throughput(matrix_of(ring.destinations), mean_send_symbols=40)
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
        fan_in = max(float(deviation_percent(_fan_in(nodes, senders, "sci")).mean()) for senders in range(2, nodes - 1))
        drawn = [
            draw_ring(trials.rng, nodes=(nodes, nodes), sizes=(80,), hop_delays=(1, 1)) for _ in range(trials.count(60))
        ]
        random = max(float(deviation_percent(ring.under("sci")).mean()) for ring in drawn)
        holds = holds and random <= fan_in
        shown.append(
            f"{nodes} nodes: {fan_in:z.1f} % against {random:z.1f} % at most over {len(drawn)} random patterns"
        )
    return Finding(holds, "; ".join(shown))


@checks("picker1994.c57")
def grouped_gains_most_at_a_fan_in_of_the_root_of_n(trials: Trials) -> Finding:
    """Without echoes, as in the sentence on SCI, the enhanced protocol gains most where the square root of N nodes send
    to one."""
    shown, holds = [], True
    for nodes in (4, 8, 16):
        gains = {}
        for senders in range(2, nodes - 1):
            rings = [_fan_in(nodes, senders, protocol, **{"network.echoes": False}) for protocol in ("sci", "grouped")]
            optimum = optimal_throughput(matrix_of(rings[0].destinations), mean_send_symbols=40)
            sci, grouped = (float(adjusted_deviation(ring.throughput(), optimum).mean()) for ring in rings)
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
            float(
                deviation_percent(_fan_in(nodes, round(nodes**0.5), "grouped", **{"network.hop_delay": delay})).mean()
            )
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
        nodes: [float(deviation_percent(_fan_in(nodes, round(nodes**0.5), p)).max()) for p in ("grouped", "sci")]
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
        sci, grouped = (float(deviation_percent(ring.under(protocol)).mean()) for protocol in ("sci", "grouped"))
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


@checks("picker1994.c81")
def grouped_is_not_worse_where_sci_is_optimal(trials: Trials) -> Finding:
    """The enhanced protocol is within 3 % of the optimum where SCI is within 1 %."""
    found = _class_deviations("send80")
    optimal = {name: grouped for name, (_, sci, grouped) in found.items() if sci < 1}
    worse = {name: value for name, value in optimal.items() if value > 3}
    return Finding(
        not worse, f"{len(worse)} of {len(optimal)} classes: {', '.join(f'{n} {v:z.1f}' for n, v in worse.items())}"
    )
