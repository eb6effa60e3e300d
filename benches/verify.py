"""A message set of any size verified: cases, wall clock and processor time of `ringlet verify` on two workers.

Messages between random nodes of a dual ring, with sizes and periods like those of an avionics set, from 8 B in 100 ms
to 1 KiB in a second: 500 of them use some thousandths of the links. All protocols that can run the set, each single
failure of a link and of stations. Five messages on four nodes took 276 s on two cores, 466 s of processor time.

    python benches/verify.py --messages 45 --nodes 12
    python benches/verify.py
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

KINDS = (
    (64, 1_000),
    (32, 2_000),
    (16, 2_000),
    (256, 5_000),
    (128, 10_000),
    (1024, 10_000),
    (512, 50_000),
    (8, 100_000),
    (1024, 200_000),
    (1024, 1_000_000),
)
"""Bytes and period in us of a message."""

SCENARIO = """messages_file = "messages.csv"
message_transaction = "dmove64"
message_priorities = "rate-monotonic"
[network]
topology = "dual-ring"
nodes = {nodes}
[flow_control]
protocol = "sci"
"""


def main() -> None:
    """Prints one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    rng = Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "messages.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["name", "source", "destination", "size", "period_us"])
            for number in range(given.messages):
                source, destination = rng.sample(range(given.nodes), 2)
                rows.writerow([f"m{number}", source, destination, *rng.choice(KINDS)])
        (folder / "set.toml").write_text(SCENARIO.format(nodes=given.nodes), encoding="utf-8")
        command = [sys.executable, "-m", "ringlet", "verify", "set.toml", "--workers", str(given.workers)]
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        wall_s = time.perf_counter() - begun
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = next(folder.rglob("verification.json"), None)
        cases = 0 if report is None else len(json.loads(report.read_text(encoding="utf-8"))["cases"])
    found = {
        "messages": given.messages,
        "nodes": given.nodes,
        "exit": done.returncode,
        "cases": cases,
        "wall_s": round(wall_s, 1),
        "processor_s": round(used.ru_utime + used.ru_stime, 1),
    }
    print(json.dumps(found))
    if report is None:
        sys.exit(done.stderr)


if __name__ == "__main__":
    main()
