"""Theory beside simulation: both optima and the protocols between them, and the error of the queueing model.

    .venv/bin/python benches/theory.py [--images docs/images]

Prints the tables of docs/explanation/what-a-ring-can-carry.md, and with `--images` draws its figures. It takes ten
minutes.
"""

import argparse
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

import ringlet as rl
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.plots.save import save
from ringlet.theory.latency_model import latency_model

SHARES = (0.2, 0.4, 0.6, 0.8)
"""Loads, as parts of what saturates the ring."""

PROTOCOLS: Mapping[str, Mapping[str, Any]] = {
    "none": {"protocol": "none"},
    "sci": {"protocol": "sci"},
    "grouped": {"protocol": "grouped", "groups": 4},
}

RINGS: Mapping[str, Mapping[str, Any]] = {
    "4 nodes, uniform": {"network": {"nodes": 4}},
    "8 nodes, uniform": {"network": {"nodes": 8}},
    "16 nodes, uniform, 3 cycles per hop": {"network": {"nodes": 16, "hop_delay": 3}},
    "32 nodes, uniform, 3 cycles per hop": {"network": {"nodes": 32, "hop_delay": 3}},
    "8 nodes, uniform, 10 cycles per hop": {"network": {"nodes": 8, "hop_delay": 10}},
    "8 nodes, uniform, 34 cycles per hop": {"network": {"nodes": 8, "hop_delay": 34}},
    "8 nodes, 16-byte packets": {"network": {"nodes": 8}, "traffic": {"transaction": "send16"}},
    "8 nodes, mixed sizes": {"network": {"nodes": 8}, "traffic": {"transaction": "mixed"}},
    "16 nodes, mixed sizes, 3 cycles per hop": {
        "network": {"nodes": 16, "hop_delay": 3},
        "traffic": {"transaction": "mixed"},
    },
    "8 nodes, half to one": {"network": {"nodes": 8}, "traffic": {"hot_node": 3, "hot_fraction": 0.5}},
    "6 nodes, random matrix": {
        "network": {"nodes": 6},
        "traffic": {"random_matrix": {"family": "exponential", "seed": 3}},
    },
    "16 nodes, random matrix, 3 cycles per hop": {
        "network": {"nodes": 16, "hop_delay": 3},
        "traffic": {"random_matrix": {"family": "exponential", "seed": 5}},
    },
    "8 nodes, reads": {"network": {"nodes": 8}, "traffic": {"transaction": "read64"}},
    "8 nodes, reads served in 100 ns": {
        "network": {"nodes": 8},
        "traffic": {"transaction": "read64"},
        "queues": {"service_time": "100 ns"},
    },
}

ROOMY = {"receive": 64, "transmit": 64}
BRIDGED: Mapping[str, Any] = {
    "topology": "rings",
    "rings": [
        {"name": "new", "members": [0, 1, 2, 3, "bridge.0"]},
        {"name": "old", "members": [4, 5, 6, 7, "bridge.1"]},
    ],
    "switches": [{"name": "bridge", "ports": 2}],
}
"""Two rings of four and a bridge."""

NETWORKS: Mapping[str, Mapping[str, Any]] = {
    "switch with 4 rings": {
        "network": {"topology": "switch", "nodes": 8, "ports": 4, "memory": "numa", "connection": "long-ring"},
        "traffic": {"transaction": "dmove64"},
        "switch": ROOMY,
    },
    "3 x 3 torus": {
        "network": {"topology": "torus", "shape": [3, 3]},
        "traffic": {"transaction": "dmove64"},
        "switch": ROOMY,
    },
    "4 x 4 Omega, reads": {
        "network": {"topology": "omega", "size": 4},
        "traffic": {"transaction": "read64"},
        "switch": ROOMY,
    },
    "3 rings of 4 joined by a ring": {
        "network": {"topology": "ring-of-rings", "shape": [4, 3]},
        "traffic": {"transaction": "dmove64"},
        "switch": ROOMY,
    },
    "2 rings of 1 GB/s and 500 MB/s": {
        "network": {**BRIDGED, "hop_delay": "20 ns", "link_rate": {"old": "500 MB/s", "others": "1 GB/s"}},
        "traffic": {"transaction": "dmove64"},
        "switch": ROOMY,
    },
    "2 rings, one of them with `sci`": {
        "network": BRIDGED,
        "rings": {"old": {"flow_control": {"protocol": "sci"}}},
        "traffic": {"transaction": "dmove64"},
        "switch": ROOMY,
    },
    **{
        f"2 rings, {name}{what}": {
            "network": {**BRIDGED, **passing},
            "traffic": {"transaction": transaction},
            "switch": ROOMY,
        }
        for name, passing in (
            ("pass delay of 36 cycles", {"pass_delay": "144 ns"}),
            ("store-and-forward", {"bypass": "store-and-forward"}),
        )
        for transaction, what in (("dmove64", ""), ("read64", ", reads"))
    },
}


WITHOUT_ECHOES: Mapping[str, list[int]] = {
    "`examples/without-echoes.toml`": [3, 3, 3, 1],
    "three to one": [3, 3, 3, 0],
    "across": [2, 3, 0, 1],
    "to the next": [1, 2, 3, 0],
}
"""Destinations of the nodes of rings."""


def optima() -> dict[str, rl.Scenario]:
    """Prints throughput in words per cycle between the optima; returns the scenarios."""
    found = {"fairness.toml": rl.Scenario.load(Path(__file__).parents[1] / "examples" / "fairness.toml")}
    for name in ("table3-n8", "table3-n16"):
        with as_file(files("ringlet.papers.picker1994") / "scenarios" / f"{name}.toml") as path:
            found[name] = rl.Scenario.load(path, ["traffic.transaction=send80"])
    print("words per cycle | picker1994 | max-min | " + " | ".join(PROTOCOLS))
    for name, scenario in found.items():
        bounds = rl.bound(scenario)
        totals = [run(scenario, protocol)["total"]["throughput_words_per_cycle"] for protocol in PROTOCOLS]
        figures = [bounds["optimal_with_echo"].sum(), bounds["max_min_with_echo"].sum(), *totals]
        print(f"{name} | " + " | ".join(f"{each:.3f}" for each in figures))
    return found


def run(scenario: rl.Scenario, protocol: str) -> Mapping[str, Any]:
    """Simulates a scenario under another protocol."""
    other = scenario.changed(**{"flow_control": PROTOCOLS[protocol]})
    return rl.run(other).document


def without_echoes() -> None:
    """Prints the least and the most that a node gets of its optimum on rings without echoes."""
    print("without echoes | " + " | ".join(PROTOCOLS))
    for name, destinations in WITHOUT_ECHOES.items():
        network = {"nodes": len(destinations), "hop_delay": 3, "echoes": False}
        traffic = {"transaction": "send80", "arrivals": "saturated", "destinations": destinations}
        run = {"duration": "1 ms", "warmup": "100 us"}
        scenario = {"network": network, "traffic": traffic, "run": run}
        best = rl.bound(scenario)["optimal"].to_numpy()[: len(destinations)]
        found = []
        for options in PROTOCOLS.values():
            nodes = rl.run({**scenario, "flow_control": options}).nodes
            shares = nodes["throughput_words_per_cycle"].to_numpy() / best
            found.append(f"{shares.min():.3f} to {shares.max():.3f}")
        print(f"{name} | " + " | ".join(found))


def optima_chart(scenario: rl.Scenario) -> Chart:
    """Draws each node's throughput beside both optima."""
    bounds = rl.bound(scenario)
    nodes = tuple(map(float, range(len(bounds))))
    series = [
        Series("optimum of the paper", nodes, tuple(bounds["optimal_with_echo"]), mark="steps", colour="grey"),
        Series("max-min with echoes", nodes, tuple(bounds["max_min_with_echo"]), mark="steps"),
    ]
    width = 0.8 / len(PROTOCOLS)
    for i, protocol in enumerate(PROTOCOLS):
        colour, marker, _ = look(i)
        rates = [node["throughput_words_per_cycle"] for node in run(scenario, protocol)["nodes"]]
        offset = (i - (len(PROTOCOLS) - 1) / 2) * width
        series.append(
            Series(
                protocol,
                nodes,
                tuple(rates),
                mark="bars",
                colour=colour,
                marker=marker,
                offset=offset,
                width=width,
            )
        )
    panel = Panel(
        Axis("node", categories=tuple(str(node) for node in range(len(nodes)))),
        Axis("throughput (words/cycle)", low=0.0),
        tuple(series),
    )
    return Chart(
        name="optima",
        title="Three protocols beside both optima",
        caption="",
        panels=(panel,),
        panel_inches=(7.0, 3.6),
    )


def reached() -> None:
    """Prints what part of the optimum saturated nodes reach in total."""
    cases = {
        "send80": {"traffic": {"transaction": "send80"}},
        "reads": {"traffic": {"transaction": "read64"}},
        "reads, 16 at a time": {"traffic": {"transaction": "read64"}, "queues": {"window": 16}},
    }
    protocols = ("none", "sci", "grouped", "ppq", "train", "dfc")
    print("of the optimum | " + " | ".join(protocols))
    for name, sections in cases.items():
        ring = {"network": {"nodes": 8}, **sections}
        found = [saturated({**ring, "flow_control": {"protocol": protocol}}) for protocol in protocols]
        print(f"{name} | " + " | ".join(f"{each:.2f}" for each in found))
    for name, sections in NETWORKS.items():
        found = [saturated({**sections, "flow_control": {"protocol": protocol}}) for protocol in protocols[:2]]
        print(f"{name} | " + " | ".join(f"{each:.2f}" for each in found))


def saturated(sections: Mapping[str, Any]) -> float:
    """Simulates saturated nodes; returns the part of the optimum that all together get."""
    run = {"duration": "200 us", "warmup": "20 us"}
    return float(rl.run(rl.Scenario.from_dict({**sections, "run": run})).document["total"]["of_optimum"])


def loaded(sections: Mapping[str, Any], protocol: str, share: float, *, duration: str) -> rl.Scenario:
    """Returns a scenario with a share of the load that saturates it."""
    rest = {**sections, "flow_control": {"protocol": protocol}}
    traffic = dict(sections.get("traffic", {}))
    full = rl.Scenario.from_dict({**rest, "run": {"duration": "200 us"}})
    best = full.optimum()
    assert best is not None
    if protocol == "sci" or "rings" in sections:
        # SCI, on one of the rings, too, saturates below the optimum: where, a saturated run says.
        share *= min(1.0, rl.run(full).document["total"]["of_optimum"])
    rates = best.payload_bytes_per_cycle * share * 1e3 / full.symbol_time_ns
    load = [f"{rate} MB/s" for rate in rates]
    run = {"duration": duration, "warmup": "50 us"}
    return rl.Scenario.from_dict({**rest, "traffic": {**traffic, "arrivals": "poisson", "load": load}, "run": run})


def errors(cases: Mapping[str, Mapping[str, Any]], *, duration: str) -> None:
    """Prints how far modelled mean latencies are from simulated ones, in %."""
    print("flow control | case | " + " | ".join(f"{100 * share:g} %" for share in SHARES))
    for protocol in ("none", "sci"):
        for name, sections in cases.items():
            found = []
            for share in SHARES:
                scenario = loaded(sections, protocol, share, duration=duration)
                modelled = latency_model(scenario).mean_latency_cycles * scenario.symbol_time_ns
                simulated = rl.run(scenario).document["total"]["latency_ns"]["mean"]
                found.append(100 * (modelled / simulated - 1))
            print(f"{protocol} | {name} | " + " | ".join(f"{each:+.0f}" for each in found), flush=True)


def model_chart() -> Chart:
    """Draws latency over load, simulated and modelled."""
    sections = RINGS["8 nodes, uniform"]
    series = []
    for i, protocol in enumerate(("none", "sci")):
        colour, marker, _ = look(i)
        points = []
        for share in (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
            document = rl.run(loaded(sections, protocol, share, duration="2 ms")).document
            total = document["total"]
            points.append((total["offered_MBps"], total["latency_ns"]["mean"]))
        x, y = zip(*points, strict=True)
        looks: dict[str, Any] = {"colour": colour}
        series.append(Series(protocol, x, y, mark="points", marker=marker, **looks))
        loads = np.linspace(x[0], x[-1], 30)
        modelled = []
        for load in loads:
            each = {"arrivals": "poisson", "load": f"{load / 8} MB/s"}
            scenario = rl.Scenario.from_dict({**sections, "flow_control": {"protocol": protocol}, "traffic": each})
            modelled.append(latency_model(scenario).mean_latency_cycles * scenario.symbol_time_ns)
        curve = (tuple(loads.tolist()), tuple(modelled))
        series.append(Series(f"{protocol}, model", *curve, marker=None, dashes="dotted", **looks))
    panel = Panel(Axis("offered load of all nodes (MB/s)"), Axis("mean latency (ns)", scale="log"), tuple(series))
    return Chart(
        name="latency-model",
        title="Latency over load, simulated and modelled",
        caption="",
        panels=(panel,),
        panel_inches=(6.0, 3.6),
    )


def main() -> None:
    """Prints all tables, and draws the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, help="folder for the figures")
    folder = parser.parse_args().images
    scenarios = optima()
    without_echoes()
    reached()
    errors(RINGS, duration="20 ms")
    errors(NETWORKS, duration="3 ms")
    if folder is not None:
        for chart in (optima_chart(scenarios["table3-n8"]), model_chart()):
            save(chart, folder, ["png", "svg"])


if __name__ == "__main__":
    main()
