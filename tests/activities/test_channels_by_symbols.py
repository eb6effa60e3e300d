"""Channels of a collective operation on rings that are advanced symbol by symbol in Python equal the engine's."""

import heapq
from dataclasses import dataclass
from random import Random

import pytest

import ringlet as rl
from ringlet.symbol_ring import NoneStation, SciStation, SymbolRing
from ringlet.symbol_ring.packets import REQUEST, Message, Packet

STATIONS = {"none": NoneStation, "sci": SciStation}
OPERATIONS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")


@dataclass
class Sent:
    """A packet of a channel."""

    channel: int
    source: int
    destination: int
    before: int | None
    """Number of the packet that it hands on; None: it waits for nothing."""
    gap: int
    """Cycles after that one's delivery."""
    delivered: int | None = None


def steps(operation, members, root, packets, reduce_cycles):
    """Source, destination, place of the packet that it hands on (None: of none) and wait of each packet of a channel,
    as docs/how-to/collectives.md says it."""
    count, found = len(members), []

    def send(place, to, came, gap):
        found.extend(
            (members[place], members[to % count], None if came is None else came + packet, gap)
            for packet in range(packets)
        )
        return len(found) - packets

    if operation == "all-to-all":
        for step in range(1, count):
            for place in range(count):
                send(place, place + step, None, 1)
    elif operation == "broadcast":
        came = None
        for hop in range(count - 1):
            came = send((root + hop) % count, root + hop + 1, came, 1)
    else:
        combining = 0 if operation == "all-gather" else count - 1
        gathering = 0 if operation == "reduce-scatter" else count - 1
        came = [None] * count
        for step in range(combining + gathering):
            gap = max(reduce_cycles, 1) if 1 <= step <= combining else 1
            sent = [send(place, place + 1, came[place], gap) for place in range(count)]
            came = [sent[place - 1] for place in range(count)]
    return found


class Rings:
    """One ring or two, the second one against the first, on which the packets of all channels go."""

    def __init__(self, scenario, plans):
        spec = scenario.network_spec(1)
        station, self.nodes = STATIONS[scenario.flow_control.protocol], spec["nodes"]
        # A flow for each node, which sends nothing of its own.
        never = {"kind": "periodic", "period": 1.0, "phase": 2.0**53}
        like = {**spec["flows"][0], "arrivals": never, "destinations": {"kind": "uniform"}}
        flows = [{**like, "source": node} for node in range(self.nodes)]
        self.ahead = scenario.resolved.routed_network[0].ahead
        self.rings = []
        for _ in range(1 if self.ahead is None else 2):
            hop = {"common": scenario.network.hop_delay, "each": None}
            ring = SymbolRing({**spec, "flows": flows, "hop_delay": hop}, lambda _: station(), 1)
            ring.records.deliver = self.deliver
            self.rings.append(ring)
        self.cycle = 0
        self.symbols = spec["flows"][0]["sizes"][0][0]
        self.sent = []
        for channel, plan in enumerate(plans):
            first = len(self.sent)
            each = steps(plan.collective.operation, plan.members, plan.root, plan.packets, plan.reduce_cycles)
            for source, destination, came, gap in each:
                before = None if came is None else first + came
                self.sent.append(Sent(channel, source, destination, before, gap))
        self.behind = [[] for _ in self.sent]
        """Numbers of the packets that hand each on."""
        self.due = []
        """Packets that start in a known cycle: cycle and number."""
        for number, one in enumerate(self.sent):
            if one.before is None:
                heapq.heappush(self.due, (plans[0].start_cycle, number))
            else:
                self.behind[one.before].append(number)

    def on_first(self, source, destination):
        return self.ahead is None or (destination - source) % self.nodes <= self.ahead[source]

    def place(self, ring, node):
        return node if ring == 0 else self.nodes - 1 - node

    def enter(self, number):
        one = self.sent[number]
        ring = 0 if self.on_first(one.source, one.destination) else 1
        source, destination = (self.place(ring, node) for node in (one.source, one.destination))
        packet = Packet(
            number, REQUEST, source, source, destination, self.symbols, None, 0, self.cycle, Message(self.cycle, 1)
        )
        self.rings[ring].nodes[source].host.queue.waiting.append(packet)

    def deliver(self, packet, cycle):
        self.sent[packet.number].delivered = cycle
        for number in self.behind[packet.number]:
            heapq.heappush(self.due, (cycle + self.sent[number].gap, number))

    def run(self):
        """Goes on until all is delivered, and returns the cycle of the last delivery of each channel."""
        while any(one.delivered is None for one in self.sent):
            assert self.cycle < 200_000
            while self.due and self.due[0][0] <= self.cycle:
                self.enter(heapq.heappop(self.due)[1])
            for ring in self.rings:
                assert ring.advance(1) is None
            self.cycle += 1
        channels = {one.channel for one in self.sent}
        return [max(one.delivered for one in self.sent if one.channel == channel) for channel in sorted(channels)]


def drawn(draws):
    """Any small ring or two, with up to five channels, in any orders."""
    protocol, nodes = draws.choice(sorted(STATIONS)), draws.randint(2, 6)
    topology = draws.choice(["ring", "dual-attached-ring"])
    operation, channels = draws.choice(OPERATIONS), draws.randint(1, 5)
    members = draws.sample(range(nodes), draws.randint(2, nodes))
    collective = {
        "operation": operation,
        "size": draws.randint(1, 300 * len(members)),
        "members": members,
        "channels": channels,
        "start": draws.choice([0, 40]),
    }
    if draws.random() < 0.5:
        collective["orders"] = [draws.sample(members, len(members)) for _ in range(channels)]
    if operation == "broadcast" and draws.random() < 0.5:
        collective["root"] = draws.choice(members)
    if operation in ("all-reduce", "reduce-scatter"):
        collective["reduce_time"] = draws.choice([0, 1, 30])
    queues = draws.choice(
        [{}, {"service_time": "50 ns"}, {"receive": 1, "service_time": "200 ns"}, {"outstanding": draws.randint(1, 3)}]
    )
    network = {"topology": topology, "nodes": nodes, "hop_delay": draws.randint(1, 20)}
    if protocol == "none" and not {"receive", "outstanding"} & queues.keys() and draws.random() < 0.5:
        network["echoes"] = False
    content = {"network": network, "flow_control": {"protocol": protocol}, "queues": queues, "collective": collective}
    return rl.Scenario.from_dict(content)


@pytest.mark.parametrize("seed", range(8))
def test_channels_end_in_the_cycle_in_which_they_end_symbol_by_symbol(seed):
    draws = Random(seed)
    for _ in range(5):
        scenario = drawn(draws)
        plans = scenario.resolved.plans
        expected = Rings(scenario, plans).run()
        document = rl.run(scenario).document
        last = plans[0].reduce_cycles if plans[0].collective.operation == "reduce-scatter" else 0
        taken = [(cycle - plans[0].start_cycle + last) * scenario.symbol_time_ns for cycle in expected]
        found = [channel["completion_time_ns"] for channel in document["channels"]]
        assert found == pytest.approx(taken), scenario.short_dict()
        whole = document["collective"]
        assert whole["completion_time_ns"] == pytest.approx(max(taken))
        for one in (whole, *document["channels"]):
            assert one["bandwidth_bound_ns"] <= one["completion_time_ns"] + 1e-6, scenario.short_dict()
            assert one["latency_bound_ns"] <= one["completion_time_ns"] + 1e-6, scenario.short_dict()
