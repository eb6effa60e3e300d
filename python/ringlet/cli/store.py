"""`ringlet store` checks a store, and saves the sound part of a damaged one."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import store as stores
from ringlet import studies
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json
from ringlet.cli.failures import CommandError
from ringlet.sections.wording import counted

if TYPE_CHECKING:
    from ringlet.store import Checked

OR = "or, if it refuses the file, 'ringlet store repair' takes out what is sound"

store_argument = click.argument("store", metavar="STORE", type=PATH, help="A store, or the output folder of a sweep.")


@click.group(no_args_is_help=False)
def command() -> None:
    """Check a store of results, or take what is sound out of a damaged one.

    A sweep keeps its runs in DIR/store.sqlite. Every row there has a checksum, which is compared whenever the row is
    read: a damaged one is named, never used, and the next sweep computes it again.
    """


@command.command(name="check", short_help="Whether every row is as it was written.")
@store_argument
@as_json
def check_command(store: Path, json: bool) -> None:
    """Compare the checksum of every row, and look at the structure of the file. Nothing is changed.

    Exit code 0 if all is sound, 1 if something is damaged: each damaged row is named by its table and its key.

    \b
    Examples:
        ringlet store check out/study
        ringlet store check out/study/store.sqlite --json
    """
    file = store_file(store)
    found = stores.check(file)
    if json:
        output.write_json(
            {
                "schema": 1,
                "store": str(file),
                "sound": found.is_sound,
                "runs": found.runs,
                "studies": found.studies,
                "damaged": [{"place": each.place, "problem": each.problem} for each in found.damage],
            }
        )
    else:
        write_report(file, found)
    if not found.is_sound:
        places = counted(len(found.damage), "place")
        raise CommandError(f"{file}: damaged in {places}; the next sweep computes damaged runs again, {OR}")


def write_report(file: Path, found: "Checked") -> None:
    """Writes what was found for a person."""
    for damage in found.damage:
        output.write_line(str(damage))
    words = "sound" if found.is_sound else "otherwise sound"
    output.write_line(f"{file}: {words}; finished runs: {found.runs}, studies: {found.studies}")


@command.command(name="repair", short_help="A new store of the sound runs of a damaged one.")
@store_argument
def repair_command(store: Path) -> None:
    """Take the sound runs of a damaged store into a new one of the same name; the damaged file is kept beside it.

    Studies are not taken over: the same sweep finds its runs in the new store and computes the damaged ones again. A
    store that is sound is left as it is.

    \b
    Examples:
        ringlet store repair out/study
    """
    file = store_file(store)
    if (found := stores.check(file)).is_sound:
        write_report(file, found)
        return
    aside, runs = stores.repair(file)
    output.write_line(f"{file}: {runs} sound runs; the same sweep computes what is missing")
    output.write_line(f"{aside}: the damaged store")


def store_file(path: Path) -> Path:
    """Returns the store in the output folder of a sweep, or the file itself."""
    return path / studies.STORE_FILE if path.is_dir() else path
