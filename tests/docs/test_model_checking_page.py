"""Figures in the page on model checking are what explorations give, but for those of more than some two seconds."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.exploration.flows import MAX_FLOWS
from ringlet.exploration.states import DEFAULT_STATES, JUDGED_STATES, MAX_FRONTIER_BYTES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/model-checking.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
CHECKED = ROOT / "crates/ringlet-engine/tests/engine/model_checking"

PASSING = {"extension": "passing", "release": "unblocked"}
PPQ = {"protocol": "ppq", "bypass": 18, **PASSING, "late_echo": "service-end", "echo_wait": 0}
DFC = {"protocol": "dfc", "bypass": 18, "low_water": 0}
TRAIN = {"protocol": "train", "delay": 1, "mode": "arbitrated", "inheritance": False, "locomotive": 4, "ticket": 2}
TRAIN |= {"tickets_per_node": 1, "size": "unlimited"}
METARING = {"protocol": "metaring", "most_packets": 2}


def ring(flow_control, destinations=(2, 2, 1), *, priority=None, queues=None, **sections):
    """A ring of short hops on which nodes with a destination send the smallest packets."""
    silent = [other is None for other in destinations]
    traffic = {
        "transaction": "send16",
        "destinations": [0 if other is None else other for other in destinations],
        "load": [0 if is_silent else "10 MB/s" for is_silent in silent],
    }
    return {
        "network": {"nodes": len(destinations), "hop_delay": 1},
        "flow_control": flow_control,
        "traffic": traffic | ({"priority": priority} if priority else {}),
        "queues": {"transmit": 1, "priorities": 2, **(queues or {})},
        **sections,
    }


def to_one(flow_control, places=1, service_cycles=3, **sections):
    """Two nodes that send to a third one."""
    return ring(flow_control, (2, 2, None), queues={"receive": places, "service_time": service_cycles}, **sections)


def grouped(assignment):
    """Three nodes in two groups."""
    return ring({"protocol": "grouped", "permit": "any", **PASSING, "groups": 2, "assignment": assignment})


RESERVED = {"retry": {"reservation": True}}
LOSSES = {"errors": {"bit_error_rate": 1e-9, "timeout": 40}}
ECHOES = {"network": {"nodes": 3, "hop_delay": 1, "echoes": True}}

EXPLORED = {
    "SCI, extension passing, release unblocked": (ring(PASSING), {}),
    "SCI, extension after-send, release unblocked": (ring({**PASSING, "extension": "after-send"}), {}),
    "SCI, extension always, release unblocked": (ring({**PASSING, "extension": "always"}), {}),
    "SCI, extension always, release all": (ring({"extension": "always", "release": "all"}), {}),
    "no flow control": (ring({"protocol": "none"}), {}),
    "without reservation": (to_one(PASSING), {}),
    "with A/B ageing, service 3 cycles, 20 cycles": (to_one(PASSING, **RESERVED), {}),
    "with A/B ageing, three senders": (
        ring(PASSING, (3, 3, 3, None), queues={"receive": 1, "service_time": 3}, **RESERVED),
        {"under_way": 1},
    ),
    "after-send, reservation, immediate retry": (to_one({**PASSING, "extension": "after-send"}, **RESERVED), {}),
    "two to one, two places, fair": (to_one(DFC, 2, 20), {}),
    "two to one, a single place, node 1 has priority": (to_one(DFC, priority=[0, 1, 0]), {}),
    "**TRAIN**/two to one, a single place": (to_one(TRAIN), {}),
    "two to one, the farther node has priority": (to_one(TRAIN, priority=[0, 1, 0]), {}),
    "a single place, node 1 has priority": (to_one(PPQ, priority=[0, 1, 0]), {}),
    "two to one, two places, ageing by 1 in 8 cycles": (to_one({**PPQ, "ageing": 8}, 2, priority=[1, 0, 0]), {}),
    "two to one, two places, inheritance": (to_one({**PPQ, "inheritance": True}, 2, priority=[1, 0, 0]), {}),
    "the same with a single place: ageing": (to_one({**PPQ, "ageing": 8}, priority=[1, 0, 0]), {}),
    "the same with a single place: inheritance": (to_one({**PPQ, "inheritance": True}, priority=[1, 0, 0]), {}),
    "**MetaRing**, quota 2": (ring(METARING, **ECHOES), {"under_way": 1}),
    "**MetaRing**/two to one, a single place": (to_one(METARING, **ECHOES), {}),
    "the same with A/B ageing": (to_one(METARING, **ECHOES, **RESERVED), {}),
    "SCI, one loss, in any cycle": (ring({}, (1, 0), **LOSSES), {"under_way": 1}),
}
"""Rows of the table of rings: the scenario, and how it is explored."""

BEHIND_HIGHER = {
    "two to one, a single place, node 1 has priority",
    "two to one, the farther node has priority",
    "a single place, node 1 has priority",
}
"""Rows of the engine's tests, whose waits are also those behind packets of higher priority."""


def cells(row):
    """States, rest and waits in a row of the table of rings, or in the first one of a name behind SECTION/."""
    section, _, name = row.rpartition("/") if row.startswith("**") else ("", "", row)
    text = PAGE[PAGE.index(f"| {section}") :]
    return re.search(rf"^\| {re.escape(name)} \| (.*?) \| (.*?) \| (.*?) \|", text, re.MULTILINE).groups()


@pytest.mark.parametrize("row", EXPLORED)
def test_rings_explored_are_as_the_page_says(row):
    scenario, options = EXPLORED[row]
    found = rl.check(scenario, **{"under_way": 2, **options})
    assert found.complete
    cycles = {one.name: one.cycles for one in found.properties}
    # A row of two services gives that of 3 cycles first.
    count, rest, said = (cell.split("; ")[0] for cell in cells(row))
    assert f"{found.states:,}" == count.split(", ")[0]
    assert str(cycles["comes to rest"] or "*ever*") == rest.split(", ")[0]
    waits = {name: wait for name, wait in cycles.items() if name.startswith("serves")}
    for (name, wait), text in zip(waits.items(), said.split(", "), strict=True):
        if row in BEHIND_HIGHER and "priority 1" not in name:
            assert text == "*ever*" or wait <= int(text), name
        else:
            assert str(wait or "*ever*") == text, name


def test_each_assignment_of_two_groups_is_within_what_the_page_says():
    found = [rl.check(grouped(groups), under_way=2) for groups in ([0, 1, 1], [0, 1, 0], [0, 0, 1])]
    counts = sorted(one.states for one in found)
    rests = sorted(one.properties[0].cycles for one in found)
    waits = [one.cycles for each in found for one in each.properties if one.name.startswith("serves")]
    said = f"{counts[0]:,} to {counts[-1]:,}", f"{rests[0]} to {rests[-1]}", f"at most {max(waits)}"
    assert cells("two groups, each assignment of the nodes") == said


@pytest.mark.parametrize("row", ["with A/B ageing, service 3 cycles, 20 cycles"])
def test_the_second_service_time_of_a_row_is_as_the_page_says(row):
    found = rl.check(to_one(PASSING, service_cycles=20, **RESERVED), under_way=2)
    count, rest, waits = cells(row)
    assert f"{found.states:,}" == count.split(", ")[1]
    assert str(found.properties[0].cycles) == rest.split(", ")[1]
    serves = [str(one.cycles) for one in found.properties if one.name.startswith("serves")]
    assert ", ".join(serves) == waits.split("; ")[1]


def scenario_with(text):
    """The scenario of the page that has this line."""
    (found,) = [block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if text in block]
    return tomllib.loads(found)


def test_the_small_ring_has_as_many_states_in_the_text_as_in_the_output():
    (count,) = re.findall(r"^(\d+) states, all there are, of 3 flows with up to 1 message", PAGE, re.MULTILINE)
    assert f"three nodes that send `send16` to one node each, has {int(count):,} states" in WORDS


def test_three_stations_have_the_states_and_waits_that_the_page_says():
    said = re.search(
        r"Three stations have ([\d,]+) states with any one copy lost, every 4 cycles: each message comes, within "
        r"(\d+) cycles, .* without losses there are (\d+) states, and (\d+) cycles",
        WORDS,
    ).groups()
    stations = scenario_with("dual-attached-ring")
    found = []
    for losses in (1, 0):
        one = rl.check(stations, step=4, losses=losses)
        assert (one.complete, one.holds) == (True, True)
        found += [f"{one.states:,}", str(max(p.cycles for p in one.properties if p.name.startswith("serves")))]
    assert tuple(found) == said


def test_limits_and_defaults_of_an_exploration_are_as_the_page_says():
    assert "Up to 8 nodes and link controllers of ports, 8 flows, 200 messages of each under way and 10 losses" in WORDS
    assert MAX_FLOWS == 8
    nine = {"network": {"nodes": 9}, "traffic": {"transaction": "send16", "destinations": [1, *[0] * 8]}}
    with pytest.raises(rl.RingletError, match="nodes: 9 is not allowed; at most 8"):
        rl.check(nine)
    small = ring({}, (1, 0), **LOSSES)
    rl.check(small, under_way=200, losses=10, step=32, states=100)
    for option, most in {"under_way": 200, "losses": 10}.items():
        with pytest.raises(rl.RingletError, match=f"{option}: {most + 1} is not allowed; .* to {most}"):
            rl.check(small, **{option: most + 1})
    assert "`--losses` of them altogether, 1 where nothing is said" in WORDS
    assert rl.check(small, step=32).states == rl.check(small, step=32, losses=1).states
    assert inspect.signature(rl.check).parameters["under_way"].default == 1
    assert "of networks of more than 8 interfaces anything but deadlock" in WORDS
    assert "If `--states` (a million), `--seconds` or 4 GB of memory end the exploration" in WORDS
    assert (DEFAULT_STATES, MAX_FRONTIER_BYTES) == (1_000_000, 4_000_000_000)
    assert (
        "Without `--states` it ends at 60,000 states already if as large a part of them waits to be explored" in WORDS
    )
    assert JUDGED_STATES == 60_000
    assert "as of the first 30,000" in WORDS


def test_rates_of_rpr_that_do_not_remember_have_the_states_that_the_page_says():
    ones = {"protocol": "rpr", "age_coef": 1, "lp_coef": 1, "ramp_coef": 1, "aging_interval": 16}
    pair = ring(ones, (1, 0))
    del pair["queues"]
    found = rl.check(pair)
    assert (found.complete, found.holds) == (True, True)
    assert f"with `aging_interval = 16` besides there are {found.states:,}" in WORDS


def test_the_ring_of_the_checks_is_the_one_that_the_page_says():
    assert "packets of 8 symbols, echoes of 4, a hop delay of 1, bypass FIFOs of two packets" in WORDS
    tests = "".join(path.read_text(encoding="utf-8") for path in CHECKED.glob("*.rs"))
    assert "one to three packets of each flow under way" in WORDS
    assert set(re.findall(r"explore\(.*, (\d)\)", tests)) == {"1", "2", "3"}
    assert "every state that a ring of two to four nodes can come to" in WORDS
    assert set(re.findall(r"\bring\((\d),", tests)) == {"2", "3", "4"}
    model = (CHECKED / "rings.rs").read_text(encoding="utf-8")
    assert "const BYPASS_SYMBOLS: u32 = 2 * (MIN_SEND_SYMBOLS + 1);" in model
    # Two packets with their idles.
    assert PPQ["bypass"] == DFC["bypass"] == 2 * (8 + 1)
    found = rl.check(ring({}), step=32)
    assert all("(8 symbols)" in name for name in found.flows)
    assert "a *lasso*: " in WORDS
    assert "Each one found is played a thousand times on the engine." in WORDS
    assert (CHECKED / "explore.rs").read_text(encoding="utf-8").count("ring.repeat(1_000)") == 2


def test_tests_left_out_are_as_many_as_the_page_says():
    left_out = [text for path in CHECKED.glob("*.rs") for text in re.findall(r'#\[ignore = "(.*)"\]', path.read_text())]
    seconds = [int(found[1]) for text in left_out if (found := re.search(r"(\d+) s\b", text))]
    (hour,) = [text for text in left_out if "half an hour" in text]
    assert hour
    numbers = {4: "four", 5: "five", 6: "six", 7: "seven"}
    assert f"{numbers[len(seconds)]} larger explorations, three minutes, and one of half an hour" in WORDS
    assert sum(seconds) <= 180
    assert len(left_out) == len(seconds) + 1
