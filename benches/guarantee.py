"""Processor time and memory of bounds for 20,000 messages on 8 nodes, by protocol and utilisation of a link."""

import resource
import time

import numpy as np

import ringlet as rl
from ringlet.theory.guarantee import guarantees

NODES, COUNT, NS = 8, 20_000, 2


def messages(utilisation: float) -> list[dict[str, object]]:
    """Returns random messages of one packet each, with periods over two decades, of this utilisation of a link."""
    random = np.random.default_rng(1)
    size = random.integers(8, 125, size=COUNT) * 2
    source = random.integers(NODES, size=COUNT)
    destination = (source + 1 + random.integers(NODES - 1, size=COUNT)) % NODES
    period = np.exp(random.uniform(np.log(1e5), np.log(1e7), size=COUNT))
    # A packet, with its header and idle, crosses half of the links.
    period = np.round(period * ((size / 2 + 9) / period).sum() / 2 / utilisation) * NS
    columns = zip(source.tolist(), destination.tolist(), size.tolist(), period.tolist(), strict=True)
    return [
        {"name": str(i), "source": one, "destination": other, "size": bytes_, "period": f"{ns} ns", "priority": i % 4}
        for i, (one, other, bytes_, ns) in enumerate(columns)
    ]


for protocol, utilisation in (("none", 0.05), ("sci", 0.05), ("token-ring", 0.05), ("none", 0.3)):
    ring = {"network": {"nodes": NODES}, "flow_control": {"protocol": protocol}, "messages": messages(utilisation)}
    begun = time.process_time()
    scenario = rl.Scenario.from_dict(ring)
    made = time.process_time()
    bounded = sum(one.bound_cycles is not None for one in guarantees(scenario))
    bounds_s = time.process_time() - made
    memory_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{protocol}, {utilisation:.0%} of a link: scenario {made - begun:.1f} s, bounds {bounds_s:.1f} s, "
        f"{bounded} of {COUNT} bounded; most memory so far {memory_kb / 1024:.0f} MB"
    )
