"""Guaranteed response times beside their deadlines."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import COLOURS, INK
from ringlet.plots.parts import Axis, Level, Series

PARTS = {
    "own_queue": "own queue",
    "blocking": "blocking by a lower priority",
    "access": "access",
    "inversion": "lower priorities of others",
    "interference": "others, and echoes",
    "transit": "transit",
    "switches": "switches",
    "service": "service",
}
"""Names of the parts of a bound, as the legend says them."""

MOST_NAMES = 10
"""Messages up to which their names stand below the bars, and not their numbers."""


def guarantee_chart(found: Mapping[str, Any], *, name: str = "guarantees") -> Chart:
    """Stacked parts of each message's bound, as shares of its deadline.

    Args:
        found: what `ringlet guarantee --json` prints.
        name: of the figure.
    """
    messages = [one for one in found["messages"] if one["deadline_us"] is not None]
    if not messages:
        raise RingletError("messages: none has a deadline; allowed: bounds as shares of deadlines need one")
    places = tuple(float(i) for i in range(len(messages)))
    base = np.zeros(len(messages))
    series = []
    for i, (part, label) in enumerate(PARTS.items()):
        top = base + np.array([(one["parts_us"] or {}).get(part, 0.0) / one["deadline_us"] for one in messages])
        if np.any(top > base):
            colour = (*COLOURS, INK)[i]
            bars: Any = {"mark": "bars", "colour": colour, "marker": None, "base": tuple(base.tolist())}
            series.append(Series(label, places, tuple(top.tolist()), **bars))
        base = top
    names = tuple(str(one["name"]).replace(" ", "\n") for one in messages)
    return Chart(
        name=name,
        title=f"Guaranteed response times under {found['protocol']}",
        caption="What each message's bound is made of, as a share of its deadline. No bar: there is no bound.",
        panels=(
            Panel(
                Axis("", categories=names if len(names) <= MOST_NAMES else tuple(map(str, range(len(names))))),
                Axis("bound / deadline", low=0.0),
                tuple(series),
                levels=(Level("deadline", 1.0),),
            ),
        ),
    )
