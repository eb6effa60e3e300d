"""The player in a real browser: Debian's Chromium, without a window."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from browser import opened

sys.path.insert(0, str(Path(__file__).parents[1] / "trace"))


@pytest.fixture
def show(browser, tmp_path):
    """Opens pages, which move as the player does by default."""
    with ExitStack() as pages:

        def show(html, fragment="", **options):
            path = tmp_path / "ring.html"
            path.write_text(html, encoding="utf-8")
            usual = {"viewport": {"width": 1200, "height": 1000}, "reduced_motion": "no-preference"}
            ready = "body[data-ready]"
            return pages.enter_context(opened(browser, path, fragment, ready=ready, **{**usual, **options}))

        yield show
