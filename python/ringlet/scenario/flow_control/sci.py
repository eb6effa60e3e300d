"""SCI's own flow control: one go bit, or two for two classes of priorities."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.go_bits import GoBits
from ringlet.scenario.flow_control.protocol import Reading, Ring, bits_of
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

SHARES = 1000
"""The engine counts a reserve in such parts of the bandwidth."""

MAX_RESERVE = 0.5
"""The largest reserve; the engine has the same limit."""

MOST_OWED = 290
"""Idles that a node can owe: those of two longest packets."""


class Sci(GoBits):
    """SCI's go bits: a node sends behind an idle with a go bit, and holds go bits back while it recovers."""

    protocol: Literal["sci"] = "sci"
    priorities: int | None = Field(
        default=None,
        ge=1,
        le=4,
        description="Send priorities. 1 (default): one go bit, as picker1994 describes it. 2 to 4: a low and "
        "a high go bit, for the packets of lower and of the ring's highest priority.",
    )
    reserve: float | None = Field(
        default=None,
        ge=0,
        le=MAX_RESERVE,
        description="Share of the symbols on each link that is reserved for packets below the ring's highest waiting "
        "priority, in steps of 0.001. The standard keeps about 0.1. Needs `priorities` of 2 or more. Default: 0, no "
        "reserve.",
    )

    lemmas: ClassVar[tuple[int, ...]] = (4, 5, 7, 8)
    survives_losses: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    holds_what_passes: ClassVar[bool] = True
    modelled: ClassVar[bool] = True
    takes_slow_links: ClassVar[bool] = True

    def _fits_together(self, folder: Path) -> None:
        if self.reserve and self.send_priorities == 1:
            raise RingletError.not_allowed(
                "flow_control.reserve", self.reserve, "none without flow_control.priorities of 2 to 4"
            )

    def check_modelled(self) -> None:
        """Raises RingletError for a reserve."""
        if self.reserve:
            allowed = "0 for the queueing model, whose idles are all of one type"
            raise RingletError.not_allowed("flow_control.reserve", self.reserve, allowed)

    def against_slow_links(self) -> str | None:
        """Returns why links may not have different rates: with priorities; None without."""
        if self.send_priorities == 1:
            return super().against_slow_links()
        return "its priorities are collected and announced idle by idle, of which a slow link leaves some out"

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        options = {**super().resolved(ring), "priorities": self.send_priorities}
        # What has no reserve is known by the digest that it had before there were any.
        return {**options, "reserve_permille": self._reserve_permille} if self._reserve_permille else options

    @property
    def _reserve_permille(self) -> int:
        return round((self.reserve or 0) * SHARES)

    @property
    def send_priorities(self) -> int:
        """Priorities that the protocol itself distinguishes on the ring."""
        return self.priorities or 1

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        del ring
        if self.send_priorities == 1:
            return {"go bit kept": 1, **self._extension_registers(1), "blocked": 1}
        registers: dict[str, int | None] = {
            "go bits kept": 2,
            **self._extension_registers(2),
            "go bits withheld": 2,
            "highest priorities, announced and collected": 4,
        }
        if self._reserve_permille:
            # Signed: idles of the one type or of the other.
            registers |= {"debt": 1 + bits_of(MOST_OWED + 1), "class of the last packet": 1}
        return registers

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries: go bits, and with priorities the estimates and the type."""
        if self.send_priorities == 1:
            return 1
        return 2 + 4 + (1 if self._reserve_permille else 0)

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 4."""
        if options["priorities"] > 1:
            raise response_bounds.NoBoundError(
                "a low go bit may be withheld without end; there is a bound with flow_control.priorities = 1"
            )
        return response_bounds.GoBits(flows)

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        awaited = "an idle with a go bit"
        if self.send_priorities == 1:
            return Reading(go_bits=1, awaited=awaited)
        meanings = ("for neither class", "low only", "high only", "low and high")
        return Reading(go_bits=2, meanings=meanings, awaited=awaited)
