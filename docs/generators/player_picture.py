"""Makes the picture of the ring player on the front page, in Chromium (`docs/images/player.png`)."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tutorial_pictures import CHROMIUM

from ringlet.player import page
from ringlet.scenario import Scenario
from ringlet.trace import record

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "player.png"

RING = {
    "network": {"nodes": 4, "hop_delay": 3},
    "flow_control": {"protocol": "sci"},
    "traffic": {"transaction": "send80", "destinations": [3, 3, 3, 1], "arrivals": "saturated"},
    "run": {"warmup": 0},
}
"""The ring of the tour (docs/reference/player.md), whose node 2 empties its bypass FIFO and keeps a go bit back."""

MOMENT = "#cycle=120&node=2&packet=5"


def main() -> None:
    """Makes the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "ring.html")
        path.write_text(page(record(Scenario.from_dict(RING), stop=400), title="4 nodes, flow control sci"), "utf-8")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1180, "height": 1126}, reduced_motion="reduce")
        shown.goto(f"{path.as_uri()}{MOMENT}")
        shown.wait_for_selector("body[data-ready]")
        end = shown.locator("details:not(#blocks-part)").bounding_box()
        assert end is not None
        shown.screenshot(path=PICTURE, full_page=True, clip={"x": 0, "y": 0, "width": 1180, "height": end["y"] - 4})
        browser.close()


if __name__ == "__main__":
    main()
