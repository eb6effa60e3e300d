"""The traffic section: what the nodes send, where, and when."""

import math
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from ringlet.scenario.packet_trace.section import PacketTrace
from ringlet.scenario.sections import MAX_SEED, Section
from ringlet.scenario.transactions import NAMES, TRANSACTIONS, Transaction, send
from ringlet.scenario.units import Rate, Size, Time, magnitude, refuse

MIN_BYTES, MAX_BYTES = 16, 288
TOLERANCE = 5e-10
"""How far from 1 the sum of probabilities may be: half of what the engine takes, which adds in another order."""
FAMILIES = ("dense-uniform", "exponential", "deterministic", "fan-in", "sparse")


def _is_transaction(value: object) -> object:
    if not isinstance(value, str) or value == "mixed" or value in TRANSACTIONS:
        return value
    if not (value.startswith("send") and _is_size(value.removeprefix("send"))):
        sends = f"'sendN' with N an even number of bytes from {MIN_BYTES} to {MAX_BYTES}"
        raise refuse(f"'mixed', {sends}, or one of {NAMES}")
    return value


def _is_size(text: str) -> bool:
    return bool(re.fullmatch("[1-9][0-9]{1,2}", text)) and MIN_BYTES <= int(text) <= MAX_BYTES and int(text) % 2 == 0


def _are_sizes(value: object) -> object:
    if not isinstance(value, dict) or not value:
        raise refuse('a table of packet bytes and probabilities, such as {"80" = 0.4, "16" = 0.6}')
    if not all(isinstance(key, str) and _is_size(key) for key in value):
        raise refuse(f"a table whose keys are even numbers of bytes from {MIN_BYTES} to {MAX_BYTES}")
    return value


def _sum_to_one(sizes: dict[str, float]) -> dict[str, float]:
    total = math.fsum(sizes.values())
    if abs(total - 1) > TOLERANCE:
        raise refuse(f"probabilities that sum to 1, not {total:.12g}")
    return sizes


class Mix(Section):
    """Send packets of several sizes."""

    sizes: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1)]],
        BeforeValidator(_are_sizes),
        AfterValidator(_sum_to_one),
    ] = Field(
        description="Packet bytes (header, data, CRC) and their probabilities.",
    )


class RandomMatrix(Section):
    """A random traffic matrix."""

    family: Literal["dense-uniform", "exponential", "deterministic", "fan-in", "sparse"] = Field(
        description="`dense-uniform`: weights uniform on (0, 1) for every other node, normalised; `exponential`: "
        "exponential weights, normalised (uniform on the simplex); `deterministic`: one destination per node; `fan-in`: "
        "a random number of consecutive nodes send to the node behind them, all others to their neighbour; `sparse`: two "
        "destinations per node, randomly weighted."
    )
    seed: int = Field(1, ge=0, le=MAX_SEED, description="Seed of the matrix; the same for every seed of the run.")


IMPLIED_PATTERN = {
    "fan_in": "fan-in",
    "hot_node": "hot-spot",
    "hot_fraction": "hot-spot",
    "destinations": "permutation",
    "locality": "local",
    "matrix": "matrix",
    "matrix_file": "matrix",
    "random_matrix": "matrix",
    "trace": "trace",
}
"""Keys that belong to one pattern, and so name it."""


class Traffic(Section):
    """What the nodes send, where, and when."""

    transaction: Annotated[str | Mix, BeforeValidator(_is_transaction)] = Field(
        "send80",
        description="`sendN`: send packets of `N` bytes (even, 16 to 288). `mixed`: 40 % send80 and 60 % send16. Or "
        '`{sizes = {"80" = 0.4, "16" = 0.6}}`. Or one of SCI: with a response `read64` (also `nread64`), `nread256`, '
        "`nwrite16`, `nwrite64`, `nwrite256` and, of 16 bytes, `readsb`, `writesb`, `locksb`; without one `dmove00`, "
        "`dmove16`, `dmove64`, `dmove256`, `nmove...` and `event...` (which have an echo here, unlike SCI's).",
    )
    pattern: Literal["uniform", "neighbour", "fan-in", "hot-spot", "permutation", "local", "matrix", "trace"] = Field(
        "uniform",
        description="Where packets go. `uniform`: every other node with equal probability; `neighbour`: the next node; "
        "`fan-in`: `fan_in` consecutive nodes to the node behind them, all others to their neighbour; `hot-spot`: "
        "`hot_node` with `hot_fraction`, else uniform; `permutation`: `destinations`; `local`: with `locality` to the processor's own "
        "memory (the memory with its number) or to another node of its ring, else uniformly elsewhere; `matrix`: `matrix`, `matrix_file` "
        "or `random_matrix`; `trace`: packets of a file, `[traffic.trace]`. Where there are memories only processors send, to memories, and `destinations` and `matrix` have an entry or row "
        "for each processor. Default: the pattern whose key is given, else `uniform`.",
    )
    fan_in: int | None = Field(None, ge=2, description="Pattern `fan-in`: nodes that send to one, 2 to `nodes` - 1.")
    hot_node: int | None = Field(
        None, ge=0, description="Pattern `hot-spot`: the hot node, which itself sends uniformly."
    )
    hot_fraction: float | None = Field(
        None, ge=0, le=1, description="Pattern `hot-spot`: share of each other node's packets that go to it."
    )
    destinations: list[int] | None = Field(
        None, description="Pattern `permutation`: each node's destination; several nodes may share one."
    )
    locality: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Pattern `local`: share of the packets that stay on their ring or with their own memory.",
    )
    # Of a million bad values the first is enough.
    matrix: Annotated[list[Annotated[list[float], Field(fail_fast=True)]], Field(fail_fast=True)] | None = Field(
        None, description="Pattern `matrix`: row `i` holds the probabilities of node `i`'s destinations and sums to 1."
    )
    matrix_file: str | None = Field(
        None, description="Pattern `matrix`: the same from a CSV file, relative to the scenario file."
    )
    random_matrix: RandomMatrix | None = Field(None, description="Pattern `matrix`: a random one.")
    trace: PacketTrace | None = Field(None, description="Pattern `trace`: what is replayed, and how.")
    arrivals: Literal["saturated", "poisson", "bernoulli", "periodic", "closed", "none"] = Field(
        "saturated",
        description="When requests are generated. `saturated`: one always waits, whatever the load; `poisson`, "
        "`bernoulli` (at most one per cycle), `periodic`; `closed`: a block, and the next one when the last is done; `none`: messages or a trace only. Default: `poisson` if a load is given, "
        "else `saturated`, but `none` with a trace, and if a scenario with messages has no `[traffic]` at all.",
    )
    load: Rate | list[Rate] | None = Field(
        None, description="Offered load of each node, or a list with one per node; 1 word per cycle is the link rate."
    )
    load_factor: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="Every load is multiplied by it: an axis of a study over loads that differ from node to node.",
    )
    load_counts: Literal["payload", "gross"] = Field(
        "payload",
        description="What `load` counts. `payload`: the data of the transactions, or all bytes of packets that move none; "
        "`gross`: all bytes of the packet with the data, and 4 bytes of idles.",
    )
    phase: Time | list[Time] = Field(0, description="Arrivals `periodic`: time of the first packet, or one per node.")
    block: Size | None = Field(
        None,
        description="Arrivals `closed`: data of a block, cut into as many transactions as it takes; default: one. It is done when all its packets have been "
        "accepted, and answered where there are responses; with a `host.adapter` as that says.",
    )
    pause: Time = Field(
        0, description="Arrivals `closed`: time from the end of a block to the next one, at least a cycle."
    )
    priority: Annotated[int, Field(ge=0)] | list[Annotated[int, Field(ge=0)]] = Field(
        0,
        description="Send priority of each node's packets, or a list with one per node, 0 the lowest; below "
        "`queues.priorities` or `flow_control.priorities`.",
    )
    priorities: list[Annotated[int, Field(ge=0)]] | None = Field(
        None,
        min_length=1,
        description="Instead of `priority`: each node splits its load evenly over these, such as `[0, 1, 2]`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _imply(cls, content: object) -> object:
        """Fills in the pattern that a key belongs to, and Poisson arrivals where only a load is given."""
        if not isinstance(content, dict):
            return content
        implied: dict[str, object] = {}
        if "pattern" not in content:
            patterns = [pattern for key, pattern in IMPLIED_PATTERN.items() if content.get(key) is not None]
            implied |= {"pattern": patterns[0]} if patterns else {}
        if "arrivals" not in content and content.get("load") is not None:
            implied["arrivals"] = "poisson"
        elif "arrivals" not in content and "trace" in (content.get("pattern"), implied.get("pattern")):
            implied["arrivals"] = "none"
        return {**implied, **content}

    @property
    def block_bytes(self) -> float:
        """Data of a block."""
        if self.block is None:
            return self.moves.payload_bytes
        return magnitude(self.block, "byte") if isinstance(self.block, str) else self.block

    @property
    def block_packets(self) -> int:
        """Requests of a block."""
        return max(1, math.ceil(self.block_bytes / self.moves.payload_bytes)) if self.arrivals == "closed" else 1

    @property
    def moves(self) -> Transaction:
        """The packets that `transaction` names."""
        if isinstance(self.transaction, Mix):
            return send(*((int(size), share) for size, share in self.transaction.sizes.items()))
        if self.transaction == "mixed":
            # picker1994, Section 5.1.
            return send((80, 0.4), (16, 0.6))
        known = TRANSACTIONS.get(self.transaction)
        return known or send((int(self.transaction.removeprefix("send")), 1.0))
