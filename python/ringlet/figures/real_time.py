"""Missed deadlines and priority inversions."""

from collections.abc import Iterator, Sequence
from typing import Any

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.figures.by_part import by_priority, by_series, in_total
from ringlet.figures.measurements import Found

PARTS: tuple[Part, ...] = ("priorities", "total")


def _packets(kind: str) -> Values:
    def values(found: Found) -> Sequence[int]:
        packets: Sequence[int] = _of(found, kind)["packets"]
        return packets

    return values


def _judged(found: Found) -> Iterator[tuple[int, int]]:
    """Yields the priority and the missed deadlines of each message, and of each flow that has a deadline."""
    yield from ((one.message.priority, one.missed) for one in found.activity("messages"))
    flows = found.activity("flows")
    yield from ((one.flow.priority, one.missed) for one in (flows.flows if flows else ()) if one.missed is not None)


def _missed(found: Found) -> Sequence[int]:
    by_priority = dict.fromkeys(found.measured["priorities"], 0)
    for priority, missed in _judged(found):
        if priority in by_priority:
            by_priority[priority] += missed
    return list(by_priority.values())


def _share(kind: str) -> Values:
    def values(found: Found) -> Sequence[float | None]:
        pairs = zip(_of(found, kind)["packets"], found.series("sent_packets"), strict=True)
        return [packets / sent if sent else None for packets, sent in pairs]

    return values


def _mean_ns(kind: str) -> Values:
    def values(found: Found) -> Sequence[float | None]:
        pairs = zip(_of(found, kind)["cycles"], _of(found, kind)["packets"], strict=True)
        return [cycles / packets * found.symbol_time_ns if packets else None for cycles, packets in pairs]

    return values


def _max_ns(kind: str) -> Values:
    def values(found: Found) -> Sequence[float | None]:
        pairs = zip(_of(found, kind)["max_cycles"], _of(found, kind)["packets"], strict=True)
        return [cycles * found.symbol_time_ns if packets else None for cycles, packets in pairs]

    return values


def _of(found: Found, kind: str) -> Any:  # noqa: ANN401 - the engine's table of inversions
    return found.measured["series"][kind]  # type: ignore[literal-required]


def _inversions(side: str, where: str) -> Iterator[Figure]:
    kind, name = f"{side}_inversions", f"{side}_inversion"
    yield Figure(
        f"{name}_packets",
        f"{side} inversions",
        f"Packets that waited for packets of lower priority {where} (todd2001, Section 2.1).",
        unit="packets",
        values=by_series(_packets(kind), parts=PARTS),
        at=(kind, "packets"),
        kind="integer",
    )
    yield Figure(
        f"{name}_share",
        f"{side} inversions, share of packets",
        f"Share of the packets sent that waited for packets of lower priority {where} (todd2001, Section 2.1).",
        values=by_series(_share(kind), parts=PARTS),
        at=(kind, "share"),
        may_lack=True,
        heading=f"{side}\ninversions %",
        scale=100.0,
    )
    yield Figure(
        f"{name}_mean_ns",
        f"mean {side} inversion",
        f"Mean time for which such packets waited for packets of lower priority {where}.",
        unit="ns",
        values=by_series(_mean_ns(kind), parts=PARTS),
        at=(kind, "mean_ns"),
        may_lack=True,
        heading="mean\nns",
    )
    yield Figure(
        f"{name}_max_ns",
        f"largest {side} inversion",
        f"Longest time for which a packet waited for packets of lower priority {where}.",
        unit="ns",
        values=by_series(_max_ns(kind), parts=PARTS),
        at=(kind, "max_ns"),
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
        heading="max\nns",
    )


REAL_TIME = (
    Figure(
        "missed_deadlines",
        "missed deadlines",
        "Deadlines of messages, those of flows too, that passed without the message being complete.",
        values=by_priority(_missed) | in_total(lambda found: sum(missed for _, missed in _judged(found))),
        kind="integer",
    ),
    *_inversions("output", "at their own node's output"),
    *_inversions("input", "at their destination's queue"),
)
