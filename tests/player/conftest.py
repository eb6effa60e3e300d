"""The player in a real browser: Debian's Chromium, without a window."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "trace"))


@pytest.fixture
def show(browser, tmp_path):
    """Opens a page and returns it; whatever it complains about, or asks the network for, fails the test."""
    complaints = []
    contexts = []

    def show(html, fragment="", **options):
        path = tmp_path / "ring.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: None if is_local(request.url) else complaints.append(request.url))
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_selector("body[data-ready]", timeout=20_000)
        return page

    yield show
    for context in contexts:
        context.close()
    assert complaints == []


def is_local(url):
    return url.startswith(("file:", "data:", "blob:"))
