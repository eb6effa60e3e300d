"""A candidate with its cost and what its runs say."""

from dataclasses import asdict, dataclass

from ringlet.advice.candidates import Candidate
from ringlet.advice.requirements import Prices, Requirements
from ringlet.advice.verdict import Interval, Verdict
from ringlet.scenario import Scenario
from ringlet.scenario.warnings import relevant_check
from ringlet.topology import Cost, cost


@dataclass(frozen=True)
class Advised:
    """A candidate with its cost and what its runs say."""

    candidate: Candidate
    scenario: Scenario
    parts: Cost
    """What it is made of; adapters are those of senders and receivers."""
    price: float
    """In the unit of the prices."""
    can_deadlock: bool
    """Whether its packets could wait for each other in a circle."""
    verdict: Verdict | None
    """None: it could not be simulated."""
    most: Interval | None
    """Its largest throughput at any rate that was tried, in MB/s."""
    overloaded: Interval | None
    """Its throughput when every sender offers what a link takes, in MB/s."""
    failure: str = ""
    """Why not."""

    @property
    def state(self) -> str:
        """`fits`, `unclear`, `fails` or `failed`."""
        return "failed" if self.verdict is None else self.verdict.state

    @property
    def why(self) -> str:
        """The requirement that fails or is unclear, and by how much."""
        return self.failure if self.verdict is None else "; ".join(self.verdict.reasons)


def advised(
    wanted: Requirements,
    candidate: Candidate,
    scenario: Scenario,
    verdict: Verdict | str,
    most: Interval | None,
    overloaded: Interval | None,
) -> Advised:
    """Returns a candidate with its price; a `verdict` in words says why there is none."""
    parts = cost(scenario.routed_network[0])
    # What pads a network to its size needs no adapter.
    parts = Cost(**{**asdict(parts), "adapters": wanted.final_senders + wanted.final_receivers})
    judged = verdict if isinstance(verdict, Verdict) else None
    return Advised(
        candidate,
        scenario,
        parts,
        _price(wanted.prices, parts),
        not relevant_check(scenario.resolved).free,
        judged,
        most,
        overloaded,
        verdict if isinstance(verdict, str) else "",
    )


def _price(prices: Prices, parts: Cost) -> float:
    return (
        prices.switch * parts.switches
        + prices.port * parts.ports
        + prices.cable * parts.cables
        + prices.adapter * parts.adapters
    )
