"""Makes the picture of what each importer makes of a file (docs/how-to/from-another-tool.md).

The files are those of the tests; a workbook and a capture are written here.
"""

import contextlib
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import dpkt
import matplotlib as mpl
import numpy as np
import openpyxl
from matplotlib import pyplot as plt

import ringlet as rl
from ringlet.cli import main as ringlet

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests" / "imports" / "files"
PUBLIC = ROOT / "tests" / "imports" / "public"
PICTURE = ROOT / "docs" / "images" / "imports.svg"

NONE = ["--period", "10 ms", "--sender", "leave-out", "--receiver", "leave-out"]
CYCLES = ["--cycle", "1 ns", "--size", "32 B"]
OF_TESTS = [
    ("DBC", FILES / "socialledge.dbc", []),
    ("KCD", PUBLIC / "the_homer.kcd", NONE),
    ("ARXML", PUBLIC / "system-4.2.arxml", NONE),
    ("SNDlib", FILES / "triangle.xml", ["--unit", "Mb/s"]),
    ("Matrix Market", FILES / "demands.mtx", ["--unit", "MB/s"]),
    ("tabs", PUBLIC / "dm.txt", ["--unit", "MB/s"]),
    ("candump", FILES / "can.log", ["--receiver", "gateway"]),
    ("Saihu, JSON", FILES / "ports.json", []),
    ("xTFA, XML", FILES / "physical.xml", ["--format", "saihu"]),
    ("SMFF", FILES / "smff.xml", ["--format", "smff", "--size", "8 B", "--time-unit", "us"]),
    ("Noxim", FILES / "noxim.txt", ["--format", "noxim", *CYCLES, "--rate", "5 MHz", "--link-rate", "8 GB/s"]),
    ("BookSim", FILES / "booksim.cfg", ["--format", "booksim", *CYCLES, "--own", "leave-out"]),
    ("GOAL", PUBLIC / "binary_tree_32.goal", ["--time-unit", "ns"]),
    ("Chakra", PUBLIC / "all_reduce.0.et", ["--collectives", "ring"]),
    ("DUMPI", PUBLIC / "testtrace-0000.txt", ["--format", "dumpi", "--collectives", "ring"]),
]
OTF2 = ("OTF2", PUBLIC / "traces.otf2", [])
"""An archive, whose library is not on every machine."""


def made_here(folder: Path) -> list[tuple[str, Path, list[str]]]:
    """A workbook and a capture, written by the libraries that read them."""
    book = openpyxl.Workbook()
    rows = [
        ("name", "source", "destination", "size_bytes", "period_us"),
        ("a", "x", "y", 64, 1000),
        ("b", "y", "z", 8, 500),
    ]
    for row in rows:
        book.active.append(row)
    book.save(folder / "set.xlsx")
    with (folder / "frames.pcap").open("wb") as stream:
        writer = dpkt.pcap.Writer(stream)
        for number, (source, to) in enumerate([(1, 2), (2, 1), (1, 3), (3, 2)]):
            ip = dpkt.ip.IP(src=bytes([10, 0, 0, source]), dst=bytes([10, 0, 0, to]), p=17, data=bytes(100))
            ip.len = len(ip)
            writer.writepkt(bytes(dpkt.ethernet.Ethernet(data=ip)), ts=1e-6 * number)
    return [("XLSX", folder / "set.xlsx", []), ("pcap", folder / "frames.pcap", [])]


def demands(file: Path, options: list[str]) -> tuple[list[str], np.ndarray]:
    """Names of nodes, and the bytes that each offers each other as a share of all."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "made.toml"
        with contextlib.redirect_stdout(io.StringIO()):
            assert ringlet(["import", str(file), "--to", str(made), *options]) == 0, file
        scenario = rl.Scenario.load(made)
        names = list(scenario.network.node_names or map(str, range(scenario.network.nodes)))
        found = np.zeros((len(names), len(names)))
        if scenario.replay is not None:
            place = {name: i for i, name in enumerate(names)}
            lines = made.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
            keys = lines[0].split(",")
            for line in lines[1:]:
                row = dict(zip(keys, line.split(","), strict=False))
                size = row.get("size") or row.get("bytes") or row["transaction"].removeprefix("dmove")
                # What a node sends to itself uses no ring.
                if row["source"] != row["destination"]:
                    found[place[row["source"]], place[row["destination"]]] += float(size)
        for flow in scenario.resolved.flows if scenario.replay is None else ():
            for to, share in enumerate(flow.destinations.row(flow.source, len(names))):
                found[flow.source, to] += share * flow.rate * sum(one * part for one, part in flow.sizes)
    return names, found / found.max()


def main() -> None:
    """Draws one panel for each format that says who sends to whom."""
    mpl.rcParams.update({"svg.hashsalt": "imports", "svg.fonttype": "path", "font.size": 8})
    with TemporaryDirectory() as folder:
        files = [*OF_TESTS, OTF2, *made_here(Path(folder))]
        every = [(title, *demands(file, options)) for title, file, options in files]
    figure, axes = plt.subplots(3, 6, figsize=(11, 6.2), layout="constrained")
    for place in axes.flat[len(every) :]:
        place.set_axis_off()
    for place, (title, names, found) in zip(axes.flat, every, strict=False):
        shown = np.ma.masked_equal(found, 0)
        mesh = place.imshow(shown, cmap="viridis_r", vmin=0, vmax=1)
        place.set_title(f"{title}: {len(names)} nodes", fontsize=8)
        place.set_xticks([])
        place.set_yticks([])
        place.set_xlabel("to")
        place.set_ylabel("from")
    figure.colorbar(mesh, ax=axes, label="bytes of a pair, share of the largest", shrink=0.6)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    main()
