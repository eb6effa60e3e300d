"""PPQ, preemptive priority queues (todd2001)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.scenario.flow_control.go_bits import GoBits
from ringlet.scenario.flow_control.protocol import Reading, Ring, bits_of
from ringlet.scenario.flow_control.real_time import MixedRing
from ringlet.scenario.values.units import PositiveTime, Time, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

EVENT_BYTES = 16
"""An event message: a header with its CRC."""

KEPT_ECHOES = 2
"""Echoes that the bypass FIFO has room for by default, beside the longest packet: one that is inserted, and one of a
packet that is preempted."""

ECHO_WAIT_SYMBOLS = 400
"""A late echo waits for so long for a packet in whose place it can leave. No source has a time; a fit."""

IN_PLACE = "none"
"""Choice of `late_echo` under which no echo is late."""

NO_SENDER = 256
"""The go level at which no node may send."""


class Ppq(GoBits, MixedRing):
    """PPQ of todd2001: preemptive priority queues, and idles that carry a go level by the rules of SCI's go bit."""

    protocol: Literal["ppq"] = "ppq"
    inheritance: bool | None = Field(
        default=None,
        description="Do sent packets inherit the priority of what waits for their place in the echo-waiting "
        "queue, by an event message? Default: `false`.",
    )
    late_echo: Literal["none", "service-end", "service-start"] | None = Field(
        default=None,
        description="When the echo of an accepted packet is made; until then the packet can be preempted "
        "or, with `service-end`, is being served. `none`: with the packet's last symbols, as in SCI, and what has been "
        "accepted is not preempted. Default: `service-end`; `none` where all packets of the traffic have one priority, "
        "so that nothing can be preempted.",
    )
    echo_wait: Time | None = Field(
        default=None,
        description="A late echo leaves in place of the last symbols of the next packet that its node accepts; where "
        "none comes for so much time, it is inserted like an own packet. Default: 400 symbols.",
    )
    ageing: PositiveTime | None = Field(
        default=None,
        description="The effective priority of a packet in a bypass FIFO rises by 1 in so much time. "
        "Default: it does not.",
    )
    overtakes: Literal["lower", "busy-echoes"] | None = Field(
        default=None,
        description="What a packet may be sent over, behind any idle, in the bypass FIFO of its node. `lower`: send "
        "packets of lower priority, which it may preempt, if it has not been refused before. `busy-echoes`: also "
        "busy echoes alone, there or where one begins to pass, and by any packet: the ping-pong of todd2001, which "
        "starves nodes of base SCI. Default: `lower`.",
    )

    lemmas: ClassVar[tuple[int, ...]] = (4, 5, 7, 8)
    preempts: ClassVar[bool] = True
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = "its idles carry levels of priority, of which none stands for several"

    def needs_echoes(self) -> str | None:
        """Returns what it needs echoes for."""
        return "a receiver may preempt a packet that it has accepted, which its late echo says"

    def bypass_symbols(self, ring: Ring) -> int:
        """Returns the length of the bypass FIFO: by default two echoes fit beside the longest packet.

        Raises:
            RingletError: the longest packet does not fit.
        """
        if self.bypass is not None:
            return super().bypass_symbols(ring)
        return ring.longest_symbols + 1 + KEPT_ECHOES * (ring.link_format.echo_symbols + 1)

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns the most symbols that a bypass FIFO may hold."""
        return MixedRing.bypass_room(self, options, nodes, longest_symbols)

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (todd2001, Section 2.2)."""
        level, priority = bits_of(NO_SENDER + 1), bits_of(NO_SENDER)
        found: dict[str, int | None] = {
            "go levels kept, sent last and received last": 3 * level,
            "priority sent last": priority,
        }
        if self.resolved(ring)["late_echo"] != IN_PLACE:
            found["own packet sent before a late echo"] = 1
        if self.inheritance:
            limit = ring.outstanding
            found["priorities in the echo-waiting queue"] = None if limit is None else priority * limit
        return found

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries: a go level."""
        return bits_of(NO_SENDER + 1)

    def queues(self, ring: Ring) -> dict[str, int | None]:
        """Returns the symbols that each queue of a node needs for the protocol."""
        echo = ring.link_format.echo_symbols + 1
        late = None if ring.receive is None else 2 * ring.receive * echo
        return {**super().queues(ring), "late echoes of both receive queues": late}

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        return {
            **super().resolved(ring),
            "bypass_symbols": self.bypass_symbols(ring),
            "late_echo": self.late_echo or ("none" if ring.priorities == 1 else "service-end"),
            "echo_wait_cycles": ECHO_WAIT_SYMBOLS
            if self.echo_wait is None
            else cycles(self.echo_wait, ring.symbol_time_ns),
            "ageing_cycles": None if self.ageing is None else cycles(self.ageing, ring.symbol_time_ns),
            "inheritance": bool(self.inheritance),
            "overtakes": self.overtakes or "lower",
            "event_symbols": ring.link_format.symbols(EVENT_BYTES),
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns SCI's analysis where all packets have one priority: the ring is SCI's then, symbol for symbol, but
        for what its ports offer.

        Raises:
            NoBoundError: a packet may be preempted without end (docs/explanation/guarantees.md, Section 12).
        """
        if options["late_echo"] == IN_PLACE and len(set(flows.priority.tolist())) <= 1:
            return response_bounds.OfferedGoBits(flows)
        raise response_bounds.NoBoundError(
            "a packet may be preempted and sent again without end, in bypass FIFOs and input queues, and nothing "
            "limits its retries; there is a bound where all packets have one priority and late_echo is 'none'"
        )

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {"flow_control.ageing": self.ageing, "flow_control.echo_wait": self.echo_wait}

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            levels=NO_SENDER,
            awaited="an idle whose go level is at most its priority, {priority}",
            made="event",
            first_in_first_out=False,
        )
