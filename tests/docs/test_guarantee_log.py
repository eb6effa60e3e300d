"""The table of all sets that the log of bounds has is what its rows add up to."""

import csv
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation/guarantees.md").read_text(encoding="utf-8")
KINDS = {
    "families": "families: offsets, jitter, drift, and losses under `none` and `sci`",
    "chased": "losses, chased losses, losses on networks",
    "losses": "losses, chased losses, losses on networks",
    "jitter known": "known offsets, with jitter",
    "jitter loops known": "known offsets, with jitter",
    "known": "known offsets, exact",
    "varied": "all relations of phases, exact",
    "exact": "all relations of phases, exact",
    "jitter": "late releases",
    "": "random phases, one ring and networks, transactions, loops, classes, several receivers",
}
"""Row of the table by how a kind of the log ends: the first that fits."""


def logged():
    """Sets with a bound, and simulations, of each row of the table."""
    counts = {row: Counter() for row in KINDS.values()}
    with (DOCS / "logs/guarantee-log.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            assert line["exceeded"] == "0", line
            ending = next(ending for ending in KINDS if line["protocol"].endswith(ending))
            counts[KINDS[ending]].update({name: int(line[name]) for name in ("bounded", "simulations")})
    return {row: (each["bounded"], each["simulations"]) for row, each in counts.items()}


def test_the_table_of_all_sets_is_what_the_log_adds_up_to():
    said = PAGE.partition("**In all.**")[2].partition("\n\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+) \| ([\d,]+) \| ([\d,]+) \|$", said, re.MULTILINE)
    found = {row: (int(bounded.replace(",", "")), int(runs.replace(",", ""))) for row, bounded, runs in rows}
    assert found == logged()


def test_what_is_exact_in_the_log_is_said():
    exact = sum(logged()[row][0] for row in ("known offsets, exact", "all relations of phases, exact"))
    assert f"exact are {exact:,}" in " ".join(PAGE.split())
