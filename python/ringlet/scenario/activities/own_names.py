"""Names of the rows of a table that leave theirs out."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ringlet.scenario.activities.tables import Row

One = TypeVar("One", bound=Row)


def with_own_names(rows: Sequence[One], taken: Iterable[str] = ()) -> list[One]:
    """Returns the rows, of which none that leaves its name out is called as another one: the second of a way has
    ` (2)` behind it, the third ` (3)`, in the order of the table.

    A name that a row gives stays as it is, and two equal ones are left for the caller to refuse.

    Args:
        rows: messages or flows.
        taken: names of other tables.
    """
    names = {row.called for row in rows if "name" in row.given}.union(taken)
    numbers: dict[str, int] = {}
    found: list[One] = []
    for row in rows:
        if "name" in row.given:
            found.append(row)
            continue
        way = row.called
        name, number = way, numbers.get(way, 1)
        while name in names:
            number += 1
            name = f"{way} ({number})"
        numbers[way] = number
        names.add(name)
        found.append(row if name == way else row.renamed(name))
    return found
