"""The enhanced protocol of picker1994: one go bit per transmission group and a block register."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.errors import RingletError
from ringlet.scenario.flow_control import groups
from ringlet.scenario.flow_control.go_bits import GoBits
from ringlet.scenario.flow_control.groups import GroupStep
from ringlet.scenario.flow_control.protocol import Reading, Ring, bits_of
from ringlet.scenario.values.maxima import MAX_GROUPS
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network, Routes
    from ringlet.rings.network import IntArray
    from ringlet.scenario.values.destinations import Pattern

DEFAULT_GROUPS = 8

MOST_GROUPS_ON_SLOW_LINKS = 32
"""Most groups of which an idle carries the go bits themselves; the engine has the same limit."""

DEFAULT_PERMIT = "own"
"""The go bits behind which a node may send; docs/explanation/protocols.md argues it."""

SHOWN_GO_BITS = 32
"""Go bits of an idle in a recording; of more groups the last one is there where any other go bit is."""


class Grouped(GoBits):
    """The enhanced protocol of picker1994: one go bit per transmission group and a block register."""

    protocol: Literal["grouped"] = "grouped"
    groups: int | None = Field(
        default=None, ge=1, le=MAX_GROUPS, description=f"Transmission groups. Default: {DEFAULT_GROUPS}."
    )
    assignment: (
        Literal["node", "pair", "maximal-conflict"]
        | Annotated[list[int], Field(fail_fast=True)]
        | Annotated[list[Annotated[list[int], Field(fail_fast=True)]], Field(fail_fast=True)]
        | None
    ) = Field(
        default=None,
        description="Which group a packet belongs to. `node`: each node has its own group; `pair`: each "
        "source-destination pair that is used; `maximal-conflict`: nodes that conflict most share a group; a list with "
        "each node's group; or a matrix with the group of each source (row) and destination. Default: `node` if there "
        "are enough groups, else `maximal-conflict`. With switches each ring has groups of its own: a group for each "
        "node and port on it (`node`), or `maximal-conflict`.",
    )
    permit: Literal["own", "any"] | None = Field(
        default=None,
        description="The go bits behind which a node may send. `own`: its packet's group's; up to three go bits of a "
        "group are saved, and each leaves with an idle of its own. `any`: those of any group in the block register, "
        "as Section 3.1 of picker1994 says; several of a group are merged into one. Default: `own`.",
    )
    schedule: list[GroupStep] | None = Field(
        default=None,
        min_length=1,
        description="Instead of `assignment`: software rewrites the nodes' group registers between packets.",
    )

    survives_losses: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    holds_what_passes: ClassVar[bool] = True
    takes_slow_links: ClassVar[bool] = True

    def _fits_together(self, folder: Path) -> None:
        if self.assignment is not None and self.schedule is not None:
            raise RingletError(
                "flow_control.schedule: given together with flow_control.assignment; one of them is allowed"
            )

    def against_slow_links(self) -> str | None:
        """Returns why links may not have different rates: with more groups than an idle has go bits of; None else."""
        if self.group_count <= MOST_GROUPS_ON_SLOW_LINKS:
            return super().against_slow_links()
        return f"on a slow link go bits are joined of at most {MOST_GROUPS_ON_SLOW_LINKS} groups"

    @property
    def group_count(self) -> int:
        """Number of groups."""
        return DEFAULT_GROUPS if self.groups is None else self.groups

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options."""
        return {**super().resolved(ring), "groups": self.group_count, "permit": self.go_bit_that_permits}

    @property
    def go_bit_that_permits(self) -> str:
        """The go bits behind which a node may send."""
        return self.permit or DEFAULT_PERMIT

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (picker1994, Section 3.1)."""
        del ring
        each = self.group_count
        # Two bits count up to three.
        kept = (2 if self.go_bit_that_permits == "own" and each > 1 else 1) * each
        return {"go bits kept": kept, **self._extension_registers(each), "block register": each, "group": bits_of(each)}

    def idle_bits(self) -> int:
        """Returns the bits that an idle symbol carries: a go bit for each group."""
        return self.group_count

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {f"flow_control.schedule[{i}].at": step.at for i, step in enumerate(self.schedule or [])}

    def group_assignment(self, pattern: "Pattern") -> list[int] | list[list[int]]:
        """Returns each node's group, or the groups of all source-destination pairs, shape (nodes, nodes)."""
        if self.schedule is not None:
            return groups.of_steps(self.schedule[:1], pattern.nodes, self.group_count)[0]
        return groups.assigned(self.assignment, pattern, self.group_count)

    def interface_groups(
        self, pattern: "Pattern", network: "Network", routes: "Routes", *, answers: bool
    ) -> "IntArray | None":
        """Returns the group of what each interface of a network sends on its ring, shape (interfaces,)."""
        from ringlet.scenario.flow_control import ring_groups

        chosen = ring_groups.check_assignment(self.assignment, scheduled=self.schedule is not None)
        return ring_groups.of_interfaces(chosen, pattern, network, routes, self.group_count, answers=answers)

    def group_specs(self, rows: list[int] | list[list[int]], symbol_time_ns: float) -> list[dict[str, Any]]:
        """Returns the engine's `groups` of each node; `rows` is what `group_assignment` returned."""
        if self.schedule is None:
            return super().group_specs(rows, symbol_time_ns)
        return groups.changing(self.schedule, len(rows), self.group_count, symbol_time_ns)

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        shown = min(self.group_count, SHOWN_GO_BITS)
        return Reading(go_bits=shown, sums_last=self.group_count > shown, awaited="an idle with a go bit", grouped=True)
