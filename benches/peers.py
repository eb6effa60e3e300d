"""Bounds of other tools beside those of `rl.guarantee`, and the worst response over all relations of phases: the table
of docs/explanation/guarantees.md, "Other tools".

Three sets of messages whose periods have no divisor in common. xTFA and panco, of Saihu, have each link as a FIFO
server, from `rl.export`; pyCPA has it as a resource that packets of other nodes use before the node's own, without
preemption. All of them need only be on the path of modules:

    git clone https://github.com/adfeel220/Saihu-TSN-Analysis-Tool-Integration saihu
    git clone https://github.com/IDA-TUBS/pycpa
    pip install networkx matplotlib mdutils pulp && apt-get install lp-solve
    PYTHONPATH=saihu/src:pycpa python benches/peers.py
"""

import contextlib
import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import ringlet as rl
from ringlet._engine import Simulation

SYMBOL_NS = 2
"""Of a ring of 1 GB/s links with symbols of two bytes, the default."""

PACKET, ECHO = 41, 5
"""Cycles that a link takes for a packet of 64 bytes, and for an echo, with the idle behind each."""


def messages(*rows: tuple[str, int, int, int, int]) -> list[dict[str, Any]]:
    """Messages of one packet each: name, source, destination, period in cycles, priority."""
    names = ("name", "source", "destination", "period", "priority")
    return [{**dict(zip(names, row, strict=True)), "size": 64} for row in rows]


SETS: Mapping[str, dict[str, Any]] = {
    "none, a row": {
        "network": {"nodes": 8, "hop_delay": 1, "echoes": False},
        "flow_control": {"protocol": "none"},
        "messages": messages(("a", 0, 4, 211, 0), ("b", 2, 5, 223, 0), ("c", 3, 6, 227, 0)),
    },
    "none, a circle": {
        "network": {"nodes": 3, "hop_delay": 1, "echoes": False},
        "flow_control": {"protocol": "none"},
        "messages": messages(("a", 0, 2, 211, 0), ("b", 1, 0, 223, 0), ("c", 2, 1, 227, 0)),
    },
    "dfc, priorities": {
        "network": {"nodes": 4, "hop_delay": 1},
        "flow_control": {"protocol": "dfc", "stop_thru": False},
        "messages": messages(("a", 0, 2, 211, 0), ("b", 1, 3, 223, 2), ("c", 1, 2, 227, 1)),
    },
}


def exact(scenario: rl.Scenario, period: list[int]) -> list[float]:
    """The longest responses over all relations of phases, in ns."""
    simulation = Simulation(json.dumps(scenario.network_spec(1)), seed=1)
    simulation.advance(math.prod(period) + 3 * max(period))
    worst = simulation.flow_counters()["message_latency_max_cycles"]
    return [SYMBOL_NS * float(one) for one in worst]


def of_servers(content: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    """Bounds of Saihu's tools for FIFO servers, in ns, by the names of the messages."""
    (text,) = rl.export(content, "saihu").values()
    network = json.loads(text)
    used = {server for flow in network["flows"] for server in flow["path"]}
    network["servers"] = [server for server in network["servers"] if server["name"] in used]
    network["network"]["multiplexing"] = "FIFO"
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(None):
        file = Path(folder) / "network.json"
        file.write_text(json.dumps(network), encoding="utf-8")
        analyzer = import_module("saihu.interface").TSN_Analyzer(str(file), temp_path=f"{folder}/")
        analyzer.analyze_xtfa(methods=["TFA"])
        analyzer.analyze_panco(methods=["SFA", "PLP"])
        results = list(analyzer.results)
    names = ("xTFA", "panco, SFA", "panco, PLP")
    for name, result in zip(names, results, strict=True):
        yield name, {flow: 1e9 * float(delay) for flow, delay in result._flow_delays.items()}


def of_resources(content: Mapping[str, Any]) -> dict[str, float]:
    """Bounds from pyCPA's waits at each link, in ns: what passes goes before what the node sends, neither is preempted.

    A packet is cut through, so that its length counts once, at the destination.
    """
    analysis, model, options, schedulers = (
        import_module(f"pycpa.{name}") for name in ("analysis", "model", "options", "schedulers")
    )
    options.init_pycpa(implicit=True)
    options.set_opt("max_iterations", 1000)
    nodes, hop = content["network"]["nodes"], content["network"]["hop_delay"]
    echoes = content["network"].get("echoes", True)
    system = model.System()
    links = [system.bind_resource(model.Resource(str(node), schedulers.SPNPScheduler())) for node in range(nodes)]
    ways = {}
    for one in content["messages"]:
        reach = (one["destination"] - one["source"]) % nodes
        tasks: list[Any] = []
        for step in range(nodes if echoes else reach):
            cycles = PACKET if step < reach else ECHO
            name = f"{one['name']} {step}"
            # The lowest number goes first: 0 is of what passes.
            task = model.Task(name, wcet=cycles, bcet=cycles, scheduling_parameter=0 if step else 9 - one["priority"])
            links[(one["source"] + step) % nodes].bind_task(task)
            if tasks:
                tasks[-1].link_dependent_task(task)
            tasks.append(task)
        tasks[0].in_event_model = model.PJdEventModel(P=one["period"], J=0)
        ways[one["name"]] = tasks[:reach]
    found = analysis.analyze_system(system)
    return {
        name: SYMBOL_NS * (sum(found[task].wcrt - PACKET for task in tasks) + len(tasks) * hop + PACKET - 1)
        for name, tasks in ways.items()
    }


def main() -> None:
    """Prints the table."""
    columns = ("exact", "ringlet", "pyCPA", "xTFA", "panco, SFA", "panco, PLP")
    print(f"| set | message | {' | '.join(columns)} |")
    print("|---" * (2 + len(columns)) + "|")
    for title, content in SETS.items():
        scenario = rl.Scenario.from_dict({**content, "message_transaction": "dmove64", "run": {"duration": 1}})
        rows = content["messages"]
        bounds = rl.guarantee(scenario)["bound_us"]
        found = {"ringlet": {one["name"]: 1e3 * float(bounds[one["name"]]) for one in rows}}
        worst = exact(scenario, [one["period"] for one in rows])
        found["exact"] = dict(zip((one["name"] for one in rows), worst, strict=True))
        found["pyCPA"] = of_resources(content)
        if not content["network"].get("echoes", True):
            found |= dict(of_servers({**content, "message_transaction": "dmove64", "run": {"duration": 1}}))
        for one in rows:
            figures = (f"{found[name][one['name']]:.0f}" if name in found else "" for name in columns)
            print(f"| {title} | {one['name']} | {' | '.join(figures)} |")


if __name__ == "__main__":
    main()
