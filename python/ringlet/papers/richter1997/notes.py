"""Our best explanation of rows that do not agree: shown beside a row only where it does not."""

from ringlet.papers.agreement import Explanations

EXPLANATIONS: Explanations = (
    (
        r"f10\.factor",
        "The limit is the ring's, and is met; without a delay the paper's 3:1 ring must have carried some 250 MB/s of "
        "new packets, while a responder that "
        "takes 366 ns for each, which gives the published 0.22 GB/s at 9:1, accepts as much at 3:1",
    ),
    (
        r"f11\.delay",
        "With 9 requesters the ring carries less than with 3, as in the paper, because they share it by SCI's flow "
        "control; the paper loses more. What its "
        "simulator does in detail is not known",
    ),
)
"""Patterns of row ids, and what there is to say."""
