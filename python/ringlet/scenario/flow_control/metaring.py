"""MetaRing, fairness by a SAT message and quotas (Cidon and Ofek)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import (
    CONTROL_BYTES,
    MAX_QUOTA,
    PacketRing,
    Quota,
    Reading,
    Ring,
    bits_of,
    default,
)
from ringlet.scenario.values.units import PositiveTime, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

DEFAULT_QUOTA = 4
"""Packets that a node may send between two visits of the SAT."""

SynchronousQuota = Annotated[int, Field(ge=0, le=MAX_QUOTA)]
"""Synchronous packets that a node may send between two visits of the SAT."""

MAX_TIMEOUT_CYCLES = 1 << 48
"""The longest time-out of a SAT; the engine has the same limit."""


class Metaring(PacketRing):
    """MetaRing of Cidon and Ofek: a SAT message goes round, and a node sends at most k packets between two visits."""

    protocol: Literal["metaring"] = "metaring"
    most_packets: Quota | None = Field(
        default=None,
        description="Packets that a node may send between two visits of the SAT: the quota k. "
        f"Default: {DEFAULT_QUOTA}, or `least_packets` where that is more.",
    )
    least_packets: Quota | None = Field(
        default=None,
        description="Packets without which a node that has more to send keeps the SAT: the quota l, at most "
        "`most_packets`. Default: 1.",
    )
    synchronous_packets: SynchronousQuota | Annotated[list[SynchronousQuota], Field(min_length=1)] | None = Field(
        default=None,
        description="Synchronous packets, those of priorities above 0, that a node may send between two visits of the "
        "SAT beside `most_packets` others; a list has one number for each node. A node with 0 sends all its packets as "
        "asynchronous ones. Default: all packets are of one class.",
    )
    sat_timeout: PositiveTime | None = Field(
        default=None,
        description="Time since the SAT has left a node after which it makes another one, if none has come; of several "
        "SATs the one made last stays. Needed where `[errors]` may lose the SAT. Default: none is made.",
    )

    echoes: ClassVar[bool] = False
    lemmas: ClassVar[tuple[int, ...]] = (4, 5, 6, 14, 15)
    bounded_without_echoes: ClassVar[bool] = True
    stopped_by_losses: ClassVar[str | None] = "which needs a sat_timeout"
    joins: ClassVar[bool] = True
    takes_slow_links: ClassVar[bool] = True

    @property
    def may_lose(self) -> bool:
        """True if a lost SAT is made again."""
        return self.sat_timeout is not None

    @property
    def differs_by_node(self) -> bool:
        """True if nodes have quotas of their own."""
        return isinstance(self.synchronous_packets, list)

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options.

        Raises:
            RingletError: the quota l is above the quota k, or the time-out is too short or too long.
        """
        least = default(self.least_packets, 1)
        most = default(self.most_packets, max(DEFAULT_QUOTA, least))
        if least > most:
            allowed = f"at most flow_control.most_packets, which is {most}"
            raise RingletError.not_allowed("flow_control.least_packets", least, allowed)
        timeout = None if self.sat_timeout is None else cycles(self.sat_timeout, ring.symbol_time_ns)
        sat = ring.link_format.words(CONTROL_BYTES)
        idle = max(shape.around_cycles + shape.places * (sat + 1) for shape in ring.shapes)
        if timeout is not None and not idle <= timeout <= MAX_TIMEOUT_CYCLES:
            allowed = f"{idle} cycles, in which the SAT goes round an idle ring, to {MAX_TIMEOUT_CYCLES} cycles"
            raise RingletError.not_allowed("flow_control.sat_timeout", self.sat_timeout, allowed)
        return {
            "most_packets": most,
            "least_packets": least,
            "sat_symbols": sat,
            "sat_timeout_cycles": timeout,
            "synchronous_packets": self._synchronous(ring),
        }

    def _synchronous(self, ring: Ring) -> list[int]:
        """Returns the synchronous quota of all nodes, or of each; empty where there are no classes."""
        given = self.synchronous_packets
        if given is None:
            return []
        quotas = given if isinstance(given, list) else [given]
        if len(quotas) not in (1, ring.nodes) or (len(quotas) > 1 and ring.fewest != ring.nodes):
            each = f", or {ring.nodes}, one for each node" if ring.fewest == ring.nodes else ""
            allowed = f"one number{each}"
            raise RingletError.not_allowed("flow_control.synchronous_packets", f"<{len(quotas)} values>", allowed)
        return ring.by_place(quotas)

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {"flow_control.sat_timeout": self.sat_timeout}

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        options = self.resolved(ring)
        timeout = options["sat_timeout_cycles"]
        timer = {} if timeout is None else {"time since the SAT left": bits_of(timeout + 1)}
        most = max(options["synchronous_packets"], default=0)
        synchronous = {"synchronous packets sent": bits_of(most + 1)} if most else {}
        return {"SAT kept": 1, "packets sent": bits_of(options["most_packets"] + 1), **synchronous, **timer}

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 7."""
        if any(options["synchronous_packets"]):
            raise response_bounds.NoBoundError(
                "no bound is proven for protocol 'metaring' with flow_control.synchronous_packets"
            )
        names = ("sat_symbols", "most_packets", "least_packets", "sat_timeout_cycles")
        return response_bounds.Quotas(flows, *(options[name] for name in names))

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            awaited="an idle with an empty bypass FIFO, and for the SAT when its quota is used up", made="SAT"
        )
