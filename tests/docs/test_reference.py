"""Pages that the documentation's build makes."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import gallery_reference  # noqa: E402


def test_every_example_has_a_picture_in_the_gallery():
    pictures = ROOT / "docs" / "images" / "gallery"
    page = gallery_reference.render(ROOT / "examples", pictures)
    shown = set(re.findall(r"\.\./images/gallery/([\w-]+)\.svg", page))
    assert shown == {path.stem for path in (ROOT / "examples").glob("*.toml")}
    assert shown == {path.stem for path in pictures.glob("*.svg")}
