"""An activity of a run: its keys, its plan, what the engine counted of it, its figures, its part of the document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from ringlet.document.part import DocumentPart
from ringlet.errors import RingletError
from ringlet.scenario.activities.plan import Plan
from ringlet.sections import Section

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation

OneKind = TypeVar("OneKind", bound=Plan)

Seen = dict[str, Any]
"""Record of how much of an activity the measured time holds."""

SeenSchema = Mapping[str, tuple[str | tuple[str, ...], str]]
"""JSON type and meaning of each entry of `Seen`; one that ends with `_ns` has that unit."""


class Planned(Protocol):
    """The plans of a resolved scenario."""

    file: Any
    """The scenario file, with the keys of all activities."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def messages(self) -> Sequence[Any]:
        """The message set in cycles and packets."""

    def plans_of(self, kind: type[OneKind]) -> tuple[OneKind, ...]:
        """Returns the plans of one kind."""

    def first_flow(self, plan: Plan) -> int:
        """Returns the number of a plan's first flow."""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run that is over."""

    engine: "Simulation"
    measured: "Measured"
    resolved: Planned
    node_name: Callable[[int], str]
    """Returns the name of a node."""
    bandwidth_bound: Callable[[Any], tuple[float, str]]
    """Returns the cycles for which the busiest resource is in use by some plans, and what that is; it takes theory,
    which stands above activities."""
    latency_bound: Callable[[Any], float]
    """Returns the cycles in which a packet goes through all steps of some plans; theory, too."""


@dataclass(frozen=True, slots=True)
class Hyperperiod:
    """Time after which all that is periodic in a run comes back."""

    cycles: float
    """Infinite beyond a float; 0 where nothing is periodic."""
    symbol_time_ns: float

    @property
    def ns(self) -> float | None:
        """Hyperperiod in nanoseconds; None beyond a float."""
        return self.cycles * self.symbol_time_ns if self.cycles < float("inf") else None


@dataclass(frozen=True, kw_only=True)
class Activity:
    """Something that a run does: a message set, event building, control loops, a collective operation.

    All that lists what a run does asks its activities: the scenario file, the plans of its packets, the document and
    its schema, what a run has seen, the report of `ringlet run` and its verdict, the columns of studies, `Result.part`,
    "What a run tells".
    """

    name: str
    keys: tuple[str, ...]
    """Keys of a scenario file, one of which is given where the activity is there."""
    plan: type[Plan] | None
    """Kind of its plans; None: its packets are the engine's own flows."""
    parts: tuple[DocumentPart, ...]
    found: Callable[[EndedRun], Any]
    """Returns what became of it, from which its figures are computed; None or empty where a run has none of it."""
    title: str
    """Words for the activity at the beginning of a sentence."""
    seen: SeenSchema
    """Entries of what `saw` returns."""
    saw: Callable[[Any, Hyperperiod], Seen]
    """Returns how much of it the measured time holds, of what was found."""
    sentence: Callable[[Mapping[str, Any]], str]
    """Returns the sentence on it in the report of a run, from the run's document."""
    check: Callable[[Any], None] = lambda file: None
    """Raises RingletError for keys of a scenario file that do not go together with it, or belong to it where it is not
    there."""
    periods: Callable[[Any], Sequence[float]] = lambda found: ()
    """Returns the periods in cycles with which it comes back."""
    is_complete: Callable[[Any], bool] = lambda found: True
    """Returns whether what takes place once is over."""
    not_poisson: str | None = None
    """Words for what the queueing model takes in place of an activity without plans; None: plans say it themselves."""
    moved: Callable[[Planned, Mapping[str, Any], Sequence[int]], Mapping[str, Any]] | None = None
    """Returns its keys in the content of a scenario file with each node at another place, from the content as it is
    and the place of each node; None: its nodes cannot have other places."""

    def is_in(self, file: Section) -> bool:
        """Returns whether a scenario file has it."""
        return any(getattr(file, key) is not None for key in self.keys)


def moved_ends(key: str, content: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Returns a table of a scenario file whose rows have a source and a destination, with each node at its place."""
    return {
        key: [
            {**one, "source": order[one["source"]], "destination": _moved(one["destination"], order)}
            for one in content.get(key, [])
        ]
    }


def _moved(destination: Any, order: Sequence[int]) -> Any:  # noqa: ANN401 - a node, several, shares of them, or all
    """Returns the places of the nodes that are a destination."""
    if isinstance(destination, list):
        return [order[node] for node in destination]
    if isinstance(destination, dict):
        return {str(order[int(node)]): share for node, share in destination.items()}
    return order[destination] if isinstance(destination, int) else destination


def check_alone(file: Any, key: str, other: str) -> None:  # noqa: ANN401 - with the keys of its activity
    """Raises RingletError where a scenario file has both of two keys that say the same."""
    if getattr(file, key) is not None and getattr(file, other) is not None:
        raise RingletError(f"{other}: given together with {key}; one of them is allowed")


def check_belongs(file: Any, *keys: str, to: str) -> None:  # noqa: ANN401 - with the keys of its activity
    """Raises RingletError where a scenario file has one of some keys with a value that is not the default, which belong
    to others that it does not have."""
    for key in keys:
        value = getattr(file, key)
        if key in file.given and value != type(file).fields[key].default:
            raise RingletError.not_allowed(key, value, f"it belongs to {to}, and there is none")


class ActivityKeys(Section):
    """The keys of an activity in a scenario file, by which the list of activities finds it."""

    activity: ClassVar[Activity]

    @classmethod
    def in_file(cls, file: Section) -> Self:
        """Returns a scenario file, which has the keys of all activities, as the keys of this one."""
        assert isinstance(file, cls)
        return file
