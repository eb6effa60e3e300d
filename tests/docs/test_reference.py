"""Pages that the documentation's build makes."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import gallery_reference  # noqa: E402

import ringlet  # noqa: E402


def test_every_example_has_a_picture_in_the_gallery():
    pictures = ROOT / "docs" / "images" / "gallery"
    page = gallery_reference.render(ROOT / "examples", pictures)
    shown = set(re.findall(r"\.\./images/gallery/([\w-]+)\.svg", page))
    assert shown == {path.stem for path in (ROOT / "examples").glob("*.toml")}
    assert shown == {path.stem for path in pictures.glob("*.svg")}


def test_every_public_name_of_python_is_on_one_page_of_its_topic():
    pages = (ROOT / "docs" / "reference" / "python").glob("*.md")
    directive = re.compile(r"^\.\. auto(?:function|class|exception):: ringlet\.(\w+)$", re.MULTILINE)
    named = [name for page in pages for name in directive.findall(page.read_text(encoding="utf-8"))]
    # `plots` is a package, whose page lists what it has.
    assert sorted([*named, "plots", "__version__"]) == sorted(ringlet.__all__)
    overview = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`rl\.(\w+)`", overview)) == set(ringlet.__all__)
