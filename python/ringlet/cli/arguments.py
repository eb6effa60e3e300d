"""Arguments and options that several commands take."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ringlet.errors import RingletError
from ringlet.scenario.files import read_scenario

if TYPE_CHECKING:
    from ringlet.scenario import Scenario

ScenarioFile = Annotated[Path, typer.Argument(metavar="SCENARIO", help="Scenario file, in TOML.", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Replace one key of the scenario, such as 'traffic.load=50 MB/s'. May be repeated.",
        show_default=False,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Processes on this machine; default: one per core."),
]
ExecutorUrl = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="URL",
        help="Compute elsewhere: dask://HOST:PORT, the address of a Dask scheduler, or mpi.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def load(scenario: Path, overrides: list[str] | None, seed: int | None = None) -> "Scenario":
    """Reads a scenario; the seed is checked as `run.seed`."""
    seeds = [] if seed is None else [f"run.seed={seed}"]
    content, overridden = read_scenario(scenario, [*(overrides or []), *seeds])
    # Late: a file that cannot be read is refused before pydantic is loaded.
    from ringlet.scenario import Scenario

    return Scenario.from_file(scenario, content, overridden)


def check_folder(out: Path) -> None:
    """Raises RingletError if something other than a folder has this name or that of a folder above it."""
    for place in (out, *out.parents):
        if place.exists() or place.is_symlink():
            if not place.is_dir():
                raise RingletError.not_allowed("--out", str(out), f"a folder, and {place} is none")
            return
