"""What the compiler learns from how often code runs in `make wheel`: every protocol, and networks of rings.

maturin runs it with an engine that counts ([tool.maturin] pgo-command of pyproject.toml).
"""

from pathlib import Path

import ringlet as rl
from ringlet.benchmarks import CASES, measure

EXAMPLES = Path(__file__).parents[1] / "examples"

for case in CASES:
    if case.nodes <= 16:
        measure(case, repeats=2)
for name in ("event-building", "metaring", "omega", "replay-torus", "rpr", "slotted-ring", "token-ring"):
    rl.run(EXAMPLES / f"{name}.toml")
