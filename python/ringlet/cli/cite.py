"""`ringlet cite` says how to cite ringlet, and the papers that it reproduces."""

from collections.abc import Iterable
from difflib import get_close_matches

import click

from ringlet.cli import output
from ringlet.cli.arguments import completed_from
from ringlet.errors import RingletError


def _works() -> Iterable[str]:
    from ringlet.cli.citations import works

    return works()


@click.command
@click.argument(
    "work",
    metavar="[WORK]",
    default="ringlet",
    help="ringlet, or a paper as in 'ringlet reproduce', such as todd2001. Default: ringlet.",
    shell_complete=completed_from(_works),
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["bibtex", "apa", "cff"]),
    default="bibtex",
    help="BibTeX, an entry in the style of APA, or the Citation File Format (CITATION.cff). Default: bibtex.",
)
def command(work: str, style: str) -> None:
    """Say how to cite ringlet, or a paper that it reproduces.

    Cite ringlet with its version, and the paper whose protocol or network you simulate. A paper in the Citation File
    Format is a reference for your own CITATION.cff.

    \b
    Examples:
        ringlet cite
        ringlet cite todd2001
        ringlet cite picker1994 --format apa
        ringlet cite --format cff
    """
    from ringlet.cli.citations import as_apa, as_bibtex, as_cff, works

    known = works()
    if work not in known:
        near = get_close_matches(work, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise RingletError.not_allowed("WORK", work, f"{', '.join(known)}{hint}")
    formats = {"bibtex": as_bibtex, "apa": as_apa, "cff": as_cff}
    output.write(formats[style](work, known[work]))
