"""The page of the documentation that shows every claim with its verdict."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from ringlet.papers.claims.verdicts import Verdict

_HEAD = """# The papers' sentences as laws

The papers state more than figures: their sentences say what a protocol promises. Each sentence stands here in our
words, with what its test found. A test draws scenarios and compares them with the sentence; it *holds* if it held in
all of them. A claim that is *broken* has a reason, and so has one that the program *cannot say*. `ringlet reproduce
--claims` runs the tests again, with `--json` for programs; `make results` writes this page.
"""

_CLOSING = """## Before and after

The claims whose verdict is another than on the version of 2026-11-25, with which the sentences were collected. All
others have the verdict that they had.
"""


def claims_page(verdicts: Sequence[Verdict]) -> str:
    """Returns the page in Markdown: for each paper all claims, each with its evidence and, where it breaks, why."""
    parts = [_HEAD, _counts(verdicts)]
    for paper in dict.fromkeys(each.claim.paper for each in verdicts):
        parts.append(f"## {paper}\n")
        parts += [_entry(each) for each in verdicts if each.claim.paper == paper]
        parts.append("")
    return "\n".join([*parts, _CLOSING, _changes(verdicts)])


def _counts(verdicts: Sequence[Verdict]) -> str:
    """Returns the table of how many claims of each paper hold, break, and cannot be said."""
    lines = ["| paper | claims | hold | broken | cannot be said |", "|---|--:|--:|--:|--:|"]
    papers = dict.fromkeys(each.claim.paper for each in verdicts)
    for name in (*papers, "all"):
        words = Counter(each.word for each in verdicts if name in ("all", each.claim.paper))
        told, broken, unsaid = words["holds"], words["broken"], words["cannot be said"]
        lines.append(f"| {name} | {words.total()} | {told} | {broken} | {unsaid} |")
    return "\n".join(lines) + "\n"


def _changes(verdicts: Sequence[Verdict]) -> str:
    """Returns the table of the claims whose verdict has changed, and how many went from each verdict to each."""
    moved = [each for each in verdicts if each.claim.before != each.word]
    lines = ["| claim | before | after |", "|---|---|---|"]
    lines += [f"| `{each.claim.id}` | {each.claim.before} | {each.word} |" for each in moved]
    ways = Counter((each.claim.before, each.word) for each in verdicts)
    lines += ["", "| before | after | claims |", "|---|---|--:|"]
    lines += [f"| {before} | {after} | {number} |" for (before, after), number in sorted(ways.items())]
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
