"""Banyan networks connected by ringlets, the conventional way (richter1999, Section 6.7).

Every line is a ring of two interfaces, and a switch has 2 s ports: first those of its inputs, then those of its
outputs. Processor `i` is node `i` at input line `i`, memory `i` is node `N + i` at output line `i`. Responses go back
the way of their requests.

Packets between two processors, or two memories, turn around at the first switch from which there is a way back.

With an extra stage there are as many ways as a switch has outputs; the number of a packet's destination says which of
them it takes, so that a response may take another one than its request.
"""

from dataclasses import dataclass

import numpy as np

from ringlet.rings.banyan import Banyan, inverse
from ringlet.rings.network import IntArray, Names, Network, at_port, processors_and_memories
from ringlet.rings.routes import Entries, Routes
from ringlet.rings.shortest import shortest_routes


def ringlet_network(banyan: Banyan) -> tuple[Network, Routes]:
    """Returns a Banyan network of ringlets. Its rings: those of the processors, of the memories, and stage by stage of
    the lines between."""
    if banyan.extra_stage:
        lines = np.arange(banyan.size)
        network = _network(banyan, lines, lines)
        return network, shortest_routes(network)
    cones = _Cones.of(banyan)
    network = _network(banyan, cones.processor_address, cones.memory_address)
    routes = Routes.from_entries(
        network,
        np.concatenate([cones.processor_address, banyan.size + cones.memory_address]),
        2 * banyan.size,
        _ring_entries(banyan, cones, network),
        _switch_entries(banyan, cones),
    )
    return network, routes


def _network(banyan: Banyan, processor_ring: IntArray, memory_ring: IntArray) -> Network:
    """Returns rings and switches.

    Args:
        banyan: stages and wirings.
        processor_ring: ring of each processor; shape (N,).
        memory_ring: ring of each memory, counted from 0; shape (N,).
    """
    size, lines, stages = banyan.size, np.arange(banyan.size), range(banyan.stages)
    processor_line, memory_line = banyan.wirings[0], inverse(banyan.wirings[-1])
    first, last = np.empty((2, size, 2), dtype=np.int64)
    first[processor_ring] = np.stack([lines, at_port(_input(banyan, 0, processor_line))], axis=1)
    last[memory_ring] = np.stack([at_port(_output(banyan, stages[-1], memory_line)), size + lines], axis=1)
    between = [
        np.stack([at_port(_output(banyan, stage, lines)), at_port(_next_input(banyan, stage, lines))], axis=1)
        for stage in stages[:-1]
    ]
    return Network.from_blocks(
        [first, last, *between],
        switch_start=np.arange(banyan.stages * banyan.switches_per_stage + 1) * 2 * banyan.radix,
        roles=processors_and_memories(size),
        names=_names(banyan),
    )


@dataclass(frozen=True)
class _Cones:
    """The addresses that each line reaches by going only on, or only back: as many as there are ways, one
    behind the other.

    Addresses have one digit for each stage, that of the switch's port, in the order in which the stages are met.
    """

    processor_address: IntArray
    """Address of each processor; shape (N,)."""
    memory_address: IntArray
    """Address of each memory, counted from 0; shape (N,)."""
    back: list[IntArray]
    """Lowest address of the s^stage processors behind each input line, for each stage; shape (N,) each."""
    on: list[IntArray]
    """Lowest address of the s^(n - 1 - stage) memories before each output line, for each stage; shape (N,) each."""

    @classmethod
    def of(cls, banyan: Banyan) -> "_Cones":
        s, n, wirings = banyan.radix, banyan.stages, banyan.wirings
        addresses = np.arange(banyan.size)
        line = np.full(banyan.size, wirings[0][0])
        for stage in range(n):
            line = wirings[stage + 1][line // s * s + addresses // s ** (n - 1 - stage) % s]
        memory_address = inverse(line)
        line = np.full(banyan.size, inverse(wirings[n])[0])
        for stage in reversed(range(n)):
            line = inverse(wirings[stage])[line // s * s + addresses // s**stage % s]
        processor_address = inverse(line)
        back = [processor_address[inverse(wirings[0])]]
        for stage in range(1, n):
            back.append(_lowest(back[-1], s)[inverse(wirings[stage])])
        on = [memory_address[wirings[n]]]
        for stage in reversed(range(1, n)):
            on.insert(0, _lowest(on[0], s)[wirings[stage]])
        return cls(processor_address, memory_address, back, on)


def _lowest(addresses: IntArray, radix: int) -> IntArray:
    """Returns for each line the lowest address of its switch's lines."""
    return np.repeat(addresses.reshape(-1, radix).min(axis=1), radix)


def _switch_entries(banyan: Banyan, cones: _Cones) -> list[Entries]:
    s, size = banyan.radix, banyan.size
    entries = []
    for stage in range(banyan.stages):
        lines = np.arange(size)
        switch = stage * banyan.switches_per_stage + lines // s
        inputs, outputs = _input(banyan, stage, lines), _output(banyan, stage, lines)
        # Any way on leads to a switch with a way back to the other processors; any way back to one with a way on.
        some = lines % s == switch % s
        entries += _cone_entries(switch, cones.back[stage], s**stage, inputs, outputs, some, first=0, end=size)
        ahead = s ** (banyan.stages - 1 - stage)
        entries += _cone_entries(switch, cones.on[stage], ahead, outputs, inputs, some, first=size, end=2 * size)
    return entries


def _cone_entries(
    switch: IntArray,
    lowest: IntArray,
    width: int,
    inside: IntArray,
    outside: IntArray,
    some: IntArray,
    *,
    first: int,
    end: int,
) -> list[Entries]:
    """Returns a stage's entries for one kind of nodes, with the addresses `first` to `end` - 1.

    Those from `first + lowest` on, `width` of them, are behind the port `inside` of each line; all others behind any
    port `outside`.
    """
    radix = int(np.count_nonzero(switch == switch[0]))
    turned = (switch[some], np.full(np.count_nonzero(some), first), outside[some])
    behind = first + _lowest(lowest, radix)[some] + radix * width
    left = behind < end
    after = (switch[some][left], behind[left], outside[some][left])
    return [turned, after, (switch, first + lowest, inside)]


def _ring_entries(banyan: Banyan, cones: _Cones, network: Network) -> list[Entries]:
    size, s, lines = banyan.size, banyan.radix, np.arange(banyan.size)
    at_nodes = np.arange(2 * size)
    entries: list[Entries] = [
        (at_nodes, np.zeros_like(at_nodes), network.interface_port[: 4 * size].reshape(-1, 2).max(axis=1))
    ]
    for stage in range(banyan.stages - 1):
        ring = 2 * size + stage * size + lines
        onward, backward = _next_input(banyan, stage, lines), _output(banyan, stage, lines)
        processors = _lowest(cones.back[stage], s)
        memories = size + cones.on[stage]
        ahead = s ** (banyan.stages - 1 - stage)
        nothing = np.zeros_like(ring)
        for first, low, width, inside, outside in (
            (nothing, processors, s ** (stage + 1), backward, onward),
            (nothing + size, memories, ahead, onward, backward),
        ):
            left = low + width < first + size
            entries += [(ring, first, outside), (ring[left], (low + width)[left], outside[left]), (ring, low, inside)]
    return entries


def _input(banyan: Banyan, stage: int, line: IntArray) -> IntArray:
    s = banyan.radix
    return (stage * banyan.switches_per_stage + line // s) * 2 * s + line % s


def _output(banyan: Banyan, stage: int, line: IntArray) -> IntArray:
    return _input(banyan, stage, line) + banyan.radix


def _next_input(banyan: Banyan, stage: int, line: IntArray) -> IntArray:
    return _input(banyan, stage + 1, banyan.wirings[stage + 1][line])


def _names(banyan: Banyan) -> Names:
    size = banyan.size

    def ring(number: int) -> str:
        if number < 2 * size:
            return f"ring {number}"
        return f"ring {number} (stages {number // size - 2} and {number // size - 1})"

    return Names(ring=ring, switch=banyan.switch_name)
