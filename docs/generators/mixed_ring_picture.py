"""Makes the picture of what old nodes cost on a real-time ring (docs/explanation/realtime-model.md, Section 8)."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import ringlet as rl
from ringlet.plots import Chart, curves
from ringlet.plots.save import save

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "examples" / "studies" / "mixed-ring.toml"
PICTURE = ROOT / "docs" / "images" / "mixed-ring.svg"

PROTOCOL, OLD, LOAD = "flow_control.protocol", "nodes of base SCI", "traffic.load_MBps"
FIGURES = ["throughput_MBps", "latency_p99_ns", "output_inversion_max_ns"]


def measured() -> pd.DataFrame:
    """The study's figures of each priority, means of its runs."""
    found = rl.sweep(rl.Study.load(STUDY), workers=1).priorities
    found[OLD] = [
        len([node for node in nodes.strip("[]").split(",") if node]) for nodes in found["flow_control.base_nodes"]
    ]
    means: pd.DataFrame = found.groupby([PROTOCOL, LOAD, OLD, "priority"], sort=False)[FIGURES].mean().reset_index()
    return means


def table(means: pd.DataFrame) -> str:
    """The table of the page: of each protocol and number of old nodes the figures at some loads."""
    of = means.set_index([PROTOCOL, LOAD, OLD, "priority"])[FIGURES]
    lines = [
        "| protocol | old nodes | 99 % at 80 MB/s | at 140 MB/s | at 160 MB/s | inversion at 140 | low at 160 |",
        "|---|---|---|---|---|---|---|",
    ]
    for protocol in ("ppq", "dfc"):
        for old in sorted(means[OLD].unique()):
            late = [of.loc[(protocol, load, old, 3), "latency_p99_ns"] / 1e3 for load in (80.0, 140.0, 160.0)]
            inversion = of.loc[(protocol, 140.0, old, 3), "output_inversion_max_ns"] / 1e3
            low = of.loc[(protocol, 160.0, old, 0), "throughput_MBps"]
            shown = " | ".join(f"{us:.2f} us" for us in (*late, inversion))
            lines.append(f"| `{protocol}` | {old} | {shown} | {low:.0f} MB/s |")
    return "\n".join(lines)


def main() -> None:
    """Runs the study, draws the 99th percentile of each priority, and prints the table of the page."""
    means = measured()
    panels = []
    for priority in (3, 0):
        for protocol in ("ppq", "dfc"):
            some = means[(means[PROTOCOL] == protocol) & (means["priority"] == priority)]
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
    print(table(means))


if __name__ == "__main__":
    main()
