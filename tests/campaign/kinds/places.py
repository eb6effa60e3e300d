"""Places of nodes that `ringlet place` finds: each node has one, and what was to be least is not more than before."""

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from campaign.case import Case, Kind
from campaign.cli import command
from campaign.observe import require

FIGURES = {"distance": "distance_links", "load": "worst_link_symbols_per_cycle", "groups": "groups"}
"""What each aim makes least, as the JSON calls it."""

FAILS = ("stalled at cycle", "stalled since cycle", "GiB")


def placed(seed: int) -> Case:
    """Makes a ring, or a small network, whose nodes send by a matrix, to one node each, or by a pattern."""
    rng = Random(f"placed {seed}")
    network: dict[str, Any] = {"nodes": rng.randint(1, 9), "hop_delay": rng.choice([1, 7])}
    if rng.random() < 0.3:
        network = rng.choice(
            [{"topology": "torus", "shape": [2, 3]}, {"topology": "dual-ring", "nodes": rng.randint(2, 6)}]
        )
    nodes = network.get("nodes", 6)
    loads = [f"{rng.choice([0, 1, 30, 200])} MB/s" for _ in range(nodes)]
    traffic: dict[str, Any] = {
        "transaction": rng.choice(["send16", "send80", "dmove64", "read64"]),
        "arrivals": rng.choice(["poisson", "periodic", "saturated"]),
    }
    if traffic["arrivals"] != "saturated":
        traffic["load"] = rng.choice([loads, loads[0]])
    others = [[other for other in range(nodes) if other != node] or [node] for node in range(nodes)]
    kind = rng.choice(["matrix", "matrix", "destinations", "pattern"])
    if kind == "matrix":
        traffic["matrix"] = [_shares(rng, nodes, each) for each in others]
    elif kind == "destinations":
        traffic["destinations"] = [rng.choice(each) for each in others]
    else:
        traffic["pattern"] = rng.choice(["uniform", "neighbour"])
    scenario = {"network": network, "traffic": traffic, "run": {"duration": "3 us"}}
    return Case({"scenario": scenario, "least": rng.choice(list(FIGURES))})


def _shares(rng: Random, nodes: int, others: list[int]) -> list[float]:
    """Returns a row of probabilities of up to three destinations."""
    chosen = rng.sample(others, min(len(others), rng.randint(1, 3)))
    return [1 / len(chosen) if node in chosen else 0.0 for node in range(nodes)]


def check_placed(case: Case, folder: Path, rng: Random) -> str:
    """Places the nodes, and looks at what was found; on a ring the distance is computed again from the matrix."""
    import tomli_w

    scenario, least = case.content["scenario"], str(case.content["least"])
    (folder / "drawn.toml").write_text(tomli_w.dumps(dict(scenario)), encoding="utf-8")
    printed: list[str] = []
    ended = command(
        "place", str(folder / "drawn.toml"), "--least", least, "--json", fails=FAILS, verdicts=(1,), printed=printed
    )
    if ended != "done":
        return ended
    found = json.loads(printed[0], parse_constant=lambda word: require(False, f"{word} in what place prints"))
    places = found["places"]
    require(sorted(places) == list(range(len(places))), f"places of which not each is taken once: {places}")
    before, after = (found[when][FIGURES[least]] for when in ("before", "after"))
    if before is not None:
        require(after <= before * (1 + 1e-9), f"{least} is {after} and was {before}")
    traffic = scenario["traffic"]
    if "topology" not in scenario["network"] and "matrix" in traffic and "load" in traffic:
        for when, order in (("before", list(range(len(places)))), ("after", places)):
            own, said = _mean_distance(traffic, order), found[when]["distance_links"]
            require(abs(own - said) <= 1e-9 * max(1.0, own), f"{when}: distance {said}, by the matrix {own}")
    return ended


def _mean_distance(traffic: dict[str, Any], order: list[int]) -> float:
    """Returns the mean number of links from a packet's source to its destination, 0 without packets.

    A response goes the other way round and is not counted.
    """
    nodes, load = len(order), traffic["load"]
    rates = [float((load if isinstance(load, str) else load[node]).split()[0]) for node in range(nodes)]
    weights = {(i, j): rates[i] * traffic["matrix"][i][j] for i, j in product(range(nodes), repeat=2)}
    total = sum(weights.values())
    links = sum(weight * ((order[j] - order[i]) % nodes) for (i, j), weight in weights.items())
    return links / total if total else 0.0


PLACES = Kind(
    "places", "drawn traffic placed: each place taken once, and what was to be least is", placed, check_placed
)
