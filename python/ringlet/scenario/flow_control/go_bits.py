"""The common part of the protocols with go bits (picker1994)."""

from collections.abc import Mapping
from typing import Any, Literal

from ringlet.scenario.flow_control.protocol import FlowControl, Ring
from ringlet.sections import Field

DEFAULT_EXTENSION = "received"
"""Go-bit extension where a scenario does not choose one; docs/explanation/protocols.md argues it."""

DEFAULT_RELEASE = "unblocked"
"""Release where a scenario does not choose one."""


class GoBits(FlowControl):
    """A protocol of which idles carry go bits."""

    release: Literal["unblocked", "all"] | None = Field(
        default=None,
        description="What the idle behind an own packet carries while the bypass FIFO is not empty: the saved go bits "
        f"of groups outside the block register, or all saved go bits. Default: `{DEFAULT_RELEASE}`.",
    )
    extension: Literal["received", "none", "passing", "after-send", "always"] | None = Field(
        default=None,
        description="Go-bit extension: which idles created by stripping a packet copy go bits. `received`: the idle "
        "behind an own packet, if the bypass FIFO is empty, and, at a node where no packet waits, those in place of "
        "echoes and of the first packet stripped since the node has sent; they copy the last idle received, and "
        "nodes that only receive make no go bits. The others copy the last idle emitted, and are unfair beside such "
        "nodes. `passing`: idles that pass a node with an empty bypass FIFO; `after-send`: also the one absorbed "
        "behind an own packet if the FIFO is empty then; `always`: that one in any case. Default: "
        f"`{DEFAULT_EXTENSION}`.",
    )

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        del ring
        return {"extension": self.extension or DEFAULT_EXTENSION, "release": self.release or DEFAULT_RELEASE}

    def _extension_registers(self, groups: int) -> dict[str, int]:
        """Returns the bits of each register that go-bit extension needs."""
        needed = {"none": {}, DEFAULT_EXTENSION: {"go bits received last": groups, "has sent": 1, "extends": 1}}
        return needed.get(self.extension or DEFAULT_EXTENSION, {"go bits sent last": groups})

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns what comes in while the longest packet and its idle are sent: it begins with an empty FIFO."""
        del options, nodes
        return longest_symbols + 1
