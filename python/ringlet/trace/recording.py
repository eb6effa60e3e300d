"""A recorded window of a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.flow_control import Reading
from ringlet.trace.layout import Layout

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
else:
    pd = library("pandas")

Table = dict[str, NDArray[Any]]

KINDS = ("idle", "send", "retry", "echo", "busy-echo", "control", "train", "event")
"""Kinds of runs of symbols; the numbers in `runs["kind"]` are places here."""

IDLE, SEND, RETRY, ECHO, BUSY_ECHO, CONTROL, TRAIN, EVENT = range(len(KINDS))

ACTIVITIES = ("pass", "send", "drain", "insert", "control")
"""Activities of a node while it emits something: it lets symbols pass (states A and D of picker1994, Figure 2), sends
(B), empties its bypass FIFO (C), sends what its protocol has made, or a control symbol."""

PASS, SENDING, DRAIN, INSERT, SENDING_CONTROL = range(len(ACTIVITIES))

FATES = (
    "accepted",
    "refused",
    "acknowledged",
    "returned",
    "delivered",
    "lost",
    "echo-lost",
    "timed-out",
    "given-up",
    "dropped",
)
"""Fates of a packet: where it leaves a ring it is accepted or refused, its echo or busy echo is back at its sender, its
service ends; it, or its echo, is lost on a link; its sender misses the echo, and sends it again or gives it up; or
its service ends, and it is a copy of one that was delivered before."""

ACCEPTED, REFUSED, ACKNOWLEDGED, RETURNED, DELIVERED, LOST, ECHO_LOST, TIMED_OUT, GIVEN_UP, DROPPED = range(len(FATES))


@dataclass(frozen=True, slots=True)
class Source:
    """A flow of packets."""

    name: str = ""
    """Name of the periodic message, or of the control loop, that it is of, or nothing."""
    deadline_cycles: int | None = None
    """Cycles from a message's start to its deadline."""
    responds: bool = False
    """True if its packets have responses."""
    packets: int = 1
    """Packets of a message."""


@dataclass(frozen=True)
class Recording:
    """Events of a run from cycle `start` to before cycle `stop`."""

    scenario: Mapping[str, Any]
    """The scenario, as `Scenario.to_dict` gives it."""
    seed: int
    """Seed of the run."""
    start: int
    """First cycle of the window."""
    stop: int
    """Cycle behind the window."""
    layout: Layout
    """Rings, nodes and ports."""
    flows: tuple[Source, ...]
    """The flows; `packets["flow"]` is a place here."""
    symbol_time_ns: float
    """Time of one cycle, in ns."""
    reading: Reading
    """Meaning of the words of idles, and words of the player for the protocol."""
    tables: Mapping[str, Table]
    """The tables of `ringlet._engine.Recorder.record`, as columns."""
    stall: Mapping[str, Any] | None = None
    """The stall that ended the run within the window."""
    drawn: "Callable[[], Figure] | None" = None
    """Draws the network as `ringlet topology` does; None of a single ring, and of a network too large for that."""

    @property
    def nodes(self) -> int:
        """Nodes of the ring or network."""
        return self.layout.nodes

    @property
    def interfaces(self) -> int:
        """Interfaces: nodes, and in a network their second ones and link controllers of ports, whose numbers follow."""
        return self.layout.interfaces

    @property
    def symbol_ps(self) -> float:
        """Time of one cycle, in ps."""
        return self.symbol_time_ns * 1000

    @property
    def protocol(self) -> str:
        """The flow-control protocol."""
        return str(self.scenario["flow_control"]["protocol"])

    @property
    def go_bits(self) -> int:
        """Go bits that an idle carries; 0 where the protocol has none."""
        return self.reading.go_bits

    @property
    def runs(self) -> Table:
        """The runs of symbols on the links."""
        return self.tables["runs"]

    @property
    def packets(self) -> Table:
        """The packets; a packet's number is its place."""
        return self.tables["packets"]

    def frame(self, table: str) -> "pd.DataFrame":
        """Returns one of the tables as a data frame: cycles and node numbers as they are, kinds, activities and fates
        in words."""
        words = {"kind": KINDS, "activity": ACTIVITIES, "fate": FATES}
        columns: dict[str, Any] = {}
        column: Any
        for name, column in self.tables[table].items():
            if name in words:
                column = pd.Categorical(np.asarray(words[name])[column], categories=list(words[name]))
            columns[name] = column
        return pd.DataFrame(columns)

    def go_bit_times(self) -> "pd.DataFrame":
        """Returns how long the go bits of each group are under way: a row for each interface and go bit.

        Idles that pass one after the other with a go bit are one *series* of it. `series`: those that an interface has
        emitted; `mean_cycles` and `deviation_cycles`: mean and standard deviation of the time from the begin of one to
        that of the next, NaN where there are fewer than two. On a loaded ring this is the time of a round, in which
        each node that waits sends a packet; the last go bit stands for all further groups where an idle shows no more.

        Raises:
            RingletError: idles carry no go bits under the protocol, or a level instead.
        """
        if not self.go_bits or self.reading.levels:
            raise RingletError.not_allowed(
                "flow_control.protocol", self.protocol, "a protocol whose idles have go bits"
            )
        idles = self.runs["kind"] == IDLE
        node, cycle, symbols, word = (
            self.runs[name][idles].astype(np.int64) for name in ("node", "cycle", "symbols", "word")
        )
        order = np.lexsort((cycle, node))
        node, cycle, symbols, word = node[order], cycle[order], symbols[order], word[order]
        follows = np.append(False, (node[1:] == node[:-1]) & (cycle[1:] == (cycle + symbols)[:-1]))
        rows = []
        for bit in range(self.go_bits):
            has = (word >> bit) & 1 == 1
            begins = has & ~(follows & np.append(False, has[:-1]))
            for interface in range(self.interfaces):
                between = np.diff(cycle[begins & (node == interface)])
                mean, deviation = (between.mean(), between.std()) if between.size else (np.nan, np.nan)
                rows.append((interface, bit, int((begins & (node == interface)).sum()), mean, deviation))
        columns = ["node", "go_bit", "series", "mean_cycles", "deviation_cycles"]
        return pd.DataFrame(rows, columns=columns).sort_values(["node", "go_bit"], ignore_index=True)

    @cached_property
    def bypass_fill(self) -> Table:
        """Symbols in the bypass FIFOs, separating idles included, from each cycle on: `node`, `cycle`, `value`.

        A FIFO holds what has come in up to and with a cycle, less what has been emitted up to and with it.
        """
        stays = self.tables["stays"]
        symbols, leaving = (stays[name].astype(np.int64) for name in ("symbols", "leaving_symbols"))
        emitted, replaced = stays["leaves"] >= 0, stays["replaced"] >= 0
        # What PPQ has turned into a busy echo takes the echo's place only.
        nodes, cycles, steps = [stays["node"][replaced]], [stays["replaced"][replaced]], [(leaving - symbols)[replaced]]
        for begins, length, step, chosen in (
            (stays["cycle"], symbols + 1, 1, np.ones_like(emitted)),
            (stays["leaves"], leaving + 1, -1, emitted),
        ):
            node, begin, count = stays["node"][chosen], begins[chosen], length[chosen]
            within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            nodes.append(np.repeat(node, count))
            cycles.append(np.repeat(begin, count) + within)
            steps.append(np.full(count.sum(), step))
        return _running_sum(self, np.concatenate(nodes), np.concatenate(cycles), np.concatenate(steps))


def _running_sum(
    recording: Recording, node: NDArray[Any], cycle: NDArray[np.int64], step: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Sums steps over each node's time; the first entry of a node is of the window's start."""
    every = np.arange(recording.interfaces)
    node = np.concatenate([every, node.astype(np.int64)])
    cycle = np.concatenate([np.full(recording.interfaces, recording.start), np.maximum(cycle, recording.start)])
    step = np.concatenate([np.zeros(recording.interfaces, dtype=np.int64), step])
    within = cycle < recording.stop
    node, cycle, step = node[within], cycle[within], step[within]
    order = np.lexsort((cycle, node))
    node, cycle, total = node[order], cycle[order], np.cumsum(step[order])
    before = np.concatenate([[0], total])[np.searchsorted(node, node)]
    last = np.append((node[1:] != node[:-1]) | (cycle[1:] != cycle[:-1]), True)
    node, cycle, value = node[last], cycle[last], (total - before)[last]
    changed = np.append(True, (node[1:] != node[:-1]) | (value[1:] != value[:-1]))
    return {"node": node[changed], "cycle": cycle[changed], "value": value[changed]}
