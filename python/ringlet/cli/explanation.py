"""The explanation of a name, and which of them a word or a message means."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a name."""

    name: str
    kind: str
    """Kind of thing that has this name: a key of which file, a figure, a warning."""
    text: str
    facts: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    pattern: str = ""
    """Regular expression of the message; empty for what is no warning."""


def matching(name: str, among: Sequence[Explanation]) -> list[Explanation]:
    """Returns what a name, or a message, means.

    Args:
        name: the whole name; else the last part of a key or figure, whatever it belongs to; else a message, in which a
            warning is recognised.
        among: all that can be explained.
    """
    if exact := [one for one in among if name in (one.name, *one.other_names)]:
        return exact
    if last := [one for one in among if any(each.endswith(f".{name}") for each in (one.name, *one.other_names))]:
        return last
    warnings = [one for one in among if one.pattern]
    return [one for one in warnings if re.search(one.pattern, name) or name == one.name.split()[0]]
