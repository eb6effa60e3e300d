"""Docstrings say what a module, a class or a function is or does; tests/structure/test_words.py has their words."""

import ast
from collections.abc import Iterator
from pathlib import Path

import ringlet

# The first word of a clause without a subject, such as "By what a run is known".
CLAUSES = (
    "What",
    "How",
    "Which",
    "Where",
    "Whether",
    "By",
    "Who",
    "Why",
    "When",
    "If",
    "From",
    "In",
    "Can",
    "Do",
    "Is",
)


def is_a_clause(first_line: str) -> bool:
    return first_line.split(" ")[0] in CLAUSES


def first_lines(source: str) -> Iterator[tuple[str, str]]:
    """The names of a module's parts, its own empty, with the first lines of their descriptions.

    A property is described as an attribute is: "Whether it has switches".
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        decorators = [] if isinstance(node, ast.Module) else [ast.unparse(one) for one in node.decorator_list]
        text = ast.get_docstring(node)
        if text and not any(one.endswith("property") for one in decorators):
            yield getattr(node, "name", ""), text.splitlines()[0]


def test_modules_classes_and_functions_are_described_in_sentences_or_nouns():
    found = []
    package = Path(ringlet.__file__).parent
    for path in package.rglob("*.py"):
        lines = dict(first_lines(path.read_text(encoding="utf-8")))
        assert "" in lines, f"{path} has no docstring"
        found += [f"{path.relative_to(package)} {name}: {line}" for name, line in lines.items() if is_a_clause(line)]
    assert found == []


def test_a_clause_is_found():
    module = '"""By what a run is known."""\nclass Key:\n    """The key of a run in the store."""\n'
    assert [is_a_clause(line) for _, line in first_lines(module)] == [True, False]


def test_a_property_is_no_clause():
    assert not list(first_lines('@property\ndef holds(self):\n    """Whether it holds."""\n'))
