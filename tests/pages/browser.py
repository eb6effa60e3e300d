"""A real browser for the tests of pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


@contextmanager
def opened(browser, path: Path, *, viewport=DESKTOP, scheme: str = "light", scripts: bool = True) -> Iterator:
    """The page of a file; nothing may go wrong on it, and nothing may be asked of the network."""
    context = browser.new_context(
        viewport=viewport, color_scheme=scheme, java_script_enabled=scripts, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert wrong == []
    context.close()
