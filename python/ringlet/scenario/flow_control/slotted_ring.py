"""Slotted ring: slots of one size go round, and a node sends in an empty one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import PacketRing, Reading, Ring, bits_of
from ringlet.scenario.values.units import Count
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

SLOT_HEADER_BYTES = 2
"""A slot's header says whether it is full, and who has filled it or is to empty it."""


class SlottedRing(PacketRing):
    """Slotted ring: slots go round, each with room for one packet, which its source or destination empties."""

    protocol: Literal["slotted-ring"] = "slotted-ring"
    slots: Count | None = Field(default=None, description="Slots on each ring. Default: as many as there is room for.")
    release: Literal["source", "destination"] | None = Field(
        default=None,
        description="The node that empties a full slot. `source`: the one that has filled it, a revolution later, as "
        "in the Cambridge Ring; `destination`: that of its packet, as in Orwell, which needs `network.echoes = false`. "
        "Default: `source`.",
    )

    lemmas: ClassVar[tuple[int, ...]] = (5, 24)
    bounded_without_echoes: ClassVar[bool] = True
    delays_echoes: ClassVar[bool] = False
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = (
        "its slots follow one another at the rate of the ring, and idles that a slow link makes part them"
    )

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options.

        Raises:
            RingletError: the ring is too short for a slot, or for so many.
        """
        release = self.release or "source"
        if release == "destination" and ring.echoes:
            allowed = "'source' with echoes, which come back in the slot; or set network.echoes = false"
            raise RingletError.not_allowed("flow_control.release", release, allowed)
        room = ring.longest_symbols + 1
        header = ring.link_format.words(SLOT_HEADER_BYTES)
        slot = header + room
        # A header stays one cycle at each node.
        fitting = {one: one.places // -(-slot // (one.shortest_hop_cycles + 1)) for one in ring.shapes}
        tightest = min(fitting, key=lambda one: fitting[one])
        most = fitting[tightest]
        if most == 0:
            least = -(-slot // tightest.places) - 1
            allowed = f"at least {least} cycles with protocol 'slotted-ring', whose slots of {slot} symbols go round"
            raise RingletError.not_allowed("network.hop_delay", tightest.shortest_hop_cycles, allowed)
        if self.slots is not None and self.slots > most:
            where = "on the ring" if ring.fewest == ring.nodes else "on the smallest ring"
            raise RingletError.not_allowed("flow_control.slots", self.slots, f"at most {most}, which fit {where}")
        return {"slots": self.slots, "header_symbols": header, "room_symbols": room, "release": release}

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        node = bits_of(ring.nodes)
        if self.release == "destination":
            return {"slot, full and its destination": 1 + node, "slot to be filled": 1, "its destination": node}
        return {"slot, full and marked by": 1 + node, "slot to be filled": 1}

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 6."""
        at_source = options["release"] == "source"
        return response_bounds.Slots(
            flows, options["slots"], options["header_symbols"], options["room_symbols"], at_source
        )

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(awaited="an empty slot", made="header of a slot")
