"""The ring player in a notebook."""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from ringlet.player.page import page, write_player
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.simulation import Result
from ringlet.trace import Moment, Recording, moments, record

HEIGHT_PIXELS = 760
"""Height of the player in a notebook, until it says how high it is."""

_FITTED = """<script>
addEventListener("message", ({ data, source }) => {
  if (!data?.ringletPlayerHeight) return;
  for (const frame of document.querySelectorAll("iframe[title='Ring player']")) {
    if (frame.contentWindow === source) frame.style.height = `${data.ringletPlayerHeight + 2}px`;
  }
});
</script>"""
"""Gives a frame the height that the player in it says."""


@dataclass(frozen=True, eq=False)
class Player:
    """The ring player of a recorded window. A notebook shows it as it is; `write` makes a page of it.

    >>> import ringlet as rl
    >>> player = rl.play({"network": {"nodes": 4}}, stop="2 us")
    >>> player.moments[-1].name
    'worst latency'

    The page stands inside of the notebook in a frame of its own, which runs the player's scripts and nothing else, and
    needs no network.
    """

    recording: Recording
    """Recording that is played."""

    @cached_property
    def moments(self) -> list[Moment]:
        """Moments worth looking at; each has a button."""
        return moments(self.recording)

    def write(self, path: Path | str) -> Path:
        """Writes the player as one HTML page and returns its path.

        Raises:
            RingletError: the window is too long for a page, or the file cannot be written.
        """
        return write_player(self.recording, path)

    def __repr__(self) -> str:
        """One line: nodes and window."""
        one = self.recording
        return f"<Player: {one.nodes} nodes, cycles {one.start} to {one.stop}, seed {one.seed}>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the player in a frame, apart from the notebook's page."""
        inside = escape(page(self.recording, found=self.moments), quote=True)
        # Without allow-same-origin the frame reaches neither the notebook's page nor its server.
        style = f"width: 100%;box-sizing: border-box; height: {HEIGHT_PIXELS}px; border: 1px solid #8888"
        frame = f'<iframe sandbox="allow-scripts" title="Ring player" style="{style}" srcdoc="{inside}"></iframe>'
        return frame + _FITTED


def play(
    scenario: ScenarioLike | Result, *, start: int | str = 0, stop: int | str | None = None, seed: int | None = None
) -> Player:
    """Records a window of a run and returns the player for it, which a notebook shows.

    >>> import ringlet as rl
    >>> rl.play({"network": {"nodes": 4}}, start="1 us", stop="3 us")
    <Player: 4 nodes, cycles 500 to 1500, seed 1>

    Args:
        scenario: what to simulate: a `Scenario`, what a scenario file holds, or the path of one; or the result of a
            run, which is simulated again.
        start: first cycle of the window, or its time, such as "20 us".
        stop: cycle behind the window, or its time; default: 10,000 cycles after the start.
        seed: of every random stream; default: the result's, or the scenario's.

    Raises:
        RingletError: what is wrong with the scenario; an empty or too long window, or a ring that stalls before it.
    """
    if isinstance(scenario, Result):
        seed = scenario.seed if seed is None else seed
        scenario = Scenario.from_dict(scenario.document["scenario"])
    return Player(record(Scenario.of(scenario), start=start, stop=stop, seed=seed))
