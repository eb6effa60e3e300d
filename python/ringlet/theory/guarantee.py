"""Guaranteed response times of a message set: proven upper bounds, without a simulation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.analysis.response_bounds import (
    Analysis,
    ChainBounds,
    NoBoundError,
    RingFlows,
    SwitchTimes,
    chain_bounds,
)
from ringlet.analysis.response_bounds.offsets import MOST_RELEASES, Schedule
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.resolved.two_rings import check_no_crossing, fails_at_one_place
from ringlet.scenario.scenario import Scenario
from ringlet.scenario.values.units import MAX_CYCLES, magnitude
from ringlet.theory.resources import shared
from ringlet.theory.response_flows import (
    Assumed,
    BoolArray,
    FloatArray,
    Flows,
    RingLegs,
    analysed,
    background_count,
    background_release,
    flows_of,
    legs_of,
    switch_times,
)
from ringlet.theory.response_limits import LimitsReachedError, check_limits, served

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

PARTS = ("own_queue", "blocking", "access", "inversion", "interference", "transit", "switches", "service")
"""Names of the parts of a bound, in the order of a message's way."""

MAX_LOSSES = 255
"""Most losses that are assumed: the most time-outs of a packet."""

OF_FAILING = "it is from or to the station that fails"

NOT_SETTLED = "the analysis finds no end of the wait at this load"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The bound of one message; times in cycles."""

    name: str
    deadline_cycles: int | None
    """Deadline, in cycles; None: it has none."""
    bound_cycles: float | None
    """Cycles from the due release to the end of the service of the last packet, or response; None: there is none."""
    parts_cycles: dict[str, float]
    """Parts of the bound by the names `PARTS`, in cycles; empty without a bound."""
    why: str | None
    """Why there is no bound."""
    needed: Mapping[str, int] = field(default_factory=dict)
    """Sizes of queues with which no limit is reached, by keys of the scenario, where that is why."""

    @property
    def holds(self) -> bool:
        """True if every release is complete by its deadline, or without one at all."""
        if self.bound_cycles is None:
            return False
        return self.deadline_cycles is None or self.bound_cycles <= self.deadline_cycles


def guarantees(scenario: Scenario, assumed: Assumed | None = None) -> list[Guarantee]:
    """Returns the bound of each message, and then of each flow and loop, in the order of their tables.

    Raises:
        RingletError: a scenario that the analysis does not cover, needs more than there is, or of which something has
            to be assumed.
    """
    assumed = assumed or Assumed()
    _check(scenario, assumed)
    resolved = scenario.resolved
    rows = _rows(resolved)
    try:
        parts, unbounded = _parts(resolved, assumed)
    except NoBoundError as error:
        needed = error.needed if isinstance(error, LimitsReachedError) else {}
        return [Guarantee(one.name, one.deadline_cycles, None, {}, str(error), needed) for one in rows]
    found = []
    for one in rows:
        of_row = {part: float(value[one.flows].sum()) for part, value in parts.items()}
        of_row["service"] += one.work_cycles
        total = float(np.ceil(sum(of_row.values())))
        if np.isfinite(total):
            found.append(Guarantee(one.name, one.deadline_cycles, total, of_row, None))
            continue
        why = next((unbounded[flow] for flow in one.flows if flow in unbounded), NOT_SETTLED)
        found.append(Guarantee(one.name, one.deadline_cycles, None, {}, why))
    return found


@dataclass(slots=True)
class _Row:
    """A response to bound: of a message, a flow, or a loop with all of its flows, one after the other."""

    name: str
    deadline_cycles: int | None
    flows: list[int]
    work_cycles: int


def _rows(resolved: Resolved) -> list[_Row]:
    """Returns the responses to bound: of each message, and then of each plan."""
    of = analysed(resolved).tolist()
    first = len(of) - len(resolved.messages)
    rows = [_Row(one.name, one.deadline_cycles, [of[first + i]], 0) for i, one in enumerate(resolved.messages)]
    planned = [one for plan in resolved.plans for one in plan.bounds()]
    for flow, part in zip(of[background_count(resolved) : first], planned, strict=True):
        if part.follows:
            rows[-1].flows.append(flow)
            rows[-1].work_cycles += part.work_cycles
        else:
            rows.append(_Row(part.name, part.deadline_cycles, [flow], part.work_cycles))
    return rows


def _check(scenario: Scenario, assumed: Assumed) -> None:
    if not scenario.resolved.messages and not scenario.resolved.plans:
        raise RingletError("messages: missing; a guarantee needs messages or flows, or a file of them, or loops")
    check_no_crossing(scenario.resolved, "a guarantee")
    if assumed.failure and not scenario.resolved.routed_network[0].sends_copies:
        allowed = "a dual-attached ring with network.ways = 'both', whose packets are copied"
        raise RingletError.not_allowed("--any-failure", "<a failure>", allowed)
    if scenario.errors.fail and not (assumed.failure and fails_at_one_place(scenario.resolved)):
        allowed = "nothing that fails, for a guarantee"
        if scenario.resolved.routed_network[0].sends_copies:
            allowed += ", or with --any-failure a link, the links between two stations, or a station"
        raise RingletError.not_allowed("errors", "<[errors]>", allowed)
    loses = scenario.errors.spoil if assumed.failure else scenario.errors.lose
    if loses and not assumed.losses:
        allowed = "links that lose nothing, or say how many packets are lost at most (ringlet guarantee --losses)"
        raise RingletError.not_allowed("errors", "<[errors]>", allowed)
    for plan in scenario.resolved.plans:
        if (one := plan.unbounded) is not None:
            raise RingletError.not_allowed(one.path, one.value, f"{one.allowed}, for a guarantee")
    if scenario.resolved.has_copies and scenario.resolved.stripped_by == "source":
        allowed = (
            "'last-receiver', without echoes, for a guarantee: none is proven of packets that go all the way round"
        )
        raise RingletError.not_allowed("network.stripped_by", "source", allowed)
    if scenario.traffic.replayed is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", "no trace, for a guarantee")
    if scenario.traffic.arrival_process.generates and (assumed.rate is None or assumed.burst is None):
        allowed = (
            "'none', or say the rate and the burst that each node's traffic keeps to: ringlet guarantee and ringlet "
            "verify take --rate and --burst"
        )
        raise RingletError.not_allowed("traffic.arrivals", scenario.traffic.arrivals, allowed)
    needed, place = _most_used(scenario.resolved, assumed)
    if needed > 1:
        raise RingletError.not_allowed(
            "messages", f"<utilisation {needed:.3g} of {place}>", "at most 1, for a guarantee"
        )


def _most_used(resolved: Resolved, assumed: Assumed) -> tuple[float, str]:
    """Returns how much of a link, a server or a B-Link messages and background need at most, and which it is."""
    count = background_count(resolved)
    rate = 1 / background_release(resolved, assumed)[0] if count else 0.0
    background = (replace(flow, rate=rate) for flow in resolved.flows[:count])
    # At most as often as at the least distance, which is the period of what is sporadic.
    rates = [one.packets / one.period_cycles for plan in resolved.plans for one in plan.bounds()]
    rates += [one.packets / one.period_cycles for one in resolved.messages]
    sent = zip(resolved.flows[count:], rates, strict=True)
    messages = (replace(flow, rate=0.0 if flow.counts_copies else each) for flow, each in sent)
    found = shared(resolved, [*background, *messages])
    if found is None:
        return 0.0, ""
    load = found.load()
    worst = int(load.argmax())
    return float(load[worst]), found.places.name(worst)


def _parts(resolved: Resolved, assumed: Assumed) -> tuple[dict[str, FloatArray], dict[int, str]]:
    """Returns the parts of the bounds of all flows, in cycles; infinite where there is no bound. Shape (flows,) each.
    The second result is why there is none, of flows that have none at any load.

    Raises:
        NoBoundError: there is none.
    """
    queues = resolved.file.queues
    if queues.loses:
        raise NoBoundError("a full transmit queue loses messages; there is a bound with queues.transmit = 'unlimited'")
    protocol = resolved.file.flow_control
    if not resolved.echoes and not protocol.bounded_without_echoes:
        raise NoBoundError(
            f"bounds of {protocol.protocol!r} are proven of rings with echoes; there is one with network.echoes = true"
        )
    if resolved.slow_links:
        raise NoBoundError("bounds are proven of rings whose links have one rate; there is one with one link_rate")
    if resolved.file.network.bypass == "store-and-forward":
        raise NoBoundError("bounds are proven of a bypass that is cut through; there is one without network.bypass")
    if resolved.file.retry.by == "responder":
        raise NoBoundError("a receiver that holds back echoes has no bound that is proven; retry.by = 'requester' has")
    if queues.response_timeout is not None:
        raise NoBoundError("what is sent again after a time-out has no bound; there is one without response_timeout")
    if resolved.has_copies and resolved.routed_network[0].second_interface is not None:
        raise NoBoundError("bounds of packets with several receivers are proven of one ring")
    flows = flows_of(resolved, assumed)
    made = legs_of(resolved, flows)
    analyses = [_analysis_of(resolved, number) for number in made.numbers]
    of_rings = [analysis(ring) for analysis, ring in zip(analyses, made.rings, strict=True)]
    if assumed.losses:
        _check_losses(resolved, flows, of_rings, assumed.losses)
    times = _switch_times(resolved, made, of_rings) if resolved.switched else None
    cycles = int(resolved.service_cycles.max())
    port_name = resolved.routed_network[0].port_name
    symbol = resolved.symbol_cycles[resolved.routed_network[0].node_ring]
    stored = resolved.of_host_delays(lambda delays: delays.store_delay.exact_cycles)
    longest = float((np.ceil(stored / symbol) * symbol).max())
    soonest = float(resolved.service_cycles.min()) + float(np.min(stored))
    found = chain_bounds(
        made.legs,
        made.rings,
        analyses,
        lambda arrived: served(made, arrived, cycles)[0],
        times,
        port_name,
        (soonest, longest),
    )
    if assumed.offsets:
        found = _for_offsets(resolved, flows, made, found, cycles, (soonest, longest))
    arrived = found.of_legs(made.legs, "arrived")
    time, places = served(made, arrived, cycles)
    complete = np.where(np.isfinite(arrived), arrived + time, np.inf)
    later = _later(resolved, made, found, assumed.losses) if assumed.losses else np.zeros(len(arrived))
    complete = complete + later
    if resolved.routed_network[0].sends_copies:
        chosen = _of_copies(resolved, made, of_rings, complete, assumed)
        parts = _summed(made, found, np.where(np.isfinite(arrived), time, np.inf), len(flows.source), chosen)
    else:
        parts = _summed(made, found, np.where(np.isfinite(arrived), time, np.inf), len(flows.source))
    np.add.at(parts["access"], made.flow, later)
    # A response is created at the end of a service; only the last delivery counts, and that to a node which works.
    parts["service"] = parts["service"] + longest
    unbounded: dict[int, str] = {}
    if failing := [one.node for one in resolved.file.errors.nodes]:
        # Nothing else of the bounds rests on those of messages that a station takes down with it.
        with_it = np.flatnonzero(np.isin(flows.source, failing) | flows.targets[:, failing].any(axis=1)).tolist()
        unbounded |= dict.fromkeys(with_it, OF_FAILING)
        parts["transit"][with_it] = np.inf
    for those, analysis in zip(made.legs.rings, of_rings, strict=True):
        for flow, why, awaited in zip(made.flow[those].tolist(), analysis.unbounded(), analysis.awaited(), strict=True):
            if why is not None:
                unbounded[flow] = why
            elif awaited is not None:
                unbounded.setdefault(flow, f"{awaited}: {NOT_SETTLED}")
    try:
        check_limits(resolved, made, found, complete, places, of_rings)
    except LimitsReachedError:
        raise
    except NoBoundError as error:
        # Flows that have no bound by themselves keep their own reason.
        known = np.flatnonzero(np.isfinite(sum(parts.values())))
        unbounded |= dict.fromkeys(known.tolist(), str(error))
        parts = {part: np.full(len(value), np.inf) for part, value in parts.items()}
    return parts, unbounded


def _check_losses(resolved: Resolved, flows: Flows, of_rings: Sequence[Analysis], losses: int) -> None:
    """Raises NoBoundError where no bound is proven with packets that are lost."""
    protocol = resolved.file.flow_control
    if not protocol.survives_losses or not all(analysis.survives for analysis in of_rings):
        raise NoBoundError(
            f"no bound with losses is proven for protocol {protocol.protocol!r}; 'none' and 'sci' have one"
        )
    if not resolved.echoes:
        raise NoBoundError(
            "without echoes nothing that is lost is sent again; there is a bound with network.echoes = true"
        )
    if flows.follows.any() or flows.answer_symbols.any():
        raise NoBoundError("bounds with losses are proven without responses and loops")
    most = resolved.file.errors.max_timeouts
    if losses > most:
        raise NoBoundError(f"errors.max_timeouts, {most}, may give a packet up; {losses} do not")


def _for_offsets(
    resolved: Resolved,
    flows: Flows,
    made: RingLegs,
    found: ChainBounds,
    cycles: int,
    delivery: tuple[float, float],
) -> ChainBounds:
    """Returns the bounds of a ring whose messages and loops are released at their offsets.

    Args:
        resolved: the scenario.
        flows: its flows.
        made: their legs.
        found: the bounds for all phases.
        cycles: of a service.
        delivery: the least time from the arrival of a packet until it is delivered, and the longest one from the end of
            its service on.

    Raises:
        NoBoundError: none are proven for offsets, or there are too many releases.
    """
    messages, planned = resolved.messages, [one for plan in resolved.plans for one in plan.bounds()]
    first = [one.offset_cycles for one in planned]
    alone = len(messages) + len(planned) == len(resolved.flows) and None not in first
    if resolved.switched or not alone or flows.answer_symbols.any() or flows.lost:
        raise NoBoundError(
            "bounds for given offsets are proven of messages and loops alone on one ring, without responses"
        )
    if any(one.copies is not None for one in messages):
        raise NoBoundError("bounds for given offsets are proven of packets with one receiver")
    if any(one.extra_cycles or one.drift_ppm for one in messages) or any(plan.drifts for plan in resolved.plans):
        raise NoBoundError("a message whose distances are drawn or drift has no offset that stays")
    offset = np.array([*(one for one in first if one is not None), *(one.offset_cycles for one in messages)])
    if any(time != int(time) for time in (*offset.tolist(), *flows.period.tolist())):
        raise NoBoundError("bounds for given offsets are proven of offsets and periods of whole cycles")
    (ring,), (soonest, longest), before = made.rings, delivery, flows.before
    least = np.floor(ring.transit(np.zeros(ring.nodes)) + soonest)
    for flow in np.flatnonzero(flows.follows).tolist():
        offset[flow] += offset[before[flow]] + least[before[flow]]

    def crossing(arrived: FloatArray) -> FloatArray:
        return np.where(flows.follows, served(made, arrived, cycles)[0][before] + longest, 0.0)

    def behind(arrived: FloatArray) -> FloatArray:
        return np.where(flows.follows, crossing(arrived) - least[before], flows.jitter)

    analysis = _analysis_of(resolved, made.numbers[0])(replace(ring, jitter=found.jitter))
    known = analysis.at_offsets(Schedule(offset.astype(np.int64), before, behind))
    if known is None:
        raise NoBoundError(
            "bounds for given offsets are proven of protocols none, sci, token-ring and metaring, and of dfc with "
            "stop_thru = false and a bypass FIFO for one packet"
        )
    if not known.few:
        raise NoBoundError(
            f"the messages have more than {MOST_RELEASES} releases in a hyperperiod, too many to look at"
        )
    bounds = known.bounds(found.rings[0])
    late = np.where(flows.follows, bounds.arrived[before] + behind(bounds.arrived), found.jitter)
    return replace(found, rings=[bounds], jitter=late, crossing=crossing(bounds.arrived))


def _later(resolved: Resolved, made: RingLegs, found: ChainBounds, losses: int) -> FloatArray:
    """Returns how much later than without losses of its own packets a message is at the end of its last leg, at the leg
    that is its last one, else 0; shape (legs,).

    A packet that is lost is sent again a time-out after it was under way, within a window of its node. On the rings
    behind it is one of the packets that are more there: each takes it a window, its way and a switch.
    """
    legs = made.legs
    on_ring = found.of_legs(legs, "window") + found.of_legs(legs, "transit")
    again = on_ring + resolved.loss_timeout_cycles + np.where(legs.symbol > 1, legs.symbol, 0)
    arrived = found.of_legs(legs, "arrived")
    is_last = np.ones(len(arrived), dtype=bool)
    is_last[legs.before[legs.before >= 0]] = False
    later = np.zeros(len(arrived))
    for last in np.flatnonzero(is_last).tolist():
        leg, behind, late, longest = last, 0.0, 0.0, again[last]
        while (before := int(legs.before[leg])) >= 0:
            behind += found.crossing[leg] + on_ring[leg]
            leg = before
            late, longest = max(late, arrived[leg] + behind), max(longest, again[leg])
        later[last] = max(late - arrived[last], 0.0) + losses * longest if np.isfinite(arrived[last]) else np.inf
    return later


def _analysis_of(resolved: Resolved, ring: int) -> Callable[[RingFlows], Analysis]:
    """Returns the analysis of the protocol of a ring, with the options that it has there."""
    protocol = resolved.ring_protocols.by_ring(resolved.routed_network[0].rings)[ring]
    options = protocol.resolved(resolved.own_rings.get(ring, resolved.ring))
    return lambda flows: protocol.response_analysis(flows, options)


def _switch_times(resolved: Resolved, made: RingLegs, of_rings: Sequence[Analysis]) -> SwitchTimes:
    switch = resolved.file.switch
    given = [analysis.places(switch.receive * (2 if switch.pooled else 1)) for analysis in of_rings]
    if 0 in given:
        protocols = resolved.ring_protocols.by_ring(resolved.routed_network[0].rings)
        protocol = protocols[made.numbers[given.index(0)]].protocol
        raise NoBoundError(
            f"protocol {protocol!r} may delete the ticket of a packet for which a port has no place, and nothing "
            "bounds how often; there is a bound on one ring"
        )
    places = np.array([np.inf if few is None else few for few in given], dtype=np.float64)
    return switch_times(resolved, made, places, np.array([analysis.offers for analysis in of_rings]))


def _of_copies(
    resolved: Resolved, made: RingLegs, of_rings: Sequence[Analysis], complete: FloatArray, assumed: Assumed
) -> BoolArray:
    """Returns which leg bounds each flow, whose packets have a copy on each ring: the one that is complete first, or
    last where a failure may stop the other; shape (legs,).

    Raises:
        NoBoundError: a failure, and a protocol of which something goes round, or echoes.
    """
    if assumed.failure and any(analysis.circles for analysis in of_rings):
        raise NoBoundError("a bound with a failure is proven of copies under protocol 'none', where nothing goes round")
    if assumed.failure and resolved.echoes:
        raise NoBoundError(
            "with echoes a copy that a failure takes is sent again and again; there is a bound with network.echoes = "
            "false"
        )
    order = np.lexsort((complete, made.flow))
    first = np.searchsorted(made.flow[order], np.arange(int(made.flow.max()) + 1), side="left")
    behind = np.searchsorted(made.flow[order], np.arange(int(made.flow.max()) + 1), side="right")
    chosen = np.zeros(len(complete), dtype=bool)
    chosen[order[behind - 1 if assumed.failure else first]] = True
    return chosen


def _summed(
    made: RingLegs, found: ChainBounds, time: FloatArray, count: int, chosen: BoolArray | None = None
) -> dict[str, FloatArray]:
    """Returns the sum of each part over the legs of each flow; shape (flows,).

    Args:
        made: the legs.
        found: their bounds.
        time: longest service at the end of each leg; shape (legs,).
        count: of flows.
        chosen: legs that count; None: all.
    """
    legs = made.legs
    these = np.ones(len(legs.before), dtype=bool) if chosen is None else chosen
    parts = {part: np.zeros(count) for part in PARTS}
    # What is behind a switch or a server is not due later for that: its jitter has been counted on the legs before.
    before = np.where(legs.before < 0, 0.0, found.jitter)
    with np.errstate(invalid="ignore"):
        for part in PARTS[: PARTS.index("switches")]:
            value = found.of_legs(legs, part) - (before if part == "own_queue" else 0.0)
            np.add.at(parts[part], made.flow[these], value[these])
        np.add.at(parts["switches"], made.flow[these], np.where(legs.switch >= 0, found.crossing, 0.0)[these])
        np.add.at(parts["service"], made.flow[these], time[these])
        # Work ends in any cycle, and what follows begins with the next symbol.
        np.add.at(parts["service"], made.flow[these], np.where(legs.continues, legs.symbol - 1.0, 0.0)[these])
        # The last message of a window may have been released when much of the window was over.
        for part, other in pairwise(("own_queue", "interference", "inversion", "access")):
            parts[other] = parts[other] + np.minimum(parts[part], 0)
            parts[part] = np.maximum(parts[part], 0)
    return parts


def guarantee_records(scenario: Scenario, assumed: Assumed | None = None) -> dict[str, Any]:
    """Returns what `ringlet guarantee` prints as JSON: None for what there is not."""
    us = scenario.symbol_time_ns / 1e3
    messages = []
    for one in guarantees(scenario, assumed):
        bound = None if one.bound_cycles is None else one.bound_cycles * us
        deadline = None if one.deadline_cycles is None else one.deadline_cycles * us
        messages.append(
            {
                "name": one.name,
                "bound_us": bound,
                "deadline_us": deadline,
                "margin_us": None if bound is None or deadline is None else deadline - bound,
                "guaranteed": None if deadline is None else one.holds,
                "why": one.why,
                "parts_us": {part: value * us for part, value in one.parts_cycles.items()} or None,
            }
        )
    offsets = assumed is not None and assumed.offsets
    return {"schema": 1, "protocol": scenario.flow_control.protocol, "offsets": offsets, "messages": messages}


def guarantee(
    scenario: Scenario | Mapping[str, Any] | str | Path,
    *,
    rate: str | None = None,
    burst: str | None = None,
    jitter: float | str = 0,
    losses: int = 0,
    offsets: bool = False,
    any_failure: bool = False,
) -> "pd.DataFrame":
    """Returns a proven upper bound of each message's response time: what `ringlet guarantee` prints.

    A row per message, and then per flow and per control loop, by its name. Flows have a period; those without a
    deadline have NaN there, and None as `guaranteed`. Columns: `bound_us`, from the due release to the end of the
    service of the last packet, or of the last response, NaN without a bound; `deadline_us`; `margin_us`; `guaranteed`,
    whether the bound is within the deadline; `why` there is no bound, else None; and what the bound is made of, in us:
    `own_queue`, `blocking`, `access`, `inversion`, `interference`, `transit`, `switches`, `service`. Offsets do not
    count unless they are asked for, so the bounds are also those of sporadic messages; each message's `jitter` and
    `drift` do. docs/explanation/guarantees.md has the conditions and the proofs.

    >>> import ringlet as rl
    >>> messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    >>> ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": messages}
    >>> rl.guarantee(ring)["guaranteed"].tolist()
    [True]

    Args:
        scenario: or the path of its file, or what the file holds; with messages, flows or loops.
        rate: of each node's background traffic, such as `20 MB/s`; needed where there is some.
        burst: which it may send at once beyond its rate, such as `1 KiB`.
        jitter: most time by which a message is released after it is due, in cycles or a quantity such as `1 us`; of a
            message with a larger `jitter` of its own, that.
        losses: packets and echoes that are lost at most, at whatever places, from the start on.
        offsets: whether bounds are those for the offsets of the messages, which all clocks keep to the cycle.
        any_failure: whether bounds hold with any one failure of a cable or station of a dual-attached ring with copies.

    Raises:
        RingletError: a bad scenario, or one of which something has to be assumed.
    """
    found = guarantee_records(
        Scenario.of(scenario), checked(rate, burst, jitter, losses, offsets=offsets, failure=any_failure)
    )["messages"]
    rows = [{**one, **(one["parts_us"] or dict.fromkeys(PARTS))} for one in found]
    columns: Sequence[str] = ("bound_us", "deadline_us", "margin_us", "guaranteed", "why", *PARTS)
    table = pd.DataFrame(rows).set_index("name")[list(columns)]
    return table.astype({"bound_us": float, "deadline_us": float, "margin_us": float, **dict.fromkeys(PARTS, float)})


def checked(
    rate: str | None,
    burst: str | None,
    jitter: float | str,
    losses: int = 0,
    *,
    offsets: bool = False,
    failure: bool = False,
) -> Assumed:
    """Returns what is assumed.

    Raises:
        RingletError: no rate, size or time, or one that is not above 0 (a jitter: not below), or no number of losses.
    """
    for name, text, unit, example in (("rate", rate, "byte/ns", "20 MB/s"), ("burst", burst, "byte", "1 KiB")):
        if text is not None and not _quantity(text, unit) > 0:
            raise RingletError.not_allowed(f"--{name}", text, f"a quantity above 0 such as '{example}'")
    try:
        jitter = float(jitter)
    except ValueError:
        late = _quantity(str(jitter), "ns")
    else:
        late = jitter
    if not 0 <= late <= MAX_CYCLES:
        raise RingletError.not_allowed("--jitter", jitter, "cycles, or a quantity of at least 0 such as '1 us'")
    if losses not in range(MAX_LOSSES + 1):
        raise RingletError.not_allowed("--losses", losses, f"a whole number of 0 to {MAX_LOSSES}")
    return Assumed(rate, burst, jitter, losses, failure, offsets)


def _quantity(text: str, unit: str) -> float:
    """Returns what a text says in a unit; -1 where it says nothing."""
    try:
        return magnitude(text, unit)
    except ValueError:
        return -1.0
