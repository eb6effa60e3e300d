"""Bound, model and simulation of one message set under each protocol: the table and the figure of the real-time page.

Eight nodes, each of which sends one packet of 64 B every 4 us to the node three hops on, all at once. Printed for each
protocol: what each could send at best (`rl.bound`), the mean latency of Poisson arrivals of the same rate by the
queueing model (`rl.model`) and in a simulation, the worst response of the messages in a simulation, and its proven
bound (`rl.guarantee`).

    python benches/three_kinds.py --out docs/images
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import ringlet as rl
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.plots.save import save

PROTOCOLS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "sci": {},
    "grouped": {},
    "ppq": {},
    "train": {},
    "dfc": {"stop_thru": False},
    "metaring": {},
    "token-ring": {},
}

NODES, HOPS, PERIOD_US, DATA_BYTES = 8, 3, 4.0, 64

COLUMNS = ("at best, MB/s", "model, mean us", "simulated, mean us", "simulated, worst us", "guaranteed, us")


def ring(protocol: str) -> dict[str, Any]:
    """The sections that all scenarios of a protocol have."""
    return {
        "network": {"nodes": NODES},
        "flow_control": {"protocol": protocol, **PROTOCOLS[protocol]},
        "run": {"duration": "400 us"},
    }


def message_set(protocol: str) -> rl.Scenario:
    """Every node sends at once."""
    messages = [
        {
            "name": f"from {node}",
            "source": node,
            "destination": (node + HOPS) % NODES,
            "size": DATA_BYTES,
            "period": f"{PERIOD_US} us",
        }
        for node in range(NODES)
    ]
    return rl.Scenario.from_dict({**ring(protocol), "messages": messages})


def saturated(protocol: str) -> rl.Scenario:
    """The same ways, with as much data as there is room for."""
    destinations = [(node + HOPS) % NODES for node in range(NODES)]
    return rl.Scenario.from_dict(
        {**ring(protocol), "traffic": {"transaction": "dmove64", "destinations": destinations}}
    )


def poisson(protocol: str) -> rl.Scenario:
    """The same rates, at random."""
    destinations = [(node + HOPS) % NODES for node in range(NODES)]
    load = f"{DATA_BYTES / PERIOD_US} MB/s"
    traffic = {"transaction": "dmove64", "arrivals": "poisson", "load": load, "destinations": destinations}
    return rl.Scenario.from_dict({**ring(protocol), "traffic": traffic})


def modelled(protocol: str) -> float:
    """Mean latency by the queueing model, in us; NaN where it does not know the protocol."""
    try:
        return float(rl.model(poisson(protocol))["latency_ns"].mean()) / 1e3
    except rl.RingletError:
        return float("nan")


def row(protocol: str) -> tuple[float, ...]:
    """The figures of a protocol, in the order of `COLUMNS`."""
    scenario = message_set(protocol)
    best = float(rl.bound(saturated(protocol))["max_min_MBps"].min())
    guaranteed = float(np.max(rl.guarantee(scenario)["bound_us"].to_numpy()))
    mean = rl.run(poisson(protocol)).to_dict()["total"]["latency_ns"]["mean"] / 1e3
    worst = float(rl.run(scenario).messages["worst_response_ns"].max()) / 1e3
    return best, modelled(protocol), mean, worst, guaranteed


def chart(rows: Mapping[str, tuple[float, ...]]) -> Chart:
    """The times of all protocols."""
    places = tuple(float(i) for i in range(len(rows)))
    series = []
    for i, name in enumerate(("model, mean", "simulated, mean", "simulated, worst", "guaranteed")):
        colour, marker, _ = look(i)
        drawn = tuple(values[i + 1] for values in rows.values())
        series.append(Series(name, places, drawn, mark="points", colour=colour, marker=marker, offset=0.12 * (i - 1.5)))
    names = tuple(name.replace("-", "-\n") for name in rows)
    return Chart(
        name="three-kinds",
        title="Bound, model and simulation",
        caption="Eight nodes under each protocol: the mean latency of Poisson traffic by the queueing model and in a "
        "simulation, and for messages of the same rate the worst response in a simulation and the proven bound. No "
        "mark: there is none.",
        panels=(Panel(Axis("", categories=names), Axis("response (us)", low=0.0), tuple(series)),),
        panel_inches=(6.4, 3.6),
    )


def main() -> None:
    """Prints the table, and draws the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder of the figure, an SVG file")
    options = parser.parse_args()
    rows = {protocol: row(protocol) for protocol in PROTOCOLS}
    print("| protocol | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * len(COLUMNS))
    for protocol, values in rows.items():
        shown = ("" if np.isnan(value) else f"{value:.3g}" for value in values)
        print(f"| `{protocol}` | " + " | ".join(shown) + " |")
    if options.out is not None:
        save(chart(rows), options.out, ("svg",))


if __name__ == "__main__":
    main()
