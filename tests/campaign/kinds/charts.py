"""Single charts of drawn runs: one that a run has is the file that all of them give, any other is refused."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from campaign.case import Case, Kind
from campaign.cli import command
from campaign.observe import require

FAILS = ("stalled at cycle", "stalled since cycle", "GiB")

FORMATS = {"svg": ".svg", "png": ".png", "pdf": ".pdf", "pgf": ".pgf", "vega": ".vl.json"}
"""Suffix of the files of each format."""


def drawn(seed: int) -> Case:
    """Makes a ring whose run has some of: refused packets, priorities, messages, events, lossy links, a network."""
    rng = Random(f"charts {seed}")
    nodes = rng.randint(1, 6)
    scenario: dict[str, Any] = {
        "network": {"nodes": nodes, "hop_delay": rng.choice([1, 9])},
        "flow_control": {"protocol": rng.choice(["none", "sci", "dfc", "ppq", "train", "metaring", "token-ring"])},
        "traffic": {
            "transaction": rng.choice(["send16", "send80", "dmove64", "read64"]),
            "arrivals": rng.choice(["poisson", "periodic", "saturated", "none"]),
        },
        "run": {"duration": f"{rng.choice([1, 5, 20])} us"},
    }
    if scenario["traffic"]["arrivals"] in ("poisson", "periodic"):
        scenario["traffic"]["load"] = f"{rng.choice([0, 10, 300])} MB/s"
    if rng.random() < 0.3:
        scenario["queues"] = {"receive": 1, "service_time": "100 ns"}
    if nodes > 1 and rng.random() < 0.4:
        scenario["messages"] = [
            {"name": "m", "source": 0, "destination": nodes - 1, "size": rng.choice([1, 64, 300]), "period": "2 us"}
        ]
    if nodes > 2 and rng.random() < 0.2:
        scenario["events"] = {"builders": [nodes - 1], "rate": "200 kHz", "fragment": "64 B"}
    if rng.random() < 0.2:
        scenario["errors"] = {"bit_error_rate": 1e-4}
    if rng.random() < 0.2:
        scenario["network"] = {"topology": rng.choice(["dual-ring", "switch"]), "nodes": 4}
    return Case({"scenario": scenario, "format": rng.choice(list(FORMATS))})


def check_drawn(case: Case, folder: Path, rng: Random) -> str:
    """Draws all charts of a run, and single ones; throughputs that a figure of nodes holds are the run's."""
    import tomli_w

    from ringlet.plots.charts.registry import RUN_CHARTS

    content, form = case.content["scenario"], str(case.content["format"])
    file, suffix = folder / "drawn.toml", FORMATS[form]
    file.write_text(tomli_w.dumps(dict(content)), encoding="utf-8")
    printed: list[str] = []
    ran = command("run", str(file), "--json", fails=FAILS, verdicts=(1,), printed=printed)
    if ran != "done":
        return ran
    run = folder / "run.json"
    run.write_text(printed[0], encoding="utf-8")
    require(_plotted(run, folder / "all", form) == "done", "a run that was just made is not drawn")
    there = {path.name.removesuffix(suffix): path for path in (folder / "all").iterdir()}
    require({"nodes", "latency", "links"} <= there.keys(), f"charts that each run has: {sorted(there)}")
    for path in there.values():
        _readable(path, form)
    for name in rng.sample([chart.name for chart in RUN_CHARTS], 2):
        ended = _plotted(run, folder / name, form, "--chart", name)
        require(ended == ("done" if name in there else "refused"), f"chart {name} of {sorted(there)}: {ended}")
        if ended == "done":
            (path,) = (folder / name).iterdir()
            same = path.read_bytes() == there[name].read_bytes()
            require(same, f"{path.name} alone is another one than among all")
    if form == "vega":
        document = json.loads(printed[0])
        shown = sorted(point["y"] for point in _points(json.loads(there["nodes"].read_text("utf-8")), run.stem))
        has = sorted(node["throughput_MBps"] for node in document["nodes"])
        require(shown == has, f"the figure has throughputs {shown}, the run {has}")
    return ran


def _plotted(run: Path, out: Path, form: str, *words: str) -> str:
    return command("plot", str(run), "--out", str(out), "--format", form, *words)


def _readable(path: Path, form: str) -> None:
    """Requires that a file is whole, as far as its format says so itself."""
    content = path.read_bytes()
    match form:
        case "svg":
            require(ET.fromstring(content).tag.endswith("svg"), f"{path.name} is no SVG")
        case "png":
            require(content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82"), f"{path.name} is no PNG")
        case "pdf":
            whole = content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
            require(whole, f"{path.name} is no PDF")
        case "pgf":
            require(b"\\begin{pgfpicture}" in content and b"\\end{pgfpicture}" in content, f"{path.name} is no PGF")
        case "vega":
            json.loads(content, parse_constant=lambda word: require(False, f"{word} in {path.name}"))


def _points(figure: Any, series: str) -> Iterator[dict[str, Any]]:
    """Yields the points of a series in the first layer of a Vega-Lite figure that has it."""
    for layer in figure["concat"][0]["layer"]:
        points = [point for point in layer["data"]["values"] if point["series"] == series]
        if points:
            yield from points
            return


CHARTS = Kind("charts", "drawn runs drawn: a single chart is that of all, another is refused", drawn, check_drawn)
