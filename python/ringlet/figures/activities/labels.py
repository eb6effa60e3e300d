"""Labels of flows and messages, as they stand in the file."""

from collections.abc import Mapping

from ringlet.figures.figure import Figure, OverSeeds, Part, Values

LABELS = "labels"
"""Key of the labels of a record; a data frame has a column for each of them, such as `labels_owner`."""


def labels_of(values: Mapping[Part, Values], what: str) -> Figure:
    """Returns the figure with the labels of each record of some parts."""
    meaning = f"Labels of {what} by their names: columns of its table that are none of the keys."
    return Figure(LABELS, "labels", meaning, values=values, kind="object", over_seeds=OverSeeds.NONE)
