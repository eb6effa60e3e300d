"""A scenario resolved: node numbers, cycles, symbols and probabilities in place of units, names and rules."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.rings.lighter import Group, lighter_ahead
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.activities.flows.activity import FlowsKeys
from ringlet.scenario.activities.flows.keys import FlowKeys, read_flows
from ringlet.scenario.activities.messages import periodic as periodic_messages
from ringlet.scenario.activities.messages.activity import MessageKeys
from ringlet.scenario.activities.messages.keys import Message, read_messages
from ringlet.scenario.activities.messages.periodic import PeriodicMessage
from ringlet.scenario.activities.own_names import with_own_names
from ringlet.scenario.activities.plan import Levels, Periodic, Plan, Surroundings, pattern_of
from ringlet.scenario.activities.registry import ACTIVITIES, PLANS
from ringlet.scenario.flow_control import Ring, Shape, SymbolProtocol
from ringlet.scenario.network import node_numbers, own_names
from ringlet.scenario.network.topology import routed
from ringlet.scenario.resolved.failures import LinkErrors, longest_in_time, sci_longest, timeout_cycles
from ringlet.scenario.resolved.flows import background_flows, message_flows, request_rates, work_to_end
from ringlet.scenario.resolved.horizon import (
    DEFAULT_PRECISION,
    MOST_NODE_CYCLES,
    MOST_SYMBOL_NODE_CYCLES,
    Horizon,
    cycles_to_end,
    of_plans,
)
from ringlet.scenario.resolved.network import ResolvedNetwork
from ringlet.scenario.resolved.ring_protocols import RingProtocols
from ringlet.scenario.resolved.transport import needs_echoes
from ringlet.scenario.resolved.wrapping import QUIET_BEHIND_PACKET
from ringlet.scenario.values.destinations import Fixed, Pattern
from ringlet.scenario.values.framing import MOST_FRAMING_SYMBOLS
from ringlet.scenario.values.link_format import ECHO_BYTES
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import within
from ringlet.scenario.values.per_node import of_ports
from ringlet.scenario.values.transactions import HEADER_BYTES, SCI_MAX_BYTES, TRANSACTIONS

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes
    from ringlet.scenario.resolved.replay import Replay

OneKind = TypeVar("OneKind", bound=Plan)

DEFAULT_DURATION = "1 ms"
"""Measured time of scenarios that need no other: traffic in which nothing is random, or in which parts fail."""

STALL_CYCLES = 1_000_000
STALL_REVOLUTIONS = 20
STALL_DELAYS = 20
LEAST_STALL_CYCLES = 25_000


class Resolved(ResolvedNetwork):
    """A scenario file in the quantities of the engine and of theory.

    Each part is computed at its first use, and raises RingletError where what the file says does not fit.
    """

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Results of theory from the parts that do not depend on the load, by names of its own."""
        return {}

    @cached_property
    def routed_network(self) -> "tuple[Rings, Routes]":
        """Rings, nodes and switches, and how packets are routed: where that depends on what is sent, by its rates."""
        network, routes = routed(self.file.network)
        if not self.file.network.follows_traffic or network.ahead is None:
            return network, routes
        section = self.file.network.changed(ways="shorter")
        demand, groups = Resolved(self.file.changed(network=section), self.folder)._demand()
        return replace(network, ahead=lighter_ahead(demand, network.ahead, groups)), routes

    def _demand(self) -> tuple[NDArray[np.float64], list[Group]]:
        """Returns what each node sends to each other one, in symbols per cycle, idles included, shape (nodes, nodes),
        and what goes to several receivers at once; what takes all it gets sends a packet behind the other."""
        nodes = self.nodes
        demand = np.zeros((nodes, nodes))
        groups = []
        goes_round = self.has_copies and self.stripped_by == "source"
        several = {id(self.flows[number]): tuple(nodes) for number, nodes in self.receivers.items()}
        for flow in self.steady_flows() or ():
            symbols = sum(size * share for size, share in flow.sizes) + 1
            rate = 1 / symbols if math.isinf(flow.rate) else flow.rate
            if id(flow) in several:
                groups.append(Group(flow.source, several[id(flow)], symbols * rate, goes_round))
                continue
            packets = rate * flow.destinations.row(flow.source, nodes)
            demand[flow.source] += symbols * packets
            if flow.response_symbols is not None:
                demand[:, flow.source] += (flow.response_symbols + 1) * packets
        return demand, groups

    @cached_property
    def ring_protocols(self) -> RingProtocols:
        """The flow control of each ring.

        Raises:
            RingletError: a section of a ring that is not there.
        """
        return RingProtocols.of(self.file.flow_control, self.file.rings or {}, self.rings if self.file.rings else {})

    @cached_property
    def service_cycles(self) -> NDArray[np.int64]:
        """Cycles to serve a received packet at each node; shape (nodes,)."""
        given = self.file.queues.service_time
        each: list[int] | int
        if isinstance(given, list | dict):
            each = [self.cycles(one) for one in self.of_nodes("queues.service_time", given)]
        else:
            each = self.cycles(given)
        return np.broadcast_to(np.asarray(each, dtype=np.int64), (self.nodes,))

    @cached_property
    def receive_places(self) -> list[int | None]:
        """Places of each node's receive queues; None: unlimited."""
        return [limit(one) for one in self.of_nodes("queues.receive", self.file.queues.receive)]

    @property
    def least_receive_places(self) -> int | None:
        """Places of the shortest receive queue; None: all are unlimited."""
        return min((one for one in self.receive_places if one is not None), default=None)

    def places(self, key: str) -> list[int | None]:
        """Returns each node's value of a key of `[queues]`; None: unlimited."""
        return [limit(one) for one in self.of_nodes(f"queues.{key}", getattr(self.file.queues, key))]

    def least_places(self, key: str) -> int | None:
        """Returns the least value of a key of `[queues]`; None: all are unlimited."""
        return min((one for one in self.places(key) if one is not None), default=None)

    @cached_property
    def echoes(self) -> bool:
        """Do destinations send echoes? As the file says, else as its protocols do, and where something needs them."""
        said = self.file.network.echoes
        if said is not None:
            return said
        by_default = self.file.network.has_echoes and any(one.echoes for _, one in self.ring_protocols.named())
        # A missing echo is how a sender learns of a loss, which another ring may make up for.
        sent_again = self.file.errors.lose and self.file.network.has_ports
        return by_default or sent_again or bool(needs_echoes(self.file))

    @cached_property
    def outstanding(self) -> list[int | None]:
        """Packets that each node may have sent and not yet seen accepted; None: any number, as without echoes."""
        if not self.echoes:
            return [None] * self.nodes
        return self.places("outstanding") if self.file.queues.outstanding else [self._own_outstanding] * self.nodes

    @property
    def _own_outstanding(self) -> int | None:
        """Packets that a node may have sent and not yet seen accepted where the file does not say it: the most of its
        protocols; None: any number."""
        each = [protocol.outstanding for _, protocol in self.ring_protocols.named()]
        return None if None in each else max(one for one in each if one is not None)

    @cached_property
    def largest_packet_bytes(self) -> int:
        """Bytes of the longest packet that may be sent: as the file says, else what all its protocols take."""
        said = self.file.traffic.largest_packet
        return said or min(protocol.largest_packet_bytes for _, protocol in self.ring_protocols.named())

    @cached_property
    def host_limits(self) -> list[dict[str, Any]]:
        """The limits of each node's host, as the engine has them."""
        delays = [self.cycles(one) for one in self.of_nodes("retry.delay", self.file.retry.delay)]
        strategies = self.of_nodes("retry.strategy", self.file.retry.strategy)
        each = {
            "response_capacity": self.places("responses"),
            "transmit_capacity": self.places("transmit"),
            "outstanding_limit": self.outstanding,
            "window": self.places("window"),
            "retry": [_retry(*one) for one in zip(strategies, delays, strict=True)],
        }
        return [dict(zip(each, values, strict=True)) for values in zip(*each.values(), strict=True)]

    @property
    def port_limits(self) -> dict[str, Any]:
        """Limits of the hosts of ports: what all nodes have, or a table says of others, or the default."""
        queues = self.file.queues

        def of_port(key: str) -> int | None:
            return limit(of_ports(getattr(queues, key), type(queues).fields[key].default))

        outstanding = None
        if self.echoes:
            said = of_ports(queues.outstanding, None)
            outstanding = self._own_outstanding if said is None else limit(said)

        retry = self.file.retry
        return {
            "response_capacity": of_port("responses"),
            "transmit_capacity": of_port("transmit"),
            "outstanding_limit": outstanding,
            "window": of_port("window"),
            "retry": _retry(
                of_ports(retry.strategy, type(retry).fields["strategy"].default),
                self.cycles(of_ports(retry.delay, type(retry).fields["delay"].default)),
            ),
        }

    @property
    def echo_symbols(self) -> int:
        """Length of an echo, framing included and its idle not; of SCI's where there are no echoes.

        A size that the file gives for other protocols of a study does not make packets longer here.
        """
        return self.link_format.echo_symbols if self.echoes else self.link_format.symbols(ECHO_BYTES)

    @property
    def echo_cost_symbols(self) -> int:
        """Symbols that an echo takes of a link, its idle included; 0 without echoes."""
        return self.echo_symbols + 1 if self.echoes else 0

    @property
    def outstanding_limit(self) -> int | None:
        """Most packets that a node may have sent and not seen accepted; None: any number, as without echoes."""
        each = [one["outstanding_limit"] for one in self.host_limits]
        return None if None in each else max(one for one in each if one is not None)

    @property
    def mean_send_symbols(self) -> float:
        """Mean length of a request packet of the background traffic, in symbols."""
        framing = self.link_format.framing_symbols
        return self.file.traffic.moves.mean_request_bytes / self.link_format.symbol_bytes + framing

    @property
    def mean_payload_symbols(self) -> float:
        """Mean data of a transaction of the background traffic, in words of a symbol; all of a bare send packet."""
        return self.file.traffic.moves.payload_bytes / self.link_format.symbol_bytes

    @property
    def measured_cycles(self) -> int | None:
        """Cycles to measure, or with a precision the most; None: until what is asked is known."""
        return self.horizon.measured

    @cached_property
    def horizon(self) -> Horizon:
        """The time to measure: as the file says, or until what it asks is known."""
        file, run = self.file, self.file.run
        if run.duration is not None:
            return Horizon("duration", self.cycles(run.duration), run.precision)
        if run.precision is not None:
            return Horizon("precision", precision=run.precision)
        if file.traffic.replayed is not None:
            return Horizon("trace")
        if self.takes_place_once:
            return Horizon("complete", until_over=True)
        default = self.cycles(DEFAULT_DURATION)
        if isinstance(file.flow_control, SymbolProtocol):
            most = max(1, MOST_SYMBOL_NODE_CYCLES // self.nodes)
            if self.is_random:
                return Horizon("precision", precision=DEFAULT_PRECISION, most=most)
            return Horizon("default", min(default, most))
        errors = self.link_errors
        if errors is not None and file.errors.fail:
            # As long behind the last change as before it.
            default = max(default, 2 * errors.last_change_cycle)
        if self.messages or self.plans:
            return self._horizon_of_plans(
                default if errors is not None or file.traffic.arrival_process.generates else 1
            )
        if self.is_random and not file.errors.fail:
            most = max(default, MOST_NODE_CYCLES // self.nodes)
            return Horizon("precision", precision=DEFAULT_PRECISION, most=most)
        return Horizon("default", default)

    def _horizon_of_plans(self, least: int) -> Horizon:
        """Returns how long messages, loops and events take, at least so many cycles."""
        periodic = [
            Periodic(one.period_cycles, one.offset_cycles, one.deadline_cycles + one.jitter_cycles)
            for one in self.messages
            if not one.extra_cycles
        ]
        periodic += [plan.periodic for plan in self.plans if plan.periodic is not None]
        # What is saturated sends a packet behind the other.
        rates = [
            1 / (sum(size * share for size, share in flow.sizes) + 1) if math.isinf(flow.rate) else flow.rate
            for flow in self.flows
        ]
        intervals = [one.trigger_interval_cycles for one in self.plans if one.trigger_interval_cycles is not None]
        sporadic = [one.mean_period_cycles for one in self.messages if one.extra_cycles]
        sporadic += [one.release_interval_cycles for one in self.plans if one.release_interval_cycles is not None]
        return of_plans(
            periodic,
            max(intervals, default=None),
            sum(rates),
            least=least,
            release_interval=max(sporadic, default=None),
            end=max((self._end_of(one) for one in self.plans), default=0),
        )

    def _end_of(self, plan: Plan) -> int:
        """Returns the cycle in which all of a plan that ends has been served, by estimate; 0 where nothing ends."""
        released = plan.last_release_cycle
        if not any(messages for messages, _ in plan.to_end):
            return released
        first = self.first_flow(plan)
        flows, one_ring = self.flows[first : first + plan.flow_count], not self.switched
        work = work_to_end(flows, plan.to_end, self.nodes, one_ring=one_ring)
        window = min((limit for limit in self.outstanding if limit), default=None)
        return released + cycles_to_end(
            # The last messages may all come at once.
            max(work.busiest, released + work.largest * plan.rounds_to_end),
            released,
            revolution=self.revolution_cycles,
            rounds=plan.rounds_to_end + (0.0 if window is None else work.packets / window),
            one_ring=one_ring,
        )

    @property
    def revolution_cycles(self) -> int:
        """Cycles of hop delays round the longest ring."""
        return int(np.add.reduceat(self.hop_cycles, self.routed_network[0].ring_start[:-1]).max())

    @property
    def warmup(self) -> int | Literal["auto"]:
        """Cycles of the warm-up, or "auto".

        A trace, or messages, loops, a collective operation or flows that end alone, have none, so that their first
        packets count, nor has what fails.
        """
        file = self.file
        if file.run.warmup == "auto":
            counts = any(
                plan.waits or plan.last_release_cycle > 0 or any(messages for messages, _ in plan.to_end)
                for plan in self.plans
            )
            planned = self.message_keys.has_messages or file.traffic.replayed is not None or counts
            alone = planned and not file.traffic.arrival_process.generates
            return 0 if file.errors.fail or alone else "auto"
        return self.cycles(file.run.warmup)

    @cached_property
    def replay(self) -> "Replay | None":
        """The trace that is replayed; None without one. Its flows are the first ones of the engine's."""
        if self.file.traffic.replayed is None:
            return None
        from ringlet.scenario.resolved.replay import Replay

        network = self.file.network
        names: Sequence[str] = own_names(network)
        if network.switched and not names:
            rings = self.routed_network[0]
            names = [rings.node_name(node) for node in range(rings.nodes)]
        return Replay.of(
            self.file.traffic.replayed,
            self.folder,
            node_names=names,
            nodes=self.nodes,
            levels=self.send_levels.count,
            symbol_time_ns=self.symbol_time_ns,
            largest_bytes=self.largest_packet_bytes,
            symbol_bytes=self.link_format.symbol_bytes,
        )

    @cached_property
    def link_errors(self) -> LinkErrors | None:
        """Errors and failures of links; None where nothing can be lost.

        Raises:
            RingletError: a link or node that is not there, or a time-out that is too short.
        """
        return self._link_errors() if self.file.errors.lose else None

    @property
    def loss_timeout_cycles(self) -> int:
        """Time from a loss until the sender sends again, whether anything can be lost or not.

        Raises:
            RingletError: a time-out that is too short.
        """
        return (self.link_errors or self._link_errors()).timeout_cycles

    def _link_errors(self) -> LinkErrors:
        rotating = self.file.network.counter_rotating
        # As the engine has it: framing is part of what is added.
        bare = self.ring.longest_symbols - MOST_FRAMING_SYMBOLS
        quiet = max(self.link_format.words(SCI_MAX_BYTES), bare) + QUIET_BEHIND_PACKET
        rings = self._rings_with_echoes
        return LinkErrors(
            self.file.errors,
            *self.routed_network,
            counter_rotating=rotating,
            hop_cycles=self.hop_cycles,
            switches=self.switches,
            symbol_time_ns=self.symbol_time_ns,
            quiet_cycles=quiet * (1 if rotating is None else self.symbol_cycles.tolist()[rotating[0]]),
            timeouts=timeout_cycles(rings, self.ring.longest_symbols, self.link_format),
        )

    @property
    def most_injected_symbols(self) -> int:
        """Length of the longest packet that a program may inject into a network, if the protocol has room for it.

        The longest of SCI's packets and of the scenario's own, whose echo is back within a time-out.
        """
        longest = max(sci_longest(self.link_format), self.ring.longest_symbols)
        if self.link_errors is None:
            return longest
        return min(longest, longest_in_time(self._rings_with_echoes, self.link_errors.timeout_cycles))

    @property
    def _rings_with_echoes(self) -> list[tuple[Shape, int]]:
        """Shapes of the rings round which echoes come back, joined ones included, with the cycles of a symbol."""
        symbol_cycles = self.symbol_cycles.tolist()
        rings = list(dict.fromkeys(zip(self.ring_shapes, symbol_cycles, strict=True)))
        rotating = self.file.network.counter_rotating
        if self.file.errors.wraps_after is not None and rotating is not None:
            one, other = (self.ring_protocols.own.get(ring, ("", None))[1] for ring in rotating)
            if one != other:
                allowed = "none where the two rings have sections of their own in [rings] that differ"
                raise RingletError.not_allowed("errors.wraps_after", self.file.errors.wraps_after, allowed)
            if symbol_cycles[rotating[0]] != symbol_cycles[rotating[1]]:
                allowed = "none where the two rings have different link rates, of which a joined ring has one"
                raise RingletError.not_allowed("errors.wraps_after", self.file.errors.wraps_after, allowed)
            both = [self.ring_shapes[ring] for ring in rotating]
            around = sum(shape.around_cycles for shape in both)
            joined = Shape(sum(shape.places for shape in both), around, both[0].shortest_hop_cycles)
            rings.append((joined, symbol_cycles[rotating[0]]))
        return rings

    @cached_property
    def pattern(self) -> Pattern:
        """The destinations of each node's packets."""
        if self.replay is not None:
            return self.replay.pattern()
        if self.plans and not self.file.traffic.arrival_process.generates:
            return pattern_of(self.plans, self.nodes)
        return self.traffic_pattern

    @cached_property
    def traffic_pattern(self) -> Pattern:
        """The destinations that `[traffic]` gives, whether it sends anything or not."""
        return self.file.traffic.pattern_on(self.routed_network[0], self.folder)

    @cached_property
    def groups(self) -> list[int] | list[list[int]]:
        """Each node's transmission group, or that of each source-destination pair, shape (nodes, nodes).

        Where software changes them, those of the start; without the protocol `grouped`, one group.
        """
        if self.interface_groups is None:
            return self.file.flow_control.group_assignment(self.pattern)
        of_nodes: list[int] = self.interface_groups[self.routed_network[0].node_interface].tolist()
        return of_nodes

    @cached_property
    def group_specs(self) -> list[dict[str, Any]]:
        """The transmission groups of each node's packets, in the engine's form, with their changes in time."""
        return self.file.flow_control.group_specs(self.groups, self.symbol_time_ns)

    @cached_property
    def interface_groups(self) -> NDArray[np.int64] | None:
        """The group of what each interface of a network sends; None without groups, and on a single ring."""
        if not self.switched:
            return None
        answers = self.file.traffic.moves.response_bytes is not None
        groups = self.ring_protocols.interface_groups(self.pattern, *self.routed_network, answers=answers)
        network, _ = self.routed_network
        if groups is not None and network.second_interface is not None:
            # A node's packets are in one group, whichever ring they take, and so are the responses that it makes.
            groups[network.second_interface] = groups[network.node_interface]
        return groups

    @property
    def message_keys(self) -> MessageKeys:
        """The keys of the message set."""
        return MessageKeys.in_file(self.file)

    @property
    def flow_keys(self) -> FlowsKeys:
        """The keys of the flows."""
        return FlowsKeys.in_file(self.file)

    @cached_property
    def message_table(self) -> list[Message]:
        """The message set as it is given; empty without one."""
        keys = self.message_keys
        if keys.messages_file is not None:
            with within(own_names(self.file.network), lambda: node_numbers(self.file.network)):
                return with_own_names(read_messages(self.folder / keys.messages_file))
        return with_own_names(keys.messages or [])

    @cached_property
    def flow_table(self) -> list[FlowKeys]:
        """The flows as they are given; empty without any."""
        keys, taken = self.flow_keys, [message.name for message in self.message_table]
        if keys.flows_file is not None:
            with within(own_names(self.file.network), lambda: node_numbers(self.file.network)):
                return with_own_names(read_flows(self.folder / keys.flows_file), taken)
        return with_own_names(keys.flows or [], taken)

    def _link_bytes_per_cycle(self) -> list[float]:
        """Returns the bytes that the link from each node carries in a cycle of the network."""
        rings = self.routed_network[0].node_ring
        each: list[float] = (self.link_format.symbol_bytes / self.symbol_cycles[rings]).tolist()
        return each

    @cached_property
    def multicast_path(self) -> str:
        """Path of the first key that gives packets several receivers; empty where all have one."""
        flows, messages = self.flow_table, self.message_table
        paths = [f"{one.place or f'flows[{i}].'}multicast" for i, one in enumerate(flows) if one.multicast]
        paths += [f"{one.place or f'messages[{i}].'}multicast" for i, one in enumerate(messages) if one.multicast]
        return paths[0] if paths else ""

    @property
    def has_copies(self) -> bool:
        """True if packets of a flow or a message have several receivers."""
        return self.multicast_path != ""

    @cached_property
    def receivers(self) -> dict[int, list[int]]:
        """Receivers of the packets of each of `flows` that has several, by its number."""
        found: dict[int, list[int]] = {}
        for flow in self.flows:
            if flow.counts_copies:
                number = flow.arrivals["flow"]
                found.setdefault(number, [_only(self.flows[number])]).append(_only(flow))
        return found

    def takes_both_rings(self, number: int) -> bool:
        """Returns whether the packets of one of `flows` take both rings of its node: each has receivers on it."""
        network = self.routed_network[0]
        if network.ahead is None or number not in self.receivers:
            return network.sends_copies
        source = self.flows[number].source
        first = {(node - source) % self.nodes <= network.ahead[source] for node in self.receivers[number]}
        return len(first) == 2

    @property
    def stripped_by(self) -> Literal["last-receiver", "source"]:
        """Station that takes a packet with several receivers off its ring: as the file says, else the last receiver;
        the source with echoes, and on two rings as in HSR (IEC 62439-3)."""
        by_source = self.echoes or self.routed_network[0].sends_copies
        by_source = by_source and self.file.flow_control.takes_full_round
        return self.file.network.stripped_by or ("source" if by_source else "last-receiver")

    @cached_property
    def messages(self) -> tuple[PeriodicMessage, ...]:
        """The message set in cycles and packets; empty without one. Their flows are the last ones of the engine's."""
        file, keys = self.file, self.message_keys
        background = file.traffic.priorities or file.traffic.priority
        highest = max(background) if isinstance(background, list) else background
        return tuple(
            periodic_messages.resolve(
                self.message_table,
                nodes=self.nodes,
                symbol_time_ns=self.symbol_time_ns,
                transaction=TRANSACTIONS[keys.message_transaction],
                rule=keys.message_priorities,
                late_deadlines=keys.allow_late_deadlines,
                lowest=highest + 1 if file.traffic.arrival_process.generates else 0,
                levels=self.send_levels,
                path="messages" if keys.messages_file is None else keys.messages_file,
                network=lambda: self.routed_network[0],
            )
        )

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """Plans of packets, such as event building, in the order of their flows."""
        around = Surroundings(
            network=self.routed_network[0],
            symbol_time_ns=self.symbol_time_ns,
            levels=self.send_levels,
            taken=[message.name for message in self.message_table],
            numbers=partial(node_numbers, self.file.network),
            flows=self.flow_table,
            link_bytes_per_cycle=self._link_bytes_per_cycle(),
            folder=self.folder,
        )
        return tuple(plan for kind in PLANS for plan in kind.all_of(self.file, around))

    def plans_of(self, kind: type[OneKind]) -> tuple[OneKind, ...]:
        """Returns the plans of one kind."""
        return tuple(plan for plan in self.plans if isinstance(plan, kind))

    def first_flow(self, plan: Plan) -> int:
        """Returns the number of a plan's first flow: those of all plans stand before the messages'."""
        behind = self.plans[next(place for place, one in enumerate(self.plans) if one is plan) :]
        return len(self.flows) - len(self.messages) - sum(one.flow_count for one in behind)

    @cached_property
    def levels(self) -> int:
        """Levels of the prioritised FIFOs."""
        file = self.file
        if file.queues.priorities is not None:
            return file.queues.priorities
        prioritised = self.ring_protocols.prioritised or self.message_keys.has_messages or self._has_deadlines
        own = self.ring_protocols.most_priorities
        return MAX_LEVELS if self._any_priorities and prioritised else own

    @property
    def _has_deadlines(self) -> bool:
        """True if something in the file but messages has deadlines; plans themselves take the levels."""
        return any(one.plan is not None and one.plan.has_deadlines and one.is_in(self.file) for one in ACTIVITIES)

    @cached_property
    def takes_place_once(self) -> bool:
        """True if something takes place once, so that there is no steady state."""
        return any(plan.once for plan in self.plans)

    @cached_property
    def _any_priorities(self) -> bool:
        """True if a ring lets packets have any priority that the FIFOs have."""
        return self.ring_protocols.first_with_most_priorities.send_priorities == 1

    @cached_property
    def send_levels(self) -> Levels:
        """Priorities that packets may have: the levels of the FIFOs, or fewer where SCI itself has some."""
        own = self.ring_protocols.first_with_most_priorities
        fifos = self.file.queues.priorities is not None and own.send_priorities == 1
        return Levels(
            count=self.levels if self._any_priorities else min(self.levels, self.ring_protocols.most_priorities),
            key="queues.priorities" if fifos else own.priorities_key,
        )

    @cached_property
    def load(self) -> float | str | list[float | str] | None:
        """The offered load of each node, or that of all."""
        return self.file.traffic.load_by(self.traffic_pattern)

    def request_rates(self) -> list[float]:
        """Returns each node's background requests per cycle that its load makes, 0 without a load."""
        return request_rates(self.file.traffic, self.traffic_pattern, self.symbol_time_ns, self.link_format)

    def attempted_throughput(self) -> NDArray[np.float64]:
        """Returns what each node attempts to put on its link, in symbols per cycle with each packet's idle, at most 1.

        This is the `d_i = min(1, lambda_i (L_i + 1))` of picker1994, equation (2).
        """
        arrivals = self.file.traffic.arrival_process
        sends = np.array([to is not None for to in self.pattern.destinations], dtype=np.float64)
        if not arrivals.follows_load:
            return sends * arrivals.generates
        rates = sends * self.request_rates()
        return np.minimum(1.0, rates * (self.mean_send_symbols + 1))

    @property
    def is_random(self) -> bool:
        """True if a run draws anything at random; if not, every seed gives the same result."""
        errors = self.link_errors
        return any(flow.is_random for flow in self.flows) or (errors is not None and errors.are_random)

    @property
    def has_steady_state(self) -> bool:
        """True if batches of a run are samples of one state, in which something is drawn at random."""
        return self.is_random and not self.takes_place_once

    @cached_property
    def flows(self) -> tuple[Flow, ...]:
        """The engine's flows: of the trace or of the background traffic, of the plans, and then of the messages."""
        file = self.file
        background = background_flows(
            file.traffic,
            self.pattern,
            self.group_specs,
            symbol_time_ns=self.symbol_time_ns,
            link_format=self.link_format,
            hosts=self.hosts,
        )
        transaction = TRANSACTIONS[self.message_keys.message_transaction]
        if self.replay is not None:
            background = self.replay.flows(self.group_specs, link_format=self.link_format)
        waiting = any(plan.waits for plan in self.plans)
        every = list(background)
        for plan in self.plans:
            every += plan.flows(self.group_specs, link_format=self.link_format, waiting=waiting, first=len(every))
        every += message_flows(
            self.messages, transaction, self.group_specs, link_format=self.link_format, first=len(every)
        )
        return tuple(every)

    def steady_flows(self) -> Sequence[Flow] | None:
        """Returns the flows without those of what takes place once; those of a trace with their mean rates.

        None where a trace has too many nodes for that.
        """
        if self.replay is None:
            # An operation that takes place once has no rate.
            once = self.takes_place_once
            steady = tuple(flow for flow in self.flows if _is_steady(flow, once=once))
            return self.flows if len(steady) == len(self.flows) else steady
        count = len(self.replay.survey.senders)
        trace = self.replay.mean_flows(self.flows[:count])
        return None if trace is None else (*trace, *self.flows[count:])

    @property
    def replays_alone(self) -> bool:
        """True if all flows are those of a trace."""
        return self.replay is not None and len(self.flows) == len(self.replay.survey.senders)

    def steady_numbers(self) -> "list[int] | None":
        """Returns which of `flows` the steady ones are; None where all are those of a trace, whose mean rates are its
        own: beside others it is worth what it sent in the time of the run."""
        if self.replays_alone:
            return None
        if self.replay is not None:
            sending = self.replay.sending_flows()
            return [*sending, *range(len(self.replay.survey.senders), len(self.flows))]
        once = self.takes_place_once
        return [place for place, flow in enumerate(self.flows) if _is_steady(flow, once=once)]

    @cached_property
    def ring(self) -> Ring:
        """The parameters of the ring on which flow control depends; those of all rings of a network."""
        return self._ring_of(self.shapes)

    @property
    def own_rings(self) -> dict[int, Ring]:
        """Specification of each ring that has a flow control of its own, slower links, or nodes with options of their
        own in another order than that of their numbers, by its number."""
        symbol_cycles, orders = self.symbol_cycles.tolist(), dict[int, tuple[int, ...]]()
        slower = (number for number, symbol in enumerate(symbol_cycles) if symbol > 1)
        network = self.routed_network[0]
        if network.second_interface is not None and self.file.flow_control.differs_by_node:
            orders[1] = tuple(network.interface_node[network.ring_start[1] :].tolist())
        return {
            number: replace(
                self._ring_of(self.ring_shapes[number : number + 1], symbol_cycles[number]), order=orders.get(number)
            )
            for number in sorted({*self.ring_protocols.own, *slower, *orders})
        }

    @cached_property
    def protocol_bits(self) -> tuple[int | None, int | None]:
        """Bits of the registers, and of the queues, that the node that needs most needs for flow control; None: any
        number."""
        protocols = self.ring_protocols.by_ring(self.routed_network[0].rings)
        each = [(self.ring_protocols.of_all, self.ring)]
        each += [(protocols[number], ring) for number, ring in self.own_rings.items()]
        registers = _most([protocol.registers(ring) for protocol, ring in each])
        symbols = _most([protocol.queues(ring) for protocol, ring in each])
        return registers, None if symbols is None else self.file.network.link_width * symbols

    @property
    def protocol_idle_bits(self) -> int:
        """Bits that an idle symbol carries for flow control, on the ring where it carries most."""
        protocols = (self.ring_protocols.of_all, *self.ring_protocols.by_ring(self.routed_network[0].rings))
        return max(protocol.idle_bits() for protocol in protocols)

    def _ring_of(self, shapes: tuple[Shape, ...], symbol_cycles: int = 1) -> Ring:
        link_format, receive = self.link_format, self.least_receive_places
        lengths = {size for flow in self.flows for size, _ in flow.sizes}
        lengths |= {flow.response_symbols or 0 for flow in self.flows}
        if not self.flows:
            # A program may inject such packets.
            moves = self.file.traffic.moves
            longest = max(moves.response_bytes or 0, *(size for size, _ in moves.request_bytes))
            lengths = {link_format.symbols(longest)}
        places = [one.places for one in shapes]
        return Ring(
            nodes=max(places),
            fewest=min(places),
            symbol_time_ns=self.symbol_time_ns * symbol_cycles,
            shapes=shapes,
            link_format=link_format,
            longest_symbols=max(lengths, default=link_format.symbols(HEADER_BYTES)),
            receive=receive,
            priorities=len({flow.priority for flow in self.flows}) or self.levels,
            outstanding=self.outstanding_limit,
            refuses=self.switched or receive is not None,
            echoes=self.echoes,
        )

    @property
    def stall_cycles(self) -> int:
        """Cycles without progress that are a stall.

        In a network by default no more than a quarter of the time measured, or its end would come first.
        """
        if self.file.run.stall_after is not None:
            return max(1, self.cycles(self.file.run.stall_after))
        most = STALL_CYCLES
        longest = self.horizon.longest
        if self.switched and longest is not None:
            errors = self.link_errors
            timeout = 0 if errors is None else errors.timeout_cycles
            before = int(self.of_host_delays(lambda delays: delays.before_service_cycles).max())
            at_node = before + int(self.service_cycles.max())
            slowest = max(self.switch_delays.crossing_cycles, at_node, timeout)
            most = min(most, max(longest // 4, LEAST_STALL_CYCLES, STALL_DELAYS * slowest))
        return max(1, most, STALL_REVOLUTIONS * self.revolution_cycles)


def _most(needed: Sequence[Mapping[str, int | None]]) -> int | None:
    """Returns the largest sum of the parts that each needs; None where a part is."""
    sums = [sum(part for part in parts.values() if part is not None) for parts in needed]
    return None if any(None in parts.values() for parts in needed) else max(sums)


def _is_steady(flow: Flow, *, once: bool) -> bool:
    """Returns whether a flow takes part in a steady state, where others take place `once` or not."""
    return not flow.counts_copies and (flow.rate > 0 or not once)


def _only(flow: Flow) -> int:
    """Returns the node that a flow goes to, whose packets have several receivers."""
    assert isinstance(flow.destinations, Fixed), "each of several receivers is one node"
    return flow.destinations.node


def _retry(strategy: str, delay_cycles: int) -> dict[str, Any]:
    """Returns a delay before a refused packet is sent again, as the engine has it."""
    return {"strategy": strategy, "delay_cycles": delay_cycles}


def limit(value: int | str) -> int | None:
    """Returns how many there may be; None for `unlimited`."""
    return None if isinstance(value, str) else value
