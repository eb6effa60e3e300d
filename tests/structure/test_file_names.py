"""Names of test files: no two are alike, since pytest knows a file by its bare name."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_each_test_file_has_a_name_of_its_own():
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
