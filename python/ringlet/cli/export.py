"""`ringlet export`: a scenario as files of another tool."""

from collections.abc import Sequence
from pathlib import Path

import click

from ringlet.cli import output
from ringlet.cli.arguments import PATH, load, refusing, scenario_file, set_keys

NAMES = ("csv", "graphml", "saihu")
"""Names of the formats; those of `ringlet.exports`."""


@click.command
@scenario_file
@set_keys
@click.option("--format", "name", type=click.Choice(NAMES), required=True, help="Format of the files.")
@click.option("--to", metavar="DIR", type=PATH, default=".", help="Folder of the files; default: this one.")
@click.option("--explain", is_flag=True, help="Say also what is lost on the way back, and write nothing.")
def command(scenario: Path, overrides: Sequence[str], name: str, to: Path, explain: bool) -> None:
    """Write flows and topology of a scenario for another tool, such as one that bounds delays.

    What a format cannot say is named as left out. A file that is there already is not replaced. Nothing is simulated.

    \b
    csv      NAME-flows.csv, NAME-links.csv          a line for each flow and link
    graphml  NAME-links.graphml, NAME-flows.graphml  an edge for each of them
    saihu    NAME-saihu.json                         servers and arrival curves: network calculus

    \b
    Examples:
        ringlet export message-set.toml --format saihu
        ringlet export flows.toml --format csv --to tables
        ringlet export ring.toml --format graphml --explain
    """
    loaded = load(scenario, overrides)
    # Late: a format takes its libraries with it.
    from ringlet.exports.write import exported, write

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
