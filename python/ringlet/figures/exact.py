"""Figures of a run that has come back to a state: from there on it does for ever what it has done since."""

from typing import Any

from ringlet.document.figure import Figure, OverSeeds
from ringlet.figures.measurements import Found

EXACT = (
    Figure(
        "transient_cycles",
        "transient",
        "A cycle from which on everything repeats; it may do so earlier.",
        unit="cycles",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "period_cycles",
        "period",
        "Cycles after which the run is in the same state again.",
        unit="cycles",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "words_in_period",
        "words in a period",
        "Words of send packets that are served in each period: divided by it, the exact throughput in words per cycle.",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "packets_in_period",
        "packets in a period",
        "Send packets that are served in each period.",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
)
"""Figures of the period that repeats."""


def exact_record(found: Found) -> dict[str, Any] | None:
    """Returns the period of a run for the JSON document; None where none was found."""
    exact = found.exact
    if exact is None:
        return None
    return {
        "transient_cycles": exact["transient_cycles"],
        "period_cycles": exact["period_cycles"],
        "words_in_period": round(found.series("packet_symbols")[-1]),
        "packets_in_period": found.series("delivered_packets")[-1],
    }
