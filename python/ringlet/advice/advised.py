"""A candidate with its cost and what its runs say."""

from dataclasses import dataclass

from ringlet.advice.candidates import Candidate
from ringlet.advice.failures import Failing
from ringlet.advice.requirements import Requirements
from ringlet.advice.stages import Stage, memory_price, parts_of, price, stages
from ringlet.advice.verdict import Interval, Verdict
from ringlet.rings import Cost
from ringlet.scenario import Scenario
from ringlet.theory.warnings import relevant_check


@dataclass(frozen=True)
class Advised:
    """A candidate with its cost and what its runs say."""

    candidate: Candidate
    scenario: Scenario
    parts: Cost
    """Parts of the network and their number; adapters are those of senders and receivers."""
    price: float
    """Price, in the unit of `Prices`."""
    can_deadlock: bool
    """True if its packets could wait for each other in a circle."""
    verdict: Verdict | None
    """Verdict on its runs; None: it could not be simulated."""
    most: Interval | None
    """Largest throughput at any rate that was tried, in MB/s."""
    overloaded: Interval | None
    """Throughput when every sender offers what a link takes, in MB/s."""
    failing: Failing
    """Ring whose broken link costs most, and the share of the data that has no way then."""
    stages: tuple[Stage, ...]
    """Parts to buy at each stage of growth; empty without stages."""
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
    failing: Failing,
) -> Advised:
    """Returns a candidate with its price; a `verdict` in words says why there is none."""
    parts = parts_of(wanted, scenario)
    judged = verdict if isinstance(verdict, Verdict) else None
    return Advised(
        candidate,
        scenario,
        parts,
        price(wanted.prices, parts) + memory_price(wanted, candidate),
        not relevant_check(scenario.resolved).free,
        judged,
        most,
        overloaded,
        failing,
        stages(wanted, candidate, parts),
        verdict if isinstance(verdict, str) else "",
    )
