"""Traffic matrices: given, from a file, or random."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.matrices import check_size, normalised, random_matrix, read_matrix
from ringlet.scenario.traffic.section import TrafficSection
from ringlet.scenario.values.destinations import Destinations, Pattern, Weighted
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.sections import Field, Section

if TYPE_CHECKING:
    from ringlet.rings import Network

FAMILIES = ("dense-uniform", "exponential", "deterministic", "fan-in", "sparse")
KEYS = ("matrix", "matrix_file", "random_matrix")


class RandomMatrix(Section):
    """A random traffic matrix."""

    family: Literal["dense-uniform", "exponential", "deterministic", "fan-in", "sparse"] = Field(
        description="`dense-uniform`: weights uniform on (0, 1) for every other node, normalised; `exponential`: "
        "exponential weights, normalised (uniform on the simplex); `deterministic`: one destination per node; "
        "`fan-in`: a random number of consecutive nodes send to the node behind them, all others to their neighbour; "
        "`sparse`: two destinations per node, randomly weighted."
    )
    seed: int = Field(
        default=1, ge=0, le=MAX_SEED, description="Seed of the matrix; the same for every seed of the run."
    )


class MatrixTraffic(TrafficSection):
    """Packets go by one of `matrix`, `matrix_file` and `random_matrix`, with a row for each node that sends."""

    pattern: Literal["matrix"] = "matrix"
    # The first of a million bad values is enough.
    matrix: Annotated[list[Annotated[list[float], Field(fail_fast=True)]], Field(fail_fast=True)] | None = Field(
        default=None,
        description="Row `i` holds the probabilities of node `i`'s destinations and sums to 1, or is of zeros, where "
        "the node only receives; where there are memories, of processor `i`'s.",
    )
    matrix_file: str | None = Field(
        default=None,
        description="The same from a text file, relative to the scenario file: values between commas, semicolons, tabs "
        "or blanks, with comments behind `#`, and with labels or without; `.gz` is unpacked.",
    )
    random_matrix: RandomMatrix | None = Field(default=None, description="A random one.")

    def pattern_on(self, network: "Network", folder: Path) -> "Pattern":
        """Returns the rows of the matrix."""
        given = [key for key in KEYS if getattr(self, key) is not None]
        if len(given) != 1:
            raise RingletError(
                f"traffic.pattern: 'matrix' needs one of {', '.join(KEYS)}; given: {', '.join(given) or 'none'}"
            )
        nodes, senders = network.nodes, network.senders.tolist()
        check_size(nodes)
        notes: Sequence[str] = ()
        rows: Sequence[Sequence[float]]
        if self.random_matrix is not None:
            if len(senders) < nodes:
                raise RingletError(
                    "traffic.random_matrix: every node sends by it, and here processors send to memories; "
                    "give traffic.matrix"
                )
            if nodes < 2:
                raise RingletError.not_allowed("network.nodes", nodes, "at least 2 with a random matrix")
            rows = random_matrix(self.random_matrix.family, self.random_matrix.seed, nodes).tolist()
        elif self.matrix_file is not None:
            found = read_matrix(folder / self.matrix_file, nodes, senders, node_names=network.node_names or ())
            rows, notes = found.rows, found.notes
        else:
            found = normalised(self.matrix or [], nodes, "traffic.matrix", senders=senders)
            rows, notes = found.rows, found.notes
        destinations: list[Destinations | None] = [None] * nodes
        for node, row in zip(senders, rows, strict=True):
            destinations[node] = Weighted(row) if any(row) else None
        return Pattern(nodes, tuple(destinations), tuple(notes))
