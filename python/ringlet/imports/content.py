"""Results of an import: a scenario, the table beside it, and an account of what became of the file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError

LEAVE_OUT = "leave-out"
"""The answer that leaves out what lacks something."""

MOST_NAMED = 4
"""Names that a sentence lists."""


@dataclass(frozen=True)
class Answers:
    """Answers of a user to what a file does not say, by the options of `ringlet import`."""

    period: str | None = None
    sender: str | None = None
    receiver: str | None = None
    unit: str | None = None
    length_unit: str | None = None
    time_unit: str | None = None
    link_rate: str | None = None
    ring: tuple[str, ...] = ()
    both_ways: bool = False
    """True if the links of a directed graph lead both ways."""
    columns: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    size: str | None = None
    cycle: str | None = None
    rate: str | None = None
    collectives: str | None = None
    own: str | None = None
    """Answer for demands of a node to itself: `LEAVE_OUT`, or none."""


@dataclass
class Imported:
    """A file as a scenario."""

    scenario: dict[str, Any]
    """Sections and keys; a key whose value is `TABLE` names the table beside it."""
    table: str | None = None
    """The table that stands in a file beside the scenario, as CSV."""
    taken: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


TABLE = "<the table>"
"""The place of the table's name in a scenario."""


def asked(place: str, value: str, option: str, what: str) -> RingletError:
    """Returns the error for what a file does not say: where, what is there, and the option that says it."""
    return RingletError(f"{place}: {value}; {option} says {what}")


def some(names: Iterable[str]) -> str:
    """Returns the first of many names, and how many there are."""
    listed = list(names)
    more = f", ... ({len(listed)})" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more


def csv_line(cells: Sequence[object]) -> str:
    """Returns a line of a CSV file."""
    return ",".join(_cell(str(cell)) for cell in cells) + "\n"


def _cell(text: str) -> str:
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if any(c in text for c in ',"\n\r') else text


def matrix_scenario(
    file: Path, names: Sequence[str], rows: Sequence[Sequence[float]], answers: Answers
) -> tuple[dict[str, Any], str, str]:
    """Returns the section `traffic`, the table, and a sentence, for demands between nodes.

    Args:
        file: where they are from.
        names: of the nodes.
        rows: demands, in the unit that `answers` has.
        answers: what the user says.

    Raises:
        RingletError: the unit is not known; a demand of a node to itself, or below 0.
    """
    made = [list(map(float, row)) for row in rows]
    own = [names[i] for i, row in enumerate(made) if row[i]]
    if own and answers.own != LEAVE_OUT:
        value = f"node {own[0]!r} has a demand of {made[names.index(own[0])][names.index(own[0])]:g} to itself"
        raise asked(str(file), value, f"--own {LEAVE_OUT}", "that such demands are left out")
    for i, row in enumerate(made):
        row[i] = 0.0
        for j, demand in enumerate(row):
            if not 0 <= demand < float("inf"):
                raise RingletError.not_allowed(f"{file}, demand of {names[i]!r} to {names[j]!r}", demand, "at least 0")
    if not any(map(any, made)):
        raise RingletError.not_allowed(str(file), "<no demand>", "a demand between two nodes")
    if answers.unit is None:
        raise asked(
            str(file), "its numbers have no unit", "--unit", "it, such as 'MB/s' or 'Mb/s'; or 'shares' of each row"
        )
    traffic: dict[str, Any] = {"matrix_file": TABLE}
    if answers.unit == "shares":
        said = "each row as the shares of its node's packets"
    else:
        traffic["matrix_unit"] = answers.unit
        said = f"demands in {answers.unit}: each node's load, and the shares of its destinations"
    header = csv_line(["", *names])
    body = "".join(csv_line([name, *(f"{value:.12g}" for value in row)]) for name, row in zip(names, made, strict=True))
    return traffic, header + body, said
