"""Block diagrams are what their code draws, and name keys that there are."""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ringlet.cli.explanations import explanations

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("block_diagrams", ROOT / "docs/generators/block_diagrams.py")
block_diagrams = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(block_diagrams)


@pytest.mark.parametrize("made", block_diagrams.PICTURES, ids=lambda made: made.__name__)
def test_a_picture_is_what_its_code_draws_and_names_keys_that_there_are(made):
    picture = made()
    kept = (ROOT / f"docs/images/blocks-{picture.name}.svg").read_text(encoding="utf-8")
    assert kept == picture.written()
    svg = "{http://www.w3.org/2000/svg}"
    texts = ElementTree.fromstring(kept).iter(f"{svg}text")
    keys = {text.text for text in texts if text.get("class") == "key"}
    assert keys
    assert keys <= {one.name for one in explanations()}
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*/*.md"))
    assert f"![{picture.words}](../images/blocks-{picture.name}.svg)" in pages


def test_what_a_box_holds_stays_within_it():
    for made in block_diagrams.PICTURES:
        boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx', made().written())
        places = [tuple(map(float, box)) for box in boxes]
        assert len(places) > 4
        for n, (x, y, width, height) in enumerate(places):
            assert x >= 0
            assert x + width <= block_diagrams.WIDTH
            assert y + height <= made().height
            for other_x, other_y, other_width, other_height in places[:n]:
                apart = x >= other_x + other_width or other_x >= x + width
                assert apart or y >= other_y + other_height or other_y >= y + height
