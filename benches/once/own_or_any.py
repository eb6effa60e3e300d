"""The exclusion test of docs/reproductions/picker1994.md, "Own or any": do Section 3.1's sentence and Figure 5 exclude
each other?

    .venv/bin/python benches/once/own_or_any.py [COUNT] [SEED]

Draws COUNT rule sets for go bits at random in which *any go bit of the block register* lets a node send, as Section
3.1 says, and as many in which *the own group's* does. Of each it simulates a saturated ring of four nodes, symbol by
symbol, and says how many of those that keep Table 3 for four nodes and one size put the enhanced protocol behind SCI
under symmetric traffic, as Figure 5 does. First it compares itself with the engine on the rules that both have. 400 of
each take some minutes.
"""

import random
import sys
from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import ringlet as rl
from ringlet.analysis.optimum import optimal_throughput_with_echo
from ringlet.papers import agrees, figures_of
from ringlet.papers.picker1994 import figure5, table3
from ringlet.papers.picker1994.presets import DEFAULT_PRESET
from ringlet.papers.picker1994.study import PAPER, CaseResult

NODES = 4

ECHO_SYMBOLS = 4

CYCLES = 12_000
"""Cycles of a run, of which the first sixth is not counted."""


@dataclass(frozen=True)
class Rules:
    """A rule set: what the paper leaves open, and what lets a node send."""

    permits: str = "own"
    """The go bits behind which a node sends: its `own` group's, or `any` of its block register."""
    groups: int = NODES
    """One group for each node, or one for all, which is SCI."""
    saved: int = 3
    """Go bits of a group that are saved at most, each to leave with an idle of its own."""
    copies: str = "received"
    """Created idles that copy go bits: `none`; `passing`: those that pass, of the last idle emitted; `after-send`:
    these and the one behind an own packet; `received`: the latter alone, of the last idle received."""
    released: str = "unblocked"
    """Saved go bits of the idle behind an own packet while the FIFO is filled: those outside the block register, `all`,
    all but the `others`' own group, or `none`."""
    records: str = "head"
    """Packets whose groups the block register takes: those that come by while a packet is `head`, while one is
    `waiting`, or `always`."""
    cleared: str = "sent"
    """The block register is cleared behind an own packet with an empty FIFO; `emptied`: also where the FIFO empties and
    no packet follows; `each`: behind each own packet."""
    separators: str = "emptied"
    """Go bits that stay in an idle which becomes a separator of the FIFO: none, those `outside` the register, `all`."""
    swallowed: str = "saved"
    """What becomes of the go bits outside the register of other idles that come in beside the FIFO: they are saved, or
    `stored` with their idle."""
    hop_delay: int = 3

    def sci(self) -> "Rules":
        """Returns SCI with the same rules, as far as one group has them."""
        return replace(self, groups=1, permits="any", saved=1, records="head", cleared="sent", swallowed="saved")


CHOICES = {
    "saved": (1, 1, 2, 3, 4, 99),
    "copies": ("none", "passing", "after-send", "received"),
    "released": ("unblocked", "all", "others", "none"),
    "records": ("head", "waiting", "always"),
    "cleared": ("sent", "emptied", "each"),
    "separators": ("emptied", "outside", "all"),
    "swallowed": ("saved", "stored"),
    "hop_delay": (1, 2, 3, 4),
}
"""What is drawn for each rule that is open."""


@dataclass(slots=True)
class Symbol:
    """A symbol on a link: an idle with its go bits, if it has no source."""

    go: int = 0
    source: int = -1
    target: int = -1
    group: int = 0
    left: int = 0
    """Symbols of its packet that come behind it."""
    is_first: bool = False
    is_echo: bool = False


class Node:
    """A node that always has a packet waiting (Section 3.1, with the states of docs/explanation/model.md)."""

    def __init__(self, index: int, rules: Rules, draw: "Draw", symbols: int) -> None:
        """Makes a node that waits, with a packet of so many symbols."""
        self.index, self.rules, self.draw, self.symbols = index, rules, draw, symbols
        self.own = 1 << (index if rules.groups > 1 else 0)
        self.register = self.own
        self.state = "pass"
        self.fifo: deque[Symbol] = deque()
        self.kept = [0] * NODES
        self.emitted = self.received = (1 << rules.groups) - 1
        self.left = 0
        self.target = draw(index)
        self.delivered = 0

    def save(self, go: int) -> None:
        """Saves go bits, up to the most of each group."""
        for group in range(self.rules.groups):
            if go >> group & 1:
                self.kept[group] = min(self.kept[group] + 1, self.rules.saved)

    def saved(self) -> int:
        """Returns the groups of which a go bit is saved."""
        return sum(1 << group for group, kept in enumerate(self.kept) if kept)

    def emit(self, go: int) -> Symbol:
        """Returns an idle with one saved go bit of each of these groups."""
        for group in range(self.rules.groups):
            self.kept[group] -= go >> group & 1
        self.emitted = go
        return Symbol(go)

    def absorb(self, x: Symbol) -> None:
        """Takes in what comes beside the FIFO, or while the node sends."""
        if x.source >= 0:
            self.fifo.append(x)
            return
        last = self.fifo[-1] if self.fifo else None
        outside = x.go & ~self.register
        if last is not None and last.source >= 0 and last.left == 0:
            keeps = {"emptied": 0, "outside": outside, "all": x.go}[self.rules.separators]
            self.save(x.go & ~keeps)
            self.fifo.append(Symbol(keeps))
        elif self.rules.swallowed == "stored" and outside and 0 < len(self.fifo) < 200:
            self.save(x.go & self.register)
            self.fifo.append(Symbol(outside))
        else:
            self.save(x.go)

    def decide(self) -> Symbol:
        """Emits an idle with one of each saved go bit; the head follows if one of them permits."""
        saved = self.saved()
        is_permitted = saved & (self.own if self.rules.permits == "own" else self.register)
        self.state = "ready" if is_permitted else "pass"
        return self.emit(saved)

    def strip(self, x: Symbol, ring: "list[Node]") -> tuple[Symbol, bool]:
        """Returns what takes the place of a symbol for this node, and whether it is an idle that was created."""
        if x.source < 0 or x.target != self.index:
            return x, False
        if x.is_echo:
            return Symbol(), True
        ring[x.source].delivered += 1
        if x.left >= ECHO_SYMBOLS:
            return Symbol(), True
        return Symbol(0, self.index, x.source, x.group, x.left, x.left == ECHO_SYMBOLS - 1, is_echo=True), False

    def step(self, x: Symbol, ring: "list[Node]") -> Symbol:
        """Returns what the node emits in a cycle in which `x` comes in."""
        x, created = self.strip(x, ring)
        if x.source < 0 and not created:
            self.received = x.go
        records = self.rules.records
        if x.is_first and not x.is_echo and (records != "waiting" or self.state in {"pass", "drain"}):
            self.register |= 1 << x.group
        if self.state in {"ready", "send"}:
            return self.send(x)
        if self.state == "post":
            return self.post(x, created)
        if self.fifo:
            return self.drain(x)
        if x.source >= 0:
            return x
        self.save(x.go)
        if created and self.rules.copies in {"passing", "after-send"}:
            self.save(self.emitted)
        return self.decide()

    def send(self, x: Symbol) -> Symbol:
        """Emits a symbol of the own packet."""
        self.absorb(x)
        is_first = self.state == "ready"
        self.left = self.symbols - 1 if is_first else self.left - 1
        self.state = "send" if self.left else "post"
        return Symbol(0, self.index, self.target, self.own.bit_length() - 1, self.left, is_first)

    def post(self, x: Symbol, created: bool) -> Symbol:
        """Emits the idle behind the own packet."""
        self.absorb(x)
        self.target = self.draw(self.index)
        if not self.fifo:
            if created and self.rules.copies in {"after-send", "received"}:
                self.save(self.received if self.rules.copies == "received" else self.emitted)
            self.register = self.own
            return self.decide()
        if self.rules.cleared == "each":
            self.register = self.own
        self.state = "drain"
        saved = self.saved()
        outside = {"unblocked": ~self.register, "all": ~0, "others": ~self.own, "none": 0}[self.rules.released]
        return self.emit(saved & outside)

    def drain(self, x: Symbol) -> Symbol:
        """Emits what is first in the FIFO."""
        self.absorb(x)
        y = self.fifo.popleft()
        if y.source >= 0:
            return y
        self.save(y.go)
        if self.fifo:
            return self.emit(self.saved() & ~self.register)
        found = self.decide()
        if self.rules.cleared == "emptied" and self.state == "pass":
            self.register = self.own
        return found


class Draw:
    """Draws the destination of each packet of a node from the rows of a traffic matrix."""

    def __init__(self, matrix: NDArray[np.float64], seed: int) -> None:
        """Makes the draws of all nodes."""
        self._random = random.Random(seed)
        self._rows = [row.tolist() for row in matrix]

    def __call__(self, node: int) -> int:
        """Returns the destination of the node's next packet."""
        return self._random.choices(range(NODES), self._rows[node])[0]


@dataclass(frozen=True)
class Traffic:
    """A saturated ring's traffic, and the optimum that deviations are from."""

    matrix: NDArray[np.float64]
    symbols: int
    optimum: NDArray[np.float64]

    @classmethod
    def of(cls, scenario: rl.Scenario) -> "Traffic":
        """Returns that of a scenario of one packet size."""
        matrix, symbols = scenario.traffic_matrix(), scenario.mean_send_symbols
        attempted = scenario.resolved.attempted_throughput()
        optimum = optimal_throughput_with_echo(matrix, mean_send_symbols=symbols, attempted=attempted)
        return cls(matrix, round(symbols), optimum)


def throughput(rules: Rules, traffic: Traffic, seed: int = 1) -> NDArray[np.float64]:
    """Returns the words per cycle of each node under a rule set."""
    draw = Draw(traffic.matrix, seed)
    ring = [Node(index, rules, draw, traffic.symbols) for index in range(NODES)]
    all_go = (1 << rules.groups) - 1
    links = [deque(Symbol(all_go) for _ in range(rules.hop_delay)) for _ in ring]
    before = [0] * NODES
    for cycle in range(CYCLES):
        if cycle == CYCLES // 6:
            before = [node.delivered for node in ring]
        come_in = [links[index - 1].popleft() for index in range(NODES)]
        for node, link, x in zip(ring, links, come_in, strict=True):
            link.append(node.step(x, ring))
    delivered = np.array([node.delivered for node in ring]) - before
    return delivered / (CYCLES - CYCLES // 6)


def deviations(rules: Rules, traffic: Traffic) -> tuple[float, float]:
    """Returns the average and the largest deviation under a rule set, in %."""
    found = CaseResult(throughput(rules, traffic)[np.newaxis], traffic.optimum)
    return float(found.average_percent[0]), float(found.maximum_percent[0])


def compare(name: str, rules: Rules, scenario: rl.Scenario, traffic: Traffic) -> None:
    """Prints what this program and the engine give under rules that both have."""
    options = {"groups": NODES, "assignment": "node", "permit": rules.permits}
    protocol = {"protocol": "grouped", **options} if rules.groups > 1 else {"protocol": "sci"}
    engine = rl.run(scenario.changed(flow_control=protocol)).nodes["throughput_words_per_cycle"].to_numpy()
    here = throughput(rules, traffic)
    print(f"{name}: here {np.round(here, 3)}, engine {np.round(engine, 3)}", flush=True)


def main() -> None:
    """Prints the comparison with the engine, and a line for each choice of the go bits that permit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    chooser = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    scenarios = [part.case_of(DEFAULT_PRESET, NODES, "enhanced", "single").load() for part in (table3, figure5)]
    fan_in, symmetric = map(Traffic.of, scenarios)
    default = Rules()
    for name, rules in (("SCI", default.sci()), ("own", default), ("any", replace(default, permits="any"))):
        compare(name, rules, scenarios[0], fan_in)
    published = {figure.id: figure for figure in figures_of(PAPER)}
    names = [f"picker1994.t3.n{NODES}.enhanced.single.{figure}" for figure in ("ave", "max")]
    sci_means: dict[Rules, float] = {}
    for permits in ("any", "own"):
        drawn = [
            Rules(permits=permits, **{name: chooser.choice(values) for name, values in CHOICES.items()})
            for _ in range(count)
        ]
        kept = [
            rules
            for rules in drawn
            if all(agrees(published[name], value) for name, value in zip(names, deviations(rules, fan_in), strict=True))
        ]
        ordered = []
        for rules in kept:
            sci = rules.sci()
            if sci not in sci_means:
                sci_means[sci] = deviations(sci, symmetric)[0]
            if deviations(rules, symmetric)[0] >= sci_means[sci]:
                ordered.append(rules)
        print(f"{permits}: {count} drawn, {len(kept)} keep Table 3, {len(ordered)} of them have Figure 5's order")
        for rules in ordered[:5]:
            print(f"    {rules}", flush=True)


if __name__ == "__main__":
    main()
