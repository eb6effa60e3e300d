"""Writes the page on validation from the table of cases, which the tests run, so that it cannot differ."""

import tomllib
from itertools import groupby
from pathlib import Path

from scenario_reference import write_changed

INTRODUCTION = """# What ringlet is checked against

Every simulator agrees with the papers that it was built from, if its author works long enough. This page is about
everything else: queueing theory, counting arguments about rings, and what others have measured or published. Each
case is a scenario, a figure that is read from its run, and what theory or a publication says of it.

Of {count} cases {agree} agree and {differ} differ. A tolerance was set with its case; of some cases a trial run had
been seen by then. A case that differs stays in the table with its reason, and nothing in the program was changed to
make one agree.

What the four founding papers print is beside what ringlet obtains on their own pages: [picker1994](picker1994.md),
[todd2001](todd2001.md), [richter1999](richter1999.md), [richter1997](richter1997.md). Besides, the engine is compared
symbol by symbol with a plain reference on random rings ([tests](../explanation/tests.md)).

The scenarios are in `tests/validation/cases.toml`, the one table from which this page is made. `make test` runs each
and compares verdict and figure with it; `make validation` prints them.
"""
HEADINGS = {
    "Queues": "An interface that no other node disturbs is a server, and its packets are customers: what is known of "
    "queues must hold to the precision of the run. Times are in cycles of 2 ns.",
    "Rings": "What the shape of a ring alone says: how much its links carry, how long the way is, who is in whose way.",
    "Machines": "What was measured on SCI hardware. The papers' texts were not at hand, only their abstracts; they do "
    "not give the traffic, and hosts limit much of it.",
}


def write(path: Path) -> None:
    """Writes the page."""
    table = path.parents[2] / "tests" / "validation" / "cases.toml"
    write_changed(path, render(tomllib.loads(table.read_text(encoding="utf-8"))["case"]))


def render(cases: list[dict]) -> str:
    """Returns the page."""
    agree = sum(case["verdict"] == "agrees" for case in cases)
    parts = [INTRODUCTION.format(count=len(cases), agree=agree, differ=len(cases) - agree)]
    for heading, group in groupby(cases, key=lambda case: case["about"]):
        parts += [f"## {heading}", HEADINGS[heading], _table(list(group))]
    return "\n\n".join(parts) + "\n"


def _table(cases: list[dict]) -> str:
    lines = ["what | expected | tolerance | obtained | verdict", "---|---|---|---|---"]
    lines += [" | ".join(_cells(case)) for case in cases]
    notes = [f"{case['title']}\n: {_note(case)}" for case in cases if _note(case)]
    return "\n\n".join(["\n".join(lines), *notes])


def _note(case: dict) -> str:
    """Source and note, but for a source that is that of the line above."""
    source = "" if case["source"] == "as the case before" else f"Source: {case['source']}."
    return f"{source} {case.get('note', '')}".strip()


def _cells(case: dict) -> list[str]:
    expected, obtained = (f"{case[key]:g} {case['unit']}".rstrip() for key in ("expected", "obtained"))
    allowed = f"at {case['bound']}" if "bound" in case else f"{case['tolerance']:g} %"
    verdict = case["verdict"] if case["verdict"] == "agrees" else f"**{case['verdict']}**"
    return [case["title"], expected, allowed, obtained, verdict]
