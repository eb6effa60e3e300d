"""The page of imports: each format has its section, and its panel in the picture or a reason why not."""

import runpy
from pathlib import Path

import pytest

from ringlet.imports.formats import FORMATS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/from-another-tool.md").read_text(encoding="utf-8")
MADE = runpy.run_path(str(ROOT / "docs/generators/import_picture.py"))


def test_each_format_has_its_section():
    section = PAGE.partition("## What each format becomes")[2].partition("## To another tool")[0].lower()
    words = {
        "can-database": "can databases",
        "graph": "graphs",
        "matrix": "matrices",
        "capture": "captures",
        "sheet": "workbooks",
    }
    for one in FORMATS:
        assert words.get(one.name, one.name) in section, one.name
    assert "../images/imports.svg" in section
    assert (ROOT / "docs/images/imports.svg").is_file()


@pytest.mark.parametrize(("title", "file", "options"), MADE["OF_TESTS"], ids=[one[0] for one in MADE["OF_TESTS"]])
def test_the_picture_shows_what_is_imported(title, file, options):
    names, found = MADE["demands"](file, options)
    assert found.shape == (len(names), len(names))
    assert found.max() == 1
    assert (found.diagonal() == 0).all()
