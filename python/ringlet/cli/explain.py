"""`ringlet explain` prints the meaning of a key, a figure or a message."""

import difflib
from collections.abc import Iterable

import click

from ringlet.cli import output
from ringlet.cli.arguments import completed_from
from ringlet.cli.explanation import Explanation, matching
from ringlet.cli.glossary import KIND, TERMS, Term, terms_of
from ringlet.cli.kept_explanations import explanations
from ringlet.errors import RingletError

SHOWN = 12
"""Explanations shown for one name; a name as short as `period` may be that of several keys."""


def _names() -> Iterable[str]:
    return sorted({*(one.name for one in explanations()), *(term.name for term in TERMS)})


@click.command
@click.argument(
    "words",
    metavar="NAME...",
    nargs=-1,
    required=True,
    help="A key such as traffic.load, a value such as metaring, a figure such as latency_p99_ns, a term such as go "
    "bit, or a message, in quotes, or its first word.",
    shell_complete=completed_from(_names),
)
def command(words: tuple[str, ...]) -> None:
    """Explain a key of a file, a figure of a result, a term, or a warning.

    Keys are those of scenarios, of studies, and of requirements for 'ringlet advise', as in 'ringlet schema'; the last
    part of a key is enough. Values are protocols, patterns and topologies. Figures are called as in the JSON of
    'ringlet run', in data frames, or in tables of sweeps.

    Explanations are kept in the user's cache, such as ~/.cache/ringlet/explanations.json, and made again when ringlet
    or an installed package changes.

    \b
    Examples:
        ringlet explain traffic.load
        ringlet explain receive
        ringlet explain grouped
        ringlet explain latency_ns.p99
        ringlet explain of_optimum
        ringlet explain overloaded
        ringlet explain go bit
    """
    name = " ".join(words)
    terms = terms_of(name)
    for term in terms:
        _write_term(term)
    if terms and not any(term.shared for term in terms):
        return
    found = matching(name, explanations())
    if not found and not terms:
        close = difflib.get_close_matches(name, {*_names(), *(one.rpartition(".")[2] for one in _names())}, n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "a key, a figure, a term or a message"
        raise RingletError.not_allowed("NAME", name, hint)
    for place, one in enumerate(found[:SHOWN]):
        if place or terms:
            output.write_line()
        _write(one)
    if len(found) > SHOWN:
        output.write_line(f"\n... and {len(found) - SHOWN} more: {', '.join(one.name for one in found[SHOWN:])}")


def _write_term(term: Term) -> None:
    output.write_line(f"{term.name}: {KIND}", style="bold")
    if term.other_names:
        output.write_line(f"  also: {', '.join(term.other_names)}")
    output.write_line(f"  {term.meaning}")


def _write(one: Explanation) -> None:
    output.write_line(f"{one.name}: {one.kind}", style="bold")
    for fact in one.facts:
        output.write_line(f"  {fact}")
    for line in one.text.splitlines():
        output.write_line(f"  {line}")
