"""Tests of Sections 1 and 2.1: real-time rings."""

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.rings import Ring, draw_ring, words
from ringlet.papers.claims.todd2001.study import REAL_TIME, by_priority, carried_MBps, study_ring


@checks("todd2001.c01")
def higher_priorities_go_first(trials: Trials) -> Finding:
    """A sender of three to one node gets at most .05 of the common link while one of higher priority lacks over .08 of
    its load."""
    shown, wrong = [], 0
    for protocol, options in (("ppq", {}), ("train", {}), ("dfc", {}), ("sci", {"priorities": 4})):
        inverted, number, worst, at = 0, trials.count(20), 0.0, ""
        for _ in range(number):
            priorities = [int(each) for each in trials.rng.permutation(4)[:3]] + [0]
            loads = trials.rng.uniform(0.1, 0.9, 3)
            keys = {"traffic.transaction": "send80", "traffic.priority": priorities, "queues.priorities": 4}
            ring = Ring((3, 3, 3, 0), loads=(*map(float, loads), 0.0), keys=keys).under(protocol, **options)
            found = ring.throughput(cycles=60_000)[:3]
            short = [node for node in range(3) if found[node] < loads[node] - 0.08]
            below = [found[low] for low in range(3) for node in short if priorities[low] < priorities[node]]
            most = float(max(below, default=0.0))
            inverted += most > 0.05
            if most > worst:
                worst, at = most, f"priorities {priorities[:3]} loads {words(loads)} got {words(found)}"
        wrong += inverted
        shown.append(f"{protocol} {inverted} of {number}" + (f" ({at})" if inverted else ""))
    return Finding(wrong == 0, "a lower one goes first: " + ", ".join(shown))


@checks("todd2001.c03", "todd2001.c99")
def dfc_is_better_than_ppq_and_train(trials: Trials) -> Finding:
    """DFC carries at least what PPQ and TRAIN do, with uniform traffic of one and three priorities."""
    shown, holds = [], True
    for priorities, load in ((1, 200), (3, 150)):
        found = {protocol: carried_MBps(study_ring(protocol, load, priorities=priorities)) for protocol in REAL_TIME}
        holds = holds and found["dfc"] >= max(found.values())
        shown.append(f"{priorities} priorities: " + ", ".join(f"{name} {mbps:z.0f}" for name, mbps in found.items()))
    return Finding(holds, "MB/s at overload, " + "; ".join(shown))


@checks("todd2001.c04")
def a_fifo_of_the_longest_packet_is_enough(trials: Trials) -> Finding:
    """The bypass FIFO of PPQ and DFC holds no more than the longest packet and its idle."""
    over = {"ppq": 0, "dfc": 0}
    number, most = trials.count(30), 0
    for _ in range(number):
        drawn = draw_ring(trials.rng)
        priorities = trials.rng.integers(0, 4, drawn.nodes).tolist()
        ring = drawn.with_keys({"traffic.priority": priorities, "queues.priorities": 4})
        for protocol in over:
            held = int(ring.under(protocol).result().nodes["bypass_max_symbols"].max())
            excess = held - (drawn.size_bytes // 2 + 1)
            over[protocol] += excess > 0
            most = max(most, excess)
    shown = ", ".join(f"{protocol} {count} of {number}" for protocol, count in over.items())
    return Finding(sum(over.values()) == 0, f"over the longest packet and its idle: {shown}; by {most} symbols at most")


@checks("todd2001.c06")
def at_least_128_priorities(trials: Trials) -> Finding:
    """All three protocols carry packets of 128 priorities."""
    found = {}
    for protocol in REAL_TIME:
        result = study_ring(protocol, 40, priorities=128, duration="0.6 ms")
        found[protocol] = int((by_priority(result, "throughput_MBps") > 0).sum())
    shown = ", ".join(f"{protocol} {count}" for protocol, count in found.items())
    return Finding(all(count == 128 for count in found.values()), f"priorities carried: {shown}")


@checks("todd2001.c07")
def sci_has_output_inversion(trials: Trials) -> Finding:
    """Under SCI with priorities packets of the highest one wait while lower ones from upstream pass."""
    result = study_ring("sci", 120, priorities=3, keys={"flow_control.priorities": 3})
    share = float(by_priority(result, "output_inversion_share")[-1])
    return Finding(share > 0, f"{share:z.3f} of the packets of the highest priority")
