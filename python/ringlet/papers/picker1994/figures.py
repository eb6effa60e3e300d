"""The paper's figures, drawn from our results."""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import figure3, figure5, table3, table4
from ringlet.papers.picker1994.population import RING_SIZES, primary_family
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PRESETS, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, Scale
from ringlet.papers.reproduction import PaperFigure
from ringlet.papers.style import BLUE, GREY, ORANGE, plain

COLOURS: dict[Protocol, str] = {"none": GREY, "sci": ORANGE, "enhanced": BLUE}
LABELS: dict[Protocol, str] = {"none": "no flow control", "sci": "SCI", "enhanced": "enhanced"}
MARKERS: dict[Protocol, str] = {"none": "x", "sci": "s", "enhanced": "o"}
MIX_LABELS: dict[Mix, str] = {"single": "80-byte packets", "mixed": "40 % 80-byte, 60 % 16-byte packets"}

Bar = Callable[[int, Protocol], Measurement]


def paper_figures(results: Results, scale: Scale) -> tuple[PaperFigure, ...]:
    """Returns the figures, to be drawn when they are needed."""
    other = next(preset for preset in PRESETS if preset != DEFAULT_PRESET)
    return (
        PaperFigure(
            name="table3",
            title="Table 3: throughput of each node beside the optimum",
            caption=f"Worst-case fan-in, preset {DEFAULT_PRESET.name}: nodes on the left of each panel send to one "
            "node, the others to their neighbours. Mean over seeds, bars from smallest to largest; the line "
            "is the optimum with echoes.",
            draw=partial(draw_table3, results, DEFAULT_PRESET),
        ),
        *(
            PaperFigure(
                name=f"figure3{'' if preset == DEFAULT_PRESET else f'-{preset.name.lower()}'}",
                title=f"Figure 3: all deterministic patterns of 4 nodes, preset {preset.name}",
                caption="Each pair of bars is a class of patterns equal under rotation, ordered by the improvement "
                "that the enhanced protocol brings. Below: deviation under SCI over deviation under the "
                "enhanced protocol. On top: patterns in the class, of 81.",
                draw=partial(draw_figure3, results, preset),
            )
            for preset in (DEFAULT_PRESET, other)
        ),
        PaperFigure(
            name="figure4",
            title="Figure 4: average deviation overall",
            caption="All 81 patterns for 4 nodes, random fan-in matrices for 8 and 16. Error bars: standard "
            "deviation over seeds.",
            draw=partial(draw_figure4, results, scale),
        ),
        PaperFigure(
            name="figure5",
            title="Figure 5: average deviation under symmetric traffic",
            caption="Every node sends to every other with equal probability. Error bars: standard deviation over "
            "seeds.",
            draw=partial(draw_figure5, results),
        ),
    )


def draw_table3(results: Results, preset: Preset) -> Figure:
    """Draws Table 3's rings: throughput per node in words per cycle, a panel per ring size and size mix."""
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    panels = figure.subplots(len(MIXES), len(table3.RING_SIZES), sharey=True)
    for mix, line in zip(MIXES, panels, strict=True):
        for nodes, axes in zip(table3.RING_SIZES, line, strict=True):
            _draw_nodes(axes, results, preset, nodes, mix)
            axes.set_title(f"{nodes} nodes, {'one size' if mix == 'single' else 'mixed sizes'}", fontsize="medium")
        line[0].set_ylabel("throughput (words/cycle)")
    for axes in panels[-1]:
        axes.set_xlabel("node")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _draw_nodes(axes: Axes, results: Results, preset: Preset, nodes: int, mix: Mix) -> None:
    position = np.arange(nodes)
    optimal = results[table3.case_of(preset, nodes, "sci", mix)].optimal_words_per_cycle
    axes.step(np.arange(-1, nodes + 1), np.pad(optimal, 1, mode="edge"), where="mid", color="black", label="optimum")
    for offset, protocol in zip((-0.2, 0.0, 0.2), PROTOCOLS, strict=True):
        throughput = results[table3.case_of(preset, nodes, protocol, mix)].throughput_words_per_cycle
        mean = throughput.mean(axis=0)
        axes.errorbar(
            position + offset,
            mean,
            yerr=np.abs(np.stack([throughput.min(axis=0), throughput.max(axis=0)]) - mean),
            fmt=MARKERS[protocol],
            color=COLOURS[protocol],
            markersize=4.5,
            label=LABELS[protocol],
        )
    axes.set_xlim(-0.6, nodes - 0.4)
    # Starving nodes must not lie on the frame.
    axes.set_ylim(-0.03, 1)
    axes.set_xticks(position if nodes <= 8 else position[::2])
    plain(axes)


def draw_figure3(results: Results, preset: Preset) -> Figure:
    """Draws Figure 3: SCI beside enhanced for every class of patterns, a panel per size mix."""
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    for mix, axes in zip(MIXES, figure.subplots(len(MIXES), 1), strict=True):
        comparisons = figure3.comparisons(results, preset, mix)
        position = np.arange(len(comparisons))
        sci = np.array([comparison.sci_percent for comparison in comparisons])
        enhanced = np.array([comparison.enhanced_percent for comparison in comparisons])
        axes.bar(position - 0.2, sci, 0.4, color=COLOURS["sci"], label=LABELS["sci"])
        axes.bar(position + 0.2, enhanced, 0.4, color=COLOURS["enhanced"], label=LABELS["enhanced"])
        for place, comparison in zip(position, comparisons, strict=True):
            top = max(comparison.sci_percent, comparison.enhanced_percent)
            axes.annotate(
                str(comparison.pattern.occurrences), (place, top), xytext=(0, 2), textcoords="offset points",
                ha="center", fontsize="small",
            )  # fmt: skip
        labels = [f"{_ratio(comparison.ratio)}\n{comparison.pattern.name}" for comparison in comparisons]
        axes.set_xticks(position, labels, fontsize="small")
        axes.set_xlim(-0.7, len(comparisons) - 0.3)
        axes.set_ylabel("average deviation (%)")
        axes.set_title(MIX_LABELS[mix], fontsize="medium")
        axes.legend(frameon=False, loc="upper left", ncols=2)
        axes.margins(y=0.3)
        plain(axes)
    figure.supxlabel(
        "deviation under SCI / under enhanced, and the class (links crossed by each node's packets)", fontsize="medium"
    )
    return figure


def draw_figure4(results: Results, scale: Scale) -> Figure:
    """Draws Figure 4: average deviation over each ring size's primary family, a panel per preset and size mix."""

    def bar(preset: Preset, mix: Mix) -> Bar:
        return lambda nodes, protocol: (
            table4.deviation(results, preset, nodes, primary_family(nodes), protocol, mix, scale).average
        )

    return _draw_bars(bar, RING_SIZES)


def draw_figure5(results: Results) -> Figure:
    """Draws Figure 5: average deviation under symmetric traffic, a panel per preset and size mix."""

    def bar(preset: Preset, mix: Mix) -> Bar:
        return lambda nodes, protocol: figure5.average(results, preset, nodes, protocol, mix)

    return _draw_bars(bar, figure5.RING_SIZES)


def _draw_bars(bar: Callable[[Preset, Mix], Bar], ring_sizes: tuple[int, ...]) -> Figure:
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    panels = figure.subplots(len(PRESETS), len(MIXES), sharey=True, sharex=True)
    position = np.arange(len(ring_sizes))
    for preset, line in zip(PRESETS, panels, strict=True):
        for mix, axes in zip(MIXES, line, strict=True):
            for offset, protocol in zip((-0.27, 0.0, 0.27), PROTOCOLS, strict=True):
                measured = [bar(preset, mix)(nodes, protocol) for nodes in ring_sizes]
                bars = axes.bar(
                    position + offset,
                    [each.value for each in measured],
                    0.27,
                    yerr=[each.spread or 0.0 for each in measured],
                    color=COLOURS[protocol],
                    ecolor="black",
                    error_kw={"linewidth": 0.8},
                    label=LABELS[protocol],
                )
                axes.bar_label(bars, fmt="%.1f", fontsize="x-small", padding=2)
            axes.set_title(f"Preset {preset.name}, {MIX_LABELS[mix]}", fontsize="medium")
            axes.set_xticks(position, [f"{nodes} nodes" for nodes in ring_sizes])
            axes.margins(y=0.12)
            plain(axes)
        line[0].set_ylabel("average deviation (%)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure


def _ratio(ratio: float) -> str:
    return "∞" if np.isinf(ratio) else f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"
