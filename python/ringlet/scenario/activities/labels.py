"""Labels of flows and messages: columns of a table that are none of its keys, which come back in results."""

from collections.abc import Mapping
from typing import Any

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.scenario.activities.tables import LABELS
from ringlet.sections import Field

Labels = dict[str, str]
"""Words of a row by names of the user's own, such as who wants it: the heads of their columns."""


def labels_field() -> Any:  # noqa: ANN401 - a field of a section
    """Returns the field of labels, of which each section needs one of its own."""
    return Field(
        default={},
        description='Words by names of your own, such as `{owner = "brakes"}`, which come back in results. In a table '
        "a column that is none of the keys is a label.",
    )


def labels_of(values: Mapping[Part, Values], what: str) -> Figure:
    """Returns the figure with the labels of each record of some parts.

    In a data frame there is a column for each of them, such as `labels_owner`.
    """
    meaning = f"Labels of {what} by their names: columns of its table that are none of the keys."
    return Figure(LABELS, "labels", meaning, values=values, kind="object", over_seeds=OverSeeds.NONE)
