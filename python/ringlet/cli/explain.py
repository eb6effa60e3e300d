"""`ringlet explain` prints the meaning of a key, a figure or a message."""

import difflib
from collections.abc import Iterable

import click

from ringlet.cli import output
from ringlet.cli.arguments import completed_from
from ringlet.cli.explanations import Explanation, explanations, matching
from ringlet.errors import RingletError

SHOWN = 12
"""Explanations shown for one name; a name as short as `period` may be that of several keys."""


def _names() -> Iterable[str]:
    return sorted({one.name for one in explanations()})


@click.command
@click.argument(
    "name",
    metavar="NAME",
    help="A key such as traffic.load, a value such as metaring, a figure such as latency_p99_ns, or a message, in "
    "quotes, or its first word.",
    shell_complete=completed_from(_names),
)
def command(name: str) -> None:
    """Explain a key of a file, a figure of a result, or a warning.

    Keys are those of scenarios, of studies, and of requirements for 'ringlet advise', as in 'ringlet schema'; the last
    part of a key is enough. Values are protocols, patterns and topologies. Figures are called as in the JSON of
    'ringlet run', in data frames, or in tables of sweeps.

    \b
    Examples:
        ringlet explain traffic.load
        ringlet explain receive
        ringlet explain grouped
        ringlet explain latency_ns.p99
        ringlet explain of_optimum
        ringlet explain overloaded
    """
    found = matching(name)
    if not found:
        close = difflib.get_close_matches(name, {*_names(), *(one.rpartition(".")[2] for one in _names())}, n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "a key, a figure or a message"
        raise RingletError.not_allowed("NAME", name, hint)
    for place, one in enumerate(found[:SHOWN]):
        if place:
            output.write_line()
        _write(one)
    if len(found) > SHOWN:
        output.write_line(f"\n... and {len(found) - SHOWN} more: {', '.join(one.name for one in found[SHOWN:])}")


def _write(one: Explanation) -> None:
    output.write_line(f"{one.name}: {one.kind}", style="bold")
    for fact in one.facts:
        output.write_line(f"  {fact}")
    for line in one.text.splitlines():
        output.write_line(f"  {line}")
