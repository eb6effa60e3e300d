"""Docstrings say what a module is or does, in plain words."""

import ast
import re
from pathlib import Path

import ringlet

# The first word of a clause without a subject, such as "By what a run is known".
CLAUSES = ("What", "How", "Which", "Where", "Whether", "By", "Who", "Why", "When", "If", "From", "In", "Can", "Do")
# Words of people, of which a part of a program does none.
PERSONAL = re.compile(r"\b(hears?|heard|notices?|noticed|knows?|wants?|asks?|tells?|told|remembers?|forgets?)\b")


def complaint(first_line: str) -> str | None:
    """What is wrong with the first line of a module's docstring; None if nothing is."""
    if first_line.split(" ")[0] in CLAUSES:
        return "it begins like a clause"
    found = PERSONAL.search(first_line)
    return f"a part of a program does not {found[0]!r}" if found else None


def first_lines() -> dict[str, str]:
    """The first line of each module's description."""
    found = {}
    package = Path(ringlet.__file__).parent
    for path in package.rglob("*.py"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert text, f"{path} has no docstring"
        found[str(path.relative_to(package))] = text.splitlines()[0]
    return found


def test_modules_are_described_in_plain_words():
    complaints = {name: complaint(line) for name, line in first_lines().items()}
    assert {name: what for name, what in complaints.items() if what} == {}


def test_a_clause_and_a_person_are_found():
    assert complaint("By what a run is known.")
    assert complaint("The switch, which hears of its rings.")
    assert not complaint("The key of a run in the store: a hash of its content.")
