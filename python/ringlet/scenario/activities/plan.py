"""Plans of packets: parts of a scenario that say which packet starts when, and where it goes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.values.destinations import Destinations, Fixed, Pattern, Weighted
from ringlet.scenario.values.link_format import LinkFormat

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network
else:
    np = library("numpy")


@dataclass(frozen=True, slots=True)
class Periodic:
    """Times of a message or a loop, in cycles."""

    period: float
    offset: float
    deadline: float
    """Time from its release, jitter included, until it is to be complete."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Send priorities that packets of a run may have."""

    count: int
    key: str
    """The key that sets them."""

    def check(self, path: str, priority: int) -> None:
        """Raises RingletError for a priority that there is not."""
        if priority >= self.count:
            raise RingletError.not_allowed(path, priority, f"below {self.count}, which {self.key} sets")


@dataclass(frozen=True)
class Surroundings:
    """The part of a resolved scenario that plans are resolved with."""

    network: "Network"
    symbol_time_ns: float
    levels: Levels
    taken: Sequence[str]
    """Names of messages."""
    numbers: Callable[[], Mapping[str, int]]
    """Returns the number of each node by its name."""
    flows: Sequence[Any]
    """Sections of the table of flows."""
    link_bytes_per_cycle: Sequence[float]
    """Bytes that the link from each node carries in a cycle."""
    folder: Path
    """Folder of the scenario file, in which others are that it names."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """Bound of what a flow releases: messages at a least distance, each up to a time late."""

    name: str
    packets: int
    """Most packets of a message."""
    period_cycles: float
    jitter_cycles: int
    deadline_cycles: int | None
    """Deadline, in cycles; None: it has none."""
    follows: bool = False
    """Is each message released when that of the flow before it has been delivered, and a node has worked on it? Then
    they are the parts of one response, from the release of the first to the end of the last."""
    work_cycles: int = 0
    """Cycles of all work on it: before it is sent, and of the last part also behind it."""
    offset_cycles: float | None = None
    """Cycle of the first release, and of what follows another flow the work behind that one's delivery; None: it is
    not known."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value for which a theory does not hold."""

    path: str
    value: str | bool
    allowed: str
    """Words for what the theory takes there."""


class Plan(ABC):
    """A plan in the terms of the engine, such as events that are built on triggers.

    What theory may assume of it, it says itself; nothing is assumed by default.
    """

    kind: ClassVar[str] = ""
    """Name of it in the engine; empty where its flows are all that the engine needs."""
    key: ClassVar[str]
    """Key of the plan in a scenario file."""
    section: ClassVar[str]
    """The heading of its section there."""
    named: ClassVar[str]
    """Words for it in messages."""
    waits: ClassVar[bool] = True
    """True if its packets wait for others."""
    once: ClassVar[bool] = False
    """True if it takes place once: then its flows have no rate, a run with it has no steady state, and goes on until it
    is over unless the file says how long."""
    has_deadlines: ClassVar[bool] = False
    """True if it has deadlines, which priorities and warnings of an overload serve."""
    is_explored: ClassVar[bool] = False
    """True if all states that it leads to can be explored."""
    one_way: ClassVar[str] = ""
    """Why its packets may take one way only, where stations could send a copy on each of two rings; empty: they may
    take both."""

    @classmethod
    @abstractmethod
    def all_of(cls, file: Any, around: Surroundings) -> tuple[Self, ...]:  # noqa: ANN401 - with the keys of its activity
        """Returns the plans of this kind that a scenario file has.

        Raises:
            RingletError: what does not fit the network or its priorities.
        """

    @property
    def has_verdict(self) -> bool:
        """True if a run can tell whether deadlines of it are met."""
        return self.has_deadlines

    @property
    def drifts(self) -> bool:
        """True if its clock is slow or fast, so that its releases keep no offset."""
        return False

    @property
    def periodic(self) -> Periodic | None:
        """Times at which it comes back, of which a run takes a hyperperiod; None where it has no period."""
        return None

    @property
    def trigger_interval_cycles(self) -> float | None:
        """Mean time between its triggers, of which a run takes so many that there are percentiles; None without any."""
        return None

    @property
    def release_interval_cycles(self) -> float | None:
        """Mean time between releases of what is released least often; None where a run needs no number of them."""
        return None

    @property
    def last_release_cycle(self) -> int:
        """Cycle by which everything has been released that comes to an end; 0 where nothing does."""
        return 0

    @property
    def to_end(self) -> Sequence[tuple[float, float]]:
        """Messages of each of its flows before it ends, and packets of one, in the mean; no messages of one that goes
        on. Empty where none ends."""
        return ()

    @property
    def rounds_to_end(self) -> float:
        """Times that one message waits for another one behind the last release, in the longest chain of those."""
        return 1.0

    @property
    def unbounded(self) -> Refusal | None:
        """The first part of it of which nothing bounds what it sends in any time, which a guarantee needs; None: all is
        bounded."""
        return Refusal(self.key, f"<{self.section}>", f"no {self.named.removeprefix('a ')}")

    def bounds(self) -> "Sequence[Bounded]":
        """Returns the bound of each of its flows, where all is bounded."""
        raise AssertionError("nothing bounds it")

    @property
    def not_poisson(self) -> Refusal | None:
        """The first part of it that does not arrive as the queueing model takes packets to, one by one at times of a
        Poisson process; None: all does."""
        return Refusal(self.key, f"<{self.section}>", f"no {self.named.removeprefix('a ')}")

    @property
    def unplaced(self) -> Refusal | None:
        """The first part of it that cannot be weighed when nodes are given places, of which the rate from node to node
        is needed; None: all can."""
        return None

    @property
    def inlined(self) -> Mapping[str, Any]:
        """Keys of its section with what files have that the section names; None for a key that falls away."""
        return {}

    @property
    def message(self) -> str:
        """Name by which moments of a recording and the player show its packets; empty: by none."""
        return ""

    @property
    @abstractmethod
    def flow_count(self) -> int:
        """Flows of the plan."""

    @abstractmethod
    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
        """Yields its flows, of which nothing is in flight but what the plan releases.

        Args:
            group_specs: the engine's groups of each node.
            link_format: how packets lie on links.
            waiting: whether packets of any plan of the scenario wait for others.
            first: number of the first of them.
        """

    @abstractmethod
    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields each node that sends, and where to."""

    @abstractmethod
    def spec(self, first_flow: int) -> dict[str, Any] | None:
        """Returns the engine's form; None where its flows are all that the engine needs.

        Args:
            first_flow: number of the first of its flows.
        """


class SectionPlan(Plan):
    """A plan that one section of a file describes, so that there is at most one of its kind."""

    @classmethod
    def all_of(cls, file: Any, around: Surroundings) -> tuple[Self, ...]:  # noqa: ANN401 - as above
        """Returns the plan of a scenario file, if it has the section."""
        keys = getattr(file, cls.key)
        if keys is None:
            return ()
        around.levels.check(f"{cls.key}.priority", keys.priority)
        return (cls.of(keys, around),)

    @classmethod
    @abstractmethod
    def of(cls, keys: Any, around: Surroundings) -> Self:  # noqa: ANN401 - the section of its activity
        """Returns the plan that a section describes.

        Raises:
            RingletError: what does not fit the network, or is more than the engine takes.
        """


def pattern_of(plans: Iterable[Plan], nodes: int) -> Pattern:
    """Returns where each node's packets of all plans go, each of a node's ways alike; None for a node without."""
    ways: dict[int, list[Destinations]] = {}
    for plan in plans:
        for node, to in plan.ways():
            ways.setdefault(node, []).append(to)
    together: list[Destinations | None] = [None] * nodes
    for node, each in ways.items():
        if all(to == each[0] for to in each):
            together[node] = each[0]
        else:
            fixed = [to.node for to in each if isinstance(to, Fixed)]
            if len(fixed) == len(each):
                shares = np.bincount(fixed, minlength=nodes) / len(each)
            else:
                shares = np.mean([to.row(node, nodes) for to in each], axis=0)
            together[node] = Weighted(shares.tolist())
    return Pattern(nodes, tuple(together))
