"""Failures of one link or one station of HSR rings: does any packet get lost?

Draws rings of 3 to 16 stations that send a copy of each packet round both rings, sets of flows, and one failure each:
any link of either ring, or any station, at any time, for a while or for good. Every message of a flow whose own
stations live has to arrive (IEC 62439-3; docs/how-to/failures.md):

    python benches/hsr_failures.py --sets 1000 --seed 1
"""

import argparse
import random
from typing import Any

import ringlet as rl

MESSAGES = 20
"""Messages of each flow: all are over long before the run ends."""


def ring(rng: random.Random) -> tuple[dict[str, Any], set[int]]:
    """Draws a ring with its flows and a failure; returns it and the stations that fail."""
    nodes = rng.randint(3, 16)
    flows = []
    for number in range(rng.randint(1, 6)):
        source, destination = rng.sample(range(nodes), 2)
        flow = {
            "name": f"flow {number}",
            "source": source,
            "destination": destination,
            "size": rng.choice((16, 64, 160, 700, 1500)),
            "total": MESSAGES,
        }
        if rng.random() < 0.5:
            flow |= {
                "arrivals": "periodic",
                "period": f"{rng.uniform(5, 20):.2f} us",
                "jitter": rng.choice((0, "4 us")),
            }
        else:
            flow |= {"arrivals": "poisson", "rate": f"{flow['size'] / rng.uniform(10, 20):.3f} MB/s"}
        flows.append(flow)
    failure: dict[str, Any] = {"fails_at": f"{rng.uniform(0.1, 300):.2f} us"}
    if rng.random() < 0.5:
        failure["repaired_at"] = f"{rng.uniform(300.1, 500):.2f} us"
    place = rng.randrange(nodes)
    is_station = rng.random() < 0.3
    if is_station:
        errors = {"nodes": [{"node": place, **failure}]}
    else:
        errors = {"links": [{"source": f"{place}.{rng.choice(('rising', 'falling'))}", **failure}]}
    content = {
        "network": {
            "topology": "dual-attached-ring",
            "ways": "both",
            "nodes": nodes,
            "hop_delay": rng.choice((1, 5, 40)),
        },
        "flow_control": {"protocol": "none"},
        "traffic": {"arrivals": "none", "largest_packet": 1600},
        "flows": flows,
        "errors": errors,
        "run": {"duration": "4 ms", "warmup": 0, "seed": rng.getrandbits(31)},
    }
    return content, {place} if is_station else set()


def main() -> None:
    """Draws the sets, and prints how many copies and how many messages were lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    messages = copies = missing = struck = 0
    for number in range(asked.sets):
        content, failed = ring(random.Random(f"{asked.seed} {number}"))
        found = rl.run(content).to_dict(timing=False)
        lost = found["errors"]["lost_sends"]
        copies += lost
        struck += lost > 0
        for flow, said in zip(found["flows"], content["flows"], strict=True):
            if failed.isdisjoint((said["source"], said["destination"])):
                messages += flow["offered"]
                missing += flow["offered"] - flow["delivered"]
                if flow["offered"] != flow["delivered"]:
                    print(f"set {number}: {flow['name']}: {flow['delivered']} of {flow['offered']} delivered")
    print(f"{asked.sets} sets, of which {struck} lost {copies} copies; {missing} of {messages} messages did not arrive")


if __name__ == "__main__":
    main()
