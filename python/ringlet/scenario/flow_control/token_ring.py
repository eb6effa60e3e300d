"""Token ring: the node that holds the token may send."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.scenario.flow_control.protocol import CONTROL_BYTES, PacketRing, Quota, Reading, Ring, bits_of, default
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows


class TokenRing(PacketRing):
    """Token ring: one token goes round, and only the node that holds it sends."""

    protocol: Literal["token-ring"] = "token-ring"
    packets: Quota | None = Field(
        default=None, description="Packets that a node may send while it holds the token. Default: 1."
    )
    release: Literal["early", "header", "returned"] | None = Field(
        default=None,
        description="When a node that has sent its packets sends the token on. `early`: behind the last one; `header`: "
        "once the header of that has come round, too, as in IEEE 802.5; `returned`: when the echoes of all its packets "
        "have come back, or are known to be lost. Default: `early`.",
    )

    lemmas: ClassVar[tuple[int, ...]] = (5, 12, 13)
    bounded_without_echoes: ClassVar[bool] = True
    survives_losses: ClassVar[bool] = True
    takes_slow_links: ClassVar[bool] = True

    def needs_echoes(self) -> str | None:
        """Returns what it needs echoes for."""
        return "a node keeps the token until its echoes are back" if self.release == "returned" else None

    def against_slow_links(self) -> str | None:
        """Returns why links may not have different rates: with release `header`; None with the others."""
        if self.release != "header":
            return super().against_slow_links()
        return "with release 'header' a node reckons with a way round at the rate of the ring"

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        return {
            "packets": default(self.packets, 1),
            "release": self.release or "early",
            "token_symbols": ring.link_format.words(CONTROL_BYTES),
        }

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        options = self.resolved(ring)
        sent = bits_of(options["packets"] + 1)
        returned = {"packets whose echoes are under way": sent} if options["release"] == "returned" else {}
        # The longest ring is the one whose header comes round last.
        wait = max(shape.around_cycles for shape in ring.shapes) + options["token_symbols"]
        header = {"time until the header has come round": bits_of(wait)} if options["release"] == "header" else {}
        return {"token kept": 1, "packets sent": sent, **returned, **header}

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 6."""
        return response_bounds.Tokens(flows, options["token_symbols"], options["packets"], options["release"])

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(awaited="the token", made="token")
