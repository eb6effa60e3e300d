"""Tests of the abstract and of Section 1: rings, packets, fairness, and the example."""

import numpy as np

from ringlet.analysis import optimal_throughput
from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.rings import (
    EXAMPLE,
    PROTOCOLS,
    TRIO,
    least_over_greatest,
    matrix_of,
    ratio_finding,
)
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring, words
from ringlet.scenario import Scenario
from ringlet.simulation import run
from ringlet.trace.recording import ACCEPTED, ACKNOWLEDGED, REFUSED, RETURNED


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
    return ratio_finding(rings, least_over_greatest, 0.9, "least over greatest")


@checks("picker1994.c02")
def sci_is_equal_where_all_send(trials: Trials) -> Finding:
    """SCI gives each node the same where all always send packets of one size."""
    rings = [draw_ring(trials.rng, nodes=(4, 16), hop_delays=(1, 11)) for _ in range(trials.count(60))]
    return ratio_finding([ring.under("sci") for ring in rings], least_over_greatest, 0.95, "ratio")


@checks("picker1994.c03")
def sci_starves_nobody(trials: Trials) -> Finding:
    """SCI keeps no node that wants to send from it for ever."""
    rings = [
        draw_ring(trials.rng, silent=int(trials.rng.integers(0, 4))).under("sci") for _ in range(trials.count(150))
    ]
    return ratio_finding(rings, lambda ring: float(ring.throughput()[ring.senders].min()), 0.01, "throughput")


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
    found = optimal_throughput(matrix_of(EXAMPLE.destinations), mean_send_symbols=40)
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
        matrix = matrix_of(ring.destinations)
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
    """A node alone on its ring carries L / (L + 1) if saturated, and what it offers below that, with one place, too."""
    off = 0.0
    for size in (16, 64, 80, 288):
        ring = Ring((1, 0), keys={"traffic.transaction": f"send{size}", "network.echoes": False})
        length = size // 2
        off = max(off, abs(ring.under("sci").throughput()[0] - length / (length + 1)))
    least, at = 1.0, ""
    for places in (1, 2):
        for delay in (1, 3, 8, 34):
            keys = {
                "traffic.transaction": "send80",
                "traffic.arrivals": "periodic",
                "network.hop_delay": delay,
                "queues.transmit": places,
            }
            ring = Ring((2, 3, 0, 1), loads=(0.9, 0.0, 0.0, 0.0), keys=keys)
            part = float(ring.under("sci").throughput()[0] / ring.under("none").throughput()[0])
            if part < least:
                least, at = part, f" with {places} place{'s'[: places - 1]} and a hop delay of {delay}"
    return Finding(
        off < 0.005 and least > 0.95,
        f"largest distance from L / (L + 1): {off:z.4f} words per cycle; of an offered load of .9 at least "
        f"{least:z.2f} of what goes without flow control{at}",
    )
