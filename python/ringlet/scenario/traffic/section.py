"""The traffic section: what the nodes send, where, and when."""

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet import rings
from ringlet.errors import RingletError
from ringlet.scenario.packet_trace.section import PacketTrace
from ringlet.scenario.traffic.arrivals import (
    ARRIVALS,
    IN_WORDS,
    Arrivals,
    ArrivalsName,
    Block,
    NoArrivals,
    Pause,
    Phase,
    Poisson,
    Saturated,
)
from ringlet.scenario.values.destinations import Destinations, Pattern, check_destinations
from ringlet.scenario.values.transactions import (
    ALLOWED,
    DEFAULT_TRANSACTION,
    MAX_BYTES,
    MIN_BYTES,
    SCI_MAX_BYTES,
    Transaction,
    is_size,
    send,
    transaction,
)
from ringlet.scenario.values.units import Rate, size_bytes
from ringlet.sections import After, Before, Field, Section, refuse
from ringlet.sections.plugins import Chosen, name_needed

if TYPE_CHECKING:
    from ringlet.rings import Network

DEFAULT_PATTERN = "uniform"
"""The pattern of a section that does not name one, by none of its keys either."""

TOLERANCE = 5e-10
"""Largest deviation from 1 of the sum of probabilities: half of what the engine takes, which adds in another order."""


def _is_transaction(value: object) -> object:
    if isinstance(value, str) and transaction(value) is None:
        raise refuse(ALLOWED)
    return value


def _are_sizes(value: object) -> object:
    if not isinstance(value, dict) or not value:
        raise refuse('a table of packet bytes and probabilities, such as {"80" = 0.4, "16" = 0.6}')
    if not all(isinstance(key, str) and is_size(key) for key in value):
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
        Before(_are_sizes),
        After(_sum_to_one),
    ] = Field(
        description="Packet bytes (header, data, CRC) and their probabilities.",
    )


class TrafficSection(Chosen):
    """The traffic of the nodes: packets, destinations and arrivals."""

    chosen_by: ClassVar[str] = "pattern"

    pattern: str
    transaction: Annotated[str | Mix, Before(_is_transaction)] = Field(
        default=DEFAULT_TRANSACTION,
        description="`sendN`: send packets of `N` bytes (even, 16 to `largest_packet`). `mixed`: 40 % send80 and 60 % "
        "send16. Or "
        '`{sizes = {"80" = 0.4, "16" = 0.6}}`. Or one of SCI: with a response `read64` (also `nread64`), `nread256`, '
        "`nwrite16`, `nwrite64`, `nwrite256` and, of 16 bytes, `readsb`, `writesb`, `locksb`; without one `dmove00`, "
        "`dmove16`, `dmove64`, `dmove256`, `nmove...` and `event...` (which have an echo here, unlike SCI's).",
    )
    largest_packet: int | None = Field(
        default=None,
        ge=MIN_BYTES,
        le=MAX_BYTES,
        description="Bytes of the longest packet that may be sent, of which longer traffic is refused. Default: "
        f"{SCI_MAX_BYTES}, as SCI's; {MAX_BYTES:,} with `metaring`, `token-ring`, `timed-token`, `slotted-ring` and "
        "`rpr`.",
    )
    arrivals: ArrivalsName = Field(
        default=Saturated.name,
        description=f"When requests are generated. {IN_WORDS}. Default: `{Poisson.name}` if a load is given, else "
        f"`{Saturated.name}`, but `{NoArrivals.name}` with a trace, and if a scenario with messages has no `[traffic]` "
        "at all.",
    )
    load: Rate | list[Rate] | None = Field(
        default=None,
        description="Offered load of each node, or a list with one per node; 1 word per cycle is the link rate.",
    )
    load_factor: float | None = Field(
        default=None,
        gt=0,
        le=1e6,
        description="Every load is multiplied by it: an axis of a study over loads that differ from node to node.",
    )
    load_counts: Literal["payload", "gross"] = Field(
        default="payload",
        description="What `load` counts. `payload`: the data of the transactions, or all bytes of packets that move "
        "none; "
        "`gross`: all bytes of the packet with the data, and 4 bytes of idles.",
    )
    phase: Phase = 0
    block: Block = None
    pause: Pause = 0
    priority: Annotated[int, Field(ge=0)] | list[Annotated[int, Field(ge=0)]] = Field(
        default=0,
        description="Send priority of each node's packets, or a list with one per node, 0 the lowest; below "
        "`queues.priorities` or `flow_control.priorities`.",
    )
    priorities: list[Annotated[int, Field(ge=0)]] | None = Field(
        default=None,
        min_length=1,
        description="Instead of `priority`: each node splits its load evenly over these, such as `[0, 1, 2]`.",
    )

    @classmethod
    def schema_changed(cls, schema: dict[str, Any]) -> None:
        """Says how a pattern is chosen."""
        name_needed(
            cls,
            schema,
            f"Where packets go. Default: the pattern of which a key is given, else `{DEFAULT_PATTERN}`.",
            DEFAULT_PATTERN,
            implied=True,
        )

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Makes arrivals those that go with the other keys, where they are not given."""
        arrivals = Poisson.name if content.get("load") is not None else cls.own_arrivals
        return {"arrivals": arrivals, **content}

    own_arrivals: ClassVar[str] = Saturated.name
    """Arrivals where neither they nor a load are given."""

    @property
    def arrival_process(self) -> Arrivals:
        """The arrivals that `arrivals` names."""
        return ARRIVALS[self.arrivals]

    @property
    def replayed(self) -> PacketTrace | None:
        """The trace that says when packets start and where they go; None: arrivals and the pattern do."""
        return None

    @abstractmethod
    def pattern_on(self, network: "Network", folder: Path) -> "Pattern":
        """Returns where the packets of each node go.

        Args:
            network: rings, nodes and switches.
            folder: where names of files start from.

        Raises:
            RingletError: a key that does not fit the network.
        """

    @property
    def has_load(self) -> bool:
        """True if something says how much nodes offer."""
        return self.load is not None

    def load_by(self, pattern: "Pattern") -> float | str | list[float | str] | None:
        """Returns the offered load of each node, or that of all: the one that is given, or what the pattern says."""
        del pattern
        return self.load

    @property
    def block_bytes(self) -> float:
        """Data of a block."""
        if self.block is None:
            return self.moves.payload_bytes
        return size_bytes(self.block)

    @property
    def block_packets(self) -> int:
        """Requests of a block."""
        return max(1, math.ceil(self.block_bytes / self.moves.payload_bytes)) if self.arrival_process.in_blocks else 1

    @property
    def moves(self) -> Transaction:
        """The packets that `transaction` names."""
        if isinstance(self.transaction, Mix):
            return send(*((int(size), share) for size, share in self.transaction.sizes.items()))
        named = transaction(self.transaction)
        assert named is not None, "the section is checked"
        return named


class Traffic(TrafficSection):
    """Traffic whose pattern says for each node where its packets go."""

    def pattern_on(self, network: "Network", folder: Path) -> "Pattern":
        """Returns what `between_nodes` says, or `to_memories` where there are memories."""
        if not (network.roles == rings.Role.MEMORY).any():
            return Pattern(network.nodes, self._said("between_nodes", network, range(network.nodes)))
        destinations: list[Destinations | None] = [None] * network.nodes
        processors = network.senders.tolist()
        for processor, to in zip(processors, self._said("to_memories", network, processors), strict=True):
            destinations[processor] = to
        return Pattern(network.nodes, tuple(destinations))

    def _said(self, method: str, network: "Network", sources: Sequence[int]) -> "tuple[Destinations | None, ...]":
        """Returns what a method says of each source, checked if the pattern is that of an installed package."""
        given = getattr(self, method)(network)
        if not self.added_by:
            return tuple(given)
        if not isinstance(given, Iterable):
            raise RingletError(f"{self.added_by}, whose {method} gives {given!r}; allowed: destinations of each node")
        destinations = tuple(given)
        try:
            check_destinations(destinations, sources, network.nodes)
        except RingletError as error:
            raise error.behind(f"{self.added_by}, whose {method} ") from error
        return destinations

    @abstractmethod
    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns where each node sends, if all of them compute; None for one that sends nothing."""

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns where each processor sends, if processors send to memories."""
        allowed = "'uniform', 'local', 'hot-spot', 'permutation' or 'matrix' where processors send to memories"
        raise RingletError.not_allowed("traffic.pattern", self.pattern, allowed)
