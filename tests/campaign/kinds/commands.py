"""Commands on drawn scenarios, and files of other tools: a result, a verdict, or one message for what is wrong."""

import json
from pathlib import Path
from random import Random
from typing import Any

from campaign import damage
from campaign.case import Case, Kind
from campaign.cli import command
from campaign.draw import Walks
from campaign.kinds import networks
from campaign.observe import require
from ringlet import Scenario

OTHER_TOOLS = Path(__file__).parents[2] / "imports/files"

VERDICT = 3
"""Exit code of a command that says no."""

FEW = ("--set", "run.duration=600", "--set", "run.warmup=0")

COMMANDS = (
    ("bound",),
    ("bound", "--json"),
    ("model", "--json"),
    ("model",),
    ("guarantee",),
    ("guarantee", "--json"),
    ("group",),
    ("topology",),
    ("topology", "--json"),
    ("export", "--format", "csv", "--explain"),
    ("export", "--format", "graphml", "--explain"),
    ("export", "--format", "saihu", "--explain"),
    ("place", "--json"),
    ("place", "--least", "load"),
    ("exact", "--states", "2000"),
    ("check", "--states", "2000"),
    ("run", *FEW),
    ("run", "--json", *FEW),
    ("run", "--verdict", *FEW),
    ("plot", "--format", "svg", "--out", "plots", "--chart", "nodes"),
    ("trace", "--format", "csv", "--out", "trace.csv", "--to", "300"),
    ("trace", "--format", "player", "--out", "player.html", "--to", "300"),
    ("breakdown", "--trials", "2", "--tolerance", "0.5", "--workers", "1", "--protocol", "none", *FEW),
)
"""Words of a command; the scenario follows the first."""


def small(rng: Random) -> dict[str, Any]:
    """Returns a ring of a few nodes, or a small network."""
    return networks.any_network(rng) if rng.random() < 0.2 else {"nodes": rng.randint(1, 6)}


_SCENARIOS = Walks("commands", small)


def generate(seed: int) -> Case:
    """Makes a scenario and the command that reads it."""
    drawn, rng = _SCENARIOS(seed), Random(f"commands {seed}")
    return Case({**drawn.content, "words": list(rng.choice(COMMANDS))}, drawn.files)


def check(case: Case, folder: Path, rng: Random) -> str:
    """Gives the scenario to the command, and reads again what it prints as JSON."""
    import tomli_w

    first, *words = case.content["words"]
    content = dict(case.content["scenario"])
    if first in ("plot", "breakdown"):
        content["run"] = {"duration": 600, "warmup": 0}
    (folder / "drawn.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
    words = [str(folder / word) if word in ("plots", "trace.csv", "player.html") else word for word in words]
    printed: list[str] = []
    ended = command(
        first,
        str(folder / "drawn.toml"),
        *words,
        fails=("stalled at cycle", "stalled since cycle", "GiB"),
        verdicts=(1, VERDICT) if first == "check" else (VERDICT,),
        printed=printed,
    )
    if ended in ("done", "verdict") and "--json" in words:
        json.loads(printed[0], parse_constant=lambda word: require(False, f"{word} in what {first} prints"))
    return ended


def import_of(seed: int) -> Case:
    """Makes a damaged file of another tool."""
    rng = Random(f"imports {seed}")
    names = sorted(file.name for file in OTHER_TOOLS.iterdir() if file.suffix != ".md")
    name = rng.choice(names)
    whole = (OTHER_TOOLS / name).read_bytes()
    options = [["--period", "1 ms"], ["--sender", "leave-out"], ["--receiver", "leave-out"], ["--unit", "MB/s"]]
    options += [["--length-unit", "km"], ["--time-unit", "ms"], ["--link-rate", "1 GB/s"], ["--own", "leave-out"]]
    options += [["--both-ways"]]
    chosen = [word for option in options if rng.random() < 0.6 for word in option]
    content = {"name": name, "options": [*chosen, *(["--explain"] if rng.random() < 0.2 else [])]}
    return Case(content, {name: damage.damaged(whole, rng) if rng.random() < 0.9 else whole})


def check_import(case: Case, folder: Path, rng: Random) -> str:
    """Imports it; what is written is a scenario that is valid."""
    name, written = str(case.content["name"]), folder / "made.toml"
    options = case.content["options"]
    ended = command("import", str(folder / name), "--to", str(written), *options)
    if ended == "done" and "--explain" not in options:
        Scenario.load(written)
    return ended


COMMANDS_KIND = Kind("commands", "every command on drawn scenarios", generate, check)
IMPORTS = Kind("imports", "damaged files of other tools", import_of, check_import)
