"""Docstrings say what a module, a class or a function is or does."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from checkout import ROOT

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

# The first word of a clause of which the subject stands elsewhere, such as "Of a bar" or "The same of a ring".
WITHOUT_SUBJECT = re.compile(
    r"(Its|Those|The same|What|Whether|How|Everything|Of|For|Like|As|It|They|This|These|Only|None of|Such)\b"
)

# First words of what is said of an attribute besides those, such as "Between two columns" over a number.
WITHOUT_SUBJECT_OF_ATTRIBUTE = re.compile(
    WITHOUT_SUBJECT.pattern
    + r"|(After|And|At|Behind|Between|Both|By|From|In|None|Nothing|Once|Over|That|Their|To|Under|Up to|When|Where|"
    r"Which|Who|With|Without)\b"
)

# First words of Rust's descriptions besides those, such as "At the output" over a variant.
WITHOUT_SUBJECT_IN_RUST = re.compile(
    WITHOUT_SUBJECT.pattern
    + r"|(At|By|From|However|If|In|None|On|Others?|Out|Per|See|Since|So|Their|Until|Up|Whatever|"
    r"When|Where|Which|While|Who|Whoever|Whose|Why|With|Without)\b"
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


def without_subject(source: str) -> Iterator[str]:
    """The descriptions of a module, its classes and functions, and of what it assigns, that lack their subject."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for before, one in pairwise([node, *body]) if isinstance(body, list) else ():
            assigned = isinstance(before, ast.Assign | ast.AnnAssign)
            if (assigned or before is node) and isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                text = str(one.value.value).lstrip()
                if (WITHOUT_SUBJECT_OF_ATTRIBUTE if assigned else WITHOUT_SUBJECT).match(text):
                    yield text


def test_descriptions_begin_with_their_subject():
    package = Path(ringlet.__file__).parent
    found = []
    for path in (*package.rglob("*.py"), *package.rglob("*.pyi")):
        texts = without_subject(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(package)}: {text}" for text in texts]
    assert found == []


def test_a_description_without_a_subject_is_found():
    module = (
        '"""Bars."""\nclass Bar:\n    """It is a bar."""\n    width: float\n    """Of a bar."""\n'
        '    gap: float\n    """Between two bars."""\n    height: float\n    """Height."""\n'
    )
    assert list(without_subject(module)) == ["It is a bar.", "Of a bar.", "Between two bars."]


def stray_arguments(docstring: str) -> list[str]:
    """The lines of a section of arguments that neither begin one nor go on with one."""
    section = re.search(r"^Args:\n((?:(?: .*)?\n)*)", f"{docstring}\n", re.MULTILINE)
    lines = section[1].splitlines() if section else []
    begins = re.compile(r"    \*{0,2}\w+: (?!.*\. [a-z_]+: [a-z])")
    return [line for line in lines if line and not line.startswith(" " * 8) and not begins.match(line)]


def test_each_argument_has_a_line_of_its_own():
    found = {}
    for path in Path(ringlet.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{path.name}: {node.name}"] = stray_arguments(ast.get_docstring(node) or "")
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_stray_argument_is_found():
    assert (
        stray_arguments("Runs.\n\nArgs:\n    a: one,\n        in two lines.\n    b: two.\n\nRaises:\n    E: x.") == []
    )
    assert stray_arguments("Runs.\n\nArgs:\n    a: one. b: two\n    and three.\n") == [
        "    a: one. b: two",
        "    and three.",
    ]


def comments_without_subject(source: str) -> list[str]:
    """The first lines of doc comments of a Rust module, fields included, that do not begin with their subject."""
    lines = [line.strip() for line in ["", *source.splitlines()]]
    firsts = [
        line[4:]
        for before, line in pairwise(lines)
        if line.startswith(("/// ", "//! ")) and not before.startswith(line[:3])
    ]
    return [line for line in firsts if WITHOUT_SUBJECT_IN_RUST.match(line)]


def test_comments_of_the_engine_begin_with_their_subject():
    found = {
        str(path.relative_to(ROOT)): comments_without_subject(path.read_text(encoding="utf-8"))
        for path in (ROOT / "crates").glob("*/src/**/*.rs")
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_comment_without_a_subject_is_found():
    module = "//! A ring.\n\nstruct Ring {\n    /// Its length,\n    /// in symbols.\n    length: u32,\n    /// Item.\n"
    assert comments_without_subject(module) == ["Its length,"]


def test_a_clause_is_found():
    module = '"""By what a run is known."""\nclass Key:\n    """The key of a run in the store."""\n'
    assert [is_a_clause(line) for _, line in first_lines(module)] == [True, False]


def test_a_property_is_no_clause():
    assert not list(first_lines('@property\ndef holds(self):\n    """Whether it holds."""\n'))
