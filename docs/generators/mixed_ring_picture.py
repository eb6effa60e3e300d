"""Makes the picture of what old nodes cost on a real-time ring (docs/explanation/realtime-model.md, Section 8)."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import ringlet as rl
from ringlet.plots import Chart, curves
from ringlet.plots.save import save

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "examples" / "studies" / "mixed-ring.toml"
PICTURE = ROOT / "docs" / "images" / "mixed-ring.svg"

PROTOCOL, OLD, LOAD = "flow_control.protocol", "nodes of base SCI", "traffic.load_MBps"
FIGURES = ["throughput_MBps", "latency_p99_ns", "output_inversion_max_ns"]


def main() -> None:
    """Runs the study, draws the 99th percentile of each priority, and prints what the page states."""
    found = rl.sweep(rl.Study.load(STUDY), workers=1).priorities
    found[OLD] = [
        len([node for node in nodes.strip("[]").split(",") if node]) for nodes in found["flow_control.base_nodes"]
    ]
    table = found.groupby([PROTOCOL, LOAD, OLD, "priority"], sort=False)[FIGURES].mean().reset_index()
    panels = []
    for priority in (3, 0):
        for protocol in ("ppq", "dfc"):
            some = table[(table[PROTOCOL] == protocol) & (table["priority"] == priority)]
            title = f"{protocol}, priority {priority}"
            panels.append(replace(curves(some, x=LOAD, y="latency_p99_ns", by=[OLD]), title=title))
    chart = Chart(
        name="mixed-ring",
        title="Nodes of base SCI on a real-time ring of 8",
        caption="99th percentile of the latency over the load of each node; means of three runs.",
        panels=tuple(panels),
        columns=2,
        panel_inches=(4.4, 3.0),
    )
    with TemporaryDirectory() as folder:
        save(chart, Path(folder), ("svg",))
        PICTURE.write_bytes((Path(folder) / "mixed-ring.svg").read_bytes())
    print(table[table[LOAD].isin([100.0, 140.0, 160.0])].round(1).to_string(index=False))


if __name__ == "__main__":
    main()
