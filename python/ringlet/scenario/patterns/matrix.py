"""Traffic matrices: given, from a file, or random."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.arrivals import Poisson
from ringlet.scenario.traffic.matrices import check_size, normalised, random_matrix, read_matrix
from ringlet.scenario.traffic.section import TrafficSection
from ringlet.scenario.values.destinations import Destinations, Pattern, Weighted
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.scenario.values.units import magnitude
from ringlet.sections import Before, Field, Section, refuse

if TYPE_CHECKING:
    from ringlet.rings import Network

FAMILIES = ("dense-uniform", "exponential", "deterministic", "fan-in", "sparse")
KEYS = ("matrix", "matrix_file", "random_matrix")


def _is_unit(value: object) -> object:
    if isinstance(value, str):
        try:
            magnitude(f"1 {value}", "MB/s")
        except ValueError:
            raise refuse("a unit of a data rate, such as 'MB/s' or 'Gb/s'") from None
    return value


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
    matrix_unit: Annotated[str, Before(_is_unit)] | None = Field(
        default=None,
        description="Unit of the values of `matrix` or `matrix_file`, such as `MB/s` or `Gb/s`, where they are rates: "
        "then the load of each node is the sum of its row, in place of `load`.",
    )

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Makes rates of a matrix a load like any other."""
        made = super()._completed(content)
        if content.get("matrix_unit") is None or "arrivals" in content:
            return made
        return {**made, "arrivals": Poisson.name}

    @property
    def has_load(self) -> bool:
        """True if a load is given, or the unit of rates."""
        return super().has_load or self.matrix_unit is not None

    def load_by(self, pattern: "Pattern") -> float | str | list[float | str] | None:
        """Returns the sums of the rows where they are rates."""
        if self.matrix_unit is None:
            return self.load
        return [f"{rate:.17g} {self.matrix_unit}" for rate in pattern.rates]

    def pattern_on(self, network: "Network", folder: Path) -> "Pattern":
        """Returns the rows of the matrix."""
        given = [key for key in KEYS if getattr(self, key) is not None]
        if len(given) != 1:
            raise RingletError(
                f"traffic.pattern: 'matrix' needs one of {', '.join(KEYS)}; given: {', '.join(given) or 'none'}"
            )
        are_rates = self.matrix_unit is not None
        if are_rates and self.load is not None:
            allowed = "none beside traffic.matrix_unit, by which the load of each node is the sum of its row"
            raise RingletError.not_allowed("traffic.load", "<given>", allowed)
        if are_rates and self.random_matrix is not None:
            allowed = "none with traffic.random_matrix, which is of probabilities"
            raise RingletError.not_allowed("traffic.matrix_unit", self.matrix_unit, allowed)
        nodes, senders = network.nodes, network.senders.tolist()
        check_size(nodes)
        notes: Sequence[str] = ()
        rows: Sequence[Sequence[float]]
        sums: Sequence[float] = ()
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
            names = network.node_names or ()
            found = read_matrix(folder / self.matrix_file, nodes, senders, node_names=names, are_rates=are_rates)
            rows, notes, sums = found.rows, found.notes, found.rates
        else:
            found = normalised(self.matrix or [], nodes, "traffic.matrix", senders=senders, are_rates=are_rates)
            rows, notes, sums = found.rows, found.notes, found.rates
        destinations: list[Destinations | None] = [None] * nodes
        for node, row in zip(senders, rows, strict=True):
            destinations[node] = Weighted(row) if any(row) else None
        of_nodes = dict(zip(senders, sums, strict=False))
        rates = tuple(of_nodes.get(node, 0.0) for node in range(nodes)) if are_rates else ()
        return Pattern(nodes, tuple(destinations), tuple(notes), rates)
