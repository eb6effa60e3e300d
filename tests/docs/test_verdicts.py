"""The table of verdicts: each sentence is one of the program, and has a test that is there."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from ringlet.simulation.notices import PATTERNS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/verdicts.md"
ROW = re.compile(
    r"^`(?P<sentence>[^`]+)`\n: (?P<where>(?:.+\n)+?): Test: `(?P<file>[^`]+)`,\n  `(?P<test>\w+)`$", re.MULTILINE
)
SAYING = (
    "advice/ruled_out.py",
    "advice/verdict.py",
    "analysis/response_bounds/quotas.py",
    "analysis/response_bounds/slots.py",
    "analysis/response_bounds/timed_tokens.py",
    "cli/verdicts.py",
    "cli/advise.py",
    "cli/group.py",
    "cli/guarantee.py",
    "cli/model.py",
    "cli/place.py",
    "cli/schedulability.py",
    "cli/topology.py",
    "cli/breakdown.py",
    "cli/check.py",
    "cli/compare.py",
    "cli/exact.py",
    "cli/run.py",
    "cli/store.py",
    "cli/sweep.py",
    "cli/verify.py",
    "verification/sentences.py",
    "scenario/activities/collective.py",
    "scenario/activities/deadlines.py",
    "scenario/activities/events/activity.py",
    "scenario/activities/flows/activity.py",
    "scenario/activities/scatter_gather.py",
    "simulation/notices.py",
    "simulation/replay.py",
    "simulation/switch_records.py",
    "studies/saturation.py",
    "theory/guarantee.py",
    "theory/model_region.py",
    "theory/response_limits.py",
    "theory/utilisation.py",
    "theory/warnings.py",
    "trace/held_back.py",
)

rows = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def test_the_page_has_rows():
    tests = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(": Test: ")]
    assert len(rows) == len(tests) > 15


@pytest.mark.parametrize("row", rows, ids=lambda row: row["sentence"][:40])
def test_each_sentence_is_one_of_the_program_and_its_test_is_there(row):
    source = "\n".join((ROOT / "python/ringlet" / name).read_text(encoding="utf-8") for name in SAYING)
    # Strings go on in the next line, and figures and names stand in braces: any two words beside each other are there.
    said = re.sub(r"\{[^{}]*\}|\W+", " ", re.sub(r'"\s*f?"', "", source))
    for part in row["sentence"].split("..."):
        words = re.sub(r"\W+", " ", part).split()
        for one, two in pairwise(words):
            assert f"{one} {two}" in said or re.search(rf"\b{one}\b", said), (one, two)
    test = (ROOT / row["file"]).read_text(encoding="utf-8")
    assert f"def {row['test']}(" in test


@pytest.mark.parametrize("kind", PATTERNS)
def test_each_warning_of_a_run_has_a_row(kind):
    assert any(re.match(PATTERNS[kind], row["sentence"]) for row in rows)
