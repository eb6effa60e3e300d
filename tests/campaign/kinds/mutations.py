"""Example scenarios with other values, keys and types: refused with one message, or simulated as any scenario."""

import copy
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import ringlet
from campaign import damage, draw
from campaign.case import Case, Kind
from campaign.checks import check
from campaign.observe import Observed, require
from ringlet import RingletError, Scenario

EXAMPLES = Path(__file__).parents[3] / "examples"
PAPERS = Path(ringlet.__file__).parent / "papers"

MOST_WORK = 2_000_000
"""Interfaces times cycles up to which a scenario is simulated; a longer one is only checked."""


@cache
def examples() -> tuple[tuple[str, str], ...]:
    """Names and texts of the scenarios that come with the program, each with the files that it names beside it."""
    found = [*sorted(EXAMPLES.glob("*.toml")), *sorted(PAPERS.glob("*/*.toml"))]
    return tuple((file.name, file.read_text(encoding="utf-8")) for file in found)


@cache
def companions() -> dict[str, bytes]:
    """The small files that examples name; a trace is cut to its first lines."""
    trace = (EXAMPLES / "traces/stencil.csv").read_bytes().splitlines(keepends=True)[:60]
    tables = {name: (EXAMPLES / name).read_bytes() for name in ("matrix.csv", "message-set.csv")}
    return {**tables, "stencil.csv": b"".join(trace)}


def whole(rng: Random) -> dict[str, Any]:
    """Returns the content of an example, shortened to a run of some milliseconds."""
    _, text = rng.choice(examples())
    content = tomllib.loads(text)
    content.setdefault("run", {}).pop("precision", None)
    content["run"] |= {"duration": rng.randint(100, 3000), "warmup": 0}
    for table in _tables(content):
        for key, value in table.items():
            if key == "file" and isinstance(value, str):
                table[key] = Path(value).name
    return content


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _tables(inner)


def generate(seed: int) -> Case:
    """Makes an example with changed places."""
    rng = Random(f"mutations {seed}")
    content = copy.deepcopy(whole(rng))
    damage.mutated(content, rng)
    text = repr(content)
    return Case({"scenario": content}, {name: file for name, file in companions().items() if name in text})


def check_mutation(case: Case, folder: Path, rng: Random) -> str:
    """Validates it, and simulates it if it is valid and short."""
    return simulate_if_valid(case.content["scenario"], folder, rng)


def simulate_if_valid(content: dict[str, Any], folder: Path, rng: Random) -> str:
    """Holds a scenario to all checks if it is valid; a refusal is one printable line that says what is wrong."""
    try:
        scenario = Scenario.from_dict(content, base_dir=folder)
    except RingletError as error:
        message = str(error)
        require(bool(message) and message.isprintable(), f"not one line: {message!r}")
        return "refused"
    if draw.work(scenario) > MOST_WORK:
        return "too long to run"
    observed = Observed(scenario, folder, rng)
    check(observed)
    return "stalled" if observed.counted.stall is not None else "ran"


def generate_bytes(seed: int) -> Case:
    """Makes the text of an example with damaged bytes."""
    rng = Random(f"bytes {seed}")
    _, text = rng.choice(examples())
    return Case(
        {"command": rng.choice(COMMANDS)}, {**companions(), "scenario.toml": damage.damaged(text.encode(), rng)}
    )


COMMANDS = ("bound", "group", "topology", "breakdown", "run", "run", "run", "load")


def check_bytes(case: Case, folder: Path, rng: Random) -> str:
    """Gives it to a command; a run is made short."""
    from campaign.cli import command

    name = str(folder / "scenario.toml")
    if case.content["command"] == "load":
        try:
            Scenario.load(name)
        except RingletError:
            return "refused"
        return "done"
    arguments = [case.content["command"], name, "--json"]
    if arguments[0] in ("run", "breakdown"):
        arguments += ["--set", "run.duration=500", "--set", "run.warmup=0"]
    if arguments[0] == "breakdown":
        arguments += ["--trials", "3"]
    if arguments[0] == "run":
        arguments += ["--set", "network.hop_delay=3"]
    return command(*arguments, fails=("stalled at cycle", "no messages"))


MUTATIONS = Kind("mutations", "examples with other values, keys and types", generate, check_mutation)
BYTES = Kind("bytes", "the text of examples with damaged bytes, as commands read it", generate_bytes, check_bytes)
