"""The paper's figures, from our results."""

from collections.abc import Callable

import numpy as np

from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import figure3, figure5, table3, table4
from ringlet.papers.picker1994.population import RING_SIZES, primary_family
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PRESETS, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, Scale
from ringlet.plots import Axis, Chart, Panel, Series, with_common_ranges
from ringlet.plots.palette import Colour, Marker

COLOURS: dict[Protocol, Colour] = {"none": "grey", "sci": "orange", "enhanced": "blue"}
LABELS: dict[Protocol, str] = {"none": "no flow control", "sci": "SCI", "enhanced": "enhanced"}
MARKERS: dict[Protocol, Marker] = {"none": "cross", "sci": "square", "enhanced": "circle"}
MIX_LABELS: dict[Mix, str] = {"single": "packets of one size", "mixed": "40 % 80-byte, 60 % 16-byte packets"}
DEVIATION = "average deviation (%)"

Bar = Callable[[int, Protocol], Measurement]


def paper_figures(results: Results, scale: Scale) -> tuple[Chart, ...]:
    """Returns the figures."""
    return (
        table3_chart(results, DEFAULT_PRESET),
        *(figure3_chart(results, preset) for preset in sorted(PRESETS, key=lambda each: each != DEFAULT_PRESET)),
        figure4_chart(results, scale),
        figure5_chart(results),
    )


def table3_chart(results: Results, preset: Preset) -> Chart:
    """Table 3's rings: throughput per node in words per cycle, a panel per ring size and size mix."""
    panels = [_table3_panel(results, preset, nodes, mix) for mix in MIXES for nodes in table3.RING_SIZES]
    return Chart(
        name="table3",
        title="Table 3: throughput of each node beside the optimum",
        caption=f"Worst-case fan-in, preset {preset.name}: nodes on the left of each panel send to one node, the "
        f"others "
        "to their neighbours. Mean over seeds, bars from smallest to largest; the line is the optimum with echoes.",
        panels=tuple(panels),
        columns=len(table3.RING_SIZES),
        panel_inches=(3.3, 2.7),
        scenarios=tuple(f"table3-n{nodes}.toml" for nodes in table3.RING_SIZES),
    )


def _table3_panel(results: Results, preset: Preset, nodes: int, mix: Mix) -> Panel:
    position = tuple(float(node) for node in range(nodes))
    optimal = results[table3.case_of(preset, nodes, "sci", mix)].optimal_words_per_cycle
    series = [Series("optimum", position, tuple(optimal.tolist()), mark="steps")]
    for offset, protocol in zip((-0.2, 0.0, 0.2), PROTOCOLS, strict=True):
        throughput = results[table3.case_of(preset, nodes, protocol, mix)].throughput_words_per_cycle
        series.append(
            Series(
                LABELS[protocol],
                position,
                tuple(throughput.mean(axis=0).tolist()),
                low=tuple(throughput.min(axis=0).tolist()),
                high=tuple(throughput.max(axis=0).tolist()),
                mark="points",
                colour=COLOURS[protocol],
                marker=MARKERS[protocol],
                offset=offset,
            )
        )
    return Panel(
        title=f"{nodes} nodes, {'one size' if mix == 'single' else 'mixed sizes'}",
        x=Axis("node", categories=tuple(str(node) for node in range(nodes))),
        # Starving nodes must not lie on the frame.
        y=Axis("throughput (words/cycle)", low=-0.03, high=1.0),
        series=tuple(series),
    )


def figure3_chart(results: Results, preset: Preset) -> Chart:
    """Figure 3: SCI beside enhanced for every class of patterns, a panel per size mix."""
    return Chart(
        name="figure3" if preset == DEFAULT_PRESET else f"figure3-{preset.name.lower()}",
        title=f"Figure 3: all deterministic patterns of 4 nodes, preset {preset.name}",
        caption="Each pair of bars is a class of patterns equal under rotation, ordered by the improvement that the "
        "enhanced protocol brings. Below: deviation under SCI over deviation under the enhanced protocol. On top: "
        "patterns in the class, of 81.",
        panels=tuple(_figure3_panel(results, preset, mix) for mix in MIXES),
        panel_inches=(10.0, 3.2),
        scenarios=("figure3.toml",),
    )


def _figure3_panel(results: Results, preset: Preset, mix: Mix) -> Panel:
    comparisons = figure3.comparisons(results, preset, mix)
    position = tuple(float(place) for place in range(len(comparisons)))
    sci = Series(
        LABELS["sci"],
        position,
        tuple(comparison.sci_percent for comparison in comparisons),
        mark="bars",
        colour=COLOURS["sci"],
        offset=-0.2,
        width=0.4,
        labels=tuple(str(comparison.pattern.occurrences) for comparison in comparisons),
    )
    enhanced = Series(
        LABELS["enhanced"],
        position,
        tuple(comparison.enhanced_percent for comparison in comparisons),
        mark="bars",
        colour=COLOURS["enhanced"],
        offset=0.2,
        width=0.4,
    )
    return Panel(
        title=MIX_LABELS[mix],
        x=Axis(
            "deviation under SCI / under enhanced, and the class (links crossed by each node's packets)",
            categories=tuple(f"{_ratio(each.ratio)}\n{each.pattern.name}" for each in comparisons),
        ),
        y=Axis(DEVIATION),
        series=(sci, enhanced),
    )


def figure4_chart(results: Results, scale: Scale) -> Chart:
    """Figure 4: average deviation over each ring size's primary family, a panel per preset and size mix."""

    def bar(preset: Preset, mix: Mix) -> Bar:
        return lambda nodes, protocol: (
            table4.deviation(results, preset, nodes, primary_family(nodes), protocol, mix, scale).average
        )

    return Chart(
        name="figure4",
        title="Figure 4: average deviation overall",
        caption="All 81 patterns for 4 nodes, every fan-in for 8 and 16. Error bars: standard deviation over seeds.",
        panels=_bars(bar, RING_SIZES),
        columns=len(MIXES),
        panel_inches=(4.5, 2.7),
        scenarios=("figure3.toml", "table3-n8.toml", "table3-n16.toml"),
    )


def figure5_chart(results: Results) -> Chart:
    """Figure 5: average deviation under symmetric traffic, a panel per preset and size mix."""

    def bar(preset: Preset, mix: Mix) -> Bar:
        return lambda nodes, protocol: figure5.average(results, preset, nodes, protocol, mix)

    return Chart(
        name="figure5",
        title="Figure 5: average deviation under symmetric traffic",
        caption="Every node sends to every other with equal probability. Error bars: standard deviation over seeds.",
        panels=_bars(bar, figure5.RING_SIZES),
        columns=len(MIXES),
        panel_inches=(4.5, 2.7),
        scenarios=tuple(f"figure5-n{nodes}.toml" for nodes in figure5.RING_SIZES),
    )


def _bars(bar: Callable[[Preset, Mix], Bar], ring_sizes: tuple[int, ...]) -> tuple[Panel, ...]:
    position = tuple(float(place) for place in range(len(ring_sizes)))
    panels = []
    for preset in PRESETS:
        for mix in MIXES:
            series = []
            for offset, protocol in zip((-0.27, 0.0, 0.27), PROTOCOLS, strict=True):
                measured = [bar(preset, mix)(nodes, protocol) for nodes in ring_sizes]
                mean = np.array([each.value for each in measured])
                spread = np.array([each.spread or 0.0 for each in measured])
                series.append(
                    Series(
                        LABELS[protocol],
                        position,
                        tuple(mean.tolist()),
                        low=tuple((mean - spread).tolist()),
                        high=tuple((mean + spread).tolist()),
                        mark="bars",
                        colour=COLOURS[protocol],
                        offset=offset,
                        width=0.27,
                        labels=tuple(f"{value:z.1f}" for value in mean),
                    )
                )
            panels.append(
                Panel(
                    title=f"Preset {preset.name}, {MIX_LABELS[mix]}",
                    x=Axis("ring size", categories=tuple(f"{nodes} nodes" for nodes in ring_sizes)),
                    y=Axis(DEVIATION),
                    series=tuple(series),
                )
            )
    return with_common_ranges(panels)


def _ratio(ratio: float) -> str:
    return "∞" if np.isinf(ratio) else f"{ratio:.2g}" if ratio < 100 else f"{ratio:z.0f}"
