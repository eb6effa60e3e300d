"""A trace of packets as it is replayed: its flows, and its times in cycles of the network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.activities.flow import Flow, Payload
from ringlet.scenario.packet_trace.kinds import packet_kind
from ringlet.scenario.packet_trace.reader import read
from ringlet.scenario.packet_trace.rows import Records, Stretch
from ringlet.scenario.packet_trace.section import PacketTrace
from ringlet.scenario.packet_trace.survey import PAIRED_NODES, Survey, sha256, survey
from ringlet.scenario.values.destinations import Pattern, Uniform, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.units import MAX_CYCLES, exact_ns, magnitude

if TYPE_CHECKING:
    from ringlet._engine import Packets


@dataclass(frozen=True)
class Replay:
    """The replay of a part of a trace."""

    stretch: Stretch
    survey: Survey
    dependence_driven: bool
    """True if packets wait for the packets on which they depend."""
    cycles_per_ns: float
    """Cycles of the network for each ns of the trace."""

    @classmethod
    def of(
        cls,
        trace: PacketTrace,
        folder: Path,
        *,
        node_names: Sequence[str],
        nodes: int,
        levels: int,
        symbol_time_ns: float,
        largest_bytes: int,
        symbol_bytes: int,
    ) -> "Replay":
        """Reads the trace once and checks it.

        Args:
            trace: the scenario's section.
            folder: where file names start from.
            node_names: by which the trace may call nodes; empty where they have none.
            nodes: of the network.
            levels: every priority is below it.
            symbol_time_ns: a cycle of the network.
            largest_bytes: of a packet.
            symbol_bytes: of which packets have a whole number.

        Raises:
            RingletError: what is wrong with the trace, with the number of the record; or it is too long.
        """
        cycle_ns = symbol_time_ns if trace.clock is None else 1 / magnitude(trace.clock, "GHz")

        def ns(time: float | str) -> Fraction:
            return exact_ns(time) if isinstance(time, str) else Fraction(time) * Fraction(cycle_ns)

        stretch = Stretch(
            file=folder / trace.file,
            cycle_ns=cycle_ns,
            nodes=nodes,
            levels=levels,
            largest_bytes=largest_bytes,
            symbol_bytes=symbol_bytes,
            regions=None if trace.regions is None else tuple(trace.regions),
            start_ns=ns(trace.start),
            stop_ns=float("inf") if trace.stop is None else ns(trace.stop),
            node_names=tuple(node_names),
            time_unit=trace.time_unit,
            columns=tuple(sorted(trace.columns.items())),
        )
        found = survey(stretch)
        if trace.sha256 is not None and trace.sha256 != (actual := sha256(stretch)):
            raise RingletError.not_allowed(
                "traffic.trace.sha256", trace.sha256, f"that of {stretch.file}, which is {actual}"
            )
        replay = cls(stretch, found, trace.replay == "dependence-driven", trace.time_scale / symbol_time_ns)
        # Before they are whole numbers, which would start again at 0.
        length = (found.last_ns - found.first_ns) * replay.cycles_per_ns
        if not length < MAX_CYCLES:
            longest = f"at most 2^53 cycles of {symbol_time_ns:g} ns"
            allowed = f"{longest}; is the unit of its times right, and traffic.trace.time_scale?"
            raise RingletError.not_allowed(str(stretch.file), f"<a trace of {length:.4g} cycles>", allowed)
        return replay

    @property
    def sha256(self) -> str:
        """SHA-256 of the file."""
        return sha256(self.stretch)

    @property
    def last_cycle(self) -> int:
        """Own cycle of the last packet; the first one's is 0."""
        return int(self.cycles(np.array([self.survey.last_ns]))[0])

    def cycles(self, time_ns: NDArray[np.float64]) -> NDArray[np.uint64]:
        """Returns times of the trace in cycles from its first packet, rounded up like all times, but for a millionth of
        a cycle and the rounding of a float64."""
        exact = (time_ns - self.survey.first_ns) * self.cycles_per_ns
        nearest = np.rint(exact)
        whole = np.where(np.isclose(exact, nearest, rtol=2e-15, atol=1e-6), nearest, np.ceil(exact))
        return whole.astype(np.uint64)

    def records(self) -> Iterator[Records]:
        """Yields the packets in pieces."""
        return read(self.stretch, list(self.survey.kinds))

    def packets(self, known: int = 0) -> "Iterator[Packets]":
        """Yields the packets in pieces as the engine takes them, but for the first `known` ones."""
        for piece in self.records():
            records = piece.behind(min(known, len(piece)))
            known -= len(piece) - len(records)
            if len(records):
                yield {
                    "cycle": self.cycles(records.time_ns),
                    "flow": self.flow_numbers(records),
                    "destination": records.destination.astype(np.uint32),
                    "dependences": records.dependences,
                    "depends_on": records.depends_on,
                }

    def flow_numbers(self, records: Records) -> NDArray[np.uint32]:
        """Returns the flow of each packet: its place among `flows`."""
        code = (records.source * len(self.survey.kinds) + records.kind) * self.stretch.levels + records.priority
        return np.searchsorted(self._codes, code).astype(np.uint32)

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        kinds, levels = len(self.survey.kinds), self.stretch.levels
        codes = [(source * kinds + kind) * levels + priority for source, kind, priority in self.survey.senders]
        return np.array(codes, dtype=np.int64)

    def flows(self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat) -> Iterator[Flow]:
        """Yields a flow for each source, kind and priority, in the order of `Survey.senders`."""
        for source, place, priority in self.survey.senders:
            kind = packet_kind(self.survey.kinds[place])
            assert kind is not None, "the reader has looked"
            answer = kind.response_bytes
            link_format.check(str(self.stretch.file), self.survey.kinds[place], kind.packet_bytes)
            # Without a dependence nothing that a packet could wait for need be kept in the engine.
            waiting = self.dependence_driven and self.survey.depend
            in_trace = {"responses": kind.is_response, "dependence_driven": waiting}
            yield Flow(
                source=source,
                priority=priority,
                arrivals={"kind": "trace", **in_trace},
                sizes=[(link_format.symbols(kind.packet_bytes), 1.0)],
                response_symbols=None if answer is None else link_format.symbols(answer),
                destinations=Uniform(),
                groups=group_specs[source],
                are_responses=kind.is_response,
                payload=Payload() if kind.data_bytes is None else Payload(kind.data_bytes, kind.data_in_response),
                rate=0.0,
            )

    def mean_flows(self, flows: Sequence[Flow]) -> list[Flow] | None:
        """Returns the trace's flows as steady ones: with their mean rates and the shares of their destinations.

        The time of the trace counts, not when packets start that wait for others. None where there are too many nodes
        for shares.

        Args:
            flows: what `flows` yields.
        """
        if self.stretch.nodes > PAIRED_NODES:
            return None
        counts = self._packets_to_nodes()
        totals = counts.sum(axis=1)
        return [
            replace(
                flows[number],
                destinations=Weighted(counts[number] / totals[number]),
                rate=float(totals[number] / (self.last_cycle + 1)),
            )
            for number in self.sending_flows()
        ]

    def sending_flows(self) -> list[int]:
        """Returns the numbers of the flows with packets to other nodes."""
        return np.flatnonzero(self._packets_to_nodes().sum(axis=1) > 0).tolist()

    def _packets_to_nodes(self) -> NDArray[np.float64]:
        """Returns the packets of each flow to each other node; shape (flows, nodes)."""
        place = {sender: flow for flow, sender in enumerate(self.survey.senders)}
        counts = np.zeros((len(place), self.stretch.nodes))
        for (source, kind, priority, destination), packets in self.survey.sent.items():
            counts[place[source, kind, priority], destination] = packets
        return counts

    def pattern(self) -> Pattern:
        """Returns the share of each node's packets that goes to each other node; None for a node that sends nothing to
        others.

        Without shares where there are too many nodes for a matrix.
        """
        nodes = self.stretch.nodes
        if nodes > PAIRED_NODES:
            return Pattern(nodes, (Uniform(),) * nodes)
        counts = np.zeros((nodes, nodes))
        for (source, _, _, destination), packets in self.survey.sent.items():
            counts[source, destination] += packets
        sums = counts.sum(axis=1)
        weights = counts / np.where(sums > 0, sums, 1)[:, None]
        rows = (Weighted(row.tolist()) if total > 0 else None for row, total in zip(weights, sums, strict=True))
        return Pattern(nodes, tuple(rows))
