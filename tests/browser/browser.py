"""A real browser for the tests of pages: whatever goes wrong on a page, or is asked of the network, fails the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}

LOCAL = ("file:", "data:", "blob:")


@contextmanager
def opened(
    browser, path: Path, fragment: str = "", *, ready: str | None = None, silent: bool = True, **options
) -> Iterator:
    """The page of a file, at a fragment of its address.

    Args:
        browser: the fixture.
        path: the file.
        fragment: such as `#cycle=7`.
        ready: a selector to wait for.
        silent: whether any line on the console is wrong, or errors only.
        options: of the browser's context, such as `viewport`, `color_scheme` or `java_script_enabled`.
    """
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.set_default_timeout(20_000)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if silent or message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(LOCAL) else wrong.append(request.url))
    page.goto(f"{path.as_uri()}{fragment}")
    if ready is not None:
        page.wait_for_selector(ready)
    try:
        yield page
    finally:
        context.close()
    assert wrong == []
