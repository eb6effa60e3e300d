"""The engine's description of a network: rings with their routes, switches, hosts."""

from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.garbage import uncollected
from ringlet.rings import Network, Routes
from ringlet.rings.network import NONE
from ringlet.rings.routes import NO_ROUTE
from ringlet.rings.survey import ring_interfaces
from ringlet.scenario.hardware.adapter import BUFFER_BYTES, UNCROWDED, Adapter
from ringlet.scenario.hardware.delays import AdapterDelays
from ringlet.scenario.resolved.scenario import Resolved


@uncollected()
def engine_network(resolved: Resolved) -> dict[str, Any]:
    """Returns the `network` of the engine's NetworkSpec.

    Raises:
        RingletError: a symbol that does not take whole picoseconds; a delay that is too long.
    """
    symbol_ps = resolved.symbol_ps
    network, routes = resolved.routed_network
    switch, in_switch = resolved.file.switch, resolved.switch_delays
    hosts = _hosts(resolved)
    if network.switches and round(in_switch.fastest_ps) < symbol_ps:
        least = f"a symbol time of {resolved.symbol_time_ns:g} ns at least"
        raise RingletError.not_allowed(
            "switch.rate", switch.rate, f"a rate at which a packet takes {least} to cross a switch"
        )
    errors = resolved.link_errors
    return {
        "symbol_ps": symbol_ps,
        "bypass": resolved.file.network.bypass or "cut-through",
        "pass_delay": resolved.pass_cycles,
        "rings": [
            {"interfaces": interfaces, "symbol_cycles": symbol, "hop_delays": hops, "routes": steps}
            for interfaces, symbol, hops, steps in zip(
                _interfaces(network),
                resolved.symbol_cycles.tolist(),
                _hop_delays(resolved),
                _steps(network, routes),
                strict=True,
            )
        ],
        "switches": [{"kind": 0, "ports": ports} for ports in np.diff(network.switch_start).tolist()],
        "switch_kinds": [
            {
                "links": switch.links,
                "cycle_ps": in_switch.link_cycle_ps,
                "encapsulation_bytes": switch.encapsulation,
                "setup_ps": in_switch.set_up.ps,
                "to_link_ps": in_switch.to_link.ps,
                "from_link_ps": in_switch.from_link.ps,
                "forwarding": switch.forwarding,
                "cascade": switch.cascade,
                "receive": _buffers(switch.receive, switch.pooled),
                "transmit": _buffers(switch.transmit, switch.pooled),
            }
        ]
        if network.switches
        else [],
        "addresses": None if np.array_equal(routes.address, network.node_ring) else routes.address.tolist(),
        "host": hosts[0],
        "hosts": hosts if any(one is not hosts[0] for one in hosts) else None,
        "slot_choice": resolved.file.host.order,
        "ways": _ways(network),
        **({"stripped_by": resolved.stripped_by} if resolved.has_copies else {}),
        "errors": None
        if errors is None
        else {
            **errors.spec(),
            "reroutes": [
                {"from_cycle": reroute.from_cycle, "rings": _steps(network, reroute.routes)}
                for reroute in errors.reroutes
            ],
        },
    }


def _interfaces(network: Network) -> list[list[Any]]:
    """Returns the interfaces of each ring in the engine's form."""
    rings: list[list[Any]] = ring_interfaces(network)
    if network.second_interface is None:
        return rings
    return [rings[0], [{"second": node} for node in rings[1]]]


def _ways(network: Network) -> dict[str, Any] | None:
    """Returns the ways of packets where nodes have two interfaces; None where they have one."""
    if network.second_interface is None:
        return None
    return {"kind": "both"} if network.ahead is None else {"kind": "one", "ahead": network.ahead.tolist()}


def _hosts(resolved: Resolved) -> list[dict[str, Any]]:
    """Returns what lies between each node and its ring; nodes that are alike have the same."""
    data_bytes = resolved.file.traffic.moves.payload_bytes
    each = {id(delays): (host, delays) for host, delays in zip(resolved.hosts, resolved.host_delays, strict=True)}
    made = {
        number: {
            "slots": host.slots,
            "fill_serial_ps": delays.fill_time.ps,
            "fill_ps": delays.fill_delay.ps,
            "receive_delay_ps": delays.receive_delay.ps,
            "store_ps": delays.store_delay.ps,
            **_adapter(host.adapter, delays.adapter, data_bytes),
        }
        for number, (host, delays) in each.items()
    }
    return [made[id(delays)] for delays in resolved.host_delays]


def _adapter(adapter: Adapter | None, delays: AdapterDelays | None, data_bytes: float) -> dict[str, Any]:
    """Returns what an adapter makes of the host: slots for transactions with the data of the background traffic."""
    if adapter is None or delays is None:
        return {}
    times = {
        "fill_serial_ps": round(delays.write_time.ps * data_bytes / BUFFER_BYTES),
        "fill_ps": delays.bridge_delay.ps,
    }
    if adapter.masters > 1:
        return {"slots": adapter.masters, **times, "split": {"set_up_ps": delays.set_up.ps}}
    return {
        "slots": adapter.streams,
        **times,
        "groups": {
            "packets": adapter.streams,
            "set_up_ps": delays.set_up.ps,
            "uncrowded": UNCROWDED,
            "crowded_ps": delays.crowded_time.ps,
        },
    }


def _buffers(each: int, pooled: bool) -> dict[str, Any]:
    return {"requests": each, "responses": each, "pooled": pooled}


def _hop_delays(resolved: Resolved) -> Iterator[list[int] | None]:
    """Yields the hop delays of each ring's links; None where all links have one."""
    rings = resolved.routed_network[0]
    if resolved.equal_hop_symbols is not None:
        yield from repeat(None, rings.rings)
    else:
        yield from (each.tolist() for each in np.split(resolved.hop_symbols, rings.ring_start[1:-1]))


def _steps(network: Network, routes: Routes) -> list[list[Any]]:
    """Returns for each ring the steps
    `[first address, place of the port that takes the packet, port out of its switch]`.

    What is on the ring itself has the step before it.
    """
    places = np.arange(network.interfaces) - np.repeat(network.ring_start[:-1], network.ring_lengths)
    number = np.arange(network.ports) - np.repeat(network.switch_start[:-1], np.diff(network.switch_start))
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
