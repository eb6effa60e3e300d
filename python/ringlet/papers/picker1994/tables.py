"""Tables beside the rows: worked examples, families of random matrices, Figures 3 to 5 in numbers."""

from ringlet.papers.picker1994 import examples, figure3, figure5, table4
from ringlet.papers.picker1994.presets import MIXES, PRESETS, PROTOCOLS
from ringlet.papers.picker1994.study import Results, Scale
from ringlet.papers.reproduction import Table


def paper_tables(results: Results, scale: Scale) -> tuple[Table, ...]:
    """Returns every table that stands beside the rows."""
    return (*_worked_examples(results), _families(results, scale), _figure3(results), _figure5(results))


def _worked_examples(results: Results) -> list[Table]:
    tables: list[Table] = []
    for parts in zip(*(examples.examples(results, preset) for preset in PRESETS), strict=True):
        first = parts[0]
        columns = ["node", "share", "share obtained", "optimum", "with echoes"]
        columns += [f"{protocol} {preset.name}" for preset in PRESETS for protocol in PROTOCOLS]
        lines = []
        for nodes in zip(*(part.nodes for part in parts), strict=True):
            node = nodes[0]
            values = [round(each.obtained[protocol], 4) for each in nodes for protocol in PROTOCOLS]
            theory = (node.share_obtained, node.optimal, node.optimal_with_echo)
            lines.append((node.node, str(node.share), *(round(value, 4) for value in theory), *values))
        tables.append(
            Table(
                name=f"example-{len(tables) + 1}",
                title=f"Worked example: {first.title}",
                caption=(
                    f"{first.file}, sends of one size; optima for preset {PRESETS[0].name}. Share: the part of a link "
                    "each node should get without echoes and idles, from the text, and as the optimum's iteration "
                    "gives it. Optimum, optimum with echoes and simulated throughput under each protocol and preset "
                    "(mean over seeds) in words per cycle."
                ),
                columns=tuple(columns),
                lines=tuple(lines),
            )
        )
    return tables


def _families(results: Results, scale: Scale) -> Table:
    columns = ["nodes", "family", "protocol", "sizes"]
    for preset in PRESETS:
        columns += [f"average {preset.name}", f"ave max {preset.name}", f"max {preset.name}"]
    found = [
        {
            (line.nodes, line.family, line.protocol, line.mix): (line.average, line.average_maximum, line.maximum)
            for line in table4.deviations(results, preset, scale)
        }
        for preset in PRESETS
    ]
    lines = []
    for key in found[0]:
        values: list[tuple[str | float, ...]] = [
            tuple(round(measured.value, 2) for measured in each[key]) if key in each else ("–",) * 3 for each in found
        ]
        lines.append((*key, *(value for each in values for value in each)))
    return Table(
        name="families",
        title="Table 4 and Figure 4 by family of traffic matrices",
        caption=(
            "Adjusted deviation in %: average ring deviation (Figure 4), average and largest maximum node deviation "
            "(Table 4). All 81 deterministic patterns of 4 nodes, every fan-in of 8 and 16 nodes, and "
            f"{scale.random_matrices} random matrices of each other family, these of the default preset alone."
        ),
        columns=tuple(columns),
        lines=tuple(lines),
    )


def _figure3(results: Results) -> Table:
    columns = ["class", "patterns"]
    for preset in PRESETS:
        for mix in MIXES:
            columns += [f"SCI {mix} {preset.name}", f"enhanced {mix} {preset.name}"]
    found = {
        (preset.name, mix, comparison.pattern): comparison
        for preset in PRESETS
        for mix in MIXES
        for comparison in figure3.comparisons(results, preset, mix)
    }
    lines: list[tuple[str | float, ...]] = []
    for pattern in figure3.CLASSES:
        values = []
        for preset in PRESETS:
            for mix in MIXES:
                comparison = found[preset.name, mix, pattern]
                values += [round(comparison.sci_percent, 2), round(comparison.enhanced_percent, 2)]
        lines.append((pattern.name, pattern.occurrences, *values))
    return Table(
        name="figure3",
        title="Figure 3 in numbers",
        caption=(
            "Average adjusted deviation in % of each class of deterministic 4-node patterns, named by the links "
            "that the packets of each node cross."
        ),
        columns=tuple(columns),
        lines=tuple(lines),
    )


def _figure5(results: Results) -> Table:
    columns = ["nodes", "sizes", *(f"{protocol} {preset.name}" for preset in PRESETS for protocol in PROTOCOLS)]
    lines = []
    for nodes in figure5.RING_SIZES:
        for mix in MIXES:
            bars = [
                figure5.average(results, preset, nodes, protocol, mix) for preset in PRESETS for protocol in PROTOCOLS
            ]
            lines.append((nodes, mix, *(round(bar.value, 2) for bar in bars)))
    return Table(
        name="figure5",
        title="Figure 5 in numbers",
        caption="Average adjusted deviation in % under symmetric traffic.",
        columns=tuple(columns),
        lines=tuple(lines),
    )
