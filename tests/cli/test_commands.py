"""Each command, end to end."""

import json
import os
import re
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest
from command_line import COMMAND, files_in, ringlet

import ringlet as rl
from ringlet.rings import survey
from ringlet.scenario import json_schema

CIRCLE = """
[network]
topology = "rings"
rings = [
  { members = [0, "b0.0", "b4.1"] },
  { members = [1, "b1.0", "b0.1"] },
  { members = [2, "b2.0", "b1.1"] },
  { members = [3, "b3.0", "b2.1"] },
  { members = [4, "b4.0", "b3.1"] },
]
switches = [
  { name = "b0", ports = 2 },
  { name = "b1", ports = 2 },
  { name = "b2", ports = 2 },
  { name = "b3", ports = 2 },
  { name = "b4", ports = 2 },
]
[switch]
receive = 1
transmit = 1
[traffic]
transaction = "dmove64"
destinations = [2, 3, 4, 0, 1]
arrivals = "poisson"
load = "100 MB/s"
[run]
duration = "400 us"
"""


def document(*words, folder, code=0, **keywords):
    done = ringlet(*words, "--json", folder=folder, **keywords)
    assert done.returncode == code, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_run_prints_the_result_of_the_python_call(folder):
    printed = document("run", "ring.toml", "--seed", 7, "--set", "flow_control.protocol=none", folder=folder)
    scenario = rl.Scenario.load(folder / "ring.toml", ["flow_control.protocol=none", "run.seed=7"])
    expected = rl.run(scenario).to_dict()
    assert printed == expected
    assert printed["seed"] == 7
    assert [node["id"] for node in printed["nodes"]] == [0, 1, 2, 3]


def test_run_shows_the_first_nodes_of_a_large_ring(folder):
    small = ("--set", "network.nodes=40", "--set", "traffic.pattern=uniform", "--set", "run.duration=2000")
    (folder / "ring.toml").write_text("[network]\nnodes = 4\n", encoding="utf-8")
    done = ringlet("run", "ring.toml", *small, folder=folder)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("31 ") for line in lines)
    assert not any(line.startswith("32 ") for line in lines)
    assert "... 8 more; --json has all" in lines


def test_run_shows_what_a_dead_link_costs_on_any_number_of_threads(folder):
    words = (
        "run",
        "ring.toml",
        "--set",
        'errors.links=[{source = 0, fails_at = "5 us"}]',
        "--set",
        "run.duration=9000",
    )
    done = ringlet(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "interface" in done.stdout
    assert "link from node 0 fails at 5.000 us: " in done.stdout
    assert "; detected after " in done.stdout
    impatient = ringlet(*words, "--set", "errors.max_timeouts=0", folder=folder)
    assert " packets given up: " in impatient.stdout
    one, two = (document(*words, "--threads", threads, folder=folder) for threads in (1, 2))
    assert one == two
    assert one["errors"]["failures"][0]["what"] == "link from node 0"


def test_run_shows_priorities(folder):
    (folder / "ring.toml").write_text("[network]\nnodes = 4\n[traffic]\npriority = [0, 1, 0, 1]\n", encoding="utf-8")
    words = ("run", "ring.toml", "--set", "flow_control.priorities=2", "--set", "run.duration=2000")
    done = ringlet(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("priority ") for line in done.stdout.splitlines())


@pytest.mark.parametrize(("priorities", "rows"), [(3, 3), (128, 33)])
def test_priorities_of_a_protocol_with_many_levels_fit_a_screen(folder, priorities, rows):
    (folder / "ring.toml").write_text(
        f"""[network]\nnodes = 4\n[flow_control]\nprotocol = "dfc"\n[queues]\nreceive = 5\n
        [traffic]\ntransaction = "read64"\nload = "20 MB/s"\npriorities = {list(range(priorities))}\n
        [run]\nduration = "100 us"\n""",
        encoding="utf-8",
    )
    done = ringlet("run", "ring.toml", folder=folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("priority ")) + 1 :]
    shown = list(takewhile(bool, table))
    assert len(shown) == rows
    assert shown[0].startswith(f"{priorities - 1} ")
    assert any(line.startswith("0 ") for line in shown)
    assert len(document("run", "ring.toml", folder=folder)["priorities"]) == priorities


def test_run_shows_messages(folder):
    done = ringlet("run", "set.toml", folder=folder)
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.index("message ") :]
    assert [line.split()[0] for line in table.splitlines()[1:4]] == ["fast", "bulk", "slow"]
    assert "deadlines: all 3 messages meet all of theirs (one hyperperiod); least margin: " in done.stdout
    assert ringlet("run", "set.toml", "--verdict", folder=folder).returncode == 0
    messages = document("run", "set.toml", folder=folder)["messages"]
    assert [message["released"] for message in messages] == [100, 10, 4]
    assert [message["missed"] for message in messages] == [0, 0, 0]


def test_runs_of_one_seed_print_the_same_bytes_and_their_speed_goes_to_stderr(folder):
    words = ("run", "ring.toml", "--set", "run.duration=20000")
    one, two = ringlet(*words, folder=folder), ringlet(*words, "--timing", folder=folder)
    assert one.stdout == two.stdout
    assert one.stderr == ""
    assert re.fullmatch(r"\d+ million node-cycles/s\n", two.stderr)
    assert ringlet(*words, "--json", folder=folder).stdout == ringlet(*words, "--json", folder=folder).stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "set.toml", "--verdict"], 0),
        (["run", "set.toml", "--verdict", "--set", "run.duration=4000"], 3),
        (["run", "set.toml", "--verdict", "--set", "queues.service_time=400 ns"], 3),
        (["run", "set.toml", "--set", "queues.service_time=400 ns"], 0),
        (["run", "ring.toml", "--verdict"], 2),
        (["guarantee", "set.toml", "--set", "queues.receive=1"], 3),
        (["breakdown", "set.toml", "--protocol", "sci", "--tolerance", "0.5", "--at", "0.1"], 0),
        (["breakdown", "set.toml", "--protocol", "sci", "--tolerance", "0.5", "--at", "1000"], 3),
    ],
)
def test_a_verdict_that_is_asked_for_and_fails_exits_with_3(folder, words, code):
    done = ringlet(*words, folder=folder)
    assert done.returncode == code, done.stderr
    assert (done.stderr == "") == (code != 2)


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ('period = "10 us"\ndeadline = "9 us"', 0),
        ('period = "10 us"\ndeadline = "1 us"', 3),
        ('period = "10 us"\ndeadline = "9 us"\nstart = "200 us"', 3),
        ('period = "10 us"', 2),
    ],
    ids=["met", "missed", "never offered", "no deadline"],
)
def test_a_verdict_is_on_the_deadlines_of_flows_too(tmp_path, keys, code):
    (tmp_path / "flows.toml").write_text(
        f"[network]\nnodes = 4\n[[flows]]\nsource = 0\ndestination = 2\nsize = 1500\n{keys}\n"
        '[run]\nduration = "100 us"\nwarmup = 0\n',
        encoding="utf-8",
    )
    done = ringlet("run", "flows.toml", "--verdict", folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert ("one on messages, loops or flows with deadlines" in done.stderr) == (code == 2)


def test_breakdown_prints_what_python_returns(folder):
    words = ("--protocol", "sci", "--protocol", "dfc", "--tolerance", 0.05, "--trials", 20)
    printed = document("breakdown", "set.toml", *words, folder=folder)
    expected = rl.breakdown(rl.Scenario.load(folder / "set.toml"), ["sci", "dfc"], tolerance=0.05, trials=20)
    without_nan = expected.astype(object).where(expected.notna(), None)
    assert printed["protocols"] == without_nan.reset_index().to_dict("records")
    assert printed["scenario"]["messages"][0]["name"] == "fast"
    shown = ringlet("breakdown", "set.toml", *words, folder=folder).stdout.splitlines()
    assert "these phases" in shown[0]
    assert [line.split()[0] for line in shown[2:4]] == ["sci", "dfc"]
    assert shown[4].startswith("dfc: nothing is guaranteed: ")


def test_breakdown_says_why_a_deadline_is_missed_at_every_load(folder):
    words = ("--protocol", "sci", "--set", "errors.links=[{source=0,fails_at=0}]", "--tolerance", 0.5)
    shown = ringlet("breakdown", "set.toml", *words, folder=folder).stdout.splitlines()
    assert shown[-1] == "sci: deadline missed at every load: fast has no way once link from node 0 has failed"


@pytest.mark.parametrize(("factor", "how"), [(0.1, "none below it"), (1000, "sci below it")])
def test_breakdown_at_a_factor_names_the_protocols_below_it(folder, factor, how):
    words = ("--protocol", "sci", "--tolerance", 0.5, "--at", factor)
    shown = ringlet("breakdown", "set.toml", *words, folder=folder).stdout.splitlines()
    assert shown[-1] == f"searched factor of at least {factor}: {how}"


def test_model_names_what_carries_less_than_its_load(folder):
    words = ("--set", "traffic.arrivals=poisson", "--set", "traffic.load=900 MB/s")
    shown = ringlet("model", "ring.toml", *words, folder=folder).stdout
    overloaded = document("model", "ring.toml", *words, folder=folder)["total"]["overloaded"]
    assert overloaded is not None
    assert f"warning: overload: {overloaded} carries less than its load, so queues grow without end" in shown
    shown = ringlet("model", "ring.toml", *words[:2], "--set", "traffic.load=1 MB/s", folder=folder).stdout
    assert "overload" not in shown


def test_model_says_what_to_do_outside_of_what_it_is_good_for(folder):
    words = ("--set", "traffic.arrivals=poisson", "--set", "traffic.load=1 MB/s")
    *_, why, what = ringlet("model", "ring.toml", *words, folder=folder).stdout.splitlines()
    assert why.startswith("outside what the model is good for: it has the go bits of flow_control.extension 'passing'")
    assert what == "its latencies may be off by more than 10 %: 'ringlet run' simulates them"


def test_breakdown_names_all_protocols_of_a_reason_in_one_line(folder):
    words = ("--protocol", "none", "--protocol", "sci", "--set", "errors.links=[{source=0,fails_at=0}]")
    shown = ringlet("breakdown", "set.toml", *words, "--tolerance", 0.5, folder=folder).stdout.splitlines()
    assert shown[-1] == "none, sci: deadline missed at every load: fast has no way once link from node 0 has failed"


def test_guarantee_prints_what_python_returns_and_says_why_there_is_no_bound(folder):
    words = ("--set", "flow_control.protocol=dfc", "--set", "flow_control.stop_thru=false")
    expected = rl.guarantee(rl.Scenario.load(folder / "set.toml", words[1::2]))
    code = 0 if expected["guaranteed"].all() else 3
    printed = document("guarantee", "set.toml", *words, "--plot", "bounds.svg", folder=folder, code=code)
    assert [one["bound_us"] for one in printed["messages"]] == expected["bound_us"].tolist()
    assert [one["guaranteed"] for one in printed["messages"]] == expected["guaranteed"].tolist()
    assert (folder / "bounds.svg").read_text(encoding="utf-8").startswith("<?xml")
    shown = ringlet("guarantee", "set.toml", "--set", "flow_control.protocol=ppq", folder=folder)
    assert shown.returncode == 3
    # Without any bound there is nothing for a table.
    assert shown.stdout.startswith("no bound for all messages: a packet may be preempted")
    assert shown.stdout.endswith("deadlines: none guaranteed\n")


def test_guarantee_says_in_a_line_whether_all_deadlines_hold_and_where_the_drawing_is(folder):
    messages = "".join(
        f'[[messages]]\nname = "{name}"\nsource = {i}\ndestination = 3\nsize = 64\nperiod = "{period} us"\n'
        for i, (name, period) in enumerate({"fast": 20, "slow": 200}.items())
    )
    ring = '[network]\nnodes = 4\n[flow_control]\nprotocol = "dfc"\nstop_thru = false\n'
    (folder / "easy.toml").write_text(f'message_transaction = "dmove64"\n{ring}{messages}')
    fast, _ = document("guarantee", "easy.toml", folder=folder)["messages"]
    shown = ringlet("guarantee", "easy.toml", "--plot", "bounds.png", folder=folder).stdout.splitlines()
    share = round(100 * fast["margin_us"] / fast["deadline_us"])
    margin = f"fast, {fast['margin_us']:.4g} us, {share} % of its deadline"
    assert shown[-2:] == [f"deadlines: all 2 guaranteed; least margin: {margin}", "The drawing: bounds.png"]
    some = ringlet("guarantee", "easy.toml", "--jitter", "50 us", folder=folder).stdout.splitlines()
    assert some[-1] == "deadlines: 1 of 2 guaranteed; not that of fast"


def test_a_guarantee_for_offsets_says_so(folder):
    ring = "[network]\nnodes = 4\n[flow_control]\nprotocol = 'none'\n"
    message = 'name = "a"\nsource = 0\ndestination = 2\nsize = 64\nperiod = "20 us"\n'
    (folder / "kept.toml").write_text(f"{ring}[[messages]]\n{message}")
    for options, words in ((["--offsets"], " for these offsets"), ([], "")):
        assert document("guarantee", "kept.toml", *options, folder=folder)["offsets"] is bool(options)
        last = ringlet("guarantee", "kept.toml", *options, folder=folder).stdout.splitlines()[-1]
        assert last.startswith(f"deadlines: all 1 guaranteed{words}; least margin: a, ")


def test_place_prints_places_and_what_both_placements_do(folder):
    sets = ("--set", "traffic={destinations=[2,3,1,0],load='50 MB/s'}", "--set", "network.nodes=4")
    printed = document("place", "ring.toml", *sets, folder=folder)
    assert sorted(printed["places"]) == [0, 1, 2, 3]
    assert printed["after"]["distance_links"] <= printed["before"]["distance_links"] == 2
    assert printed["after"]["latency_ns"] < printed["before"]["latency_ns"]
    shown = ringlet("place", "ring.toml", *sets, folder=folder).stdout
    assert "mean distance" in shown
    assert "Nodes at other places" in shown


def test_place_says_that_it_found_nothing_better(folder):
    sets = ("--set", "traffic={pattern='neighbour',load='50 MB/s'}", "--set", "network.nodes=4")
    printed = document("place", "ring.toml", *sets, folder=folder)
    assert printed["places"] == [0, 1, 2, 3]
    assert printed["after"] == printed["before"]
    assert ringlet("place", "ring.toml", *sets, folder=folder).stdout.endswith("was found that is better.\n")


def test_check_plays_how_a_node_starves_and_exits_with_1(folder):
    (folder / "small.toml").write_text(
        "[network]\nnodes = 3\nhop_delay = 1\n[flow_control]\nprotocol = 'none'\n"
        "[traffic]\ntransaction = 'send16'\nload = '10 MB/s'\ndestinations = [2, 2, 1]\n",
        encoding="utf-8",
    )
    shown = ringlet("check", "small.toml", "--json", folder=folder)
    assert shown.returncode == 1
    printed = json.loads(shown.stdout)
    assert (printed["holds"], printed["complete"]) == (False, True)
    assert "<!doctype html>" in (folder / printed["counterexample"]).read_text(encoding="utf-8").lower()
    assert f"{printed['counterexample']} plays it" in shown.stderr
    good = document("check", "small.toml", "--set", "flow_control.protocol=sci", folder=folder)
    assert (good["holds"], good["complete"], good["counterexample"]) == (True, True, None)
    part = ringlet(
        "check", "small.toml", "--set", "flow_control.protocol=sci", "--states", 500, "--json", folder=folder
    )
    assert part.returncode == 2
    assert json.loads(part.stdout)["complete"] is False
    assert "network: <more than" in part.stderr


def test_check_plays_how_a_network_deadlocks_or_says_that_it_cannot(folder):
    sections = "[switch]\nreceive = 1\ntransmit = 1\npooled = true\n[queues]\nreceive = 1\nresponses = 1\n"
    (folder / "torus.toml").write_text(
        "[network]\ntopology = 'torus'\nshape = [3, 3]\n"
        f"{sections}[traffic]\ntransaction = 'nwrite64'\nload = '1 MB/s'\n",
        encoding="utf-8",
    )
    shown = ringlet("check", "torus.toml", "--out", "deadlock.html", folder=folder)
    assert shown.returncode == 1
    assert "deadlock.html plays it" in shown.stderr
    assert "simulations searched for one" in shown.stdout
    assert "<!doctype html>" in (folder / "deadlock.html").read_text(encoding="utf-8").lower()
    good = document("check", "torus.toml", "--set", "switch.pooled=false", folder=folder)
    assert (good["holds"], good["complete"], good["simulations"]) == (True, True, 0)
    unknown = ringlet("check", "torus.toml", "--set", "switch.transmit=900", "--seconds", 0, folder=folder)
    assert unknown.returncode == 2
    assert "a network that may deadlock" in unknown.stderr


def test_schedulability_prints_ratios_and_writes_table_and_figure(folder):
    (folder / "sets.toml").write_text(
        "utilisations = [0.2, 0.8]\nsets = 3\nmessages = 4\nperiods = ['1 us', '5 us']\n"
        "protocols = [{ protocol = 'dfc', stop_thru = false }]\n[scenario.network]\nnodes = 4\n",
        encoding="utf-8",
    )
    printed = document("schedulability", "sets.toml", "--workers", 1, "--out", "sets", folder=folder)
    assert [one["utilisation"] for one in printed["ratios"]] == [0.2, 0.8]
    assert files_in(folder / "sets") == [
        "schedulability.csv",
        "schedulability.png",
        "schedulability.svg",
        "store.sqlite",
    ]
    shown = ringlet("schedulability", "sets.toml", "--workers", 1, "--out", "sets", folder=folder).stdout
    assert "breakdown" in shown


def test_a_run_that_needs_more_than_there_is_says_so(folder):
    (folder / "fast.toml").write_text(
        "[network]\nnodes = 4\n[[messages]]\nname = 'm'\nsource = 0\ndestination = 2\nsize = 640\nperiod = 100\n"
        "[run]\nduration = 20_000\n",
        encoding="utf-8",
    )
    printed = document("run", "fast.toml", folder=folder)
    assert printed["warnings"][0].startswith("overload: utilisation 2.3 of the ring's bandwidth")
    assert printed["messages"][0]["deadline_miss_ratio"] > 0.5


def test_a_stalled_run_is_reported_and_exits_1(folder):
    # A ring so long that nothing can arrive in the time that it may stand still.
    (folder / "stall.toml").write_text(
        "[network]\nnodes = 2\nhop_delay = 100_000\n[run]\nduration = 900_000\nwarmup = 0\nstall_after = 1_000\n",
        encoding="utf-8",
    )
    done = ringlet("run", "stall.toml", "--json", folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("ringlet: stall.toml: the ring stalled at cycle ")
    assert len(done.stderr.splitlines()) == 1
    assert json.loads(done.stdout)["stall"]["waiting_nodes"]


def test_a_deadlock_names_the_ports_that_wait_for_each_other(folder):
    (folder / "circle.toml").write_text(CIRCLE, encoding="utf-8")
    done = ringlet("run", "circle.toml", "--json", folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("ringlet: circle.toml: the network stalled at cycle ")
    assert "requests at switch 'b0' port 0 wait for a transmit slot of switch 'b0' port 1; " in done.stderr
    printed = json.loads(done.stdout)
    expected = {"port": "switch 'b4' port 0", "packets": "requests", "waits_for": "switch 'b4' port 1"}
    assert expected in printed["stall"]["blocked"]
    assert printed["warnings"][0].startswith(
        "this network can deadlock: 10 buffers can wait for each other in a circle"
    )
    shown = ringlet("run", "circle.toml", folder=folder).stdout
    assert "warning: this network can deadlock" in shown
    assert "warning: stalled since cycle" in shown
    free = ringlet("run", "circle.toml", "--set", "network.routing=up-down", folder=folder)
    assert free.returncode == 0, free.stderr
    assert "deadlock" not in free.stdout


def test_bound_is_the_optimum(folder):
    nodes = document("bound", "ring.toml", folder=folder)["nodes"]
    assert [node["id"] for node in nodes] == [0, 1, 2, 3]
    third = 1 / 3 * 40 / 41
    assert [node["optimal"] for node in nodes] == pytest.approx([third, third, third, 2 * third])
    assert all(node["optimal_with_echo"] <= node["optimal"] for node in nodes)


def test_bound_counts_packets_without_framing(folder):
    (folder / "moves.toml").write_text("[network]\nnodes = 4\n[traffic]\ntransaction = 'dmove64'\n", encoding="utf-8")
    bare, framed = (
        document("bound", "moves.toml", "--set", f"network.framing={framing}", folder=folder)["nodes"]
        for framing in (0, 1)
    )
    # On a saturated ring a packet of 40 symbols takes 41 of the links, or 42.
    assert [node["optimal"] for node in framed] == pytest.approx([41 / 42 * node["optimal"] for node in bare])


def test_group_assigns_each_node(folder):
    found = document("group", "ring.toml", folder=folder)
    assert found["groups"] == [0, 1, 2, 3]
    assert found["average_deviation_percent"] < found["one_group_average_deviation_percent"]
    two = document("group", "ring.toml", "--groups", 2, folder=folder)["groups"]
    assert set(two) == {0, 1}
    assert len(two) == 4


def test_group_proposes_no_groups_that_simulate_worse_than_one(folder):
    sets = (
        "--set",
        "traffic={pattern='uniform',arrivals='saturated',transaction='send80'}",
        "--set",
        "network.nodes=8",
    )
    found = document("group", "ring.toml", "--groups", 2, *sets, folder=folder)
    assert found["average_deviation_percent"] > found["one_group_average_deviation_percent"]
    shown = ringlet("group", "ring.toml", "--groups", 2, *sets, folder=folder).stdout
    tried = (found[key] for key in ("average_deviation_percent", "one_group_average_deviation_percent"))
    below = "{:z.1f} % below the fair share on average, {:z.1f} % with one group.".format(*tried)
    assert f"With all nodes saturated, 30,000 cycles: {below}" in shown
    assert "One group is better, so no others are proposed." in shown
    assert "groups = 1" in shown.split("In a scenario:")[1]


@pytest.mark.parametrize(
    ("network", "transaction", "cycles"),
    [
        ("", "send9016", "939,167"),
        ('framing = "rpr"', "send280", "31,875"),
        ("link_width = 8\nframing = 1", "send80", "30,000"),
    ],
)
def test_groups_of_packets_of_any_length_are_tried(folder, network, transaction, cycles):
    text = f'[network]\nnodes = 4\n{network}\n[traffic]\ntransaction = "{transaction}"\nlargest_packet = 9016\n'
    (folder / "long.toml").write_text(text)
    assert f"With all nodes saturated, {cycles} cycles:" in ringlet("group", "long.toml", folder=folder).stdout


def test_groups_have_the_names_of_their_nodes(folder):
    names = ["camera", "disk", "filter", "display"]
    content = f"network.node_names = {names}\n"
    (folder / "named.toml").write_text(content, encoding="utf-8")
    done = ringlet("group", "named.toml", folder=folder)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.partition("In a scenario")[0]
    assert all(name in shown for name in names)


def test_each_ring_of_a_network_has_groups_of_its_nodes_and_ports(folder):
    (folder / "torus.toml").write_text('[network]\ntopology = "torus"\nshape = [3, 3]\n', encoding="utf-8")
    rings = document("group", "torus.toml", "--groups", 2, folder=folder)["rings"]
    assert len(rings) == 15
    assert rings[0] == {"ring": "ring 0", "interfaces": ["N0", "router (0, 0) port 0"], "groups": [0, 0]}
    assert {len(one["groups"]) for one in rings[9:]} == {3}
    assert {group for one in rings for group in one["groups"]} == {0, 1}
    section = ringlet("group", "torus.toml", "--groups", 2, folder=folder).stdout.split("In a scenario:\n")[1]
    with (folder / "torus.toml").open("a", encoding="utf-8") as file:
        file.write(section)
    assert ringlet("run", "torus.toml", "--set", "run.duration=1000", folder=folder).returncode == 0


def test_the_printed_grouping_can_be_pasted_into_a_scenario(folder):
    shown = ringlet("group", "ring.toml", "--groups", 2, folder=folder).stdout
    section = shown.split("In a scenario:\n")[1]
    with (folder / "ring.toml").open("a", encoding="utf-8") as file:
        file.write(section)
    assert ringlet("run", "ring.toml", "--set", "run.duration=1000", folder=folder).returncode == 0


def test_more_groups_than_a_scenario_has_are_not_offered_to_one(folder):
    (folder / "wide.toml").write_text("[network]\nnodes = 300\n", encoding="utf-8")
    shown = ringlet("group", "wide.toml", "--groups", 257, folder=folder).stdout
    assert "In a scenario:" not in shown
    assert "at most 256 groups" in shown
    assert len(set(document("group", "wide.toml", "--groups", 257, folder=folder)["groups"])) == 257


def test_the_printed_grouping_of_pairs_can_be_pasted_into_a_scenario(folder):
    shown = ringlet("group", "ring.toml", "--groups", 40, "--pairs", folder=folder).stdout
    section = shown.split("In a scenario:\n")[1]
    with (folder / "ring.toml").open("a", encoding="utf-8") as file:
        file.write(section)
    assert ringlet("run", "ring.toml", "--set", "run.duration=1000", folder=folder).returncode == 0
    rows = document("group", "ring.toml", "--groups", 40, "--pairs", folder=folder)["groups"]
    assert str(rows[1]) in section


def test_too_many_pairs_to_be_grouped_are_refused(folder):
    (folder / "wide.toml").write_text("[network]\nnodes = 40\n", encoding="utf-8")
    done = ringlet("group", "wide.toml", "--pairs", folder=folder)
    assert done.returncode == 2
    assert "<1560 pairs of nodes>" in done.stderr
    assert "at most 1024 pairs" in done.stderr


def test_reproduce_writes_the_report_and_prints_every_row(folder):
    done = ringlet("reproduce", "picker1994", "--quick", "--out", "out", "--json", folder=folder, timeout_s=300)
    assert done.returncode == 0, done.stderr
    takes, *progress = done.stderr.splitlines()
    assert re.fullmatch(r"picker1994: about \d+ s of processor time", takes)
    # Of each scenario file, when all of its cases are done; again, when those with further seeds are.
    lines = [re.fullmatch(r"picker1994: (\S+) done \(.*\)", line) for line in progress]
    names = [path.stem for path in (folder / "out" / "scenarios").iterdir()]
    assert {line[1] for line in lines} == set(names)
    assert len(names) <= len(lines) <= 2 * len(names)
    printed = json.loads(done.stdout)
    contract = {"id", "published", "published_hi", "obtained", "unit", "agrees", "note"}
    assert printed["rows"]
    assert all(contract <= row.keys() for row in printed["rows"])
    written = files_in(folder / "out")
    assert "report.html" in written
    assert "rows.csv" in written
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    links = set(re.findall(r'class="moment" href="([^"#]+)#cycle=', page))
    assert links == {name for name in written if name.startswith("players/")}
    assert json.loads((folder / "out" / "reproduction.json").read_text(encoding="utf-8"))["rows"] == printed["rows"]


def test_plot_draws_runs_beside_each_other(folder):
    for protocol in ("none", "sci"):
        done = ringlet("run", "ring.toml", "--json", "--set", f"flow_control.protocol={protocol}", folder=folder)
        (folder / f"{protocol}.json").write_text(done.stdout, encoding="utf-8")
    done = ringlet("plot", "none.json", "sci.json", "--out", "figures", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    files = [f"{name}.{suffix}" for name in ("nodes", "latency", "links") for suffix in ("png", "svg")]
    assert done.stdout.splitlines() == [str(Path("figures", name)) for name in files]
    assert files_in(folder / "figures") == sorted(files)


def test_plot_draws_a_scenario_beside_itself_with_another_key(folder):
    words = ["--set", "network.hop_delay=3", "--beside", "flow_control.protocol=none", "--chart", "nodes"]
    done = ringlet("plot", "ring.toml", *words, "--format", "vega", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = json.loads((folder / "plots" / "nodes.vl.json").read_text(encoding="utf-8"))["concat"][0]["layer"]
    nodes = {}
    for layer in drawn:
        for row in layer["data"]["values"]:
            nodes.setdefault(row["series"], set()).add(row.get("x"))
    assert {name for name in nodes if "fair" not in name} == {"ring", "flow_control.protocol=none"}
    assert len(nodes["ring"]) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run.json", "--set", "network.nodes=3"], "--set: 'network.nodes=3' .* only with scenario files, and run"),
        (["run.json", "--beside", "a=1"], "--beside: 'a=1' is not allowed; only with scenario files, and run.json is"),
        (["ring.toml", "other.toml", "--beside", "a=1"], "--beside: 'a=1' .* only with one scenario file, not 2"),
        (["ring.toml", "--set", "network.nods=3"], "network.nods: unknown key; did you mean 'nodes'"),
    ],
)
def test_plot_refuses_keys_of_what_it_does_not_run(folder, words, message):
    done = ringlet("plot", *words, folder=folder)
    assert done.returncode == 2
    assert re.search(message, done.stderr)


def test_plot_runs_a_scenario_and_draws_what_is_asked_for(folder):
    done = ringlet("plot", "ring.toml", "--chart", "nodes", "--format", "svg", folder=folder)
    assert done.returncode == 0, done.stderr
    assert files_in(folder / "plots") == ["nodes.svg"]


def test_schema_is_the_one_of_the_model(folder):
    done = ringlet("schema", folder=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout) == json_schema()


def test_version(folder):
    done = ringlet("--version", folder=folder)
    assert (done.returncode, done.stdout) == (0, f"ringlet {rl.__version__}\n")


def test_shell_completion_knows_commands_and_papers(folder):
    def completed(words):
        environment = {"_RINGLET_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return [line.split(",", 1)[1] for line in ringlet(folder=folder, **environment).stdout.split()]

    assert {"run", "reproduce"} <= set(completed("ringlet r"))
    assert completed("ringlet reproduce pick") == ["picker1994"]


def test_completion_is_installed_for_the_shell_once(folder):
    def in_bash(option):
        words = ["bash", "-c", f"{COMMAND} {option}; {COMMAND} {option}; true"]
        environment = {**os.environ, "HOME": str(folder)}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout

    (folder / ".bashrc").write_text("alias l=ls\n", encoding="utf-8")
    script = folder / ".bash_completions" / "ringlet.sh"
    assert in_bash("--install-completion").startswith(f"bash completion installed in {script}")
    assert (folder / ".bashrc").read_text(encoding="utf-8") == "alias l=ls\nsource ~/.bash_completions/ringlet.sh\n"
    assert "complete -o nosort -F _ringlet_completion ringlet" in script.read_text(encoding="utf-8")
    assert in_bash("--show-completion") == 2 * script.read_text(encoding="utf-8")


def test_a_reader_that_leaves_ends_the_command_without_a_word(folder):
    ends = os.pipe()
    os.close(ends[0])
    done = subprocess.run(
        [COMMAND, "schema"], stdout=ends[1], stderr=subprocess.PIPE, text=True, check=False, cwd=folder
    )
    os.close(ends[1])
    # As a process that SIGPIPE ended.
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_no_success(folder):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run([COMMAND, "schema"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "ringlet: the output was cut off: No space left on device\n"


def test_topology_prints_what_the_python_survey_holds(folder):
    printed = document("topology", "omega.toml", "--route", "P0:M3", "--plot", "omega.svg", folder=folder)
    scenario = rl.Scenario.load(folder / "omega.toml")
    expected = survey(*scenario.routed_network, scenario.network.stages).to_dict()
    assert {key: printed[key] for key in expected} == json.loads(json.dumps(expected))
    assert printed["topology"] == "omega"
    assert printed["cost"] == {"switches": 4, "ports": 8, "rings": 4, "ringlets": 0, "cables": 16, "adapters": 8}
    assert [one["free"] for one in printed["deadlock"]] == [True, False, True]
    shown = ringlet("topology", "omega.toml", folder=folder).stdout.splitlines()
    deadlock = ("none possible", "possible", "none possible")
    buffers = ("requests without responses", "responses in the same buffers", "responses in buffers of their own")
    rows = [f"{held:<33}  {free}" for held, free in zip(buffers, deadlock, strict=True)]
    assert set(rows) <= set(shown)
    assert printed["closure"] == {"one_to_one": True, "rings": 4, "longest": 1}
    [way] = printed["ways"]
    assert (way["through"][0], way["through"][-1]) == ("P0", "M3")
    assert (folder / "omega.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_topology_of_65536_nodes(folder):
    large = ("--set", "network.topology=torus", "--set", "network.shape=[64, 64]", "--set", "network.concentration=16")
    (folder / "torus.toml").write_text("[network]\n", encoding="utf-8")
    done = ringlet("topology", "torus.toml", *large, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "65536 nodes" in done.stdout
    assert "... 4192 more; --json has all" in done.stdout


def test_a_network_is_simulated(folder):
    printed = json.loads(ringlet("run", "omega.toml", "--json", folder=folder).stdout)
    assert printed["total"]["throughput_MBps"] > 0
    processors = [node for node in printed["nodes"] if node["throughput_MBps"] > 0]
    assert {node["name"][0] for node in processors} == {"P"}


def test_a_network_is_recorded(folder):
    done = ringlet("trace", "omega.toml", "--format", "csv", "--out", "omega.csv", "--to", "500", folder=folder)
    assert done.stdout == "omega.csv: cycles 0 to 500 of 8 nodes and 8 ports, seed 1\n"
    assert "switch 0 port 0" in (folder / "omega.csv").read_text(encoding="utf-8")


TRACE = """id,time_ns,source,destination,transaction,depends_on
1,0,0,2,read64-request,
2,50,2,0,read64-response,1
3,50,1,1,nwrite64,
"""


def replay(folder):
    (folder / "t.csv").write_text(TRACE, encoding="utf-8")
    # Without flow control nothing waits.
    text = '[network]\nnodes = 4\n[flow_control]\nprotocol = "none"\n[traffic.trace]\nfile = "t.csv"\n'
    (folder / "replay.toml").write_text(text, encoding="utf-8")


def test_run_replays_a_trace(folder):
    replay(folder)
    trace = document("run", "replay.toml", folder=folder)["trace"]
    assert (trace["packets"], trace["local_packets"], trace["complete"]) == (3, 1, True)
    # An idle, two hops and a length each, of 2 ns a symbol, and 50 ns between them.
    assert trace["run_time_s"] == pytest.approx(2e-9 * (1 + 2 + 8 + 25 + 1 + 2 + 40))
    shown = ringlet("run", "replay.toml", folder=folder)
    line = (
        "trace t.csv, dependence-driven: 3 packets, 1 of them to their own nodes; run time 0.158 us, and 0.108 us after"
    )
    assert line in shown.stdout
    stopped = ringlet("run", "replay.toml", "--set", "run.duration=10", folder=folder)
    assert "3 packets, 1 of them to their own nodes; 2 of them did not start" in stopped.stdout


@pytest.mark.parametrize("command", ["run", "bound", "topology", "trace"])
def test_a_bad_trace_is_refused_with_its_line(folder, command):
    replay(folder)
    (folder / "t.csv").write_text(TRACE + "4,40,0,1,read64,\n", encoding="utf-8")
    out = ("--format", "csv", "--out", "out") if command == "trace" else ()
    done = ringlet(command, "replay.toml", *out, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ringlet: t.csv, line 5, time_ns: '40' is not allowed; at least 50, the time of the record before it\n"
    )


def test_trace_records_a_replay(folder):
    replay(folder)
    done = ringlet("trace", "replay.toml", "--format", "player", "--out", "replay.html", folder=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "replay.html").stat().st_size > 10_000
