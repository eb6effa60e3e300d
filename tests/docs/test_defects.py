"""Every defect that docs/explanation/tests.md names has a test that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_that_holds_a_defect_is_there():
    listed = (ROOT / "docs" / "explanation" / "tests.md").read_text(encoding="utf-8").partition("## Defects")[2]
    named = re.findall(r"`([a-z_]+/test_\w+\.py)(?:::(\w+))?`", listed)
    assert len(named) > 15
    for file, test in named:
        assert f"def {test}" in (ROOT / "tests" / file).read_text(encoding="utf-8"), (file, test)
