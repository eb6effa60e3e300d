"""Hands a trace to the engine, piece by piece, and reports how its replay went."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.values.units import MAX_CYCLES
from ringlet.sections.wording import counted

if TYPE_CHECKING:
    from ringlet._engine import Packets, Recorder, Replayed, Simulation
    from ringlet.scenario import Replay


class Feed:
    """The pieces of a trace that the engine has not seen."""

    def __init__(self, replay: "Replay", *, known: int = 0) -> None:
        """Opens the trace, of which the engine has seen the first `known` packets."""
        self._replay = replay
        self._pieces = replay.packets(known)

    def hand_in_until(self, recorder: "Recorder", cycle: int) -> None:
        """Hands in pieces until everything before a cycle is known.

        Raises:
            RingletError: the trace is no longer what it was when the scenario was made, or a packet of it cannot be
            replayed.
        """
        known = 0
        while known < cycle:
            packets, known = self.piece()
            try:
                recorder.hand_in(packets, known)
            except ValueError as error:
                raise RingletError(f"{self._replay.stretch.file}: {error}") from None

    def piece(self) -> "tuple[Packets, int]":
        """Returns the next piece, behind the last one none, and the cycle before which all is known then.

        Raises:
            RingletError: the trace is no longer what it was when the scenario was made.
        """
        packets = next(self._pieces, None)
        if packets is None:
            return _NOTHING, MAX_CYCLES
        # More packets may start in the last cycle.
        return packets, int(packets["cycle"][-1])


_NONE = np.zeros(0, dtype=np.uint32)

_NOTHING: "Packets" = {
    "cycle": np.zeros(0, dtype=np.uint64),
    "flow": _NONE,
    "destination": _NONE,
    "dependences": _NONE,
    "depends_on": _NONE,
}


def is_over(replayed: "Replayed") -> bool:
    """Returns whether nothing is under way and nothing will start, once all of a trace is known."""
    return replayed["due"] == 0 and replayed["in_flight"] == 0


@dataclass(frozen=True)
class ReplayRecord:
    """The record of a trace's replay."""

    replay: "Replay"
    replayed: "Replayed"
    undelivered: int
    """Packets lost, given up or left without a response in the measured time."""
    stopped: bool
    """True if the run ended before the trace was known to be over."""
    symbol_time_ns: float

    @classmethod
    def of(
        cls, replay: "Replay", simulation: "Simulation", *, other_flows: int, symbol_time_ns: float
    ) -> "ReplayRecord":
        """Reads how it went in a simulation that is over, in which so many flows stand behind those of the trace."""
        stopped = simulation.cycle <= replay.last_cycle
        counters = simulation.flow_counters()
        flows = len(counters["lost_packets"]) - other_flows
        names = ("lost_packets", "given_up_packets", "unanswered_requests")
        undelivered = sum(int(counters[name][:flows].sum()) for name in names)
        return cls(replay, simulation.replayed(), undelivered, stopped=stopped, symbol_time_ns=symbol_time_ns)

    @property
    def complete(self) -> bool:
        """True if all packets were delivered."""
        found = self.replayed
        started = found["started"] == self.replay.survey.packets
        return not self.stopped and is_over(found) and started and not self.undelivered

    def warnings(self) -> list[str]:
        """Returns what a reader should know."""
        waiting = self.replayed["waiting"]
        if self.stopped or not waiting:
            return []
        return [f"{counted(waiting, 'packet')} of the trace never started: packets on which they depend were lost"]

    def to_dict(self) -> Mapping[str, Any]:
        """Returns the record for JSON; times are None where there is none."""
        found, trace = self.replayed, self.replay
        first, last = found["first_start"], found["last_delivery"]
        ended = first is not None and last is not None and self.complete

        def s(cycles: int) -> float:
            return cycles * self.symbol_time_ns * 1e-9

        return {
            "file": str(trace.stretch.file),
            "replay": "dependence-driven" if trace.dependence_driven else "open-loop",
            "packets": trace.survey.packets,
            "local_packets": trace.survey.local,
            "started_packets": found["started"],
            "waiting_packets": trace.survey.packets - found["started"],
            "dropped_packets": self.undelivered,
            "complete": self.complete,
            "trace_s": s(trace.last_cycle),
            "run_time_s": s(last - first) if ended and first is not None and last is not None else None,
            "late_s": s(last - trace.last_cycle) if ended and last is not None else None,
        }
