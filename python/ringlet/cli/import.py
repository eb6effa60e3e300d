"""`ringlet import`: a file of another tool as a scenario."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ringlet.cli import output
from ringlet.cli.arguments import PATH
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported
from ringlet.imports.formats import FORMATS, format_of
from ringlet.imports.read import read, write

TABLE = "\n".join(f"{one.name:12}  {one.suffixes or f'--format {one.name}':28}  {one.becomes}" for one in FORMATS)
HELP = f"""Take a file of another tool as a scenario, with its table beside it.

What the file does not say is asked for by an option, and never guessed. Its scenario is checked before anything is
written, and a file that is there already is not replaced.

\b
{TABLE}

\b
Examples:
    ringlet import vehicle.dbc --explain
    ringlet import vehicle.dbc --period leave-out --to vehicle.toml
    ringlet import demands.mtx --unit MB/s
    ringlet import metro.graphml --length-unit km --link-rate "10 Gb/s"
"""


@click.command(help=HELP)
@click.argument("file", metavar="FILE", type=PATH, help="File of another tool.")
@click.option("--to", metavar="FILE", type=PATH, help="Scenario to write; default: the file's name with .toml, here.")
@click.option("--explain", is_flag=True, help="Say what would be taken and what left out, and write nothing.")
@click.option(
    "--format",
    "name",
    metavar="NAME",
    type=click.Choice([one.name for one in FORMATS]),
    help="Format, one of the names above; default: that of the file's suffix.",
)
@click.option("--period", metavar="TIME", help="Period of messages that have none, or leave-out.")
@click.option("--sender", metavar="NODE", help="Sender of messages or frames that name none, or leave-out.")
@click.option("--receiver", metavar="NODE", help="Receiver of messages or frames that name none, or leave-out.")
@click.option("--unit", metavar="UNIT", help="Unit of demands and rates, such as MB/s; shares: rows of shares.")
@click.option("--own", type=click.Choice(["leave-out"]), help="What becomes of demands of a node to itself.")
@click.option(
    "--size", metavar="SIZE", help="Size of messages of which the file says none; of a flit, where it has flits."
)
@click.option("--cycle", metavar="TIME", help="Time of a cycle, where the file counts in cycles, such as '1 ns'.")
@click.option("--rate", metavar="RATE", help="Rate of flows that have none, such as '10 MB/s' or '5 MHz'.")
@click.option(
    "--collectives",
    type=click.Choice(["ring", "leave-out"]),
    help="What becomes of collective operations: messages around the ring of their members, or nothing.",
)
@click.option("--length-unit", metavar="UNIT", help="Unit of lengths without one, such as km.")
@click.option("--time-unit", metavar="UNIT", help="Unit of times without one, such as ms.")
@click.option("--link-rate", metavar="RATE", help="Rate of all links.")
@click.option("--ring", metavar="A,B,...", help="Nodes of the ring, in the order of its links.")
@click.option("--both-ways", is_flag=True, help="Links of a directed graph lead both ways, as a cable does.")
@click.option("--column", "columns", metavar="KEY=HEAD", multiple=True, help="Column of a key. May be repeated.")
@click.option("--sheet", metavar="NAME", help="Sheet of a workbook.")
def command(
    file: Path,
    to: Path | None,
    explain: bool,
    name: str | None,
    ring: str | None,
    columns: Sequence[str],
    **said: Any,  # noqa: ANN401 - options of `Answers`, by their names
) -> None:
    """Takes a file of another tool as a scenario."""
    answers = Answers(
        ring=() if ring is None else tuple(one.strip() for one in ring.split(",")), columns=_columns(columns), **said
    )
    form = format_of(file, name)
    found = read(file, form, answers)
    if explain:
        output.write_line(f"{file}: {form.what}")
        _write_account(found)
        return
    stem = Path(file.stem).stem if file.suffix == ".gz" else file.stem
    written = write(found, Path(f"{stem}.toml") if to is None else to, file)
    _write_account(found)
    output.write_line(f"written: {', '.join(map(str, written))}; next: ringlet run {written[-1]}")


def _columns(given: Sequence[str]) -> dict[str, str]:
    columns = {}
    for text in given:
        key, equals, head = text.partition("=")
        if not equals or not key or not head:
            raise RingletError.not_allowed("--column", text, "KEY=HEAD, such as source=Node")
        columns[key] = head
    return columns


def _write_account(found: Imported) -> None:
    for one in found.taken:
        output.write_line(f"taken: {one}")
    for one in found.left_out:
        output.write_line(f"left out: {one}")
