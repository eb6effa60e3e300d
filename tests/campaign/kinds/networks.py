"""Random networks of rings: of every topology that the schema lists, and rings and switches joined at random."""

from random import Random
from typing import Any

from campaign import schema


def any_network(rng: Random) -> dict[str, Any]:
    """Returns a network section with switches."""
    found = schema.at(("network", "topology"))
    assert found is not None
    names = schema.words(found)
    topology = rng.choice([name for name in names if name != "ring"] + ["rings"] * 6)
    return joined_rings(rng) if topology == "rings" else _sized(topology, rng)


def _sized(topology: str, rng: Random) -> dict[str, Any]:
    """Returns a topology with the sizes that some topologies ask for; what does not belong to it is repaired away."""
    network: dict[str, Any] = {"topology": topology}
    if topology in ("torus", "ring-of-rings"):
        network["shape"] = [rng.randint(2, 4) for _ in range(rng.choice((1, 2, 2, 3)))]
    elif topology == "switch":
        network["nodes"] = rng.choice((2, 4, 6, 8, 16))
    else:
        radix = rng.choice((2, 2, 2, 3, 4))
        network |= {"radix": radix, "size": radix ** rng.choice((1, 2, 3) if radix == 2 else (1, 2))}
    return network


def joined_rings(rng: Random) -> dict[str, Any]:
    """Returns connected rings and switches in lists: each switch joins further rings to the first, or closes a
    circle."""
    rings: list[list[int | str]] = [[] for _ in range(rng.randint(2, 6))]
    for node in range(rng.randint(2, 3 * len(rings))):
        rng.choice(rings).append(node)
    switches = []
    joined = 1
    while joined < len(rings) or (len(switches) < 8 and rng.random() < 0.3):
        fresh = list(range(joined, min(len(rings), joined + rng.randint(1, 3))))
        others = [ring for ring in range(len(rings)) if ring < joined]
        chosen = [*fresh, *rng.sample(others, k=min(len(others), 1 if fresh else 2))]
        if len(chosen) < 2:
            continue
        joined += len(fresh)
        for port, ring in enumerate(rng.sample(chosen, k=len(chosen))):
            rings[ring].append(f"s{len(switches)}.{port}")
        switches.append({"name": f"s{len(switches)}", "ports": len(chosen)})
    members = [{"members": rng.sample(ring, k=len(ring))} for ring in rings]
    return {"topology": "rings", "rings": members, "switches": switches}
