"""Token ring: who holds the token may send."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from ringlet.scenario.flow_control.protocol import FlowControl, Reading, Ring, default

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

MAX_PACKETS = 1_000_000
"""Most packets for a token; the engine has the same limit."""

TOKEN_SYMBOLS = 2
"""A token of IEEE 802.5 has three bytes."""


class TokenRing(FlowControl):
    """Token ring: one token goes round, and only the node that holds it sends."""

    protocol: Literal["token-ring"] = "token-ring"
    packets: Annotated[int, Field(ge=1, le=MAX_PACKETS)] | None = Field(
        None, description="Packets that a node may send while it holds the token. Default: 1."
    )
    release: Literal["early", "returned"] | None = Field(
        None,
        description="When a node that has sent its packets sends the token on. `early`: behind the last one; "
        "`returned`: when the echoes of all its packets have come back. Default: `early`.",
    )

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        del ring
        return {
            "packets": default(self.packets, 1),
            "release": self.release or "early",
            "token_symbols": TOKEN_SYMBOLS,
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 6."""
        from ringlet.analysis.response_bounds import Tokens

        return Tokens(flows, options["token_symbols"], options["packets"], options["release"] == "returned")

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(awaited="the token", made="token")
