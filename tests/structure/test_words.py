"""Pages, docstrings, comments and messages give no program the acts of a person, and cite papers by their keys."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from checkout import ROOT, project_files

import ringlet

# What persons do, and no part of a program does. "What a run tells" is the name of a page.
PERSONAL = re.compile(
    r"\b(hears?|heard|noticed|wants|wanted to|(?<!a[ -]run[ -])tells|told|remember(?:s|ed)?|forg[eo]ts?|forgotten|"
    r"thinks|believes?|asks? for|asked for|for want of|nobody(?:'s)?|somebody|anybody|everybody|everyone|"
    r"hangs? on|speaks? for|is to blame|strangers?)\b"
)
# Papers have keys such as picker1994; once they were numbered.
NUMBERED = re.compile(r"(\[|; )00\d\]")


def complaints(text: str) -> Iterator[str]:
    """The words of a text that are not plain, each with some words around it; names in backquotes do not count."""
    flat = " ".join(re.sub(r"`[^`\n]+`", "``", text).split())
    for pattern in (PERSONAL, NUMBERED):
        yield from (flat[max(0, found.start() - 30) : found.end() + 30] for found in pattern.finditer(flat))


def texts(source: str) -> Iterator[str]:
    """The docstrings, comments and other texts of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_pages_have_plain_words():
    found = {path.name: list(complaints(path.read_text(encoding="utf-8"))) for path in project_files(".md")}
    assert {name: words for name, words in found.items() if words} == {}


def test_the_sources_have_plain_words():
    package = Path(ringlet.__file__).parent
    modules = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    found = {name: [one for text in texts(source) for one in complaints(text)] for name, source in modules.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_the_engine_has_plain_words():
    crates = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in project_files(".rs")}
    # All lines: comments, names and messages.
    found = {name: list(complaints(source)) for name, source in crates.items()}
    assert {name: words for name, words in found.items() if words} == {}


def test_personal_words_and_numbered_papers_are_found():
    assert list(complaints("a switch that hears of its rings")) == ["a switch that hears of its rings"]
    assert len(list(complaints("The sender noticed it [001]."))) == 2
    assert list(texts('"""It tells."""\nx = "told"  # wants\n')) == ["It tells.", "told", "# wants"]


def test_terms_of_the_field_are_no_complaints():
    assert not list(complaints("What a run tells, `BLink::hear`, at the wanted rate; picker1994 [1]"))
