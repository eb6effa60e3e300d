"""Timed token ring, FDDI's rules: synchronous traffic with every token, asynchronous traffic with an early one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import CONTROL_BYTES, PacketRing, Reading, Ring, bits_of, default
from ringlet.scenario.values.per_node import items
from ringlet.scenario.values.units import PositiveTime, Time, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

MAX_TARGET_CYCLES = 1 << 48
"""The longest target rotation time; the engine has the same limit."""

MAX_THRESHOLDS = 255
"""Most asynchronous priorities; the engine has the same limit."""


class TimedToken(PacketRing):
    """Timed token ring (FDDI): a node sends its share of synchronous packets with every token, and asynchronous ones
    only with a token that comes before a target time."""

    protocol: Literal["timed-token"] = "timed-token"
    target_rotation: PositiveTime | None = Field(
        default=None,
        description="Target time of the token for a rotation: TTRT. At least the synchronous shares of all nodes, an "
        "empty rotation, and the longest packet with its idle. Default: twice that.",
    )
    synchronous: Time | Annotated[list[Time], Field(min_length=1, fail_fast=True)] | None = Field(
        default=None,
        description="Time for which each node may send synchronous packets with each token; a list has one for each "
        "node. A packet that is longer is asynchronous. Default: that of the longest packet and its idle.",
    )
    thresholds: Annotated[list[Time], Field(min_length=1, max_length=MAX_THRESHOLDS, fail_fast=True)] | None = Field(
        default=None,
        description="Time that must be left of the target for a packet of each asynchronous priority to begin, from "
        "priority 0 on; none is more than the one before. Higher priorities are synchronous. "
        "Default: `[0]`, one asynchronous priority.",
    )

    lemmas: ClassVar[tuple[int, ...]] = (5, 12, 22, 23)
    bounded_without_echoes: ClassVar[bool] = True
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = "its target rotation reckons with a way round at the rate of the ring"

    @property
    def differs_by_node(self) -> bool:
        """True if nodes have shares of their own."""
        return isinstance(self.synchronous, list)

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options.

        Raises:
            RingletError: the target is less than what it has to hold, or a list has not a share for each node, or a
                threshold is above the target or the one before.
        """
        token = ring.link_format.words(CONTROL_BYTES)
        shares = self._shares(ring)
        target = self._target(ring, shares, token)
        thresholds = [cycles(one, ring.symbol_time_ns) for one in default(self.thresholds, [0])]
        for place, threshold in enumerate(thresholds):
            most = thresholds[place - 1] if place else target - 1
            if threshold > most:
                above = "the one before" if place else "less than the target rotation"
                raise RingletError.not_allowed(
                    f"flow_control.thresholds[{place}]",
                    default(self.thresholds, [0])[place],
                    f"at most {most} cycles, {above}",
                )
        return {
            "target_cycles": target,
            "synchronous_symbols": shares,
            "threshold_cycles": thresholds,
            "token_symbols": token,
        }

    def _shares(self, ring: Ring) -> list[int]:
        """Returns the synchronous symbols of every node, or of each."""
        if self.synchronous is None:
            return [ring.longest_symbols + 1]
        given = self.synchronous if isinstance(self.synchronous, list) else [self.synchronous]
        if len(given) not in (1, ring.nodes) or (len(given) > 1 and ring.fewest != ring.nodes):
            each = f", or {ring.nodes}, one for each node" if ring.fewest == ring.nodes else ""
            raise RingletError.not_allowed("flow_control.synchronous", f"<{len(given)} values>", f"one time{each}")
        return [cycles(one, ring.symbol_time_ns) for one in ring.by_place(given)]

    def _target(self, ring: Ring, shares: list[int], token: int) -> int:
        """Returns the target rotation time in cycles."""

        def parts(places: int, around_cycles: int) -> tuple[int, int]:
            return sum(shares) if len(shares) > 1 else places * shares[0], max(around_cycles + places, token)

        synchronous, empty = max((parts(one.places, one.around_cycles) for one in ring.shapes), key=sum)
        packet = ring.longest_symbols + 1
        least = synchronous + empty + packet
        if self.target_rotation is None and least <= MAX_TARGET_CYCLES:
            return min(2 * least, MAX_TARGET_CYCLES)
        if self.target_rotation is None:
            allowed = f"shares that leave a rotation at most {MAX_TARGET_CYCLES} cycles: one takes {least} with these"
            raise RingletError.not_allowed("flow_control.synchronous", self.synchronous, allowed)
        target = cycles(self.target_rotation, ring.symbol_time_ns)
        if not least <= target <= MAX_TARGET_CYCLES:
            allowed = (
                f"{least} to {MAX_TARGET_CYCLES} cycles: the synchronous shares take {synchronous}, an empty rotation "
                f"{empty}, the longest packet with its idle {packet}"
            )
            raise RingletError.not_allowed("flow_control.target_rotation", self.target_rotation, allowed)
        return target

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {
            "flow_control.target_rotation": self.target_rotation,
            **items("flow_control.synchronous", self.synchronous),
            **items("flow_control.thresholds", default(self.thresholds, [0])),
        }

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol."""
        options = self.resolved(ring)
        timer = bits_of(options["target_cycles"] + 1)
        return {
            "token kept": 1,
            "token rotation timer, and whether it has expired": timer + 1,
            "token holding timer": timer,
            "synchronous share left": bits_of(max(options["synchronous_symbols"]) + 1),
        }

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 6."""
        shares = options["synchronous_symbols"]
        of_nodes = tuple(shares) if len(shares) > 1 else tuple(shares * flows.nodes)
        thresholds = tuple(options["threshold_cycles"])
        return response_bounds.TimedTokens(
            flows, options["target_cycles"], of_nodes, thresholds, options["token_symbols"]
        )

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            awaited="the token, or for an early one",
            held_back="the node's synchronous share is used up, or too many packets of its own are under way",
            made="token",
        )
