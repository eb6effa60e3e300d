"""The lowest load factor at which a search of phases finds a missed deadline, and the largest guaranteed one."""

from dataclasses import dataclass
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.simulation.bisection import bisect
from ringlet.simulation.phases import FloatArray, PhaseSearch, PhaseTrials, random_of
from ringlet.theory.guarantee import guarantees
from ringlet.theory.response_flows import Assumed

LIGHTEST = 4096
"""Divisor of the load factor; where nothing is guaranteed at the quotient, it is taken that nothing is at any."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """The factor that a search of phases leaves."""

    factor: float
    """Largest one at which no trial missed a deadline."""
    missed: str | None
    """Message or loop that misses its deadline at a factor larger by the tolerance; None: none does at any tried."""
    trials: int
    """Simulations that it took."""
    witness: dict[str, Any] | None
    """The scenario in which it does, as a file holds it; None where no other phases do."""


def lowest_miss(scenario: Scenario, factor: float, missed: str | None, tolerance: float, trials: int) -> Lowered:
    """Searches for phases in which a deadline is missed, at ever lower load factors.

    Phases that miss at a factor are tried at lower ones until they do not; from there on others are searched for.

    Args:
        scenario: with messages.
        factor: at which none was missed in its own phases; 0: they miss at every load.
        missed: message that missed its deadline at a factor larger by the tolerance.
        tolerance: relative distance of the factor found from one with a miss.
        trials: simulations.
    """
    if factor == 0.0:
        return Lowered(0.0, missed, 0, None)
    search = PhaseSearch(_trials(scenario, factor), random_of(scenario))
    witness, done = None, 0
    while done < trials:
        phases, responses = search.step()
        done += 1
        at = factor
        late = _late(search.trials, responses)
        if late is None:
            continue
        missed, witness = late, search.trials.as_scenario(phases)
        further = tolerance
        # Twice as far as long as they miss, and half as far where they do not.
        while further >= tolerance and done < trials:
            lower = at / (1 + further)
            slower, moved = _trials(scenario, lower), phases.scaled(at / lower)
            late = _late(slower, slower.responses(moved))
            done += 1
            if late is None:
                further /= 2
            else:
                at, phases, missed, witness = lower, moved, late, slower.as_scenario(moved)
                further *= 2
        search.moved(_trials(scenario, at / (1 + tolerance)), factor * (1 + tolerance) / at)
        factor = at / (1 + tolerance)
    return Lowered(factor, missed, done, None if witness is None else witness.short_dict())


def _trials(scenario: Scenario, factor: float) -> PhaseTrials:
    return PhaseTrials(scenario.scaled(factor), judged=("messages",))


def _late(trials: PhaseTrials, responses: FloatArray) -> str | None:
    """Returns what missed its deadline by the largest share of it; None where nothing did."""
    shares = responses / trials.deadlines
    worst = int(shares.argmax())
    return trials.released[worst].name if shares[worst] > 1 else None


def guaranteed_factor(
    scenario: Scenario, most: float, tolerance: float, assumed: Assumed | None = None
) -> tuple[float | None, str | None]:
    """Returns the largest load factor found, at most `most`, at which all deadlines are guaranteed; else why none is.

    What is guaranteed at a factor is so at each lower one: what the slower set releases, the faster one may release,
    and its deadlines are longer.
    """
    if most == 0.0:
        return None, "a deadline is missed at every load"

    def unproven(factor: float) -> str | None:
        try:
            found = guarantees(scenario.scaled(factor), assumed)
        except RingletError as error:
            return str(error)
        for one in found:
            if not one.holds:
                return one.why or f"the bound of {one.name} is above its deadline"
        return None

    why = unproven(most / LIGHTEST)
    if why is not None:
        return None, why
    if unproven(most) is None:
        return most, None
    return bisect(unproven, most / 2, tolerance, least_factor=most / LIGHTEST)[0], None
