"""SCI's own flow control: one go bit, or two for two classes of priorities."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from ringlet.scenario.flow_control.go_bits import GoBits
from ringlet.scenario.flow_control.protocol import Reading, Ring


class Sci(GoBits):
    """SCI's go bits: a node sends behind an idle with a go bit, and holds go bits back while it recovers."""

    protocol: Literal["sci"] = "sci"
    priorities: int | None = Field(
        None,
        ge=1,
        le=4,
        description="Send priorities. 1 (default): one go bit, as picker1994 describes it. 2 to 4: a low and "
        "a high go bit; experimental, see the model.",
    )

    on_networks: ClassVar[bool] = True
    modelled: ClassVar[bool] = True

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        return {**super().resolved(ring), "priorities": self.send_priorities}

    @property
    def send_priorities(self) -> int:
        """Priorities that the protocol itself tells apart on the ring."""
        return self.priorities or 1

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        awaited = "an idle with a go bit"
        if self.send_priorities == 1:
            return Reading(go_bits=1, awaited=awaited)
        meanings = ("for neither class", "low only", "high only", "low and high")
        return Reading(go_bits=2, meanings=meanings, awaited=awaited)
