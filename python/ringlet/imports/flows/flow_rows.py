"""Flows of an import, as the table that `flows_file` takes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import TABLE, Imported, asked, csv_line
from ringlet.scenario.values.units import magnitude


def flows(network: Mapping[str, Any], rows: Sequence[Mapping[str, str]]) -> Imported:
    """Returns flows as a scenario.

    Args:
        network: its section.
        rows: cells of each flow by the heads of columns; a flow that lacks one has an empty cell.
    """
    heads = list(dict.fromkeys(head for row in rows for head in row))
    body = "".join(csv_line([row.get(head, "") for head in heads]) for row in rows)
    return Imported({"flows_file": TABLE, "network": dict(network)}, csv_line(heads) + body)


def named_once(rows: Sequence[dict[str, str]]) -> None:
    """Numbers the names of flows that more than one has: `0-1`, `0-1 #2`."""
    seen = Counter[str]()
    for row in rows:
        seen[row["name"]] += 1
        if seen[row["name"]] > 1:
            row["name"] += f" #{seen[row['name']]}"


def cycle_ns(file: Path, answer: str | None) -> float:
    """Returns the time of a cycle, in which a file counts.

    Raises:
        RingletError: nobody says it, or it is no time above 0.
    """
    if answer is None:
        raise asked(str(file), "its times are in cycles", "--cycle", "the time of one, such as '1 ns'")
    try:
        found = magnitude(answer, "ns")
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise RingletError.not_allowed("--cycle", answer, "a time above 0, such as '1 ns'")
    return found


def time(cycles: float, ns: float) -> str:
    """Returns the cell of a time that a file gives in cycles."""
    return f"{cycles * ns:.12g} ns"
