"""Commands in processes of their own: interrupted at drawn instants, and with drawn packages installed beside them."""

import os
import signal
import subprocess
import sys
import tempfile
import time
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


PACKAGE = """
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
"""

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


def package(seed: int) -> Case:
    """Draws what a package's pattern does."""
    rng = Random(f"packages {seed}")
    roll = rng.random()
    if roll < 0.35:
        body = rng.choice(FAILS)
    elif roll < 0.5:
        body = f"return {rng.choice(VALUES)}"
    elif roll < 0.6:
        body = f"yield {rng.choice(VALUES)}; {rng.choice(FAILS)}"
    else:
        body = f"return [{', '.join(rng.choice(VALUES) for _ in range(rng.choice((3, 4, 4, 4, 5))))}]"
    return Case({"body": body})


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
    """Runs a scenario with the package's pattern: it runs, or one message names the package and its entry point."""
    (folder / "ringlet_drawn.py").write_text(PACKAGE.replace("{body}", str(case.content["body"])), encoding="utf-8")
    information = folder / "ringlet_drawn-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: ringlet-drawn\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[ringlet.patterns]\ndrawn = ringlet_drawn:Drawn\n")
    (folder / "ring.toml").write_text("[network]\nnodes = 4\n[traffic]\npattern = 'drawn'\n[run]\nduration = 300\n")
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
PACKAGES = Kind("packages", "patterns of installed packages that fail in drawn ways", package, installed)
