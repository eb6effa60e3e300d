"""The page of the documentation that shows every claim with its verdict."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from ringlet.papers.claims.verdicts import Verdict

_HEAD = """# The papers' sentences as laws

The papers state more than figures: their sentences say what a protocol promises. Each sentence stands here in our
words, with what its test found. A test draws scenarios and compares them with the sentence; it *holds* if it held in
all of them. A claim that is *broken* has a reason. `ringlet reproduce --claims` runs the tests again,
with `--json` for programs; `make results` writes this page.
"""


def claims_page(verdicts: Sequence[Verdict]) -> str:
    """Returns the page in Markdown: for each paper all claims, each with its evidence and, where it breaks, why."""
    parts = [_HEAD, _counts(verdicts)]
    for paper in dict.fromkeys(each.claim.paper for each in verdicts):
        parts.append(f"## {paper}\n")
        parts += [_entry(each) for each in verdicts if each.claim.paper == paper]
    return "\n".join(parts)


def _counts(verdicts: Sequence[Verdict]) -> str:
    """Returns the table of how many claims of each paper hold, break, and are not checked."""
    lines = ["| paper | claims | hold | broken | not checked |", "|---|--:|--:|--:|--:|"]
    papers = dict.fromkeys(each.claim.paper for each in verdicts)
    for name in (*papers, "all"):
        words = Counter(each.word for each in verdicts if name in ("all", each.claim.paper))
        lines.append(f"| {name} | {words.total()} | {words['holds']} | {words['broken']} | {words['not checked']} |")
    return "\n".join(lines) + "\n"


def _entry(verdict: Verdict) -> str:
    """Returns one claim as an item of a list, in lines of 120 columns."""
    claim = verdict.claim
    word = "**broken**" if verdict.holds is False else verdict.word
    lines = [f"- `{claim.id}` ({claim.section}) {word}: {claim.claim}", f"  *Evidence:* {verdict.evidence}"]
    if verdict.reason:
        lines.append(f"  *Why:* {verdict.reason}")
    return "\n".join(_wrapped(line) for line in lines)


def _wrapped(line: str) -> str:
    """Returns a line in lines of 120 columns, whose text is not taken for Markdown."""
    escaped = line.replace("[", "\\[").replace("<", "&lt;").replace("$", "\\$")
    indent = "  " if line.startswith("- ") else line[: len(line) - len(line.lstrip())]
    return "\n".join(textwrap.wrap(escaped, 120, subsequent_indent=indent, break_on_hyphens=False))
