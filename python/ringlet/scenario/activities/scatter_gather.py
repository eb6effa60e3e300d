"""Scatter-gather with a barrier: keys, plan, results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ringlet.document.figure import Figure, OverSeeds, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.document.words import Record, percent, plain
from ringlet.errors import RingletError
from ringlet.scenario.activities.activity import Activity, ActivityKeys, EndedRun
from ringlet.scenario.activities.flow import Flow, Payload, packets_of
from ringlet.scenario.activities.plan import SectionPlan, Surroundings
from ringlet.scenario.values.destinations import Destinations, Fixed, Weighted
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node, checked_nodes
from ringlet.scenario.values.sizes import WholeSize
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction, WritingTransaction
from ringlet.scenario.values.units import MAX_CYCLES, Time, cycles, size_bytes
from ringlet.sections import Field, Section
from ringlet.sections.wording import counted

NAME = "scatter_gather"

MAX_PACKETS = 1 << 22
"""Packets of all rounds: what the engine takes."""

MAX_WAITS = 1 << 16
"""Waits of the packets of a round for others: what the engine takes."""

MAX_ALL_WAITS = 1 << 25
"""Waits of the packets of all rounds, which are handed in at once: what the engine takes, half a gigabyte."""


class ScatterGather(Section):
    """Scatter-gather with a barrier: in each round a root gives a piece of work to all others and takes their answers.

    The next round begins when all answers are there.
    """

    root: Node = Field(description="The node that sends the pieces and takes the answers.")
    workers: list[Node] | None = Field(
        default=None,
        min_length=1,
        description="The nodes that work, in the order in which the root sends to them. Default: all others that send "
        "and receive, by their numbers.",
    )
    piece: WholeSize = Field(description="Data that the root sends to each worker in a round, such as `4 KiB`.")
    answer: WholeSize = Field(
        description="Data of each answer. Pieces and answers are cut into packets of `transaction`; the last one of "
        "each is filled up."
    )
    work_time: Time | Annotated[list[Time], Field(min_length=1, fail_fast=True)] = Field(
        default=0,
        description="Time from when all of a piece has come until its worker answers; or a list with one for each "
        "worker.",
    )
    root_time: Time = Field(
        default=0, description="Time from the last answer of a round until the root begins the next one."
    )
    rounds: int = Field(default=100, ge=1, description="Rounds, one after the other.")
    start: Time = Field(default=0, description="When the first one begins.")
    transaction: WritingTransaction = Field(default="dmove64", description="The transaction that data are cut into.")
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority of its packets, 0 the lowest.")


@dataclass(frozen=True)
class ScatterGatherPlan(SectionPlan):
    """Scatter-gather in the terms of the engine."""

    kind: ClassVar[str] = "scatter-gather"
    key: ClassVar[str] = NAME
    section: ClassVar[str] = f"[{NAME}]"
    named: ClassVar[str] = "a scatter-gather"
    once: ClassVar[bool] = True

    keys: ScatterGather
    nodes: int
    root: int
    workers: tuple[int, ...]
    work_cycles: tuple[int, ...]
    root_cycles: int
    start_cycle: int
    transaction: Transaction
    piece_packets: int
    answer_packets: int

    @classmethod
    def of(cls, keys: ScatterGather, around: Surroundings) -> "ScatterGatherPlan":
        """Resolves the section.

        Raises:
            RingletError: a node that is not there, no worker, a list of another length, or what is too long.
        """
        network, symbol_time_ns = around.network, around.symbol_time_ns
        both = sorted(set(network.senders.tolist()) & set(network.receivers.tolist()))
        root = keys.root
        if root not in both:
            raise _refused("root", root, "a node that sends and receives")
        given = [node for node in both if node != root] if keys.workers is None else keys.workers
        if not given:
            raise _refused("root", keys.root, "a node beside which another one sends and receives")
        workers = checked_nodes(given, f"{NAME}.workers", both, network.nodes)
        if root in workers:
            place = workers.index(root)
            raise _refused(f"workers[{place}]", root, "a node other than the root")
        times = keys.work_time if isinstance(keys.work_time, list) else [keys.work_time] * len(workers)
        if len(times) != len(workers):
            raise _refused("work_time", f"<{len(times)} times>", f"one time, or {len(workers)}, one for each worker")
        for key, value in [
            ("start", keys.start),
            ("root_time", keys.root_time),
            *(("work_time", one) for one in times),
        ]:
            if cycles(value, symbol_time_ns) >= MAX_CYCLES:
                raise _refused(key, value, f"less than 2^53 cycles of {symbol_time_ns:g} ns")
        transaction = TRANSACTIONS[keys.transaction]
        piece, answer = (
            max(1, int(-(-size_bytes(size) // transaction.payload_bytes))) for size in (keys.piece, keys.answer)
        )
        count = len(workers)
        if (count * count + count) * piece * answer > MAX_WAITS:
            allowed = f"at most {MAX_WAITS} waits of the packets of a round: of {count * count + count} pairs of a "
            allowed += f"piece and an answer, with {piece} times {answer} packets each"
            raise _refused("piece", keys.piece, allowed)
        waits = (count * count + count) * piece * answer
        if keys.rounds * waits > MAX_ALL_WAITS:
            allowed = f"at most {MAX_ALL_WAITS // waits}, with {MAX_ALL_WAITS} waits of packets for others in all and "
            allowed += f"{waits} in a round"
            raise _refused("rounds", keys.rounds, allowed)
        if keys.rounds * count * (piece + answer) > MAX_PACKETS:
            allowed = f"at most {MAX_PACKETS // (count * (piece + answer))}, with {MAX_PACKETS} packets in all"
            raise _refused("rounds", keys.rounds, allowed)
        return cls(
            keys=keys,
            nodes=network.nodes,
            root=root,
            workers=workers,
            work_cycles=tuple(cycles(one, symbol_time_ns) for one in times),
            root_cycles=cycles(keys.root_time, symbol_time_ns),
            start_cycle=cycles(keys.start, symbol_time_ns),
            transaction=transaction,
            piece_packets=piece,
            answer_packets=answer,
        )

    def ways(self) -> Iterator[tuple[int, Destinations]]:
        """Yields where the root's pieces and each worker's answers go."""
        shares = [1 / len(self.workers) if node in self.workers else 0.0 for node in range(self.nodes)]
        yield self.root, Fixed(self.workers[0]) if len(self.workers) == 1 else Weighted(shares)
        for worker in self.workers:
            yield worker, Fixed(self.root)

    @property
    def flow_count(self) -> int:
        """A flow for the root, and one for each worker."""
        return 1 + len(self.workers)

    def flows(
        self, group_specs: Sequence[dict[str, Any]], *, link_format: LinkFormat, waiting: bool, first: int
    ) -> Iterator[Flow]:
        """Yields the root's flow and that of each worker. They have no rate: the rounds take place once."""
        del waiting, first  # its own packets wait
        sizes, answer = packets_of(self.transaction, link_format)
        for node, to in self.ways():
            size, packets = (
                (self.keys.piece, self.piece_packets) if node == self.root else (self.keys.answer, self.answer_packets)
            )
            yield Flow(
                source=node,
                priority=self.keys.priority,
                arrivals={"kind": "trace", "responses": False, "dependence_driven": True},
                sizes=sizes,
                response_symbols=answer,
                destinations=to,
                groups=group_specs[node],
                # The last packet is filled up: on average each carries this much.
                payload=Payload(round(size_bytes(size)) / packets),
                rate=0.0,
                planned_random=False,
            )

    def spec(self, first_flow: int) -> dict[str, Any]:
        """Returns the engine's form."""
        return {
            "kind": self.kind,
            "flows": [first_flow + place for place in range(self.flow_count)],
            "rounds": self.keys.rounds,
            "piece_packets": self.piece_packets,
            "answer_packets": self.answer_packets,
            "work_cycles": list(self.work_cycles),
            "root_cycles": self.root_cycles,
            "start_cycle": self.start_cycle,
        }


def _refused(key: str, value: object, allowed: str) -> RingletError:
    return RingletError.not_allowed(f"{NAME}.{key}", value, allowed)


@dataclass(frozen=True, slots=True)
class RoundsFound:
    """The counts of a scatter-gather from the start of the run on; times are in cycles."""

    wanted: int
    """Rounds that there are to be."""
    counters: dict[str, Any]
    """Counts of the engine."""
    names: tuple[str, ...]
    """Name of the node of each worker."""

    @property
    def rounds(self) -> int:
        """Rounds whose answers were all there."""
        return int(self.counters["rounds"])

    def of_workers(self, column: str) -> list[int]:
        """Returns a count of each worker."""
        counts: list[int] = self.counters["workers"][column].tolist()
        return counts


def _of(value: Callable[[RoundsFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the record of the rounds takes a figure, of cycles if `ns`."""

    def values(found: Found) -> list[Any]:
        one = [value(found.activity(NAME))]
        return found.ns(one) if ns else one

    return {NAME: values}


def _workers(value: Callable[[RoundsFound], Sequence[Any]], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the records of the workers take a figure, of cycles if `ns`."""

    def values(found: Found) -> Sequence[Any]:
        each = value(found.activity(NAME))
        return found.ns(each) if ns else each

    return {"workers": values}


def _time(which: str, words: str, meaning: str, value: Callable[[RoundsFound], Any], over: OverSeeds) -> Figure:
    return Figure(
        f"round_{which}_ns",
        f"{words} time of a round",
        f"{meaning} time from when the root begins a round to its last answer; missing without a round.",
        unit="ns",
        values=_of(value, ns=True),
        may_lack=True,
        over_seeds=over,
    )


def _mean(sums: Sequence[int], counts: Sequence[int]) -> list[float | None]:
    return [total / count if count else None for total, count in zip(sums, counts, strict=True)]


ROUNDS = (
    Figure(
        "rounds", "rounds", "Rounds whose answers were all there.", values=_of(lambda one: one.rounds), kind="integer"
    ),
    _time(
        "mean",
        "mean",
        "Mean",
        lambda one: one.counters["sum_cycles"] / one.rounds if one.rounds else None,
        OverSeeds.MEAN,
    ),
    _time("min", "least", "Least", lambda one: one.counters["min_cycles"], OverSeeds.LEAST),
    *(
        _time(name, f"{name[1:]}th percentile of the", f"{name[1:]}th percentile of the", value, OverSeeds.MEAN)
        for name, value in (
            ("p50", lambda one: one.counters["quantiles"][0]),
            ("p99", lambda one: one.counters["quantiles"][2]),
        )
    ),
    _time("max", "largest", "Largest", lambda one: one.counters["max_cycles"], OverSeeds.LARGEST),
)
"""Figures of all rounds together."""

WORKERS = (
    Figure(
        "name",
        "worker",
        "What its node is called.",
        values=_workers(lambda one: one.names),
        kind="string",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "answers",
        "answers",
        "Rounds that its answer was in.",
        values=_workers(lambda one: one.of_workers("answers")),
        kind="integer",
        heading="\nanswers",
    ),
    Figure(
        "last_answers",
        "answers that were last",
        "Rounds in which its answer was the last one, for which the root waited longest.",
        values=_workers(lambda one: one.of_workers("last")),
        kind="integer",
        heading="\nlast",
    ),
    Figure(
        "answer_mean_ns",
        "mean time to an answer",
        "Mean time from when the root begins a round to the answer; missing without one.",
        unit="ns",
        values=_workers(lambda one: _mean(one.of_workers("sum_cycles"), one.of_workers("answers")), ns=True),
        may_lack=True,
        heading="answer\nmean us",
        scale=1e-3,
    ),
    Figure(
        "answer_max_ns",
        "largest time to an answer",
        "Longest time from when the root begins a round to the answer; missing without one.",
        unit="ns",
        values=_workers(
            lambda one: [most or None for most in one.of_workers("max_cycles")],
            ns=True,
        ),
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
        heading="max\nus",
        scale=1e-3,
    ),
)
"""Figures of each worker."""


def rounds_found(run: EndedRun) -> RoundsFound | None:
    """Returns what became of the scatter-gather of a run, from its start on; None without one."""
    plans = run.resolved.plans_of(ScatterGatherPlan)
    if not plans:
        return None
    (plan,), (counters,) = plans, run.engine.activity_counters(ScatterGatherPlan.kind)
    names = tuple(run.node_name(node) for node in plan.workers)
    return RoundsFound(wanted=plan.keys.rounds, counters=counters, names=names)


def rounds_line(document: Record) -> str:
    """Returns how many rounds there were, how long they took, and who answered last most often."""
    found = document[NAME]
    wanted = document["scenario"][NAME]["rounds"]
    rounds = counted(wanted, "round")
    if not found["rounds"]:
        return f"scatter-gather: no round complete of {rounds}; nothing is known of them"
    done = rounds if found["rounds"] == wanted else f"{found['rounds']} of {rounds}, not complete"
    mean, p99, most = (plain(found[f"round_{which}_ns"] / 1e3) for which in ("mean", "p99", "max"))
    slow = max(document["workers"], key=lambda one: one["last_answers"])
    last = f"{slow['name']} answers last in {percent(slow['last_answers'] / found['rounds'])} of them"
    return f"scatter-gather: {done}; {mean} us each, p99 {p99} us, longest {most} us; {last}"


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME,),
    plan=ScatterGatherPlan,
    parts=(
        DocumentPart(NAME, "Scatter-gather", "Scatter-gather with a barrier", "one", ROUNDS),
        DocumentPart("workers", "Workers", "Each worker of a scatter-gather", "one", WORKERS, many=True, row="worker"),
    ),
    found=rounds_found,
    title="Scatter-gather, since the start of the run",
    seen={
        "rounds": ("integer", "Rounds whose answers were all there."),
        "complete": ("boolean", "Whether that is all of them."),
    },
    saw=lambda found, hyperperiod: {"rounds": found.rounds, "complete": found.rounds == found.wanted},
    sentence=rounds_line,
    is_complete=lambda found: found.rounds == found.wanted,
)


class ScatterGatherKeys(ActivityKeys):
    """The key of scatter-gather."""

    activity: ClassVar[Activity] = ACTIVITY

    scatter_gather: ScatterGather | None = Field(
        default=None,
        description="Scatter-gather with a barrier: rounds of a root and its workers. Without a `[traffic]` section "
        "there is no other traffic.",
    )


KEYS = ScatterGatherKeys
"""The keys that the list of activities takes."""
