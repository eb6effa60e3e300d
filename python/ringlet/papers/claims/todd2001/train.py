"""Tests of Section 2.3: TRAIN."""

import numpy as np

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, draw_ring, words
from ringlet.papers.claims.todd2001.ppq import only_top_node
from ringlet.papers.claims.todd2001.study import (
    as_text,
    by_priority,
    carried_MBps,
    latency_ns,
    starving_nodes,
    study_ring,
)


@checks("todd2001.c33")
def the_only_top_node_never_starves_under_train(trials: Trials) -> Finding:
    """Under TRAIN the only node of the highest priority gets something."""
    return only_top_node(trials, "train")


@checks("todd2001.c31")
def a_granted_train_node_sends(trials: Trials) -> Finding:
    """Under TRAIN a node that is granted sends, so that nobody starves within a priority."""
    return starving_nodes(trials, "train")


@checks("todd2001.c34")
def train_has_no_output_inversion(trials: Trials) -> Finding:
    """Under TRAIN no packet of the highest priority waits for bypass space while lower ones pass."""
    inverted, number, worst = 0, trials.count(30), 0.0
    for _ in range(number):
        ring = draw_ring(trials.rng, sizes=(80,))
        priorities = trials.rng.integers(0, 3, ring.nodes)
        priorities[int(trials.rng.integers(ring.nodes))] = 3
        ring = ring.with_keys({"traffic.priority": priorities.tolist(), "queues.priorities": 4})
        result = ring.under("train").result()
        share, longest = (float(by_priority(result, f"output_inversion_{what}")[-1]) for what in ("share", "max_ns"))
        inverted, worst = inverted + (share > 0), max(worst, longest if share > 0 else 0.0)
    return Finding(inverted == 0, f"highest priority inverted on {inverted} of {number} rings, {worst:z.0f} ns at most")


@checks("todd2001.c35")
def train_grants_no_more_than_the_ring_carries(trials: Trials) -> Finding:
    """Under TRAIN a lower priority gets nothing of a link that higher ones fill."""
    priorities = {"traffic.priority": [3, 1, 0, 0], "queues.priorities": 4, "traffic.transaction": "send80"}
    found = Ring((3, 3, 3, 0), loads=(1.0, 1.0, 1.0, 0.0), keys=priorities).under("train").throughput()
    return Finding(bool(found[0] > 0.7 and found[1] < 0.1 and found[2] < 0.02), f"priorities 3 1 0: {words(found[:3])}")


@checks("todd2001.c36")
def arbitrated_train_rejects_nothing(trials: Trials) -> Finding:
    """Under TRAIN with all packets arbitrated nothing is refused and sent again."""
    retries, deleted, number = 0, 0, trials.count(10)
    for _ in range(number):
        service = str(trials.rng.choice(["0.02 us", "0.1 us", "1.0 us", "2.0 us"]))
        result = study_ring("train", float(trials.rng.uniform(20, 200)), service=service, priorities=3)
        retries += int(result.nodes["retries"].sum())
        deleted += int(result.nodes["deleted_tickets"].sum())
    return Finding(retries == 0, f"{retries} retries, {deleted} deleted tickets in {number} runs")


@checks("todd2001.c37")
def train_deletes_tickets_without_room(trials: Trials) -> Finding:
    """A full destination deletes tickets, refuses nothing, and never holds more than its queue does."""
    result = study_ring("train", 150, service="1.0 us", priorities=3)
    deleted, refused, held = (
        int(result.nodes[name].sum()) for name in ("deleted_tickets", "refused_packets", "retries")
    )
    most = int(result.nodes["receive_queue_max_packets"].max())
    return Finding(
        deleted > 0 and refused == 0 and held == 0, f"{deleted} deleted, {refused} refused, {most} held at most"
    )


@checks("todd2001.c39")
def inheritance_shortens_input_inversion(trials: Trials) -> Finding:
    """With inheritance the longest input inversion of the highest priority under TRAIN is at most that without."""
    longest = {
        inheritance: float(
            by_priority(
                study_ring("train", 100, priorities=3, service="1.0 us", inheritance=inheritance, duration="1 ms"),
                "input_inversion_max_ns",
            )[-1]
        )
        for inheritance in (False, True)
    }
    return Finding(longest[True] <= longest[False], f"{longest[True]:z.0f} ns with, {longest[False]:z.0f} ns without")


@checks("todd2001.c40")
def arbitration_lengthens_latency(trials: Trials) -> Finding:
    """Arbitrated TRAIN has a longer latency than SCI at every ring size, growing with it."""
    train = [latency_ns(study_ring("train", 5, nodes=nodes)) for nodes in (4, 8, 16, 32)]
    sci = [latency_ns(study_ring("sci", 5, nodes=nodes)) for nodes in (4, 8, 16, 32)]
    holds = all(ours > base for ours, base in zip(train, sci, strict=True)) and train == sorted(train)
    return Finding(holds, f"ns on 4, 8, 16, 32 nodes: {as_text(train)} for {as_text(sci)}")


@checks("todd2001.c41")
def immediate_mode_waits_a_revolution(trials: Trials) -> Finding:
    """A lone sender waits for at least a revolution between two packets in TRAIN's immediate mode."""
    short, number, shown = 0, 0, ""
    for nodes in (4, 8):
        ring = Ring((nodes // 2,) * (nodes // 2) + (0,) * (nodes // 2), loads=(0.2,) + (0.0,) * (nodes - 1))
        ring = ring.with_keys({"traffic.transaction": "send16"}).under("train", mode="switching")
        own = next(Recorded.of(ring).links())
        between = np.diff(own.cycle[own.is_own])
        # Each node delays the LocalMotive by the hop, at least one cycle.
        short, number = short + int((between < nodes).sum()), number + len(between)
        shown += f" {nodes} nodes: {between.min()} cycles;"
    return Finding(short == 0, f"{number} distances, {short} below a revolution; least{shown}")


@checks("todd2001.c42")
def immediate_mode_is_quicker(trials: Trials) -> Finding:
    """At light load TRAIN's immediate mode is quicker than arbitration."""
    immediate, arbitrated = (latency_ns(study_ring("train", 5, mode=mode)) for mode in ("switching", "arbitrated"))
    return Finding(immediate < arbitrated, f"{immediate:z.0f} for {arbitrated:z.0f} ns")


@checks("todd2001.c43")
def arbitration_begins_wherever_a_link_is_full(trials: Trials) -> Finding:
    """With the gearshift arbitration begins when a link is nearly full, wherever the TicketMaster is."""
    never, number = 0, 0
    for nodes in (4, 6, 8):
        for master in range(nodes):
            # The link behind node 1 is full; all other links carry echoes alone.
            ring = Ring((2,) * 2 + (1,) * (nodes - 2), loads=(0.0, 1.0) + (0.0,) * (nodes - 2))
            ring = ring.with_keys({"traffic.transaction": "send80"})
            control = (
                ring.under("train", mode="gearshift", ticket_master=master).result().nodes["link_control_fraction"]
            )
            # One LocalMotive in 1,024 cycles is not arbitration.
            never, number = never + (float(control.max()) < 0.008), number + 1
    return Finding(never == 0, f"no shift at {never} of {number} places of the TicketMaster")


@checks("todd2001.c45")
def a_train_ring_goes_on_with_any_size(trials: Trials) -> Finding:
    """Under TRAIN reads of three priorities go on with trains of one, two, and four packets."""
    shown, least = [], np.inf
    for size in (41, 82, 164):
        found = [carried_MBps(study_ring("train", load, priorities=3, size=size)) for load in (30, 60, 100, 150)]
        # Up to saturation what is offered is carried; beyond, more than half of the largest.
        due = np.minimum(np.array([240, 480, 800, 1200]), max(*found, 100))
        least = min(least, float((found / due).min()))
        shown.append(f"size {size}: {as_text(found)}")
    return Finding(bool(least > 0.5), "MB/s at 30, 60, 100, 150 MB/s for each node: " + "; ".join(shown))
