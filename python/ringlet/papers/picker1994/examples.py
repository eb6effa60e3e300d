"""The paper's worked examples: Section 1.2's ring, and the optimum of Table 3's 4-node ring."""

from dataclasses import dataclass
from fractions import Fraction

from ringlet.analysis import optimal_throughput, optimal_throughput_with_echo
from ringlet.papers.picker1994 import table3
from ringlet.papers.picker1994.presets import PROTOCOLS, Preset, Protocol
from ringlet.papers.picker1994.study import Results, case
from ringlet.papers.runs import Case

SECTION_1_2 = "example-1-2.toml"
"""Nodes 0, 1, 2 send to node 3, node 3 to node 1 (1, 2, 3 to 4 and 4 to 2 in the paper's numbering)."""
SHARES_1_2 = (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3), Fraction(2, 3))
"""Part of a link that each node should get without echoes and idles, Section 1.2."""
SHARES_TABLE_3 = (Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(1))
"""Part of a link that each node of Table 3's 4-node ring should get: nodes 0 and 1 share the link into node 2."""


@dataclass(frozen=True, slots=True)
class NodeExample:
    """One node of a worked example; throughputs in words per cycle."""

    node: int
    share: Fraction
    """Part of a link that the node should get without echoes and idles."""
    share_obtained: float
    """Part of a link that the node gets by the optimum's iteration, without echoes and idles."""
    optimal: float
    """Optimum without echoes."""
    optimal_with_echo: float
    """Optimum with echoes."""
    obtained: dict[Protocol, float]
    """Simulated throughput by protocol, mean over the seeds."""


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example."""

    title: str
    file: str
    nodes: tuple[NodeExample, ...]


def cases(preset: Preset) -> list[Case]:
    """Returns the cases of Section 1.2's ring; those of Table 3 belong to `table3`."""
    return [case(SECTION_1_2, preset, protocol, "single") for protocol in PROTOCOLS]


def examples(results: Results, preset: Preset) -> tuple[Example, ...]:
    """Returns both worked examples under one preset."""
    section = {protocol: case(SECTION_1_2, preset, protocol, "single") for protocol in PROTOCOLS}
    table = {protocol: table3.case_of(preset, 4, protocol, "single") for protocol in PROTOCOLS}
    return (
        _example("Section 1.2", SHARES_1_2, section, results),
        _example("Optimum of Table 3's 4-node ring", SHARES_TABLE_3, table, results),
    )


def _example(title: str, shares: tuple[Fraction, ...], lines: dict[Protocol, Case], results: Results) -> Example:
    line = lines["enhanced"]
    scenario = line.load()
    matrix, length = scenario.traffic_matrix(), scenario.mean_send_symbols
    optimal = optimal_throughput(matrix, mean_send_symbols=length)
    with_echo = optimal_throughput_with_echo(matrix, mean_send_symbols=length)
    obtained = {protocol: results[case].throughput_words_per_cycle.mean(axis=0) for protocol, case in lines.items()}
    nodes = tuple(
        NodeExample(
            node=node,
            share=share,
            share_obtained=float(optimal[node] * (length + 1) / length),
            optimal=float(optimal[node]),
            optimal_with_echo=float(with_echo[node]),
            obtained={protocol: float(throughput[node]) for protocol, throughput in obtained.items()},
        )
        for node, share in enumerate(shares)
    )
    return Example(title, line.file, nodes)
