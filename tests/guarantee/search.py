"""One trial: a random ring, its bounds, and simulations that look for a response above one of them."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.sets import ANSWERED, PROTOCOLS, MessageSet, draw
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS as FLOW_CONTROL
from ringlet.theory.guarantee import guarantees
from ringlet.theory.response_flows import Assumed

LONGEST_PERIODS = 4
"""Longest periods that a simulation lasts."""

MOST_CYCLES = 400_000

MOST_UTILISATION = {
    "none": 0.8,
    "dfc": 0.8,
    "sci": 0.4,
    "ppq": 0.4,
    "train": 0.3,
    "token-ring": 0.5,
    "timed-token": 0.4,
    "slotted-ring": 0.4,
    "metaring": 0.4,
}
"""Of the busiest link, up to which sets are drawn: beyond hardly one has a bound."""


@dataclass(frozen=True)
class Drawn:
    """What sets are drawn from."""

    periods: tuple[float, float]
    """Shortest and longest, in cycles."""
    packets: tuple[int, ...]
    """Most packets of a message: one of these."""
    load: float
    """Share of `MOST_UTILISATION` up to which the requests, or moves, of a set load a link."""


MOVES = Drawn((500, 50_000), (1, 4, 16), 1.0)
TRANSACTIONS = Drawn((500, 8_000), (1, 2, 4), 0.6)
"""With responses: shorter runs, of which then more are tried."""


TO_LINK_NS, LONG_TO_LINK_NS = (1, 58, 100), (200, 500, 1000)
"""Times from a switch's bus to its link that are drawn; the longer ones with messages of `LONG_PACKETS`: ports then
hold many packets of one message."""

LONG_PACKETS = (16, 32)
"""Fewest and most packets of a long message."""

LATENESS = (0, 0.1, 0.5, 1, 2.5)
"""Jitters that are drawn, in periods."""

SLOT_CYCLES = 43
"""A slot for a dmove64, with its header."""

MIXED = ("none", "dfc", "sci", "token-ring", "metaring")
"""Protocols of single rings of networks."""


@dataclass
class Trial:
    """What one seed has shown."""

    seed: int
    protocol: str
    scenario: dict[str, Any]
    bound: np.ndarray
    """Of each message in cycles; NaN where there is none."""
    worst: np.ndarray
    """The longest response that was found."""
    simulations: int = 0
    exceeded: list[int] = field(default_factory=list)
    """Messages whose response was above its bound."""

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst found, of the messages that have both."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


def answered(
    random: np.random.Generator, made: MessageSet, sections: dict[str, Any]
) -> tuple[MessageSet, dict[str, Any]]:
    """The set with responses: transactions of a random kind, background traffic of the same or of another one."""
    if "traffic" in sections:
        sections["traffic"]["transaction"] = str(random.choice(["dmove64", "read64", "nwrite64"]))
    sections["queues"]["order"] = str(random.choice(["alternate", "response-first", "request-first", "oldest"]))
    if sections["flow_control"]["protocol"] == "dfc" and random.random() < 0.3:
        # Space for several packets, which go before what passes.
        sections["flow_control"]["bypass"] = int(random.integers(150, 600))
    if sections["flow_control"]["protocol"] == "slotted-ring":
        # As many slots as there is room for, of the longest response.
        sections["flow_control"].pop("slots", None)
        sections["network"]["hop_delay"] = int(random.integers(75, 100))
    return replace(made, transaction=str(random.choice(ANSWERED))), sections


def scenario_of(
    random: np.random.Generator, protocol: str, *, small: bool, drawn: Drawn = MOVES
) -> tuple[MessageSet, dict[str, Any]]:
    """A random set and the sections of its ring; a small set has up to 10 messages."""
    nodes = int(random.choice([2, 3, 4, 6, 8, 12, 16, 24, 32]))
    messages = int(random.integers(1, (min(3 * nodes, 10) if small else 3 * nodes) + 1))
    options: dict[str, Any] = {"protocol": protocol}
    priorities = int(random.choice([1, 3]))
    if protocol == "dfc":
        options["stop_thru"] = bool(random.random() < 0.3)
        priorities = 1 if options["stop_thru"] else priorities
    if protocol == "train":
        options["tickets_per_node"] = int(random.choice([1, 2, 8]))
        # By default the train has room for one packet of each node.
        options |= {} if priorities == 1 else {"size": "unlimited"}
        options["ticket_master"] = int(random.integers(nodes))
        options["delay"] = int(random.choice([0, 2, 4, 9]))
    if protocol == "token-ring":
        options["packets"] = int(random.choice([1, 2, 5]))
        options["release"] = str(random.choice(["early", "header", "returned"]))
    if protocol == "timed-token":
        # An asynchronous one, and synchronous ones.
        priorities = int(random.choice([2, 3]))
        share = int(random.choice([41, 82, 100, 205]))
        if random.random() < 0.5:
            options["thresholds"] = sorted(random.integers(0, 150, int(random.integers(1, 4))).tolist(), reverse=True)
        options["synchronous"] = [share] * nodes if random.random() < 0.5 else share
    if protocol == "slotted-ring":
        options["release"] = str(random.choice(["source", "destination"]))
    if protocol == "metaring":
        options["most_packets"] = int(random.choice([1, 2, 4, 20]))
        options["least_packets"] = int(random.integers(1, options["most_packets"] + 1))
    made = draw(
        random,
        nodes=nodes,
        messages=messages,
        utilisation=random.uniform(0.02, drawn.load * MOST_UTILISATION[protocol]),
        most_packets=int(random.choice(drawn.packets)),
        priorities=priorities,
        periods=drawn.periods,
    )
    hop_delay = int(random.integers(1, 6))
    if protocol == "slotted-ring":
        # A slot and its header have to fit on the ring.
        hop_delay += -(-SLOT_CYCLES * int(random.integers(1, 4)) // nodes)
        if random.random() < 0.5:
            options["slots"] = int(random.integers(1, nodes // -(-SLOT_CYCLES // (hop_delay + 1)) + 1))
    sections = {
        "network": {"hop_delay": hop_delay},
        "flow_control": options,
        "queues": {
            "receive": "unlimited" if protocol == "train" or random.random() < 0.7 else int(random.integers(2, 40)),
            "service_time": int(random.choice([0, 10, 41, 50, 80])),
        },
    }
    if random.random() < 0.25:
        load = f"{random.uniform(0.1, 5):.2f} MB/s"
        pattern = str(random.choice(["uniform", "neighbour"]))
        sections["traffic"] = {"transaction": "dmove64", "arrivals": "periodic", "load": load, "pattern": pattern}
    if FLOW_CONTROL.listed[protocol].bounded_without_echoes and options.get("release") != "returned":
        sections["network"]["echoes"] = bool(random.random() < 0.5)
    if options.get("release") == "destination":
        sections["network"]["echoes"] = False
    return made, sections


def options_of(protocol: str) -> dict[str, Any]:
    """The flow control of a network, or of one of its rings."""
    return {"protocol": protocol, **({"stop_thru": False} if protocol == "dfc" else {})}


def network_of(
    random: np.random.Generator, protocol: str, *, drawn: Drawn = MOVES, mixed: bool = False, long: bool = False
) -> tuple[MessageSet, dict[str, Any]]:
    """A random set, and the sections of the network that carries it.

    Args:
        random: what is drawn from.
        protocol: of the rings.
        drawn: what periods and loads are drawn from.
        mixed: rings have two link rates, and some of them in half of the networks another protocol.
        long: one to three messages of `LONG_PACKETS`, mostly of one priority, and ports with room for them.
    """
    shape = [int(random.integers(2, 4)) for _ in range(2)]
    network: dict[str, Any] = [
        {"topology": "switch", "nodes": int(random.choice([4, 6, 8, 16]))},
        {"topology": "ring-of-rings", "shape": [2, *shape]},
        {"topology": "torus", "shape": shape},
        {"topology": "omega", "size": int(random.choice([4, 8, 16]))},
        {"topology": "dual-ring", "nodes": int(random.integers(3, 9))},
    ][int(random.integers(5))]
    least = 25 if protocol == "slotted-ring" else 1
    network = {**network, "hop_delay": least + int(random.integers(0, 29)), "link_rate": "500 MB/s"}
    options = options_of(protocol)
    places = int(random.choice([64, 512, 512] if long else [4, 8, 64]))
    sections = {
        "network": network,
        "flow_control": options,
        "queues": {"service_time": int(random.choice([0, 10, 50]))},
        "switch": {
            "links": int(random.integers(1, 3)),
            "forwarding": str(random.choice(["cut-through", "store-and-forward"])),
            "rate": f"{random.choice([200, 600, 2000])} MB/s",
            "set_up": int(random.choice([0, 0, 5])),
            "to_link": f"{random.choice(LONG_TO_LINK_NS if long else TO_LINK_NS)} ns",
            "from_link": f"{random.choice([1, 82])} ns",
            "receive": places,
            "transmit": places,
        },
    }
    alone = rl.Scenario.from_dict({"network": network, "traffic": {"arrivals": "none"}}).resolved
    rings, share = alone.routed_network[0], 1.0
    if mixed:
        share = differing(random, sections, list(alone.rings))
    made = draw(
        random,
        nodes=rings.nodes,
        messages=int(random.choice([1, 1, 2, 3]) if long else random.integers(1, 2 * rings.nodes)),
        utilisation=share * random.uniform(0.02, 0.5) * drawn.load * MOST_UTILISATION[protocol],
        most_packets=int(random.choice([1, 1, 4])),
        priorities=int(random.choice([1, 1, 3] if long else [1, 3])),
        periods=drawn.periods,
    )
    if long:
        packets = random.integers(LONG_PACKETS[0], LONG_PACKETS[1] + 1, len(made.packets))
        made = replace(made, packets=packets, period=np.ceil(made.period * packets / made.packets))
    return made.between(rings.senders, rings.receivers, random), sections


def differing(random: np.random.Generator, sections: dict[str, Any], rings: list[str]) -> float:
    """Gives some rings slower links, and perhaps others another protocol; returns the least share of the link rate."""
    symbol = int(random.choice([2, 3, 4, 7]))
    slow = random.permutation(rings)[: random.integers(1, len(rings))].tolist()
    sections["network"]["link_rate"] = {**dict.fromkeys(slow, f"{500 / symbol!r} MB/s"), "others": "500 MB/s"}
    if random.random() < 0.5:
        other = {"flow_control": options_of(str(random.choice(MIXED)))}
        sections["rings"] = dict.fromkeys(random.permutation(rings)[: random.integers(1, len(rings))].tolist(), other)
    return 1 / symbol


@dataclass
class Resolved:
    """A set on its ring, resolved once for all phases."""

    made: MessageSet
    sections: dict[str, Any]
    limit: np.ndarray
    """Bound of each message in cycles; NaN where there is none."""
    spec: dict[str, Any]
    """The engine's."""

    @classmethod
    def of(cls, made: MessageSet, sections: dict[str, Any]) -> "Resolved":
        """Computes the bounds of a set."""
        count = len(made.period)
        scenario = rl.Scenario.from_dict(made.scenario(np.zeros(count), cycles=1, **sections))
        # A periodic source keeps to its rate, and to a burst of the one packet.
        load = sections.get("traffic", {}).get("load")
        try:
            found = guarantees(scenario, Assumed(rate=load, burst="64 B" if load else None))
            limit = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in found])
        except rl.RingletError:
            # More is needed than there is.
            limit = np.full(count, np.nan)
        return cls(made, sections, limit, scenario.network_spec(1))

    def worst_responses(self, offsets: np.ndarray) -> np.ndarray:
        """The longest response of each message in one simulation, in cycles; of one under way its time so far."""
        period, jitter = self.made.period, self.made.jitter
        latest = 0 if jitter is None else jitter.max()
        cycles = int(min(offsets.max() + latest + LONGEST_PERIODS * period.max(), MOST_CYCLES)) + 1
        flows = self.spec["flows"][-len(period) :]
        for flow, offset in zip(flows, offsets.tolist(), strict=True):
            flow["arrivals"]["phase"] = offset
        simulation = Simulation(json.dumps(self.spec), seed=1)
        simulation.advance(cycles)
        counters = {name: values[-len(period) :] for name, values in simulation.flow_counters().items()}
        worst = counters["message_latency_max_cycles"].astype(float)
        # Message k is due at the cycle `offset + k period`, rounded up: of those up to k one is not complete.
        oldest = np.ceil(offsets + counters["completed_messages"] * period)
        return np.maximum(worst, simulation.cycle - 1 - oldest)


def trial(
    seed: int,
    *,
    simulations: int = 3,
    climbs: int = 0,
    protocol: str | None = None,
    small: bool = False,
    network: bool = False,
    mixed: bool = False,
    responses: bool = False,
    late: bool = False,
    long: bool = False,
) -> Trial:
    """Simulates a random set with several phases, then moves phases uphill for the worst response to a bound; late: of
    messages that come up to a jitter of their own after they are due; long, on networks: of 16 to 32 packets each."""
    random = np.random.default_rng(seed)
    chosen = protocol or str(random.choice(PROTOCOLS))
    drawn = TRANSACTIONS if responses else MOVES
    if network:
        made, sections = network_of(random, chosen, drawn=drawn, mixed=mixed, long=long)
    else:
        made, sections = scenario_of(random, chosen, small=small, drawn=drawn)
    if responses:
        made, sections = answered(random, made, sections)
    if late:
        made = replace(made, jitter=np.floor(made.period * random.choice(LATENESS, len(made.period))))
    return look_for(made, sections, seed=seed, random=random, simulations=simulations, climbs=climbs)


def look_for(
    made: MessageSet,
    sections: dict[str, Any],
    *,
    seed: int,
    random: np.random.Generator,
    simulations: int,
    climbs: int,
) -> Trial:
    """Looks for the worst responses of a set.

    Args:
        made: the set.
        sections: of its ring.
        seed: by which the trial is named.
        random: for phases.
        simulations: with phases of their own: all at once, close together, anywhere.
        climbs: simulations that move some phases of the best found so far, for one message in turn.
    """
    count = len(made.period)
    ring = Resolved.of(made, sections)
    limit = ring.limit
    found = Trial(seed, sections["flow_control"]["protocol"], {}, limit, np.zeros(count))
    best: list[np.ndarray] = [np.zeros(count) for _ in range(count)]

    def tried(offsets: np.ndarray) -> None:
        offsets = np.rint(offsets)
        worst = ring.worst_responses(offsets)
        found.simulations += 1
        for i in np.flatnonzero(worst > found.worst):
            found.worst[i], best[i] = worst[i], offsets
        over = np.flatnonzero(worst > limit + 1e-6)
        if len(over) and not found.exceeded:
            found.exceeded = over.tolist()
            found.scenario = json.loads(json.dumps(made.scenario(offsets, cycles=MOST_CYCLES, **sections)))

    if not np.isfinite(limit).any():
        return found
    for i in range(simulations):
        spread = (np.zeros(count), np.full(count, 100.0), made.period)[i % 3]
        tried(random.uniform(0, 1, count) * spread)
    for i in range(climbs):
        # Each message in turn is the one whose response is to grow.
        offsets = best[i % count].copy()
        moved = random.random(count) < 2 / count
        moved[random.integers(count)] = True
        step = random.choice([3.0, 41.0, 300.0, 3000.0])
        offsets[moved] = np.abs(offsets[moved] + random.normal(0, step, int(moved.sum())))
        tried(offsets)
    return found
