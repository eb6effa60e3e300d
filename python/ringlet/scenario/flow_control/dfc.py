"""DFC, directed flow control (todd2001)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import CONTROL_BYTES, Reading, Ring, bits_of, default
from ringlet.scenario.flow_control.real_time import MixedRing
from ringlet.scenario.values.units import MAX_COUNT, Count
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

MAX_NODES = 256

PRIORITY_BITS = 8
"""Bits of a priority in a control symbol."""
"""A control symbol has 32 bits (todd2001, Section 3), and names nodes with 8 of them."""


class Dfc(MixedRing):
    """Directed flow control of todd2001: full receivers stop those who send to them. At most 256 nodes; one may starve
    behind its equals."""

    protocol: Literal["dfc"] = "dfc"
    high_water: Count | None = Field(
        default=None,
        description="Packets in a receive queue from which on senders are stopped. Default: `queues.receive`.",
    )
    low_water: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="Packets at which they are released, less than `high_water`. Default: 1, or 0 with a "
        "`high_water` of 1.",
    )
    stop_thru: bool | None = Field(
        default=None,
        description="Does a node that lacks room announce its priority to those upstream? Default: `true`.",
    )
    fair: bool | None = Field(default=None, description="Are nodes of equal priority granted in turn? Default: `true`.")

    lemmas: ClassVar[tuple[int, ...]] = (4, 5, 6)
    bounded_with: ClassVar[Mapping[str, Any]] = {"stop_thru": False}
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = "its control symbols overtake packets, and on a slow link nothing does"

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        if ring.nodes > MAX_NODES:
            allowed = f"at most {MAX_NODES} on a ring with protocol 'dfc', whose control symbols name nodes with 8 bits"
            raise RingletError.not_allowed("network.nodes", ring.nodes, allowed)
        # A queue without limit never stops a sender.
        places = MAX_COUNT if ring.receive is None else ring.receive
        high = default(self.high_water, places)
        if high > places:
            allowed = f"1 to {places}, the places that queues.receive sets"
            raise RingletError.not_allowed("flow_control.high_water", high, allowed)
        low = default(self.low_water, min(1, high - 1))
        if low >= high:
            raise RingletError.not_allowed(
                "flow_control.low_water", low, f"below flow_control.high_water, which is {high}"
            )
        return {
            "bypass_symbols": self.bypass_symbols(ring),
            "high_water": high,
            "low_water": low,
            "stop_thru": default(self.stop_thru, True),
            "fair": default(self.fair, True),
            "control_symbols": ring.link_format.words(CONTROL_BYTES),
        }

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (todd2001, Section 3.2)."""
        node, places = bits_of(MAX_NODES), None if ring.receive is None else bits_of(ring.receive + 1)
        others = ring.nodes - 1
        return {
            "packets granted, and symbols due, of each class": None if places is None else 4 * places,
            "blocked, of each class": 2,
            "priority collected, and of whom, of each class": 2 * (1 + PRIORITY_BITS + node),
            "node granted last, of each class": 2 * node,
            "own announcement": 1 + PRIORITY_BITS,
            "announcements of the others": others * (1 + PRIORITY_BITS),
            "blocked destinations, of each class": 2 * others,
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 3."""
        if self.base_nodes:
            raise response_bounds.NoBoundError(
                "nodes with SCI's own flow control follow no STOP symbol; there is a bound without "
                "flow_control.base_nodes"
            )
        if options["stop_thru"] and len(set(flows.priority.tolist())) > 1:
            raise response_bounds.NoBoundError(
                "announcements of STOP-THRU may call forth each other where packets have several priorities; there "
                "is a bound with flow_control.stop_thru = false, or with one priority"
            )
        return response_bounds.Directed(
            flows, options["stop_thru"], options["control_symbols"], options["high_water"], options["bypass_symbols"]
        )

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns what is there for packets, and two control symbols of each node: they are sent whatever the space."""
        del longest_symbols
        return int(options["bypass_symbols"]) + 2 * nodes * int(options["control_symbols"])

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            awaited="an idle, and for space in the bypass FIFO",
            held_back="a STOP symbol, or too many packets under way, keeps all back",
            made="control symbol",
        )
