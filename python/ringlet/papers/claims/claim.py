"""A sentence of a paper, in our words, as a property that a program can test."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast

import numpy as np

Kind = Literal["law", "relation", "equality", "bound", "shape", "possible"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of `claims.csv`."""

    id: str
    """Stable name, `paper.cNN`; missing numbers are kept for later."""
    paper: str
    """Short name of the paper, such as `picker1994`."""
    section: str
    """Section of the paper, or `all` for a law of every ring."""
    claim: str
    """The sentence, in our words."""
    kind: Kind
    test: str
    """Test of the sentence, in words: drawn scenarios, figure, tolerance."""
    before: str
    """Verdict on the version of 2026-11-25, before the sentences were laws: `holds`, `broken`, `cannot be said` or `not
    tried`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one test of a claim."""

    holds: bool
    evidence: str
    """Figures that the test found, and the scenarios that they come from."""


@dataclass(frozen=True, slots=True)
class Trials:
    """Scenarios to draw for one claim: their number and their random stream."""

    rng: np.random.Generator
    """Random stream of this claim; the same in every run with the same seed."""
    effort: float = 1.0
    """Factor on the number of drawn scenarios."""

    @classmethod
    def of(cls, claim: str, *, effort: float = 1.0, seed: int = 1) -> "Trials":
        """Returns the trials of a claim: each claim draws from a stream of its own."""
        return cls(np.random.default_rng([seed, *claim.encode()]), effort)

    def count(self, number: int) -> int:
        """Returns how many scenarios to draw where a usual run draws `number`, at least 2."""
        return max(2, round(number * self.effort))


Check = Callable[[Trials], Finding]
"""Test of a claim."""

CHECKS: dict[str, Check] = {}
"""Tests by the ids of their claims; `checks` fills it."""


def checks(*ids: str) -> Callable[[Check], Check]:
    """Registers the decorated function as the test of these claims."""

    def register(check: Check) -> Check:
        for name in ids:
            assert name not in CHECKS, name
            CHECKS[name] = check
        return check

    return register


@cache
def claims() -> tuple[Claim, ...]:
    """Returns every row of `claims.csv`, in its order."""
    text = files(__package__).joinpath("claims.csv").read_text(encoding="utf-8")
    return tuple(
        Claim(
            id=row["id"],
            paper=row["paper"],
            section=row["section"],
            claim=row["claim"],
            kind=cast(Kind, row["kind"]),
            test=row["test"],
            before=row["before"],
        )
        for row in csv.DictReader(text.splitlines())
    )
