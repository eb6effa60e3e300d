"""The page of the documentation that shows every claim with its verdict."""

from collections import Counter
from collections.abc import Sequence

from ringlet.papers.claims.verdicts import Verdict

_HEAD = """# The papers' sentences as laws

The papers state more than figures: their sentences say what a protocol promises. Each sentence stands here in our
words, with what its test found. A test draws scenarios and compares them with the sentence; it *holds* if it held in
all of them. A claim that is *broken* has a reason below the table. `ringlet reproduce --claims` runs the tests again,
with `--json` for programs; `make results` writes this page.
"""


def claims_page(verdicts: Sequence[Verdict]) -> str:
    """Returns the page in Markdown: for each paper a table of all claims, then the reasons of those that break."""
    parts = [_HEAD, _counts(verdicts)]
    for paper in dict.fromkeys(each.claim.paper for each in verdicts):
        own = [each for each in verdicts if each.claim.paper == paper]
        parts.append(f"## {paper}\n")
        parts.append(_table(own))
        reasons = [f"- **{each.claim.id}**: {each.reason}" for each in own if each.reason]
        if reasons:
            parts.append("Why claims break:\n")
            parts.append("\n".join(reasons) + "\n")
    return "\n".join(parts)


def _counts(verdicts: Sequence[Verdict]) -> str:
    """Returns the table of how many claims of each paper hold, break, and are not checked."""
    lines = ["| paper | claims | hold | broken | not checked |", "|---|--:|--:|--:|--:|"]
    papers = dict.fromkeys(each.claim.paper for each in verdicts)
    for name in (*papers, "all"):
        words = Counter(each.word for each in verdicts if name in ("all", each.claim.paper))
        lines.append(f"| {name} | {words.total()} | {words['holds']} | {words['broken']} | {words['not checked']} |")
    return "\n".join(lines) + "\n"


def _table(verdicts: Sequence[Verdict]) -> str:
    """Returns the claims of a paper as a table."""
    lines = ["| claim | section | sentence | verdict | evidence |", "|---|---|---|---|---|"]
    for each in verdicts:
        claim = each.claim
        word = each.word if each.holds is not False else "**broken**"
        cells = (claim.id.partition(".")[2], claim.section, claim.claim, word, each.evidence)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
