"""Trace traffic: the packets of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from ringlet.scenario.packet_trace.section import PacketTrace
from ringlet.scenario.traffic.arrivals import NoArrivals
from ringlet.scenario.traffic.section import TrafficSection
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network
    from ringlet.scenario.values.destinations import Pattern


class TraceTraffic(TrafficSection):
    """Packets go where and when a file says: `[traffic.trace]`."""

    pattern: Literal["trace"] = "trace"
    trace: PacketTrace = Field(description="What is replayed, and how.")

    own_arrivals: ClassVar[str] = NoArrivals.name

    @property
    def replayed(self) -> PacketTrace:
        """The trace."""
        return self.trace

    def pattern_on(self, network: "Network", folder: Path) -> "Pattern":
        """Raises an error: the trace itself gives the destination of each packet."""
        raise AssertionError("the pattern of a replay is that of its trace")
