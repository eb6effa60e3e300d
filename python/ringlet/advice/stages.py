"""Parts to be bought for each stage in which a system grows (richter1999, Section 6.2: over 10 to 15 years)."""

from dataclasses import asdict, dataclass

from ringlet.advice.candidates import Candidate, candidates
from ringlet.advice.requirements import Prices, Requirements
from ringlet.rings import Cost, cost
from ringlet.scenario import Scenario


@dataclass(frozen=True)
class Stage:
    """A stage of growth."""

    growth: float
    """Factor by which senders and receivers have grown."""
    bought: Cost
    """Parts that are bought then; what was bought before stays in use."""
    price: float
    """Price of these parts, in the unit of the prices."""


def stages(wanted: Requirements, candidate: Candidate, final: Cost) -> tuple[Stage, ...]:
    """Returns what is bought at each stage of a candidate, the last one at `growth`; empty without stages.

    Args:
        wanted: the requirements.
        candidate: the network for the final size.
        final: its parts.
    """
    if not wanted.stages:
        return ()
    found, owned = [], Cost(0, 0, 0, 0, 0, 0)
    for growth in (*wanted.stages, wanted.growth):
        needed = final if growth == wanted.growth else _parts(wanted, candidate.name, growth, final)
        bought = {part: max(0, count - getattr(owned, part)) for part, count in asdict(needed).items()}
        owned = Cost(**{part: max(count, getattr(owned, part)) for part, count in asdict(needed).items()})
        found.append(Stage(growth, Cost(**bought), price(wanted.prices, Cost(**bought))))
    return tuple(found)


def parts_of(wanted: Requirements, scenario: Scenario) -> Cost:
    """Returns what a network is made of; what pads it to its size needs no adapter."""
    adapters = wanted.final_senders + wanted.final_receivers
    return Cost(**{**asdict(cost(scenario.routed_network[0])), "adapters": adapters})


def price(prices: Prices, parts: Cost) -> float:
    """Returns what parts cost, in the unit of the prices."""
    return (
        prices.switch * parts.switches
        + prices.port * parts.ports
        + prices.cable * parts.cables
        + prices.adapter * parts.adapters
    )


def memory_price(wanted: Requirements, candidate: Candidate) -> float:
    """Returns what the senders' memories cost, in the unit of the prices."""
    held = wanted.queues.transmit if candidate.transmit is None else candidate.transmit
    return wanted.prices.buffer * wanted.final_senders * held if isinstance(held, int) else 0.0


def _parts(wanted: Requirements, name: str, growth: float, final: Cost) -> Cost:
    """Returns the parts of the network of a name at a stage; those of the final size where it has none so small."""
    smaller = wanted.changed(growth=growth, stages=[])
    for one in candidates(smaller):
        if one.name == name:
            return parts_of(smaller, Scenario.from_dict({"network": one.network}))
    adapters = smaller.final_senders + smaller.final_receivers
    return Cost(**{**asdict(final), "adapters": adapters})
