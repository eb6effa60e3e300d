"""Labels: columns of a table that are none of its keys, which come back in results."""

from typing import Any

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
