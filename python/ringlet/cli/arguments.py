"""Arguments and options that several commands take."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import scenario as scenarios
from ringlet.errors import RingletError
from ringlet.scenario.file.kinds import lines_named, read_scenario
from ringlet.scenario.file.overrides import apply_override

if TYPE_CHECKING:
    from ringlet.scenario import Scenario

PATH = click.Path(path_type=Path)
AT_LEAST_ONE = click.IntRange(min=1)


def _settings(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Completes `KEY=VALUE`: the keys of a scenario, and behind `=` the words that a key takes."""
    from ringlet.sections.schema_in_words import keys_of

    words: dict[str, dict[str, None]] = {}
    for key in keys_of(scenarios.json_schema()):
        found = words.setdefault(key.path, {})
        kind = key.facts[0]
        found |= dict.fromkeys(re.findall(r'`"([^"]+)"`', kind) + (["true", "false"] if kind == "boolean" else []))
    name, equals, _ = begun.partition("=")
    offered = [f"{name}={word}" for word in words.get(name, {})] if equals else [f"{key}=" for key in words]
    return sorted(one for one in offered if one.startswith(begun))


scenario_file = click.argument("scenario", metavar="SCENARIO", type=PATH, help="Scenario file, in TOML.")
set_keys = click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Replace one key of the scenario, such as 'traffic.load=50 MB/s'. May be repeated.",
    shell_complete=_settings,
)
run_seed = click.option("--seed", metavar="N", type=int, help="Seed of all random draws; default: the scenario's.")
on_workers = click.option(
    "--workers", metavar="N", type=AT_LEAST_ONE, help="Processes on this machine; default: one per core."
)
on_executor = click.option(
    "--executor",
    metavar="URL",
    help="Compute elsewhere: dask://HOST:PORT, the address of a Dask scheduler, or mpi.",
)
as_json = click.option("--json", is_flag=True, help="Print one JSON object and nothing else.")


def completed_from(names: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Returns a completion of words in the shell; the names are listed at the completion."""
    return lambda context, parameter, begun: [name for name in names() if name.startswith(begun)]


def load(scenario: Path, overrides: Sequence[str], seed: int | None = None) -> "Scenario":
    """Reads a scenario; the seed is checked as `run.seed`."""
    seeds = [] if seed is None else [f"run.seed={seed}"]
    content, overridden = read_scenario(scenario, [*overrides, *seeds])
    return scenarios.Scenario.from_file(scenario, content, overridden)


@contextmanager
def refusing(scenario: Path, overrides: Sequence[str], **options: str) -> Iterator[None]:
    """Names the file and the line in errors about a scenario that is right in itself, but not for the command.

    Args:
        scenario: the file.
        overrides: what was given with `--set`, which stands in no line.
        options: the option of the command for each parameter of Python that an error may name.
    """
    overridden = frozenset(apply_override({}, override) for override in overrides)
    with lines_named(scenario, overridden), options_named(options):
        yield


@contextmanager
def options_named(options: Mapping[str, str]) -> Iterator[None]:
    """Names options of the command in errors that begin with parameters of Python, or with keys that they set."""
    try:
        yield
    except RingletError as error:
        parts = (message.partition(": ") for message in error.args)
        raise RingletError(*(f"{options.get(name, name)}{colon}{rest}" for name, colon, rest in parts)) from error


def check_folder(out: Path) -> None:
    """Raises RingletError if something other than a folder has this name or that of a folder above it."""
    for place in (out, *out.parents):
        if place.exists() or place.is_symlink():
            if not place.is_dir():
                raise RingletError.not_allowed("--out", str(out), f"a folder, and {place} is none")
            return
