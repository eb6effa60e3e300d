"""Processor time of starts: commands in turns, the least of each, beside the bare interpreter.

    .venv/bin/python benches/start.py [TURNS]

User and system time of the child process. Compile the modules first (`python -m compileall python`).
"""

import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RING = str(ROOT / "examples" / "four-nodes.toml")
MESSAGES = str(ROOT / "examples" / "message-set.toml")

CASES = {
    "the bare interpreter": ["-c", ""],
    "import numpy": ["-c", "import numpy"],
    "import ringlet": ["-c", "import ringlet"],
    "ringlet --help": ["-m", "ringlet", "--help"],
    "ringlet --version": ["-m", "ringlet", "--version"],
    "a missing file": ["-m", "ringlet", "run", "missing.toml"],
    "an unknown key": ["-m", "ringlet", "run", RING, "--set", "network.knots=3"],
    "ringlet run": ["-m", "ringlet", "run", RING],
    "ringlet run --json": ["-m", "ringlet", "run", RING, "--json"],
    "ringlet bound": ["-m", "ringlet", "bound", RING, "--set", "network.nodes=16", "--set", "traffic={}"],
    "ringlet model": ["-m", "ringlet", "model", RING, "--set", "network.nodes=16", "--set", 'traffic={load="9 MB/s"}'],
    "ringlet guarantee": ["-m", "ringlet", "guarantee", MESSAGES],
}


def processor_s(words: list[str]) -> float:
    """Returns the user and system time of the interpreter with these words."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints the least time of each case."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    found: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(turns):
        for name, words in CASES.items():
            found[name].append(processor_s(words))
    for name, seconds in found.items():
        print(f"{name:22} {min(seconds):.3f} s")


if __name__ == "__main__":
    main()
