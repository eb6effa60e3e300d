"""Results of random message sets, kept in a store: a row for each set of a study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

from ringlet.executors import Outcome
from ringlet.store import Record, Store, canonical_json, result_key, scenario_digest

WAYS = ("guaranteed", "searched", "simulated")
"""Ways in which a set is accepted, the strictest first."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The acceptance of one set under one protocol at one utilisation."""

    number: int
    protocol: int
    utilisation: float
    guaranteed: bool
    searched: bool | None
    """True if no deadline was missed, nor in trials of other phases; None: not searched."""
    simulated: bool | None
    """True if no deadline was missed; None: not simulated."""


class SetTask(NamedTuple):
    """A set to be tried: text and numbers only, as it travels."""

    number: int
    content: str
    """The study but for the number of its sets."""
    engine: str
    """Version of the code that is to compute it."""


class Computed(NamedTuple):
    """The results of a worker for one set."""

    found: tuple[Accepted, ...]
    wall_s: float


class StoredSets:
    """The sets of a study in a store, known by the study's content, their number, and the code."""

    def __init__(self, store: Store, study: Mapping[str, Any], engine: str) -> None:
        """Names the study; how many sets it has does not count, so that more of them can be added."""
        self.store = store
        self.content = canonical_json(study)
        self.engine = engine
        self._kept = canonical_json({"schedulability": study})
        self._digest = scenario_digest(self._kept)

    def find(self, number: int) -> tuple[Accepted, ...] | None:
        """Returns what became of a set; None: it is not there."""
        row = self.store.find(result_key(self._digest, number, self.engine))
        if row is None:
            return None
        return tuple(Accepted(*one) for one in self.store.document(row)["accepted"])

    def keep(self, outcomes: Sequence[Outcome[SetTask, Computed]]) -> Iterator[tuple[Accepted, ...]]:
        """Stores what workers have found, and yields it; raises what one of them raised."""
        good = [(one.task, one.value()) for one in outcomes if one.error is None]
        with self.store.transaction():
            for task, computed in good:
                self.store.put(self._kept, task.number, self.engine, _record(computed))
        yield from (computed.found for _, computed in good)
        for one in outcomes:
            one.value()


def _record(computed: Computed) -> Record:
    counts = {way: sum(bool(getattr(one, way)) for one in computed.found) for way in WAYS}
    return Record.of_figures(counts, {"accepted": [astuple(one) for one in computed.found]}, wall_s=computed.wall_s)
