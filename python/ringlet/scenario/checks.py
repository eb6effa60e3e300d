"""What only the sections of a scenario together can show to be wrong."""

from typing import TYPE_CHECKING

from ringlet.errors import Problems, RingletError
from ringlet.scenario.closed_loop import check_closed
from ringlet.scenario.flow_control import names
from ringlet.scenario.switch import MAX_BUFFERS, Host
from ringlet.scenario.units import MAX_CYCLES, cycles, words_per_cycle
from ringlet.topology import Role

if TYPE_CHECKING:
    from ringlet.scenario.scenario import Scenario

ROUNDING = 1e-9
"""Relative excess of a load over the link's rate that is rounding."""

MAX_HOP_DELAY_CYCLES = 1_000_000


def check(scenario: "Scenario") -> None:
    """Raises RingletError for everything that does not fit together."""
    problems = Problems()
    for check_one in (
        _check_times,
        _check_network,
        _check_reservation,
        _check_messages,
        _check_trace,
        check_closed,
        _check_per_node,
        _check_priorities,
    ):
        with problems.collected():
            check_one(scenario)
    problems.check()
    _check_load(scenario)
    # Builds, and so checks, the rest: destinations, groups, messages, protocol options.
    scenario.network_spec(scenario.seed)


def _check_reservation(scenario: "Scenario") -> None:
    if scenario.retry.reservation and scenario.flow_control.preempts:
        allowed = f"false with protocol {scenario.flow_control.protocol!r}, which preempts packets instead"
        raise RingletError.not_allowed("retry.reservation", True, allowed)


def _check_times(scenario: "Scenario") -> None:
    if scenario.hop_delay_cycles > MAX_HOP_DELAY_CYCLES:
        allowed = f"at most {MAX_HOP_DELAY_CYCLES} cycles of {scenario.symbol_time_ns:g} ns"
        raise RingletError.not_allowed("network.hop_delay", scenario.network.hop_delay, allowed)
    phase = scenario.traffic.phase
    times = {
        "queues.service_time": scenario.queues.service_time,
        "retry.delay": scenario.retry.delay,
        "traffic.pause": scenario.traffic.pause,
        "run.duration": scenario.run.duration,
        "run.warmup": scenario.run.warmup,
        "run.stall_after": scenario.run.stall_after,
        **({f"traffic.phase[{i}]": one for i, one in enumerate(phase)} if isinstance(phase, list) else {}),
        **({} if isinstance(phase, list) else {"traffic.phase": phase}),
        **scenario.flow_control.times(),
    }
    for path, value in times.items():
        if value not in (None, "auto") and cycles(value, scenario.symbol_time_ns) > MAX_CYCLES:
            allowed = f"at most 2^53 cycles of {scenario.symbol_time_ns:g} ns"
            raise RingletError.not_allowed(path, value, allowed)
    total = (scenario.measured_cycles or 0) + (0 if scenario.warmup == "auto" else scenario.warmup)
    if total > MAX_CYCLES:
        allowed = "together with run.duration at most 2^53 cycles"
        raise RingletError.not_allowed("run.warmup", scenario.run.warmup, allowed)


def _check_network(scenario: "Scenario") -> None:
    network, protocol, host = scenario.network, scenario.flow_control, scenario.host
    if network.switched:
        if not protocol.on_networks:
            allowed = f"{names(lambda one: one.on_networks)} where there are switches"
            raise RingletError.not_allowed("flow_control.protocol", protocol.protocol, allowed)
        if network.bypass == "store-and-forward" and not protocol.stores_and_forwards:
            allowed = f"'cut-through' with flow control, or protocol {names(lambda one: one.stores_and_forwards)}"
            raise RingletError.not_allowed("network.bypass", network.bypass, allowed)
    else:
        if not protocol.on_networks:
            _check_ring_protocol(scenario)
        for section in ("switch", "host"):
            if getattr(scenario, section) != type(getattr(scenario, section))():
                raise RingletError.not_allowed(
                    section, f"<[{section}]>", "a network with switches; topology 'ring' has none"
                )
    if host.adapter is not None:
        for key in ("slots", "fill_time", "fill_delay"):
            if getattr(host, key) != Host.model_fields[key].default:
                raise RingletError(
                    f"host.{key}: given together with host.adapter, which says it; one of them is allowed"
                )
    elif isinstance(host.slots, str):
        for key in ("fill_time", "fill_delay"):
            if getattr(host, key) != Host.model_fields[key].default:
                raise RingletError.not_allowed(f"host.{key}", getattr(host, key), "0 without host.slots to fill")
        if scenario.queues.transmit == 0:
            raise RingletError.not_allowed("queues.transmit", 0, "at least 1 without host.slots")
    elif host.slots > MAX_BUFFERS:
        raise RingletError.not_allowed("host.slots", host.slots, f"at most {MAX_BUFFERS}")


def _check_ring_protocol(scenario: "Scenario") -> None:
    """What the engine has for rings of networks only, it has for their protocols only."""
    allowed = f"protocol {names(lambda one: one.on_networks)}; it is {scenario.flow_control.protocol!r}"
    if scenario.retry.by == "responder":
        raise RingletError.not_allowed("retry.by", scenario.retry.by, allowed)
    if scenario.errors.lose:
        raise RingletError.not_allowed("errors", "<[errors]>", allowed)


def _check_messages(scenario: "Scenario") -> None:
    if scenario.messages is not None and scenario.messages_file is not None:
        raise RingletError("messages_file: given together with messages; one of them is allowed")
    if scenario.has_messages:
        return
    for key in ("message_priorities", "message_transaction", "allow_late_deadlines"):
        if key in scenario.model_fields_set and getattr(scenario, key) != type(scenario).model_fields[key].default:
            allowed = "it belongs to messages or messages_file, and there is none"
            raise RingletError.not_allowed(key, getattr(scenario, key), allowed)


TRACE_SAYS = ("transaction", "load", "load_factor", "load_counts", "phase", "priority", "priorities")
"""Keys of the traffic section that a trace leaves nothing to say."""


def _check_trace(scenario: "Scenario") -> None:
    traffic = scenario.traffic
    if traffic.pattern != "trace":
        return
    if traffic.trace is None:
        raise RingletError("traffic.trace: missing; pattern 'trace' needs it, with its file")
    for key in TRACE_SAYS:
        value = getattr(traffic, key)
        if value != type(traffic).model_fields[key].default:
            raise RingletError.not_allowed(f"traffic.{key}", value, "none: the trace says what its packets are")
    if traffic.arrivals != "none":
        raise RingletError.not_allowed("traffic.arrivals", traffic.arrivals, "none: the trace says when packets start")
    if scenario.precision is not None:
        raise RingletError.not_allowed("run.precision", scenario.precision, "none: a trace is replayed once")
    if traffic.trace.replay == "dependence-driven" and scenario.queues.transmit != "unlimited":
        allowed = "'unlimited' with a dependence-driven trace: nobody would hear of a packet that is lost"
        raise RingletError.not_allowed("queues.transmit", scenario.queues.transmit, allowed)


def _check_per_node(scenario: "Scenario") -> None:
    nodes, traffic = scenario.network.nodes, scenario.traffic
    for key in ("load", "phase", "priority"):
        value = getattr(traffic, key)
        if isinstance(value, list) and len(value) != nodes:
            allowed = f"one value, or {nodes}, one per node"
            raise RingletError.not_allowed(f"traffic.{key}", f"<{len(value)} values>", allowed)
    if traffic.load_factor is not None and traffic.load is None:
        raise RingletError.not_allowed(
            "traffic.load_factor", traffic.load_factor, "a traffic.load, which it multiplies"
        )
    if traffic.phase != 0 and traffic.arrivals != "periodic":
        raise RingletError.not_allowed("traffic.phase", traffic.phase, "a phase belongs to arrivals 'periodic'")


def _check_priorities(scenario: "Scenario") -> None:
    traffic, levels = scenario.traffic, scenario.queues.priorities
    own = scenario.flow_control.send_priorities
    if levels is not None and own > levels:
        allowed = f"at most {levels}, the levels that queues.priorities sets"
        raise RingletError.not_allowed("flow_control.priorities", own, allowed)
    given = {"traffic.priority": traffic.priority}
    if traffic.priorities is not None:
        if traffic.priority != 0:
            raise RingletError("traffic.priorities: given together with traffic.priority; one of them is allowed")
        given = {"traffic.priorities": traffic.priorities}
        for i, priority in enumerate(traffic.priorities):
            if priority in traffic.priorities[:i]:
                raise RingletError.not_allowed(f"traffic.priorities[{i}]", priority, "each priority once")
    most = scenario.send_priorities
    key = "flow_control.priorities" if own > 1 or levels is None else "queues.priorities"
    for path, value in given.items():
        for i, priority in enumerate(value if isinstance(value, list) else [value]):
            if priority >= most:
                where = f"{path}[{i}]" if isinstance(value, list) else path
                raise RingletError.not_allowed(where, priority, f"below {most}, which {key} sets")


def _check_link_rate(scenario: "Scenario") -> None:
    """A link carries a word per cycle: who offers more has mostly taken words per cycle for MB/s."""
    load, link = scenario.traffic.load, scenario.network.link_rate
    factor = scenario.traffic.load_factor or 1.0
    problems = Problems()
    for i, value in enumerate(load if isinstance(load, list) else [load]):
        if value is None or factor * words_per_cycle(value, scenario.symbol_time_ns) <= 1 + ROUNDING:
            continue
        where = f"traffic.load[{i}]" if isinstance(load, list) else "traffic.load"
        times = "" if factor == 1 else f" with load_factor {factor:g}"
        meant = "" if isinstance(value, str) else f"; is '{value} MB/s' meant?"
        allowed = f"at most 1 word per cycle, the link's rate of {link}{times}{meant}"
        problems.messages += RingletError.not_allowed(where, value, allowed).args
    problems.check()


def _check_load(scenario: "Scenario") -> None:
    traffic = scenario.traffic
    if traffic.arrivals in ("saturated", "closed", "none"):
        return
    if traffic.load is None:
        raise RingletError(f"traffic.load: missing; arrivals {traffic.arrivals!r} need it")
    _check_link_rate(scenario)
    # At most one packet per cycle for Bernoulli arrivals, and a period of at least a cycle.
    each = len(traffic.priorities or [0])
    most = 1000.0 if traffic.arrivals == "poisson" else 1.0
    words = scenario.mean_payload_symbols
    roles = scenario.routed_network[0].roles
    for i, rate in enumerate(scenario.request_rates()):
        if isinstance(traffic.load, list) and rate > 0 and roles[i] == Role.MEMORY:
            raise RingletError.not_allowed(
                f"traffic.load[{i}]", traffic.load[i], "0: this node is a memory, which only answers"
            )
        if rate / each > most:
            where = f"traffic.load[{i}]" if isinstance(traffic.load, list) else "traffic.load"
            value = traffic.load[i] if isinstance(traffic.load, list) else traffic.load
            allowed = f"at most {most * each:g} packets per cycle ({most * each * words:g} words per cycle)"
            raise RingletError.not_allowed(where, value, allowed)
        if 0 < rate / each < 1 / MAX_CYCLES:
            raise RingletError.not_allowed("traffic.load", traffic.load, "0, or at least one packet in 2^53 cycles")
