"""Triggers of events: at a rate or as they are listed, in spills or always, with a dead time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario.activities.events.keys import Events
from ringlet.scenario.traffic.arrivals import ARRIVALS, Periodic
from ringlet.scenario.values.units import MAX_CYCLES, cycles, exact_cycles, magnitude

LISTED = "times"
"""Triggers that are listed."""

FEW = 1000
"""Triggers of which a run without a duration takes so many, and at least a spill."""


@dataclass(frozen=True, slots=True)
class Triggers:
    """The triggers of events in cycles."""

    kind: str
    interval_cycles: float
    """Mean time between two while there are any, those that are lost included."""
    times: tuple[int, ...]
    """Cycles of those that are listed; none of others."""
    spill: tuple[int, int] | None
    """Cycles with triggers, and those without up to the next ones; None: there always are."""
    dead_cycles: int
    is_paralysable: bool

    @property
    def is_random(self) -> bool:
        """True if their times are drawn."""
        return self.kind != LISTED and ARRIVALS[self.kind].is_random  # type: ignore[index]

    @property
    def share(self) -> float:
        """Share of the time in which there are triggers."""
        return 1.0 if self.spill is None else self.spill[0] / sum(self.spill)

    @property
    def run_interval_cycles(self) -> float | None:
        """Time of which a run takes so many that it holds some triggers and a spill; None of listed ones."""
        if self.kind == LISTED:
            return None
        spill = 0.0 if self.spill is None else sum(self.spill) / FEW
        return max(self.interval_cycles / self.share, spill)

    @property
    def accepted_per_cycle(self) -> float:
        """Triggers per cycle that are not lost in the dead time of another one."""
        if self.kind == LISTED:
            return _taken(self.times, self.dead_cycles, paralysable=self.is_paralysable) / (self.times[-1] + 1)
        if not self.is_random:
            return self.share / self.interval_cycles
        if self.is_paralysable:
            # Triggers behind a dead time without any: of a Poisson process, exp(-rate times dead time).
            return self.share * math.exp(-self.dead_cycles / self.interval_cycles) / self.interval_cycles
        # A renewal process: after each accepted trigger its dead time, and then the mean time to the next one.
        return self.share / (self.interval_cycles + self.dead_cycles)

    def spec(self) -> dict[str, Any]:
        """Returns the engine's form."""
        trigger: dict[str, Any] = {"kind": "listed"}
        if self.kind != LISTED:
            arrivals = ARRIVALS[self.kind]  # type: ignore[index]
            trigger = (
                arrivals.every(self.interval_cycles, 0.0)
                if isinstance(arrivals, Periodic)
                else {"kind": arrivals.name, "rate": 1 / self.interval_cycles}
            )
        spill = None if self.spill is None else dict(zip(("on_cycles", "off_cycles"), self.spill, strict=True))
        return {
            "trigger": trigger,
            "trigger_cycles": list(self.times),
            "spill": spill,
            "dead_cycles": self.dead_cycles,
            "paralysable": self.is_paralysable,
        }


def triggers_of(events: Events, listed: Sequence[float | str] | None, symbol_time_ns: float) -> Triggers:
    """Returns the triggers of a section; `listed` are their times, from the file or a file that it names.

    Raises:
        RingletError: times that go back, a rate that no cycle has, a dead time that is too long.
    """
    ns = symbol_time_ns
    dead = cycles(events.dead_time, ns)
    if dead > MAX_CYCLES:
        raise RingletError.not_allowed("events.dead_time", events.dead_time, f"at most 2^53 cycles of {ns:g} ns")
    paralysable = events.dead_time_kind == "paralysable"
    if listed is not None:
        times = [cycles(one, ns) for one in listed]
        back = next((i for i in range(1, len(times)) if times[i] < times[i - 1]), None)
        if back is not None:
            raise RingletError.not_allowed(f"events.times[{back}]", listed[back], "times that do not go back")
        if times[-1] >= MAX_CYCLES:
            raise RingletError.not_allowed("events.times", listed[-1], f"less than 2^53 cycles of {ns:g} ns")
        return Triggers(LISTED, (times[-1] + 1) / len(times), tuple(times), None, dead, paralysable)
    assert events.rate is not None, "it was just checked"
    interval = exact_cycles(1 / (magnitude(events.rate, "GHz") * ns), ns)
    if not 1 <= interval <= MAX_CYCLES:
        allowed = f"a mean time of 1 to 2^53 cycles of {ns:g} ns between triggers"
        raise RingletError.not_allowed("events.rate", events.rate, allowed)
    if dead > interval:
        mean = f"{interval * ns:g} ns, the mean time between triggers at events.rate = {events.rate!r}"
        raise RingletError.not_allowed("events.dead_time", events.dead_time, f"at most {mean}")
    spill = None
    if events.spill is not None and events.pause is not None:
        spill = (_some(events.spill, "spill", ns), _some(events.pause, "pause", ns))
    return Triggers(events.trigger, interval, (), spill, dead, paralysable)


def check_triggers(events: Events) -> None:
    """Raises RingletError for keys that do not go with the triggers, or that are missing."""
    listed = events.trigger == LISTED
    if events.times is not None and events.times_file is not None:
        raise RingletError("events.times_file: given together with times; one of them is allowed")
    for key in ("times", "times_file"):
        if getattr(events, key) is not None and not listed:
            value = events.times_file if key == "times_file" else "<a list>"
            raise RingletError.not_allowed(f"events.{key}", value, f"it belongs to trigger {LISTED!r}")
    for key in ("rate", "spill", "pause"):
        if listed and getattr(events, key) is not None:
            raise RingletError.not_allowed(f"events.{key}", getattr(events, key), f"none with trigger {LISTED!r}")
    if listed and events.times is None and events.times_file is None:
        raise RingletError(f"events.times: missing; trigger {LISTED!r} needs times or times_file")
    if not listed and events.rate is None:
        raise RingletError(f"events.rate: missing; trigger {events.trigger!r} needs a rate")
    for key, other in (("spill", "pause"), ("pause", "spill")):
        if getattr(events, key) is None and getattr(events, other) is not None:
            raise RingletError(f"events.{key}: missing; spills have a duration, spill, and a pause between them")


def _some(value: float | str, key: str, ns: float) -> int:
    found = cycles(value, ns)
    if not 1 <= found <= MAX_CYCLES:
        raise RingletError.not_allowed(f"events.{key}", value, f"1 to 2^53 cycles of {ns:g} ns")
    return found


def _taken(times: Sequence[int], dead: int, *, paralysable: bool) -> int:
    """Returns how many triggers are not in the dead time of another one."""
    taken, alive = 0, 0
    for time in times:
        if time >= alive:
            taken += 1
            alive = time + dead
        elif paralysable:
            alive = time + dead
    return taken
