"""Tests of Section 5, and of the laws of every ring."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.rings import Ring, draw_ring, renumbering
from ringlet.papers.claims.todd2001.study import carried_MBps, latency_ns, study_ring


@checks("todd2001.c95")
def a_gearshift_makes_train_sci_at_low_load(trials: Trials) -> Finding:
    """At low load TRAIN with the gearshift has SCI's throughput, and its latency within 2 %."""
    apart, number, worst = 0, trials.count(20), 0.0
    for _ in range(number):
        drawn = draw_ring(trials.rng)
        ring = Ring(drawn.destinations, loads=(0.02,) * drawn.nodes, keys=drawn.keys)
        shifted, sci = ring.under("train", mode="gearshift").result(), ring.under("sci").result()
        gap = abs(latency_ns(shifted) / latency_ns(sci) - 1)
        apart, worst = apart + (gap > 0.02), max(worst, gap)
    return Finding(apart == 0, f"latency apart on {apart} of {number} rings, {worst:z.1%} at most")


@checks("todd2001.c96")
def limited_retries_improve_ppq(trials: Trials) -> Finding:
    """At high load PPQ with an exponential retry delay of 0.5 us carries at least what it does without."""
    shown, holds = [], True
    delayed = {"retry.strategy": "exponential", "retry.delay": "0.5 us"}
    for load in (100, 150, 200):
        plain = carried_MBps(study_ring("ppq", load, priorities=3))
        limited = carried_MBps(study_ring("ppq", load, priorities=3, keys=delayed))
        holds = holds and limited >= 0.99 * plain
        shown.append(f"{limited:z.0f} for {plain:z.0f}")
    return Finding(holds, "MB/s at 100, 150, 200 MB/s: " + ", ".join(shown))


@checks("todd2001.c97")
def base_nodes_live_beside_ppq(trials: Trials) -> Finding:
    """Rings of PPQ and base nodes never stand still and starve nobody."""
    stalled = starved = number = 0
    for base in (1, 2, 4, 7):
        for load in (60, 100, 130):
            result = study_ring("ppq", load, base_nodes=list(range(base)))
            found = result.nodes["throughput_MBps"].to_numpy()
            stalled += result.stall is not None
            starved += bool((found < 0.1 * found.max()).any())
            number += 1
    return Finding(stalled == 0 and starved == 0, f"{stalled} of {number} runs stand still, {starved} starve a node")


@checks("todd2001.c100")
def renumbering_renumbers_ppq(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under PPQ."""
    ppq = {"flow_control.protocol": "ppq"}
    return renumbering(trials, [ppq, {**ppq, "flow_control.inheritance": True}], priorities=3)


@checks("todd2001.c101")
def renumbering_renumbers_train(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under TRAIN when its TicketMaster is renumbered, too."""
    largest, at, number = 0.0, "", 0
    for _ in range(trials.count(8)):
        drawn = draw_ring(trials.rng, nodes=(3, 8))
        by, master = int(trials.rng.integers(1, drawn.nodes)), int(trials.rng.integers(drawn.nodes))
        for mode in ("arbitrated", "switching", "gearshift"):
            straight = drawn.under("train", mode=mode, ticket_master=master)
            turned = drawn.turned(by).under("train", mode=mode, ticket_master=(master + by) % drawn.nodes)
            found = [ring.throughput(cycles=60_000) for ring in (straight, turned)]
            gap, number = float(np.abs(np.roll(found[0], by) - found[1]).max()), number + 1
            if gap > largest:
                largest, at = gap, f" on {straight}, turned by {by}"
    return Finding(largest < 0.005, f"{number} rings, largest difference {largest:z.4f} words per cycle{at}")


@checks("todd2001.c102")
def the_place_of_the_ticket_master_decides_nothing(trials: Trials) -> Finding:
    """With the TicketMaster at another node every node of a ring gets the same, within .02."""
    largest, at, number, least = 0.0, "", trials.count(12), 1.0
    for _ in range(number):
        ring = draw_ring(trials.rng, nodes=(3, 8))
        found = [ring.under("train", ticket_master=master).throughput(cycles=60_000) for master in (0, ring.nodes // 2)]
        shares = [each / each.sum() for each in found]
        least = min(least, float((shares[0] / shares[1]).min()))
        gap = float(np.abs(found[0] - found[1]).max())
        if gap > largest:
            largest, at = gap, f" on {ring}"
    return Finding(
        largest < 0.02,
        f"{number} rings, largest difference {largest:z.3f} words per cycle{at}; a node's part of all at one place is "
        f"at least {least:z.3f} of that at the other",
    )


@checks("todd2001.c103")
def renumbering_renumbers_dfc(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under DFC."""
    dfc = {"flow_control.protocol": "dfc"}
    return renumbering(trials, [dfc, {**dfc, "flow_control.fair": True}], priorities=3)
