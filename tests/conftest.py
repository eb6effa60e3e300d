"""What tests of several folders share."""

import shutil
from collections import Counter

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window, for the tests of pages; one for all, since Playwright does not start twice in a
    process."""
    if CHROMIUM is None:
        pytest.skip("pages are not tested without Chromium (Debian and Ubuntu: apt install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def pytest_terminal_summary(terminalreporter):
    """Says what was skipped, each reason once; a reason says for want of what, and how to get it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, tests in reasons.items():
        terminalreporter.line(f"{tests} skipped: {reason}")
