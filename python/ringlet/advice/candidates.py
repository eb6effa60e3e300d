"""Candidate networks: one ring, two rings, one switch, multistage networks, tori, rings of rings, as small as they
hold all nodes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ringlet.advice.flow_table import FlowTable
from ringlet.advice.requirements import Banyan, Requirements

DUAL_RING_PORTS = 3
"""Ports of a station of a dual ring."""


@dataclass(frozen=True)
class Candidate:
    """A network, and which of its nodes are the senders and receivers."""

    name: str
    """Short and unique: `omega-first-grade`."""
    title: str
    """Name of the candidate, in words."""
    network: dict[str, Any]
    """The network section of its scenario."""
    senders: tuple[int, ...]
    """Nodes that send, in the order of the senders."""
    receivers: tuple[int, ...]
    """Nodes that receive, in the order of the receivers."""
    processors: int | None
    """Numbers of processors and of memories, where nodes are either; None where all nodes compute."""
    nodes: int
    """Number of nodes."""
    flow_control: dict[str, Any] | None = None
    """The flow-control section of its scenario; None: that of the requirements."""
    transmit: int | Literal["unlimited"] | None = None
    """Packets that a sender may hold; None: as the requirements say."""


def candidates(requirements: Requirements) -> list[Candidate]:
    """Returns the networks to be tried, of the topologies that are allowed and of switches that are available."""
    makers: dict[str, Callable[[Requirements], Iterator[Candidate]]] = {
        "ring": _rings,
        "dual-ring": _dual_rings,
        "dual-attached-ring": _attached_rings,
        "switch": _switches,
        "torus": _tori,
        "ring-of-rings": _trees,
        **{banyan: partial(_multistage, kind=banyan) for banyan in get_args(Banyan)},
    }
    found = [
        candidate for family in dict.fromkeys(requirements.topologies) for candidate in makers[family](requirements)
    ]
    if requirements.link_rate is not None:
        found = [replace(one, network={**one.network, "link_rate": requirements.link_rate}) for one in found]
    if (table := requirements.table_of_flows) is not None:
        found = [replace(one, network={**one.network, "node_names": _names(one, table)}) for one in found]
    if requirements.buffers:
        found = [replace(one, transmit=requirements.buffers[0]) for one in found]
    if not requirements.protocols:
        return found
    return [
        replace(one, name=f"{one.name}, {protocol}", title=f"{one.title}, {protocol}", flow_control=section)
        for one in found
        for protocol in requirements.protocols
        for section in [{"protocol": protocol}]
    ]


def own_receiver(sender: int, senders: int, receivers: int) -> int:
    """Returns the receiver that a sender belongs to."""
    return sender * receivers // senders


def shares(requirements: Requirements, candidate: Candidate) -> NDArray[np.float64]:
    """Returns the share of all data that goes from each sender to each receiver; shape (senders, receivers)."""
    if (table := requirements.table_of_flows) is not None:
        every: NDArray[np.float64] = table.demands / table.demands.sum()
        return every
    senders, receivers = len(candidate.senders), len(candidate.receivers)
    if requirements.locality is None or receivers == 1:
        return np.full((senders, receivers), 1 / (senders * receivers))
    found = np.full((senders, receivers), (1 - requirements.locality) / (receivers - 1))
    found[np.arange(senders), [own_receiver(one, senders, receivers) for one in range(senders)]] = requirements.locality
    return found / senders


def _names(candidate: Candidate, table: FlowTable) -> list[str]:
    """Returns the names of all nodes of a network: those of flows, and others for nodes that none of them is of."""
    named = dict(zip((*candidate.senders, *candidate.receivers), (*table.senders, *table.receivers), strict=True))
    taken = set(named.values())
    spare = (name for name in (f"spare {i}" for i in count()) if name not in taken)
    return [named.get(node) or next(spare) for node in range(candidate.nodes)]


def _rings(wanted: Requirements) -> Iterator[Candidate]:
    """One ring, each receiver behind the last sender that belongs to it."""
    senders, receivers = wanted.final_senders, wanted.final_receivers
    members: list[int] = []
    placed = 0
    for sender in range(senders):
        members.append(sender)
        following = own_receiver(sender + 1, senders, receivers)
        members += range(senders + placed, senders + following)
        placed = following
    memories = list(range(senders, senders + receivers))
    network = {"topology": "rings", "rings": [{"members": members}], "memories": memories}
    yield Candidate(
        "ring",
        f"one ring of {len(members)} nodes",
        network,
        tuple(range(senders)),
        tuple(memories),
        senders,
        len(members),
    )


def _pairs(wanted: Requirements) -> int:
    """Pairs of a processor and a memory that are needed."""
    return max(wanted.final_senders, wanted.final_receivers)


def _spread(count: int, wanted: Requirements) -> list[int]:
    """Returns in which of the pairs so many senders or receivers are: evenly among all, so that few receivers are not
    neighbours on one ring, and each is beside a sender that belongs to it."""
    return [number * _pairs(wanted) // count for number in range(count)]


def _paired(wanted: Requirements, name: str, title: str, network: dict[str, Any], pairs: int) -> Candidate:
    """A network of processors, and behind them as many memories."""
    senders = tuple(_spread(wanted.final_senders, wanted))
    receivers = tuple(pairs + pair for pair in _spread(wanted.final_receivers, wanted))
    return Candidate(name, title, network, senders, receivers, pairs, 2 * pairs)


def _beside(wanted: Requirements, name: str, title: str, network: dict[str, Any], pairs: int) -> Candidate:
    """A network of computing nodes, in which every second one receives: neighbours belong to each other."""
    senders = tuple(2 * pair for pair in _spread(wanted.final_senders, wanted))
    receivers = tuple(2 * pair + 1 for pair in _spread(wanted.final_receivers, wanted))
    return Candidate(name, title, network, senders, receivers, None, 2 * pairs)


def _radices(most: int) -> list[int]:
    """Powers of 2 up to a number of ports."""
    return [1 << power for power in range(1, most.bit_length())]


def _switches(wanted: Requirements) -> Iterator[Candidate]:
    """One switch: a ringlet for each node, or long rings (Figures 6.16 and 6.17)."""
    pairs = _pairs(wanted)
    if 2 * pairs <= wanted.switch_ports:
        network = {"topology": "switch", "nodes": 2 * pairs}
        yield _paired(wanted, "switch-ringlets", f"one switch of {2 * pairs} ports, ringlets", network, pairs)
    for ports in _radices(min(wanted.switch_ports, pairs)):
        each = math.ceil(pairs / ports)
        network = {"topology": "switch", "connection": "long-ring", "ports": ports, "nodes": 2 * ports * each}
        title = f"one switch of {ports} ports, long rings of {2 * each} nodes"
        yield _paired(wanted, f"switch-long-rings-{ports}", title, network, ports * each)


def _dual_rings(wanted: Requirements) -> Iterator[Candidate]:
    """Two rings in opposite directions through stations of three ports: to their node and to both rings."""
    pairs = _pairs(wanted)
    if wanted.switch_ports >= DUAL_RING_PORTS:
        network = {"topology": "dual-ring", "nodes": 2 * pairs}
        yield _beside(wanted, "dual-ring", f"two rings in opposite directions, {2 * pairs} stations", network, pairs)


def _attached_rings(wanted: Requirements) -> Iterator[Candidate]:
    """Two rings in opposite directions, each node on both, with a copy of each packet round each (IEC 62439-3): what a
    failure costs is why they are built."""
    # Builders are handed what is delivered once, by one ring; and what one interface loses, the other would send.
    if wanted.failure_loss is None or wanted.event_building is not None or wanted.buffers:
        return
    pairs = _pairs(wanted)
    network = {"topology": "dual-attached-ring", "nodes": 2 * pairs, "ways": "both", "link_rate": wanted.links}
    title = f"two rings with a copy round each, {2 * pairs} stations"
    yield replace(_beside(wanted, "dual-attached-ring", title, network, pairs), transmit="unlimited")


def _multistage(wanted: Requirements, kind: Banyan) -> Iterator[Candidate]:
    """Banyan networks of two stages or more: conventional, first grade and second grade (Section 6.7)."""
    title = kind.replace("-", " ").title()
    pairs = _pairs(wanted)
    for radix in _radices(wanted.switch_ports):
        # Where one switch is large enough it needs no stages.
        if radix >= pairs:
            continue
        size = radix * radix
        while size < pairs:
            size *= radix
        network = {"topology": kind, "size": size, "radix": radix}
        words = f"{size} x {size} {title} network of {radix} x {radix} switches"
        if 2 * radix <= wanted.switch_ports:
            yield _paired(wanted, f"{kind}-ringlets-{radix}", f"{words}, ringlets", network, size)
            if wanted.failure_loss is not None:
                extra = {**network, "extra_stage": True}
                name = f"{kind}-extra-stage-{radix}"
                yield _paired(wanted, name, f"{words}, ringlets, extra stage", extra, size)
        long_rings = {**network, "connection": "long-ring"}
        if radix == 2:
            yield _paired(wanted, f"{kind}-first-grade", f"{words}, long rings (first grade)", long_rings, size)
        else:
            name = f"{kind}-second-grade-{radix}"
            yield _paired(wanted, name, f"{words}, long rings (second grade)", long_rings, size)


def _tori(wanted: Requirements) -> Iterator[Candidate]:
    """Tori with a sender and a receiver at each router."""
    pairs = _pairs(wanted)
    for dimensions in (2, 3):
        shape = _shape(pairs, dimensions)
        if shape is None:
            continue
        words = f"{' x '.join(map(str, shape))} torus"
        size = math.prod(shape)
        network = {"topology": "torus", "shape": shape, "concentration": 2}
        if dimensions + 1 <= wanted.switch_ports:
            yield _beside(
                wanted, f"torus-{dimensions}d-ringlets", f"{words}, nodes on rings of their own", network, size
            )
        if dimensions <= wanted.switch_ports:
            title = f"{words}, nodes on the rings of the first dimension"
            yield _beside(
                wanted, f"torus-{dimensions}d-long-rings", title, {**network, "connection": "long-ring"}, size
            )


def _shape(least: int, dimensions: int) -> list[int] | None:
    """Returns the sizes of the smallest torus that is nearly a cube; None if so many dimensions have no use."""
    if least <= 1 << (dimensions - 1):
        return None
    shape: list[int] = []
    left = least
    for rest in range(dimensions, 0, -1):
        side = max(2, round(left ** (1 / rest)))
        if rest == 1:
            side = max(2, left)
        shape.append(side)
        left = math.ceil(left / side)
    return sorted(shape, reverse=True)


def _trees(wanted: Requirements) -> Iterator[Candidate]:
    """Rings of senders and receivers, joined by one ring through bridges."""
    pairs = _pairs(wanted)
    for rings in _radices(pairs // 2):
        each = math.ceil(pairs / rings)
        network = {"topology": "ring-of-rings", "shape": [2 * each, rings]}
        yield _beside(
            wanted,
            f"ring-of-rings-{rings}",
            f"{rings} rings of {2 * each} nodes, bridges to a ring",
            network,
            rings * each,
        )
