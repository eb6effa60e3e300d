"""The fair share beside what a run found: what each node could get at best, and how far from it the ring is; the
largest total, and by how much what is offered could grow."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.by_part import by_node, by_priority, in_total
from ringlet.figures.measurements import Found

if TYPE_CHECKING:
    from ringlet.analysis.allocation import Commodity, Optimum


def _best(found: Found) -> "Optimum | None":
    return found.fair_share


def _each_words(found: Found) -> Sequence[float | None]:
    best = _best(found)
    return [None] * found.nodes if best is None or not best.commodities else best.words_per_cycle.tolist()


def _each_MBps(found: Found) -> Sequence[float | None]:  # noqa: N802 - the unit
    best = _best(found)
    if best is None or not best.commodities:
        return [None] * found.nodes
    # A cycle moves bytes in so many ns: bytes per ns are GB/s.
    factor = 1e3 / found.scenario.symbol_time_ns
    return [data * factor for data in best.payload_bytes_per_cycle.tolist()]


def _each_share(found: Found) -> Sequence[float | None]:
    pairs = zip(found.words_per_cycle, found.once(_each_words), strict=True)
    return [None if best is None else _share(got, best) for got, best in pairs]


def _total_words(found: Found) -> float | None:
    best = _best(found)
    return None if best is None or not best.commodities else sum(best.words_per_cycle.tolist())


def _total_MBps(found: Found) -> float | None:  # noqa: N802 - the unit
    best = _best(found)
    if best is None or not best.commodities:
        return None
    return float(sum(best.payload_bytes_per_cycle.tolist())) * (1e3 / found.scenario.symbol_time_ns)


def _maximum(found: Found) -> float | None:
    best = _best(found) if found.seeks_largest_total else None
    if best is None or not best.commodities or best.maximum_payload_bytes_per_cycle is None:
        return None
    return best.maximum_payload_bytes_per_cycle * (1e3 / found.scenario.symbol_time_ns)


def _growth(found: Found) -> tuple[float, str] | tuple[None, None]:
    best, resolved = _best(found), found.scenario.resolved
    # Packets that all start in one cycle have no rate.
    at_once = resolved.replays_alone and resolved.replay is not None and resolved.replay.last_cycle == 0
    return (None, None) if best is None or at_once or best.growth is None else best.growth


def _total_share(found: Found) -> float | None:
    best = _total_words(found)
    return None if best is None else _share(sum(found.words_per_cycle), best)


def _at_priorities(found: Found, each: "Callable[[Commodity], float]") -> Sequence[float | None]:
    """The fair share of each reported priority, of what is in a word of packets."""
    best, levels = _best(found), found.measured["priorities"]
    if best is None:
        return [None] * len(levels)
    sums = dict.fromkeys(levels, 0.0)
    for commodity, rate in zip(best.commodities, best.rates.tolist(), strict=True):
        # A level that is not reported has no flow.
        if commodity.priority in sums:
            sums[commodity.priority] += rate * each(commodity)
    return list(sums.values())


def _priority_words(found: Found) -> Sequence[float | None]:
    return _at_priorities(found, lambda _: 1.0)


def _priority_MBps(found: Found) -> Sequence[float | None]:  # noqa: N802 - the unit
    factor = 1e3 / found.scenario.symbol_time_ns
    return _at_priorities(found, lambda commodity: commodity.payload_bytes * factor)


def _priority_share(found: Found) -> Sequence[float | None]:
    got = found.per_cycle(found.series("packet_symbols")[found.nodes : -1])
    return [
        None if best is None else _share(each, best) for each, best in zip(got, _priority_words(found), strict=True)
    ]


def _share(found: float, best: float) -> float | None:
    return found / best if best > 0 else None


def _bottleneck(found: Found) -> str | None:
    best = _best(found)
    return None if best is None else best.bottleneck


OPTIMUM = (
    Figure(
        "fair_share_MBps",
        "fair share",
        "Data of the node's fair share: the max-min fair throughput of what was offered, all echoes, responses, "
        "services, windows and slots charged to what they use; of a trace alone, that of its mean rates. A node could "
        "get more only at the cost of another that gets no more than it, the highest priority first, or while a "
        "receive queue grows. Missing where it would take long, and beside an operation that takes place once, which "
        "has no rate.",
        unit="MB/s",
        values=by_node(_each_MBps) | by_priority(_priority_MBps) | in_total(_total_MBps),
        may_lack=True,
        heading="share\nMB/s",
    ),
    Figure(
        "optimum_words_per_cycle",
        "fair share",
        "The fair share in words of send packets, requests and responses, for each cycle.",
        unit="words/cycle",
        values=by_node(_each_words) | by_priority(_priority_words) | in_total(_total_words),
        may_lack=True,
    ),
    Figure(
        "optimum_MBps",
        "fair share",
        "The same as `fair_share_MBps`, under its name of before 2026-11-25.",
        unit="MB/s",
        values=by_node(_each_MBps) | by_priority(_priority_MBps) | in_total(_total_MBps),
        may_lack=True,
    ),
    Figure(
        "of_optimum",
        "share of the fair share",
        "Throughput divided by the fair share; above 1 where a node gets what others lack.",
        values=by_node(_each_share) | by_priority(_priority_share) | in_total(_total_share),
        may_lack=True,
        heading="of it\n%",
        scale=100.0,
    ),
    Figure(
        "bottleneck",
        "bottleneck",
        "The link, B-Link, server, window or slots of which the fair share uses most.",
        values=in_total(_bottleneck),
        kind="string",
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "maximum_MBps",
        "maximum",
        "The most data that all nodes together can move of what was offered, whoever gets how much and whatever its "
        "priority, while no receive queue grows: a linear program. Missing where it would take long.",
        unit="MB/s",
        values=in_total(_maximum),
        may_lack=True,
    ),
    Figure(
        "capacity_factor",
        "capacity factor",
        "The factor by which all that was offered with a rate can grow together until something is full; below 1 where "
        "it is too much; of a trace alone, its mean rates. Missing where nothing has a rate.",
        values=in_total(lambda found: _growth(found)[0]),
        may_lack=True,
    ),
    Figure(
        "capacity_limit",
        "what limits the capacity",
        "The link, B-Link, server, window or slots that are full first then.",
        values=in_total(lambda found: _growth(found)[1]),
        kind="string",
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
)
