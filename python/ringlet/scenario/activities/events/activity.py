"""Results of event building: of all events, and of each builder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from ringlet.document.figure import Figure, OverSeeds, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.document.words import Record, plain
from ringlet.errors import RingletError
from ringlet.scenario.activities.activity import Activity, ActivityKeys, EndedRun, Planned
from ringlet.scenario.activities.events.keys import Events
from ringlet.scenario.activities.events.plan import EventBuilding
from ringlet.scenario.values.units import magnitude
from ringlet.sections import Field
from ringlet.sections.wording import counted

NAME = "events"


@dataclass(frozen=True, slots=True)
class BuilderFound:
    """The counts of a builder of events in the measured time; times are in cycles."""

    node: int
    name: str
    built: int
    lost: int
    """Events that found no place."""
    incomplete: int
    """Events that were given up."""
    latency_sum: int
    latency_max: int
    held: int
    """Events that it held, summed over all cycles."""
    held_max: int
    busy: int
    """Cycles in which it processed an event."""


@dataclass(frozen=True, slots=True)
class EventsFound:
    """The counts of event building in the measured time; times are in cycles, None without an event."""

    triggers: int
    dead: int
    """Triggers in the dead time of others."""
    refused: int
    """Triggers without a credit."""
    open: int
    """Events under way at the end."""
    latency_min: int | None
    latency_quantiles: tuple[int | None, int | None, int | None]
    builders: tuple[BuilderFound, ...]
    period: "EventsFound | None" = None
    """Counts of one period, where the run has come back to a state."""

    @property
    def lasting(self) -> "EventsFound":
        """The counts that rates, means and percentiles are made of: of a period, if one is known."""
        return self.period or self

    @property
    def built(self) -> int:
        """Events built."""
        return sum(one.built for one in self.builders)

    @property
    def lost(self) -> int:
        """Events that found no place."""
        return sum(one.lost for one in self.builders)

    @property
    def incomplete(self) -> int:
        """Events that were given up."""
        return sum(one.incomplete for one in self.builders)

    @property
    def all_lost(self) -> int:
        """Triggers and events lost."""
        return self.dead + self.refused + self.lost + self.incomplete

    @property
    def latency_mean(self) -> float | None:
        """Mean latency."""
        return sum(one.latency_sum for one in self.builders) / self.built if self.built else None

    @property
    def latency_max(self) -> int | None:
        """The largest."""
        return max((one.latency_max for one in self.builders if one.built), default=None)

    @property
    def latency_p50(self) -> int | None:
        """Median."""
        return self.latency_quantiles[0]

    @property
    def latency_p95(self) -> int | None:
        """95th percentile."""
        return self.latency_quantiles[1]

    @property
    def latency_p99(self) -> int | None:
        """99th percentile."""
        return self.latency_quantiles[2]


def _all(value: Callable[[EventsFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the record of all events takes a figure, of cycles if `ns`."""

    def values(found: Found) -> list[Any]:
        one = [value(found.activity(NAME))]
        return found.ns(one) if ns else one

    return {"events": values}


def _each(value: Callable[[BuilderFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the records of builders take a figure of each builder."""

    def values(found: Found) -> list[Any]:
        every = [value(one) for one in found.activity(NAME).builders]
        return found.ns(every) if ns else every

    return {"builders": values}


def _lasting(value: Callable[[EventsFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the record of all events takes a rate, a mean or a percentile, of cycles if `ns`."""
    return _all(lambda found: value(found.lasting), ns=ns)


def _over_time(value: Callable[[BuilderFound], float]) -> dict[Any, Values]:
    """Returns how the records of builders take a figure that is a sum over cycles: its mean over time."""

    def values(found: Found) -> list[Any]:
        return found.per_cycle([value(one) for one in found.activity(NAME).lasting.builders])

    return {"builders": values}


def _builder_means(found: Found) -> list[Any]:
    of_period = found.activity(NAME).lasting.builders
    return found.ns([one.latency_sum / one.built if one.built else None for one in of_period])


def _rate_kHz(found: Found) -> list[float | None]:  # noqa: N802 - the unit
    ns = found.cycles * found.symbol_time_ns
    return [found.activity(NAME).lasting.built / ns * 1e6 if ns else None]


@dataclass(frozen=True)
class _Latency:
    word: str
    words: str
    meaning: str
    cycles: Callable[[EventsFound], float | None]
    over_seeds: OverSeeds = OverSeeds.MEAN

    def figure(self) -> Figure:
        return Figure(
            f"event_latency_{self.word}_ns",
            f"{self.words} event latency",
            f"{self.meaning} from a trigger to the service of its event's last fragment; missing without an event.",
            unit="ns",
            values=_all(self.cycles, ns=True),
            may_lack=True,
            over_seeds=self.over_seeds,
            log=True,
        )


_count = partial(Figure, kind="integer")

EVENTS = (
    _count(
        "triggers",
        "triggers",
        "Triggers in the measured time, those that were lost included.",
        values=_all(lambda found: found.triggers),
    ),
    _count(
        "dead_time_triggers",
        "triggers in the dead time",
        "Triggers that were lost since they came in the dead time of another one.",
        values=_all(lambda found: found.dead),
    ),
    _count(
        "refused_triggers",
        "triggers without a credit",
        "Triggers that were lost since no builder had a free place that was known.",
        values=_all(lambda found: found.refused),
    ),
    _count(
        "built_events",
        "events built",
        "Events whose last fragment came in the measured time.",
        values=_all(lambda found: found.built),
    ),
    _count(
        "lost_events",
        "events lost",
        "Events that found their builder's queue full.",
        values=_all(lambda found: found.lost),
    ),
    _count(
        "incomplete_events",
        "events given up",
        "Events that were not complete before their time-out.",
        values=_all(lambda found: found.incomplete),
    ),
    _count(
        "open_events",
        "events under way",
        "Events that were neither complete nor lost at the end.",
        values=_all(lambda found: found.open),
    ),
    Figure(
        "loss_ratio",
        "share of triggers lost",
        "Triggers lost (dead time, no credit) and events lost (queue full, given up), as a share of the triggers; "
        "missing without a trigger.",
        values=_lasting(lambda found: found.all_lost / found.triggers if found.triggers else None),
        may_lack=True,
    ),
    Figure(
        "event_rate_kHz",
        "event rate",
        "Events built for each unit of time.",
        unit="kHz",
        values={"events": _rate_kHz},
        may_lack=True,
    ),
    *(
        one.figure()
        for one in (
            _Latency("mean", "mean", "Mean time", lambda found: found.lasting.latency_mean),
            _Latency("min", "least", "Least time", lambda found: found.latency_min, OverSeeds.LEAST),
            _Latency("p50", "median", "Median of the time", lambda found: found.lasting.latency_p50),
            _Latency(
                "p95", "95th percentile of the", "95th percentile of the time", lambda found: found.lasting.latency_p95
            ),
            _Latency(
                "p99", "99th percentile of the", "99th percentile of the time", lambda found: found.lasting.latency_p99
            ),
            _Latency("max", "largest", "Largest time", lambda found: found.latency_max, OverSeeds.LARGEST),
        )
    ),
)
"""Figures of all events together."""

BUILDERS = (
    _count("node", "builder", "Node of the builder.", values=_each(lambda one: one.node), over_seeds=OverSeeds.GIVEN),
    Figure(
        "name",
        "builder",
        "What its node is called.",
        values=_each(lambda one: one.name),
        kind="string",
        over_seeds=OverSeeds.GIVEN,
    ),
    _count("built", "events built", "Events it built.", values=_each(lambda one: one.built), heading="events\nbuilt"),
    _count(
        "lost", "events lost", "Events that found its queue full.", values=_each(lambda one: one.lost), heading="\nlost"
    ),
    _count(
        "incomplete",
        "events given up",
        "Events for it that were not complete in time.",
        values=_each(lambda one: one.incomplete),
        heading="given\nup",
    ),
    Figure(
        "latency_mean_ns",
        "mean event latency",
        "Mean time from a trigger to the last fragment of its event.",
        unit="ns",
        values={"builders": _builder_means},
        may_lack=True,
        heading="latency\nmean us",
        scale=1e-3,
    ),
    Figure(
        "latency_max_ns",
        "largest event latency",
        "The largest.",
        unit="ns",
        values=_each(lambda one: one.latency_max if one.built else None, ns=True),
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
        heading="max\nus",
        scale=1e-3,
    ),
    Figure(
        "queue_mean_events",
        "mean queue",
        "Events that it holds, from their first packet until they are processed, on average over time.",
        values=_over_time(lambda one: one.held),
        heading="queue\nmean",
    ),
    _count(
        "queue_max_events",
        "largest queue",
        "The most that it held.",
        values=_each(lambda one: one.held_max),
        over_seeds=OverSeeds.LARGEST,
        heading="\nmax",
    ),
    Figure(
        "busy_fraction",
        "share of time in which it processes",
        "Share of the time in which it processes an event.",
        unit="share of time",
        values=_over_time(lambda one: one.busy),
        heading="busy\n%",
        scale=100,
    ),
)
"""Figures of each builder."""


def events_found(run: EndedRun) -> EventsFound | None:
    """Returns what became of the events of a run; None without event building."""
    if not run.resolved.plans_of(EventBuilding):
        return None
    (counters,) = run.engine.activity_counters(EventBuilding.kind)
    exact = run.measured.get("exact")
    whole = _counted(counters, run)
    if exact is None:
        return whole
    (in_period,) = exact["period"].activity_counters(EventBuilding.kind)
    return replace(whole, period=_counted(in_period, run))


def _counted(counters: Mapping[str, Any], run: EndedRun) -> EventsFound:
    columns = {name: column.tolist() for name, column in counters["builders"].items()}
    builders = [
        BuilderFound(
            node=node,
            name=run.node_name(node),
            built=columns["built"][place],
            lost=columns["lost"][place],
            incomplete=columns["incomplete"][place],
            latency_sum=columns["latency_sum_cycles"][place],
            latency_max=columns["latency_max_cycles"][place],
            held=columns["held_event_cycles"][place],
            held_max=columns["held_max"][place],
            busy=columns["busy_cycles"][place],
        )
        for place, node in enumerate(columns["node"])
    ]
    return EventsFound(
        triggers=counters["triggers"],
        dead=counters["dead"],
        refused=counters["refused"],
        open=counters["open"],
        latency_min=counters["latency_min"],
        latency_quantiles=tuple(counters["latency_quantiles"]),
        builders=tuple(builders),
    )


def events_line(document: Record) -> str:
    """Returns what became of the triggers, and how long events took; without a trigger, that nothing is known."""
    events: Record = document["events"]
    rate, simulated_s = document["scenario"]["events"].get("rate"), document["simulated_s"]
    if not events["triggers"]:
        if rate is None:
            return f"events: no trigger in {plain(1e6 * simulated_s)} us; nothing is known of events"
        expected = magnitude(rate, "Hz") * simulated_s
        time = f"{plain(1e6 * simulated_s)} us, in which {plain(expected)} are expected at {rate}"
        return f"events: no trigger in {time}; nothing is known of events"
    lost = {
        "in dead time": events["dead_time_triggers"],
        "without a credit": events["refused_triggers"],
        "to full queues": events["lost_events"],
        "given up": events["incomplete_events"],
        "under way": events["open_events"],
    }
    parts = "".join(f", {count} {what}" for what, count in lost.items() if count)
    line = f"events: {counted(events['triggers'], 'trigger')}, {events['built_events']} built{parts}"
    if events["event_latency_mean_ns"] is None:
        return line
    mean, p99 = (plain(events[f"event_latency_{which}_ns"] / 1e3) for which in ("mean", "p99"))
    return f"{line}; {plain(events['event_rate_kHz'])} kHz, latency {mean} us, p99 {p99} us"


def _check(file: Any) -> None:  # noqa: ANN401 - other sections are in it, too
    events = file.events
    if events is None:
        return
    if file.traffic.replayed is not None:
        raise RingletError("events: given together with a trace; one of them is allowed")
    if events.timeout is None and (file.errors.lose or file.queues.loses):
        cause = "[errors]" if file.errors.lose else "queues.transmit"
        raise RingletError(f"events.timeout: missing; with {cause} packets can be lost, and events wait for them")
    if events.destination != "credits" and events.credit_delay != Events.fields["credit_delay"].default:
        raise RingletError.not_allowed("events.credit_delay", events.credit_delay, "it belongs to 'credits'")


def _moved(planned: Planned, content: Mapping[str, Any], order: Sequence[int]) -> Mapping[str, Any]:
    """Returns the section, in which sources and builders are named by their places."""
    (plan,) = planned.plans_of(EventBuilding)
    moved: dict[str, Any] = {
        "sources": [order[node] for node in plan.sources],
        "builders": [order[node] for node in plan.builders],
    }
    if fragments := content[NAME].get("fragments"):
        numbers = {name: node for node, name in enumerate(planned.file.network.node_names or ())}
        moved["fragments"] = {
            str(order[numbers[node] if node in numbers else int(node)]): size for node, size in fragments.items()
        }
    return {NAME: {**content[NAME], **moved}}


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME,),
    plan=EventBuilding,
    check=_check,
    moved=_moved,
    parts=(
        DocumentPart(NAME, "Event building", "Event building", "it", EVENTS),
        DocumentPart(
            "builders", "Builders", "Each builder of events", "event building", BUILDERS, many=True, row="builder"
        ),
    ),
    found=events_found,
    title="Event building",
    seen={"triggers": ("integer", "Triggers."), "built": ("integer", "Events built.")},
    saw=lambda found, hyperperiod: {"triggers": found.triggers, "built": found.built},
    sentence=events_line,
)


class EventKeys(ActivityKeys):
    """The key of event building."""

    activity: ClassVar[Activity] = ACTIVITY

    events: Events | None = Field(
        default=None,
        description="Event building: triggers, on which all sources send fragments to a builder. Without a `[traffic]` "
        "section there is no other traffic.",
    )


KEYS = EventKeys
"""The keys that the list of activities takes."""
