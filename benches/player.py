"""Frame times of the ring player in Chromium, for 64 nodes and 10,000 cycles at full load.

    .venv/bin/python benches/player.py

Prints how long the page takes to open, its size, and for several speeds the time that a frame's drawing takes and how
far apart frames are. A frame that is drawn within 16.7 ms does not stutter on a screen of 60 Hz.
"""

import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from ringlet.player import write_player
from ringlet.scenario import Scenario
from ringlet.trace import record

NODES, CYCLES = 64, 10_000

DRAWING = """async (count) => {
    const { view, recording, draw, spacetime } = ringlet, times = [];
    for (let i = 0; i < count; i++) {
        view.cycle = Math.floor((i / count) * (recording.cycles - 1));
        view.fraction = Math.random();
        spacetime.keep(view.cycle);
        const start = performance.now();
        draw();
        // Reading a pixel waits until the canvas is painted.
        for (const id of ["ring", "spacetime"]) document.getElementById(id).getContext("2d").getImageData(0, 0, 1, 1);
        times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
}"""

PLAYING = """async ([speed, milliseconds]) => {
    const { view } = ringlet, gaps = [];
    view.set({ cycle: 0, playing: true, speed });
    let last = await new Promise(requestAnimationFrame);
    const end = last + milliseconds;
    while (last < end) {
        const now = await new Promise(requestAnimationFrame);
        gaps.push(now - last);
        last = now;
    }
    view.set({ playing: false });
    return gaps.sort((a, b) => a - b);
}"""


def main() -> None:
    """Measures and prints."""
    scenario = Scenario.from_dict(
        {
            "network": {"nodes": NODES, "hop_delay": 3},
            "flow_control": {"protocol": "sci"},
            "traffic": {"transaction": "mixed", "arrivals": "saturated"},
        }
    )
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = write_player(record(scenario, stop=CYCLES), Path(folder) / "ring.html")
        print(f"{NODES} nodes, {CYCLES} cycles: {path.stat().st_size / 1e6:.2f} MB")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, viewport in (("desk", (1280, 1000)), ("phone", (390, 844))):
            page = browser.new_page(viewport={"width": viewport[0], "height": viewport[1]})
            start = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("body[data-ready]")
            print(f"{name}: opens in {time.perf_counter() - start:.2f} s")
            show("drawing a frame", page.evaluate(DRAWING, 300))
            for speed, label in ((3, "10 symbols/s"), (6, "150 symbols/s"), (8, "1000 symbols/s")):
                show(f"between frames at {label}", page.evaluate(PLAYING, [speed, 3000]))
        browser.close()


def show(what: str, sorted_ms: list[float]) -> None:
    """Prints quantiles of times."""
    median, late, worst = (sorted_ms[min(len(sorted_ms) - 1, int(q * len(sorted_ms)))] for q in (0.5, 0.99, 1.0))
    print(f"  {what}: median {median:.1f} ms, 99 % {late:.1f} ms, most {worst:.1f} ms")


if __name__ == "__main__":
    main()
