"""Our best explanation of rows that do not agree: shown beside a row only where it does not."""

import re
from collections.abc import Sequence

Explanations = Sequence[tuple[str, str]]
"""Pattern of row ids without the paper's name, and the explanation; the first that matches counts."""


def explanation(row_id: str, explanations: Explanations) -> str:
    """Returns our best explanation of a disagreement in a row, empty if there is none."""
    name = row_id.partition(".")[2]
    return next((text for pattern, text in explanations if re.fullmatch(pattern, name)), "")
