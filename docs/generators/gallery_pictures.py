"""Makes the pictures of the gallery: runs each example, or draws its network (`docs/images/gallery`)."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from example_reference import ROW

from ringlet.scenario import Scenario

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "images" / "gallery"
COMMAND = Path(sys.executable).parent / "ringlet"

WANTED = {
    "near-saturation": "latency",
    "event-builder": "links",
    "message-set": "deadlines",
    "timed-token": "deadlines",
    "control-loops": "deadlines",
    "reads": "priorities",
    "mixed-ring": "priorities",
    "mixed-rings": "deadlines",
    "event-building": "events",
    "multicast": "pairs",
    "gpu-ring": "links",
    "dual-ring-failure": "service",
}
"""What shows the point of an example better than the throughput of its nodes."""


def make(name: str) -> Path:
    """Makes the picture of an example and returns its path."""
    example = EXAMPLES / name
    target = PICTURES / f"{example.stem}.svg"
    with TemporaryDirectory() as folder:
        if Scenario.load(example).network.switched and example.stem not in WANTED:
            made = Path(folder) / "network.svg"
            _call("topology", example, "--plot", made)
        else:
            # As wide as a card of the page, so that text stays readable.
            _call("plot", example, "--out", folder, "--format", "svg", "--width", "5")
            made = Path(folder) / f"{WANTED.get(example.stem, 'nodes')}.svg"
        target.write_bytes(made.read_bytes())
    return target


def _call(*words: object) -> None:
    subprocess.run([COMMAND, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    names = [name for name, _ in ROW.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))]
    for name in sys.argv[1:] or names:
        print(make(name))
