"""Traffic matrices that Table 4 and Figure 4 average over (Section 5.4).

For 4 nodes the paper takes all 81 deterministic patterns and random matrices; for 8 and 16 nodes random matrices. It
does not say how they are drawn. Here 4 nodes have all patterns; 8 and 16 nodes have the *fan-in* patterns, which are
the only traffic of more than 4 nodes that the paper describes: from 2 to N - 1 consecutive nodes send to one node, the
others to their neighbours (Section 5.3). Their largest deviations under SCI are those of the paper, so the paper's
matrices seem to hold them among milder ones. The obtained figures of rows are of these; over families of random
matrices lies the range that decides the class of a row.
"""

from dataclasses import dataclass

from ringlet.papers.picker1994 import figure3
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Scale, case
from ringlet.papers.runs import Case

RING_SIZES = (4, 8, 16)
ALL_PATTERNS = "all-patterns"
"""The 81 deterministic patterns of 4 nodes."""
FAN_IN = "fan-in"
"""Every fan-in from 2 to N - 1."""
RANDOM_FAMILIES = ("deterministic", "sparse", "dense-uniform")
"""Families of random matrices, as `traffic.random_matrix.family` names them."""


@dataclass(frozen=True, slots=True)
class Member:
    """One traffic matrix of a population, under one protocol and size mix."""

    case: Case
    weight: float
    """Matrices that it stands for."""


def members(preset: Preset, nodes: int, family: str, protocol: Protocol, mix: Mix, scale: Scale) -> tuple[Member, ...]:
    """Returns the population of one ring size and family, for one line of Table 4."""
    if family == ALL_PATTERNS:
        return tuple(
            Member(figure3.case_of(preset, pattern, protocol, mix), float(pattern.occurrences))
            for pattern in figure3.CLASSES
        )
    if family == FAN_IN:
        return tuple(
            Member(case(f"table3-n{nodes}.toml", preset, protocol, mix, f"traffic.fan_in={fan_in}"), 1.0)
            for fan_in in range(2, nodes)
        )
    return tuple(
        Member(
            case(
                f"table4-n{nodes}.toml",
                preset,
                protocol,
                mix,
                f"traffic.random_matrix.family={family}",
                f"traffic.random_matrix.seed={seed}",
            ),
            1.0,
        )
        for seed in range(1, scale.random_matrices + 1)
    )


def families(nodes: int, preset: Preset = DEFAULT_PRESET) -> tuple[str, ...]:
    """Returns the families that are simulated at a ring size, the one that the rows take first.

    The ranges of rows that hang on a missing matrix are over those of the default preset; others have the rows' family
    alone.
    """
    if preset != DEFAULT_PRESET:
        return (primary_family(nodes),)
    # The 81 patterns are all deterministic matrices of 4 nodes.
    random = RANDOM_FAMILIES[1:] if nodes == figure3.NODES else RANDOM_FAMILIES
    return (primary_family(nodes), *random)


def primary_family(nodes: int) -> str:
    """Returns the family that the rows of a ring size take."""
    return ALL_PATTERNS if nodes == figure3.NODES else FAN_IN


def cases(preset: Preset, scale: Scale) -> list[Case]:
    """Returns the cases of every population."""
    return [
        member.case
        for nodes in RING_SIZES
        for family in families(nodes, preset)
        for protocol in PROTOCOLS
        for mix in MIXES
        for member in members(preset, nodes, family, protocol, mix, scale)
    ]
