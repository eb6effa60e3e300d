"""Figures in the pages that explain are what runs give."""

import importlib.util
import re
import tomllib
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import ringlet as rl
from campaign.kinds import KINDS
from ringlet.scenario.flow_control import PROTOCOLS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/explanation"
SPEC = importlib.util.spec_from_file_location("theory", ROOT / "benches/theory.py")
theory = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(theory)


def words(name):
    """The text of a page in one line."""
    return " ".join((PAGES / name).read_text(encoding="utf-8").split())


def to_one_node(senders, destination, **changes):
    """Words per cycle of each sender, of nodes that always have a packet for the same node."""
    content = {"run": {"duration": "400 us"}, "traffic": {"pattern": "matrix"}} | changes
    nodes = content["network"]["nodes"]
    rows = [[float(node in senders and other == destination) for other in range(nodes)] for node in range(nodes)]
    found = rl.run({**content, "traffic": {**content["traffic"], "matrix": rows}}).document["nodes"]
    return [found[node]["throughput_words_per_cycle"] for node in senders]


def test_the_family_compared_is_what_its_study_gives():
    base = tomllib.loads((ROOT / "examples/family.toml").read_text(encoding="utf-8"))
    compared = (PAGES / "family.md").read_text("utf-8").partition("## Three trades")[0]
    said = re.findall(r"^\| `([\w-]+)` \| (\d+) \| ([\d.]+) \|", compared, re.MULTILINE)
    assert {name for name, *_ in said} == set(PROTOCOLS.listed)
    latency_ns, of_nodes = {}, {}
    for name, throughput, fairness in said:

        def totals(load, name=name):
            content = {**base, "flow_control": {"protocol": name}, "traffic": {**base["traffic"], "load": load}}
            each = [rl.run({**content, "run": {**base["run"], "seed": seed}}).document for seed in (1, 2, 3)]
            of_nodes.setdefault(
                name, np.mean([[node["throughput_MBps"] for node in one["nodes"]] for one in each], axis=0)
            )
            return [one["total"] for one in each]

        full = totals("450 MB/s")
        # The study draws seeds of its own.
        assert mean(each["throughput_MBps"] for each in full) == pytest.approx(float(throughput), rel=0.01), name
        assert mean(each["fairness"] for each in full) == pytest.approx(float(fairness), abs=0.01), name
        latency_ns[name] = mean(each["latency_ns"]["mean"] for each in totals("50 MB/s"))
    free = (
        "give the free nodes what is free, 450 MB/s each, and share the busy links: `rpr` 232 to 249 MB/s for each of"
    )
    assert f"{free} nodes 0 to 3, `grouped` 135 to 230" in words("family.md")
    for name, least, most in (("rpr", 232, 249), ("grouped", 135, 230)):
        busy = of_nodes[name][:4]
        assert (busy.min(), busy.max()) == (pytest.approx(least, abs=4), pytest.approx(most, abs=4)), name
        assert of_nodes[name][4:] == pytest.approx(450, abs=8)
    assert "With `none` and `dfc` it falls because nodes 2 and 3 starve." in words("family.md")
    assert all(of_nodes[name][2:4].max() < 1 for name in ("none", "dfc"))
    way = latency_ns["none"]
    assert "the way and nothing else: 110 ns" in words("family.md")
    assert {round(latency_ns[name]) for name in ("none", "dfc", "metaring", "rpr")} == {110}
    assert "With SCI and `grouped` a packet may wait for a go bit, 135 to 139 ns." in words("family.md")
    assert 134 <= latency_ns["grouped"] <= latency_ns["sci"] <= 140
    assert "more than twice the way, a slot three times, and TRAIN five times" in words("family.md")
    assert [round(latency_ns[name] / way, 1) for name in ("token-ring", "slotted-ring", "train")] == [2.3, 3.3, 4.9]


def test_senders_to_a_silent_node_get_what_the_page_says_under_each_extension():
    said = (
        "with `passing` they get .410, .273 and .205 words per cycle, with `after-send` and `always` .889, 0 and 0, "
        "with `received` and `none` thirds"
    )
    assert said in words("protocols.md")
    for extension, shares in {
        "passing": [0.410, 0.273, 0.205],
        "after-send": [0.889, 0, 0],
        "always": [0.889, 0, 0],
        "received": [0.296] * 3,
        "none": [0.296] * 3,
    }.items():
        found = to_one_node(
            [0, 1, 2],
            3,
            network={"nodes": 4, "hop_delay": 2},
            flow_control={"extension": extension},
            traffic={"pattern": "matrix", "transaction": "send16"},
        )
        assert found == pytest.approx(shares, abs=0.001), extension


def test_nodes_that_fill_a_link_of_a_long_ring_get_what_the_page_says():
    said = "get .20 words per cycle each, six get .12, one alone .97; with `passing` two get .52 and .26"
    assert said in words("protocols.md")

    def found(senders, **flow_control):
        return to_one_node(
            range(7 - senders, 7),
            7,
            network={"nodes": 8, "hop_delay": 20},
            flow_control=flow_control,
            traffic={"pattern": "matrix", "transaction": "send64"},
        )

    for senders, share in {1: 0.97, 2: 0.20, 3: 0.20, 4: 0.20, 6: 0.12}.items():
        assert found(senders) == pytest.approx([share] * senders, abs=0.005)
    assert found(2, extension="passing") == pytest.approx([0.52, 0.26], abs=0.005)


def words_per_cycle(destinations, silent=(), *, hop_delay=1, echoes=True, **flow_control):
    """The throughputs of the senders, each with one destination and always a packet of 80 bytes."""
    load = [0.0 if node in silent else 1.0 for node in range(len(destinations))]
    priority = flow_control.pop("priority", None)
    traffic = {"destinations": destinations, "transaction": "send80", "load": load, "arrivals": "periodic"}
    scenario = {
        "network": {"nodes": len(destinations), "hop_delay": hop_delay, "echoes": echoes},
        "flow_control": flow_control,
        "traffic": traffic | ({"priority": priority} if priority else {}),
        "run": {"duration": 60_000, "warmup": 15_000},
    }
    found = rl.run(scenario).nodes["throughput_words_per_cycle"]
    return [found[node] for node in range(len(destinations)) if node not in silent]


def test_the_own_group_s_go_bit_costs_fairness_beside_a_busy_node_of_another_group():
    def grouped(permit, *where, **network):
        return words_per_cycle(*where, **network, protocol="grouped", permit=permit)

    saturated = [3, 3, 3, 0]
    assert grouped("own", saturated, echoes=False)[:3] == pytest.approx([0.443, 0.355, 0.177], abs=0.002)
    assert grouped("any", saturated, echoes=False)[:3] == pytest.approx([0.325] * 3, abs=0.002)
    silent = [1, 2, 1, 1, 1, 1, 1, 1], [1]
    own = grouped("own", *silent, hop_delay=7)
    assert (min(own), max(own)) == pytest.approx((0.084, 0.171), abs=0.002)
    assert grouped("any", *silent, hop_delay=7) == pytest.approx([0.136] * 7, abs=0.002)
    example = [3, 3, 3, 1]
    assert grouped("own", example, echoes=False) == pytest.approx([0.325, 0.325, 0.325, 0.650], abs=0.002)
    assert grouped("any", example, echoes=False) == pytest.approx([0.390, 0.293, 0.293, 0.585], abs=0.002)


def test_a_lone_sender_with_one_place_waits_for_go_bits_of_its_own():
    def lone(hop_delay, places, extension="received"):
        scenario = {
            "network": {"nodes": 4, "hop_delay": hop_delay},
            "flow_control": {"protocol": "sci", "extension": extension},
            "queues": {"transmit": places},
            "traffic": {
                "destinations": [2, 3, 0, 1],
                "transaction": "send80",
                "load": [0.9, 0, 0, 0],
                "arrivals": "periodic",
            },
            "run": {"duration": 60_000, "warmup": 15_000},
        }
        return rl.run(scenario).nodes["throughput_words_per_cycle"][0]

    for hop_delay, share in {1: 0.80, 3: 0.46, 8: 0.46, 34: 0.68}.items():
        assert lone(hop_delay, 1) == pytest.approx(share, abs=0.005)
        assert lone(hop_delay, 2) == pytest.approx(0.9, abs=0.005)
        assert lone(hop_delay, 1, "passing") == pytest.approx(0.9, abs=0.005)


@pytest.mark.parametrize(("extension", "packets", "share"), [("received", 100, 1 / 3), ("passing", 100, 0.976)])
def test_a_sender_that_has_shared_a_long_ring_stays_at_a_packet_a_revolution(extension, packets, share):
    def flow(source, **keys):
        return {"source": source, "destination": 1, "size": 80, "arrivals": "periodic", "period": "80 ns", **keys}

    scenario = {
        "network": {"nodes": 4, "hop_delay": 30},
        "flow_control": {"protocol": "sci", "extension": extension},
        "traffic": {"arrivals": "none"},
        "flows": [flow(0), flow(2, total=packets)],
        "run": {"duration": "200 us", "warmup": "100 us"},
    }
    found = rl.run(scenario).nodes["throughput_words_per_cycle"]
    assert found[0] == pytest.approx(share, abs=0.001)
    assert found[2] == 0
    alone = rl.run(scenario | {"flows": [flow(0)]}).nodes["throughput_words_per_cycle"]
    assert alone[0] == pytest.approx(0.976, abs=0.001)


def test_the_highest_priority_gets_all_wherever_the_scrubber_is():
    destinations, priorities = [6, 0, 4, 4, 0, 0, 4], [0, 2, 2, 2, 3, 0, 3]
    for by in range(7):
        places = [(node - by) % 7 for node in range(7)]
        found = words_per_cycle(
            [(destinations[place] + by) % 7 for place in places],
            [(node + by) % 7 for node in (3, 6)],
            hop_delay=6,
            protocol="sci",
            priorities=4,
            priority=[priorities[place] for place in places],
        )
        senders = sorted((node + by) % 7 for node in (0, 1, 2, 4, 5))
        assert found[senders.index((4 + by) % 7)] > 0.94


def test_the_highest_priority_behind_four_low_senders_gets_all():
    for by in range(6):
        places = [(node - by) % 6 for node in range(6)]
        found = words_per_cycle(
            [((5 if place < 5 else 0) + by) % 6 for place in places],
            [(5 + by) % 6],
            hop_delay=3,
            protocol="sci",
            priorities=4,
            priority=[3 if place == 4 else 0 for place in places],
        )
        senders = sorted((node + by) % 6 for node in range(5))
        assert found[senders.index((4 + by) % 6)] > 0.94


def test_a_node_of_base_sci_on_a_ring_of_ppq_may_wait_for_the_go_bit_for_ever_unless_retries_wait():
    scenario = {
        "network": {"nodes": 3, "hop_delay": 1},
        "flow_control": {"protocol": "ppq", "base_nodes": [2]},
        "queues": {"receive": 2, "service_time": "5 cycles", "responses": 1, "outstanding": 4, "priorities": 3},
        "traffic": {"transaction": "read64", "load": "300 MB/s", "arrivals": "poisson", "priorities": [0, 1, 2]},
        "run": {"duration": 150_000, "warmup": 0, "seed": 4, "stall_after": 50_000},
    }
    stall = rl.run(scenario).stall
    assert stall is not None
    assert "node 2: its head of priority" in stall["detail"]
    assert "waits for an idle of level 0 or below, as a node of base SCI" in stall["detail"]
    assert rl.run(scenario | {"retry": {"delay": 100}}).stall is None


def test_every_kind_of_trial_is_in_the_table_of_the_campaign():
    page = (PAGES / "promises.md").read_text(encoding="utf-8")
    said = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert said == KINDS.keys()


@pytest.mark.parametrize(
    ("printed", "heads"),
    [
        (theory.optima, ["words per cycle, all nodes"]),
        (theory.without_echoes, ["destinations of nodes 0 to 3"]),
        (theory.reached, ["8 nodes on a ring", "network"]),
    ],
    ids=["optima", "without-echoes", "reached"],
)
def test_what_rings_carry_is_what_the_bench_prints(capsys, printed, heads):
    printed()
    rows = [re.split(r" \| ", line, maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()]
    page = (PAGES / "what-a-ring-can-carry.md").read_text(encoding="utf-8")
    for head in heads:
        table = re.search(rf"^\| {re.escape(head)} \|.*\n\|-.*\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
        for line in table.splitlines():
            assert line.split(" | ", maxsplit=1)[1].removesuffix(" |") in rows, line


@pytest.mark.parametrize("case", ["8 nodes, uniform", "8 nodes, reads"])
def test_the_model_is_as_good_as_the_page_says(capsys, case):
    """Rows of two cases; `benches/theory.py` prints all, in many minutes."""
    page = (PAGES / "what-a-ring-can-carry.md").read_text(encoding="utf-8")
    theory.errors({case: theory.RINGS[case]}, duration="20 ms")
    printed = dict(re.findall(r"^(none|sci) \| .*? \| (.*)$", capsys.readouterr().out, re.MULTILINE))
    assert set(printed) == {"none", "sci"}
    for protocol, errors in printed.items():
        table = re.search(rf"^\| `{protocol}`, one ring \|.*\n\|-.*\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
        said = re.search(rf"^\| {re.escape(case)} \| (.*) \|$", table, re.MULTILINE)[1]
        assert [int(one.replace("−", "-")) for one in said.split(" | ")] == [int(one) for one in errors.split(" | ")]


def modelled_ns(scenario):
    """Mean latency by the queueing model."""
    return theory.latency_model(scenario).mean_latency_cycles * scenario.symbol_time_ns


@pytest.mark.parametrize(("extension", "percent"), [("passing", -10), ("received", -17)])
def test_what_each_term_of_the_model_does_was_counted_with_the_go_bits_of_that_day(extension, percent):
    flow_control = {"protocol": "sci", "extension": extension}
    full = rl.Scenario.from_dict({"network": {"nodes": 8}, "flow_control": flow_control, "run": {"duration": "200 us"}})
    share = 0.8 * rl.run(full).document["total"]["of_optimum"]
    rates = full.optimum().payload_bytes_per_cycle * share * 1e3 / full.symbol_time_ns
    traffic = {"arrivals": "poisson", "load": [f"{rate} MB/s" for rate in rates]}
    loaded = {"network": {"nodes": 8}, "flow_control": flow_control, "traffic": traffic}
    scenario = rl.Scenario.from_dict(loaded | {"run": {"duration": "6 ms", "warmup": "50 us"}})
    simulated_ns = rl.run(scenario).document["total"]["latency_ns"]["mean"]
    assert 100 * (modelled_ns(scenario) / simulated_ns - 1) == pytest.approx(percent, abs=1)


def test_the_order_of_requests_and_responses_is_not_in_the_model():
    page = words("what-a-ring-can-carry.md")
    reads, found = theory.RINGS["8 nodes, reads"], {}
    for order in ("request-first", "alternate", "oldest", "response-first"):
        scenario = theory.loaded({**reads, "queues": {"order": order}}, "none", 0.8, duration="20 ms")
        found[order] = f"{rl.run(scenario).document['total']['latency_ns']['mean']:.0f}"
        assert f"the model has {modelled_ns(scenario):.0f} for all of them" in page
    first, *more = (f"{ns} with `{order}`" for order, ns in found.items())
    first = first.replace(" with", " ns with")
    assert f"the simulated mean latency is {first}, {more[0]}, {more[1]} and {more[2]};" in page


def test_priorities_are_not_in_the_model():
    traffic = {"arrivals": "poisson", "load": "110 MB/s", "priority": [0, 1] * 4}
    flow_control = {"protocol": "sci", "priorities": 2, "extension": "passing"}
    run = {"duration": "20 ms", "warmup": "50 us"}
    scenario = {"network": {"nodes": 8}, "traffic": traffic, "flow_control": flow_control, "run": run}
    latencies = [node["latency_ns"]["mean"] for node in rl.run(scenario).document["nodes"]]
    low, high = mean(latencies[::2]), mean(latencies[1::2])
    modelled = modelled_ns(rl.Scenario.from_dict(scenario))
    said = f"those take {high:.0f} ns and the others {low:.0f}; by the model all take {modelled:.0f}."
    assert said in words("what-a-ring-can-carry.md")


NETWORK = {"topology": "rings", "rings": [{"members": [0, 1, "a.0"]}, {"members": [2, 3, "a.1"]}]}
NETWORK["switches"] = [{"name": "a", "ports": 2}]
LOSSES = {"errors": {"bit_error_rate": 1e-9}}
JOINED = {
    "network": {"topology": "dual-ring", "nodes": 6, "hop_delay": 40},
    "errors": {"links": [{"source": "0.1", "fails_at": 9}], "wraps_after": 500},
}


def refused(**sections):
    """Whether a scenario of a network with a switch, or of the given one, is refused."""
    try:
        rl.Scenario.from_dict({"network": NETWORK, **sections})
    except rl.RingletError:
        return True
    return False


def with_each(names, **sections):
    """Scenarios with each of the protocols, which are long enough for its slots."""
    network = {**NETWORK, "hop_delay": 40, **sections.pop("network", {})}
    return [{"network": network, "flow_control": {"protocol": name}, **sections} for name in names]


GROUPED = {"protocol": "grouped", "groups": 2}
PARTED = [name for name in PROTOCOLS.listed if name not in ("none", "sci", "grouped")]
APART = {
    "packets that wait where they pass, with other protocols than `none`, `sci`, `grouped`": [
        *with_each(PARTED, network={"bypass": "store-and-forward"}),
        *with_each(PARTED, network={"pass_delay": 12}),
    ],
    "`slotted-ring` with retries by the responder": with_each(["slotted-ring"], retry={"by": "responder"}),
    "`metaring` without `sat_timeout` with `[errors]`": with_each(["metaring"], **LOSSES),
    "`errors.wraps_after` with protocols that have messages, `metaring` apart": [
        {"flow_control": {"protocol": name}, **JOINED}
        for name in PARTED
        if name not in ("metaring", "dfc", "timed-token")
    ],
    "PPQ with `retry.reservation`": with_each(["ppq"], retry={"reservation": True}),
    "DFC on rings of more than 256 interfaces": [
        {"network": {"nodes": 257}, "flow_control": {"protocol": "dfc"}, "run": {"duration": 100}}
    ],
    "groups by list, by pair, or by schedule with switches": [
        {"flow_control": {**GROUPED, "assignment": [0, 0, 1, 1]}},
        {"flow_control": {**GROUPED, "assignment": "pair"}},
        {"flow_control": {**GROUPED, "schedule": [{"at": 0, "groups": [0, 0, 1, 1]}]}},
    ],
    "`network.echoes = false` with switches": [{"network": {**NETWORK, "echoes": False}}],
}
TOGETHER = [
    *with_each(PROTOCOLS.listed),
    *with_each([name for name in PROTOCOLS.listed if name not in ("metaring", "dfc", "timed-token")], **LOSSES),
    *({"flow_control": {"protocol": name}, **JOINED} for name in ("none", "sci", "grouped")),
    {"flow_control": {"protocol": "metaring", "sat_timeout": 5000}, **JOINED},
    *with_each(["none", "sci", "grouped"], network={"bypass": "store-and-forward"}),
    *with_each(["none", "sci", "grouped"], network={"pass_delay": 12}),
    *with_each([name for name in PROTOCOLS.listed if name != "slotted-ring"], retry={"by": "responder"}),
    *with_each([name for name in PROTOCOLS.listed if name != "ppq"], retry={"reservation": True}),
    {"flow_control": {"protocol": "metaring", "sat_timeout": 5000}, **LOSSES},
    {"network": NETWORK, "flow_control": {"protocol": "token-ring", "release": "returned"}, **LOSSES},
    {"network": {"nodes": 256}, "flow_control": {"protocol": "dfc"}, "run": {"duration": 100}},
    {"flow_control": {"protocol": "grouped", "groups": 4, "assignment": "node"}},
    {"network": {"nodes": 4, "echoes": False}, "flow_control": {"protocol": "none"}},
]


def test_what_does_not_go_together_on_networks_is_refused_and_the_rest_is_not():
    page = (PAGES / "network-model.md").read_text(encoding="utf-8").split("## 10. What does not go together")[1]
    said = re.findall(r"^\| (?!what \||---)(.*?) \|", page, re.MULTILINE)
    assert sorted(said) == sorted(APART)
    for row, scenarios in APART.items():
        for sections in scenarios:
            assert refused(**sections), (row, sections)
    assert not any(refused(**sections) for sections in TOGETHER)


def test_rings_are_joined_only_after_the_longest_packet():
    said = "in the 256 cycles before, longer than any packet, is lost (400, 184 or 148 cycles with symbols of 8, 32 or"
    assert said in words("network-model.md")

    def refused_after(width, cycles):
        network = {"topology": "dual-ring", "nodes": 4, "link_width": width}
        errors = {"links": [{"source": "0.1", "fails_at": 900}], "wraps_after": cycles}
        return refused(network=network, errors=errors, run={"duration": 4000})

    for width, cycles in {8: 400, 16: 256, 32: 184, 64: 148}.items():
        assert refused_after(width, cycles - 1), width
        assert not refused_after(width, cycles), width


def test_a_failed_link_interrupts_the_whole_ring_and_a_packet_is_given_up_at_one_more_than_the_most_time_outs():
    page = words("network-model.md")
    assert "So one failed link interrupts the whole ring, whatever the pair of interfaces." in page
    assert "After `max_timeouts` time-outs the next one makes the sender *give up* the packet" in page
    traffic = {"destinations": [1, 2, 3, 0], "transaction": "send16", "arrivals": "poisson", "load": "1 MB/s"}
    errors = {"links": [{"source": 3, "fails_at": 0}], "timeout": "1 us", "max_timeouts": 2}
    run = {"duration": "400 us", "warmup": 0}
    found = rl.run({"network": {"nodes": 4}, "traffic": traffic, "errors": errors, "run": run}).document
    assert all(node["given_up_packets"] > 10 for node in found["nodes"])
    assert found["errors"]["timeouts"] == 3 * found["errors"]["given_up_packets"]
    assert all(node["retries"] == 2 * node["given_up_packets"] for node in found["nodes"])
    # The data of three nodes arrive, and only their echoes are lost.
    assert [node["throughput_MBps"] > 0 for node in found["nodes"]] == [True, True, True, False]
    assert found["errors"]["undelivered_packets"] == found["nodes"][3]["given_up_packets"]


def test_a_node_needs_the_bits_that_the_page_says():
    page = (PAGES / "protocols.md").read_text(encoding="utf-8")
    said = re.findall(r"^`([\w-]+)` \| (\d+) \| (\d+)$", page, re.MULTILINE)
    assert {name for name, *_ in said} == set(PROTOCOLS.listed)
    for name, registers, queues in said:
        run = {
            "network": {"nodes": 8, "hop_delay": 80},
            "queues": {"receive": 4},
            "flow_control": {"protocol": name},
            "traffic": {"transaction": "send80", "load": "10 MB/s"},
            "run": {"duration": "2 us", "warmup": 0},
        }
        found = rl.run(run).document
        bits = [found[f"protocol_{part}_bits"] for part in ("registers", "queues")]
        assert bits == [int(registers), int(queues)], name


NO_ECHOES = {
    "topologies with switches": [{"network": {"topology": "torus", "shape": [2, 2], "echoes": False}}],
    '`retry.reservation`, `retry.by = "responder"`': [
        {"retry": {"reservation": True}},
        {"retry": {"by": "responder"}},
    ],
    "limited `queues.receive` with `train` or `dfc`": [
        {"flow_control": {"protocol": name}, "queues": {"receive": 3}} for name in ("train", "dfc")
    ],
    "`queues.outstanding`, `queues.responses`": [{"queues": {"outstanding": 3}}, {"queues": {"responses": 3}}],
    "protocol `ppq`": [{"flow_control": {"protocol": "ppq"}}],
    'protocol `token-ring` with `release = "returned"`': [
        {"flow_control": {"protocol": "token-ring", "release": "returned"}}
    ],
}


def test_what_waits_for_an_echo_is_refused_without_echoes():
    page = (PAGES / "model.md").read_text(encoding="utf-8").split("| refused | because |")[1]
    said = re.findall(r"^\| (?!---)(.*?) \|", page.split("\n\n")[0], re.MULTILINE)
    guarantee = "`ringlet guarantee`, but for `none`, `metaring`, token rings, `slotted-ring`"
    assert sorted(said) == sorted([*NO_ECHOES, guarantee])
    ring = {"nodes": 4, "hop_delay": 40, "echoes": False}
    for row, scenarios in NO_ECHOES.items():
        for sections in scenarios:
            assert refused(**{"network": ring, **sections}), row
    message = {"name": "a", "source": 0, "destination": 2, "size": 64, "period": "10 us"}
    bounded = set()
    for name in PROTOCOLS.listed:
        if name != "ppq":
            scenario = {"network": ring, "flow_control": {"protocol": name}, "messages": [message]}
            bounded |= {name} if rl.guarantee(scenario)["guaranteed"].all() else set()
    assert bounded == {"none", "metaring", "token-ring", "timed-token", "slotted-ring"}


def test_slots_and_timed_tokens_carry_what_the_page_says():
    page = words("access-protocols.md")
    nodes, hop = 8, 40

    def packets_per_slot(destinations, release="source", senders=range(nodes), **protocol):
        flow_control = {"protocol": "slotted-ring", "release": release, "slots": 4, **protocol}
        traffic = {"destinations": destinations, "transaction": "send80"}
        traffic |= {"arrivals": "periodic", "load": ["900 MB/s" if node in senders else 0 for node in range(nodes)]}
        network = {"nodes": nodes, "hop_delay": hop, "echoes": release == "source"}
        run = {"duration": 400_000, "warmup": 50_000}
        found = rl.run({"network": network, "flow_control": flow_control, "traffic": traffic, "run": run}).document
        return found["total"]["throughput_words_per_cycle"] / 40 / 4

    assert "`m` slots carry `m` packets in `(N + 1) (D + 1)` cycles if every node sends" in page
    assert "A node that sends alone lets each slot go by empty once, and gets a packet in two revolutions" in page
    assert "`m` slots carry a packet each in `(h + 1) (D + 1)` cycles" in page
    for hops in (1, 3):
        to = [(node + hops) % nodes for node in range(nodes)]
        assert packets_per_slot(to) * (nodes + 1) * (hop + 1) == pytest.approx(1, rel=0.01)
        assert packets_per_slot(to, "destination") * (hops + 1) * (hop + 1) == pytest.approx(1, rel=0.01)
        assert packets_per_slot(to, senders=[0]) * 2 * nodes * (hop + 1) == pytest.approx(1, rel=0.01)

    assert "the ring carries them for the share `N (TTRT - R) / (N TTRT + R)` of the time" in page
    target, empty = 4000, 8 * 11
    ring = {"nodes": 8, "hop_delay": 10}
    flow_control = {"protocol": "timed-token", "target_rotation": target}
    traffic = {"pattern": "neighbour", "arrivals": "saturated", "transaction": "send80"}
    run = {"duration": 800_000, "warmup": 80_000}
    found = rl.run({"network": ring, "flow_control": flow_control, "traffic": traffic, "run": run}).document
    carried = found["total"]["throughput_words_per_cycle"] * 41 / 40
    assert carried == pytest.approx(8 * (target - empty) / (8 * target + empty), rel=1e-3)


def test_what_a_network_has_goes_with_the_protocols_of_all_of_its_rings():
    page = " ".join((ROOT / "docs/how-to/topologies.md").read_text(encoding="utf-8").split())
    assert (
        "with `metaring` without a `sat_timeout` on one ring there is no `[errors]` section, and with `ppq` on one "
        "there is no `retry.reservation`." in page
    )
    rings = [{"name": "a", "members": [0, 1, "s.0"]}, {"name": "b", "members": [2, 3, "s.1"]}]
    network = {"topology": "rings", "rings": rings, "switches": [{"name": "s", "ports": 2}], "hop_delay": 40}
    for name, sections in {"metaring": LOSSES, "ppq": {"retry": {"reservation": True}}}.items():
        for protocol in ("none", name):
            own = {"a": {"flow_control": {"protocol": protocol}}}
            assert refused(network=network, rings=own, **sections) == (protocol == name)


ENGINE = ROOT / "crates/ringlet-engine"


def test_the_layers_of_the_engine_are_those_that_its_test_checks():
    checked = (ENGINE / "tests/engine/layers.rs").read_text("utf-8").partition("const LAYERS")[2].partition("];")[0]
    table = (PAGES / "engine.md").read_text("utf-8").partition("| layer, from the top | what |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == re.findall(r'"(\w+)"', checked)[::-1]


def test_files_and_names_of_the_engine_are_there():
    sources = {path: path.read_text("utf-8") for path in ENGINE.rglob("*.rs")}
    files = {path.relative_to(ENGINE).as_posix() for path in ENGINE.rglob("*")}
    identifiers = {word for text in sources.values() for word in re.findall(r"\w+", text)}
    elsewhere = {"crates/ringlet-engine", "ringlet.limits.SIMULATION_BYTES", "cargo doc --open"}
    for name in set(re.findall(r"`([^`\n]+)`", (PAGES / "engine.md").read_text("utf-8"))) - elsewhere:
        if "/" in name or name.endswith(".rs"):
            assert any(file == name.rstrip("/") or file.endswith(f"/{name.rstrip('/')}") for file in files), name
        else:
            assert set(re.findall(r"\w+", name)) <= identifiers, name
