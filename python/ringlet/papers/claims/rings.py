"""Drawn rings, and their throughput: what tests of claims share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.claim import Finding, Trials
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run

SIZES_BYTES = (16, 64, 80, 288)
"""Sizes of send packets that tests draw from: the least, the papers' two, and SCI's largest."""


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring on which each node sends to one destination."""

    destinations: tuple[int, ...]
    """Destination of each node."""
    silent: frozenset[int] = frozenset()
    """Nodes that send nothing."""
    loads: tuple[float, ...] | None = None
    """Offered load of each node in words per cycle; None: every node that is not silent always has a packet."""
    keys: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the scenario by their paths, such as `network.hop_delay`."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.destinations)

    @property
    def senders(self) -> list[int]:
        """Nodes that send."""
        return [node for node in range(self.nodes) if node not in self.silent]

    @property
    def size_bytes(self) -> int:
        """Size of the packets, where the transaction is a send packet of one size."""
        return int(str(self.keys["traffic.transaction"]).removeprefix("send"))

    def with_keys(self, keys: Mapping[str, object]) -> "Ring":
        """Returns the same ring with further keys of the scenario, by their paths."""
        return replace(self, keys={**self.keys, **keys})

    def under(self, protocol: str, **options: object) -> "Ring":
        """Returns the same ring under a protocol with these further keys of `flow_control`."""
        named = {f"flow_control.{key}": value for key, value in options.items()}
        return self.with_keys({"flow_control.protocol": protocol, **named})

    def turned(self, by: int) -> "Ring":
        """Returns the ring renumbered: node i becomes node i + `by`."""
        nodes = self.nodes
        destinations = [0] * nodes
        for node, destination in enumerate(self.destinations):
            destinations[(node + by) % nodes] = (destination + by) % nodes
        turned = {path: _turned(value, nodes, by) for path, value in self.keys.items()}
        loads = None if self.loads is None else tuple(np.roll(self.loads, by).tolist())
        silent = frozenset((node + by) % nodes for node in self.silent)
        return Ring(tuple(destinations), silent, loads, turned)

    def scenario(self, *, cycles: int = 30_000, warmup: int = 6_000, seed: int = 1) -> Scenario:
        """Returns the scenario of this ring."""
        content: dict[str, Any] = {
            "network": {"nodes": self.nodes},
            "traffic": {"destinations": list(self.destinations)},
            "run": {"duration": cycles, "warmup": warmup, "seed": seed},
        }
        if self.loads is not None or self.silent:
            loads = self.loads or (1.0,) * self.nodes
            content["traffic"]["load"] = [0 if node in self.silent else load for node, load in enumerate(loads)]
            content["traffic"]["arrivals"] = "poisson"
        for path, value in self.keys.items():
            *tables, key = path.split(".")
            table = content
            for name in tables:
                table = table.setdefault(name, {})
            table[key] = value
        return Scenario.from_dict(content)

    def result(self, *, cycles: int = 30_000, warmup: int = 6_000, seed: int = 1) -> Result:
        """Runs this ring."""
        return run(self.scenario(cycles=cycles, warmup=warmup, seed=seed))

    def throughput(self, *, cycles: int = 30_000, warmup: int = 6_000, seed: int = 1) -> NDArray[np.float64]:
        """Runs this ring and returns the throughput of each node in words per cycle, shape (nodes,)."""
        result = self.result(cycles=cycles, warmup=warmup, seed=seed)
        return result.nodes["throughput_words_per_cycle"].to_numpy(dtype=np.float64)

    def carried(self, node: int, *, cycles: int = 60_000) -> float:
        """Runs this ring and returns how much of what a node offers, as drawn, it carries."""
        nodes = self.result(cycles=cycles).nodes
        return float(nodes["throughput_MBps"].iloc[node] / nodes["offered_MBps"].iloc[node])

    def __str__(self) -> str:
        """Short name of the ring, for evidence: destinations, silent nodes, keys."""
        shown = [f"[{','.join(map(str, self.destinations))}]"]
        if self.silent:
            shown.append(f"silent {','.join(map(str, sorted(self.silent)))}")
        if self.loads is not None:
            shown.append(f"loads {','.join(f'{load:g}' for load in self.loads)}")
        return " ".join(shown + [f"{path.rpartition('.')[2]}={value}" for path, value in self.keys.items()])


def _turned(value: object, nodes: int, by: int) -> object:
    """Returns a key's value by node, renumbered; a value that is not by node as it is."""
    if isinstance(value, list | tuple) and len(value) == nodes:
        return [value[(node - by) % nodes] for node in range(nodes)]
    return value


def draw_ring(
    rng: np.random.Generator,
    *,
    nodes: tuple[int, int] = (4, 8),
    silent: int | tuple[int, int] = 0,
    sizes: Sequence[int] = SIZES_BYTES,
    hop_delays: tuple[int, int] = (1, 8),
) -> Ring:
    """Draws a ring: its nodes, a destination of each, nodes that send nothing, a packet size, a hop delay.

    Ranges are (least, most); at least one node sends.
    """
    number = int(rng.integers(nodes[0], nodes[1] + 1))
    destinations = tuple(int(rng.choice([other for other in range(number) if other != node])) for node in range(number))
    least, most = (silent, silent) if isinstance(silent, int) else silent
    quiet = min(int(rng.integers(least, most + 1)), number - 1)
    keys = {
        "network.hop_delay": int(rng.integers(hop_delays[0], hop_delays[1] + 1)),
        "traffic.transaction": f"send{rng.choice(sizes)}",
    }
    return Ring(destinations, frozenset(rng.choice(number, quiet, replace=False).tolist()), None, keys)


def all_patterns(nodes: int = 4) -> Iterator[tuple[int, ...]]:
    """Returns every choice of one destination for each node: (nodes - 1) ** nodes patterns."""
    return product(*([other for other in range(nodes) if other != node] for node in range(nodes)))


def renumbering(
    trials: Trials,
    variants: Sequence[Mapping[str, object]],
    *,
    priorities: int = 1,
    silent: int | tuple[int, int] = 0,
    rings: int = 12,
) -> Finding:
    """Returns whether renumbered nodes get the same throughput over a long run, for each set of keys."""
    largest, at, number = 0.0, "", 0
    for _ in range(trials.count(rings)):
        # Nodes that send nothing, too; arrivals are not drawn, since nodes draw by their numbers.
        drawn = draw_ring(trials.rng, nodes=(3, 8), silent=silent).with_keys({"traffic.arrivals": "periodic"})
        if not drawn.silent:
            drawn = drawn.with_keys({"traffic.arrivals": "saturated"})
        by = int(trials.rng.integers(1, drawn.nodes))
        for variant in variants:
            ring = drawn.with_keys(variant)
            if priorities > 1:
                levels = trials.rng.integers(0, priorities, drawn.nodes).tolist()
                ring = ring.with_keys({"traffic.priority": levels})
            straight = ring.throughput(cycles=60_000)
            gap = float(np.abs(np.roll(straight, by) - ring.turned(by).throughput(cycles=60_000)).max())
            number += 1
            if gap > largest:
                largest, at = gap, f" on {ring}, turned by {by}"
    return Finding(largest < 0.005, f"{number} rings, largest difference {largest:z.4f} words per cycle{at}")


def words(values: Sequence[float] | NDArray[np.float64]) -> str:
    """Returns throughputs in words per cycle as text, such as `.333 .333 0`."""
    return " ".join("0" if value < 0.0005 else f"{value:z.3f}".removeprefix("0") for value in values)
