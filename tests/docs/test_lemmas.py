"""The lines on each lemma: every lemma has one, and the rule and the test that it names are there."""

import re
from pathlib import Path

import pytest

from ringlet.theory.lemmas import NAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/guarantees.md").read_text(encoding="utf-8")
ENGINE = ROOT / "crates/ringlet-engine/src"
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/guarantee").glob("test_*.py"))
LINE = re.compile(
    r"^Lemma (\d+)\n: (.+)\.\n: Rule: `([\w/]+\.rs)`(?:, `(\w+)`)?\.\n: Test: `(\w+)`\.(?:\n: Read twice\.)?$",
    re.MULTILINE,
)

lines = LINE.findall(PAGE)


def test_each_lemma_has_a_line():
    assert [int(number) for number, *_ in lines] == sorted(NAMES)


@pytest.mark.parametrize("line", lines, ids=lambda line: f"lemma {line[0]}")
def test_the_rule_and_the_test_are_there(line):
    _, _, file, function, test = line
    source = (ENGINE / file).read_text(encoding="utf-8")
    assert not function or re.search(rf"fn {function}\b", source), function
    assert f"def {test}(" in TESTS
