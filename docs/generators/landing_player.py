"""Writes the player on the first page: a ring of four nodes, of which one starves without flow control."""

from pathlib import Path

from scenario_reference import write_changed

from ringlet.player import page
from ringlet.scenario import Scenario
from ringlet.trace import record

CYCLES = 1500


def write(path: Path) -> None:
    """Writes the page."""
    example = Path(__file__).parents[2] / "examples" / "four-nodes.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_changed(path, page(record(Scenario.load(example), stop=CYCLES), title="Four nodes, no flow control"))
