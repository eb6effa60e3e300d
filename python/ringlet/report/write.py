"""The report of a reproduction, and the pages of the player beside a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringlet.drawable import REPORT
from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.papers import RULE, Reproduction
from ringlet.player import write_player
from ringlet.plots.save import save
from ringlet.report.page import embed, render
from ringlet.scenario import Scenario
from ringlet.trace import moments, record

RESULTS = "results.md"
PLAYERS = "players"
MAX_NODES = 64
"""Nodes of a ring up to which the player is smooth, and shows more than it hides."""


@dataclass(frozen=True, slots=True)
class MomentLink:
    """An interesting moment of a scenario's run, to be looked at in a page beside the report."""

    scenario: str
    """Name of the scenario file."""
    label: str
    """Name of the moment, such as `first starvation`."""
    href: str
    """Target of the link, relative to the report."""


def write_report(reproduction: Reproduction, out: Path | str, *, moments: Sequence[MomentLink] = ()) -> Path:
    """Writes the report into the folder `out` and returns the path of its page, `report.html`.

    Beside it lie each figure as PNG and SVG, and `results.md`, the rows as Markdown. The page needs neither them nor a
    network.

    Args:
        reproduction: what to report.
        out: the folder; made if it is not there.
        moments: links that stand with the scenarios they belong to.

    Raises:
        OSError: `out` cannot be written.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        (paper.paper, chart.name): embed(chart, save(chart, folder))
        for paper in reproduction.papers
        for chart in paper.figures
    }
    page = render(
        "report.html.j2",
        reproduction=reproduction,
        rule=RULE,
        drawn=drawn,
        moments=moments,
        versions=reproduction.versions,
    )
    write_text(folder / REPORT, page)
    write_text(folder / RESULTS, render("results.md.j2", reproduction=reproduction, rule=RULE))
    return folder / REPORT


def write_players(scenarios: Mapping[str, Scenario], out: Path | str) -> list[MomentLink]:
    """Writes a page for the first 10,000 cycles of each scenario into the folder of a report, and returns a link for
    each moment in them.

    Networks of several rings, rings of more than 64 nodes or with slow links, and what cannot be simulated as it stands
    have none.

    Args:
        scenarios: by the names that the report has for them, of files or others.
        out: the report's folder.

    Raises:
        OSError, RingletError: a page cannot be written.
    """
    folder = Path(out) / PLAYERS
    links: list[MomentLink] = []
    for number, (name, scenario) in enumerate(scenarios.items()):
        if scenario.network.switched or scenario.network.nodes > MAX_NODES:
            continue
        try:
            if scenario.resolved.slow_links:
                # The player draws links at the rate of the ring.
                continue
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
