"""Records of link errors: losses on each link, and the time until each failure was detected."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet._engine import Simulation
from ringlet.scenario import Scenario
from ringlet.scenario.activities.messages.activity import Counters
from ringlet.simulation.service import Service

if TYPE_CHECKING:
    from ringlet._engine import Measured

COUNTS = ("lost_sends", "lost_echoes", "timeouts", "given_up_packets", "undelivered_packets")
"""Send packets and echoes lost on the link to an interface; time-outs there, those after which it gave a packet up, and
those of these packets that no node and no port has received."""

FIRSTS = ("first_timeout_cycle", "first_given_up_cycle", "first_failure_cycle")
"""Cycles of the first time-out, of the first of those, and of the first loss because of a failure; 0: there is none."""


def error_records(simulation: Simulation, scenario: Scenario, found: "Measured") -> dict[str, Any] | None:
    """Returns the errors of a run, as JSON takes them; None for a scenario without any.

    Counts are of the measured time. Times are from the start of the simulation, those of a failure from it on:
    `first_loss_ns` until the first packet or echo is lost because of it, `noticed_ns` until the sender's time-out; None
    if that did not happen. What is lost on a link that two failures stop is lost because of the earlier one. Where two
    failures stop a link of each ring to one node, each has the losses of both, and the later one no time of its first.

    Args:
        simulation: that is over.
        scenario: that was simulated.
        found: what the run returned.
    """
    errors = scenario.link_errors
    if errors is None:
        return None
    network, ns, cycles = scenario.routed_network[0], scenario.symbol_time_ns, found["cycle"]
    symbol_bytes = scenario.resolved.link_format.symbol_bytes
    service = None
    if found["service"] is not None:
        service = Service(found["service"], cycles=cycles, symbol_time_ns=ns, symbol_bytes=symbol_bytes)
    nodes, ports = simulation.error_counters(), simulation.port_counters()
    at_interface: dict[str, Any] = {}
    for name in (*COUNTS, "undelivered_symbols", *FIRSTS):
        column = np.zeros(network.interfaces, dtype=np.int64)
        column[network.node_interface] = nodes[name]
        if network.ports:
            port = network.switch_start[ports["switch"].astype(np.int64)] + ports["port"].astype(np.int64)
            _gather(column, network.port_interface[port], ports, name)
        at_interface[name] = column
    # Where the counts of an interface stand: those of a node's two interfaces are one sum, at the first.
    place = np.arange(network.interfaces)
    named = network.interface_name if scenario.network.switched else scenario.node_name
    if network.second_interface is not None:
        place[network.second_interface] = network.node_interface
        named = scenario.node_name
    erring = np.flatnonzero(sum(at_interface[name] for name in COUNTS))

    def time(name: str, interface: int) -> float | None:
        cycle = int(at_interface[name][interface])
        return cycle * ns if cycle else None

    def first(name: str) -> float | None:
        cycles_of = at_interface[name][at_interface[name] > 0]
        return float(cycles_of.min()) * ns if len(cycles_of) else None

    copies = network.sends_copies
    if copies:
        # Neither a time-out nor a gap in what is delivered says that a copy was lost.
        service = None
    failures = []
    for number, failure in enumerate(errors.failures):
        later = min((other.cycle for other in errors.failures if other.cycle > failure.cycle), default=None)
        ends = np.unique(place[list(errors.ends(failure))])
        lost_from = at_interface["first_failure_cycle"][ends].tolist()
        loss = min((cycle for cycle in lost_from if cycle >= max(1, failure.cycle)), default=None)
        timeout = None if copies or loss is None else loss + errors.timeout_cycles
        noticed = None if timeout is None or timeout > cycles else timeout
        failures.append(
            {
                "what": failure.what,
                "fails_at_ns": failure.cycle * ns,
                "first_loss_ns": None if loss is None else (loss - failure.cycle) * ns,
                "noticed_ns": None if noticed is None else (noticed - failure.cycle) * ns,
                "first_delivery_ns": service.first_delivery_ns(number, failure.cycle) if service else None,
                "back_ns": service.back_ns(failure.cycle, later) if service else None,
                **{name: int(at_interface[name][ends].sum()) for name in COUNTS[:2]},
                "lost_are_copies": copies,
            }
        )
    return {
        "timeout_ns": errors.timeout_cycles * ns,
        **{name: int(at_interface[name].sum()) for name in COUNTS},
        "undelivered_MB": int(at_interface["undelivered_symbols"].sum()) * symbol_bytes / 1e6,
        "first_timeout_ns": first("first_timeout_cycle"),
        "first_given_up_ns": first("first_given_up_cycle"),
        "failures": failures,
        "interfaces": [
            {
                "name": named(interface),
                "ring": int(network.interface_ring[interface]),
                **{name: int(at_interface[name][interface]) for name in COUNTS},
                "first_timeout_ns": time("first_timeout_cycle", interface),
                "first_given_up_ns": time("first_given_up_cycle", interface),
            }
            for interface in erring.tolist()
        ],
        **({} if service is None else {"service": service.record()}),
    }


def _gather(column: np.ndarray[Any, np.dtype[np.int64]], interface: Any, ports: Counters, name: str) -> None:  # noqa: ANN401
    """Adds the figures of a port's link controllers up; of first cycles it takes the least that there is."""
    values = ports[name].astype(np.int64)
    if name in FIRSTS:
        most = np.iinfo(np.int64).max
        column[interface] = most
        np.minimum.at(column, interface, np.where(values > 0, values, most))
        column[column == most] = 0
    else:
        np.add.at(column, interface, values)
