"""Tests of Section 2.2: PPQ."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring
from ringlet.papers.claims.todd2001.study import (
    as_text,
    by_priority,
    carried_MBps,
    latency_ns,
    starving_nodes,
    study_ring,
)
from ringlet.scenario import Scenario
from ringlet.simulation import run
from ringlet.trace.recording import ACKNOWLEDGED, DELIVERED


@checks("todd2001.c09")
def ppq_has_no_input_inversion(trials: Trials) -> Finding:
    """Under PPQ a packet of the highest priority waits for lower ones by one service and a few packets at most."""
    result = study_ring("ppq", 150, priorities=3, service="1.0 us")
    # No number where there was no inversion.
    longest = float(np.nan_to_num(by_priority(result, "input_inversion_max_ns")[-1]))
    return Finding(longest <= 1_300, f"longest input inversion {longest:z.0f} ns with services of 1000 ns")


@checks("todd2001.c10")
def no_preempted_packet_is_lost(trials: Trials) -> Finding:
    """Packets that PPQ preempts are sent again, and none is lost."""
    lost = preempted = left = 0
    for seed in range(1, 1 + trials.count(4)):
        result = study_ring("ppq", 60, priorities=3, service="1.0 us", seed=seed, duration="1 ms")
        lost += int(result.nodes["lost_packets"].sum())
        preempted += int(result.nodes["preempted_packets"].sum())
    for seed in range(1, 1 + trials.count(4)):
        result = study_ring("ppq", 20, priorities=3, service="0.5 us", seed=seed, duration="1 ms")
        offered, carried = (float(result.nodes[f"{what}_MBps"].sum()) for what in ("offered", "throughput"))
        left += carried < 0.97 * offered
    return Finding(lost == 0 and preempted > 0 and left == 0, f"{preempted} preempted, {lost} lost")


@checks("todd2001.c11")
def ppq_acknowledges_what_has_been_served(trials: Trials) -> Finding:
    """PPQ acknowledges a packet behind its service, never before."""
    early = number = 0
    for _ in range(trials.count(6)):
        drawn = draw_ring(trials.rng)
        # With one priority nothing can be preempted, and echoes are as early as SCI's.
        levels = trials.rng.integers(0, 3, drawn.nodes).tolist()
        slow = {"queues.receive": 3, "queues.service_time": 80, "queues.priorities": 4, "traffic.priority": levels}
        events = Recorded.of(drawn.with_keys(slow).under("ppq")).recording.tables["events"]
        delivered = events["fate"] == DELIVERED
        served = dict(zip(events["packet"][delivered].tolist(), events["cycle"][delivered].tolist(), strict=True))
        for packet, cycle in zip(
            events["packet"][events["fate"] == ACKNOWLEDGED].tolist(),
            events["cycle"][events["fate"] == ACKNOWLEDGED].tolist(),
            strict=True,
        ):
            if packet in served:
                number, early = number + 1, early + (cycle <= served[packet])
    return Finding(early == 0 and number > 0, f"{number} acknowledged, {early} before they were served")


def _top_beside_flood(trials: Trials, protocol: str, **options: object) -> Finding:
    """Returns whether the only node of the highest priority carries its load of .3 to .8 downstream of a flood."""
    short, worst, at, number = 0, 1.0, "", trials.count(40)
    for _ in range(number):
        senders = int(trials.rng.integers(2, 5))
        top = senders - 1
        load = float(trials.rng.uniform(0.3, 0.8))
        priorities = [int(each) for each in trials.rng.integers(0, 3, senders)] + [0]
        priorities[top] = 3
        keys = {"traffic.transaction": "send80", "traffic.priority": priorities, "queues.priorities": 4}
        loads = tuple(load if node == top else 0.5 if node < senders else 0.0 for node in range(senders + 1))
        ring = Ring((senders,) * senders + (0,), loads=loads, keys=keys).under(protocol, **options)
        part = ring.carried(top)
        short += part < 0.95
        if part < worst:
            worst, at = part, f" on {ring}"
    return Finding(short == 0, f"{short} of {number} rings carry less than 95 % of it; least {worst:z.2f}{at}")


@checks("todd2001.c12")
def ppq_preempts_where_it_needs_room(trials: Trials) -> Finding:
    """Under PPQ a high sender downstream of low flooders carries its load."""
    return _top_beside_flood(trials, "ppq")


@checks("todd2001.c13")
def ppq_preempts_with_a_longer_fifo(trials: Trials) -> Finding:
    """Under PPQ with a longer bypass FIFO a high sender downstream of low flooders carries its load."""
    return _top_beside_flood(trials, "ppq", bypass=164)


def only_top_node(trials: Trials, protocol: str, **options: object) -> Finding:
    """Returns whether the only node of the highest priority gets something on saturated rings."""
    starved, number, at = 0, trials.count(60), ""
    for _ in range(number):
        ring = draw_ring(trials.rng, sizes=(80,))
        priorities = trials.rng.integers(0, 3, ring.nodes)
        top = int(trials.rng.integers(ring.nodes))
        priorities[top] = 3
        ring = ring.with_keys({"traffic.priority": priorities.tolist(), "queues.priorities": 4})
        ring = ring.under(protocol, **options)
        if ring.throughput()[top] < 0.01:
            starved, at = starved + 1, f"; such as node {top} on {ring}"
    return Finding(starved == 0, f"{starved} of {number} top nodes below 1 % of a link{at}")


@checks("todd2001.c15")
def the_only_top_node_never_starves_under_ppq(trials: Trials) -> Finding:
    """Under PPQ the only node of the highest priority gets something."""
    return only_top_node(trials, "ppq")


@checks("todd2001.c19")
def ageing_brings_input_inversions(trials: Trials) -> Finding:
    """With ageing the share of packets with an input inversion is at least that without."""
    results = {
        "without": study_ring("ppq", 100, priorities=3, service="1.0 us"),
        "with": study_ring("ppq", 100, priorities=3, service="1.0 us", ageing="0.2 us"),
    }
    share = {name: float(by_priority(each, "input_inversion_share")[-1]) for name, each in results.items()}
    return Finding(share["with"] >= share["without"], ", ".join(f"{name} {part:z.4f}" for name, part in share.items()))


@checks("todd2001.c22")
def high_packets_see_a_light_ring(trials: Trials) -> Finding:
    """On a loaded PPQ ring the highest of three priorities has at most twice the latency of a light SCI ring."""
    light = latency_ns(study_ring("sci", 5))
    found = [
        float(by_priority(study_ring("ppq", load, priorities=3), "latency_mean_ns")[-1]) for load in (60, 100, 150)
    ]
    return Finding(max(found) < 2 * light, f"{as_text(found)} ns at 60, 100, 150 MB/s; light SCI {light:z.0f} ns")


@checks("todd2001.c28")
def ppq_works_across_switches(trials: Trials) -> Finding:
    """On networks of rings coupled by switches PPQ serves the higher of two classes first at overload."""
    shown, holds = [], True
    for name, keys in (("torus", {"shape": [3, 3]}), ("omega", {"size": 8}), ("switch", {"ports": 4, "nodes": 4})):
        content: dict[str, dict[str, object]] = {
            "network": {"topology": name, **keys},
            "flow_control": {"protocol": "ppq"},
            "queues": {"priorities": 2},
            "traffic": {"transaction": "dmove64", "priorities": [0, 1], "arrivals": "poisson", "load": "480 MB/s"},
            "run": {"duration": "0.5 ms", "warmup": "0.1 ms"},
        }
        result = run(Scenario.from_dict(content))
        low, high = by_priority(result, "throughput_MBps")
        holds = holds and bool(high > low)
        shown.append(f"{name} {low:z.0f} and {high:z.0f}")
    return Finding(holds, f"MB/s, low and high: {', '.join(shown)}")


@checks("todd2001.c21")
def ppq_keeps_the_low_latency_of_sci(trials: Trials) -> Finding:
    """On a lightly loaded ring PPQ's mean latency is within 10 % of SCI's."""
    pairs = [(latency_ns(study_ring("ppq", load)), latency_ns(study_ring("sci", load))) for load in (1, 5, 20, 40)]
    shown = ", ".join(f"{ppq:z.0f} for {sci:z.0f}" for ppq, sci in pairs)
    return Finding(all(abs(ppq / sci - 1) < 0.1 for ppq, sci in pairs), f"ns at 1, 5, 20, 40 MB/s: {shown}")


@checks("todd2001.c23")
def retries_of_ppq_grow_with_load(trials: Trials) -> Finding:
    """PPQ's retries grow with load and are more than DFC's."""
    retries = [int(study_ring("ppq", load, priorities=3).nodes["retries"].sum()) for load in (40, 80, 120)]
    dfc = int(study_ring("dfc", 120, priorities=3).nodes["retries"].sum())
    grows = retries[0] < retries[1] < retries[2]
    return Finding(grows and retries[2] > dfc, f"PPQ {as_text(retries)} at 40, 80, 120 MB/s; DFC {dfc} at 120")


@checks("todd2001.c24", "todd2001.c81")
def throughput_of_ppq_falls_at_high_load(trials: Trials) -> Finding:
    """With three priorities PPQ's throughput falls by over 5 % behind its peak while TRAIN's stays."""
    loads = (60, 85, 110, 150, 200, 300)
    ppq = [carried_MBps(study_ring("ppq", load, priorities=3)) for load in loads]
    train = [carried_MBps(study_ring("train", load, priorities=3)) for load in loads[1:]]
    falls, stays = ppq[-1] < 0.95 * max(ppq), min(train) > 0.97 * max(train)
    shown = f"MB/s at {as_text(loads)}: PPQ {as_text(ppq)}; TRAIN from {loads[1]} on {as_text(train)}"
    return Finding(falls and stays and min(ppq) > 0, shown)


@checks("todd2001.c25")
def a_ppq_ring_never_stands_still(trials: Trials) -> Finding:
    """PPQ's busy retries never bring a ring to a stop."""
    stalled, number, at = 0, trials.count(16), ""
    for _ in range(number):
        load = float(trials.rng.uniform(90, 300))
        service = str(trials.rng.choice(["0.02 us", "0.1 us", "1.0 us"]))
        seed = int(trials.rng.integers(1, 1_000))
        result = study_ring("ppq", load, priorities=3, service=service, seed=seed)
        if result.stall is not None:
            stalled, at = stalled + 1, f"; such as {load:z.0f} MB/s, {service}, seed {seed}"
    return Finding(stalled == 0, f"{stalled} of {number} runs stand still{at}")


@checks("todd2001.c26")
def ppq_with_one_priority_is_sci(trials: Trials) -> Finding:
    """With one priority PPQ gives SCI's results, to the last digit."""
    apart, number, most, at = 0, trials.count(40), 0.0, ""
    for place in range(number):
        ring = draw_ring(trials.rng)
        if place % 3:
            load = 1.0 if place % 3 == 1 else 0.1
            ring = Ring(ring.destinations, loads=(load,) * ring.nodes, keys=ring.keys)
        gap = float(np.abs(ring.under("ppq").throughput() - ring.under("sci").throughput()).max())
        apart += gap > 0
        if gap > most:
            most, at = gap, f" on {ring}"
    return Finding(apart == 0, f"{number - apart} of {number} rings equal; largest difference {most:z.3f}{at}")


@checks("todd2001.c27")
def nobody_starves_among_ppq_nodes_of_one_priority(trials: Trials) -> Finding:
    """With one priority no PPQ node starves."""
    return starving_nodes(trials, "ppq")
