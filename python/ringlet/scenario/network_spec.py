"""The engine's description of a network: rings with their routes, switches, hosts."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.network import Network as Section
from ringlet.scenario.switch import BLINK_CYCLE_BYTES, Host, Switch
from ringlet.scenario.transactions import HEADER_BYTES
from ringlet.scenario.units import magnitude
from ringlet.topology import Network, Routes
from ringlet.topology.network import NONE
from ringlet.topology.routes import NO_ROUTE
from ringlet.topology.survey import ring_interfaces

MAX_DELAY_PS = 10**9
"""Longest delay of a switch or host: 1 ms."""


def engine_network(
    section: Section,
    switch: Switch,
    host: Host,
    network: Network,
    routes: Routes,
    symbol_time_ns: float,
    *,
    data_bytes: float,
) -> dict[str, Any]:
    """Returns the `network` of the engine's NetworkSpec; `data_bytes` is the data of a transaction.

    Raises:
        RingletError: a symbol that does not take whole picoseconds; a delay that is too long.
    """
    symbol_ps = round(1000 * symbol_time_ns)
    if abs(symbol_ps - 1000 * symbol_time_ns) > 1e-6 or symbol_ps < 1:
        allowed = "a rate at which two bytes take whole picoseconds, such as '500 MB/s'"
        raise RingletError.not_allowed("network.link_rate", section.link_rate, allowed)

    def ps(path: str, value: float | str) -> int:
        exact = 1000 * magnitude(value, "ns") if isinstance(value, str) else value * symbol_ps
        if exact > MAX_DELAY_PS:
            raise RingletError.not_allowed(path, value, "at most 1 ms")
        return round(exact)

    cycle_ps = 1000 * BLINK_CYCLE_BYTES / magnitude(switch.rate, "byte/ns")
    fastest_ps = min(
        ps("switch.set_up", switch.set_up) + cycle_ps * -(-(HEADER_BYTES + switch.encapsulation) // BLINK_CYCLE_BYTES),
        ps("switch.set_up", switch.set_up) + ps("switch.from_link", switch.from_link) + int(cycle_ps),
    )
    if network.switches and round(fastest_ps) < symbol_ps:
        allowed = f"a rate at which a packet takes a symbol time of {symbol_time_ns:g} ns at least to cross a switch"
        raise RingletError.not_allowed("switch.rate", switch.rate, allowed)
    places = np.arange(network.interfaces) - np.repeat(network.ring_start[:-1], network.ring_lengths)
    number = np.arange(network.ports) - np.repeat(network.switch_start[:-1], np.diff(network.switch_start))
    return {
        "symbol_ps": symbol_ps,
        "bypass": section.bypass or "cut-through",
        "rings": [
            {"interfaces": interfaces, "hop_delay": None, "routes": steps}
            for interfaces, steps in zip(ring_interfaces(network), _steps(network, routes, places, number), strict=True)
        ],
        "switches": [{"kind": 0, "ports": ports} for ports in np.diff(network.switch_start).tolist()],
        "switch_kinds": [
            {
                "links": switch.links,
                "cycle_ps": cycle_ps,
                "encapsulation_bytes": switch.encapsulation,
                "setup_ps": ps("switch.set_up", switch.set_up),
                "to_link_ps": ps("switch.to_link", switch.to_link),
                "from_link_ps": ps("switch.from_link", switch.from_link),
                "forwarding": switch.forwarding,
                "receive": _buffers(switch.receive, switch.pooled),
                "transmit": _buffers(switch.transmit, switch.pooled),
            }
        ]
        if network.switches
        else [],
        "addresses": None if np.array_equal(routes.address, network.node_ring) else routes.address.tolist(),
        "host": {
            "slots": None if isinstance(host.slots, str) else host.slots,
            "fill_serial_ps": ps("host.fill_time", host.fill_time),
            "fill_ps": ps("host.fill_delay", host.fill_delay),
            "receive_delay_ps": ps("host.receive_delay", host.receive_delay),
            "store_ps": ps("host.store_delay", host.store_delay),
            **({} if host.adapter is None else host.adapter.engine_host(data_bytes, ps)),
        },
        "slot_choice": host.order,
    }


def _buffers(each: int, pooled: bool) -> dict[str, Any]:
    return {"requests": each, "responses": each, "pooled": pooled}


def _steps(network: Network, routes: Routes, places: NDArray[np.int64], number: NDArray[np.int64]) -> list[list[Any]]:
    """Returns for each ring the steps `[first address, place of the port that takes the packet, port out of its switch]`.

    What is on the ring itself has the step before it.
    """
    tables = routes.ring
    leaving = tables.port >= 0
    on_ring = np.flatnonzero(leaving)
    switch = network.port_switch[tables.port[on_ring]]
    origin, out, first, _ = routes.switch.split(switch, tables.first_address[on_ring], tables.end_address[on_ring])
    entry = on_ring[origin]
    ends = np.flatnonzero(tables.port == NO_ROUTE)
    ring = np.concatenate([tables.table[entry], tables.table[ends]])
    address = np.concatenate([first, tables.first_address[ends]])
    exit_place = np.concatenate([places[network.port_interface[tables.port[entry]]], np.full(len(ends), NONE)])
    exit_port = np.concatenate([np.where(out == NO_ROUTE, NONE, number[out]), np.full(len(ends), NONE)])
    exit_place[exit_port == NONE] = NONE
    order = np.lexsort((address, ring))
    ring, address, exit_place, exit_port = ring[order], address[order], exit_place[order], exit_port[order]
    # Neighbours that say the same are one step; the first one of a ring starts at 0.
    opens = np.append(True, ring[1:] != ring[:-1])[: len(ring)]
    changed = np.append(True, (exit_place[1:] != exit_place[:-1]) | (exit_port[1:] != exit_port[:-1]))[: len(ring)]
    kept = opens | changed
    address = np.where(opens, 0, address)[kept]
    steps: list[list[Any]] = np.stack([address, exit_place[kept], exit_port[kept]], axis=1).tolist()
    for step in steps:
        if step[1] == NONE:
            step[1:] = [None, None]
    bounds = np.searchsorted(ring[kept], np.arange(network.rings + 1)).tolist()
    return [steps[first:end] for first, end in pairwise(bounds)]
