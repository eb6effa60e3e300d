"""Traffic of simulators of networks on chip becomes flows with the rates and shares that they draw."""

from pathlib import Path

import numpy as np
import pytest

from ringlet.imports.flows.booksim_patterns import pattern

FILES = Path(__file__).parent / "files"
NOXIM = ["--format", "noxim", "--cycle", "2 ns", "--size", "32 B", "--link-rate", "8 GB/s"]
BOOKSIM = ["--format", "booksim", "--cycle", "1 ns", "--size", "16 B"]


def flows(scenario):
    return {one.name: one for one in scenario.resolved.flow_table}


def test_a_traffic_table_of_noxim_becomes_flows(imported, refused):
    table = FILES / "noxim.txt"
    assert "line 4: it has no pir; --rate says the rate of such flows" in refused(table, *NOXIM)
    _, scenario, printed = imported(table, *NOXIM, "--rate", "5 MHz")
    found = flows(scenario)
    assert list(found) == ["0-5", "5-0", "3-5", "1-2", "1-2 #2"]
    assert {one.arrivals for one in found.values()} == {"bernoulli"}
    assert found["0-5"].period == "100 ns"
    # Of a chain with 0.02 after an idle cycle and 0.5 after a packet: 0.02 / (1 + 0.02 - 0.5) of all cycles.
    assert float(found["5-0"].period.removesuffix(" ns")) == pytest.approx(2 * 0.52 / 0.02)
    assert found["3-5"].rate == "5 MHz"
    # Noxim sends in cycles 101 to 4999.
    assert (found["1-2"].start, found["1-2"].stop, found["1-2 #2"].start) == ("202 ns", "10000 ns", "10002 ns")
    assert "left out: 4-0: it never begins, its pir is 0" in printed
    assert "left out: the bursts of one flow whose por is not pir: their mean rate is kept" in printed


OF_PIR = "taken: one flow, Bernoulli: a packet in a cycle with the probability pir\n"
OF_RATE = "taken: one flow, Bernoulli, without pir: at the rate of --rate, 5 MHz\n"
OF_BOTH = "taken: one flow, Bernoulli: at the mean rate of pir and por\n"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("0 1\n", [OF_RATE]),
        ("0 1 0.1\n", [OF_PIR, "taken: nothing of --rate: each flow has its pir\n"]),
        ("0 1 0.1\n1 0\n0 2 0.1 0.2\n", [OF_PIR, OF_BOTH, OF_RATE]),
    ],
)
def test_where_the_rates_of_noxim_s_flows_are_from_is_said(tmp_path, imported, lines, said):
    table = tmp_path / "t.txt"
    table.write_text(lines, encoding="utf-8")
    _, _, printed = imported(table, *NOXIM, "--rate", "5 MHz")
    rates = [line for line in printed.splitlines(keepends=True) if "flow, " in line or "--rate" in line]
    assert [line for line in rates if line.startswith("taken")] == said


def test_bursts_of_noxim_keep_their_mean_rate(tmp_path, imported):
    table = tmp_path / "t.txt"
    table.write_text("0 1 0.01 0.3\n0 2 0.03 0.1\n", encoding="utf-8")
    _, scenario, _ = imported(table, *NOXIM)
    found = [2 / float(one.period.removesuffix(" ns")) for one in flows(scenario).values()]
    random = np.random.default_rng(1)
    counts, before = [0, 0], False
    for draw in random.random(400_000):
        chances = (0.3, 0.1) if before else (0.01, 0.03)
        before = draw < sum(chances)
        if before:
            counts[int(draw >= chances[0])] += 1
    assert found == pytest.approx([count / 400_000 for count in counts], rel=0.05)


@pytest.mark.parametrize(
    ("line", "options", "message"),
    [
        ("0 1 0.1", ["--format", "noxim", "--size", "9 B"], "its times are in cycles; --cycle says the time of one"),
        ("0 1 0.1", ["--format", "noxim", "--cycle", "1 ns"], "how large a packet is; --size says it"),
        ("0 1 0.1", ["--format", "noxim", "--cycle", "0 ns"], "--cycle: '0 ns' is not allowed; a time above 0"),
        ("0 1 2", NOXIM, "line 1, pir: '2' is not allowed; a probability from 0 to 1, or -1"),
        ("0 x 0.1", NOXIM, "line 1, destination: 'x' is not allowed; a whole number, at least 0"),
        ("0 1 0.1 0.1 9 9", NOXIM, "line 1, t_off: 9 is not allowed; more than 9, the time before it"),
        ("0 1 0.1 0.1 1 9 12", NOXIM, "it begins again every 12 cycles, as no flow does; --period leave-out says"),
        ("2 2 0.1", NOXIM, "line 1: node 2 sends to itself; --own leave-out says that such flows are left out"),
        ("0", NOXIM, "line 1: '0' is not allowed; source destination [pir"),
        ("% nothing", NOXIM, "<no line> is not allowed; a line for each flow"),
        ("0 1 0.9", NOXIM[:-2], "as a scenario it is refused: table.csv, line 2, period: "),
    ],
)
def test_a_bad_traffic_table_is_refused_with_its_line(tmp_path, refused, line, options, message):
    (tmp_path / "t.txt").write_text(f"{line}\n", encoding="utf-8")
    assert message in refused(tmp_path / "t.txt", *options)


def test_a_configuration_of_booksim_becomes_flows(imported):
    content, scenario, printed = imported(FILES / "booksim.cfg", *BOOKSIM, "--own", "leave-out")
    assert content["network"] == {"nodes": 16, "link_rate": "16000 MB/s"}
    found = flows(scenario)
    assert len(found) == 32
    first = found["0 hotspot({5,10},{3,1}) class 0"]
    assert first.destination == {5: 0.75, 10: 0.25}
    assert first.size == {"16 bytes": 0.75, "80 bytes": 0.25}
    assert (first.period, first.priority, first.labels) == ("50 ns", 1, {"class": "0"})
    # Node 5 sends a quarter of its packets to node 10, and the rest to itself.
    assert found["5 hotspot({5,10},{3,1}) class 0"].destination == 10
    assert found["5 hotspot({5,10},{3,1}) class 0"].period == "200 ns"
    # Radix 4: each digit plus 1.
    assert [found[f"{node} tornado class 1"].destination for node in (0, 3, 15)] == [5, 4, 0]
    assert "taken: 16 nodes, and links of 16000 MB/s, a flit a cycle" in printed
    assert "left out: packets of pattern hotspot to the node that sends them; the others keep their rate" in printed


def test_listings_of_anynet_say_how_many_nodes_there_are(imported, refused):
    assert "uniform sends 0.2 of the packets of node 0 to itself; --own leave-out" in refused(
        FILES / "anynet.cfg", *BOOKSIM
    )
    _, scenario, _ = imported(FILES / "anynet.cfg", *BOOKSIM, "--own", "leave-out")
    found = flows(scenario)["4 uniform"]
    # 0.5 flits a cycle are a packet of 10 in 20 cycles, of which 4 of 5 go to others.
    assert (found.destination, found.period, found.arrivals) == ("all", "25 ns", "on-off")
    assert (found.on, found.off) == ("10 ns", "5 ns")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("traffic = randperm;", "line 1, traffic: 'randperm' is not allowed; "),
        ("traffic = hotspot({64});", "line 1, traffic: 'hotspot({64})' is not allowed; nodes from 0 to 63"),
        ("traffic = hotspot({-1});", "and not drawn by BookSim's own random numbers"),
        ("traffic = bitrev; k = 6;", "a pattern for 36 nodes: bitrev is of a power of two"),
        ("traffic = transpose;\nk = 2; n = 3;", "line 1, traffic: 'transpose' is not allowed; a pattern for 8 nodes"),
        ("traffic = tornado(16);", "node 0 would send to 119"),
        ("injection_rate = 1.5;", "line 1, injection_rate: '1.5' is not allowed; at most a packet in a cycle"),
        ("use_read_write = 1;", "line 1, use_read_write: '1' is not allowed; 0, for flows"),
        ("sim_type = batch;", "line 1, sim_type: 'batch' is not allowed; latency, for flows"),
        ("topology = ring;", "line 1, topology: 'ring' is not allowed; mesh, torus"),
        ("topology = anynet;\nnetwork_file = none;", "line 2, network_file: 'none' is not allowed; a file in"),
        ("k = 99999999; n = 99;", "n: 99 is not allowed; at most 4096 nodes"),
        ("injection_process = on_off(0.1,0.1,0.9);", "two of alpha, beta and r1"),
        ("k = 8\nn = 2;", "line 1: 'k = 8' is not allowed; a command of BookSim, such as traffic = uniform;"),
        ("wait_for_tail_credit = 1;", "<no key of the traffic> is not allowed"),
    ],
)
def test_a_bad_configuration_is_refused_with_its_line(tmp_path, refused, text, message):
    (tmp_path / "b.cfg").write_text(f"{text}\n", encoding="utf-8")
    assert message in refused(tmp_path / "b.cfg", *BOOKSIM, "--own", "leave-out")


def test_what_a_configuration_does_not_say_is_asked_for(refused):
    assert "its times are in cycles; --cycle says the time of one" in refused(
        FILES / "booksim.cfg", "--format", "booksim"
    )
    assert "its packets are counted in flits; --size says the bytes of a flit" in refused(
        FILES / "booksim.cfg", "--format", "booksim", "--cycle", "1 ns"
    )


@pytest.mark.parametrize(
    ("text", "source", "shares"),
    [
        ("bitcomp", 5, {58: 1}),
        ("transpose", 0b001010, {0b010001: 1}),
        ("bitrev", 0b000011, {0b110000: 1}),
        ("shuffle", 0b100001, {0b000011: 1}),
        ("neighbor", 63, {0: 1}),
        ("diagonal", 63, {0: 1 / 3, 63: 2 / 3}),
        ("asymmetric", 40, {8: 1 / 2, 40: 1 / 2}),
        ("bad_dragon(2)", 9, dict.fromkeys(range(16, 24), 1 / 8)),
        ("badperm_yarc", 9, {1 + 8 * row: 1 / 8 for row in range(8)}),
        ("hotspot({3})", 9, {3: 1}),
    ],
)
def test_patterns_of_booksim_have_the_destinations_of_its_source(text, source, shares):
    found = pattern("here", text, 64, {"k": 8, "n": 2, "xr": 1}).shares(source)
    assert found == pytest.approx(shares)


@pytest.mark.parametrize("text", ["taper64", "background({0,1})"])
def test_shares_of_patterns_sum_to_one(text):
    assert sum(pattern("here", text, 64, {"k": 8, "n": 2, "xr": 1}).shares(9).values()) == pytest.approx(1)
