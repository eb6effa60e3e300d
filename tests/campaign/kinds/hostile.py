"""Hostile files in every place where a command reads one: they are refused with one line and exit code 2."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from campaign import damage, files
from campaign.case import Case, Kind
from campaign.cli import command
from campaign.kinds.mutations import EXAMPLES
from campaign.observe import require
from ringlet import RingletError, Study
from ringlet.advice.requirements import Requirements

LINKS = ("/dev/zero", "/dev/null", ".", "missing", "loop", "/proc/self/mem", "/dev/full")
"""What a file may be a link to; `loop` is the link itself."""

SCENARIO = "[network]\nnodes = 4\n[run]\nduration = 200\nwarmup = 0\n[traffic]\nload = 0.01\n"


@cache
def run_document() -> bytes:
    """The JSON of a short run."""
    import ringlet

    scenario = ringlet.Scenario.from_dict({"network": {"nodes": 2}, "run": {"duration": 200, "warmup": 0}})
    return json.dumps(ringlet.run(scenario, seed=1).to_dict()).encode()


def _place(name: str, rng: Random) -> tuple[str, bytes, str | None]:
    """Returns the name and whole content of a file in a place, and the key of a scenario that names it, if one does."""
    nodes = 4
    match name:
        case "scenario":
            return "scenario.toml", SCENARIO.encode(), None
        case "study":
            return "study.toml", (EXAMPLES / "studies/protocols.toml").read_bytes(), None
        case "requirements":
            return "requirements.toml", (EXAMPLES / "requirements/plasma.toml").read_bytes(), None
        case "run":
            return "run.json", run_document(), None
        case "matrix":
            return (*files.matrix(nodes, rng), "traffic.matrix_file")
        case "messages":
            return (*files.messages(nodes, rng), "messages_file")
        case _:
            return (*files.TRACES[name](nodes, rng), "traffic.trace.file")


PLACES = ("scenario", "scenario", "study", "requirements", "run", "matrix", "messages", *files.TRACES)


def generate(seed: int) -> Case:
    """Makes a hostile file in one of the places."""
    rng = Random(f"hostile {seed}")
    place = rng.choice(PLACES)
    name, whole, key = _place(place, rng)
    content: dict[str, Any] = {"place": place, "name": name}
    if key is not None:
        content["key"] = key
    roll = rng.random()
    if roll < 0.02:
        return Case({**content, "link": rng.choice(LINKS)})
    return Case(content, {name: _hostile(whole, rng) if roll < 0.98 else whole})


def _hostile(whole: bytes, rng: Random) -> bytes:
    roll = rng.random()
    if roll < 0.75:
        return damage.damaged(whole, rng)
    if roll < 0.85:
        return rng.randbytes(rng.choice((1, 100, 10_000)))
    if roll < 0.95:
        return rng.choice(SHAPES)(rng.choice((100, 3000, 50_000)))
    return damage.damaged(_place(rng.choice(PLACES), rng)[1], rng)


SHAPES = (
    lambda size: b"[" * size,
    lambda size: b'{"a":' * size,
    lambda size: b"a = " + b"[" * size + b"]" * size,
    lambda size: b".".join([b"a"] * size) + b" = 1",
    lambda size: b"[" + b".".join([b"a"] * size) + b"]",
    lambda size: b"a = " + b"9" * size,
    lambda size: b"0," * size,
    lambda size: b"\x00" * size,
    lambda size: b"\n" * size,
    lambda size: b"a" * size,
    lambda size: b'"' + b"\\u0041" * size + b'"',
    lambda size: b"# " + b"x" * size,
    lambda size: b"[[a]]\n" * size,
    lambda size: b'"\\' * size,
)
"""Files of one shape, as large as asked for."""


def check(case: Case, folder: Path, rng: Random) -> str:
    """Gives the file to the command that reads it."""
    content = case.content
    file = folder / content["name"]
    if "link" in content:
        file.symlink_to(file if content["link"] == "loop" else content["link"])
    match content["place"]:
        case "scenario":
            which = rng.choice(("run", "bound", "group", "topology"))
            short = ("--set", "run.duration=200", "--set", "run.warmup=0") if which == "run" else ()
            return command(which, str(file), "--json", *short, fails=("stalled at cycle",))
        case "study":
            return _load(Study, file)
        case "requirements":
            return _load(Requirements, file)
        case "run":
            return command("plot", str(file), "--out", str(folder / "out"), "--format", "svg")
    scenario = folder / "named.toml"
    scenario.write_text(
        SCENARIO.replace("load = 0.01\n", "") if "traffic" in content["key"] else SCENARIO.partition("[traffic]")[0]
    )
    named = f"{content['key']}={json.dumps(content['name'])}"
    return command("run", str(scenario), "--json", "--set", named, fails=("stalled at cycle",))


def _load(what: type[Study] | type[Requirements], file: Path) -> str:
    try:
        what.load(file)
    except RingletError as error:
        require(str(error).isprintable(), f"not one line: {error!r}")
        return "refused"
    return "done"


HOSTILE = Kind("hostile", "hostile files in every place where a command reads one", generate, check)
