"""Banyan networks connected by long rings (richter1999, Section 6.7).

A switch has s ports, and a ring leads from a processor through one port of each stage, where the straight path goes, to
a memory and back. Packets stay on it as long as its ports are those that their destination needs, and change rings in a
switch where they are not. With s = 2 this is a first-grade optimized network, with s > 2 a second-grade one, if the
network closes without permuted wiring.
"""

import numpy as np

from ringlet.rings.banyan import Banyan
from ringlet.rings.network import IntArray, Names, Network, at_port, processors_and_memories
from ringlet.rings.routes import HERE, Entries, Routes, nested
from ringlet.rings.shortest import shortest_routes


def long_ring_network(banyan: Banyan, *, one_to_one: bool = False) -> tuple[Network, Routes]:
    """Returns a Banyan network of long rings.

    Args:
        banyan: its stages and wirings.
        one_to_one: lead output line `l` back to input line `l`, whatever rings that makes; memory `l` is at output line
            `l`. Otherwise by the permutation that closes every straight path to a ring of one processor and one memory:
            processor `i` and memory `i`.
    """
    if one_to_one and not banyan.closes:
        return _merged(banyan)
    return _separate(banyan)


def _separate(banyan: Banyan) -> tuple[Network, Routes]:
    s, n, size = banyan.radix, banyan.stages, banyan.size
    digits = banyan.stage_lines % s
    # A ring's number has its ports in the order of the stages, so that a switch's rings differ in one digit.
    number = np.zeros(size, dtype=np.int64)
    for digit in digits:
        number = number * s + digit
    block = np.empty((size, n + 2), dtype=np.int64)
    block[number] = np.stack(
        [np.arange(size), *at_port(_ports(banyan, banyan.stage_lines)), size + np.arange(size)], axis=1
    )
    network = _network(banyan, [block])
    rings = np.arange(size)
    ports = at_port(block[:, 1:-1])
    widths = [s ** (n - stage) for stage in range(n)]
    levels = [*((width, ports[:, stage]) for stage, width in enumerate(widths)), (1, np.full(size, HERE))]
    switch_entries: list[Entries] = [
        (network.port_switch[ports[:, stage]], rings - rings % (width // s), ports[:, stage])
        for stage, width in enumerate(widths)
    ]
    routes = Routes.from_entries(
        network, np.tile(number, 2), size, nested(rings, rings, levels, offset=rings * 0), switch_entries
    )
    return network, routes


def _merged(banyan: Banyan) -> tuple[Network, Routes]:
    ports, size = _ports(banyan, banyan.stage_lines), banyan.size
    rings = []
    for lines in banyan.closed_rings():
        following = [*lines[1:], lines[0]]
        places = [[line, *at_port(ports[:, line]), size + after] for line, after in zip(lines, following, strict=True)]
        rings.append(np.array(places, dtype=np.int64).reshape(1, -1))
    network = _network(banyan, rings)
    return network, shortest_routes(network)


def _network(banyan: Banyan, blocks: list[IntArray]) -> Network:
    return Network.from_blocks(
        blocks,
        switch_start=np.arange(banyan.stages * banyan.switches_per_stage + 1) * banyan.radix,
        roles=processors_and_memories(banyan.size),
        names=Names(switch=banyan.switch_name),
    )


def _ports(banyan: Banyan, stage_lines: IntArray) -> IntArray:
    """Returns the port at each line of each stage; a stage has as many ports as lines."""
    return stage_lines + np.arange(banyan.stages)[:, None] * banyan.size
