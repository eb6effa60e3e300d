"""The table of what cannot be combined."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pairs.factors import USUAL, Case, factors

TABLE = Path(__file__).parent / "refusals.toml"


@dataclass(frozen=True, eq=False)
class Refusal:
    """One entry of the table."""

    where: Mapping[str, frozenset[str]]
    """Members of some factors that do not go together."""
    message: str
    reason: str

    @classmethod
    def of(cls, entry: Mapping[str, Any], known: Mapping[str, tuple[str, ...]]) -> "Refusal":
        """Returns an entry of the file, where `not` stands for all other members."""
        where = {}
        for factor, given in entry["where"].items():
            members = given if isinstance(given, list) else given["not"]
            unknown = set(members) - set(known[factor])
            assert not unknown, f"{TABLE.name}: {factor} has no {sorted(unknown)}"
            where[factor] = frozenset(members if isinstance(given, list) else set(known[factor]) - set(members))
        return cls(where, entry["message"], entry["reason"])

    def meets(self, case: Case) -> bool:
        """Returns whether a case, perhaps of some factors only, has a member of each."""
        return all(case.get(factor) in members for factor, members in self.where.items())

    def says(self, message: str) -> bool:
        """Returns whether a message is this one."""
        return re.search(self.message, message) is not None


@cache
def refusals() -> tuple[Refusal, ...]:
    """Returns the table."""
    known = factors(whole=True)
    return tuple(Refusal.of(one, known) for one in tomllib.loads(TABLE.read_text(encoding="utf-8"))["refusal"])


def refused(case: Case) -> list[Refusal]:
    """Returns the entries by which a case, perhaps of some factors only, is refused."""
    return [one for one in refusals() if one.meets(case)]


def completed(part: Case, members: Mapping[str, tuple[str, ...]], allowed: tuple[Refusal, ...] = ()) -> Case | None:
    """Returns a case with these members that is refused by the allowed entries at most, as usual as can be; None where
    there is none."""
    if set(refused(part)) - set(allowed):
        return None
    factor = next((factor for factor in members if factor not in part), None)
    if factor is None:
        return part
    usual = USUAL[factor]
    for member in (usual, *(one for one in members[factor] if one != usual)):
        found = completed({**part, factor: member}, members, allowed)
        if found is not None:
            return found
    return None


def each_refusal(members: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Refusal, Case]]:
    """Yields cases that one entry alone refuses, with every member that it names."""
    for one in refusals():
        first = {factor: sorted(own & set(members[factor])) for factor, own in one.where.items()}
        for factor, own in first.items():
            for member in own:
                part = {other: found[0] for other, found in first.items()} | {factor: member}
                case = completed(part, members, (one,))
                if case is not None:
                    yield one, case
