"""The base class of topologies."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.garbage import uncollected
from ringlet.lazy import library
from ringlet.rings import drawing
from ringlet.scenario.values.framing import MOST_FRAMING_SYMBOLS, Framing, framing_symbols
from ringlet.scenario.values.link_format import ECHO_BYTES, LINK_WIDTH, EchoSize
from ringlet.scenario.values.node_names import check_names
from ringlet.scenario.values.per_node import (
    LengthPerLink,
    LinkRatePerLink,
    LinkRatePerRing,
    PositiveTimePerNode,
    some_rings,
)
from ringlet.scenario.values.units import MAX_CYCLES, Time, exact_cycles, size_bytes
from ringlet.sections import Field
from ringlet.sections.plugins import Chosen, name_needed

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from ringlet.rings import Banyan, Routes
    from ringlet.rings import Network as Rings
else:
    np = library("numpy")

LinkWidth = Literal[8, 16, 32, 64]
"""Bits of a symbol: an idle of SCI has 8 bits of information, and 64 are an echo."""

MAX_NODES = 65_536
MAX_PORTS = 256

KEPT_NODES = 1024
"""Nodes up to which a network is kept: some 100 kB."""

MOST_KEPT = 16
"""Networks that are kept at a time."""

DEFAULT_TOPOLOGY = "ring"
"""The topology of a scenario that does not name one."""


class Network(Chosen):
    """Rings, nodes and switches."""

    chosen_by: ClassVar[str] = "topology"

    topology: str
    nodes: int = Field(
        ge=1,
        le=MAX_NODES,
        description="Nodes of the whole network. On a ring node `i` feeds node `i + 1` modulo this number. Of a "
        "multistage "
        "network it is twice its `size`; it need not be given where other keys say it.",
    )
    link_rate: LinkRatePerLink = Field(
        default="1 GB/s",
        description="Data rate of a link, without what its coding adds. One symbol passes per cycle: of 16 bits in "
        "2 ns at 1 GB/s, in 4 ns at 500 MB/s. Default: "
        "`1 GB/s`; with switches `500 MB/s`. Or a table with the rate of each ring by its name, `ring 0`, and `others` "
        "for those that it does not name: a cycle is a symbol time of the fastest, of which a symbol of each other "
        "ring takes a whole number. On one ring a list, one for each node's outgoing link, or a table by the node that "
        "a link leaves: the ring has the rate of the fastest, and a slower link, of any rate down to a thousandth of "
        "it, carries packets one behind the other.",
    )
    link_width: LinkWidth = Field(
        default=LINK_WIDTH,
        description="Bits of a symbol, which a link carries at once: 8, 16, 32 or 64, the same on all rings. Packets "
        "and echoes have as many bytes on each, and an idle is one symbol. A narrower link carries the bits of each "
        "symbol one behind the other: give the symbol's bits here, and the rate of the data as `link_rate`.",
    )
    hop_delay: PositiveTimePerNode = Field(
        default=1,
        description="Cycles, or a time, from one node's output to the next node's input (parse, wire, latch); a time "
        "is rounded up to whole cycles. At most 1,000,000,000 cycles, cable included; 1,000,000 with a protocol that "
        "is written in Python. Default: 1; with switches `69 ns` (1 ns of cable, 20 ns of "
        "address decoding, 48 ns of bypass FIFO). Or a list, one for each node's outgoing link; those of ports keep "
        "the default then. Or a table: a node's name or number, or `switch.port`, stands for its outgoing link, "
        "`ring 0` for all links of a ring, and `others` for all that it does not name.",
    )
    cable_length: LengthPerLink = Field(
        default=0,
        description="Length of each link's cable, in metres or with a unit: what a signal takes on it is added to "
        "`hop_delay`, and both are rounded up together. Or a list, or a table, as for `hop_delay`.",
    )
    cable_delay: Time = Field(
        default="5 ns",
        description="Time that a signal takes for a metre of cable, of copper or fibre: two thirds of the speed of "
        "light are 5 ns.",
    )
    framing: Framing = Field(
        default=0,
        description="Symbols that every packet, echoes too, carries on the link beside its bytes and its one idle, at "
        "most 4. Or a format: `ethernet`, `hsr`, `rpr`, `sci`, or a table with the bytes of its `preamble`, `header`, "
        "`crc` and `gap`. A packet then has these in place of SCI's header and CRC, 16 of its bytes, and of its idle.",
    )
    echoes: bool | None = Field(
        default=None,
        description="Does a destination answer each packet with an echo? `false`: all of a packet is taken off the "
        "ring, a sender forgets it once it is sent, and one that finds its receive queue full is lost. Default: "
        "`true`; `false` on one ring with `metaring` or `rpr`, where nothing needs echoes, such as `[errors]`.",
    )
    echo_size: EchoSize = Field(
        default=ECHO_BYTES,
        description="Bytes of an echo, without framing: whole symbols, 8 to 64, and fewer than the shortest packet "
        "has. Default: 8, which are the target, command, source and CRC of SCI. The offered load is that of packets, "
        "and stays as it is.",
    )
    stripped_by: Literal["last-receiver", "source"] | None = Field(
        default=None,
        description="With flows that are `multicast`: the station that takes a packet off the ring, its "
        "`last-receiver` on the way or its `source`, to which it comes back. Default: the last receiver; the source "
        "with echoes, of which such a packet has only itself, and where packets take both of two rings.",
    )
    bypass: Literal["cut-through", "store-and-forward"] | None = Field(
        default=None,
        description="Where there are switches: may a packet leave an interface that it passes before all of it is "
        "there? "
        "Default `cut-through`.",
    )
    pass_delay: Time = Field(
        default=0,
        description="Where there are switches: time for which a packet or echo waits at an interface that it passes, "
        "beside the hop delay, but at most until all of it is there. What is stripped does not wait: give the hop "
        "delay of stripping, and here by how much passing takes longer.",
    )

    node_names: list[str] | None = Field(
        default=None,
        min_length=1,
        description="What nodes are called, in the order of their numbers: in results, and wherever a file would have "
        "a node's number. Default: `node 0`, `node 1`, ... on a ring; with switches `P0` a processor, `M0` a memory, "
        "`N0` a node that is both, which name them in a file, too.",
    )

    follows_traffic: ClassVar[bool] = False
    """Do the ways of packets depend on how much is sent where? Then `ways` says by which rule."""
    switched: ClassVar[bool] = True
    """May there be more than one ring?"""
    rates_by_link: ClassVar[bool] = False
    """May links of one ring have different rates?"""
    has_ports: ClassVar[bool] = True
    """True if rings, where there may be several, are joined by the ports of switches."""
    both_ways: ClassVar[bool] = False
    """True if two rings lead round all nodes against each other, of which a packet takes the shorter way."""
    counted_by: ClassVar[str | None] = None
    """The key from which the number of nodes follows; None: `nodes` itself."""

    @classmethod
    def schema_changed(cls, schema: dict[str, Any]) -> None:
        """Makes the JSON Schema require the topology's name, but not `nodes`, which other keys may make."""
        name_needed(cls, schema, "The topology of which these are the keys.", DEFAULT_TOPOLOGY)
        required = [key for key in schema.pop("required", ()) if key != "nodes"]
        if required:
            schema["required"] = required

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Fills in what follows from other keys."""
        return cls.completed(dict(content))

    @classmethod
    def completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Returns the section with the number of nodes that other keys make, where it is not given.

        Raises:
            RingletError: the key that says it is missing.
        """
        names = content.get("node_names")
        if isinstance(names, list) and names:
            content = {"nodes": len(names), **content}
        key = cls.counted_by
        if key is None:
            return content
        if content.get(key) is None:
            raise RingletError(f"network.{key}: missing; topology {content.get('topology')!r} needs it")
        # Where the number is not known, another key is wrong, and that will be said.
        return {"nodes": cls.counted(content) or 1, **content}

    @classmethod
    def counted(cls, content: Mapping[str, Any]) -> int | None:
        """Returns how many nodes other keys make, or None if they do not say or are wrong."""
        del content
        return None

    def _fits_together(self, folder: Path) -> None:
        self._check_echo(framing_symbols(self.framing, self.link_width // 8))
        self.check()
        self.check_nodes()
        if self.node_names is not None:
            check_names(self.node_names, self.nodes)

    def _check_echo(self, framing: int) -> None:
        """Raises RingletError for an echo that does not fill its symbols, or has more than the engine takes."""
        echo, symbol = round(size_bytes(self.echo_size)), self.link_width // 8
        if echo % symbol:
            allowed = f"whole symbols, of {symbol} bytes each with this network.link_width"
            raise RingletError.not_allowed("network.echo_size", self.echo_size, allowed)
        if (echo - ECHO_BYTES) // symbol + framing > MOST_FRAMING_SYMBOLS:
            most = ECHO_BYTES + symbol * (MOST_FRAMING_SYMBOLS - framing)
            allowed = f"at most {most} bytes with {framing} symbols of network.framing"
            raise RingletError.not_allowed("network.echo_size", self.echo_size, allowed)

    def check_nodes(self) -> None:
        """Raises RingletError if other keys make another number of nodes."""
        counted = self.counted(dict(self.items()))
        if counted is not None and self.nodes != counted:
            allowed = f"{counted}, which network.{self.counted_by} makes"
            raise RingletError.not_allowed("network.nodes", self.nodes, allowed)

    def check(self) -> None:
        """Raises RingletError for the first key that does not fit the topology: here, one that only switches have."""
        if not isinstance(self.link_rate, str) and not self.rates_by_link:
            given = "<a list>" if isinstance(self.link_rate, list) else "<a table>"
            allowed = "one rate, which all links of this topology have; topology 'ring' takes one for each link"
            raise RingletError.not_allowed("network.link_rate", given, allowed)
        if self.bypass is not None:
            raise RingletError.not_allowed("network.bypass", self.bypass, "a topology with switches")
        if self.pass_delay != 0:
            raise RingletError.not_allowed("network.pass_delay", self.pass_delay, "a topology with switches")

    @abstractmethod
    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, nodes and switches, and how packets are routed.

        Raises:
            RingletError: what is given is no network.
        """

    @property
    @abstractmethod
    def title(self) -> str:
        """Kind of network, in words."""

    @property
    def framing_symbols(self) -> int:
        """Symbols of each packet beside its bytes and its idle."""
        return framing_symbols(self.framing, self.link_width // 8)

    @property
    def passes_at_once(self) -> bool:
        """True if what passes an interface waits no longer than what is stripped."""
        return not exact_cycles(self.pass_delay, 1.0)

    @property
    def switch_names(self) -> Sequence[str] | None:
        """The names of the switches in the file, in their order; None: the file uses their numbers."""
        return None

    @property
    def ring_names(self) -> Sequence[str] | None:
        """The names of the rings in the file, in their order; None: the file uses those of tables and messages."""
        return None

    @property
    def stages(self) -> "Banyan | None":
        """The lines and stages of a multistage network; None for any other."""
        return None

    @property
    def counter_rotating(self) -> tuple[int, int] | None:
        """The two rings through the same stations in opposite directions, which can be joined; None: there are none."""
        return None

    @property
    def has_echoes(self) -> bool:
        """False if no destination sends echoes where nothing else is said and nothing needs them."""
        return True

    @property
    def long_rings(self) -> bool:
        """True if rings lead through several switches where ringlets would join two places each."""
        return False

    def drawn(self, rings: "Rings") -> "Figure":
        """Returns the drawing of the network: by default each ring is a circle."""
        # Late: matplotlib takes a while to load.

        return drawing.draw_circles(rings, self.title)


_kept: "dict[str, tuple[Rings, Routes]]" = {}


def routed(section: Network) -> "tuple[Rings, Routes]":
    """Returns rings, nodes and switches, and how packets are routed.

    The points of a study often have the same network: the last small ones are kept.

    Raises:
        RingletError: lists of rings that are no network.
    """
    if section.nodes > KEPT_NODES:
        return _named_network(section)
    key = json.dumps(section.table())
    found = _kept.get(key)
    if found is None:
        found = _named_network(section)
        # Each of several threads may find the oldest one gone already.
        while len(_kept) >= MOST_KEPT and (oldest := next(iter(list(_kept)), None)) is not None:
            _kept.pop(oldest, None)
        _kept[key] = found
    return found


@uncollected()
def _named_network(section: Network) -> "tuple[Rings, Routes]":
    """Builds the network with the names that the file gives its nodes."""
    built = section.built()
    if section.added_by:
        _check_built(built, section.nodes, section.added_by)
    network, routes = built
    if isinstance(section, SwitchedNetwork) and section.without_rings:
        routes = _round_rings(section.without_rings, section.ring_names, network, routes)
    return (network if section.node_names is None else replace(network, node_names=tuple(section.node_names))), routes


def _round_rings(without: Sequence[str], names: Sequence[str] | None, network: "Rings", routes: "Routes") -> "Routes":
    """Returns routes round some rings, by the names that a file gives them.

    Raises:
        RingletError: a ring that is not there, or is named twice.
    """
    known = {name: number for number, name in enumerate(names or map(network.names.ring, range(network.rings)))}
    interrupted = np.zeros(network.rings, dtype=bool)
    for index, name in enumerate(without):
        if name not in known or name in without[:index]:
            allowed = f"the name of a ring, each once: {some_rings(known)}"
            raise RingletError.not_allowed(f"network.without_rings[{index}]", name, allowed)
        interrupted[known[name]] = True
    return ring_networks.routes_without(network, routes, interrupted)


def _check_built(built: object, nodes: int, added_by: str) -> None:
    """Raises RingletError if a topology of an installed package builds something else than a network of its nodes and
    routes on it.
    """
    kinds = [type(one) for one in built] if isinstance(built, tuple) else [type(built)]
    if kinds != [ring_networks.Network, ring_networks.Routes]:
        given = " and ".join(kind.__name__ for kind in kinds) or "nothing"
        raise RingletError(f"{added_by}, whose built gives {given}; allowed: a Network and its Routes")
    assert isinstance(built, tuple)
    if (wrong := ring_networks.misfit(built[0], built[1], nodes)) is not None:
        raise RingletError(
            f"{added_by}, whose built gives {wrong}; allowed: a Network and its Routes, as they document"
        )


class SwitchedNetwork(Network):
    """A network with switches, and the links that go with them."""

    # Links where there are switches (richter1999, Section 6.8): 1 ns of cable, 20 ns of address decoding, 48 ns of
    # bypass FIFO.
    link_rate: LinkRatePerRing = Field(default="500 MB/s", description=Network.fields["link_rate"].description)
    hop_delay: PositiveTimePerNode = Field(default="69 ns", description=Network.fields["hop_delay"].description)
    without_rings: list[str] | None = Field(
        default=None,
        min_length=1,
        description="Rings round which all ways lead, by name: the network as it is once a link of each of them has "
        "failed and the routes have changed (`errors.steers_after`). What has no other way is refused. Default: none.",
    )

    def check(self) -> None:
        """Raises RingletError for the first key that does not fit another one: by default, none."""


def product(factors: Sequence[object]) -> int | None:
    """Returns the product of whole numbers, of the first ones where that is far too large; None if others are there."""
    made = 1
    for factor in factors:
        if not isinstance(factor, int) or isinstance(factor, bool):
            return None
        if made <= MAX_CYCLES:
            made *= factor
    return made
