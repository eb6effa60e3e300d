"""Tests of Section 3: DFC."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring
from ringlet.papers.claims.todd2001.study import (
    REAL_TIME,
    TRIO,
    as_text,
    carried_MBps,
    latency_ns,
    starving_nodes,
    study_ring,
)
from ringlet.trace.recording import CONTROL


@checks("todd2001.c47")
def dfc_sends_control_symbols_as_needed(trials: Trials) -> Finding:
    """DFC's control symbols take below 1 % of the links at low load, and more on a loaded ring."""
    shares = [float(study_ring("dfc", load).nodes["link_control_fraction"].mean()) for load in (5, 30, 60, 150)]
    holds = max(shares[:3]) < 0.01 < shares[3]
    return Finding(holds, "share of links at 5, 30, 60, 150 MB/s: " + " ".join(f"{share:z.4f}" for share in shares))


@checks("todd2001.c48", "todd2001.c49")
def dfc_control_symbols_go_round_once(trials: Trials) -> Finding:
    """DFC's control symbols have 32 bits, and each goes round exactly once."""
    made = long = uneven = 0
    for _ in range(trials.count(10)):
        drawn = draw_ring(trials.rng)
        priorities = trials.rng.integers(0, 4, drawn.nodes).tolist()
        ring = drawn.with_keys({"traffic.priority": priorities, "queues.priorities": 4}).under("dfc")
        runs = Recorded.of(ring, start=0).recording.runs
        control = runs["kind"] == CONTROL
        long += int((runs["symbols"][control] != 2).sum())
        for maker in range(drawn.nodes):
            own = runs["node"][control & (runs["maker"] == maker)]
            passed = np.bincount(own, minlength=drawn.nodes)
            made += int(passed[maker])
            # One may be under way at each link at the end of the record.
            uneven += int(np.ptp(passed) > drawn.nodes)
    return Finding(
        long == 0 and uneven == 0 and made > 0, f"{made} made, {long} not of 32 bits, {uneven} makers uneven"
    )


@checks("todd2001.c52", "todd2001.c66")
def dfc_does_not_hold_up_what_does_not_pass(trials: Trials) -> Finding:
    """Under DFC a node with a link of its own has what it has without flow control, and more than under SCI."""
    dfc, none, sci = (float(TRIO.under(protocol).throughput()[4]) for protocol in ("dfc", "none", "sci"))
    return Finding(dfc >= 0.98 * none and sci < 0.9 * dfc, f"free node {dfc:z.3f}, none {none:z.3f}, sci {sci:z.3f}")


@checks("todd2001.c54")
def a_congested_dfc_node_sends_in_the_end(trials: Trials) -> Finding:
    """Under DFC a top node carries its load of .3 beside nodes that flood at the lowest priority."""
    short, number, worst, at = 0, trials.count(40), 1.0, ""
    for _ in range(number):
        drawn = draw_ring(trials.rng, sizes=(80,))
        top = int(trials.rng.integers(drawn.nodes))
        priorities = [3 if node == top else 0 for node in range(drawn.nodes)]
        loads = tuple(0.3 if node == top else 1.0 for node in range(drawn.nodes))
        keys = {**drawn.keys, "traffic.priority": priorities, "queues.priorities": 4}
        ring = Ring(drawn.destinations, loads=loads, keys=keys).under("dfc")
        part = ring.carried(top)
        short += part < 0.95
        if part < worst:
            worst, at = part, f" on {ring}"
    return Finding(short == 0, f"{short} of {number} rings carry less than 95 %; least {worst:z.2f}{at}")


@checks("todd2001.c57")
def dfc_nodes_of_equal_priority_share(trials: Trials) -> Finding:
    """Under DFC nobody starves within one priority."""
    return starving_nodes(trials, "dfc")


@checks("todd2001.c64")
def dfc_works_with_any_water_marks(trials: Trials) -> Finding:
    """With any pair of water marks DFC's throughput is within 10 % of the best."""
    found = {
        (high, low): carried_MBps(study_ring("dfc", 100, service="1.0 us", high_water=high, low_water=low))
        for high in range(1, 6)
        for low in range(high)
    }
    worst = min(found, key=found.__getitem__)
    best = max(found.values())
    return Finding(
        found[worst] > 0.9 * best, f"best {best:z.0f}, worst {found[worst]:z.0f} MB/s at {worst[0]}/{worst[1]}"
    )


@checks("todd2001.c63")
def lower_water_marks_make_refusals_rarer(trials: Trials) -> Finding:
    """DFC's retries fall as the high-water mark is lowered."""
    marks = ((5, 1), (3, 1), (2, 0))
    found = [
        int(study_ring("dfc", 60, service="1.0 us", high_water=high, low_water=low).nodes["retries"].sum())
        for high, low in marks
    ]
    return Finding(found[0] >= found[1] >= found[2], f"retries at marks 5/1, 3/1, 2/0: {as_text(found)}")


@checks("todd2001.c65")
def dfc_costs_little_against_sci(trials: Trials) -> Finding:
    """DFC's latency is at most SCI's below saturation, and its throughput at least SCI's."""
    latency = {p: [latency_ns(study_ring(p, load)) for load in (5, 30, 60)] for p in ("dfc", "sci")}
    carried = {p: carried_MBps(study_ring(p, 200)) for p in ("dfc", "sci")}
    holds = all(ours <= base * 1.03 for ours, base in zip(latency["dfc"], latency["sci"], strict=True))
    shown = f"ns at 5, 30, 60 MB/s {as_text(latency['dfc'])} for {as_text(latency['sci'])}"
    return Finding(
        holds and carried["dfc"] >= carried["sci"], f"{shown}; {carried['dfc']:z.0f} for {carried['sci']:z.0f} MB/s"
    )


@checks("todd2001.c67")
def dfc_needs_more_state(trials: Trials) -> Finding:
    """DFC's registers have more bits than those of PPQ and TRAIN."""
    bits = {}
    for protocol in REAL_TIME:
        bits[protocol] = int(
            study_ring(protocol, 20, priorities=3, duration="0.2 ms").to_dict()["protocol_registers_bits"]
        )
    shown = ", ".join(f"{protocol} {count}" for protocol, count in bits.items())
    return Finding(bits["dfc"] > max(bits["ppq"], bits["train"]), f"bits: {shown}")
