"""Figures of a collective operation."""

from collections.abc import Callable
from typing import Any

from ringlet.figures.figure import Figure, OverSeeds, Values
from ringlet.figures.measurements import CollectiveFound, Found


def _of(value: Callable[[CollectiveFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the record of the operation takes a figure, of cycles if `ns`."""

    def values(found: Found) -> list[Any]:
        assert found.collective is not None, "the part is there only with a collective operation"
        one = [value(found.collective)]
        return found.ns(one) if ns else one

    return {"collective": values}


def _rate_MBps(found: Found) -> list[float | None]:  # noqa: N802 - the unit
    one = found.collective
    assert one is not None, "the part is there only with a collective operation"
    return [one.data_bytes / (one.taken * found.symbol_time_ns) * 1e3 if one.taken else None]


COLLECTIVE = (
    Figure(
        "collective_packets",
        "packets of the operation",
        "Packets of all steps of the operation.",
        values=_of(lambda one: one.packets),
        kind="integer",
        unit="packets",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "collective_delivered_packets",
        "packets delivered of the operation",
        "Those of them that were delivered by the end of the run.",
        values=_of(lambda one: one.delivered),
        kind="integer",
        unit="packets",
    ),
    Figure(
        "completion_time_ns",
        "completion time",
        "Time from the start of the operation to its last delivery; missing where packets were still to come.",
        unit="ns",
        values=_of(lambda one: one.taken, ns=True),
        may_lack=True,
        log=True,
    ),
    Figure(
        "bandwidth_bound_ns",
        "bandwidth bound",
        "Time for which the busiest link, B-Link or receive queue is in use by the packets of the operation, without "
        "echoes: no completion time is shorter.",
        unit="ns",
        values=_of(lambda one: one.bound, ns=True),
        over_seeds=OverSeeds.GIVEN,
        log=True,
    ),
    Figure(
        "bandwidth_bound_ratio",
        "bandwidth bound as a share of the completion time",
        "Bandwidth bound as a share of the completion time; missing without one.",
        values=_of(lambda one: one.bound / one.taken if one.taken else None),
        may_lack=True,
    ),
    Figure(
        "collective_rate_MBps",
        "data over completion time",
        "Data of the operation (`collective.size`) over its completion time; missing without one.",
        unit="MB/s",
        values={"collective": _rate_MBps},
        may_lack=True,
    ),
)
