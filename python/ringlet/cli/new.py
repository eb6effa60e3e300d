"""`ringlet new`: a scenario to begin with, or a package with a protocol."""

import json
import re
from importlib.resources import files
from pathlib import Path

import click

from ringlet import scenario
from ringlet.cli import output, protocol_package
from ringlet.cli.arguments import PATH
from ringlet.errors import RingletError
from ringlet.files import write_text

USERS = {
    "research": "flow control compared on a ring: throughput, fairness, the fair share",
    "real-time": "periodic messages with deadlines",
    "data-acquisition": "detectors that send to an event builder: what is lost",
    "teaching": "four nodes, of which one starves, to be followed symbol by symbol",
}
"""Kinds of users that a first scenario is made for, and what it shows. The file is `first_scenarios/USER.toml`."""


TO_TRY = re.compile(r"^(#   ringlet .*?) {2,}(.*)$", re.MULTILINE)
"""A command in the head of a scenario, and what it is for."""

SCHEMA = "ringlet.schema.json"
"""Name of the JSON Schema beside a new scenario, with which an editor completes its keys."""


@click.command
@click.argument(
    "user", metavar="USER", type=click.Choice([*USERS, "protocol"]), help=f"{', '.join(USERS)}; or protocol."
)
@click.argument(
    "file",
    metavar="[FILE]",
    required=False,
    type=PATH,
    help="Where to; default: USER.toml, of a protocol the folder my-protocol.",
)
def command(user: str, file: Path | None) -> None:
    """Write a scenario to begin with: small, with a comment at each key and commands to try first.

    \b
    research          flow control compared on a ring: throughput, fairness, the fair share
    real-time         periodic messages with deadlines
    data-acquisition  detectors that send to an event builder: what is lost
    teaching          four nodes, of which one starves, to be followed symbol by symbol
    protocol          a package with a protocol in Python, its tests and a scenario

    Beside a scenario stands ringlet.schema.json, with which an editor completes and checks its keys: the first line of
    the scenario names it. A file that is there already is not replaced.

    \b
    Examples:
        ringlet new research
        ringlet new teaching ring.toml
        ringlet new protocol polite
    """
    if user == "protocol":
        folder = Path("my-protocol") if file is None else file
        protocol_package.write_package(folder)
        output.write_line(f"{folder}: a protocol in Python, its tests and a scenario. README.md says more; begin with")
        output.write_line(f"  pip install -e {folder} && ringlet run {folder / 'ring.toml'}")
        return
    place = Path(f"{user}.toml") if file is None else file
    text = files("ringlet.cli").joinpath("first_scenarios", f"{user}.toml").read_text(encoding="utf-8")
    named = text.replace("FILE", str(place)) if " " not in str(place) else text.replace("FILE", f"'{place}'")
    try:
        with place.open("x", encoding="utf-8") as stream:
            stream.write(f"#:schema ./{SCHEMA}\n{_aligned(named)}")
    except FileExistsError:
        raise RingletError.not_allowed("FILE", str(place), "a file that is not there yet") from None
    schema = place.parent / SCHEMA
    if not schema.exists():
        write_text(schema, f"{json.dumps(scenario.json_schema(), indent=2)}\n")
    output.write_line(f"{place}: {USERS[user]}. Its first lines say what to try; begin with")
    output.write_line(f"  ringlet run {place}")


def _aligned(text: str) -> str:
    """Returns a scenario whose commands to try have what they are for in one column behind them."""
    width = max(len(command) for command, _ in TO_TRY.findall(text))
    return TO_TRY.sub(lambda found: f"{found[1]:{width}}   {found[2]}", text)
