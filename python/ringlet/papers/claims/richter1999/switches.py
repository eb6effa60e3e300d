"""Tests of Sections 6.5 to 6.7: switches and networks of them."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.richter1999.systems import (
    EIGHT,
    FIRST_GRADE,
    FOUR_RINGS,
    LONG_RINGS,
    OMEGA_RINGLETS,
    RINGLETS,
    SECOND_GRADE,
    as_text,
    at_load,
    carried_MBps,
    latency_ns,
    load_scenario,
    run_file,
)
from ringlet.rings import survey
from ringlet.scenario import Scenario
from ringlet.simulation import run


@checks("richter1999.c20")
def separate_buffers_prevent_deadlocks(trials: Trials) -> Finding:
    """With separate buffers for requests and responses small tori and rings of rings go on under overload."""
    stalled, number = 0, trials.count(12)
    for seed in range(1, number + 1):
        content = {
            "network": {"topology": "torus", "shape": [3, 3]},
            "switch": {"receive": 1 + seed % 3, "transmit": 1 + seed % 2},
            "traffic": {"transaction": "read64", "arrivals": "poisson", "load": "200 MB/s"},
            "run": {"duration": "0.3 ms", "warmup": 0, "stall_after": "20 us", "seed": seed},
        }
        stalled += run(Scenario.from_dict(content)).stall is not None
    return Finding(stalled == 0, f"{stalled} of {number} runs of a 3 x 3 torus stall")


@checks("richter1999.c23", "richter1999.c24")
def four_ports_share_the_b_link(trials: Trials) -> Finding:
    """With both pairs in full duplex each port gets 150 MB/s of the B-Link's 600, within 6 %, and all the same."""
    found = run_file("duplex.toml").nodes["throughput_MBps"].to_numpy(dtype=np.float64) * 84 / 64
    holds = float(np.abs(found / 150 - 1).max()) < 0.06 and found.min() > 0.95 * found.max()
    return Finding(bool(holds), f"gross MB/s: {as_text(found)}")


@checks("richter1999.c25")
def a_switch_with_ringlets_carries_what_its_b_link_does(trials: Trials) -> Finding:
    """A switch with ringlets carries min(2t, B) in bytes of the B-Link, within 5 %."""
    shown, off = [], 0.0
    for rate in (100, 200, 300, 600):
        result = at_load(RINGLETS, 400, f"switch.rate={rate} MB/s", "switch.set_up=0 ns")
        found = carried_MBps(result) * 88 / 64
        due = min(2 * 400 * 88 / 84, rate)
        off = max(off, abs(found / due - 1))
        shown.append(f"{found:z.0f} of {due:z.0f}")
    return Finding(off < 0.05, f"MB/s of the B-Link at 100, 200, 300, 600: {', '.join(shown)}")


@checks("richter1999.c26", "richter1999.c54")
def long_rings_gain_from_locality(trials: Trials) -> Finding:
    """At overload long rings carry more than ringlets as soon as some data stay on their ring."""
    ringlets = carried_MBps(at_load(RINGLETS, 300))
    found = [carried_MBps(at_load(LONG_RINGS, 300, f"traffic.locality={part}")) for part in (0.1, 0.3, 0.5, 1.0)]
    return Finding(min(found) > ringlets, f"MB/s at locality .1 .3 .5 1: {as_text(found)}; ringlets {ringlets:z.0f}")


@checks("richter1999.c28")
def long_rings_need_half_of_rings_and_ports(trials: Trials) -> Finding:
    """Long rings need half of the rings and half of the switch ports that ringlets need for as many nodes."""
    counts = []
    for file in (RINGLETS, LONG_RINGS):
        found = survey(*load_scenario(file).routed_network)
        counts.append((found.cost.rings, found.cost.ports))
    holds = counts[0][0] == 2 * counts[1][0] and counts[0][1] == 2 * counts[1][1]
    return Finding(holds, f"rings and ports: ringlets {counts[0]}, long rings {counts[1]}")


@checks("richter1999.c29", "richter1999.c62")
def the_gain_grows_with_the_ports(trials: Trials) -> Finding:
    """At locality 1 the throughput of long rings grows in proportion to the ports of the switch."""
    two, four = (carried_MBps(at_load(file, 450)) for file in (LONG_RINGS, FOUR_RINGS))
    return Finding(abs(four / two / 2 - 1) < 0.1, f"two ports {two:z.0f}, four ports {four:z.0f} MB/s")


@checks("richter1999.c30")
def twice_the_processors_lose_nothing(trials: Trials) -> Finding:
    """Twice the processors on the same switch by long rings have the same throughput and latency for each."""
    off = 0.0
    for load in (100, 250, 350):
        two, four = (at_load(file, load) for file in (LONG_RINGS, FOUR_RINGS))
        off = max(off, abs(carried_MBps(four) / carried_MBps(two) / 2 - 1), abs(latency_ns(four) / latency_ns(two) - 1))
    return Finding(off < 0.02, f"largest difference {off:z.1%} at 100, 250, 350 MB/s")


@checks("richter1999.c31")
def four_times_the_devices_halve_the_rate(trials: Trials) -> Finding:
    """With twice as many processors on each ring the largest rate of each is about half."""
    eight, four = carried_MBps(at_load(EIGHT, 200)) / 8, carried_MBps(at_load(FOUR_RINGS, 450)) / 4
    return Finding(abs(eight / four - 0.5) < 0.1, f"{eight:z.0f} for {four:z.0f} MB/s of each processor")


TOPOLOGIES = ("omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly")


@checks("richter1999.c36", "richter1999.c37")
def latency_grows_by_a_constant_for_each_stage(trials: Trials) -> Finding:
    """The least latency of ringlets and of long rings grows by a constant for each stage of an Omega network."""
    shown, holds = [], True
    for name, connection in (("ringlets", "ringlet"), ("long rings", "long-ring")):
        found = []
        for size in (4, 8, 16):
            changed = (f"network.size={size}", f"network.connection={connection}", "traffic.load=10 MB/s")
            found.append(latency_ns(run_file(FIRST_GRADE, *changed), "min"))
        steps = np.diff(found)
        holds = holds and bool(abs(steps[1] / steps[0] - 1) < 0.02)
        shown.append(f"{name} {as_text(found)}")
    return Finding(holds, "ns for 4, 8, 16: " + "; ".join(shown))


@checks("richter1999.c38")
def latency_falls_by_two_orders_with_long_rings(trials: Trials) -> Finding:
    """Time through a stage falls by two orders of magnitude with long rings."""
    steps = {}
    for connection in ("ringlet", "long-ring"):
        found = [
            latency_ns(
                run_file(FIRST_GRADE, f"network.size={n}", f"network.connection={connection}", "traffic.load=10 MB/s"),
                "min",
            )
            for n in (8, 16)
        ]
        steps[connection] = found[1] - found[0]
    ratio = steps["ringlet"] / steps["long-ring"]
    return Finding(
        ratio > 50, f"{steps['ringlet']:z.0f} for {steps['long-ring']:z.0f} ns of each stage: {ratio:z.1f} times"
    )


@checks("richter1999.c41")
def a_larger_radix_has_fewer_stages(trials: Trials) -> Finding:
    """With radix 4 in place of 2 the least latency of 16 x 16 long rings falls by the two stages fewer."""
    first, second = (latency_ns(at_load(file, 10), "min") for file in (FIRST_GRADE, SECOND_GRADE))
    smaller = latency_ns(run_file(FIRST_GRADE, "network.size=4", "traffic.load=10 MB/s"), "min")
    return Finding(
        second < first and abs(second - smaller) < 0.1 * first,
        f"{first:z.0f} to {second:z.0f} ns; 4 x 4 {smaller:z.0f}",
    )


@checks("richter1999.c32")
def a_banyan_has_one_way_for_each_pair(trials: Trials) -> Finding:
    """Each pair of a processor and a memory of a Banyan network is joined by one way of log2 N switches."""
    wrong, number = 0, 0
    for topology in TOPOLOGIES:
        for size in (4, 8, 16):
            keys = (f"network.topology={topology}", f"network.size={size}", "network.connection=ringlet")
            network, routes = load_scenario(FIRST_GRADE, *keys).routed_network
            found = survey(network, routes)
            number += 1
            # Ways of one length for every pair, as many pairs as there are.
            wrong += found.lengths.pairs != size * size or max(found.lengths.crossings) == 0
            wrong += len({hops for hops, pairs in enumerate(found.lengths.crossings) if pairs}) != 1
    return Finding(wrong == 0, f"{wrong} of {number} networks with pairs whose ways differ in length")


@checks("richter1999.c34")
def a_banyan_blocks(trials: Trials) -> Finding:
    """Some permutations carry less than others on an Omega network at saturation: flows meet at a link."""
    found = []
    for _ in range(trials.count(6)):
        permutation = trials.rng.permutation(8)
        matrix = np.zeros((8, 16))
        matrix[np.arange(8), 8 + permutation] = 1
        content = {
            "network": {"topology": "omega", "size": 8},
            "traffic": {"transaction": "dmove64", "pattern": "matrix", "matrix": matrix.tolist()},
            "run": {"duration": "0.2 ms", "warmup": "0.05 ms"},
        }
        found.append(carried_MBps(run(Scenario.from_dict(content))))
    return Finding(
        min(found) < 0.95 * max(found), f"{min(found):z.0f} to {max(found):z.0f} MB/s, {len(found)} permutations"
    )


@checks("richter1999.c42")
def a_larger_radix_needs_fewer_ports(trials: Trials) -> Finding:
    """A 16 x 16 network of radix 2, 4 and 16 has 128, 64 and 32 ports with ringlets."""
    found = [
        survey(*load_scenario(OMEGA_RINGLETS, f"network.radix={radix}").routed_network).cost.ports
        for radix in (2, 4, 16)
    ]
    return Finding(found == [128, 64, 32], f"ports with radix 2, 4, 16: {as_text(found)}")
