"""Which keys of the network section belong to which topology, and what does not fit together."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.scenario.units import MAX_CYCLES
from ringlet.topology.banyan import KINDS

if TYPE_CHECKING:
    from ringlet.scenario.network import Network

MAX_PORTS = 256

BANYANS: tuple[str, ...] = KINDS
"""Topologies that are multistage networks."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "ring": (),
    "switch": ("ports", "connection", "memory"),
    **dict.fromkeys(BANYANS, ("size", "radix", "connection", "closing")),
    "torus": ("shape", "connection", "concentration"),
    "ring-of-rings": ("shape",),
    "rings": ("rings", "switches", "routing", "routes", "memories"),
}
"""The keys of the network section that belong to some topologies only."""

DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "switch": {"connection": "ringlet", "memory": "uma"},
    **{banyan: {"radix": 2, "connection": "ringlet", "closing": "permuted"} for banyan in BANYANS},
    "torus": {"connection": "ringlet", "concentration": 1},
    "rings": {"routing": "shortest"},
}
"""What those keys are if they are not given."""

DEFAULT_PORTS = 4
"""Ports of a single switch with long rings, as Dolphin's has."""

NEEDED: Mapping[str, str] = {
    **dict.fromkeys(BANYANS, "size"),
    "torus": "shape",
    "ring-of-rings": "shape",
    "rings": "rings",
}
"""The key without which a topology does not know its nodes."""


def count_nodes(topology: str, content: Mapping[str, Any]) -> int | None:
    """Returns how many nodes other keys make, or None if they do not say or are wrong."""
    try:
        match topology:
            case "torus" | "ring-of-rings":
                return _product([*content["shape"], content.get("concentration") or 1])
            case "rings":
                members = [member for ring in content["rings"] for member in dict(ring)["members"]]
                return max((member for member in members if isinstance(member, int)), default=-1) + 1
            case _ if topology in BANYANS:
                return _product([content["size"], 2])
    except (TypeError, KeyError, ValueError):
        pass
    return None


def _product(factors: Sequence[object]) -> int | None:
    """Returns the product of whole numbers, of the first ones where that is far too large; None if others are there."""
    product = 1
    for factor in factors:
        if not isinstance(factor, int) or isinstance(factor, bool):
            return None
        if product <= MAX_CYCLES:
            product *= factor
    return product


def check_network(network: "Network") -> None:
    """Raises RingletError for the first key that does not fit the topology or another key."""
    allowed = KEYS[network.topology]
    if network.bypass is not None and not network.switched:
        raise RingletError.not_allowed("network.bypass", network.bypass, "a topology with switches")
    for key in sorted({key for keys in KEYS.values() for key in keys}):
        if key not in allowed and getattr(network, key) is not None:
            owners = ", ".join(repr(name) for name, keys in KEYS.items() if key in keys)
            message = f"topology {network.topology!r} has no such key; it belongs to {owners}"
            raise RingletError.not_allowed(f"network.{key}", f"<{key}>", message)
    match network.topology:
        case "switch":
            _check_switch(network)
        case "torus":
            if network.connection == "long-ring" and len(network.shape or []) < 2:
                raise RingletError.not_allowed(
                    "network.shape", network.shape, "two dimensions or more where nodes are on the first one's rings"
                )
        case "ring-of-rings":
            if len(network.shape or []) < 2:
                raise RingletError.not_allowed("network.shape", network.shape, "two levels or more, such as [8, 4]")
        case "rings":
            _check_lists(network)
        case topology if topology in BANYANS:
            _check_banyan(network)
    counted = None if network.topology == "rings" else count_nodes(network.topology, dict(network))
    if counted is not None and network.nodes != counted:
        raise RingletError.not_allowed(
            "network.nodes", network.nodes, f"{counted}, which network.{NEEDED[network.topology]} makes"
        )


def _check_switch(network: "Network") -> None:
    ports, nodes = network.ports or 0, network.nodes
    if network.connection == "ringlet":
        if nodes != ports:
            raise RingletError.not_allowed(
                "network.nodes", nodes, f"{ports}, one at each port of the switch, with connection 'ringlet'"
            )
        if network.memory == "uma" and ports % 2:
            raise RingletError.not_allowed(
                "network.ports", ports, "an even number with memory 'uma': half of them for memories"
            )
        return
    each = ports * (2 if network.memory == "uma" else 1)
    if nodes % each:
        what = "processors and as many memories" if network.memory == "uma" else "nodes"
        allowed = f"a multiple of {each}: equally many {what} on the ring of each of {ports} ports"
        raise RingletError.not_allowed("network.nodes", nodes, allowed)


def _check_banyan(network: "Network") -> None:
    size, radix = network.size or 0, network.radix or 2
    power = radix
    while power < size:
        power *= radix
    if power != size:
        lower = power // radix
        near = f"{lower} or {power}" if lower >= radix else str(power)
        raise RingletError.not_allowed("network.size", size, f"a power of network.radix, {radix}, such as {near}")
    if network.connection == "ringlet" and network.closing == "one-to-one":
        raise RingletError.not_allowed(
            "network.closing", network.closing, "'permuted' with ringlets; only long rings are closed"
        )


def _check_lists(network: "Network") -> None:
    names = list(network.ring_names)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise RingletError.not_allowed(f"network.rings[{index}].name", name, "each name once")
    for index, switch in enumerate(network.switches or []):
        if switch.name in names:
            raise RingletError.not_allowed(
                f"network.switches[{index}].name", switch.name, "each name once, of rings and switches"
            )
        names.append(switch.name)
        if not 2 <= switch.ports <= MAX_PORTS:
            allowed = f"2 to {MAX_PORTS} ports on switch {switch.name!r}"
            raise RingletError.not_allowed(f"network.switches[{index}].ports", switch.ports, allowed)
    memories = network.memories or []
    for index, node in enumerate(memories):
        if not 0 <= node < network.nodes or node in memories[:index]:
            raise RingletError.not_allowed(
                f"network.memories[{index}]", node, f"nodes from 0 to {network.nodes - 1}, each once"
            )
    if network.memories is not None and not 0 < len(memories) < network.nodes:
        raise RingletError.not_allowed("network.memories", memories, "some of the nodes, but not all")
