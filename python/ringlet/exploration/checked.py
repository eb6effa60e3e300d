"""The result of an exploration: properties that hold or do not, and a counterexample."""

from dataclasses import dataclass
from typing import Any

from ringlet.trace import Recording


@dataclass(frozen=True, slots=True)
class Property:
    """Something that should hold in every state."""

    name: str
    """Property, in words."""
    holds: bool
    """True if it holds in all states that were met."""
    cycles: int | None
    """The longest time that it takes, in cycles, where it is about one; None where it does not hold."""
    says: str
    """Finding, in a sentence."""

    def to_dict(self) -> dict[str, Any]:
        """Returns what JSON has of it."""
        return {"name": self.name, "holds": self.holds, "cycles": self.cycles, "says": self.says}


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of an exploration: properties that hold or do not, and a counterexample."""

    states: int
    """Different states that were met."""
    complete: bool
    """True if these are all states."""
    flows: tuple[str, ...]
    """The flows that were explored."""
    properties: tuple[Property, ...]
    """Properties that were checked."""
    counterexample: Recording | None
    """Recording of how the first property that does not hold is broken: from the empty ring on, what happens
    repeated."""
    arrivals: tuple[tuple[int, str], ...]
    """The messages of the counterexample: cycle and flow."""
    losses: tuple[tuple[int, str], ...]
    """Losses of the counterexample: a cycle, and the interface at which the next packet or echo then does not come
    in."""
    repeats_from: int | None
    """Cycle of the counterexample from which on it repeats itself; None: it does not."""
    round_cycles: int | None
    """Cycles after which it does again."""
    simulations: int | None = None
    """Number of simulations of a network that searched for a deadlock; None: none did."""

    grows: bool = False
    """True if the exploration ended early, since as large a part of the states waited to be explored as of the first
    half of them."""

    @property
    def holds(self) -> bool:
        """True if every property holds in all states that were met."""
        return all(one.holds for one in self.properties)

    def to_dict(self, counterexample: str | None = None) -> dict[str, Any]:
        """Returns what JSON has of it; `counterexample` is the file to which the recording was written."""
        return {
            "holds": self.holds,
            "complete": self.complete,
            "grows": self.grows,
            "states": self.states,
            "flows": list(self.flows),
            "properties": [one.to_dict() for one in self.properties],
            "counterexample": counterexample,
            "arrivals": [{"cycle": cycle, "flow": flow} for cycle, flow in self.arrivals],
            "losses": [{"cycle": cycle, "before": interface} for cycle, interface in self.losses],
            "repeats_from": self.repeats_from,
            "round_cycles": self.round_cycles,
            "simulations": self.simulations,
        }
