"""SCI's own flow control: one go bit, or two for two classes of priorities."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.scenario.flow_control.go_bits import GoBits
from ringlet.scenario.flow_control.protocol import Reading, Ring
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows


class Sci(GoBits):
    """SCI's go bits: a node sends behind an idle with a go bit, and holds go bits back while it recovers."""

    protocol: Literal["sci"] = "sci"
    priorities: int | None = Field(
        default=None,
        ge=1,
        le=4,
        description="Send priorities. 1 (default): one go bit, as picker1994 describes it. 2 to 4: a low and "
        "a high go bit; experimental, see the model.",
    )

    survives_losses: ClassVar[bool] = True
    holds_what_passes: ClassVar[bool] = True
    modelled: ClassVar[bool] = True

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        return {**super().resolved(ring), "priorities": self.send_priorities}

    @property
    def send_priorities(self) -> int:
        """Priorities that the protocol itself distinguishes on the ring."""
        return self.priorities or 1

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        del ring
        if self.send_priorities == 1:
            return {"go bit kept": 1, "go bit sent last": 1, "blocked": 1}
        return {
            "go bits kept": 2,
            "go bits sent last": 2,
            "go bits withheld": 2,
            "highest priorities, announced and collected": 4,
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 4."""
        from ringlet.analysis.response_bounds import GoBits, NoBoundError

        if options["priorities"] > 1:
            raise NoBoundError(
                "a low go bit may be withheld without end; there is a bound with flow_control.priorities = 1"
            )
        return GoBits(flows)

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        awaited = "an idle with a go bit"
        if self.send_priorities == 1:
            return Reading(go_bits=1, awaited=awaited)
        meanings = ("for neither class", "low only", "high only", "low and high")
        return Reading(go_bits=2, meanings=meanings, awaited=awaited)
