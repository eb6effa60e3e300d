"""Tests of Section 4: what the study found."""

from itertools import pairwise

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.rings import Ring
from ringlet.papers.claims.todd2001.study import (
    REAL_TIME,
    STUDIED,
    as_text,
    by_priority,
    carried_MBps,
    hot_spot,
    latency_ns,
    study_ring,
)


@checks("todd2001.c69", "todd2001.c70")
def a_ring_carries_two_links_at_most(trials: Trials) -> Finding:
    """With uniform traffic no protocol carries more than two links' worth, nor 1.14 GB/s of data."""
    most, at = 0.0, ""
    for nodes in (4, 8, 16, 32):
        for protocol in STUDIED:
            carried = carried_MBps(study_ring(protocol, 2_000 / nodes, nodes=nodes, duration="0.2 ms"))
            if carried > most:
                most, at = carried, f"{protocol} on {nodes} nodes"
    return Finding(most < 1_143, f"at most {most:z.0f} of 1143 MB/s ({at})")


@checks("todd2001.c71")
def the_service_time_limits_a_receiver(trials: Trials) -> Finding:
    """With all traffic to one node nobody carries more than 64 bytes in a service time."""
    found = {protocol: carried_MBps(hot_spot(protocol, 1.0)) for protocol in STUDIED}
    shown = ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in found.items())
    return Finding(max(found.values()) <= 646, f"of 640 MB/s: {shown}")


@checks("todd2001.c72")
def longer_service_times_lower_throughput(trials: Trials) -> Finding:
    """At overload throughput does not rise, by over 2 %, with the service time."""
    times = ("0.02 us", "0.1 us", "0.5 us", "1.0 us", "2.0 us")
    shown, rises = [], 0
    for protocol, priorities in (("sci", 1), ("ppq", 1), ("ppq", 3), ("train", 3), ("dfc", 3)):
        found = [carried_MBps(study_ring(protocol, 150, service=service, priorities=priorities)) for service in times]
        rises += sum(later > 1.02 * before for before, later in pairwise(found))
        shown.append(f"{protocol} with {priorities}: {as_text(found)}")
    return Finding(rises == 0, f"MB/s at 0.02 to 2 us: {'; '.join(shown)}")


@checks("todd2001.c73")
def few_input_inversions_at_short_service_times(trials: Trials) -> Finding:
    """At 0.1 us below 1 % of the packets of the highest priority have an input inversion."""
    share = {p: float(by_priority(study_ring(p, 150, priorities=3), "input_inversion_share")[-1]) for p in REAL_TIME}
    return Finding(max(share.values()) < 0.01, ", ".join(f"{protocol} {part:z.4f}" for protocol, part in share.items()))


@checks("todd2001.c75")
def latency_at_low_load(trials: Trials) -> Finding:
    """At low load SCI, PPQ and DFC have the same latency within 5 %, and TRAIN over twice as much."""
    found = {protocol: latency_ns(study_ring(protocol, 3)) for protocol in STUDIED}
    near = [found[protocol] for protocol in ("sci", "ppq", "dfc")]
    holds = max(near) < 1.05 * min(near) and found["train"] > 2 * found["sci"]
    return Finding(holds, "ns: " + ", ".join(f"{protocol} {ns:z.0f}" for protocol, ns in found.items()))


@checks("todd2001.c76")
def long_service_times_make_protocols_alike(trials: Trials) -> Finding:
    """At 1 us SCI, TRAIN and DFC carry about the same, within 10 % of each other."""
    found = {
        protocol: carried_MBps(study_ring(protocol, 100, service="1.0 us")) for protocol in ("sci", "train", "dfc")
    }
    holds = min(found.values()) > 0.9 * max(found.values())
    return Finding(holds, "MB/s: " + ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in found.items()))


@checks("todd2001.c77")
def throughput_of_ppq_falls_quickly_at_long_service_times(trials: Trials) -> Finding:
    """At 1 us PPQ's throughput falls below .7 of its peak as load rises."""
    found = [carried_MBps(study_ring("ppq", load, service="1.0 us")) for load in (30, 50, 75, 100, 150, 300)]
    return Finding(found[-1] < 0.7 * max(found), f"MB/s at 30 to 300 MB/s: {as_text(found)}")


@checks("todd2001.c78")
def busy_retries_keep_others_from_sending(trials: Trials) -> Finding:
    """Under PPQ retries to a node with a long service time lower what other nodes carry among themselves."""
    keys = {"traffic.transaction": "send80", "queues.receive": 2}
    found = []
    for service in (0, 1_000):
        ring = Ring((4, 4, 4, 5, 0, 0, 0, 5), loads=(0.5, 0.5, 0.5, 0.4, 0, 0, 0, 0.4), keys=keys)
        ring = ring.with_keys({"queues.service_time": [0, 0, 0, 0, service, 0, 0, 0]}).under("ppq")
        retries = ring.result(cycles=60_000).nodes["retries"].sum()
        found.append((float(ring.throughput(cycles=60_000)[[3, 7]].sum()), int(retries)))
    shown = " and ".join(f"{carried:z.3f} with {retries} retries" for carried, retries in found)
    return Finding(found[1][1] > found[0][1], f"others carry {shown}, short and long service times")


@checks("todd2001.c79")
def latency_of_train_is_the_highest(trials: Trials) -> Finding:
    """TRAIN's mean latency is the highest at every load below saturation."""
    shown, holds = [], True
    for service, loads in (("0.1 us", (5, 30, 60)), ("1.0 us", (5, 20))):
        for load in loads:
            found = {protocol: latency_ns(study_ring(protocol, load, service=service)) for protocol in STUDIED}
            holds = holds and found["train"] == max(found.values())
            shown.append(f"{found['train']:z.0f} for {max(found[p] for p in ('sci', 'ppq', 'dfc')):z.0f}")
    return Finding(holds, "ns, TRAIN for the next: " + ", ".join(shown))


@checks("todd2001.c82")
def latency_at_low_load_does_not_hang_on_priority(trials: Trials) -> Finding:
    """At low load the latencies of all priorities are within 3 %."""
    shown, spread = [], 0.0
    for protocol in REAL_TIME:
        found = by_priority(study_ring(protocol, 5, priorities=3, duration="4 ms"), "latency_mean_ns")
        spread = max(spread, float(np.ptp(found) / found.min()))
        shown.append(f"{protocol} {as_text(found.tolist())}")
    return Finding(spread < 0.03, "ns: " + ", ".join(shown))


@checks("todd2001.c83")
def latency_of_ppq_is_somewhat_above_that_of_dfc(trials: Trials) -> Finding:
    """At low load PPQ's latency is above DFC's."""
    loads = (1, 5, 20, 40)
    found = [
        (latency_ns(study_ring("ppq", load, duration="2 ms")), latency_ns(study_ring("dfc", load, duration="2 ms")))
        for load in loads
    ]
    shown = ", ".join(f"{ppq:z.1f} for {dfc:z.1f}" for ppq, dfc in found)
    return Finding(all(ppq > dfc for ppq, dfc in found), f"ns at 1, 5, 20, 40 MB/s: {shown}")


@checks("todd2001.c84")
def latency_of_a_class_rises_when_it_is_denied(trials: Trials) -> Finding:
    """A class's latency is below 3 times that at light load while the ring carries all of its offer."""
    wrong, number = [], 0
    for protocol in REAL_TIME:
        light = by_priority(study_ring(protocol, 5, priorities=3), "latency_mean_ns")
        for load in (20, 40, 60, 80, 100, 150):
            result = study_ring(protocol, load, priorities=3)
            carried = by_priority(result, "throughput_MBps") / by_priority(result, "offered_MBps")
            ratio = by_priority(result, "latency_mean_ns") / light
            number += 3
            late = (carried > 0.99) & (ratio > 3)
            wrong += [f"{protocol} class {place} at {load}: {ratio[place]:z.1f}" for place in np.flatnonzero(late)]
    return Finding(not wrong, f"{len(wrong)} of {number} points late" + "".join(f"; {each}" for each in wrong[:4]))


@checks("todd2001.c89")
def of_128_priorities_lower_ones_roll_off_first(trials: Trials) -> Finding:
    """Each quarter of 128 priorities carries at least the share of its offer that the next lower quarter does."""
    wrong, shown = 0, []
    for protocol in REAL_TIME:
        for load in (100, 150):
            result = study_ring(protocol, load, priorities=128, duration="1 ms")
            offered, carried = (by_priority(result, f"{what}_MBps") for what in ("offered", "throughput"))
            quarters = carried.reshape(4, 32).sum(axis=1) / offered.reshape(4, 32).sum(axis=1)
            wrong += int((np.diff(quarters) < -0.03).sum())
            shown.append(f"{protocol} at {load}: " + " ".join(f"{part:z.2f}" for part in quarters))
    return Finding(wrong == 0, "carried of offered, lowest quarter first: " + "; ".join(shown))


@checks("todd2001.c94")
def train_wastes_tickets_on_the_busy_node(trials: Trials) -> Finding:
    """At a hot spot of half of the traffic TRAIN carries less to all other nodes than DFC."""
    to_others = {}
    for protocol in ("train", "dfc"):
        result = hot_spot(protocol, 0.5)
        # What the hot node sends goes to the others alone; of what others send, half is for it.
        hot = float(result.nodes["throughput_MBps"].iloc[1:].sum()) / 2
        to_others[protocol] = carried_MBps(result) - hot
    return Finding(
        to_others["train"] < to_others["dfc"], ", ".join(f"{p} {mbps:z.0f} MB/s" for p, mbps in to_others.items())
    )


@checks("todd2001.c85")
def lower_classes_lose_bandwidth_first(trials: Trials) -> Finding:
    """At every load a higher class carries at least the share of its offer that a lower one does, in %."""
    wrong, number = [], 0
    for protocol in REAL_TIME:
        for service in ("0.1 us", "1.0 us"):
            for load in (20, 60, 120, 200):
                result = study_ring(protocol, load, priorities=3, service=service)
                # What classes offer differs by chance, so that shares of it are compared.
                found = by_priority(result, "throughput_MBps") / by_priority(result, "offered_MBps") * 100
                number += 1
                if not found[2] >= found[1] - 3 >= found[0] - 6:
                    wrong.append(f"{protocol} at {load} MB/s, {service}: {as_text(found.tolist())}")
    return Finding(
        not wrong, f"order violated at {len(wrong)} of {number} points" + "".join(f"; {w}" for w in wrong[:3])
    )


@checks("todd2001.c87")
def dfc_lets_more_low_traffic_through(trials: Trials) -> Finding:
    """At overload the lower two classes carry more under DFC than under PPQ and TRAIN."""
    shown, holds = [], True
    for load in (100, 150):
        low = {p: float(by_priority(study_ring(p, load, priorities=3), "throughput_MBps")[:2].sum()) for p in REAL_TIME}
        holds = holds and low["dfc"] >= max(low.values())
        shown.append(f"at {load}: " + ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in low.items()))
    return Finding(holds, "MB/s of the lower two classes " + "; ".join(shown))


@checks("todd2001.c88")
def latency_of_train_is_nearly_twice_that_of_dfc(trials: Trials) -> Finding:
    """At 1 us below saturation TRAIN's latency is nearly twice DFC's: a ratio of 1.5 to 2.5."""
    ratios = [
        latency_ns(study_ring("train", load, service="1.0 us", priorities=3))
        / latency_ns(study_ring("dfc", load, service="1.0 us", priorities=3))
        for load in (5, 10, 20)
    ]
    shown = " ".join(f"{ratio:z.2f}" for ratio in ratios)
    return Finding(all(1.5 <= ratio <= 2.5 for ratio in ratios), f"ratios at 5, 10, 20 MB/s: {shown}")


@checks("todd2001.c90")
def ppq_and_train_are_alike_at_a_hot_spot(trials: Trials) -> Finding:
    """At a hot spot PPQ and TRAIN carry the same within 15 %."""
    pairs = [(carried_MBps(hot_spot("ppq", f)), carried_MBps(hot_spot("train", f))) for f in (0.5, 0.75, 1.0)]
    shown = ", ".join(f"{ppq:z.0f} and {train:z.0f}" for ppq, train in pairs)
    return Finding(all(abs(ppq / train - 1) < 0.15 for ppq, train in pairs), f"MB/s at 50, 75, 100 %: {shown}")


@checks("todd2001.c91")
def dfc_carries_half_more_at_a_hot_spot(trials: Trials) -> Finding:
    """At a hot spot DFC carries 1.5 times what PPQ and TRAIN do."""
    shown, least = [], np.inf
    for fraction in (0.5, 0.75, 1.0):
        found = {protocol: carried_MBps(hot_spot(protocol, fraction)) for protocol in REAL_TIME}
        least = min(least, found["dfc"] / max(found["ppq"], found["train"]))
        shown.append(" ".join(f"{found[protocol]:z.0f}" for protocol in REAL_TIME))
    return Finding(least >= 1.5, f"MB/s of PPQ, TRAIN, DFC at 50, 75, 100 %: {'; '.join(shown)}")


@checks("todd2001.c93")
def a_receiver_is_used_whole_under_dfc(trials: Trials) -> Finding:
    """With all traffic to one node DFC reaches over 85 % of its limit, TRAIN and PPQ about half."""
    found = {protocol: carried_MBps(hot_spot(protocol, 1.0)) / 640 for protocol in REAL_TIME}
    holds = found["dfc"] > 0.85 and all(0.4 < found[protocol] < 0.65 for protocol in ("ppq", "train"))
    return Finding(holds, "of the limit: " + ", ".join(f"{protocol} {part:z.2f}" for protocol, part in found.items()))
