"""The host adapter: a PCI/B-Link bridge between a host's memory and its ring (richter1999, Sections 6.3 and 6.4)."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from ringlet.scenario.values.node_names import Node
from ringlet.scenario.values.presets import FromPreset
from ringlet.scenario.values.units import Time
from ringlet.sections import Field

WRITE_BUFFERS = 8
"""Write buffers of a bridge (richter1999, Section 6.3)."""
BUFFER_BYTES = 64
"""Data that a write buffer holds."""
UNCROWDED = 4
"""Buffers of a group beyond which each takes longer (Figure 6.8)."""

Preset = Literal["pentium", "pentium-pro"]

PRESETS: Mapping[str, Mapping[str, object]] = {
    "pentium": {
        "set_up": "2.3 us",
        "write_time": "0.85 us",
        "bridge_delay": "1.63 us",
        "crowded_time": "1.49 us",
    },
    "pentium-pro": {
        "streams": 4,
        "set_up": "2.84 us",
        "write_time": "1.42 us",
        "bridge_delay": "0.3 us",
        "crowded_time": "0 ns",
    },
}
"""The two test beds of richter1999, fitted to what Section 6.4 states: see docs/reproductions/richter1999.md."""


class Adapter(FromPreset):
    """A PCI/B-Link bridge at nodes, instead of `slots`, `fill_time` and `fill_delay`. The host writes blocks, and
    messages, into the bridge's write buffers of 64 bytes; a buffer is free again when its packet has been accepted.
    The buffers are combined for one master on the bus, or split among several."""

    presets: ClassVar[Mapping[str, Mapping[str, object]]] = PRESETS

    preset: Preset = Field(
        default="pentium",
        description="Values of the keys that are not given, fitted to the measurements of richter1999: `pentium`: "
        "test bed 2, 100 MHz Pentium "
        "PCs; `pentium-pro`: test bed 1, 200 MHz Pentium Pro PCs, with 4 streams.",
    )
    nodes: list[Node] | None = Field(
        default=None,
        description="Nodes that have it; the others have what `[host]` says besides. Default: all, or those that no "
        "other adapter names.",
    )
    streams: int = Field(
        default=1,
        ge=1,
        le=WRITE_BUFFERS,
        description="Write buffers that the host combines. It fills them in groups: so many, or what is left of a "
        "block.",
    )
    masters: int = Field(
        default=1,
        ge=1,
        le=WRITE_BUFFERS,
        description="Bus masters among which the buffers are split instead, a buffer for each: needs `streams = 1`. "
        "Each takes its `set_up` beside the others, and waits for its own packet; they share the host's bus, one "
        "transfer at a time, in the order in which they request it. The background traffic of a node is that of so "
        "many sources, each with its part of the load.",
    )
    set_up: Time = Field(
        default="2.3 us", description="Time before the first buffer of a group, or before a buffer of a master."
    )
    write_time: Time = Field(default="0.85 us", description="Time to fill a buffer with 64 bytes; with less data less.")
    bridge_delay: Time = Field(
        default="1.63 us", description="Time from a full buffer until its packet may be sent; of a response, too."
    )
    crowded_time: Time = Field(
        default="1.49 us", description=f"Time that each buffer of a group beyond the {UNCROWDED}th takes besides."
    )
    check: Time = Field(
        default=0,
        description="Time for which software checks a block when all of it has been accepted, before the next one "
        "begins. Without a check a "
        "block is done when it stands in the buffers.",
    )

    bad_blocks: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of the blocks that the check finds bad: these are sent again after the check, without "
        "`traffic.pause`, until they are good; their data count once, and their latency from the first time on. Which "
        "ones is drawn for each. Needs `check`.",
    )
