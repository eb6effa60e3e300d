"""Arrivals: when a node generates its requests. Each way is a class of its own, and all are listed in `ARRIVALS`.

>>> ARRIVALS["poisson"].follows_load
True
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

from ringlet.errors import RingletError
from ringlet.scenario.values.units import MAX_CYCLES, Size, Time, cycles
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.scenario.hardware.adapter import Adapter
    from ringlet.scenario.hardware.delays import NodeHost
    from ringlet.scenario.values.transactions import Transaction

ArrivalsName = Literal["saturated", "poisson", "bernoulli", "periodic", "closed", "none"]
"""The names of all arrivals, for editors."""

MAX_BLOCK_PACKETS = 65_535
"""Packets of a block: what the engine's counters hold."""


class Keys(Protocol):
    """The keys of a traffic section that say more of its arrivals."""

    @property
    def load(self) -> float | str | list[float | str] | None:
        """Offered load of each node."""

    @property
    def has_load(self) -> bool:
        """True if something says how much nodes offer."""

    @property
    def phase(self) -> float | str | list[float | str]:
        """Time of the first packet of each node."""

    @property
    def pause(self) -> float | str:
        """Time from the end of a block to the next one."""

    @property
    def block(self) -> float | str | None:
        """Data of a block."""

    @property
    def block_packets(self) -> int:
        """Requests of a block."""

    @property
    def moves(self) -> "Transaction":
        """The packets of a request."""


class Arrivals(ABC):
    """The arrivals of a node: the times at which it generates its requests."""

    name: ClassVar[ArrivalsName]
    """Name in a scenario."""
    title: ClassVar[str]
    """Description in words."""
    keys: ClassVar[Mapping[str, Any]] = {}
    """The keys of the traffic section that only they have, with their defaults."""
    generates: ClassVar[bool] = True
    """Are there any?"""
    follows_load: ClassVar[bool] = True
    """Does the load say how many there are? If not, there is always one more, or none."""
    most_per_cycle: ClassVar[float] = 1.0
    """Most requests of a node and priority that a cycle may have on average."""
    is_random: ClassVar[bool] = False
    """Are their times drawn?"""
    are_poisson: ClassVar[bool] = False
    """Does the queueing model take them to be Poisson?"""
    in_blocks: ClassVar[bool] = False
    """Do they come in blocks, which software can check?"""

    def check(self, traffic: Keys, adapters: Mapping[str, "Adapter"], symbol_time_ns: float) -> None:
        """Raises RingletError for the first key that does not fit these arrivals.

        Args:
            traffic: the section that names them.
            adapters: the kinds between nodes and the ring, by where each is said.
            symbol_time_ns: a cycle.
        """
        del symbol_time_ns
        for other in ARRIVALS.values():
            for key, default in other.keys.items():
                value = getattr(traffic, key)
                if key not in self.keys and value not in (None, default):
                    raise RingletError.not_allowed(f"traffic.{key}", value, f"it belongs to arrivals {other.name!r}")
        for path, adapter in adapters.items():
            if adapter.check != 0 and not self.in_blocks:
                blocks = names(lambda one: one.in_blocks)
                allowed = f"0 without arrivals {blocks}, whose blocks are checked"
                raise RingletError.not_allowed(f"{path}.check", adapter.check, allowed)

    @abstractmethod
    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` of a flow.

        Args:
            traffic: the section.
            host: what lies between the node and its ring.
            node: whose flow it is.
            rate: requests per cycle that the load makes.
            symbol_time_ns: a cycle.
        """

    def mean_rate(self, spec: Mapping[str, Any], burst: int) -> float:
        """Returns the requests per cycle of the engine's `arrivals`; infinite where there is always one more."""
        return float(burst * spec["rate"]) if self.follows_load else math.inf


class Saturated(Arrivals):
    """A request always waits."""

    name = "saturated"
    title = "one always waits, whatever the load"
    follows_load = False

    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` of a flow."""
        del traffic, host, node, rate, symbol_time_ns
        return {"kind": self.name}


class _Drawn(Arrivals):
    """Arrivals with a rate, at times that are drawn independently of each other."""

    is_random = True
    are_poisson = True

    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` of a flow."""
        del traffic, host, node, symbol_time_ns
        return {"kind": self.name, "rate": rate}


class Poisson(_Drawn):
    """A Poisson process, rounded to cycles."""

    name = "poisson"
    title = "at times of a Poisson process"
    most_per_cycle = 1000.0


class Bernoulli(_Drawn):
    """Each cycle has a request with the same probability."""

    name = "bernoulli"
    title = "at most one per cycle, in each with the same probability"


Phase = Annotated[
    Time | list[Time], Field(description="Arrivals `periodic`: time of the first packet, or one per node.")
]


class Periodic(Arrivals):
    """Requests at equal distances."""

    name = "periodic"
    title = "at equal distances"
    keys: ClassVar[Mapping[str, Any]] = {"phase": 0}

    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` of a flow."""
        del host
        phase = traffic.phase[node] if isinstance(traffic.phase, list) else traffic.phase
        return self.every(1 / rate, float(cycles(phase, symbol_time_ns)))

    def every(self, period_cycles: float, phase_cycles: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` with a period and the time of the first one."""
        return {"kind": self.name, "period": period_cycles, "phase": phase_cycles}

    def mean_rate(self, spec: Mapping[str, Any], burst: int) -> float:
        """Returns the requests per cycle of the engine's `arrivals`."""
        return float(burst / spec["period"])


Block = Annotated[
    Size | None,
    Field(
        description="Arrivals `closed`: data of a block, cut into as many transactions as it takes; default: one. It "
        "is done when all its packets have been accepted, and answered where there are responses; with a "
        "`host.adapter` as that says."
    ),
]

Pause = Annotated[
    Time,
    Field(description="Arrivals `closed`: time from the end of a block to the next one, at least a cycle."),
]


class Closed(Arrivals):
    """Blocks one after the other: the next one begins when the last is done."""

    name = "closed"
    title = "a block, and the next one when the last is done"
    keys: ClassVar[Mapping[str, Any]] = {"block": None, "pause": 0}
    follows_load = False
    in_blocks = True

    def check(self, traffic: Keys, adapters: Mapping[str, "Adapter"], symbol_time_ns: float) -> None:
        """Raises RingletError for a load, or a check or a block that is too long."""
        super().check(traffic, adapters, symbol_time_ns)
        if traffic.has_load:
            key = "matrix_unit" if traffic.load is None else "load"
            slower = "traffic.pause slows them down"
            raise RingletError(
                f"traffic.{key}: given with arrivals {self.name!r}, which offer what gets through; {slower}"
            )
        for path, adapter in adapters.items():
            if cycles(adapter.check, symbol_time_ns) > MAX_CYCLES:
                allowed = f"at most 2^53 cycles of {symbol_time_ns:g} ns"
                raise RingletError.not_allowed(f"{path}.check", adapter.check, allowed)
        if traffic.block_packets > MAX_BLOCK_PACKETS:
            allowed = f"at most {MAX_BLOCK_PACKETS} transactions of {traffic.moves.payload_bytes:g} bytes"
            raise RingletError.not_allowed("traffic.block", traffic.block, allowed)

    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Returns the engine's `arrivals` of a flow."""
        del node, rate
        pause = cycles(traffic.pause, symbol_time_ns)
        checked = 0 if host.adapter is None else cycles(host.adapter.check, symbol_time_ns)
        # A bridge is done with what stands in its buffers, unless software checks it or there is a response.
        posted = host.adapter is not None and checked == 0 and traffic.moves.response_bytes is None
        found = {"kind": self.name, "pause_cycles": max(1, pause + checked), "posted": posted}
        if host.adapter is not None and host.adapter.bad_blocks > 0:
            found["repeats"] = {"probability": host.adapter.bad_blocks, "check_cycles": max(1, checked)}
        return found


class NoArrivals(Arrivals):
    """No requests: all that is sent are the messages, or the packets of a trace."""

    name = "none"
    title = "messages or a trace only"
    generates = False
    follows_load = False

    def spec(self, traffic: Keys, host: "NodeHost", node: int, rate: float, symbol_time_ns: float) -> dict[str, Any]:
        """Raises an error: there is no flow."""
        raise AssertionError("there is no flow without arrivals")


ARRIVALS: Mapping[ArrivalsName, Arrivals] = {
    one.name: one for one in (Saturated(), Poisson(), Bernoulli(), Periodic(), Closed(), NoArrivals())
}
"""All arrivals by name."""

IN_WORDS = "; ".join(f"`{one.name}`: {one.title}" for one in ARRIVALS.values())
"""Description of all arrivals."""


def names(which: Callable[[Arrivals], bool]) -> str:
    """Returns the names of some arrivals as a message has them: `'poisson' or 'bernoulli'`."""
    return " or ".join(repr(one.name) for one in ARRIVALS.values() if which(one))
