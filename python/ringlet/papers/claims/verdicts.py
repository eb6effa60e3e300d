"""Claims and what became of them: each one's test run, and its verdict."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, Literal

import rtoml

from ringlet.executors import available_cores, open_workers
from ringlet.executors.execute import execute
from ringlet.papers.claims.claim import CHECKS, Claim, Trials, claims

Word = Literal["holds", "broken", "cannot be said"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim beside what its test found."""

    claim: Claim
    holds: bool | None
    """Outcome of the test; None where the claim has no test, but a reason."""
    evidence: str
    """Figures that the test found; without a test, the reason."""

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        return "cannot be said" if self.holds is None else "holds" if self.holds else "broken"

    @property
    def reason(self) -> str:
        """Our best explanation of a broken claim; empty for one that holds."""
        return reasons().get(self.claim.id, "") if self.holds is False else ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the verdict as `ringlet reproduce --claims --json` prints it."""
        claim = self.claim
        return {
            "id": claim.id,
            "paper": claim.paper,
            "section": claim.section,
            "claim": claim.claim,
            "kind": claim.kind,
            "holds": self.holds,
            "evidence": self.evidence,
            "reason": self.reason,
        }


@cache
def reasons() -> dict[str, str]:
    """Returns the reasons of claims that break or have no test, by id, from `reasons.toml`."""
    found: dict[str, str] = rtoml.loads(files(__package__).joinpath("reasons.toml").read_text(encoding="utf-8"))
    return found


def claims_document(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Returns the JSON of `ringlet reproduce --claims`: a row for each claim."""
    return {"schema": 1, "claims": [each.to_dict() for each in verdicts]}


def verdict(claim: Claim, *, effort: float = 1.0, seed: int = 1) -> Verdict:
    """Returns the verdict on one claim.

    Args:
        claim: what to test.
        effort: factor on the number of scenarios that the test draws.
        seed: of the drawn scenarios.
    """
    check = CHECKS.get(claim.id)
    if check is None:
        return Verdict(claim, None, reasons()[claim.id])
    finding = check(Trials.of(claim.id, effort=effort, seed=seed))
    return Verdict(claim, bool(finding.holds), finding.evidence)


def examine(
    papers: Sequence[str] = (),
    *,
    effort: float = 1.0,
    seed: int = 1,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Verdict, ...]:
    """Returns the verdicts on all claims of these papers, in the order of `claims.csv`.

    Args:
        papers: short names; none: all.
        effort: factor on the number of scenarios that each test draws.
        seed: of the drawn scenarios.
        workers: processes; None: one per core. Verdicts do not depend on it.
        progress: called with the claims done and their number whenever one is done.
    """
    chosen = [claim for claim in claims() if not papers or claim.paper in papers]
    test = partial(verdict, effort=effort, seed=seed)
    found: dict[str, Verdict] = {}
    for done in _tested(chosen, test, min(workers or available_cores(), max(len(chosen), 1))):
        found[done.claim.id] = done
        if progress:
            progress(len(found), len(chosen))
    return tuple(found[claim.id] for claim in chosen)


def _tested(chosen: Sequence[Claim], test: Callable[[Claim], Verdict], workers: int) -> Iterator[Verdict]:
    """Tests claims here, or in so many processes, and returns each verdict as it comes."""
    if workers == 1:
        yield from map(test, chosen)
        return
    tasks = iter(chosen)
    with open_workers(workers=workers) as at:
        for outcomes in execute(test, partial(next, tasks, None), at):
            for outcome in outcomes:
                yield outcome.value()
