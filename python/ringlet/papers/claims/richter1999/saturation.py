"""Tests of Sections 6.8 and 6.9: throughput, loss and latency of the systems."""

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
)


@checks("richter1999.c43")
def nothing_is_lost_below_saturation(trials: Trials) -> Finding:
    """No packet is lost while transmit buffers have room: none at a third of the load at which losses begin."""
    lost = {}
    for file, load in ((RINGLETS, 60), (LONG_RINGS, 200), (FOUR_RINGS, 200), (EIGHT, 100), (FIRST_GRADE, 200)):
        lost[file] = int(at_load(file, load).nodes["lost_packets"].sum())
    return Finding(not any(lost.values()), f"{sum(lost.values())} lost in {len(lost)} networks")


@checks("richter1999.c44")
def what_is_offered_is_carried_or_lost(trials: Trials) -> Finding:
    """Offered load is throughput and loss, within the packets under way."""
    most = 0.0
    for _ in range(trials.count(10)):
        load, locality = float(trials.rng.uniform(20, 450)), float(trials.rng.uniform(0, 1))
        nodes = at_load(LONG_RINGS, round(load), f"traffic.locality={locality:z.2f}").nodes
        gap = nodes["offered_MBps"].sum() - nodes["throughput_MBps"].sum() - nodes["lost_MBps"].sum()
        most = max(most, abs(float(gap)))
    return Finding(most < 8, f"largest difference {most:z.2f} MB/s")


@checks("richter1999.c46")
def throughput_stays_at_its_maximum(trials: Trials) -> Finding:
    """Above saturation throughput does not fall by over 2 %."""
    shown, worst = [], 0.0
    for file, loads in ((RINGLETS, (120, 200, 300)), (LONG_RINGS, (400, 450, 500)), (FIRST_GRADE, (400, 450, 500))):
        found = [carried_MBps(at_load(file, load)) for load in loads]
        worst = max(worst, 1 - found[-1] / max(found))
        shown.append(as_text(found))
    return Finding(worst < 0.02, f"MB/s over load: {'; '.join(shown)}")


@checks("richter1999.c47")
def deterministic_traffic_has_a_fixed_latency(trials: Trials) -> Finding:
    """Below saturation the latency of each processor's periodic packets is fixed."""
    spread = 0.0
    for file, load in ((RINGLETS, 60), (LONG_RINGS, 200), (FOUR_RINGS, 200)):
        nodes = at_load(file, load).nodes
        spread = max(spread, float((nodes["latency_max_ns"] - nodes["latency_min_ns"]).max()))
    return Finding(spread == 0, f"largest less least {spread:z.0f} ns")


@checks("richter1999.c48")
def latency_saturates_no_later_than_throughput(trials: Trials) -> Finding:
    """Over load, latency exceeds 1.5 times that at light load no later than losses begin."""
    late = []
    for file, loads in (
        (RINGLETS, range(90, 160, 5)),
        (LONG_RINGS, range(300, 480, 20)),
        (SECOND_GRADE, range(300, 480, 20)),
    ):
        light = latency_ns(at_load(file, 50), "max")
        slow = next((load for load in loads if latency_ns(at_load(file, load), "max") > 1.5 * light), np.inf)
        loses = next((load for load in loads if at_load(file, load).nodes["lost_packets"].sum() > 0), np.inf)
        late.append((slow, loses))
    shown = ", ".join(f"{slow:z.0f} and {loses:z.0f}" for slow, loses in late)
    return Finding(all(slow <= loses for slow, loses in late), f"MB/s at which latency and losses rise: {shown}")


@checks("richter1999.c55")
def without_locality_both_are_identical(trials: Trials) -> Finding:
    """With all traffic over the switch ringlets and long rings have the same throughput and losses."""
    off = 0.0
    for load in (20, 60, 100, 200, 400):
        ringlets, long = (at_load(file, load, "traffic.locality=0") for file in (RINGLETS, LONG_RINGS))
        off = max(off, abs(carried_MBps(long) / carried_MBps(ringlets) - 1))
    return Finding(off < 0.02, f"largest difference of throughput {off:z.1%}, 20 to 400 MB/s")


@checks("richter1999.c60")
def results_extend_to_larger_networks(trials: Trials) -> Finding:
    """The gain of first-grade networks over ringlets at 32 x 32 is that at 16 x 16 within 20 %."""
    gains = []
    for size in (16, 32):
        found = [
            carried_MBps(at_load(file, load, f"network.size={size}"))
            for file, load in ((FIRST_GRADE, 450), (OMEGA_RINGLETS, 200))
        ]
        gains.append(found[0] / found[1])
    return Finding(abs(gains[1] / gains[0] - 1) < 0.2, f"{gains[0]:z.2f} and {gains[1]:z.2f} times")


@checks("richter1999.c49")
def latency_jumps_above_saturation(trials: Trials) -> Finding:
    """Above saturation the largest latency of long rings is over 50 times that at light load."""
    shown, least = [], np.inf
    for file in (LONG_RINGS, FOUR_RINGS, SECOND_GRADE):
        light, over = latency_ns(at_load(file, 50), "max"), latency_ns(at_load(file, 500), "max")
        least = min(least, over / light)
        shown.append(f"{over:z.0f} for {light:z.0f}")
    return Finding(bool(least > 50), f"ns: {', '.join(shown)}")


@checks("richter1999.c50")
def latency_varies_above_saturation(trials: Trials) -> Finding:
    """Above saturation the latency of periodic packets varies."""
    found = [
        (latency_ns(at_load(file, load), "min"), latency_ns(at_load(file, load), "max"))
        for file, load in ((RINGLETS, 200), (LONG_RINGS, 500))
    ]
    shown = ", ".join(f"{least:z.0f} to {most:z.0f} ns" for least, most in found)
    return Finding(all(least < most for least, most in found), shown)


@checks("richter1999.c52")
def four_long_rings_have_7_8_times_the_throughput(trials: Trials) -> Finding:
    """Four long rings have 7.8 times the throughput of ringlets on the same switch, within 5 %."""
    ratio = carried_MBps(at_load(FOUR_RINGS, 450)) / carried_MBps(at_load(RINGLETS, 250))
    return Finding(abs(ratio / 7.8 - 1) < 0.05, f"{ratio:z.2f} times")


@checks("richter1999.c53")
def they_lose_7_times_fewer_packets(trials: Trials) -> Finding:
    """At 500 MB/s long rings lose about 7 times fewer packets than ringlets."""
    lost = [float(at_load(file, 500).nodes["lost_MBps"].sum()) for file in (RINGLETS, LONG_RINGS)]
    return Finding(
        6 <= lost[0] / lost[1] <= 8, f"{lost[0]:z.0f} for {lost[1]:z.0f} MB/s: {lost[0] / lost[1]:z.1f} times"
    )


@checks("richter1999.c56")
def long_rings_are_never_worse_below_saturation(trials: Trials) -> Finding:
    """Below both limits the latency of long rings is at most that of ringlets, at any locality."""
    worse, number = 0, trials.count(8)
    for _ in range(number):
        locality, load = float(trials.rng.uniform(0, 1)), int(trials.rng.integers(10, 80))
        long = latency_ns(at_load(LONG_RINGS, load, f"traffic.locality={locality:z.2f}"))
        worse += long > latency_ns(at_load(RINGLETS, load)) * 1.005
    return Finding(worse == 0, f"worse in {worse} of {number}")


@checks("richter1999.c58")
def first_grade_networks_against_ringlets(trials: Trials) -> Finding:
    """First-grade 16 x 16 networks have 4 times the throughput and a quarter of the largest latency of ringlets."""
    carried = carried_MBps(at_load(FIRST_GRADE, 450)) / carried_MBps(at_load(OMEGA_RINGLETS, 200))
    latency = latency_ns(at_load(FIRST_GRADE, 50), "max") / latency_ns(at_load(OMEGA_RINGLETS, 50), "max")
    holds = abs(carried / 4 - 1) < 0.15 and abs(latency / 0.25 - 1) < 0.15
    return Finding(holds, f"{carried:z.2f} times the throughput, {latency:z.2f} of the latency")


@checks("richter1999.c59")
def second_grade_networks_against_first(trials: Trials) -> Finding:
    """Second-grade networks carry slightly more than first-grade ones, with a lower latency."""
    carried = [carried_MBps(at_load(file, 450)) for file in (SECOND_GRADE, FIRST_GRADE)]
    latency = [latency_ns(at_load(file, 50)) for file in (SECOND_GRADE, FIRST_GRADE)]
    holds = carried[0] > carried[1] and latency[0] < latency[1]
    return Finding(holds, f"{carried[0]:z.0f} for {carried[1]:z.0f} MB/s, {latency[0]:z.0f} for {latency[1]:z.0f} ns")


@checks("richter1999.c61")
def jumps_of_latency_are_alike(trials: Trials) -> Finding:
    """The latency of the 4-port switch and of the second-grade network jumps alike above saturation."""
    jumps = [
        latency_ns(at_load(file, 500), "max") / latency_ns(at_load(file, 50), "max")
        for file in (FOUR_RINGS, SECOND_GRADE)
    ]
    return Finding(0.5 < jumps[0] / jumps[1] < 2, f"{jumps[0]:z.1f} and {jumps[1]:z.1f} times")
