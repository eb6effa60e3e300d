"""The report of a stall, in the names of the network."""

from collections.abc import Mapping
from typing import Any

from ringlet.topology import Network

MOST_NAMED = 8
"""Ports that a message names."""


def describe(stall: Mapping[str, Any], network: Network | None) -> dict[str, Any]:
    """Returns a stall as JSON takes it, with the ports whose packets wait for each other by name.

    Args:
        stall: what the engine reports.
        network: that it has simulated; None for a single ring.
    """
    described = {key: value for key, value in stall.items() if key != "blocked"}
    # Link controllers of one port may wait for the same.
    blocked = dict.fromkeys(tuple(port) for port in stall.get("blocked", ()))
    if network is None or not blocked:
        return described
    first = network.switch_start
    waits = [
        {
            "port": network.port_name(int(first[switch]) + port),
            "packets": "responses" if is_response else "requests",
            "waits_for": network.port_name(int(first[switch]) + exit_port),
        }
        for switch, port, exit_port, is_response in blocked
    ]
    said = [f"{one['packets']} at {one['port']} wait for a transmit slot of {one['waits_for']}" for one in waits]
    more = [f"and {len(said) - MOST_NAMED} more ports"] if len(said) > MOST_NAMED else []
    detail = "; ".join([*said[:MOST_NAMED], *more, described["detail"]])
    return {**described, "detail": detail, "blocked": waits}
