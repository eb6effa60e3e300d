"""Makes the pictures of the tutorial "Ten minutes with the player", in Chromium (`docs/images/ten-minutes`)."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from ringlet.player import page
from ringlet.scenario import Scenario
from ringlet.trace import record

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "images" / "ten-minutes"
CYCLES = 3000
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

PROTOCOLS = {
    "none": {"protocol": "none"},
    "sci": {"protocol": "sci"},
    "grouped": {"protocol": "grouped", "groups": 4},
}

STEPS = {
    "1-first-packet": ("none", 20, 1),
    "2-starves": ("none", 2900, 1),
    "3-go-bits": ("sci", 60, 1),
    "4-fair": ("sci", 2900, 1),
    "5-groups": ("grouped", 60, 1),
    "6-withheld": ("grouped", 2900, 2),
}
"""Of each picture the protocol, the cycle and the node that is chosen."""


def pages() -> dict[str, str]:
    """Returns the player's page of each protocol."""
    example = Scenario.load(ROOT / "examples" / "four-nodes.toml").to_dict()
    return {
        name: page(record(Scenario.from_dict({**example, "flow_control": options}), stop=CYCLES), title=name)
        for name, options in PROTOCOLS.items()
    }


def main() -> None:
    """Makes all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, text in pages().items():
            Path(folder, f"{name}.html").write_text(text, encoding="utf-8")
        for picture, (name, cycle, node) in STEPS.items():
            shown = browser.new_page(viewport={"width": 900, "height": 1000}, device_scale_factor=2)
            shown.goto(f"{Path(folder, f'{name}.html').as_uri()}#cycle={cycle}&node={node}")
            shown.wait_for_selector("body[data-ready]")
            target = PICTURES / f"{picture}.png"
            shown.screenshot(path=target, clip=shown.evaluate(AREA))
            shown.close()
            print(f"{target}: {target.stat().st_size} bytes")
        browser.close()


AREA = """() => {
    const ring = document.getElementById("ring").getBoundingClientRect();
    const [words, ...others] = document.querySelectorAll(".stage section");
    for (const other of others) other.style.visibility = "hidden";
    const panel = words.getBoundingClientRect();
    return { x: ring.left, y: ring.top, width: panel.right - ring.left + 4,
        height: Math.max(ring.height, panel.height) + 4 };
}"""
"""The ring and the words beside it, without what stands below these, which would be cut."""


if __name__ == "__main__":
    main()
