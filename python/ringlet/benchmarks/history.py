"""The last results of `ringlet bench` on this machine."""

import datetime
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from ringlet._engine import __version__
from ringlet.benchmarks.cases import Timing, machine
from ringlet.files import write_text


@dataclass(frozen=True, slots=True)
class Last:
    """Last result of a case on this machine."""

    date: str
    ringlet: str
    """Version."""
    node_cycles_per_s: float
    """Median."""


def kept_in() -> Path:
    """Returns the file of last results: it lies where programs keep their state, `$XDG_STATE_HOME` on Linux."""
    return user_state_path("ringlet") / "bench.json"


def compared(timings: Sequence[Timing]) -> dict[str, Last]:
    """Returns what cases reached the last time, by name, and keeps what they reach now in its place.

    A result counts for a machine with the same processor, cores, system and Python. A file that cannot be read has no
    results.

    Raises:
        OSError: the file cannot be written.
    """
    path, here = kept_in(), json.dumps(machine(), sort_keys=True)
    machines = _read(path)
    before = machines.get(here, {})
    now = {
        timing.case.name: {
            "date": datetime.date.today().isoformat(),
            "ringlet": __version__,
            "node_cycles_per_s": statistics.median(timing.rates),
        }
        for timing in timings
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({**machines, here: {**before, **now}}, indent=1))
    return {name: Last(**before[name]) for name in now if name in before}


def _read(path: Path) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    try:
        machines: Mapping[str, Mapping[str, Mapping[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
        for cases in machines.values():
            for last in cases.values():
                if not isinstance(Last(**last).node_cycles_per_s, float):
                    return {}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    return machines
