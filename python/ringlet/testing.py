"""Checks of a protocol that is written in Python, for the tests of the package that holds it."""

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from ringlet.scenario import Scenario
from ringlet.scenario.flow_control import SymbolProtocol
from ringlet.scenario.resolved.engine_spec import network_spec
from ringlet.simulation.symbol_run import symbol_ring
from ringlet.symbol_ring import SymbolRing
from ringlet.symbol_ring.draws import MAX_CYCLES

CYCLES = 1000
"""Cycles of traffic of each check."""

PATIENCE = 50
"""Times as long as a packet and its echo take on an empty ring, for each packet left, after which a ring does not move
any more."""


class PropertyError(AssertionError):
    """A property that a protocol lacks: which one, on which ring."""


def check_protocol(flow_control: Mapping[str, Any], *, rings: int = 10, seed: int = 1, fair: bool = False) -> int:
    """Checks a protocol on small rings that are drawn, and returns how many there were.

    - *conservation*: what is generated is delivered once, or was lost at a full queue, and the ring ends empty;
    - *liveness*: once nothing arrives any more, all of it is delivered, in so many round trips for each packet;
    - *same seed, same result*: a second ring, advanced beside the first in other steps, counts the same;
    - *renumbering*: the same ring whose nodes are numbered from another one on counts the same at each node (not where
      the protocol has `symmetric = False`);
    - *bypass FIFO*: it holds no more than the protocol's `bypass_room` says, if that says anything;
    - *fairness*, if it is asked for: of saturated senders to one node each is served again and again.

    Args:
        flow_control: the section of a scenario file: the protocol and its keys.
        rings: how many are drawn.
        seed: of the draws.
        fair: whether every saturated sender has to be served.

    Raises:
        PropertyError: a property that does not hold, and the ring on which it does not.
        RingletError: the protocol fails, or does what no node can.
    """
    draws = Random(seed)
    for number in range(rings):
        scenario = _drawn(draws, flow_control)
        for property_, problem in _problems(scenario, draws, fair=fair):
            protocol = scenario.flow_control
            named = protocol.added_by or f"flow_control.protocol: {protocol.protocol!r}"
            where = f"ring {number} of seed {seed}, {scenario.short_dict()}"
            raise PropertyError(f"{named}, lacks {property_}: {problem}; {where}")
    return rings


def _drawn(draws: Random, flow_control: Mapping[str, Any]) -> Scenario:
    nodes = draws.randint(2, 6)
    hops: int | list[int] = draws.choice([1, 2, 5, 13])
    if draws.random() < 0.3:
        hops = [draws.randint(1, 12) for _ in range(nodes)]
    load = f"{draws.choice([20, 60, 150, 400])} MB/s"
    traffic = [{"arrivals": arrivals, "load": load} for arrivals in ("poisson", "bernoulli", "periodic")]
    arrivals = draws.choice([{"arrivals": "saturated"}, *traffic])
    queues: dict[str, Any] = {}
    if draws.random() < 0.5:
        queues = {"receive": draws.choice([1, 2, 4]), "service_time": f"{draws.choice([0, 40, 200])} ns"}
    if draws.random() < 0.3:
        queues["transmit"] = draws.choice([1, 4])
    transaction = draws.choice(["send80", "send16", "read64", "nwrite64"])
    return Scenario.from_dict(
        {
            "network": {"nodes": nodes, "hop_delay": hops},
            "flow_control": dict(flow_control),
            "traffic": {"transaction": transaction, **arrivals},
            "queues": queues,
            "run": {"seed": draws.randrange(1 << 53)},
        }
    )


def _problems(scenario: Scenario, draws: Random, *, fair: bool) -> Iterator[tuple[str, str]]:
    spec = network_spec(scenario.resolved, scenario.seed)
    ring, again = symbol_ring(scenario, spec), symbol_ring(scenario, spec)
    done = 0
    while done < CYCLES:
        step = min(draws.randint(1, 400), CYCLES - done)
        done += step
        again.advance(step)
    ring.advance(CYCLES)
    if (difference := _difference(ring, again, 0)) is not None:
        yield "same seed, same result", difference
    yield from _comes_to_rest(ring, spec)
    protocol = scenario.flow_control
    assert isinstance(protocol, SymbolProtocol)
    of_ring = scenario.resolved.ring
    room = protocol.bypass_room(protocol.resolved(of_ring), of_ring.nodes, of_ring.longest_symbols)
    held = int(ring.node_counters()["bypass_max_symbols"].max())
    if room is not None and held > room:
        yield "bypass FIFO", f"it held {held} symbols; allowed: {room}, as bypass_room says"
    if protocol.symmetric:
        yield from _renumbered(scenario, spec, draws)
    if fair:
        yield from _served(scenario, spec)


def _comes_to_rest(ring: SymbolRing, spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Lets nothing arrive any more."""
    for node in ring.nodes:
        for flow in node.host.queue.flows:
            flow.source.saturated, flow.source.next = False, MAX_CYCLES
    round_trip = sum(map(len, ring.links)) + _longest(spec) + _slowest_service(spec)
    left = sum(counts.generated for counts in ring.records.counts)
    for _ in range(PATIENCE * (left + 1)):
        if ring.is_at_rest:
            break
        ring.advance(round_trip)
    else:
        waiting = [index for index, node in enumerate(ring.nodes) if node.waits]
        yield "liveness", f"{ring.cycle - CYCLES} cycles after the last arrival packets of nodes {waiting} still wait"
        return
    for number, counts in enumerate(ring.records.counts):
        requests = len(counts.latencies) - len(counts.response_latencies)
        lost = counts.lost + counts.dropped
        if requests + lost != counts.generated:
            says = f"flow {number} generated {counts.generated} requests, {requests} were delivered and {lost} lost"
            yield "conservation", says


def _renumbered(scenario: Scenario, spec: Mapping[str, Any], draws: Random) -> Iterator[tuple[str, str]]:
    """Compares two rings with saturated senders to fixed nodes that differ in the number of the first node alone."""
    nodes = spec["nodes"]
    turn = draws.randrange(1, nodes)
    hops = spec["hop_delay"]["each"] or [spec["hop_delay"]["common"]] * nodes
    to = [(node + draws.randrange(1, nodes)) % nodes for node in range(nodes)]

    def ring(first: int) -> SymbolRing:
        turned = copy.deepcopy(dict(spec))
        turned["hop_delay"] = {**spec["hop_delay"], "each": [hops[node - first] for node in range(nodes)]}
        for flow in turned["flows"]:
            flow["arrivals"] = {"kind": "saturated"}
            flow["burst"] = 1
            flow["destinations"] = {"kind": "fixed", "node": (to[flow["source"] - first] + first) % nodes}
            flow["sizes"] = spec["flows"][0]["sizes"][:1]
        made = symbol_ring(scenario, turned)
        made.advance(CYCLES)
        return made

    if (difference := _difference(ring(0), ring(turn), turn)) is not None:
        yield "renumbering", f"{difference} from node {turn} on"


def _served(scenario: Scenario, spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Lets all nodes but the last one send to it for ever."""
    saturated = copy.deepcopy(dict(spec))
    for flow in saturated["flows"]:
        flow["arrivals"], flow["burst"] = {"kind": "saturated"}, 1
        flow["destinations"] = {"kind": "fixed", "node": spec["nodes"] - 1 if flow["source"] + 1 < spec["nodes"] else 0}
    ring = symbol_ring(scenario, saturated)
    ring.advance(CYCLES)
    before = ring.flow_counters()["delivered_packets"]
    window = PATIENCE * spec["nodes"] * (sum(map(len, ring.links)) + _longest(spec) + _slowest_service(spec))
    ring.advance(window)
    for flow, (now, then) in enumerate(zip(ring.flow_counters()["delivered_packets"], before, strict=True)):
        if now == then:
            yield "fairness", f"nothing of the saturated flow {flow} was delivered in {window} cycles"


def _difference(one: SymbolRing, other: SymbolRing, turn: int) -> str | None:
    """Returns the first count that differs between two rings, the nodes of the second one turned."""
    for what, ours, theirs in (
        ("flow", one.flow_counters(), other.flow_counters()),
        ("node", one.node_counters(), other.node_counters()),
    ):
        for name, column in ours.items():
            for place, count in enumerate(column.tolist()):
                counted = int(theirs[name][(place + turn) % len(column)])
                if counted != count:
                    return f"{name} of {what} {place} is {count}, and then {counted}"
    return None


def _longest(spec: Mapping[str, Any]) -> int:
    sizes = [size for flow in spec["flows"] for size, _ in flow["sizes"]]
    return max([*sizes, *(flow["response_symbols"] or 0 for flow in spec["flows"])], default=0)


def _slowest_service(spec: Mapping[str, Any]) -> int:
    receive = spec["queues"]["receive"]
    each: list[int] = [one["service_cycles"] for one in receive["each"] or [receive["common"]]]
    return max(each)
