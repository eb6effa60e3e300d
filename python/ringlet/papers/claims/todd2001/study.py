"""The paper's ring, and what is read from its runs."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.claim import Finding, Trials
from ringlet.papers.claims.rings import Ring, all_patterns, draw_ring, words
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run

REAL_TIME = ("ppq", "train", "dfc")


STUDIED = ("sci", *REAL_TIME)


def study_ring(
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


def carried_MBps(result: Result) -> float:  # noqa: N802 - the unit
    """Returns the throughput of all nodes in MB/s."""
    return float(result.nodes["throughput_MBps"].sum())


def by_priority(result: Result, column: str) -> NDArray[np.float64]:
    """Returns a column of the table of priorities, the lowest first, shape (priorities,)."""
    return np.asarray(result.priorities.sort_index()[column], dtype=np.float64)


def latency_ns(result: Result) -> float:
    """Returns the mean latency of the ring in ns."""
    return float(result.total["latency_mean_ns"].iloc[0])


def as_text(values: Sequence[float]) -> str:
    """Returns numbers as text, without decimals."""
    return " ".join(f"{value:z.0f}" for value in values)


def starving_nodes(trials: Trials, protocol: str, **options: object) -> Finding:
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


TRIO = Ring((3, 3, 3, 4, 5, 0), keys={"traffic.transaction": "send80"})
"""Nodes 0, 1 and 2 share the link behind node 2; node 4 has the link to node 5 alone."""


def hot_spot(protocol: str, fraction: float, load_MBps: float = 150) -> Result:
    """Runs the paper's hot spot: so much of each node's traffic goes to node 0."""
    return study_ring(
        protocol,
        load_MBps,
        keys={"traffic.pattern": "hot-spot", "traffic.hot_node": 0, "traffic.hot_fraction": fraction},
    )
