"""Rows of a paper, from what was measured under its presets."""

from collections.abc import Callable, Mapping

from ringlet.papers.agreement import Undetermined
from ringlet.papers.explanations import Explanations, explanation
from ringlet.papers.measurement import Measurement
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import OtherPreset, Row

Seeds = Callable[[str, Measurement], int]
"""Runs averaged for the row of this id, as measured."""


def rows_of(
    paper: str,
    measured: Mapping[str, Mapping[str, Measurement]],
    *,
    preset: str,
    other: str | None = None,
    seeds: Seeds,
    explanations: Explanations,
    undetermined: Mapping[str, Undetermined] | None = None,
) -> tuple[Row, ...]:
    """Returns published beside obtained figures, one row for each published figure.

    Args:
        paper: whose figures.
        measured: by preset and row id.
        preset: name of the preset that counts.
        other: name of the other preset, if the paper has one.
        seeds: how many runs are behind a row.
        explanations: our best explanations of disagreements.
        undetermined: by row id, the inputs that the paper does not give; default: it gives all.
    """
    found = []
    for figure in figures_of(paper):
        obtained = measured[preset][figure.id]
        beside = measured[other][figure.id] if other else None
        found.append(
            Row(
                figure=figure,
                obtained=obtained.value,
                spread=obtained.spread,
                seeds=seeds(figure.id, obtained),
                preset=preset,
                other=OtherPreset(other, beside.value, beside.spread) if other and beside else None,
                detail=obtained.detail,
                explanation=explanation(figure.id, explanations),
                command=obtained.case.command() if obtained.case else "",
                undetermined=(undetermined or {}).get(figure.id),
            )
        )
    return tuple(found)
