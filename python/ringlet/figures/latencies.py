"""Latencies of packets and of messages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ringlet.document.figure import Figure, OverSeeds, Values
from ringlet.figures.by_part import by_series, in_total
from ringlet.figures.measurements import LEAST_PACKETS, Found

STATISTICS: Mapping[str, tuple[str, str, OverSeeds]] = {
    "mean": ("mean {}", "Mean of", OverSeeds.MEAN),
    "min": ("least {}", "Least of", OverSeeds.LEAST),
    "max": ("largest {}", "Largest of", OverSeeds.LARGEST),
    "p50": ("median {}", "Median of", OverSeeds.MEAN),
    "p95": ("95th-percentile {}", "95th percentile of", OverSeeds.MEAN),
    "p99": ("99th-percentile {}", "99th percentile of", OverSeeds.MEAN),
}
"""The figures of a latency: mean, least, largest and percentiles."""

TAIL = 0.01
"""Share of refused packets from which on what lies above the 99th percentile is made of packets sent again."""
OF_REFUSED = 4 / 3
"""Factor by which the upper end of the 99th percentile is farther from it then: docs/explanation/statistics.md."""

HEADINGS: Mapping[str, str] = {"mean": "mean ns", "p95": "p95\nns", "p99": "p99\nns", "max": "max\nns"}

ONE_WAY = (
    "the times from a packet's generation to the end of its service at its destination, of requests and responses "
    "alike."
)
WHOLE = "the times until all packets of an arrival, and their responses, have been served."


def _statistic(column: str, name: str) -> Values:
    def values(found: Found) -> Sequence[float | None]:
        return found.ns(found.measured["series"][column][name])  # type: ignore[literal-required]

    return values


def _mean_of(column: str, found: Found) -> Sequence[float | None]:
    return found.ns(found.series(column))


def _growth(found: Found) -> Sequence[float | None]:
    batches = len(found.measured["batches"]["cycles"])
    if not found.scenario.resolved.has_steady_state or not batches:
        return [None] * len(found.latency_trends)
    each = max(found.cycles / batches, 1.0)
    return [one.slope / each if one.drifts and one.slope > 0 else None for one in found.latency_trends]


def _p99_ends(found: Found) -> Sequence[float | None]:
    interval = found.measured["latency_p99_interval"]
    known = found.has_known_latency[-1] and found.series("delivered_packets")[-1] >= LEAST_PACKETS
    if interval is None or not known or not found.scenario.resolved.has_steady_state:
        return None, None
    latency = found.measured["series"]["latency"]
    # A run with few packets has seen nothing of what lies above the largest latency.
    seen = latency["p99"][-1] != latency["max"][-1]
    high: float | None = interval[1] if seen else None
    p99 = latency["p99"][-1]
    refused = sum(found.counter("refused_packets"))
    if high is not None and p99 is not None and refused > TAIL * found.series("delivered_packets")[-1]:
        high = p99 + OF_REFUSED * (high - p99)
    return found.ns([interval[0], high])


def _latencies(key: str, column: str, words: str, of_what: str, *, heading: str) -> Iterator[Figure]:
    for name, (named, begins, over_seeds) in STATISTICS.items():
        yield Figure(
            f"{column}_{name}_ns",
            named.format(words),
            f"{begins} {of_what}",
            unit="ns",
            values=by_series(_statistic(column, name)),
            at=(key, name),
            may_lack=True,
            over_seeds=over_seeds,
            heading=f"{heading}\n{HEADINGS[name]}" if name == "mean" else HEADINGS.get(name, ""),
            log=True,
        )


LATENCIES = (
    *_latencies("latency_ns", "latency", "latency", ONE_WAY, heading="latency"),
    Figure(
        "latency_ci95_ns",
        "mean latency ± 95 %",
        "Half width of the 95 % interval of the mean latency, by the batch means of this run.",
        unit="ns",
        values=by_series(lambda found: found.ns(found.half_widths("latency_half_width"))),
        at=("latency_ns", "ci95"),
        may_lack=True,
        over_seeds=OverSeeds.HALF_WIDTH,
        half_width_of="latency_mean_ns",
        heading="+/- 95 %\nns",
    ),
    Figure(
        "latency_growth",
        "growth of the latency",
        "Time by which the mean latency grows in a unit of time, where queues grow or it drifts throughout the run: "
        "then no mean is steady, and a longer run has a longer one. Missing where it does not.",
        values=by_series(_growth),
        may_lack=True,
    ),
    Figure(
        "latency_p99_low_ns",
        "99th percentile of the latency, lower end of the 95 % interval",
        "Lower end of the 95 % interval of the 99th percentile of all latencies, from the batches of this run.",
        unit="ns",
        values=in_total(lambda found: _p99_ends(found)[0]),
        at=("latency_ns", "p99_low"),
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "latency_p99_high_ns",
        "99th percentile of the latency, upper end of the 95 % interval",
        "Upper end of that interval. Missing where the run is too short to say how large the percentile may be.",
        unit="ns",
        values=in_total(lambda found: _p99_ends(found)[1]),
        at=("latency_ns", "p99_high"),
        may_lack=True,
        over_seeds=OverSeeds.NONE,
    ),
    *(
        Figure(
            f"{kind}_latency_mean_ns",
            f"mean latency of {kind}s",
            f"Mean of the times from the generation of a {kind} to the end of its service at its destination.",
            unit="ns",
            values=by_series(partial(_mean_of, f"{kind}_latency_mean")),
            may_lack=True,
        )
        for kind in ("request", "response")
    ),
    *_latencies("message_latency_ns", "message_latency", "message latency", WHOLE, heading="transaction"),
)
