"""The result of a run, as numbers, tables and JSON."""

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ringlet.drawable import RunPlots
from ringlet.lazy import library
from ringlet.simulation.data_frames import Batches, batch_table, distribution_table, record_table, retry_table
from ringlet.simulation.document import Document

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.simulation import short_tables
else:
    short_tables = library("ringlet.simulation.short_tables")

SHOWN_ROWS = 32
"""Rows of nodes that a notebook shows."""


class Result:
    """Result of one run.

    All figures are of the measured time, after the warm-up. Throughput, latency and losses belong to the node that is
    the source of the requests; MB is 10^6 bytes of data (64 of each read64, nwrite64 or dmove64, all bytes of a bare
    send packet), words are the symbols of send packets, requests and responses. A latency runs one way, from a
    packet's generation to the end of its service, of requests and responses alike; a message latency runs until all
    packets of an arrival, and their responses, have been served. A latency without a delivery, or an interval without
    two batches, is missing: None in `to_dict`, NaN in the tables.
    >>> import ringlet as rl
    >>> rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us", "warmup": 0}}).total["retries"].tolist()
    [0]

    """

    series: Batches
    """Counts per batch of each node, each reported priority and the total, in this order."""

    node_cycles_per_s: float | None
    """Cycles of all nodes that were simulated for each second of the clock on the wall; None where none passed. It is
    no part of the document: runs of the same scenario and seed have equal documents."""

    def __init__(self, document: Document, series: Batches, *, node_cycles_per_s: float | None = None) -> None:
        """Keeps what a run found; callers use `ringlet.run`."""
        self._document: Document | dict[str, Any] = document
        self.series = series
        self.node_cycles_per_s = node_cycles_per_s

    @property
    def document(self) -> Mapping[str, Any]:
        """The JSON document; `to_dict` returns a copy of it."""
        document = self._document
        if isinstance(document, Document):
            self._document = document = document.build()
        return document

    def document_to_store(self) -> Mapping[str, Any]:
        """Returns the document without its scenario, which a store has once for all runs of a point."""
        document = self._document
        if isinstance(document, Document):
            return document.build(with_scenario=False)
        return {key: value for key, value in document.items() if key != "scenario"}

    def document_to_draw(self) -> Mapping[str, Any]:
        """Returns the document for charts, none of which shows `total.maximum_MBps`; that may be None here, whose
        computation takes longer to load than a short run."""
        document = self._document
        return document.build(largest_total=False) if isinstance(document, Document) else document

    def __getstate__(self) -> dict[str, Any]:
        """Returns the document in place of what it is made from."""
        return {"_document": self.document, "series": self.series, "node_cycles_per_s": self.node_cycles_per_s}

    def to_dict(self, *, timing: bool = False) -> dict[str, Any]:
        """Returns the result as JSON takes it: what `ringlet run --json` prints, equal for equal scenarios and seeds.

        Args:
            timing: whether to add `node_cycles_per_s`, which no two runs share.
        """
        speed = {"node_cycles_per_s": self.node_cycles_per_s} if timing else {}
        return {key: _copy(one) for key, one in self.document.items()} | speed

    @property
    def plot(self) -> RunPlots:
        """The charts of this run: `result.plot.nodes()`, `latency()` and others, which "What a run tells" lists.

        Each is a `ringlet.plots.Chart`, which a notebook shows; `draw()` makes a matplotlib figure of it.
        """
        return RunPlots(self)

    @property
    def nodes(self) -> "short_tables.ShortTable":
        """One row per node, units in the column names. A notebook shows a few columns; `all_columns` has all."""
        return short_tables.ShortTable.of(record_table(self.document["nodes"]).set_index("id"))

    @property
    def priorities(self) -> "short_tables.ShortTable":
        """One row per send priority in use; empty where there is one only. Shown as `nodes` is."""
        records = self.document.get("priorities", [])
        return short_tables.ShortTable.of(record_table(records).set_index("priority") if records else record_table([]))

    def part(self, name: str) -> "pd.DataFrame":
        """One row per record of a part of the document that an activity has, such as `messages`; empty without it."""
        found = self.document.get(name, [])
        return record_table(found if isinstance(found, list) else [found])

    @property
    def messages(self) -> "pd.DataFrame":
        """One row per periodic message, by name: released, completed, missed, responses; empty without a set."""
        records = self.document.get("messages", [])
        return record_table(records).set_index("name") if records else record_table([])

    @property
    def events(self) -> "pd.DataFrame":
        """One row of event building: triggers, events built and lost, latencies; empty without it."""
        record = self.document.get("events")
        return record_table([] if record is None else [record])

    @property
    def builders(self) -> "pd.DataFrame":
        """One row per builder of events, by name: events built and lost, latencies, its queue; empty without any."""
        records = self.document.get("builders", [])
        return record_table(records).set_index("name") if records else record_table([])

    @property
    def collective(self) -> "pd.DataFrame":
        """One row of the collective operation: packets, completion time and its bandwidth bound; empty without it."""
        record = self.document.get("collective")
        return record_table([] if record is None else [record])

    @property
    def loops(self) -> "pd.DataFrame":
        """One row per control loop, by name: released, completed, missed, responses, margin; empty without any."""
        records = self.document.get("loops", [])
        return record_table(records).set_index("name") if records else record_table([])

    @property
    def link_controllers(self) -> "pd.DataFrame":
        """One row per link controller of a port, by name: packets sent, taken, refused, its link, its queues."""
        records = self.document.get("link_controllers", [])
        return record_table(records).set_index("name") if records else record_table([])

    @property
    def b_links(self) -> "pd.DataFrame":
        """One row per B-Link of a switch, by name: packets moved, share of the time in which it is busy, inversions."""
        records = self.document.get("b_links", [])
        return record_table(records).set_index("name") if records else record_table([])

    @property
    def total(self) -> "short_tables.ShortTable":
        """One row for the whole ring. Shown as `nodes` is."""
        return short_tables.ShortTable.of(record_table([self.document["total"]]))

    @property
    def batches(self) -> "pd.DataFrame":
        """Throughput and mean latency of the whole ring over time, one row per batch."""
        return batch_table(self.series, -1, self.symbol_time_ns, self._symbol_bytes)

    def node_batches(self, node: int) -> "pd.DataFrame":
        """Throughput and mean latency of one node over time, one row per batch.

        Raises:
            IndexError: no such node.
        """
        if not 0 <= node < len(self.document["nodes"]):
            raise IndexError(f"node {node}; allowed: 0 to {len(self.document['nodes']) - 1}")
        return batch_table(self.series, node, self.symbol_time_ns, self._symbol_bytes)

    def latency_distribution(self, priority: int | None = None) -> "pd.DataFrame":
        """Distribution of the one-way latency, one row per bin: `upper_ns`, `packets`, and `longer`, the share that
        took longer.

        A bin ends at most 4.4 % above where it begins.

        Args:
            priority: only packets of this send priority; default: all.

        Raises:
            KeyError: the priority has no figures of its own.
        """
        return distribution_table(_of_priority(self.document["latency_distribution"], priority))

    def retry_distribution(self, priority: int | None = None) -> "pd.DataFrame":
        """Distribution of retries of the packets accepted, one row per bin: `retries`, `packets`, and
        `more`, the share that was sent again more often.

        Exact up to 31 retries; beyond, `retries` is the upper end of a bin. Packets that were given up, or wait at the
        end, are not in it.

        Args:
            priority: only packets of this send priority; default: all.

        Raises:
            KeyError: the priority has no figures of its own.
        """
        return retry_table(_of_priority(self.document["retry_distribution"], priority))

    @property
    def symbol_time_ns(self) -> float:
        """Time of one cycle, in ns."""
        return float(self.document["symbol_time_ns"])

    @property
    def _symbol_bytes(self) -> int:
        """Bytes of a symbol; documents of before 2026-11-24 have no width of links, which was 16 bits."""
        return int(self.document["scenario"]["network"].get("link_width", 16)) // 8

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.document["seed"])

    @property
    def stall(self) -> dict[str, Any] | None:
        """`since_cycle`, `waiting_nodes` and `detail` if packets waited and nothing moved any more, else None.

        In a network also `blocked`: the ports whose packets wait for each other.
        """
        stall: dict[str, Any] | None = self.to_dict()["stall"]
        return stall

    @property
    def trace(self) -> dict[str, Any] | None:
        """The record of a trace's replay, times in s; None without a trace.

        `packets`, `local_packets` (to their own nodes), `started_packets`, `waiting_packets` (not started),
        `dropped_packets`, `complete` (all delivered); `trace_s` (from the start of the first packet to that of the
        last, in the trace), `run_time_s` (from the first start to the last delivery), `late_s` (from the start of the
        last packet in the trace to the last delivery). The last two are None if it is not complete.
        """
        trace: dict[str, Any] | None = self.to_dict().get("trace")
        return trace

    @property
    def warnings(self) -> list[str]:
        """Warnings to be read before the figures are used."""
        return list(self.document["warnings"])

    def __repr__(self) -> str:
        """One line: nodes, time, throughput and latency."""
        total = self.document["total"]
        latency = total["latency_ns"]["mean"]
        parts = [
            f"{len(self.document['nodes'])} nodes",
            f"{self.document['cycles']} cycles",
            f"{total['throughput_MBps']:.6g} MB/s",
            "no latency" if latency is None else f"mean latency {latency:.6g} ns",
            f"seed {self.seed}",
        ]
        if self.stall:
            parts.append("stalled")
        if self.warnings:
            parts.append(f"{len(self.warnings)} warnings" if len(self.warnings) > 1 else "1 warning")
        return f"<Result: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the line of `repr`, rates and latencies of the nodes, and warnings."""
        shown = [
            "name",
            "offered_MBps",
            "throughput_MBps",
            "of_optimum",
            "latency_mean_ns",
            "latency_p99_ns",
            "lost_MBps",
        ]
        table = self.nodes[shown].to_html(max_rows=SHOWN_ROWS, float_format="{:.4g}".format, border=0)
        warnings = "".join(f"<li>{escape(line)}</li>" for line in self.warnings)
        return f"<p>{escape(repr(self).strip('<>'))}</p>{table}{f'<ul>{warnings}</ul>' if warnings else ''}"


def _of_priority(distribution: Mapping[str, Any], priority: int | None) -> Mapping[str, Any]:
    """Returns the record of one priority of a distribution; None: that of all packets."""
    each: dict[int, Mapping[str, Any]] = {one["priority"]: one for one in distribution.get("priorities", [])}
    found: Mapping[str, Any] = distribution["total"] if priority is None else each[priority]
    return found


def _copy(value: object) -> object:
    """Returns a copy of what JSON holds; `copy.deepcopy` remembers each part besides, in three times as long."""
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    return [_copy(one) for one in value] if isinstance(value, list) else value
