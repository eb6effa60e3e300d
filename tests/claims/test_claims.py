"""The papers' sentences, tested on few drawn scenarios each; RINGLET_CASES=20 draws twenty times as many."""

import json
import os
import re
from pathlib import Path

import pytest

from ringlet.cli import main
from ringlet.papers.claims import CHECKS, claims, claims_page, examine, reasons, verdict

PAGE = Path(__file__).parents[2] / "docs" / "reproductions" / "claims.md"

EFFORT = 0.2 * float(os.environ.get("RINGLET_CASES", "1"))

HOLDING = [claim for claim in claims() if claim.id in CHECKS and claim.id not in reasons()]
BREAKING = [claim for claim in claims() if claim.id in CHECKS and claim.id in reasons()]


@pytest.mark.parametrize("claim", HOLDING, ids=lambda claim: claim.id)
def test_a_sentence_of_a_paper_holds(claim):
    found = verdict(claim, effort=EFFORT)
    assert found.holds, f"{claim.claim}: {found.evidence}"


@pytest.mark.parametrize("claim", BREAKING, ids=lambda claim: claim.id)
def test_a_sentence_that_breaks_has_its_reason_beside_its_evidence(claim):
    # A few scenarios may hold by chance; the page has the verdict on all of them.
    found = verdict(claim, effort=0.05)
    assert found.evidence
    assert found.holds or found.reason


BROKEN = re.compile(r"^- `([\w.]+)` \(.*?\) \*\*broken\*\*:", re.MULTILINE)


def test_the_page_of_the_documentation_gives_a_reason_for_each_claim_that_breaks():
    page = PAGE.read_text(encoding="utf-8")
    broken = BROKEN.findall(page)
    assert broken, "a page on which all claims hold needs another test"
    assert [name for name in broken if name not in reasons()] == []
    assert page.count("  *Why:* ") == len(broken)


def test_the_page_has_every_claim_of_the_table():
    page = PAGE.read_text(encoding="utf-8")
    assert [claim.id for claim in claims() if f"- `{claim.id}` (" not in page] == []


def test_every_claim_has_a_test_or_a_reason_for_which_there_is_none():
    assert [claim.id for claim in claims() if claim.id not in CHECKS and claim.id not in reasons()] == []


NAMED = re.compile(r"`((?:tests|crates)/[^`]+)`")


def test_what_a_reason_names_is_in_the_tree():
    named = [path for reason in reasons().values() for path in NAMED.findall(reason)]
    assert named, "no reason names a file any more: this test may go"
    assert [path for path in named if not (PAGE.parents[2] / path).is_file()] == []


CHANGED = re.compile(r"^\| `([\w.]+)` \| ([\w ]+) \| ([\w ]+) \|$", re.MULTILINE)
VERDICT = re.compile(r"^- `([\w.]+)` \(.*?\) \**(holds|broken|cannot be said)\**:", re.MULTILINE)


def test_the_closing_table_of_the_page_has_every_claim_whose_verdict_has_changed():
    page = PAGE.read_text(encoding="utf-8")
    now = dict(VERDICT.findall(page))
    assert set(now) == {claim.id for claim in claims()}
    changed = [(claim.id, claim.before, now[claim.id]) for claim in claims() if claim.before != now[claim.id]]
    assert CHANGED.findall(page) == changed


def test_every_reason_is_of_a_claim():
    assert set(reasons()) <= {claim.id for claim in claims()}


def test_every_test_is_of_a_claim():
    assert set(CHECKS) <= {claim.id for claim in claims()}


def test_verdicts_do_not_depend_on_the_workers():
    chosen = {"picker1994.c09", "picker1994.c50", "picker1994.c61"}
    alone = {claim.id: verdict(claim, effort=0.01) for claim in claims() if claim.id in chosen}
    beside = {each.claim.id: each for each in examine(["picker1994"], effort=0.01, workers=2)}
    assert {name: beside[name] for name in chosen} == alone


def test_the_page_has_an_item_for_each_claim():
    page = claims_page(examine(["richter1997"], effort=0.01, workers=1))
    for claim in claims():
        if claim.paper == "richter1997":
            assert f"- `{claim.id}` ({claim.section})" in page


def test_the_command_prints_a_row_for_each_claim_of_a_paper(capsys):
    assert main(["reproduce", "richter1997", "--claims", "--quick", "--json", "--workers", "1"]) == 0
    rows = json.loads(capsys.readouterr().out)["claims"]
    assert [row["id"] for row in rows] == [claim.id for claim in claims() if claim.paper == "richter1997"]
    assert all(row["holds"] in (True, False, None) and row["evidence"] for row in rows)
