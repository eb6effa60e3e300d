"""Tests of the sentences of todd2001 (Todd 2001), in the order of the paper."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.recorded import Recorded
from ringlet.papers.claims.rings import Ring, all_patterns, draw_ring, renumbering, words
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run
from ringlet.trace.recording import ACKNOWLEDGED, CONTROL, DELIVERED

REAL_TIME = ("ppq", "train", "dfc")
STUDIED = ("sci", *REAL_TIME)


def _study(
    protocol: str,
    load_MBps: float,
    *,
    service: str = "0.1 us",
    priorities: int = 1,
    nodes: int = 8,
    seed: int = 1,
    duration: str = "0.4 ms",
    keys: Mapping[str, object] | None = None,
    **options: object,
) -> Result:
    """Runs the paper's ring: reads of 64 bytes to uniform destinations, input queues of 5, bare hosts.

    Args:
        protocol: flow control.
        load_MBps: data read by each node, over all priorities.
        service: input queue service time.
        priorities: priorities of which each node offers equal shares.
        nodes: nodes of the ring.
        seed: of the arrivals.
        duration: simulated time.
        keys: further keys by their paths, such as `retry.delay`.
        options: further keys of `flow_control`.
    """
    content: dict[str, dict[str, object]] = {
        "network": {"nodes": nodes, "link_rate": "1 GB/s", "framing": 1},
        "flow_control": {"protocol": protocol, **options},
        "queues": {
            "receive": 5,
            "service_time": service,
            "responses": 5,
            "window": "unlimited",
            "outstanding": "unlimited",
            "order": "alternate",
            "priorities": priorities,
        },
        "traffic": {
            "transaction": "read64",
            "pattern": "uniform",
            "arrivals": "poisson",
            "load": f"{load_MBps} MB/s",
        },
        "run": {"duration": duration, "warmup": "0.1 ms", "stall_after": "0.1 ms", "seed": seed},
    }
    if priorities > 1:
        content["traffic"]["priorities"] = list(range(priorities))
    for path, value in (keys or {}).items():
        table, _, key = path.partition(".")
        content.setdefault(table, {})[key] = value
    return run(Scenario.from_dict(content))


def _carried(result: Result) -> float:
    """Returns the throughput of all nodes in MB/s."""
    return float(result.nodes["throughput_MBps"].sum())


def _by_priority(result: Result, column: str) -> NDArray[np.float64]:
    """Returns a column of the table of priorities, the lowest first, shape (priorities,)."""
    return np.asarray(result.priorities.sort_index()[column], dtype=np.float64)


def _latency(result: Result) -> float:
    """Returns the mean latency of the ring in ns."""
    return float(result.total["latency_mean_ns"].iloc[0])


def _numbers(values: Sequence[float]) -> str:
    """Returns numbers as text, without decimals."""
    return " ".join(f"{value:z.0f}" for value in values)


@checks("todd2001.c01")
def higher_priorities_go_first(trials: Trials) -> Finding:
    """Of three senders to one node each gets its load, or what higher priorities leave of the common link."""
    shown, wrong = [], 0
    for protocol, options in (("ppq", {}), ("train", {}), ("dfc", {}), ("sci", {"priorities": 4})):
        missed, number, worst, at = 0, trials.count(20), 0.0, ""
        for _ in range(number):
            priorities = [int(each) for each in trials.rng.permutation(4)[:3]] + [0]
            loads = trials.rng.uniform(0.1, 0.9, 3)
            left, due = 40 / 41 * 0.95, np.zeros(3)
            for node in sorted(range(3), key=lambda each: -priorities[each]):
                due[node] = min(loads[node], max(left, 0))
                left -= due[node]
            keys = {"traffic.transaction": "send80", "traffic.priority": priorities, "queues.priorities": 4}
            ring = Ring((3, 3, 3, 0), loads=(*map(float, loads), 0.0), keys=keys).under(protocol, **options)
            found = ring.throughput(cycles=60_000)[:3]
            gap = float((due - found).max())
            missed += gap > 0.08
            if gap > worst:
                worst, at = gap, f"priorities {priorities[:3]} loads {words(loads)} got {words(found)}"
        wrong += missed
        shown.append(f"{protocol} {missed} of {number}" + (f" ({at})" if missed else ""))
    return Finding(wrong == 0, "missed by over .08: " + ", ".join(shown))


@checks("todd2001.c03", "todd2001.c99")
def dfc_is_better_than_ppq_and_train(trials: Trials) -> Finding:
    """DFC carries at least what PPQ and TRAIN do, with uniform traffic of one and three priorities."""
    shown, holds = [], True
    for priorities, load in ((1, 200), (3, 150)):
        found = {protocol: _carried(_study(protocol, load, priorities=priorities)) for protocol in REAL_TIME}
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
        result = _study(protocol, 40, priorities=128, duration="0.6 ms")
        found[protocol] = int((_by_priority(result, "throughput_MBps") > 0).sum())
    shown = ", ".join(f"{protocol} {count}" for protocol, count in found.items())
    return Finding(all(count == 128 for count in found.values()), f"priorities carried: {shown}")


@checks("todd2001.c07")
def sci_has_output_inversion(trials: Trials) -> Finding:
    """Under SCI with priorities packets of the highest one wait while lower ones from upstream pass."""
    result = _study("sci", 120, priorities=3, keys={"flow_control.priorities": 3})
    share = float(_by_priority(result, "output_inversion_share")[-1])
    return Finding(share > 0, f"{share:z.3f} of the packets of the highest priority")


@checks("todd2001.c09")
def ppq_has_no_input_inversion(trials: Trials) -> Finding:
    """Under PPQ a packet of the highest priority waits for lower ones by one service and a few packets at most."""
    result = _study("ppq", 150, priorities=3, service="1.0 us")
    # No number where there was no inversion.
    longest = float(np.nan_to_num(_by_priority(result, "input_inversion_max_ns")[-1]))
    return Finding(longest <= 1_300, f"longest input inversion {longest:z.0f} ns with services of 1000 ns")


@checks("todd2001.c10")
def no_preempted_packet_is_lost(trials: Trials) -> Finding:
    """Packets that PPQ preempts are sent again, and none is lost."""
    lost = preempted = left = 0
    for seed in range(1, 1 + trials.count(4)):
        result = _study("ppq", 60, priorities=3, service="1.0 us", seed=seed, duration="1 ms")
        lost += int(result.nodes["lost_packets"].sum())
        preempted += int(result.nodes["preempted_packets"].sum())
    for seed in range(1, 1 + trials.count(4)):
        result = _study("ppq", 20, priorities=3, service="0.5 us", seed=seed, duration="1 ms")
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


def _only_top(trials: Trials, protocol: str, **options: object) -> Finding:
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
    return _only_top(trials, "ppq")


@checks("todd2001.c33")
def the_only_top_node_never_starves_under_train(trials: Trials) -> Finding:
    """Under TRAIN the only node of the highest priority gets something."""
    return _only_top(trials, "train")


@checks("todd2001.c19")
def ageing_brings_input_inversions(trials: Trials) -> Finding:
    """With ageing the share of packets with an input inversion is at least that without."""
    results = {
        "without": _study("ppq", 100, priorities=3, service="1.0 us"),
        "with": _study("ppq", 100, priorities=3, service="1.0 us", ageing="0.2 us"),
    }
    share = {name: float(_by_priority(each, "input_inversion_share")[-1]) for name, each in results.items()}
    return Finding(share["with"] >= share["without"], ", ".join(f"{name} {part:z.4f}" for name, part in share.items()))


@checks("todd2001.c22")
def high_packets_see_a_light_ring(trials: Trials) -> Finding:
    """On a loaded PPQ ring the highest of three priorities has at most twice the latency of a light SCI ring."""
    light = _latency(_study("sci", 5))
    found = [float(_by_priority(_study("ppq", load, priorities=3), "latency_mean_ns")[-1]) for load in (60, 100, 150)]
    return Finding(max(found) < 2 * light, f"{_numbers(found)} ns at 60, 100, 150 MB/s; light SCI {light:z.0f} ns")


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
        low, high = _by_priority(result, "throughput_MBps")
        holds = holds and bool(high > low)
        shown.append(f"{name} {low:z.0f} and {high:z.0f}")
    return Finding(holds, f"MB/s, low and high: {', '.join(shown)}")


@checks("todd2001.c21")
def ppq_keeps_the_low_latency_of_sci(trials: Trials) -> Finding:
    """On a lightly loaded ring PPQ's mean latency is within 10 % of SCI's."""
    pairs = [(_latency(_study("ppq", load)), _latency(_study("sci", load))) for load in (1, 5, 20, 40)]
    shown = ", ".join(f"{ppq:z.0f} for {sci:z.0f}" for ppq, sci in pairs)
    return Finding(all(abs(ppq / sci - 1) < 0.1 for ppq, sci in pairs), f"ns at 1, 5, 20, 40 MB/s: {shown}")


@checks("todd2001.c23")
def retries_of_ppq_grow_with_load(trials: Trials) -> Finding:
    """PPQ's retries grow with load and are more than DFC's."""
    retries = [int(_study("ppq", load, priorities=3).nodes["retries"].sum()) for load in (40, 80, 120)]
    dfc = int(_study("dfc", 120, priorities=3).nodes["retries"].sum())
    grows = retries[0] < retries[1] < retries[2]
    return Finding(grows and retries[2] > dfc, f"PPQ {_numbers(retries)} at 40, 80, 120 MB/s; DFC {dfc} at 120")


@checks("todd2001.c24", "todd2001.c81")
def throughput_of_ppq_falls_at_high_load(trials: Trials) -> Finding:
    """With three priorities PPQ's throughput falls by over 5 % behind its peak while TRAIN's stays."""
    loads = (60, 85, 110, 150, 200, 300)
    ppq = [_carried(_study("ppq", load, priorities=3)) for load in loads]
    train = [_carried(_study("train", load, priorities=3)) for load in loads[1:]]
    falls, stays = ppq[-1] < 0.95 * max(ppq), min(train) > 0.97 * max(train)
    shown = f"MB/s at {_numbers(loads)}: PPQ {_numbers(ppq)}; TRAIN from {loads[1]} on {_numbers(train)}"
    return Finding(falls and stays and min(ppq) > 0, shown)


@checks("todd2001.c25")
def a_ppq_ring_never_stands_still(trials: Trials) -> Finding:
    """PPQ's busy retries never bring a ring to a stop."""
    stalled, number, at = 0, trials.count(16), ""
    for _ in range(number):
        load = float(trials.rng.uniform(90, 300))
        service = str(trials.rng.choice(["0.02 us", "0.1 us", "1.0 us"]))
        seed = int(trials.rng.integers(1, 1_000))
        result = _study("ppq", load, priorities=3, service=service, seed=seed)
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


def _starving(trials: Trials, protocol: str, **options: object) -> Finding:
    """Returns whether every node of a saturated ring of one priority gets at least 1 % of a link."""
    rings = [Ring(pattern, keys={"traffic.transaction": "send80"}) for pattern in all_patterns(4)]
    rings = [rings[place] for place in trials.rng.permutation(len(rings))[: trials.count(40)]]
    rings += [draw_ring(trials.rng) for _ in range(trials.count(40))]
    starved, at = 0, ""
    for ring in rings:
        found = ring.under(protocol, **options).throughput()
        if found.min() < 0.01:
            starved, at = starved + 1, f"; such as {words(found)} on {ring}"
    return Finding(starved == 0, f"{starved} of {len(rings)} rings starve a node{at}")


@checks("todd2001.c27")
def nobody_starves_among_ppq_nodes_of_one_priority(trials: Trials) -> Finding:
    """With one priority no PPQ node starves."""
    return _starving(trials, "ppq")


@checks("todd2001.c31")
def a_granted_train_node_sends(trials: Trials) -> Finding:
    """Under TRAIN a node that is granted sends, so that nobody starves within a priority."""
    return _starving(trials, "train")


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
        share, longest = (float(_by_priority(result, f"output_inversion_{what}")[-1]) for what in ("share", "max_ns"))
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
        result = _study("train", float(trials.rng.uniform(20, 200)), service=service, priorities=3)
        retries += int(result.nodes["retries"].sum())
        deleted += int(result.nodes["deleted_tickets"].sum())
    return Finding(retries == 0, f"{retries} retries, {deleted} deleted tickets in {number} runs")


@checks("todd2001.c37")
def train_deletes_tickets_without_room(trials: Trials) -> Finding:
    """A full destination deletes tickets, refuses nothing, and never holds more than its queue does."""
    result = _study("train", 150, service="1.0 us", priorities=3)
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
            _by_priority(
                _study("train", 100, priorities=3, service="1.0 us", inheritance=inheritance, duration="1 ms"),
                "input_inversion_max_ns",
            )[-1]
        )
        for inheritance in (False, True)
    }
    return Finding(longest[True] <= longest[False], f"{longest[True]:z.0f} ns with, {longest[False]:z.0f} ns without")


@checks("todd2001.c40")
def arbitration_lengthens_latency(trials: Trials) -> Finding:
    """Arbitrated TRAIN has a longer latency than SCI at every ring size, growing with it."""
    train = [_latency(_study("train", 5, nodes=nodes)) for nodes in (4, 8, 16, 32)]
    sci = [_latency(_study("sci", 5, nodes=nodes)) for nodes in (4, 8, 16, 32)]
    holds = all(ours > base for ours, base in zip(train, sci, strict=True)) and train == sorted(train)
    return Finding(holds, f"ns on 4, 8, 16, 32 nodes: {_numbers(train)} for {_numbers(sci)}")


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
    immediate, arbitrated = (_latency(_study("train", 5, mode=mode)) for mode in ("switching", "arbitrated"))
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
        found = [_carried(_study("train", load, priorities=3, size=size)) for load in (30, 60, 100, 150)]
        # Up to saturation what is offered is carried; beyond, more than half of the largest.
        due = np.minimum(np.array([240, 480, 800, 1200]), max(*found, 100))
        least = min(least, float((found / due).min()))
        shown.append(f"size {size}: {_numbers(found)}")
    return Finding(bool(least > 0.5), "MB/s at 30, 60, 100, 150 MB/s for each node: " + "; ".join(shown))


@checks("todd2001.c47")
def dfc_sends_control_symbols_as_needed(trials: Trials) -> Finding:
    """DFC's control symbols take below 1 % of the links at low load, and more on a loaded ring."""
    shares = [float(_study("dfc", load).nodes["link_control_fraction"].mean()) for load in (5, 30, 60, 150)]
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


TRIO = Ring((3, 3, 3, 4, 5, 0), keys={"traffic.transaction": "send80"})
"""Nodes 0, 1 and 2 share the link behind node 2; node 4 has the link to node 5 alone."""


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
    return _starving(trials, "dfc")


@checks("todd2001.c64")
def dfc_works_with_any_water_marks(trials: Trials) -> Finding:
    """With any pair of water marks DFC's throughput is within 10 % of the best."""
    found = {
        (high, low): _carried(_study("dfc", 100, service="1.0 us", high_water=high, low_water=low))
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
        int(_study("dfc", 60, service="1.0 us", high_water=high, low_water=low).nodes["retries"].sum())
        for high, low in marks
    ]
    return Finding(found[0] >= found[1] >= found[2], f"retries at marks 5/1, 3/1, 2/0: {_numbers(found)}")


@checks("todd2001.c65")
def dfc_costs_little_against_sci(trials: Trials) -> Finding:
    """DFC's latency is at most SCI's below saturation, and its throughput at least SCI's."""
    latency = {p: [_latency(_study(p, load)) for load in (5, 30, 60)] for p in ("dfc", "sci")}
    carried = {p: _carried(_study(p, 200)) for p in ("dfc", "sci")}
    holds = all(ours <= base * 1.03 for ours, base in zip(latency["dfc"], latency["sci"], strict=True))
    shown = f"ns at 5, 30, 60 MB/s {_numbers(latency['dfc'])} for {_numbers(latency['sci'])}"
    return Finding(
        holds and carried["dfc"] >= carried["sci"], f"{shown}; {carried['dfc']:z.0f} for {carried['sci']:z.0f} MB/s"
    )


@checks("todd2001.c67")
def dfc_needs_more_state(trials: Trials) -> Finding:
    """DFC's registers have more bits than those of PPQ and TRAIN."""
    bits = {}
    for protocol in REAL_TIME:
        bits[protocol] = int(_study(protocol, 20, priorities=3, duration="0.2 ms").to_dict()["protocol_registers_bits"])
    shown = ", ".join(f"{protocol} {count}" for protocol, count in bits.items())
    return Finding(bits["dfc"] > max(bits["ppq"], bits["train"]), f"bits: {shown}")


@checks("todd2001.c69", "todd2001.c70")
def a_ring_carries_two_links_at_most(trials: Trials) -> Finding:
    """With uniform traffic no protocol carries more than two links' worth, nor 1.14 GB/s of data."""
    most, at = 0.0, ""
    for nodes in (4, 8, 16, 32):
        for protocol in STUDIED:
            carried = _carried(_study(protocol, 2_000 / nodes, nodes=nodes, duration="0.2 ms"))
            if carried > most:
                most, at = carried, f"{protocol} on {nodes} nodes"
    return Finding(most < 1_143, f"at most {most:z.0f} of 1143 MB/s ({at})")


def _hot_spot(protocol: str, fraction: float, load_MBps: float = 150) -> Result:
    """Runs the paper's hot spot: so much of each node's traffic goes to node 0."""
    return _study(
        protocol,
        load_MBps,
        keys={"traffic.pattern": "hot-spot", "traffic.hot_node": 0, "traffic.hot_fraction": fraction},
    )


@checks("todd2001.c71")
def the_service_time_limits_a_receiver(trials: Trials) -> Finding:
    """With all traffic to one node nobody carries more than 64 bytes in a service time."""
    found = {protocol: _carried(_hot_spot(protocol, 1.0)) for protocol in STUDIED}
    shown = ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in found.items())
    return Finding(max(found.values()) <= 646, f"of 640 MB/s: {shown}")


@checks("todd2001.c72")
def longer_service_times_lower_throughput(trials: Trials) -> Finding:
    """At overload throughput does not rise, by over 2 %, with the service time."""
    times = ("0.02 us", "0.1 us", "0.5 us", "1.0 us", "2.0 us")
    shown, rises = [], 0
    for protocol, priorities in (("sci", 1), ("ppq", 1), ("ppq", 3), ("train", 3), ("dfc", 3)):
        found = [_carried(_study(protocol, 150, service=service, priorities=priorities)) for service in times]
        rises += sum(later > 1.02 * before for before, later in pairwise(found))
        shown.append(f"{protocol} with {priorities}: {_numbers(found)}")
    return Finding(rises == 0, f"MB/s at 0.02 to 2 us: {'; '.join(shown)}")


@checks("todd2001.c73")
def few_input_inversions_at_short_service_times(trials: Trials) -> Finding:
    """At 0.1 us below 1 % of the packets of the highest priority have an input inversion."""
    share = {p: float(_by_priority(_study(p, 150, priorities=3), "input_inversion_share")[-1]) for p in REAL_TIME}
    return Finding(max(share.values()) < 0.01, ", ".join(f"{protocol} {part:z.4f}" for protocol, part in share.items()))


@checks("todd2001.c75")
def latency_at_low_load(trials: Trials) -> Finding:
    """At low load SCI, PPQ and DFC have the same latency within 5 %, and TRAIN over twice as much."""
    found = {protocol: _latency(_study(protocol, 3)) for protocol in STUDIED}
    near = [found[protocol] for protocol in ("sci", "ppq", "dfc")]
    holds = max(near) < 1.05 * min(near) and found["train"] > 2 * found["sci"]
    return Finding(holds, "ns: " + ", ".join(f"{protocol} {ns:z.0f}" for protocol, ns in found.items()))


@checks("todd2001.c76")
def long_service_times_make_protocols_alike(trials: Trials) -> Finding:
    """At 1 us SCI, TRAIN and DFC carry about the same, within 10 % of each other."""
    found = {protocol: _carried(_study(protocol, 100, service="1.0 us")) for protocol in ("sci", "train", "dfc")}
    holds = min(found.values()) > 0.9 * max(found.values())
    return Finding(holds, "MB/s: " + ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in found.items()))


@checks("todd2001.c77")
def throughput_of_ppq_falls_quickly_at_long_service_times(trials: Trials) -> Finding:
    """At 1 us PPQ's throughput falls below .7 of its peak as load rises."""
    found = [_carried(_study("ppq", load, service="1.0 us")) for load in (30, 50, 75, 100, 150, 300)]
    return Finding(found[-1] < 0.7 * max(found), f"MB/s at 30 to 300 MB/s: {_numbers(found)}")


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
            found = {protocol: _latency(_study(protocol, load, service=service)) for protocol in STUDIED}
            holds = holds and found["train"] == max(found.values())
            shown.append(f"{found['train']:z.0f} for {max(found[p] for p in ('sci', 'ppq', 'dfc')):z.0f}")
    return Finding(holds, "ns, TRAIN for the next: " + ", ".join(shown))


@checks("todd2001.c82")
def latency_at_low_load_does_not_hang_on_priority(trials: Trials) -> Finding:
    """At low load the latencies of all priorities are within 3 %."""
    shown, spread = [], 0.0
    for protocol in REAL_TIME:
        found = _by_priority(_study(protocol, 5, priorities=3, duration="4 ms"), "latency_mean_ns")
        spread = max(spread, float(np.ptp(found) / found.min()))
        shown.append(f"{protocol} {_numbers(found.tolist())}")
    return Finding(spread < 0.03, "ns: " + ", ".join(shown))


@checks("todd2001.c83")
def latency_of_ppq_is_somewhat_above_that_of_dfc(trials: Trials) -> Finding:
    """At low load PPQ's latency is above DFC's."""
    loads = (1, 5, 20, 40)
    found = [
        (_latency(_study("ppq", load, duration="2 ms")), _latency(_study("dfc", load, duration="2 ms")))
        for load in loads
    ]
    shown = ", ".join(f"{ppq:z.1f} for {dfc:z.1f}" for ppq, dfc in found)
    return Finding(all(ppq > dfc for ppq, dfc in found), f"ns at 1, 5, 20, 40 MB/s: {shown}")


@checks("todd2001.c84")
def latency_of_a_class_rises_when_it_is_denied(trials: Trials) -> Finding:
    """A class's latency is below 3 times that at light load while the ring carries all of its offer."""
    wrong, number = [], 0
    for protocol in REAL_TIME:
        light = _by_priority(_study(protocol, 5, priorities=3), "latency_mean_ns")
        for load in (20, 40, 60, 80, 100, 150):
            result = _study(protocol, load, priorities=3)
            carried = _by_priority(result, "throughput_MBps") / _by_priority(result, "offered_MBps")
            ratio = _by_priority(result, "latency_mean_ns") / light
            number += 3
            late = (carried > 0.99) & (ratio > 3)
            wrong += [f"{protocol} class {place} at {load}: {ratio[place]:z.1f}" for place in np.flatnonzero(late)]
    return Finding(not wrong, f"{len(wrong)} of {number} points late" + "".join(f"; {each}" for each in wrong[:4]))


@checks("todd2001.c89")
def of_128_priorities_lower_ones_roll_off_first(trials: Trials) -> Finding:
    """Of 128 priorities each quarter carries at least the share of its offer that the next lower quarter does."""
    wrong, shown = 0, []
    for protocol in REAL_TIME:
        for load in (100, 150):
            result = _study(protocol, load, priorities=128, duration="1 ms")
            offered, carried = (_by_priority(result, f"{what}_MBps") for what in ("offered", "throughput"))
            quarters = carried.reshape(4, 32).sum(axis=1) / offered.reshape(4, 32).sum(axis=1)
            wrong += int((np.diff(quarters) < -0.03).sum())
            shown.append(f"{protocol} at {load}: " + " ".join(f"{part:z.2f}" for part in quarters))
    return Finding(wrong == 0, "carried of offered, lowest quarter first: " + "; ".join(shown))


@checks("todd2001.c94")
def train_wastes_tickets_on_the_busy_node(trials: Trials) -> Finding:
    """At a hot spot of half of the traffic TRAIN carries less to all other nodes than DFC."""
    to_others = {}
    for protocol in ("train", "dfc"):
        result = _hot_spot(protocol, 0.5)
        # What the hot node sends goes to the others alone; of what others send, half is for it.
        hot = float(result.nodes["throughput_MBps"].iloc[1:].sum()) / 2
        to_others[protocol] = _carried(result) - hot
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
                result = _study(protocol, load, priorities=3, service=service)
                # What classes offer differs by chance, so that shares of it are compared.
                found = _by_priority(result, "throughput_MBps") / _by_priority(result, "offered_MBps") * 100
                number += 1
                if not found[2] >= found[1] - 3 >= found[0] - 6:
                    wrong.append(f"{protocol} at {load} MB/s, {service}: {_numbers(found.tolist())}")
    return Finding(
        not wrong, f"order violated at {len(wrong)} of {number} points" + "".join(f"; {w}" for w in wrong[:3])
    )


@checks("todd2001.c87")
def dfc_lets_more_low_traffic_through(trials: Trials) -> Finding:
    """At overload the lower two classes carry more under DFC than under PPQ and TRAIN."""
    shown, holds = [], True
    for load in (100, 150):
        low = {p: float(_by_priority(_study(p, load, priorities=3), "throughput_MBps")[:2].sum()) for p in REAL_TIME}
        holds = holds and low["dfc"] >= max(low.values())
        shown.append(f"at {load}: " + ", ".join(f"{protocol} {mbps:z.0f}" for protocol, mbps in low.items()))
    return Finding(holds, "MB/s of the lower two classes " + "; ".join(shown))


@checks("todd2001.c88")
def latency_of_train_is_nearly_twice_that_of_dfc(trials: Trials) -> Finding:
    """At 1 us below saturation TRAIN's latency is nearly twice DFC's: a ratio of 1.5 to 2.5."""
    ratios = [
        _latency(_study("train", load, service="1.0 us", priorities=3))
        / _latency(_study("dfc", load, service="1.0 us", priorities=3))
        for load in (5, 10, 20)
    ]
    shown = " ".join(f"{ratio:z.2f}" for ratio in ratios)
    return Finding(all(1.5 <= ratio <= 2.5 for ratio in ratios), f"ratios at 5, 10, 20 MB/s: {shown}")


@checks("todd2001.c90")
def ppq_and_train_are_alike_at_a_hot_spot(trials: Trials) -> Finding:
    """At a hot spot PPQ and TRAIN carry the same within 15 %."""
    pairs = [(_carried(_hot_spot("ppq", f)), _carried(_hot_spot("train", f))) for f in (0.5, 0.75, 1.0)]
    shown = ", ".join(f"{ppq:z.0f} and {train:z.0f}" for ppq, train in pairs)
    return Finding(all(abs(ppq / train - 1) < 0.15 for ppq, train in pairs), f"MB/s at 50, 75, 100 %: {shown}")


@checks("todd2001.c91")
def dfc_carries_half_more_at_a_hot_spot(trials: Trials) -> Finding:
    """At a hot spot DFC carries 1.5 times what PPQ and TRAIN do."""
    shown, least = [], np.inf
    for fraction in (0.5, 0.75, 1.0):
        found = {protocol: _carried(_hot_spot(protocol, fraction)) for protocol in REAL_TIME}
        least = min(least, found["dfc"] / max(found["ppq"], found["train"]))
        shown.append(" ".join(f"{found[protocol]:z.0f}" for protocol in REAL_TIME))
    return Finding(least >= 1.5, f"MB/s of PPQ, TRAIN, DFC at 50, 75, 100 %: {'; '.join(shown)}")


@checks("todd2001.c93")
def a_receiver_is_used_whole_under_dfc(trials: Trials) -> Finding:
    """With all traffic to one node DFC reaches over 85 % of its limit, TRAIN and PPQ about half."""
    found = {protocol: _carried(_hot_spot(protocol, 1.0)) / 640 for protocol in REAL_TIME}
    holds = found["dfc"] > 0.85 and all(0.4 < found[protocol] < 0.65 for protocol in ("ppq", "train"))
    return Finding(holds, "of the limit: " + ", ".join(f"{protocol} {part:z.2f}" for protocol, part in found.items()))


@checks("todd2001.c95")
def a_gearshift_makes_train_sci_at_low_load(trials: Trials) -> Finding:
    """At low load TRAIN with the gearshift has SCI's throughput, and its latency within 2 %."""
    apart, number, worst = 0, trials.count(20), 0.0
    for _ in range(number):
        drawn = draw_ring(trials.rng)
        ring = Ring(drawn.destinations, loads=(0.02,) * drawn.nodes, keys=drawn.keys)
        shifted, sci = ring.under("train", mode="gearshift").result(), ring.under("sci").result()
        gap = abs(_latency(shifted) / _latency(sci) - 1)
        apart, worst = apart + (gap > 0.02), max(worst, gap)
    return Finding(apart == 0, f"latency apart on {apart} of {number} rings, {worst:z.1%} at most")


@checks("todd2001.c96")
def limited_retries_improve_ppq(trials: Trials) -> Finding:
    """At high load PPQ with an exponential retry delay of 0.5 us carries at least what it does without."""
    shown, holds = [], True
    delayed = {"retry.strategy": "exponential", "retry.delay": "0.5 us"}
    for load in (100, 150, 200):
        plain = _carried(_study("ppq", load, priorities=3))
        limited = _carried(_study("ppq", load, priorities=3, keys=delayed))
        holds = holds and limited >= 0.99 * plain
        shown.append(f"{limited:z.0f} for {plain:z.0f}")
    return Finding(holds, "MB/s at 100, 150, 200 MB/s: " + ", ".join(shown))


@checks("todd2001.c97")
def base_nodes_live_beside_ppq(trials: Trials) -> Finding:
    """Rings of PPQ and base nodes never stand still and starve nobody."""
    stalled = starved = number = 0
    for base in (1, 2, 4, 7):
        for load in (60, 100, 130):
            result = _study("ppq", load, base_nodes=list(range(base)))
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
    largest, at, number = 0.0, "", trials.count(12)
    for _ in range(number):
        ring = draw_ring(trials.rng, nodes=(3, 8))
        found = [ring.under("train", ticket_master=master).throughput(cycles=60_000) for master in (0, ring.nodes // 2)]
        gap = float(np.abs(found[0] - found[1]).max())
        if gap > largest:
            largest, at = gap, f" on {ring}"
    return Finding(largest < 0.02, f"{number} rings, largest difference {largest:z.3f} words per cycle{at}")


@checks("todd2001.c103")
def renumbering_renumbers_dfc(trials: Trials) -> Finding:
    """Renumbered nodes get what they got before under DFC."""
    dfc = {"flow_control.protocol": "dfc"}
    return renumbering(trials, [dfc, {**dfc, "flow_control.fair": True}], priorities=3)
