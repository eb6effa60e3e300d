"""The ring of `crates/ringlet-bare` as one would write it with SimPy: a process for each node, an event for each cycle.

It follows the same rules: a register-insertion ring without flow control (pass, ready, send, post, drain), uniform
Poisson traffic of one packet size, receive queues that are never full.
"""

from collections import deque
from collections.abc import Generator
from random import Random
from typing import Any, NamedTuple

import simpy

ECHO_SYMBOLS = 4
"""The last symbols of a packet, whose place its echo takes."""


class Symbol(NamedTuple):
    """A symbol of a packet or echo; `left` symbols of it follow."""

    source: int
    target: int
    left: int
    is_send: bool
    generated: int


class Ring:
    """A ring of processes; `delivered` counts packets, `latency` sums their latencies in cycles."""

    def __init__(self, nodes: int, hop_delay: int, symbols: int, mean_gap: float, seed: int) -> None:
        """Takes the hop delay in cycles and the mean cycles between two packets of a node."""
        self.environment = simpy.Environment()
        self.symbols = symbols
        self.mean_gap = mean_gap
        self.delivered = 0
        self.latency = 0
        self.links: list[deque[Symbol | None]] = [deque([None] * hop_delay) for _ in range(nodes)]
        for number in range(nodes):
            self.environment.process(self._node(number, Random(seed * nodes + number)))

    def advance(self, cycles: int) -> None:
        """Simulates `cycles` cycles."""
        self.environment.run(until=self.environment.now + cycles)

    def _node(self, number: int, random: Random) -> Generator[simpy.Event, Any, Any]:
        """A node: in each cycle a symbol comes in, and one goes out."""
        environment, nodes = self.environment, len(self.links)
        bypass: deque[Symbol | None] = deque()
        waiting: deque[tuple[int, int]] = deque()
        next_arrival = random.expovariate(1 / self.mean_gap)
        state, left = "pass", 0
        while True:
            cycle = int(environment.now)
            came = self._stripped(number, self.links[number - 1].popleft(), cycle)
            while next_arrival <= cycle:
                waiting.append(((number + random.randrange(1, nodes)) % nodes, cycle))
                next_arrival += random.expovariate(1 / self.mean_gap)
            goes = came
            if state == "pass":
                if came is None and waiting:
                    state = "ready"
            else:
                # The bypass FIFO takes packets, and one idle after each.
                if came is not None or (bypass and (last := bypass[-1]) is not None and last.left == 0):
                    bypass.append(came)
                if state == "ready":
                    state, left = "send", self.symbols
                if state == "send":
                    left -= 1
                    target, generated = waiting[0]
                    goes = Symbol(number, target, left, True, generated)
                    if left == 0:
                        state = "post"
                elif state == "post":
                    waiting.popleft()
                    goes = None
                    state = "drain" if bypass else "ready" if waiting else "pass"
                else:
                    goes = bypass.popleft()
                    if goes is None and not bypass:
                        state = "ready" if waiting else "pass"
            self.links[number].append(goes)
            yield environment.timeout(1)

    def _stripped(self, number: int, symbol: Symbol | None, cycle: int) -> Symbol | None:
        """Turns a packet for this node into idles and its echo, and an echo for it into idles."""
        if symbol is None or symbol.target != number:
            return symbol
        if not symbol.is_send:
            return None
        if symbol.left == 0:
            self.delivered += 1
            self.latency += cycle + 1 - symbol.generated
        if symbol.left >= ECHO_SYMBOLS:
            return None
        return Symbol(number, symbol.source, symbol.left, False, symbol.generated)
