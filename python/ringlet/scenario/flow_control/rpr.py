"""RPR, the fairness of IEEE 802.17 on one ringlet."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import Bypass, PacketRing, Reading, Ring, bits_of, default
from ringlet.scenario.values.units import Count, PositiveTime, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows

MESSAGE_BYTES = 4
"""A fairness message has a rate and a node, of 16 bits each."""

LEAST_INTERVALS = 4
"""An aging interval is so many times as long as the messages of all nodes; the engine has the same limit."""

DEFAULT_INTERVAL_REVOLUTIONS = 8
"""Cycles of a default aging interval: so many times the ring, and the transit queue."""

MAX_INTERVAL_CYCLES = 1 << 33
"""The longest aging interval; the engine has the same limit."""

MAX_CLASS_SYMBOLS = (1 << 32) - 1
"""Most symbols of a class that a node may send in an aging interval; the engine counts them in 32 bits."""

MAX_COEFFICIENT = 1024

Coefficient = Annotated[int, Field(ge=1, le=MAX_COEFFICIENT)]
Share = Annotated[float, Field(ge=0, le=1)]


class Rpr(PacketRing):
    """RPR's fairness (IEEE 802.17) on one ringlet: a congested node advertises to those before it the rate at which
    they may send."""

    protocol: Literal["rpr"] = "rpr"
    mode: Literal["aggressive", "conservative"] | None = Field(
        default=None,
        description="How a congested node computes the fair rate. `aggressive`: it is its own rate; `conservative`: it "
        "falls from there while the link is full, and rises while it is not. Default: `aggressive`.",
    )
    transit_queue: Bypass | None = Field(
        default=None,
        description="Symbols of the secondary transit queue, in which classes B and C wait. Default: eight of the "
        "longest packets.",
    )
    low_threshold: Count | None = Field(
        default=None,
        description="Symbols in the transit queue above which a node is congested. Default: a quarter of it.",
    )
    high_threshold: Count | None = Field(
        default=None,
        description="Symbols in the transit queue above which it goes before own packets. Default: half of it.",
    )
    aging_interval: PositiveTime | None = Field(
        default=None,
        description="Time after which rates are aged and fairness messages sent. Default: eight times the ring and the "
        "transit queue, at most the longest that there may be: 2^33 cycles, and so long that a node sends at most "
        "2^32 - 1 symbols of class A, and of class B, in one.",
    )
    age_coef: Coefficient | None = Field(
        default=None, description="In each interval a counted rate loses one part of so many: ageCoef. Default: 4."
    )
    lp_coef: Coefficient | None = Field(
        default=None, description="Weight of the past in a smoothed rate: lpCoef. Default: 16."
    )
    ramp_coef: Coefficient | None = Field(
        default=None,
        description="In each interval a restricted rate rises by one part of so many of what it lacks: rampUpCoef. "
        "Default: 64.",
    )
    class_a: Share | None = Field(
        default=None,
        description="Share of a link that each node may send of class A, priority 2; with 0 no packet may have that "
        "priority. Default: half of the link, divided by the nodes.",
    )
    class_b: Share | None = Field(
        default=None,
        description="Share of a link that each node may send of class B, priority 1, before it is restricted as class "
        "C, priority 0. Default: as `class_a`.",
    )

    echoes: ClassVar[bool] = False
    bounded_without_echoes: ClassVar[bool] = True
    lemmas: ClassVar[tuple[int, ...]] = (5, 6, 30)
    prioritised: ClassVar[bool] = False
    survives_losses: ClassVar[bool] = True
    slow_links_break: ClassVar[str] = (
        "its stations measure rates and find congestion in their own buffers, and what waits for a slow link is in none"
    )
    # Its fairness asks of each packet how far it goes.
    takes_full_round: ClassVar[bool] = False

    @property
    def send_priorities(self) -> int:
        """Priorities that the protocol itself distinguishes on the ring: the classes that may be sent at all."""
        return 2 if self.class_a == 0 else 3

    @property
    def priorities_key(self) -> str:
        """The key that sets `send_priorities`: without a rate of its own a packet of class A would wait for ever."""
        return "flow_control.class_a" if self.class_a == 0 else "flow_control.protocol"

    def resolved(self, ring: Ring) -> dict[str, Any]:
        """Returns the engine's options.

        Raises:
            RingletError: the transit queue is too short, a threshold is above it, or the interval too short for the
                messages of all nodes.
        """
        least = ring.longest_symbols + 1
        queue = default(self.transit_queue, 8 * least)
        if queue < least:
            allowed = f"at least {least} symbols, the longest packet of the traffic and its idle"
            raise RingletError.not_allowed("flow_control.transit_queue", queue, allowed)
        high = default(self.high_threshold, max(1, queue // 2))
        if high > queue:
            allowed = f"at most {queue}, the transit queue"
            raise RingletError.not_allowed("flow_control.high_threshold", high, allowed)
        low = default(self.low_threshold, min(high, max(1, queue // 4)))
        if low > high:
            allowed = f"at most {high}, the high threshold"
            raise RingletError.not_allowed("flow_control.low_threshold", low, allowed)
        message = ring.link_format.words(MESSAGE_BYTES)
        shortest = LEAST_INTERVALS * ring.nodes * message
        revolution = max(one.around_cycles for one in ring.shapes) + queue
        share = 0.5 / ring.nodes
        longest = self._longest_interval(ring.nodes)
        interval = max(shortest, min(longest, DEFAULT_INTERVAL_REVOLUTIONS * revolution))
        if self.aging_interval is not None:
            interval = cycles(self.aging_interval, ring.symbol_time_ns)
            if interval < shortest:
                allowed = f"at least {shortest} cycles, so that fairness messages take a quarter of a link at most"
                raise RingletError.not_allowed("flow_control.aging_interval", self.aging_interval, allowed)
            if interval > longest:
                allowed = f"at most {longest} cycles"
                if longest < MAX_INTERVAL_CYCLES:
                    allowed += f", so that a class sends at most {MAX_CLASS_SYMBOLS} symbols in one"
                raise RingletError.not_allowed("flow_control.aging_interval", self.aging_interval, allowed)
        # A share above 0 lets packets through, however small it is.
        class_a = 0 if self.class_a == 0 else max(1, round(default(self.class_a, share) * interval))
        return {
            "mode": self.mode or "aggressive",
            "bypass_symbols": queue,
            "low_symbols": low,
            "high_symbols": high,
            "aging_cycles": interval,
            "age_coefficient": default(self.age_coef, 4),
            "smoothing_coefficient": default(self.lp_coef, 16),
            "ramp_coefficient": default(self.ramp_coef, 64),
            "class_a_symbols": class_a,
            "class_b_symbols": round(default(self.class_b, share) * interval),
            "message_symbols": message,
        }

    def _longest_interval(self, nodes: int) -> int:
        """Returns the most cycles of an aging interval."""
        share = 0.5 / nodes
        largest = max(default(self.class_a, share), default(self.class_b, share))
        return MAX_INTERVAL_CYCLES if largest == 0 else min(MAX_INTERVAL_CYCLES, int(MAX_CLASS_SYMBOLS / largest))

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 7."""
        if flows.echo != response_bounds.NO_ECHO:
            raise response_bounds.NoBoundError(
                "bounds of 'rpr' are proven of rings without echoes, which are one ring or a dual-attached one, with "
                "network.echoes = false"
            )
        return response_bounds.TransitQueues(
            flows,
            options["bypass_symbols"],
            options["low_symbols"],
            options["aging_cycles"],
            (options["class_a_symbols"], options["class_b_symbols"]),
            options["message_symbols"],
            self._longest_interval(flows.nodes),
        )

    def registers(self, ring: Ring) -> dict[str, int | None]:
        """Returns the bits of each register that a node needs for the protocol (IEEE 802.17, Clause 10)."""
        options = self.resolved(ring)
        # A rate that loses one part of so many in each interval sums up to so many intervals at most.
        rate = bits_of(options["aging_cycles"] * options["age_coefficient"] + 1)
        fair = {"own fair rate": rate} if options["mode"] == "conservative" else {}
        return {
            "rates added, added past the congested node, and forwarded": 3 * rate,
            "smoothed rates added and forwarded": 2 * rate,
            "allowed rate, and to which distance": rate + bits_of(ring.nodes),
            "fair rate received, and of which node": rate + bits_of(ring.nodes),
            "congested": 1,
            **fair,
            "symbols of classes A and B": bits_of(options["class_a_symbols"] + 1)
            + bits_of(options["class_b_symbols"] + 1),
            "ageing interval": bits_of(options["aging_cycles"]),
        }

    def times(self) -> dict[str, float | str | None]:
        """Returns the options that are times by their paths."""
        return {"flow_control.aging_interval": self.aging_interval}

    def reading(self) -> Reading:
        """Returns what a recording shows."""
        return Reading(
            awaited="an idle, and for room in the transit queue",
            held_back="the rate of its class, or too many packets of its own under way, keeps all back",
            made="fairness message",
            first_in_first_out=False,
        )
