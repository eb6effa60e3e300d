"""What tests of several folders share."""

import os
import shutil
from collections import Counter

import pytest
from hypothesis import settings

# The same random cases in every run, so that a change is judged by what it changes; `make nightly` tries new ones.
settings.register_profile("same", derandomize=True)
if "RINGLET_CASES" not in os.environ:
    settings.load_profile("same")

# todd2001's Figure 11: half of each node's reads go to a hot node, which sends nothing.
LOADS = '["75 MiB/s", "75 MiB/s", "75 MiB/s", "75 MiB/s", 0, "75 MiB/s", "75 MiB/s", "75 MiB/s"]'
HOT_SPOT = f"""
[network]
nodes = 8
hop_delay = 1
framing = 1

[flow_control]
protocol = "ppq"

[queues]
receive = 5
service_time = "0.1 us"
responses = 5
window = "unlimited"
outstanding = "unlimited"
order = "alternate"

[retry]
delay = 0

[traffic]
transaction = "read64"
pattern = "hot-spot"
hot_node = 4
hot_fraction = 0.5
arrivals = "poisson"
load = {LOADS}

[run]
duration = "1 ms"
warmup = "0.1 ms"
"""

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


@pytest.fixture
def hot_spot(tmp_path):
    """The ring of todd2001's Figure 11, which has two regimes; also in the file hot.toml."""
    (tmp_path / "hot.toml").write_text(HOT_SPOT, encoding="utf-8")
    import ringlet as rl

    return rl.Scenario.load(tmp_path / "hot.toml")
