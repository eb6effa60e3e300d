"""Results of flows: what each offered, what became of it, and how long its messages took."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.document.words import Record, plain
from ringlet.scenario.activities.activity import Activity, ActivityKeys, EndedRun
from ringlet.scenario.activities.flows.keys import FlowKeys, flows_of_frame
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.activities.flows.resolved import ResolvedFlow
from ringlet.scenario.activities.labels import labels_of
from ringlet.scenario.values.transactions import MovingTransaction
from ringlet.sections import Field
from ringlet.sections.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NAME = "flows"

QUANTILES = (0.5, 0.95, 0.99, 0.999)


@dataclass(frozen=True, slots=True)
class FlowFound:
    """The counts and times of a flow in the measured time; latencies are None where no message was complete."""

    flow: ResolvedFlow
    offered: int
    """Messages released."""
    offered_bytes: int
    delivered: int
    delivered_bytes: int
    lost: int
    unfinished: int
    """Released at any time, and neither complete nor lost at the end."""
    missed: int | None
    """Deadlines that passed without the message being complete; None without a deadline."""
    judged: int
    """Messages that were complete or lost, or whose deadline passed before."""
    least_cycles: int | None
    mean_cycles: float | None
    quantile_cycles: tuple[float, ...] | None
    """Latencies at the quantiles `QUANTILES`, in cycles."""
    largest_cycles: int | None


def _each(value: Callable[[FlowFound], Any], *, ns: bool = False) -> dict[Part, Values]:
    def values(found: Found) -> list[Any]:
        every = [value(one) for one in found.activity(NAME)]
        return found.ns(every) if ns else every

    return {NAME: values}


def _rate(amount: Callable[[FlowFound], int]) -> dict[Part, Values]:
    """Returns an amount of bytes in the measured time as MB/s."""

    def values(found: Found) -> list[float]:
        ns = max(found.recorded.cycles, 1) * found.symbol_time_ns
        return [1e3 * amount(one) / ns for one in found.activity(NAME)]

    return {NAME: values}


def _quantile(place: int) -> dict[Part, Values]:
    return _each(lambda one: None if one.quantile_cycles is None else one.quantile_cycles[place], ns=True)


_given = partial(Figure, over_seeds=OverSeeds.GIVEN)
_latency = partial(Figure, unit="ns", may_lack=True, scale=1e-3)

FLOWS = (
    _given("name", "flow", "Name of the flow.", values=_each(lambda one: one.flow.name), kind="string"),
    _given("source", "source", "Node that sends it.", values=_each(lambda one: one.flow.source), kind="integer"),
    _given(
        "destination",
        "destination",
        "Node that takes it; several are joined by `+`, `all` is every other one.",
        values=_each(lambda one: one.flow.to),
        kind="string",
    ),
    _given("priority", "priority", "Its send priority.", values=_each(lambda one: one.flow.priority), kind="integer"),
    _given(
        "size_bytes",
        "size",
        "Mean data of a message, in bytes.",
        values=_each(lambda one: one.flow.sizes.mean_bytes),
        heading="size\nbytes",
    ),
    Figure(
        "offered_MBps",
        "offered load",
        "Data of the messages released in the measured time.",
        unit="MB/s",
        values=_rate(lambda one: one.offered_bytes),
        heading="offered\nMB/s",
    ),
    Figure(
        "delivered_MBps",
        "delivered load",
        "Data of the messages that were complete in the measured time.",
        unit="MB/s",
        values=_rate(lambda one: one.delivered_bytes),
        heading="delivered\nMB/s",
    ),
    Figure(
        "offered",
        "offered messages",
        "Messages released in the measured time.",
        values=_each(lambda one: one.offered),
        kind="integer",
        heading="\noffered",
    ),
    Figure(
        "delivered",
        "delivered messages",
        "Messages that were complete in the measured time: all their packets, and responses, served.",
        values=_each(lambda one: one.delivered),
        kind="integer",
        heading="\ndelivered",
    ),
    Figure(
        "lost",
        "lost messages",
        "Messages that found a full queue, or of which a packet was lost.",
        values=_each(lambda one: one.lost),
        kind="integer",
        heading="\nlost",
    ),
    Figure(
        "unfinished",
        "unfinished messages",
        "Messages that were under way at the end.",
        values=_each(lambda one: one.unfinished),
        kind="integer",
    ),
    Figure(
        "missed",
        "missed deadlines",
        "Messages lost, or not complete by their deadline; missing without one.",
        values=_each(lambda one: one.missed),
        kind="integer",
        may_lack=True,
        heading="\nmissed",
    ),
    Figure(
        "deadline_miss_ratio",
        "share of missed deadlines",
        "Missed deadlines as a share of the messages that were complete or lost, or past their deadline; missing "
        "without any.",
        values=_each(lambda one: one.missed / one.judged if one.missed is not None and one.judged else None),
        may_lack=True,
    ),
    _latency(
        "latency_min_ns",
        "least latency",
        "Least time from when a message was due until it was complete.",
        values=_each(lambda one: one.least_cycles, ns=True),
        over_seeds=OverSeeds.LEAST,
    ),
    _latency(
        "latency_mean_ns",
        "mean latency",
        "Mean time from when a message was due until it was complete.",
        values=_each(lambda one: one.mean_cycles, ns=True),
        heading="latency\nmean us",
    ),
    _latency(
        "latency_p50_ns",
        "latency, median",
        "Median time from when a message was due until it was complete.",
        values=_quantile(0),
    ),
    _latency(
        "latency_p95_ns",
        "latency, 95th percentile",
        "95th percentile of the time from when a message was due until it was complete.",
        values=_quantile(1),
    ),
    _latency(
        "latency_p99_ns",
        "latency, 99th percentile",
        "99th percentile of the time from when a message was due until it was complete.",
        values=_quantile(2),
        heading="p99\nus",
    ),
    _latency(
        "latency_p999_ns",
        "latency, 99.9th percentile",
        "99.9th percentile of the time from when a message was due until it was complete.",
        values=_quantile(3),
    ),
    _latency(
        "latency_max_ns",
        "largest latency",
        "Longest time from when a message was due until it was complete.",
        values=_each(lambda one: one.largest_cycles, ns=True),
        over_seeds=OverSeeds.LARGEST,
        heading="largest\nus",
    ),
    _latency(
        "latency_jitter_ns",
        "latency jitter",
        "Largest latency less the least one.",
        values=_each(
            lambda one: (
                None
                if one.largest_cycles is None or one.least_cycles is None
                else one.largest_cycles - one.least_cycles
            ),
            ns=True,
        ),
        over_seeds=OverSeeds.LARGEST,
        heading="jitter\nus",
    ),
    labels_of(_each(lambda one: dict(one.flow.labels)), "the flow"),
)
"""Figures of each flow."""


def flows_found(run: EndedRun) -> list[FlowFound]:
    """Returns what became of each flow in the measured time, in the order of the table."""
    exact = run.measured.get("exact")
    plans = run.resolved.plans_of(FlowPlan)
    if not plans:
        return []
    (plan,) = plans
    first = run.resolved.first_flow(plan)
    counters, messages = run.engine.flow_counters(), run.engine.message_counters()
    lasting = run.engine if exact is None else exact["period"]
    members = [[first + i] for i in range(len(plan.every))]
    quantiles = lasting.message_latency_quantiles(members, list(QUANTILES))
    return [_found(one, first + i, counters, messages, quantiles[i]) for i, one in enumerate(plan.every)]


def _found(
    flow: ResolvedFlow,
    number: int,
    counters: "dict[str, NDArray[np.uint64]]",
    messages: "dict[str, NDArray[np.uint64]]",
    quantiles: "NDArray[np.float64]",
) -> FlowFound:
    def count(name: str) -> int:
        return int(counters[name][number])

    delivered = count("completed_messages")
    least, largest = count("message_latency_min_cycles"), count("message_latency_max_cycles")
    if flow.is_saturated:
        # Each message is a packet, one of which always waits.
        offered, lost = count("generated_packets"), count("lost_packets")
        bytes_each = round(flow.sizes.mean_bytes)
        amounts, judged, late = (offered * bytes_each, delivered * bytes_each), delivered, count("missed_deadlines")
        unfinished = max(0, offered - lost - delivered)
    else:
        counted = {name: int(column[number]) for name, column in messages.items()}
        offered, lost, judged = counted["released"], counted["lost"], counted["judged"]
        amounts, late = (counted["released_bytes"], counted["completed_bytes"]), counted["missed"]
        unfinished = counted["open"]
    known = delivered > 0
    # A quantile is the upper end of the histogram's interval that holds it.
    held = tuple(float(min(max(cycles, least), largest)) for cycles in quantiles.tolist()) if known else None
    return FlowFound(
        flow=flow,
        offered=offered,
        offered_bytes=amounts[0],
        delivered=delivered,
        delivered_bytes=amounts[1],
        lost=lost,
        unfinished=unfinished,
        missed=None if flow.deadline_cycles is None else late,
        judged=judged,
        least_cycles=least if known else None,
        mean_cycles=count("message_latency_sum_cycles") / delivered if known else None,
        quantile_cycles=held,
        largest_cycles=largest if known else None,
    )


def _saw(found: Sequence[FlowFound]) -> dict[str, int]:
    return {
        "count": len(found),
        "offered": sum(one.offered for one in found),
        "delivered": sum(one.delivered for one in found),
        "lost": sum(one.lost for one in found),
        "never_delivered": sum(one.delivered == 0 and one.offered > 0 for one in found),
        "never_offered": sum(one.offered == 0 for one in found),
    }


def flows_line(document: Record) -> str:
    """Returns what became of the messages of all flows, and which flow is worst: the one that loses or misses most, or
    whose largest latency is longest."""
    flows, seen = document["flows"], document["saw"]["flows"]
    if not seen["offered"]:
        return f"flows: no message in {plain(1e6 * document['simulated_s'])} us; nothing is known of them"
    offered = f"{counted(seen['offered'], 'message')} of {counted(len(flows), 'flow')} offered"
    parts = [f"{offered}, {seen['delivered']} delivered"]
    parts += [f"{seen['lost']} lost"] if seen["lost"] else []
    missed = sum(one["missed"] or 0 for one in flows)
    parts += [f"{missed} past their deadlines"] if missed else []
    line = f"flows: {', '.join(parts)}"
    known = [one for one in flows if one["latency_max_ns"] is not None]
    if known:
        worst = max(known, key=lambda one: one["latency_max_ns"])
        line += f"; longest latency: {worst['name']}, {plain(worst['latency_max_ns'] / 1e3)} us"
    if seen["never_delivered"]:
        line += f"; nothing delivered of {counted(seen['never_delivered'], 'flow')}"
    if seen["never_offered"]:
        line += f"; nothing offered by {counted(seen['never_offered'], 'flow')}"
    return line


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME, "flows_file"),
    plan=FlowPlan,
    parts=(DocumentPart(NAME, "Flows", "Each flow", "flows", FLOWS, many=True, row="flow", late="missed"),),
    found=flows_found,
    title="Flows",
    seen={
        "count": ("integer", "How many there are."),
        "offered": ("integer", "Messages released in the measured time."),
        "delivered": ("integer", "Messages that were complete in it."),
        "lost": ("integer", "Messages that were lost in it."),
        "never_delivered": ("integer", "How many flows offered messages in it, of which none was complete in it."),
        "never_offered": ("integer", "How many flows offered no message in it."),
    },
    saw=lambda found, hyperperiod: _saw(found),
    sentence=flows_line,
)


class FlowsKeys(ActivityKeys):
    """The keys of flows."""

    activity: ClassVar[Activity] = ACTIVITY
    frames: ClassVar[tuple[str, ...]] = (NAME,)

    flows: list[FlowKeys] | None = Field(
        default=None,
        min_length=1,
        description="Flows: messages of any size, at times of many kinds. Without a `[traffic]` section there is no "
        "other traffic. In Python also a data frame with the columns of `flows_file`.",
    )
    flows_file: str | None = Field(
        default=None,
        description="The flows from a CSV or Parquet file, relative to the scenario file: a header with the keys of a "
        "flow, then a line for each. A column `rate_MBps`, `period_us`, `size_bytes` or `drift_ppm` has numbers in "
        "that unit.",
    )
    flow_transaction: MovingTransaction = Field(
        default="dmove64",
        description="The transaction that messages of flows are cut into; a read moves the data to the source.",
    )

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        if hasattr(content.get(NAME), "itertuples"):
            content = {**content, NAME: flows_of_frame(content[NAME])}
        return super()._completed(content)

    @property
    def has_flows(self) -> bool:
        """True if there are flows."""
        return ACTIVITY.is_in(self)
