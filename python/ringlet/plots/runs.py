"""Figures of single runs, or of a few beside each other: who gets how much, how long it takes, how full the links are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.plots.chart import Axis, Chart, Panel, Series
from ringlet.plots.palette import Colour, look
from ringlet.scenario import Scenario
from ringlet.scenario.optimum import optimum

Documents = Mapping[str, Mapping[str, Any]]
"""Documents of runs (`Result.document`, or what `ringlet run --json` prints), by the name that each has in a legend."""

MAX_BARS = 64
"""Nodes up to which each has bars; beyond, marks."""
MAX_OPTIMUM_NODES = 1024
"""Nodes up to which the optimum is computed: its time grows with their number to the third power."""
LINK_USES: tuple[tuple[str, str, Colour], ...] = (
    ("send", "send packets", "blue"),
    ("retry", "sent again", "vermilion"),
    ("echo", "echoes", "orange"),
    ("control", "control symbols", "purple"),
)
"""What a link carries besides idles, from the bottom up."""


def run_charts(documents: Documents) -> tuple[Chart, ...]:
    """Returns every figure that the runs give rise to: nodes, latency, links, and priorities where there are several.

    Raises:
        RingletError: no document.
    """
    if not documents:
        raise RingletError("runs: none; allowed: one or more")
    charts = [node_chart(documents), latency_chart(documents), link_chart(documents)]
    if any(document.get("priorities") for document in documents.values()):
        charts.append(priority_chart(documents))
    return tuple(charts)


def node_chart(documents: Documents) -> Chart:
    """Throughput of each node beside the optimum with echoes: how fair a ring is, and how far it could go.

    The optimum (picker1994, Section 4.2) is drawn where all runs share one and their traffic has no responses.
    """
    nodes = max(len(document["nodes"]) for document in documents.values())
    series = []
    best = _common_optimum(documents)
    if best is not None:
        series.append(Series("optimum", tuple(map(float, range(nodes))), best, mark="steps"))
    width = 0.8 / len(documents)
    for i, (name, document) in enumerate(documents.items()):
        records = document["nodes"]
        rate = np.array([record["throughput_words_per_cycle"] for record in records])
        colour, marker = look(i)
        series.append(
            Series(
                name,
                tuple(float(record["id"]) for record in records),
                tuple(rate.tolist()),
                **_words_interval(records, rate),
                mark="bars" if nodes <= MAX_BARS else "points",
                colour=colour,
                marker=marker,
                offset=(i - (len(documents) - 1) / 2) * width,
                width=width,
            )
        )
    panel = Panel(
        Axis("node", categories=tuple(str(node) for node in range(nodes))),
        Axis("throughput (words/cycle)", low=0.0),
        tuple(series),
    )
    beside = " beside the optimum with echoes (picker1994, Section 4.2)" if best is not None else ""
    return Chart(
        name="nodes",
        title="Throughput of each node",
        caption=f"16-bit words of send packets per cycle, by their source{beside}. Bars: 95 % intervals.",
        panels=(panel,),
        panel_inches=(max(5.0, min(12.0, 0.32 * nodes + 2)), 3.6),
    )


def _words_interval(records: Sequence[Mapping[str, Any]], rate: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Ends of the intervals: those of the data in MB/s have the same relative width."""
    halves = []
    for record, value in zip(records, rate, strict=True):
        mean, half = record["throughput_MBps"], record["throughput_ci95_MBps"]
        halves.append(value * half / mean if half is not None and mean else np.nan)
    half_width = np.array(halves)
    return {"low": tuple((rate - half_width).tolist()), "high": tuple((rate + half_width).tolist())}


def _common_optimum(documents: Documents) -> tuple[float, ...] | None:
    found = []
    for document in documents.values():
        try:
            scenario = Scenario.from_dict(document["scenario"])
            if scenario.network.nodes > MAX_OPTIMUM_NODES or scenario.has_messages:
                return None
            found.append(optimum(scenario))
        except RingletError:
            return None
    same = all(each.shape == found[0].shape and np.allclose(each, found[0]) for each in found)
    return tuple(found[0].tolist()) if same else None


def latency_chart(documents: Documents) -> Chart:
    """Share of the packets that take a time or longer; of a single run with priorities, for each of them."""
    ((only, document),) = documents.items() if len(documents) == 1 else (("", {}),)
    each = document.get("latency_distribution", {}).get("priorities", []) if only else []
    if each:
        named = [(f"priority {record['priority']}", record) for record in reversed(_sample(each))]
    else:
        named = [(name, document["latency_distribution"]["total"]) for name, document in documents.items()]
    series = []
    for i, (name, record) in enumerate(named):
        packets = np.array(record["packets"], dtype=np.float64)
        if not packets.size:
            continue
        # Of the packets in the first bin and all above it, in the second and above, and so on: the last is above 0.
        as_long = np.cumsum(packets[::-1])[::-1] / packets.sum()
        colour, marker = look(i)
        series.append(
            Series(
                name,
                tuple(record["upper_ns"]),
                tuple(as_long.tolist()),
                colour=colour,
                # Without one, a single point would not be seen.
                marker=marker if packets.size == 1 else None,
                dashes=("solid", "dashed", "dotted")[i % 3],
            )
        )
    return Chart(
        name="latency",
        title="Latency",
        caption="Share of the packets whose one-way latency, from generation to the end of service, is the time below or "
        "longer. Where a curve passes 0.01 is its 99th percentile.",
        panels=(
            Panel(
                Axis("one-way latency (ns)", scale="log"),
                Axis("share of packets that take as long or longer", scale="log", high=1.05),
                tuple(series),
            ),
        ),
        panel_inches=(6.4, 4.2),
    )


def _sample(records: Sequence[Any], most: int = 6) -> list[Any]:
    """At most so many records, the first and the last among them: more curves would not be told apart."""
    if len(records) <= most:
        return list(records)
    return [records[i] for i in np.linspace(0, len(records) - 1, most).round().astype(int)]


def link_chart(documents: Documents) -> Chart:
    """How much of the time each link carries what: link k leaves node k."""
    panels = []
    for name, document in documents.items():
        links = [record["link"] for record in document["nodes"]]
        position = tuple(float(record["id"]) for record in document["nodes"])
        base = np.zeros(len(links))
        series = []
        for use, words, colour in LINK_USES:
            top = base + np.array([100 * link[use] for link in links])
            if (top > base).any():
                series.append(
                    Series(
                        words,
                        position,
                        tuple(top.tolist()),
                        mark="bars",
                        colour=colour,
                        base=tuple(base.tolist()),
                    )
                )
            base = top
        panels.append(
            Panel(
                Axis("link, by the node that it leaves", categories=tuple(str(int(node)) for node in position)),
                Axis("share of the link's time (%)", low=0.0, high=100.0),
                tuple(series),
                title=name if len(documents) > 1 else "",
            )
        )
    return Chart(
        name="links",
        title="Link utilisation",
        caption="What the symbols on each link belong to; the rest are idles.",
        panels=tuple(panels),
        columns=min(2, len(panels)),
        panel_inches=(5.6, 3.4),
    )


def priority_chart(documents: Documents) -> Chart:
    """Throughput and latency of each send priority."""
    given = {name: document["priorities"] for name, document in documents.items() if document.get("priorities")}
    levels = sorted({record["priority"] for records in given.values() for record in records})
    place = {level: float(i) for i, level in enumerate(levels)}
    throughput, latency = [], []
    width = 0.8 / len(given)
    for i, (name, records) in enumerate(given.items()):
        colour, marker = look(i)
        looks: dict[str, Any] = {
            "colour": colour,
            "marker": marker,
            "offset": (i - (len(given) - 1) / 2) * width,
            "width": width,
        }
        position = tuple(place[record["priority"]] for record in records)
        rate = np.array([record["throughput_MBps"] for record in records])
        half = np.array([_number(record["throughput_ci95_MBps"]) for record in records])
        throughput.append(
            Series(
                name,
                position,
                tuple(rate.tolist()),
                low=tuple((rate - half).tolist()),
                high=tuple((rate + half).tolist()),
                mark="bars",
                **looks,
            )
        )
        times = [record["latency_ns"] for record in records]
        latency.append(
            Series(
                name,
                position,
                tuple(_number(time["p50"]) for time in times),
                low=tuple(_number(time["min"]) for time in times),
                high=tuple(_number(time["p99"]) for time in times),
                mark="points",
                **looks,
            )
        )
    axis = Axis("send priority", categories=tuple(str(level) for level in levels))
    return Chart(
        name="priorities",
        title="Throughput and latency of each priority",
        caption="Throughput with 95 % intervals; latency: median, bars from the shortest to the 99th percentile.",
        panels=(
            Panel(axis, Axis("throughput (MB/s)", low=0.0), tuple(throughput)),
            Panel(axis, Axis("one-way latency (ns)", scale="log"), tuple(latency)),
        ),
        columns=2,
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value
