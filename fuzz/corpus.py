"""What the fuzzer of specs begins with: those of the examples, as JSON.

.venv/bin/python fuzz/corpus.py fuzz/corpus/specs
"""

import json
import sys
from pathlib import Path

import ringlet as rl
from ringlet.scenario.resolved.engine_spec import network_spec

ROOT = Path(__file__).parents[1]
# The target simulates no larger ones.
NODES = 64
TEXT_BYTES = 60_000


def main(folder: Path) -> None:
    """Writes a file for each example that is a scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(ROOT.glob("examples/*.toml")):
        try:
            scenario = rl.Scenario.load(path)
        except rl.RingletError:
            # A study, or it needs a file that is not there.
            continue
        text = json.dumps(network_spec(scenario.resolved, 1), default=lambda array: array.tolist())
        if len(text) <= TEXT_BYTES:
            (folder / f"{path.stem}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
