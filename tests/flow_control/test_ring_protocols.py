"""Different protocols on the rings of one network: what the engine gets, what a run finds, what is refused."""

import pytest

from ringlet import RingletError, Scenario, run

NETWORK = {
    "topology": "rings",
    "rings": [{"name": "old", "members": [0, "s.0", 1]}, {"name": "new", "members": ["s.1", 2, 3, 4]}],
    "switches": [{"name": "s", "ports": 2}],
}
RUN = {"duration": "100 us", "warmup": "10 us"}


def scenario(network=None, **sections):
    return Scenario.from_dict({"network": network or NETWORK, "run": RUN, **sections})


def protocols_of(made):
    return [ring.get("flow_control", {}).get("protocol") for ring in made.network_spec(1)["network"]["rings"]]


def test_a_ring_has_its_own_protocol_and_all_others_that_of_the_network():
    torus = {"topology": "ring-of-rings", "shape": [3, 2]}
    made = scenario(torus, rings={"ring 1": {"flow_control": {"protocol": "dfc"}}})
    assert protocols_of(made) == [None, "dfc", None]


def test_options_follow_from_the_ring_that_has_them():
    slotted = {"protocol": "slotted-ring"}
    large = {**NETWORK, "hop_delay": {"ring 'old'": "400 ns", "ring 'new'": "100 ns"}}
    own = scenario(large, rings={"old": {"flow_control": slotted}}).network_spec(1)["network"]["rings"][0]
    alone = scenario({**large, "hop_delay": "400 ns"}, flow_control=slotted).network_spec(1)
    assert own["flow_control"]["room_symbols"] == alone["flow_control"]["room_symbols"]


@pytest.mark.parametrize("new", ["none", "grouped", "ppq", "train", "dfc", "metaring", "token-ring", "rpr"])
def test_any_protocol_on_one_ring_meets_sci_on_the_other(new):
    traffic = {"transaction": "read64", "arrivals": "poisson", "load": "15 MB/s", "priorities": [0, 2]}
    rings = {"new": {"flow_control": {"protocol": new}}}
    found = run(scenario(traffic=traffic, rings=rings, queues={"priorities": 3})).to_dict()
    assert found["stall"] is None
    assert found["total"]["throughput_MBps"] > 0.8 * found["total"]["offered_MBps"]


def test_the_same_protocol_named_for_a_ring_changes_nothing():
    dfc = {"protocol": "dfc"}
    traffic = {"transaction": "read64", "arrivals": "poisson", "load": "20 MB/s"}
    of_all = run(scenario(flow_control=dfc, traffic=traffic)).to_dict()
    named = run(scenario(flow_control=dfc, traffic=traffic, rings={"old": {"flow_control": dfc}})).to_dict()
    assert named["nodes"] == of_all["nodes"]
    assert named["total"] == of_all["total"]


def test_groups_are_those_of_the_ring_that_has_them():
    rings = scenario(rings={"old": {"flow_control": {"protocol": "grouped"}}}).network_spec(1)["network"]["rings"]
    assert [ring["groups"] for ring in rings] == [[0, 1, 2], [0, 0, 0, 0]]


def test_a_priority_that_one_ring_knows_is_taken():
    traffic = {"arrivals": "poisson", "load": "10 MB/s", "priority": 6}
    two = {"protocol": "sci", "priorities": 2}
    made = scenario(traffic=traffic, flow_control={"protocol": "ppq"}, rings={"old": {"flow_control": two}})
    assert run(made).to_dict()["stall"] is None
    with pytest.raises(RingletError, match=r"traffic\.priority: 6 is not allowed; below 2"):
        scenario(traffic=traffic, flow_control=two, rings={"new": {"flow_control": {**two, "release": "all"}}})


def test_tickets_are_charged_to_the_rings_that_have_trains():
    traffic = {"arrivals": "saturated", "pattern": "matrix", "matrix": [[0] * 5 for _ in range(5)]}
    for source, target in [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)]:
        traffic["matrix"][source][target] = 1
    plain = scenario(traffic=traffic).optimum().words_per_cycle
    mixed = scenario(traffic=traffic, rings={"old": {"flow_control": {"protocol": "train"}}}).optimum().words_per_cycle
    assert (mixed[:2] < plain[:2]).all()
    assert mixed[2:] == pytest.approx(plain[2:])


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"rings": {"ring 7": {"flow_control": {"protocol": "sci"}}}}, "rings: 'ring 7' is not allowed; the name of a"),
        ({"rings": {"old": {"flow_control": {"protocol": "dfx"}}}}, "rings.old.flow_control.protocol: 'dfx' is not"),
        ({"rings": {"old": {"flow_control": {"protocol": "sci", "bypass": 9}}}}, "rings.old.flow_control.bypass: 9 is"),
        ({"rings": {"old": {}}}, "rings.old.flow_control: missing"),
        ({"rings": {"old": {"flow_control": {"protocol": "ppq", "bypass": 9}}}}, "rings.old.flow_control.bypass: 9 is"),
        (
            {"rings": {"old": {"flow_control": {"protocol": "metaring"}}}, "errors": {"bit_error_rate": 1e-6}},
            "errors: <[errors]> is not allowed; protocol 'none', 'sci', 'grouped', 'ppq', 'train'",
        ),
        (
            {"network": {"nodes": 4}, "rings": {"ring 0": {"flow_control": {"protocol": "dfc"}}}},
            "rings: <[rings]> is not allowed; a network with switches",
        ),
    ],
)
def test_what_is_wrong_on_a_ring_is_said_with_its_name(sections, message):
    with pytest.raises(RingletError) as caught:
        scenario(**sections)
    assert str(caught.value).startswith(message)


def test_the_line_of_a_ring_s_key_is_named(tmp_path):
    file = tmp_path / "mixed.toml"
    file.write_text(
        '[network]\ntopology = "ring-of-rings"\nshape = [3, 2]\n\n[rings."ring 1".flow_control]\nprotocol = "dfx"\n'
    )
    with pytest.raises(RingletError, match=r'mixed\.toml, line 6: rings\."ring 1"\.flow_control\.protocol'):
        Scenario.load(file)


def test_a_document_holds_the_sections_of_rings():
    made = scenario(rings={"old": {"flow_control": {"protocol": "dfc", "fair": False}}})
    content = made.to_dict()
    assert content["rings"]["old"]["flow_control"]["fair"] is False
    assert Scenario.from_dict(content).network_spec(1) == made.network_spec(1)
