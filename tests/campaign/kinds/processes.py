"""Commands in processes of their own: interrupted at drawn instants, and with drawn packages installed beside them."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from campaign.case import Case, Kind
from campaign.forks import forked
from campaign.observe import require

RING = """
[network]
nodes = 16
[traffic]
arrivals = "poisson"
load = "20 MB/s"
[run]
warmup = 0
duration = "{duration}"
"""

STUDY = """
scenario = "ring.toml"
[[axes]]
network.hop_delay = [1, 2, 3, 4]
[replications]
count = 2
"""

LONG, SHORT = "1 s", "20 us"

WORDS = (
    ("run", "ring.toml"),
    ("trace", "ring.toml", "--format", "csv", "--out", "ring.csv", "--from", "0.5 s"),
    ("plot", "ring.toml"),
    ("check", "ring.toml", "--states", "100000000"),
    ("place", "ring.toml", "--set", "network.nodes=128"),
    ("sweep", "study.toml", "--workers", "1"),
    ("sweep", "study.toml", "--workers", "2"),
)

LATEST_S = 2.0
"""Seconds after which a command is interrupted at the latest."""


def generate(seed: int) -> Case:
    """Draws a command, a signal and when it comes."""
    rng = Random(f"signals {seed}")
    return Case(
        {
            "words": list(rng.choice(WORDS)),
            "signal": rng.choice((signal.SIGINT, signal.SIGTERM)).value,
            "after_s": rng.random() * LATEST_S,
            "duration": rng.choice((LONG, SHORT)),
        }
    )


def interrupted(case: Case, folder: Path, rng: Random) -> str:
    """Interrupts a command: it ends with the signal's code and one line, or was done before; no file is left half."""
    content = case.content
    (folder / "ring.toml").write_text(RING.format(duration=content["duration"]), encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    words, number = content["words"], content["signal"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ringlet", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        time.sleep(content["after_s"])
        if process.poll() is None:
            # As a terminal does: to the command and to its workers.
            os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        _, message = process.communicate(timeout=300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    # Up to where the command is loaded, Python ends the process as it does.
    required = "Traceback" not in message or "ringlet/cli" not in message
    require(required, f"{words}: {message}")
    left = [str(path) for path in folder.rglob(".*")]
    require(not left, f"{words}: half a file is left: {left}")
    if process.returncode in (0, 1, 2, 3):
        return "done"
    # Before the program has begun to run Python ends it, without a word.
    early = (-number, 128 + number)
    require(process.returncode in early, f"{words}: exit code {process.returncode}: {message}")
    lines = [] if "Traceback" in message else message.splitlines()
    said = not lines or lines[-1].startswith("ringlet: interrupted")
    require(said and len(lines) <= 1, f"{words}: interrupted, and said {message!r}")
    return "interrupted" if lines else "ended at its start"


@dataclass(frozen=True)
class Added:
    """A class that a package adds, one part of which is drawn."""

    group: str
    """Group of its entry point."""
    scenario: str
    """Scenario that uses it."""
    source: str
    """Its module; `{body}` is what is drawn."""
    values: tuple[str, ...]
    """What the drawn part may give."""


VALUES = (
    "None", "1", "-1", "0.5", "float('nan')", "float('inf')", "10**30", "'east'", "b''", "[]", "{}", "object()",
    "Fixed(1)", "Fixed(0)", "Fixed(-1)", "Fixed(99)", "Fixed('a')", "Fixed(None)", "Weighted([0, 1, 0, 0])",
    "Weighted([0, 0.5, 0.5, 0])", "Weighted([0.0] * 4)", "Weighted([float('nan')] * 4)", "Weighted([-1, 2, 0, 0])",
    "Weighted([])", "Weighted(None)", "Weighted('ab')", "Weighted([1, 0, 0, 0])", "Weighted", "range(4)", "lambda: 1",
)  # fmt: skip
"""What a package may give for a node, or for all."""

FAILS = (
    "1 / 0", "raise SystemExit(0)", "sys.exit('gone')", "raise MemoryError", "{}['a']",
    "raise StopIteration", "raise UnicodeDecodeError('a', b'', 0, 1, 'b')",
    "raise Exception('two\\nlines')", "raise Exception('x' * 100000)", "assert False", "self.between_nodes(network)",
    "None.a", "import nothing_of_that_name",
)  # fmt: skip
"""Statements that fail."""


PATTERN = Added(
    "ringlet.patterns",
    "[network]\nnodes = 4\n[traffic]\npattern = 'drawn'\n[run]\nduration = 300\n",
    """
from typing import Literal
import sys
from ringlet.scenario.values.destinations import Fixed, Weighted
from ringlet.scenario.traffic.section import Traffic

class Drawn(Traffic):
    '''Packets go where a draw says.'''
    pattern: Literal["drawn"] = "drawn"

    def between_nodes(self, network):
        nodes = network.nodes
        {body}
""",
    VALUES,
)

TOPOLOGY = Added(
    "ringlet.topologies",
    "[network]\ntopology = 'drawn'\nnodes = 4\n[run]\nduration = 300\n",
    """
from typing import Literal
import sys
from dataclasses import replace
from ringlet.rings import one_switch
from ringlet.scenario.network import SwitchedNetwork

class Drawn(SwitchedNetwork):
    '''Rings as a draw says.'''
    topology: Literal["drawn"] = "drawn"

    def between_nodes(self, network):
        return network

    @property
    def title(self):
        return "drawn"

    def built(self):
        self.between_nodes(1)
        network, nodes = self, self.nodes
        made, routes = one_switch(4, 4, long_rings=False, uma=False)
        {body}
""",
    (
        *VALUES[:12], "(made, routes)", "(made,)", "(made, None)", "(None, routes)", "(routes, made)", "made",
        "one_switch(2, 2, long_rings=False, uma=False)", "one_switch(9, 3, long_rings=False, uma=False)",
        "(one_switch(8, 4, long_rings=False, uma=False)[0], routes)",
        "(replace(made, ring_start=made.ring_start[:-1]), routes)",
        "(replace(made, interface_node=made.interface_node[::-1]), routes)", "(replace(made, roles=None), routes)",
        "(replace(made, interface_port=made.interface_port * 0 - 1), routes)",
        "(replace(made, interface_node=made.interface_node + 99), routes)",
        "(replace(made, node_names=('a',)), routes)",
    ),
)  # fmt: skip

PROTOCOL = Added(
    "ringlet.protocols",
    "[network]\nnodes = 4\n[flow_control]\nprotocol = 'drawn'\n[run]\nduration = 300\n",
    """
from typing import Literal
import sys
from ringlet.scenario.flow_control import SymbolProtocol
from ringlet.symbol_ring import Next, Station

class Drawn(SymbolProtocol):
    '''Nodes send as a draw says.'''
    protocol: Literal["drawn"] = "drawn"
    most_carried = 1
    symmetric = True

    def station(self, node, ring):
        return Part()

class Part(Station):
    def between_nodes(self, network):
        return network.cycle

    def decide(self, here, carried):
        network, nodes = here, here.nodes
        if here.cycle < 40:
            return Next.PASS
        {body}
""",
    (
        *VALUES[:12], "Next.HEAD", "Next.BYPASS", "Next.IDLE", "Next.PASS", "Next", "'pass'", "(Next.PASS, 1)",
        "Next.PASS if here.head is None else Next.HEAD", "Next.BYPASS if here.bypass.entries else Next.IDLE",
    ),
)  # fmt: skip

ADDED = {"pattern": PATTERN, "topology": TOPOLOGY, "protocol": PROTOCOL}


def package(seed: int) -> Case:
    """Draws what a package adds, and what that does."""
    rng = Random(f"packages {seed}")
    name = rng.choice(("pattern", "pattern", "topology", "protocol"))
    values = ADDED[name].values
    roll = rng.random()
    if roll < 0.35:
        body = rng.choice(FAILS)
    elif roll < 0.5 or (roll >= 0.6 and name != "pattern"):
        body = f"return {rng.choice(values)}"
    elif roll < 0.6:
        body = f"yield {rng.choice(values)}; {rng.choice(FAILS)}"
    else:
        body = f"return [{', '.join(rng.choice(values) for _ in range(rng.choice((3, 4, 4, 4, 5))))}]"
    return Case({"added": name, "body": body})


RUN = ("run", "ring.toml", "--json")

OWN_PROCESSES = 0.02
"""Share of the trials of packages with a process that imports all itself: it takes a second."""


@cache
def _plain_runs() -> tuple[tuple[str, ...], ...]:
    """Runs without a package: one is done, one is refused."""
    folder = Path(tempfile.mkdtemp(prefix="campaign-"))
    for name, nodes in (("ring", 4), ("none", 0)):
        (folder / f"{name}.toml").write_text(f"[network]\nnodes = {nodes}\n[run]\nduration = 300\n")
    return tuple(("run", str(folder / f"{name}.toml"), "--json") for name in ("ring", "none"))


def _run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ringlet", *RUN],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def installed(case: Case, folder: Path, rng: Random) -> str:
    """Runs a scenario with what the package adds: it runs, or one message names the package and its entry point."""
    added = ADDED[str(case.content["added"])]
    (folder / "ringlet_drawn.py").write_text(added.source.replace("{body}", str(case.content["body"])), "utf-8")
    information = folder / "ringlet_drawn-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: ringlet-drawn\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{added.group}]\ndrawn = ringlet_drawn:Drawn\n")
    (folder / "ring.toml").write_text(added.scenario)
    done = _run(folder) if rng.random() < OWN_PROCESSES else forked(folder, *RUN, warm_up=_plain_runs())
    if done.returncode == 0:
        require(
            done.stdout.startswith("{") and not done.stderr, f"done, and printed {done.stdout[:80]!r} {done.stderr}"
        )
        return "done"
    message = done.stderr
    require(done.returncode == 2, f"{case.content}: exit code {done.returncode}: {message[-400:]}")
    require("Traceback" not in message and "internal error" not in message, f"{case.content}: {message[-400:]}")
    named = "ringlet-drawn" in message and "ringlet_drawn:Drawn" in message
    require(
        named and message.count("\n") == 1, f"{case.content}: the package is not named in one line: {message[-400:]}"
    )
    require(len(message) < 2000, f"{case.content}: a message of {len(message)} characters")
    return "refused"


SIGNALS = Kind("signals", "commands interrupted at drawn instants", generate, interrupted)
PACKAGES = Kind(
    "packages", "patterns, topologies and protocols of installed packages that fail in drawn ways", package, installed
)
