"""TRAIN, arbitration by a train of tickets (todd2001)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import Grants, Reading, Ring, bits_of, default
from ringlet.scenario.flow_control.real_time import RealTime
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node
from ringlet.scenario.values.per_node import NO_LIMIT
from ringlet.scenario.values.units import MAX_COUNT, Count, PositiveTime, Time, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

MAX_SYMBOLS = 140
"""Longest train head or ticket, in symbols."""

MAX_TICKETS = 1024
"""Most tickets of one node in a train; the engine has the same limit."""

LOCOMOTIVE_BYTES = 8
"""Bytes of the LocalMotive: as many as an echo."""

TICKET_BYTES = 4
"""Bytes of a ticket."""

TICKETS = 8
"""Most tickets of a node in a train by default."""


class Train(RealTime):
    """TRAIN of todd2001: arbitration by a train of tickets, which every node rewrites as it passes."""

    lemmas: ClassVar[tuple[int, ...]] = (9, 10, 11)
    bounded_with: ClassVar[Mapping[str, Any]] = {"size": NO_LIMIT}
    class_order: ClassVar[str] = "oldest"
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = (
        "its trains follow one another at the rate of the ring, and idles that a slow link makes part them"
    )

    protocol: Literal["train"] = "train"
    inheritance: bool | None = Field(
        default=None,
        description="Does the next response of a node inherit priority and age of a request's ticket that the node has "
        "deleted because it had no place? Default: `true`. Without it reads may come to a standstill.",
    )
    ticket_master: Node | None = Field(
        default=None,
        description="The node that makes the train; where there are several rings each has a train, and this is the "
        "place on each, which on the second ring through all nodes counts from the last node. Default: 0.",
    )
    locomotive: Annotated[int, Field(ge=1, le=MAX_SYMBOLS)] | None = Field(
        default=None,
        description="Symbols of the LocalMotive, the train's head. Default: 4 of 16 bits, or as many as 8 bytes are.",
    )
    ticket: Annotated[int, Field(ge=1, le=MAX_SYMBOLS)] | None = Field(
        default=None, description="Symbols of a ticket. Default: 2 of 16 bits, or as many as 4 bytes are."
    )
    delay: Time | None = Field(
        default=None, description="Time that a node takes to rewrite a train. Default: 4 cycles."
    )
    tickets_per_node: Annotated[int, Field(ge=1, le=MAX_TICKETS)] | None = Field(
        default=None,
        description="Tickets that a node may add to a train at most: one, and others for priorities above the lowest "
        f"for which nodes ask. Default: {TICKETS}.",
    )
    size: Count | Literal["unlimited"] | None = Field(
        default=None,
        description="Symbols that a train may grant, each packet with its idle; one packet in any case. `unlimited`: "
        "only in the mode `arbitrated`. Default: the longest packet of the traffic for each node.",
    )
    mode: Literal["arbitrated", "switching", "gearshift"] | None = Field(
        default=None,
        description="When there is arbitration. `arbitrated`: always; `switching`: above a load, and else "
        "the train carries the bandwidth left; `gearshift`: above a load, and else the ring is base SCI. Default: "
        "`arbitrated`.",
    )
    shift_up: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="Share of the bandwidth in use, of what a LocalMotive may hand out or of a node's output, from "
        "which on arbitration begins. Default: 0.8.",
    )
    shift_down: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Share of the size filled by a request train below which arbitration ends. Default: 0.3.",
    )
    load_window: PositiveTime | None = Field(
        default=None,
        description="Least time for which a node measures its output, while there is no arbitration, before it judges "
        "the load. Default: 1024 cycles.",
    )

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        master = default(self.ticket_master, 0)
        if master >= ring.fewest:
            allowed = f"a node below {ring.fewest}"
            if ring.fewest < ring.nodes:
                allowed = f"a place below {ring.fewest}, the interfaces of the smallest ring"
            raise RingletError.not_allowed("flow_control.ticket_master", master, allowed)
        mode, tickets = self.mode or "arbitrated", default(self.tickets_per_node, TICKETS)
        size = default(self.size, min(ring.nodes * (ring.longest_symbols + 1), MAX_COUNT))
        if size == "unlimited" and mode != "arbitrated":
            raise RingletError.not_allowed("flow_control.size", size, f"a number of symbols with mode {mode!r}")
        locomotive = (
            default(self.locomotive, ring.link_format.words(LOCOMOTIVE_BYTES)) + ring.link_format.framing_symbols
        )
        ticket, delay = self._ticket(ring.link_format), cycles(default(self.delay, 4), ring.symbol_time_ns)
        return {
            "ticket_master": master,
            "locomotive_symbols": locomotive,
            "ticket_symbols": ticket,
            "delay_cycles": delay,
            "tickets_per_node": tickets,
            "size_symbols": size if isinstance(size, int) else None,
            "mode": mode,
            "shift_up": default(self.shift_up, 0.8),
            "shift_down": default(self.shift_down, 0.3),
            "load_cycles": cycles(default(self.load_window, 1024), ring.symbol_time_ns),
            "inheritance": default(self.inheritance, True),
        }

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (todd2001, Section 2.3)."""
        options = self.resolved(ring)
        own = bits_of(options["tickets_per_node"] + 1)
        found: dict[str, int | None] = {
            "own packets with tickets in the train, and granted": 2 * own,
            "packets granted to it, of each class": None if ring.receive is None else 2 * bits_of(ring.receive + 1),
            "time to rewrite a train": bits_of(options["delay_cycles"] + 1),
            "lowest priority for which nodes have asked": bits_of(MAX_LEVELS),
        }
        if options["mode"] != "arbitrated":
            found |= {"gear": 1, "load": 2 * bits_of(options["load_cycles"] + 1)}
        if options["mode"] == "gearshift":
            found |= {"go bits of the low gear": 2, "has sent": 1, "extends": 1}
        return found

    def queues(self, ring: Ring) -> dict[str, int | None]:
        """Returns the symbols of the bypass FIFO, and of the tickets that a node has deleted and waits to see again."""
        options = self.resolved(ring)
        tickets = ring.nodes * options["tickets_per_node"] * options["ticket_symbols"]
        return super().queues(ring) | {"deleted tickets": 0 if ring.receive is None else 2 * tickets}

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries: the go bit of the low gear."""
        return 1 if self.mode == "gearshift" else 0

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 5."""
        if options["mode"] != "arbitrated":
            raise response_bounds.NoBoundError(
                "no bound is proven for a train that shifts; there is one with flow_control.mode = 'arbitrated'"
            )
        # A node asks for more than one packet only above the lowest priority.
        tickets = options["tickets_per_node"] if len(set(flows.priority.tolist())) > 1 else 1
        asked = flows.nodes * tickets * int(flows.packet.max())
        if options["size_symbols"] is not None and options["size_symbols"] < asked:
            raise response_bounds.NoBoundError(
                "a train of limited size may cut tickets off again and again; there is a bound with "
                f"flow_control.size = 'unlimited', or {asked} and more"
            )
        return response_bounds.Trains(
            flows,
            options["ticket_master"],
            options["locomotive_symbols"],
            options["ticket_symbols"],
            options["delay_cycles"],
            tickets,
        )

    @property
    def acts_at_rest(self) -> bool:
        """True if gears change when a load has been measured, which may be after the last packet."""
        return self.mode == "gearshift"

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {"flow_control.delay": self.delay, "flow_control.load_window": self.load_window}

    def grants(self, link_format: LinkFormat) -> Grants | None:
        """Returns a ticket for each packet where there is always arbitration."""
        if self.mode not in (None, "arbitrated"):
            return None
        return Grants(self._ticket(link_format), default(self.ticket_master, 0))

    def _ticket(self, link_format: LinkFormat) -> int:
        """Returns the symbols of a ticket."""
        return default(self.ticket, link_format.words(TICKET_BYTES))

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns what two trains may grant, of which all may be there, and the longest train; and without
        arbitration what comes in while the longest packet is sent.
        """
        tickets, packet = nodes * options["tickets_per_node"], longest_symbols + 1
        granted = default(options["size_symbols"], tickets * packet)
        train = options["locomotive_symbols"] + tickets * options["ticket_symbols"] + 1
        without = 0 if options["mode"] == "arbitrated" else packet
        return int(2 * max(granted, packet) + train + without)

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        if self.mode == "gearshift":
            return Reading(
                go_bits=1, awaited="an idle with a go bit, or a ticket in the train", made="train", takes_ahead=True
            )
        return Reading(awaited="a ticket in the train", made="train", takes_ahead=True)
