"""Figures in pages that are not the output of a command on them are what runs give."""

import re
import runpy
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ringlet as rl
from ringlet.rings import Banyan, cost, long_ring_network, ringlet_network, torus_of_ringlets
from ringlet.simulation.breakdown import protocols_able, with_protocol
from ringlet.trace.record import record
from ringlet.trace.tabular import write_parquet
from ringlet.verification.verification import TOLERANCE

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs/how-to"


def test_all_patterns_give_each_protocol_what_the_page_says():
    study = tomllib.loads((ROOT / "examples/studies/all-patterns.toml").read_text(encoding="utf-8"))
    page = (HOW_TO / "compare-protocols.md").read_text(encoding="utf-8")
    said = re.findall(r"^`(\w+)` \| (\d+) \| (\d+ %) \| (\d+ %) \| (\d+ %)$", page, re.MULTILINE)
    assert {name for name, *_ in said} == set(study["axes"][0]["flow_control"]["protocol"])
    for name, *figures in said:
        nodes = [
            rl.run(
                {
                    **study["scenario"],
                    "flow_control": {"protocol": name},
                    "traffic": study["scenario"]["traffic"] | {"pattern_number": number},
                }
            ).to_dict()["nodes"]
            for number in range(81)
        ]
        shares = 100 * np.array([[node["of_optimum"] for node in each] for each in nodes])
        starved = sum(any(node["starved"] for node in each) for each in nodes)
        least, mean_least = shares.min(), shares.min(axis=1).mean()
        found = [str(starved), f"{least:.0f} %", f"{mean_least:.0f} %", f"{shares.mean():.0f} %"]
        assert found == figures, name


def test_the_pendulum_is_told_as_the_example_prints_it():
    script = ROOT / "examples/stepping/controller.py"
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    low, high = printed.splitlines()
    falls_us, late_us = re.search(r"falls after (\d+) us; a push comes up to ([\d.]+) us late", low).groups()
    latest_us = re.search(r"stands, .*; a push comes up to ([\d.]+) us late", high)[1]
    page = " ".join((HOW_TO / "co-simulation.md").read_text(encoding="utf-8").split())
    assert f"a push comes up to {float(late_us):.0f} us late, and the pendulum falls" in page
    assert f"falls after {int(falls_us) / 1e3:g} ms" in page
    assert f"it is never later than {latest_us} us, and the pendulum stands" in page


def test_the_three_kinds_of_numbers_are_what_the_bench_prints():
    script = ROOT / "benches/three_kinds.py"
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert printed in (HOW_TO / "real-time.md").read_text(encoding="utf-8")


def run_times_us(name):
    """Run time of a replay example, in the open loop and dependence-driven."""
    loaded = (
        rl.Scenario.load(ROOT / "examples" / name, [f"traffic.trace.replay={replay}"])
        for replay in ("open-loop", "dependence-driven")
    )
    return [1e6 * rl.run(scenario).document["trace"]["run_time_s"] for scenario in loaded]


def test_a_program_replayed_takes_what_the_page_says():
    page = (HOW_TO / "trace-driven.md").read_text(encoding="utf-8")
    table = re.search(r"^\| run time in us \|.*\n\|-.*\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
    found = {name: run_times_us(f"replay-{name}.toml") for name in ("ring", "switch", "torus")}
    said = [re.findall(r"[\d.]+(?= \|)", line.partition(" | ")[2]) for line in table.splitlines()]
    assert said == [[f"{us:.1f}" for us in times] for times in found.values()]
    # In the open loop the torus seems three times as fast as the ring; the program gains a quarter.
    ring, torus = found["ring"], found["torus"]
    assert "in the open loop it seems three times as fast as the ring" in " ".join(page.split())
    assert ring[0] / torus[0] == pytest.approx(3, abs=0.5)
    assert torus[1] / ring[1] == pytest.approx(0.75, abs=0.05)
    assert all(max(found[name]) < 1.12 * min(found[name]) for name in ("ring", "switch"))


NETRACE = ROOT.parent / "shared/data/netrace/lngrex.tra.bz2"


@pytest.mark.skipif(not NETRACE.is_file(), reason="lngrex.tra.bz2 of the Netrace library is not there")
def test_blackscholes_replayed_takes_what_the_page_says():
    """The ring, and the torus in the open loop, at the speed of the trace: all 18 runs take two minutes."""
    page = (HOW_TO / "trace-driven.md").read_text(encoding="utf-8")
    networks = {"one ring of 64": {"nodes": 64}, "8 x 8 torus": {"topology": "torus", "shape": [8, 8]}}

    def replayed(name, replay):
        trace = {"file": str(NETRACE), "clock": "2 GHz", "replay": replay}
        document = rl.run({"network": networks[name], "traffic": {"trace": trace}}).document
        return f"{1e3 * document['trace']['run_time_s']:.3f}", document["total"]["retries"]

    ring, of_ring = replayed("one ring of 64", "open-loop")
    driven, of_driven = replayed("one ring of 64", "dependence-driven")
    torus, of_torus = replayed("8 x 8 torus", "open-loop")
    assert of_ring == of_driven == 0
    assert f"| one ring of 64 | open loop | {ring} | " in page
    assert f"| | dependence-driven | {driven} | " in page
    assert f"| 8 x 8 torus | open loop | {torus} | " in page
    assert f"on the torus {round(of_torus, -3):,} and " in " ".join(page.split())


def test_old_nodes_cost_what_the_page_says():
    made = runpy.run_path(str(ROOT / "docs/generators/mixed_ring_picture.py"))
    page = (ROOT / "docs/explanation/realtime-model.md").read_text(encoding="utf-8")
    assert made["table"](made["measured"]()) in page


def test_group_bits_buy_what_the_page_says():
    made = runpy.run_path(str(ROOT / "docs/generators/group_bits_picture.py"))
    page = (ROOT / "docs/reproductions/picker1994.md").read_text(encoding="utf-8")
    assert made["table"](made["measured"]()) in page


def test_masters_of_a_bridge_carry_what_the_page_says():
    page = (HOW_TO / "topologies.md").read_text(encoding="utf-8")
    scenario = tomllib.loads(re.search(r"`bridge\.toml`:\n\n```toml\n(.*?)```", page, re.DOTALL)[1])
    heads, _, figures = re.search(r"^Masters \|.*\n.*\n.*$", page, re.MULTILINE)[0].splitlines()

    def carried(masters):
        scenario["host"]["adapter"]["masters"] = masters
        return rl.run(scenario).document["total"]["throughput_MBps"]

    masters = [int(word) for word in heads.split(" | ")[1:]]
    assert [f"{carried(count):.0f}" for count in masters] == figures.split(" | ")[1:]
    assert carried(6) < carried(7) == carried(8), "from seven masters on the bus is busy all the time"


def test_wide_links_carry_what_the_page_says():
    page = " ".join((HOW_TO / "topologies.md").read_text(encoding="utf-8").split())

    def most(width, rate):
        settings = [f"network.link_width={width}", f'network.link_rate="{rate} MB/s"']
        scenario = rl.Scenario.load(ROOT / "examples/wide-links.toml", settings)
        return rl.bound(scenario)["max_min_MBps"].iloc[0]

    *three, last = [f"{most(width, 1000):.0f}" for width in (8, 16, 32, 64)]
    assert f"gives each of 8 nodes at most {', '.join(three)} or {last} MB/s of 1 GB/s" in page
    assert f"carries {most(32, 1000) / most(16, 500):.2f} times as much" in page


def test_networks_wired_straight_back_have_the_rings_that_the_page_says():
    page = " ".join((HOW_TO / "topologies.md").read_text(encoding="utf-8").split())

    def rings(topology):
        keys = {"topology": topology, "size": 16, "connection": "long-ring", "closing": "one-to-one"}
        network, _ = rl.Scenario.from_dict({"network": keys}).routed_network
        processors = network.node_ring[network.roles == rl.rings.Role.PROCESSOR]
        return network.rings, np.bincount(processors).max()

    (baseline, most), (butterfly, most_there) = rings("baseline"), rings("butterfly")
    assert f"{baseline} with up to {most} processors in a 16 x 16 Baseline network" in page
    assert f"{butterfly} with up to {most_there} in a Butterfly" in page


def test_networks_of_16_have_the_ports_that_the_page_says():
    page = " ".join((HOW_TO / "topologies.md").read_text(encoding="utf-8").split())

    def ports(**keys):
        scenario = rl.Scenario.from_dict({"network": {"topology": "omega", "size": 16, **keys}})
        return rl.rings.cost(scenario.routed_network[0]).ports

    ringlets, first = ports(connection="ringlet"), ports(connection="long-ring")
    second = ports(connection="long-ring", radix=4)
    said = (
        f"A 16 x 16 network has {ringlets} ports with ringlets, {first} first-grade and {second} second-grade (s = 4)"
    )
    assert said in page


def test_the_avionics_set_is_guaranteed_as_the_page_says():
    page = (HOW_TO / "verify.md").read_text(encoding="utf-8")
    said = re.findall(r"^([\w-]+) +(\d+)/45 +0 +0 +([\d.]+|-) .* ([\d.]+|-)  none$", page, re.MULTILINE)
    scenario = rl.Scenario.load(ROOT / "examples/avionics.toml")
    protocols, _ = protocols_able(scenario)
    assert [name for name, *_ in said] == sorted(protocols, key=lambda name: name != scenario.flow_control.protocol)
    for name, guaranteed, largest, factor in said:
        under = with_protocol(scenario, name)
        bounds = rl.guarantee(under)
        assert bounds["guaranteed"].sum() == int(guaranteed), name
        share = 100 * (bounds["bound_us"] / bounds["deadline_us"]).max(skipna=False)
        assert largest == ("-" if np.isnan(share) else f"{share:.2f}"), name
        if factor != "-":
            # Rounded in the table, and found to within 5 %.
            assert rl.guarantee(under.scaled(0.99 * float(factor)))["guaranteed"].all(), name
            assert not rl.guarantee(under.scaled((1.01 + TOLERANCE) * float(factor)))["guaranteed"].all(), name


def test_the_tables_of_deadlocks_are_what_their_bench_finds():
    bench = runpy.run_path(str(ROOT / "benches/deadlocks.py"))
    rows = bench["ROWS"] | bench["STARVING"]
    page = (HOW_TO / "topologies.md").read_text(encoding="utf-8")
    tables = page.split("### What simulation says")[1].split("## Where the bottleneck is")[0]
    said = {}
    for line in tables.splitlines():
        *name, check, one, two, four = line.split(" | ") if line.count(" | ") >= 4 else [""] * 5
        if check in ("possible", "none") and four != "none":
            said[" | ".join(name)] = (check, one, two, four)
    assert said.keys() == rows.keys()
    for name, (check, *cells) in said.items():
        for buffers, cell in zip(bench["BUFFERS"], cells, strict=True):
            scenario = bench["made"](rows[name], buffers)
            assert bool(scenario.warnings()) == (check == "possible"), name
            found, _, when = cell.partition(" ")
            # Runs that go on for 2 ms take long: fewer seeds of those, and none where there is nothing to find.
            few = range(4)
            if when and check == "possible":
                assert bench["cell"](bench["standstills_us"](scenario)) == cell, name
            elif found == "32":
                assert len(bench["standstills_us"](scenario, few)) == len(few), name
            elif found == "0" and check == "possible":
                assert not bench["standstills_us"](scenario, few), name


TRADES = runpy.run_path(str(ROOT / "benches/trades.py"))
FAMILY = (ROOT / "docs/explanation/family.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("member", TRADES["MEMBERS"])
def test_members_of_the_family_move_and_store_what_the_page_says(member):
    assert f"| {TRADES['title'](member)} | {' | '.join(TRADES['of_links'](member))} |" in FAMILY


@pytest.mark.parametrize("member", TRADES["MEMBERS"])
def test_members_of_the_family_serve_each_trade_as_the_page_says(member):
    cells, refused = TRADES["of_trades"](member)
    assert f"| {TRADES['title'](member)} | {' | '.join(cells)} |" in FAMILY
    assert bool(refused) == (member == "two rings, `both`")


def rows_of(head):
    """Cells of a table of the page on the family, by member."""
    table = re.search(rf"^{re.escape(head)}.*\n\|[-:|]+\n((?:\|.*\n)+)", FAMILY, re.MULTILINE)[1]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {name: cells for name, *cells in lines}


def test_what_the_family_page_says_of_its_trades_is_in_its_tables():
    said = " ".join(FAMILY.split())
    trades = rows_of("| member | plant: share")
    assert set(trades) == {TRADES["title"](member) for member in TRADES["MEMBERS"]}
    assert "in the town 92 % are not there, and without echoes, where what would pass the break is gone, 25 %" in said
    assert {trades[f"`{name}`"][5] for name in ("none", "sci", "grouped", "ppq", "dfc")} == {"91.7 %", "91.8 %"}
    assert trades["`none` without echoes"][5] == "25.0 %"
    rounds = ("train", "metaring", "token-ring", "timed-token", "slotted-ring")
    waits = [float(trades[f"`{name}`"][3]) for name in rounds]
    assert "0.05 to 8 % of the fair share" in said
    assert (round(100 * min(waits), 2), round(100 * max(waits))) == (0.05, 8)
    slow, fast = float(trades["`sci`"][7]), float(trades["`none` without echoes"][7])
    assert "A window costs the cluster a factor of 3.6" in said
    assert round(slow / fast, 1) == 3.6
    kept = rows_of("| member | bits")
    moves = {name: float(cells[0]) for name, cells in kept.items()}
    one, both, shorter = moves["`none` without echoes"], moves["two rings, `both`"], moves["two rings, `shorter`"]
    assert "costs twice what one ring moves*, and the shorter way a fifth less" in said
    assert (round(both / one, 1), round(1 - shorter / one, 1)) == (2.1, 0.2)
    assert "*Echoes are a tenth of what is moved*" in said
    assert 1 - one / moves["`none`"] == pytest.approx(0.1, abs=0.01)
    assert "A train that nobody fills costs more than they do" in said
    assert moves["`train`"] - moves["`none`"] > moves["`none`"] - one
    assert "RPR's transit queue eight times as much" in said
    queues = {name: cells[2].replace(",", "") for name, cells in kept.items()}
    assert {queues[f"`{name}`"] for name in ("slotted-ring", "token-ring", "none")} == {"648"}
    assert int(queues["`rpr`"]) == 8 * 648


def test_the_front_page_names_files_that_there_are_and_the_speed_of_its_page():
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`ringlet [a-z]+ (examples/[\w./-]+)", front)
    assert len(named) >= 5
    for file in named:
        assert (ROOT / file).is_file(), file
    page = (ROOT / "docs/explanation/performance.md").read_text(encoding="utf-8")
    ratios = [
        int(ratio.replace(",", ""))
        for row in re.findall(r"BookSim 2, torus of one dimension \| [^|]* \| ([\d,]+ to [\d,]+) \|", page)
        for ratio in row.split(" to ")
    ]
    assert f"{min(ratios):,} to {max(ratios):,} times BookSim 2" in front


def test_large_networks_have_the_routes_that_the_page_says():
    page = " ".join((HOW_TO / "topologies.md").read_text(encoding="utf-8").split())
    omega = Banyan("omega", 2, 15)
    made = torus_of_ringlets([64, 64], 16), ringlet_network(omega), long_ring_network(omega)
    assert all(cost(network).adapters == 65_536 for network, _ in made)
    torus, ringlets, long_rings = (len(routes.ring.port) + len(routes.switch.port) for _, routes in made)
    assert f"a 64 x 64 torus of 65,536 nodes has routes of {torus:,} entries" in page
    assert f"an Omega network of as many on ringlets {ringlets:,}, on long rings {long_rings:,}." in page


def test_builders_get_their_events_as_the_caption_says():
    page = " ".join((HOW_TO / "event-building.md").read_text(encoding="utf-8").split())

    def built(destination, rate_khz):
        settings = [f"events.destination={destination}", f"events.rate={rate_khz} kHz"]
        document = rl.run(rl.Scenario.load(ROOT / "examples/event-building.toml", settings)).document
        return document, f"{document['events']['event_rate_kHz']:.0f}"

    assert "hold the rate below 150 kHz, and events are lost beyond" in page
    assert int(built("round-robin", 200)[1]) < 150
    assert f"hence {built('round-robin', 150)[1]}); " in page
    assert f"credits (▲), which hold it at {built('credits', 200)[1]} kHz" in page
    barrel, rate = built("barrel", 200)
    busy = min(one["busy_fraction"] for one in barrel["b_links"])
    assert f"A barrel shifter (■) carries {rate} kHz: then the B-Links of all switches are busy for {busy:.0%}" in (
        page.replace(" %", "%")
    )
    ends = max(1 - node["link"]["idle"] for node in barrel["nodes"])
    assert f"no link of a detector or builder for more than {ends:.0%};" in page.replace(" %", "%")
    assert f"Beyond what the B-Links carry it falls to {built('barrel', 250)[1]} kHz." in page


def test_ten_minutes_with_the_player_show_what_the_page_says(tmp_path):
    page = (ROOT / "docs/tutorials/ten-minutes.md").read_text(encoding="utf-8")
    (ring,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    said = " ".join(page.split())

    def heads(protocol, cycle, nodes):
        """Numbers of the packets at the heads of the nodes' queues then."""
        scenario = rl.Scenario.from_dict({**tomllib.loads(ring), "flow_control": {"protocol": protocol}})
        write_parquet(record(scenario, start=0, stop=cycle + 1), tmp_path / "trace.parquet")
        events = pd.read_parquet(tmp_path / "trace.parquet")
        own = events[(events["event"] == "head") & (events["node"] == events["source"])]
        return [int(own[own["node"] == node]["packet"].max()) for node in nodes]

    assert heads("none", 20, [1]) == [5]
    assert "Its next packet, number 5, is head of the transmit queue" in said
    assert (
        "Node 0 has come to packet {}, and packet {} of node 1 still waits".format(*heads("none", 2900, [0, 1])) in said
    )
    assert "At cycle 60 node 1 sends packet {}.".format(*heads("sci", 60, [1])) in said
    assert "At cycle 2900 it has come to packet {}:".format(*heads("sci", 2900, [1])) in said
    shares = {
        "none": "its neighbours get {:.2f} words per cycle each",
        "sci": "all four nodes get the same, {:.2f} words per cycle",
        "grouped": "nodes 0 and 1, which share a link, get {:.2f} words per cycle each",
    }
    for protocol, sentence in shares.items():
        groups = {"groups": 4} if protocol == "grouped" else {}
        scenario = {**tomllib.loads(ring), "flow_control": {"protocol": protocol, **groups}}
        found = rl.run(scenario).nodes["throughput_words_per_cycle"]
        assert sentence.format(found[0]) in said


def test_each_column_of_a_table_has_a_head():
    nameless = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for number, (head, rule) in enumerate(pairwise(page.read_text(encoding="utf-8").splitlines()), 1):
            if re.fullmatch(r"\|(:?-+:?\|)+", rule) and not all(cell.strip() for cell in head.strip("|").split("|")):
                nameless.append(f"{page.relative_to(ROOT)}:{number}")
    assert nameless == []
