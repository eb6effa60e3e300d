"""Limits of physics, which no network changes: what links of senders and receivers carry at most, and the least time
that an event, a message or a run takes."""

import math
from collections.abc import Iterator

import numpy as np

from ringlet.advice.flow_table import DEFAULT_TRANSACTION
from ringlet.advice.requirements import Requirements
from ringlet.errors import Problems, RingletError
from ringlet.scenario.values.transactions import TRANSACTIONS, Transaction
from ringlet.scenario.values.units import magnitude, size_bytes

FLUCTUATION = 0.02
"""Share of the offered data that may be missing without being lost: what waits at the end of a run and did not at its
beginning."""

LEAST_TIMEOUT_NS = 100e3

TIMEOUT_FACTOR = 10
"""Times that its fragments need on the link of its receiver, after which an event is given up."""

LEAST_RUN_NS = 200e3

SEEN = 50
"""Triggers, and messages of each kind, that a run sees unless they are too many packets."""

WORD_BYTES = 2
"""Bytes that a link carries at once, of switches and nodes alike."""

EVENTS = 10
"""Times that an event needs in which a run is measured at least: so little of it is under way at both ends."""

MOST_PACKETS = 50_000
"""Packets of a run up to which it is made longer."""

LOOK_PACKETS = 5_000
"""Packets of a first look at a network whose runs have many more."""

LOOK_SHARE = 0.5
"""Share of the length of a run up to which a first look is worth its time."""

SHORTER = 10
"""Factor by which a run above the required rate is shorter: of it only the throughput counts, and its packets are
many."""


def check_physics(wanted: Requirements) -> None:
    """Raises RingletError for requirements that no network can meet, with the limit that decides."""
    problems = Problems()
    for each in (_rates, _events, _message, _deadlines):
        for problem in each(wanted):
            problems.messages += problem.args
    problems.check()


def event_ns(wanted: Requirements) -> float:
    """Returns the least time from a trigger to the built event: all fragments come over the link of their receiver."""
    events = wanted.event_building
    assert events is not None
    return wanted.final_senders * _link_ns(wanted, events.fragment) + _ns(events.build_time, wanted)


def timeout_ns(wanted: Requirements) -> float:
    """Returns the time after which an event is given up."""
    assert wanted.event_building is not None
    given = wanted.event_building.timeout
    if given is not None:
        return _ns(given, wanted)
    return max(LEAST_TIMEOUT_NS, TIMEOUT_FACTOR * event_ns(wanted), 2 * (wanted.latency_ns or 0.0))


def run_ns(wanted: Requirements) -> float:
    """Returns how long a run is measured."""
    if wanted.duration is not None:
        return magnitude(wanted.duration, "ns")
    intervals = [1e3 * _payload(wanted) / magnitude(wanted.rate, "MB/s")]
    if wanted.event_building is not None:
        intervals = [1e9 / magnitude(wanted.event_rate(wanted.rate), "Hz")]
    if wanted.message is not None:
        intervals.append(_ns(wanted.message.period, wanted))
    table = wanted.table_of_flows
    if table is not None:
        intervals = [1e3 * mean / rate for mean, rate in zip(table.mean_bytes, table.rates, strict=True)]
    most = MOST_PACKETS * 1e3 * _payload(wanted) / _data_MBps(wanted)
    return max(_least_ns(wanted), min(SEEN * max(intervals), most))


def look_ns(wanted: Requirements) -> float | None:
    """Returns how long a first look at a network is measured; None where runs are so short that there is none."""
    if wanted.duration is not None:
        return None
    whole = run_ns(wanted)
    look = max(_least_ns(wanted), LOOK_PACKETS * 1e3 * _payload(wanted) / _data_MBps(wanted))
    return look if look <= LOOK_SHARE * whole else None


def beyond_ns(wanted: Requirements) -> float:
    """Returns how long a run above the required rate is measured."""
    if wanted.duration is not None:
        return magnitude(wanted.duration, "ns")
    return max(_least_ns(wanted), (look_ns(wanted) or run_ns(wanted)) / SHORTER)


def _data_MBps(wanted: Requirements) -> float:  # noqa: N802 - the unit
    """Returns the data of all senders."""
    table = wanted.table_of_flows
    if table is not None:
        return float(table.demands.sum())
    return wanted.final_senders * magnitude(wanted.rate, "MB/s")


def _least_ns(wanted: Requirements) -> float:
    """Returns the least time that a run is measured where no duration is given."""
    return LEAST_RUN_NS if wanted.event_building is None else max(LEAST_RUN_NS, EVENTS * event_ns(wanted))


def _rates(wanted: Requirements) -> Iterator[RingletError]:
    """Yields links of senders and receivers that would have to carry more than they can, with headers of packets."""
    transaction = _moved_by(wanted)
    link = magnitude(wanted.links, "MB/s")
    most = link * transaction.payload_bytes / transaction.carrier_bytes
    carries = f"a link of {wanted.links} carries at most {most:.4g} MB/s of data beside headers"
    needed = 1 - wanted.loss - FLUCTUATION
    table = wanted.table_of_flows
    if table is None:
        rate = magnitude(wanted.rate, "MB/s")
        if rate * needed > most:
            yield RingletError.not_allowed("rate", wanted.rate, f"at most {most / needed:.4g} MB/s: {carries}")
        total, receivers = wanted.final_senders * rate, wanted.final_receivers
        if total * needed > receivers * most:
            all_data = f"{wanted.final_senders} senders have {total:.4g} MB/s"
            least = math.ceil(total * needed / most)
            yield RingletError.not_allowed("receivers", receivers, f"at least {least}: {all_data}, and {carries}")
        return
    for axis, names, what in ((1, table.senders, "sends"), (0, table.receivers, "receives")):
        data = table.demands.sum(axis=axis)
        for place in np.flatnonzero(data * needed > most).tolist():
            allowed = f"at most {most / needed:.4g} MB/s: {carries}"
            shown = f"<{names[place]} {what} {data[place]:.4g} MB/s>"
            yield RingletError.not_allowed("flows", shown, allowed)


def _events(wanted: Requirements) -> Iterator[RingletError]:
    """Yields times that are shorter than what an event needs, and a build time that no number of triggers leaves."""
    events = wanted.event_building
    if events is None:
        return
    least = event_ns(wanted)
    building = "" if not _ns(events.build_time, wanted) else f", and {events.build_time} to build it"
    needs = f"an event needs {us(wanted.final_senders * _link_ns(wanted, events.fragment))} for its "
    needs += f"{wanted.final_senders} fragments on the link of its receiver, {wanted.links}{building}"
    if wanted.latency_ns is not None and wanted.latency_ns < least:
        yield RingletError.not_allowed("latency", wanted.latency, f"at least {us(least)}: {needs}")
    if events.timeout is not None and timeout_ns(wanted) < least:
        yield RingletError.not_allowed("event_building.timeout", events.timeout, f"at least {us(least)}: {needs}")
    if run_ns(wanted) < least:
        yield RingletError.not_allowed("duration", wanted.duration, f"at least {us(least)}: {needs}")
    rate = magnitude(wanted.event_rate(wanted.rate), "Hz")
    busy = 1e-9 * _ns(events.build_time, wanted) * rate * (1 - wanted.loss - FLUCTUATION)
    if busy > wanted.final_receivers:
        longest = us(1e9 * wanted.final_receivers / rate / (1 - wanted.loss - FLUCTUATION))
        allowed = f"at most {longest}: {wanted.final_receivers} receivers build events at {rate:.4g} Hz"
        yield RingletError.not_allowed("event_building.build_time", events.build_time, allowed)


def _message(wanted: Requirements) -> Iterator[RingletError]:
    message = wanted.message
    if message is None:
        return
    least = _link_ns(wanted, message.size)
    key = "period" if message.deadline is None else "deadline"
    if _ns(getattr(message, key), wanted) < least:
        allowed = f"at least {us(least)}, which a link of {wanted.links} takes for {size_bytes(message.size):g} bytes"
        yield RingletError.not_allowed(f"message.{key}", getattr(message, key), allowed)


def _deadlines(wanted: Requirements) -> Iterator[RingletError]:
    """Yields flows whose messages cannot be on a link within their deadlines."""
    table = wanted.table_of_flows
    for flow, largest in () if table is None else zip(table.flows, table.most_bytes, strict=True):
        if flow.deadline is not None and _ns(flow.deadline, wanted) < (least := _link_ns(wanted, largest)):
            allowed = f"at least {us(least)}, which a link of {wanted.links} takes for {largest} bytes"
            yield RingletError.not_allowed(f"flows: {flow.name}: deadline", flow.deadline, allowed)


def us(ns: float) -> str:
    """Returns a time in words."""
    return f"{ns / 1e3:.4g} us" if ns < 1e7 else f"{ns / 1e3:z.0f} us"


def _moved_by(wanted: Requirements) -> Transaction:
    """Returns how data are moved; the default where the transaction is refused later."""
    return TRANSACTIONS.get(wanted.transaction) or TRANSACTIONS[DEFAULT_TRANSACTION]


def _payload(wanted: Requirements) -> float:
    return _moved_by(wanted).payload_bytes


def _link_ns(wanted: Requirements, size: float | str) -> float:
    """Returns the least time that a link takes for an amount of data: its packets one behind the other."""
    packets = math.ceil(size_bytes(size) / _payload(wanted))
    return 1e3 * packets * _moved_by(wanted).carrier_bytes / magnitude(wanted.links, "MB/s")


def _ns(time: float | str, wanted: Requirements) -> float:
    """Returns a time in ns; a plain number is one of cycles, in which a link carries a word."""
    if isinstance(time, str):
        return magnitude(time, "ns")
    return 1e3 * time * WORD_BYTES / magnitude(wanted.links, "MB/s")
