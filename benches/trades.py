"""All members of the family on one workload of each trade: the table of docs/explanation/family.md, "Three trades".

- *plant*: 12 stations at 100 Mb/s, 10 of which send 150 bytes to a controller every millisecond, which orders four of
  them to act, beside records of 15 KB between two others;
- *metro*: 8 stations at 8 Gb/s, 5 km apart; 7 send 1,400 bytes at random to a head end, which sends to each of them;
- *cluster*: an all-reduce of 1 MB over 8 accelerators at 25 GB/s.

Printed for each member: the least share of its fair share that a station gets, the largest 99th percentile of a flow
(plant: of those with a deadline), and the share of messages that were not there at the end where a link fails for good
in the run (plant, metro); the share of the bandwidth bound and the time (cluster). With `--moves`: what each moves and
stores in the plant, as bits on links for each bit that is delivered, and bits of an interface.

    python benches/trades.py
    python benches/trades.py --moves
"""

import argparse
from collections.abc import Mapping
from typing import Any

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

Content = dict[str, Any]

DUAL = {"topology": "dual-attached-ring"}
MEMBERS: Mapping[str, tuple[Content, Content]] = {
    **{name: ({}, {"protocol": name}) for name in PROTOCOLS.listed},
    "`none` without echoes": ({"echoes": False}, {"protocol": "none"}),
    "two rings, `shorter`": ({**DUAL, "ways": "shorter", "echoes": False}, {"protocol": "none"}),
    "two rings, `lighter`": ({**DUAL, "ways": "lighter", "echoes": False}, {"protocol": "none"}),
    "two rings, `both`": ({**DUAL, "ways": "both"}, {"protocol": "none"}),
}
"""Keys of the network and of flow control."""

SAT_TIMEOUT = "1 ms"
"""Time after which a SAT of MetaRing that was lost is made anew."""


PLANT_RATE_MBPS = 100
"""Rate of the plant's links, in Mb/s."""


def plant(network: Content) -> Content:
    """The stations of a plant."""
    ring = {"nodes": 12, "link_rate": f"{PLANT_RATE_MBPS} Mb/s", "link_width": 8, "hop_delay": "2.5 us"}
    samples = [
        {"name": f"sample {one}", "source": one, "destination": 0, "size": 150, "period": "1 ms", "deadline": "1 ms"}
        | {"offset": f"{10 * one} us"}
        for one in range(1, 11)
    ]
    answers = [
        {"name": f"order {one}", "source": 0, "destination": one, "size": 100, "period": "1 ms", "deadline": "1 ms"}
        | {"offset": f"{500 + 20 * one} us"}
        for one in range(1, 5)
    ]
    records = {"name": "records", "source": 11, "destination": 5, "size": 15_000, "rate": "3 MB/s"}
    return {
        "network": ring | network,
        "traffic": {"arrivals": "none", "largest_packet": 1600},
        "flows": [*samples, *answers, records],
        "run": {"duration": "40 ms", "warmup": 0},
    }


def metro(network: Content) -> Content:
    """The stations of a town."""
    up = [{"name": f"up {one}", "source": one, "destination": 0} for one in range(1, 8)]
    down = [{"name": f"down {one}", "source": 0, "destination": one} for one in range(1, 8)]
    rates = {"size": 1400, "rate": "80 MB/s"}
    return {
        "network": {"nodes": 8, "link_rate": "1 GB/s", "hop_delay": "25 us"} | network,
        "traffic": {"arrivals": "none", "largest_packet": 1600},
        "flows": [one | rates for one in (*up, *down)],
        "run": {"duration": "20 ms", "warmup": "40 ms"},
    }


def cluster(network: Content) -> Content:
    """The accelerators of a cluster."""
    return {
        "network": {"nodes": 8, "link_rate": "25 GB/s", "link_width": 64, "hop_delay": "100 ns"} | network,
        "collective": {"operation": "all-reduce", "size": "1 MB"},
    }


def failing(content: Content, at: str) -> Content:
    """The same with a link that fails for good."""
    return content | {"errors": {"links": [{"source": 2, "fails_at": at}], "max_timeouts": 2}}


def shown(value: float | None, digits: int = 3) -> str:
    """A number with so many digits; empty without one."""
    if value is None:
        return ""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{value:.{digits}g}"


def reason(error: rl.RingletError) -> str:
    """The refusal in a few words."""
    return str(error).splitlines()[0]


def measured(content: Content) -> Content:
    """The document of a run."""
    return rl.run(content).to_dict(timing=False)


def of_flows(content: Content, at: str) -> tuple[str, str, str, list[str]]:
    """Least share of the fair share, the largest 99th percentile of a flow in us, and messages that a failure costs."""
    notes: list[str] = []
    try:
        found = measured(content)
    except rl.RingletError as error:
        return "", "", "", [reason(error)]
    shares = [node["of_optimum"] for node in found["nodes"] if node["of_optimum"] is not None]
    judged = [flow for flow in found["flows"] if flow["missed"] is not None] or found["flows"]
    p99 = max(flow["latency_p99_ns"] or 0 for flow in judged)
    try:
        flow_control = dict(content["flow_control"])
        if flow_control["protocol"] == "metaring":
            flow_control["sat_timeout"] = SAT_TIMEOUT
        broken = measured(failing(content | {"flow_control": flow_control}, at))
        offered = sum(flow["offered"] for flow in broken["flows"])
        here = sum(flow["delivered"] for flow in broken["flows"])
        # What was under way at the start of the measured time may come in it.
        share = 100 * max(0.0, 1 - here / offered)
        lost = f"{share:.1f} %" if share >= 0.05 else "0 %"
    except rl.RingletError as error:
        lost = ""
        notes.append(reason(error))
    return shown(min(shares, default=None)), shown(p99 / 1e3), lost, notes


def of_collective(content: Content) -> tuple[str, str, list[str]]:
    """Share of the bandwidth bound, and the time in us."""
    try:
        found = measured(content)
    except rl.RingletError as error:
        return "", "", [reason(error)]
    one = found["collective"]
    return shown(one["bandwidth_bound_ratio"]), shown(one["completion_time_ns"] / 1e3), []


def of_links(member: str) -> tuple[str, str, str]:
    """Bits on all links of the plant for each bit of data delivered, and bits of an interface: registers and queues."""
    network, flow_control = MEMBERS[member]
    found = measured(plant(network) | {"flow_control": flow_control})
    busy = [sum(share for use, share in node["link"].items() if use != "idle") for node in found["nodes"]]
    links = sum(busy) * (2 if network.get("topology") else 1)
    moved = links * PLANT_RATE_MBPS / (8 * found["total"]["throughput_MBps"])
    kept = (found[f"protocol_{what}_bits"] for what in ("registers", "queues"))
    return f"{moved:.1f}", *("any" if bits is None else f"{bits:,}" for bits in kept)


def print_moves() -> None:
    """Prints what each member moves and stores."""
    print("| member | bits on links | registers | queues |")
    print("|---|---:|---:|---:|")
    for name in MEMBERS:
        print(f"| {title(name)} | {' | '.join(of_links(name))} |", flush=True)


def of_trades(member: str) -> tuple[list[str], list[str]]:
    """Cells of a member's row, and what is refused."""
    network, flow_control = MEMBERS[member]
    cells: list[str] = []
    notes: list[str] = []
    for workload, at in ((plant, "20 ms"), (metro, "50 ms")):
        *found, why = of_flows(workload(network) | {"flow_control": flow_control}, at)
        cells += found
        notes += [f"{member}, {workload.__name__}: {one}" for one in why]
    *found, why = of_collective(cluster(network) | {"flow_control": flow_control})
    return [*cells, *found], [*notes, *(f"{member}, cluster: {one}" for one in why)]


def title(member: str) -> str:
    """Name of a member as the table has it."""
    return member if " " in member else f"`{member}`"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--member", action="append", help="of the family; default: all")
    parser.add_argument("--moves", action="store_true", help="print what each moves and stores")
    given = parser.parse_args()
    if given.moves:
        return print_moves()
    wanted = given.member
    notes: dict[str, None] = {}
    print("| member | plant: share | p99, us | broken | metro: share | p99, us | broken | cluster: share | us |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in MEMBERS:
        if wanted and name not in wanted:
            continue
        cells, why = of_trades(name)
        notes.update(dict.fromkeys(why))
        print(f"| {title(name)} | {' | '.join(cells)} |", flush=True)
    print()
    for note in notes:
        print(f"- {note}")


if __name__ == "__main__":
    main()
