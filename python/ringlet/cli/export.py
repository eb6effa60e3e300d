"""`ringlet export`: a scenario as files of another tool."""

from collections.abc import Sequence
from pathlib import Path

import click

from ringlet.cli import output
from ringlet.cli.arguments import PATH, load, refusing, scenario_file, set_keys
from ringlet.exports.formats import FORMATS
from ringlet.exports.write import exported, write

TABLE = "\n".join(f"{one.name:7}  {one.files:38}  {one.what}" for one in FORMATS)
HELP = f"""Write flows and topology of a scenario for another tool, such as one that bounds delays.

What a format cannot say is named as left out. A file that is there already is not replaced. Nothing is simulated.

\b
{TABLE}

\b
Examples:
    ringlet export message-set.toml --format saihu
    ringlet export flows.toml --format csv --to tables
    ringlet export ring.toml --format graphml --explain
"""


@click.command(help=HELP)
@scenario_file
@set_keys
@click.option(
    "--format", "name", type=click.Choice([one.name for one in FORMATS]), required=True, help="Format of the files."
)
@click.option("--to", metavar="DIR", type=PATH, default=".", help="Folder of the files; default: this one.")
@click.option("--explain", is_flag=True, help="Say also what is lost on the way back, and write nothing.")
def command(scenario: Path, overrides: Sequence[str], name: str, to: Path, explain: bool) -> None:
    """Writes flows and topology of a scenario for another tool."""
    loaded = load(scenario, overrides)
    with refusing(scenario, overrides):
        found = exported(loaded, name, scenario.stem)
    for one in found.taken:
        output.write_line(f"taken: {one}")
    for one in found.left_out:
        output.write_line(f"left out: {one}")
    if explain:
        for one in found.back:
            output.write_line(f"back: {one}")
        return
    written = write({f"{scenario.stem}{end}": text for end, text in found.files.items()}, to, "--to")
    output.write_line(f"written: {', '.join(map(str, written))}")
