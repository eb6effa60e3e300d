"""PPQ, preemptive priority queues (todd2001)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.scenario.flow_control.protocol import Reading, Ring, bits_of
from ringlet.scenario.flow_control.real_time import MixedRing
from ringlet.scenario.values.units import PositiveTime, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

EVENT_BYTES = 16
"""An event message: a header with its CRC."""

NO_SENDER = 256
"""The go level at which no node may send."""


class Ppq(MixedRing):
    """PPQ of todd2001: preemptive priority queues, and idles that carry a go level."""

    protocol: Literal["ppq"] = "ppq"
    inheritance: bool | None = Field(
        default=None,
        description="Do sent packets inherit the priority of what waits for their place in the echo-waiting "
        "queue, by an event message? Default: `false`.",
    )
    late_echo: Literal["service-end", "service-start"] | None = Field(
        default=None,
        description="When the echo of an accepted packet is made; until then the packet can be preempted "
        "or, with `service-end`, is being served. Default: `service-end`.",
    )
    ageing: PositiveTime | None = Field(
        default=None,
        description="The effective priority of a packet in a bypass FIFO rises by 1 in so much time. "
        "Default: it does not.",
    )

    overtakes_echoes: bool | None = Field(
        default=None,
        description="May a node send a packet, behind any idle and if there is space, while its bypass FIFO holds "
        "echoes alone? Otherwise it waits, as in SCI, until the FIFO is empty and an idle lets it send. Default: "
        "`false`.",
    )

    preempts: ClassVar[bool] = True

    def needs_echoes(self) -> str | None:
        """Returns what it needs echoes for."""
        return "a receiver may preempt a packet that it has accepted, which its late echo says"

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (todd2001, Section 2.2)."""
        level, priority = bits_of(NO_SENDER + 1), bits_of(NO_SENDER)
        found: dict[str, int | None] = {
            "go levels kept, sent last and received last": 3 * level,
            "priority sent last": priority,
        }
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
            "bypass_symbols": self.bypass_symbols(ring),
            "late_echo": self.late_echo or "service-end",
            "ageing_cycles": None if self.ageing is None else cycles(self.ageing, ring.symbol_time_ns),
            "inheritance": bool(self.inheritance),
            "overtakes_echoes": bool(self.overtakes_echoes),
            "event_symbols": ring.link_format.symbols(EVENT_BYTES),
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Raises NoBoundError: a packet may be preempted without end (docs/explanation/guarantees.md, Section 11)."""
        from ringlet.analysis.response_bounds import NoBoundError

        raise NoBoundError(
            "a packet may be preempted and sent again without end, in bypass FIFOs and input queues; nothing limits "
            "its retries, and 'ringlet check' finds a livelock on small networks"
        )

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {"flow_control.ageing": self.ageing}

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            levels=NO_SENDER,
            awaited="an idle whose go level is at most its priority, {priority}",
            made="event",
            first_in_first_out=False,
        )
