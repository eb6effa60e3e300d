"""The common part of the protocols with go bits (picker1994)."""

from collections.abc import Mapping
from typing import Any, Literal

from ringlet.scenario.flow_control.protocol import FlowControl, Ring
from ringlet.sections import Field

DEFAULT_PRESET = "A"
"""The reading of the paper's silent points where a scenario does not choose one; docs/explanation/protocols.md argues
it."""

PRESETS = {"A": ("unblocked", "after-send"), "B": ("all", "none")}
"""Release and go-bit extension of each preset."""

REFUSING_EXTENSION = "passing"
"""Default extension where packets may be refused, and without echoes."""


class GoBits(FlowControl):
    """A protocol of which idles carry go bits."""

    preset: Literal["A", "B"] | None = Field(
        default=None,
        description="A reading of the points on which picker1994 is silent. `A`: release "
        "`unblocked`, extension `after-send`, to be used with a hop delay of 3; `B`: release `all`, extension `none`, "
        f"with a hop delay of 1. Default: `{DEFAULT_PRESET}`. The hop delay itself is set in `[network]`.",
    )
    release: Literal["unblocked", "all"] | None = Field(
        default=None,
        description="What the idle behind an own packet carries while the bypass FIFO is not empty: the saved go bits "
        "of groups outside the block register, or all saved go bits. Default: the preset's.",
    )
    extension: Literal["none", "passing", "after-send", "always"] | None = Field(
        default=None,
        description="Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted "
        "idle. `passing`: those that pass a node with an empty bypass FIFO; `after-send`: also the one absorbed "
        "behind an own packet if the FIFO is empty then; `always`: that one in any case. Default: the preset's; "
        "without a preset `passing` where packets may be refused, by a full receive queue or a switch, and without "
        "echoes.",
    )

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        release, extension = PRESETS[self.preset or DEFAULT_PRESET]
        if self.preset is None and (ring.refuses or not ring.echoes):
            # With the preset's a node that is refused at once can keep a go bit for ever
            # (docs/explanation/model-checking.md). So can one that sends while whole packets are stripped.
            extension = REFUSING_EXTENSION
        return {"extension": self.extension or extension, "release": self.release or release}

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns what comes in while the longest packet and its idle are sent: it begins with an empty FIFO."""
        del options, nodes
        return longest_symbols + 1
