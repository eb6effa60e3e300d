"""Players beside a report: a page for each scenario, which the report's links open at a moment worth looking at."""

from collections.abc import Mapping
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.player import write_player
from ringlet.report.write import MomentLink
from ringlet.scenario import Scenario
from ringlet.trace import moments, record

FOLDER = "players"
MAX_NODES = 64
"""Nodes of a ring up to which the player is smooth, and shows more than it hides."""


def write_players(scenarios: Mapping[str, Scenario], out: Path | str) -> list[MomentLink]:
    """Writes a page for the first 10,000 cycles of each scenario into the folder of a report, and returns a link for
    each moment in them.

    Networks of several rings, rings of more than 64 nodes, and what cannot be simulated as it stands have none.

    Args:
        scenarios: by the names that the report has for them, of files or others.
        out: the report's folder.

    Raises:
        OSError, RingletError: a page cannot be written.
    """
    folder = Path(out) / FOLDER
    links: list[MomentLink] = []
    for number, (name, scenario) in enumerate(scenarios.items()):
        if scenario.network.switched or scenario.network.nodes > MAX_NODES:
            continue
        try:
            recording = record(scenario)
        except RingletError:
            # A study's base may lack what its axes give.
            continue
        folder.mkdir(parents=True, exist_ok=True)
        file = Path(name).stem if name.endswith(".toml") else f"run-{number}"
        page = write_player(recording, folder / f"{file}.html", title=name.removesuffix(".toml"))
        href = page.relative_to(out).as_posix()
        links += [MomentLink(name, moment.name, f"{href}#{moment.address}") for moment in moments(recording)]
    return links
