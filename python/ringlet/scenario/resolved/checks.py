"""Checks that concern several sections of a scenario at once."""

from contextlib import nullcontext

from ringlet.errors import Problems, RingletError
from ringlet.rings import Role
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.flow_control import PROTOCOLS, SymbolProtocol
from ringlet.scenario.hardware.switch import MAX_BUFFERS, Host
from ringlet.scenario.keys.ring_sections import on_ring
from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.network import SwitchedNetwork
from ringlet.scenario.resolved.engine_spec import network_spec
from ringlet.scenario.resolved.multicast import check_multicast
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.resolved.slow_links import check_slow_links
from ringlet.scenario.resolved.transport import needs_echoes
from ringlet.scenario.resolved.two_rings import check_two_rings
from ringlet.scenario.resolved.ways import check_ways
from ringlet.scenario.values.link_format import ECHO_BYTES
from ringlet.scenario.values.per_node import NO_LIMIT, check_length, items
from ringlet.scenario.values.transactions import MAX_BYTES
from ringlet.scenario.values.units import MAX_CYCLES, cycles, words_per_cycle

ROUNDING = 1e-9
"""Relative excess of a load over the link's rate that is rounding."""

MAX_HOP_DELAY_CYCLES = 1_000_000_000
"""Longest hop delay, cable included: 1,000 km at 1 Tbit/s, in symbols of 8 bits too; the engine has the same limit."""

MAX_HOP_DELAY_IN_PYTHON = 1_000_000
"""Longest one with a protocol that is written in Python, which holds each symbol of a link."""

MAX_PASS_DELAY_CYCLES = 1_000_000

_IN_PYTHON = ("saturated", "poisson", "bernoulli", "periodic", "none")
"""Arrivals of rings whose protocol is written in Python."""


def check(resolved: Resolved) -> None:
    """Raises RingletError for everything that does not fit together."""
    file = resolved.file
    problems = Problems()
    for check_file in (
        _check_network,
        _check_echoes,
        _check_failures,
        _check_reservation,
        _check_trace,
        _check_waiting,
        _check_per_node,
        _check_symbol_protocol,
    ):
        with problems.collected():
            check_file(file)
    for activity in ACTIVITIES:
        with problems.collected():
            activity.check(file)
    for check_resolved in (
        check_slow_links,
        _check_packets,
        _check_times,
        _check_places,
        _check_arrivals,
        _check_priorities,
    ):
        with problems.collected():
            check_resolved(resolved)
    problems.check()
    _check_largest(resolved)
    _check_load(resolved)
    check_two_rings(resolved)
    check_multicast(resolved)
    _check_echo(resolved)
    # Builds, and so checks, the rest: destinations, groups, messages, protocol options.
    network_spec(resolved, file.run.seed)
    check_ways(resolved)
    if resolved.plans and file.traffic.replayed is None:
        # Activities alone need no pattern; one that is given is checked nevertheless.
        _ = resolved.traffic_pattern


def check_load(resolved: Resolved) -> None:
    """Raises RingletError for what does not fit in a scenario that differs from one that fits in the load of its
    background traffic alone, a single one above 0 in both: the flows are the same but for their rates."""
    _check_arrivals(resolved)
    _check_load(resolved)


def _check_echoes(file: ScenarioFile) -> None:
    """Without echoes nothing may wait for one (docs/explanation/model.md, "Without echoes")."""
    if file.network.echoes is not False:
        return
    problems = Problems()
    for need, limits in needs_echoes(file).items():
        for path, value in limits.items():
            with problems.collected():
                raise RingletError.not_allowed(path, value, f"'unlimited' with network.echoes = false: {need}")
        if not limits:
            with problems.collected():
                raise RingletError.not_allowed("network.echoes", False, f"true with {need}")
    problems.check()


def _check_largest(resolved: Resolved) -> None:
    """No packet is longer than `traffic.largest_packet`; traces are checked where they are read."""
    traffic, largest = resolved.file.traffic, resolved.largest_packet_bytes
    longest = max(traffic.moves.response_bytes or 0, *(size for size, _ in traffic.moves.request_bytes))
    if longest > largest and (traffic.arrival_process.generates or not resolved.flows):
        said = traffic.transaction if isinstance(traffic.transaction, str) else f"<packets of {longest} bytes>"
        allowed = f"packets of at most {largest:,} bytes; traffic.largest_packet takes up to {MAX_BYTES:,}"
        raise RingletError.not_allowed("traffic.transaction", said, allowed)
    symbols = resolved.ring.longest_symbols
    if symbols > resolved.link_format.symbols(largest):
        allowed = f"at least the longest packet of messages and other plans, of {symbols} symbols"
        raise RingletError.not_allowed("traffic.largest_packet", largest, allowed)


def _check_failures(file: ScenarioFile) -> None:
    """Other routes, and joined rings, are for a network in which a part fails, and in which there are other ways."""
    errors, network = file.errors, file.network
    if errors.steers_after is not None and not network.switched:
        allowed = "none on one ring, on which there is one way; a topology with switches"
        raise RingletError.not_allowed("errors.steers_after", errors.steers_after, allowed)
    if errors.wraps_after is not None and network.counter_rotating is None:
        allowed = "none without stations that can join two rings; topology 'dual-ring'"
        raise RingletError.not_allowed("errors.wraps_after", errors.wraps_after, allowed)
    if errors.fail and isinstance(network, SwitchedNetwork) and network.without_rings:
        allowed = "none beside parts that fail: routes change by what fails, or have changed before"
        raise RingletError.not_allowed("network.without_rings", network.without_rings, allowed)
    for key in ("steers_after", "wraps_after"):
        value = getattr(errors, key)
        if value is not None and not errors.fail:
            allowed = "none where nothing fails; a link, node or switch with fails_at"
            raise RingletError.not_allowed(f"errors.{key}", value, allowed)


def _check_symbol_protocol(file: ScenarioFile) -> None:
    """A protocol that is written in Python runs on one ring, under background traffic of which nothing is lost."""
    protocol = next((one for one in file.flow_controls if isinstance(one, SymbolProtocol)), None)
    if protocol is None:
        return
    beside = f"with protocol {protocol.protocol!r}, which is written in Python and runs"
    problems = Problems()

    def refuse(path: str, value: object, allowed: str) -> None:
        with problems.collected():
            raise RingletError.not_allowed(path, value, allowed)

    if file.network.switched:
        refuse("network.topology", file.network.topology, f"'ring' {beside} on a single ring")
    if file.errors.lose:
        refuse("errors", "<[errors]>", f"none {beside} where nothing is lost")
    if file.retry.by == "responder":
        refuse("retry.by", file.retry.by, f"'requester' {beside} so")
    if file.retry.reservation:
        refuse("retry.reservation", True, f"false {beside} without reservations")
    if file.queues.response_timeout is not None:
        refuse("queues.response_timeout", file.queues.response_timeout, f"none {beside} without time-outs")
    if file.traffic.replayed is not None:
        refuse("traffic.pattern", file.traffic.pattern, f"another one {beside} under background traffic alone")
    elif file.traffic.arrivals not in _IN_PYTHON:
        refuse("traffic.arrivals", file.traffic.arrivals, f"{', '.join(map(repr, _IN_PYTHON))} {beside} under these")
    for activity in ACTIVITIES:
        for key in activity.keys:
            if activity.is_in(file) and getattr(file, key) is not None and key in file.given:
                refuse(key, f"<{key}>", f"none {beside} under background traffic alone")
    problems.check()


def _check_reservation(file: ScenarioFile) -> None:
    for one in file.flow_controls:
        if file.retry.reservation and one.preempts:
            allowed = f"false with protocol {one.protocol!r}, which preempts packets instead"
            raise RingletError.not_allowed("retry.reservation", True, allowed)


def _check_times(resolved: Resolved) -> None:
    by_symbols = next((one for one in resolved.file.flow_controls if isinstance(one, SymbolProtocol)), None)
    most, why = MAX_HOP_DELAY_CYCLES, ""
    if by_symbols is not None:
        most = MAX_HOP_DELAY_IN_PYTHON
        why = f" with protocol {by_symbols.protocol!r}, which is written in Python and holds each symbol of a link"
    for path, value in items("network.hop_delay", resolved.file.network.hop_delay).items():
        if cycles(value, resolved.symbol_time_ns) > most:
            allowed = f"at most {most} cycles of {resolved.symbol_time_ns:g} ns{why}"
            raise RingletError.not_allowed(path, value, allowed)
    if resolved.file.network.cable_length != 0 and resolved.hop_symbols.max() > most:
        allowed = f"so short that hop delay and cable take at most {most} symbol times{why}"
        raise RingletError.not_allowed("network.cable_length", resolved.file.network.cable_length, allowed)
    waits = resolved.file.network.pass_delay
    if cycles(waits, resolved.symbol_time_ns) > MAX_PASS_DELAY_CYCLES:
        allowed = f"at most {MAX_PASS_DELAY_CYCLES:,} cycles of {resolved.symbol_time_ns:g} ns"
        raise RingletError.not_allowed("network.pass_delay", waits, allowed)
    times = {
        **items("queues.service_time", resolved.file.queues.service_time),
        **items("retry.delay", resolved.file.retry.delay),
        "queues.response_timeout": resolved.file.queues.response_timeout,
        "traffic.pause": resolved.file.traffic.pause,
        "run.duration": resolved.file.run.duration,
        "run.warmup": resolved.file.run.warmup,
        "run.stall_after": resolved.file.run.stall_after,
        **items("traffic.phase", resolved.file.traffic.phase),
        **resolved.ring_protocols.times(),
    }
    for path, value in times.items():
        if value not in (None, "auto") and cycles(value, resolved.symbol_time_ns) > MAX_CYCLES:
            allowed = f"at most 2^53 cycles of {resolved.symbol_time_ns:g} ns"
            raise RingletError.not_allowed(path, value, allowed)
    # Without a duration as much is measured as it takes, which needs the flows: at least a cycle.
    duration = resolved.file.run.duration
    measured = 1 if duration is None else cycles(duration, resolved.symbol_time_ns)
    total = measured + (0 if resolved.warmup == "auto" else resolved.warmup)
    if total > MAX_CYCLES:
        allowed = "together with run.duration at most 2^53 cycles"
        raise RingletError.not_allowed("run.warmup", resolved.file.run.warmup, allowed)


def _check_network(file: ScenarioFile) -> None:
    network, host = file.network, file.host
    for protocol in file.flow_controls:
        if file.retry.by == "responder" and not protocol.delays_echoes:
            allowed = f"'requester' with protocol {protocol.protocol!r}, whose slots have no place for a later echo"
            raise RingletError.not_allowed("retry.by", file.retry.by, allowed)
        if file.errors.lose and not protocol.may_lose:
            survives = PROTOCOLS.names(lambda one: one.survives_losses)
            allowed = f"protocol {survives}; it is {protocol.protocol!r}"
            if protocol.stopped_by_losses is not None:
                allowed += f", {protocol.stopped_by_losses}"
            raise RingletError.not_allowed("errors", "<[errors]>", allowed)
        if file.errors.wraps_after is not None and not protocol.joins:
            joining = PROTOCOLS.names(lambda one: one.joins)
            allowed = (
                f"none, or protocol {joining}; with {protocol.protocol!r} messages would go round between two rings"
            )
            raise RingletError.not_allowed("errors.wraps_after", file.errors.wraps_after, allowed)
        stores, waits = network.bypass == "store-and-forward", not network.passes_at_once
        if network.switched and (stores or waits) and not protocol.holds_what_passes:
            key, value, at_once = (
                ("bypass", network.bypass, "'cut-through'") if stores else ("pass_delay", network.pass_delay, "0")
            )
            holding = PROTOCOLS.names(lambda one: one.holds_what_passes)
            allowed = f"{at_once}, or protocol {holding}; with {protocol.protocol!r} packets pass at once"
            raise RingletError.not_allowed(f"network.{key}", value, allowed)
    if network.bypass == "store-and-forward" and not network.passes_at_once:
        raise RingletError.not_allowed("network.pass_delay", network.pass_delay, "0 where interfaces store what passes")
    if not network.switched:
        if file.rings is not None:
            allowed = "a network with switches; topology 'ring' is one ring, which [flow_control] describes"
            raise RingletError.not_allowed("rings", "<[rings]>", allowed)
        for section in ("switch", "host"):
            if getattr(file, section) != type(getattr(file, section)).by_default():
                raise RingletError.not_allowed(
                    section, f"<[{section}]>", "a network with switches; topology 'ring' has none"
                )
    if any(adapter.nodes is None for adapter in host.adapters.values()):
        for key in ("slots", "fill_time", "fill_delay"):
            if getattr(host, key) != Host.fields[key].default:
                raise RingletError(
                    f"host.{key}: given together with host.adapter, which says it; one of them is allowed"
                )
    elif host.slots == NO_LIMIT:
        for key in ("fill_time", "fill_delay"):
            if getattr(host, key) != Host.fields[key].default:
                raise RingletError.not_allowed(f"host.{key}", getattr(host, key), "0 without host.slots to fill")
    for path, slots in items("host.slots", host.slots).items():
        if slots != NO_LIMIT and slots > MAX_BUFFERS:
            raise RingletError.not_allowed(path, slots, f"at most {MAX_BUFFERS}")


def _check_places(resolved: Resolved) -> None:
    """A node without slots needs a place in its transmit queue, where its head stands."""
    given = resolved.file.queues.transmit
    for node, (host, places) in enumerate(zip(resolved.hosts, resolved.places("transmit"), strict=True)):
        if places == 0 and host.slots is None and host.adapter is None:
            path = f"queues.transmit[{node}]" if isinstance(given, list) else "queues.transmit"
            raise RingletError.not_allowed(path, 0, "at least 1 without host.slots")


TRACE_SAYS = ("transaction", "load", "load_factor", "load_counts", "phase", "priority", "priorities")
"""Keys of the traffic section that a trace leaves nothing to say."""


def _check_trace(file: ScenarioFile) -> None:
    traffic = file.traffic
    if traffic.replayed is None:
        return
    for key in TRACE_SAYS:
        value = getattr(traffic, key)
        if value != type(traffic).fields[key].default:
            raise RingletError.not_allowed(f"traffic.{key}", value, "none: the trace says what its packets are")
    if traffic.arrival_process.generates:
        raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, "none: the trace says when packets start")
    if file.run.precision is not None:
        raise RingletError.not_allowed("run.precision", file.run.precision, "none: a trace is replayed once")
    if traffic.replayed.replay == "dependence-driven" and file.queues.loses:
        allowed = "'unlimited' with a dependence-driven trace: a lost packet would never be delivered"
        raise RingletError.not_allowed("queues.transmit", file.queues.transmit, allowed)


def _check_waiting(file: ScenarioFile) -> None:
    """Raises RingletError where packets that something waits for may be lost, or come of a trace."""
    for one in ACTIVITIES:
        kind = one.plan
        if kind is None or not one.is_in(file):
            continue
        if kind.once and file.run.precision is not None:
            raise RingletError.not_allowed("run.precision", file.run.precision, f"none: {kind.named} takes place once")
        if kind.waits and file.traffic.replayed is not None:
            raise RingletError(f"{kind.key}: given together with a trace; one of them is allowed")
        if kind.waits and file.queues.loses:
            allowed = f"'unlimited' with {kind.named}: a lost packet would never be delivered"
            raise RingletError.not_allowed("queues.transmit", file.queues.transmit, allowed)


def _check_arrivals(resolved: Resolved) -> None:
    file = resolved.file
    adapters = file.host.adapters
    for path, adapter in adapters.items():
        if adapter.bad_blocks > 0 and adapter.check == 0:
            raise RingletError.not_allowed(
                f"{path}.bad_blocks", adapter.bad_blocks, f"0 without {path}.check, which finds them"
            )
        if adapter.masters > 1 and adapter.streams > 1:
            allowed = f"1 with {path}.streams = {adapter.streams}: buffers are split among masters, or combined for one"
            raise RingletError.not_allowed(f"{path}.masters", adapter.masters, allowed)
    file.traffic.arrival_process.check(file.traffic, adapters, resolved.symbol_time_ns)


def _check_per_node(file: ScenarioFile) -> None:
    nodes, traffic = file.network.nodes, file.traffic
    for key in ("load", "phase", "priority"):
        check_length(f"traffic.{key}", getattr(traffic, key), nodes)
    for key in ("receive", "service_time", "responses", "window", "transmit", "outstanding"):
        check_length(f"queues.{key}", getattr(file.queues, key), nodes)
    for key in ("delay", "strategy"):
        check_length(f"retry.{key}", getattr(file.retry, key), nodes)
    for key in ("slots", "fill_time", "fill_delay", "receive_delay", "store_delay"):
        check_length(f"host.{key}", getattr(file.host, key), nodes)
    for key in ("hop_delay", "cable_length"):
        check_length(f"network.{key}", getattr(file.network, key), nodes)
    if traffic.load_factor is not None and not traffic.has_load:
        raise RingletError.not_allowed(
            "traffic.load_factor",
            traffic.load_factor,
            "a traffic.load, which it multiplies",
        )


def _check_priorities(resolved: Resolved) -> None:
    traffic, fifos = resolved.file.traffic, resolved.file.queues.priorities
    for name, protocol in resolved.ring_protocols.named():
        own = protocol.send_priorities
        with on_ring(name) if name is not None else nullcontext():
            if fifos is not None and own > fifos:
                allowed = f"at most {fifos}, the levels that queues.priorities sets"
                raise RingletError.not_allowed("flow_control.priorities", own, allowed)
    given = {"traffic.priority": traffic.priority}
    if traffic.priorities is not None:
        if traffic.priority != 0:
            raise RingletError("traffic.priorities: given together with traffic.priority; one of them is allowed")
        given = {"traffic.priorities": traffic.priorities}
        for i, priority in enumerate(traffic.priorities):
            if priority in traffic.priorities[:i]:
                raise RingletError.not_allowed(f"traffic.priorities[{i}]", priority, "each priority once")
    levels = resolved.send_levels
    for path, value in given.items():
        for i, priority in enumerate(value if isinstance(value, list) else [value]):
            levels.check(f"{path}[{i}]" if isinstance(value, list) else path, priority)


def _check_packets(resolved: Resolved) -> None:
    """Packets end with a symbol: an idle cannot begin within one."""
    traffic = resolved.file.traffic
    for size, _ in traffic.moves.request_bytes:
        named = traffic.transaction
        path, value = ("traffic.transaction", named) if isinstance(named, str) else ("traffic.transaction.sizes", size)
        resolved.link_format.check(path, value, size)


def _check_echo(resolved: Resolved) -> None:
    """An echo is what is left of a packet that its destination takes off the ring: it is shorter than any."""
    if resolved.link_format.echo_bytes == ECHO_BYTES or not resolved.echoes:
        return
    lengths = [size for flow in resolved.flows for size, _ in flow.sizes]
    lengths += [one for flow in resolved.flows if (one := flow.response_symbols) is not None]
    shortest = min(lengths, default=MAX_BYTES) - resolved.link_format.framing_symbols
    if resolved.link_format.bare_echo_symbols >= shortest:
        size = shortest * resolved.link_format.symbol_bytes
        allowed = f"fewer bytes than the shortest packet has, {size}: an echo is what is left of it"
        raise RingletError.not_allowed("network.echo_size", resolved.file.network.echo_size, allowed)


def _load_of(resolved: Resolved, node: int) -> str:
    """Returns the path of a node's load in a message."""
    given = resolved.file.traffic.load
    if given is None:
        return f"traffic.matrix_unit, sum of row {node}"
    return f"traffic.load[{node}]" if isinstance(given, list) else "traffic.load"


def _check_link_rate(resolved: Resolved) -> None:
    """A link carries a word per symbol time: who offers more has mostly taken words per cycle for MB/s."""
    load, symbols, rates = resolved.load, resolved.link_cycles, resolved.rates_of_links
    rings = resolved.routed_network[0].node_ring
    factor = resolved.file.traffic.load_factor or 1.0
    problems, word = Problems(), resolved.link_format.symbol_bytes
    for i, value in enumerate(load if isinstance(load, list) else [load]):
        # One load of all is that of the nodes with the slowest links, too.
        node = i if isinstance(load, list) else resolved.slowest_sender
        ring, symbol = rings[node], float(symbols[resolved.routed_network[0].node_interface[node]])
        if value is None or factor * words_per_cycle(value, resolved.symbol_time_ns, word) * symbol <= 1 + ROUNDING:
            continue
        where = _load_of(resolved, i)
        times = "" if factor == 1 else f" with load_factor {factor:g}"
        meant = "" if isinstance(value, str) else f"; is '{value} MB/s' meant?"
        words = "1 word per cycle" if symbol == 1 else f"1 word in {symbol:g} cycles"
        rate = resolved.link_rates[ring] if rates is None else rates[node]
        allowed = f"at most {words}, the link's rate of {rate}{times}{meant}"
        problems.messages += RingletError.not_allowed(where, value, allowed).args
    problems.check()


def _check_load(resolved: Resolved) -> None:
    traffic = resolved.file.traffic
    arrivals = traffic.arrival_process
    if not arrivals.follows_load:
        return
    load = resolved.load
    if load is None:
        raise RingletError(f"traffic.load: missing; arrivals {traffic.arrivals!r} need it")
    _check_link_rate(resolved)
    each, most = len(traffic.priorities or [0]), arrivals.most_per_cycle
    words = resolved.mean_payload_symbols
    network = resolved.routed_network[0]
    roles, symbols = network.roles, resolved.symbol_cycles[network.node_ring].tolist()
    rates = resolved.request_rates()
    # Nodes that offer as much on links of one rate are all alike.
    alike = not isinstance(load, list) and resolved.has_one_rate
    for i, rate in enumerate(rates[:1] if alike else rates):
        if isinstance(load, list) and rate > 0 and roles[i] == Role.MEMORY:
            raise RingletError.not_allowed(
                _load_of(resolved, i), load[i], "0: this node is a memory, which only answers"
            )
        if rate / each * symbols[i] > most:
            where = _load_of(resolved, i)
            value = load[i] if isinstance(load, list) else load
            least = most * each / symbols[i]
            allowed = f"at most {least:g} packets per cycle ({least * words:g} words per cycle)"
            raise RingletError.not_allowed(where, value, allowed)
        if 0 < rate / each < 1 / MAX_CYCLES:
            raise RingletError.not_allowed("traffic.load", load, "0, or at least one packet in 2^53 cycles")
