"""A message set verified: each number beside its source, failures, reasons, what helps, the same by any workers."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.simulation.breakdown import with_protocol
from ringlet.simulation.phases import Phases, PhaseTrials
from ringlet.simulation.verified import in_own_phases
from ringlet.store import Store
from ringlet.theory.lemmas import NAMES
from ringlet.verification import verify
from ringlet.verification.check import check_report, document_text
from ringlet.verification.failures import single_failures
from ringlet.verification.remedies import sized
from ringlet.verification.schema import json_schema
from ringlet.verification.sentences import counting

PAGE = Path(__file__).parents[2] / "docs/explanation/guarantees.md"

MESSAGES = [
    {"name": "fast", "source": 0, "destination": 2, "size": 64, "period": "5 us", "deadline": "3 us", "priority": 1},
    {"name": "bulk", "source": 1, "destination": 3, "size": "1 KiB", "period": "20 us"},
    {"name": "slow", "source": 3, "destination": 1, "size": 256, "period": "40 us", "offset": "2 us"},
]
RING = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}, "messages": MESSAGES}
DUAL = {
    **RING,
    "network": {"topology": "dual-ring", "nodes": 4},
    "flow_control": {"protocol": "none"},
    "switch": {"receive": 64, "transmit": 64},
}
BRIDGED = {
    "network": {
        "topology": "rings",
        "rings": [{"name": "a", "members": [0, 1, "bridge.0"]}, {"name": "b", "members": [2, 3, "bridge.1"]}],
        "switches": [{"name": "bridge", "ports": 2}],
    },
    "flow_control": {"protocol": "none"},
    "messages": [*MESSAGES, {"name": "near", "source": 0, "destination": 1, "size": 64, "period": "20 us"}],
}
QUICK = {"trials": 3, "tolerance": 0.5, "workers": 1}


def verified(scenario, *protocols, **options):
    return verify(scenario, protocols or None, **QUICK | options)


@pytest.fixture(scope="module")
def ring():
    return verified(RING, "token-ring", "dfc")


@pytest.fixture(scope="module")
def dual():
    return verified(DUAL, "none")


@pytest.fixture(scope="module")
def bridged():
    return verified(BRIDGED, "none")


def of_case(verification, protocol, failure=0):
    return next(
        case for case in verification.document["cases"] if (case["protocol"], case["failure"]) == (protocol, failure)
    )


def test_each_number_is_that_of_the_command_that_finds_it_alone(ring):
    for protocol in ("token-ring", "dfc"):
        alone = with_protocol(rl.Scenario.of(RING), protocol)
        bounds = rl.guarantee(alone)
        own = rl.run(in_own_phases(alone)).messages
        factors = rl.breakdown(alone, [protocol], tolerance=0.5, trials=3, workers=1).loc[protocol]
        case = of_case(ring, protocol)
        for one in case["messages"]:
            bound = bounds.loc[one["name"], "bound_us"]
            assert one["bound_us"] == (None if bound != bound else pytest.approx(bound))
            assert one["guaranteed"] == bounds.loc[one["name"], "guaranteed"]
            assert one["these_phases_us"] == pytest.approx(own.loc[one["name"], "worst_response_ns"] / 1e3)
            assert one["p99_us"] == pytest.approx(own.loc[one["name"], "p99_response_ns"] / 1e3)
            assert one["these_phases_us"] <= one["searched_us"]
            assert one["bound_us"] is None or one["searched_us"] <= one["bound_us"]
        assert case["breakdown"]["searched_factor"] == factors["searched_factor"]
        assert case["breakdown"]["these_phases_factor"] == factors["breakdown_factor"]


def test_the_worst_of_a_set_that_comes_back_is_exact(ring):
    assert of_case(ring, "token-ring")["exact"] is not None
    # 40 us, the hyperperiod, are 20,000 cycles.
    assert of_case(ring, "token-ring")["exact"]["period_cycles"] % 20_000 == 0


def test_a_set_without_a_short_hyperperiod_is_not_called_exact():
    messages = [{**one, "period": f"{7.001 + i * 3.1415} us", "deadline": "7 us"} for i, one in enumerate(MESSAGES)]
    found = verified({**RING, "messages": messages, "run": {"duration": "100 us"}}, "token-ring", failures=False)
    assert of_case(found, "token-ring")["exact"] is None


def test_the_verdict_names_the_least_margin(ring):
    (whole, failures) = ring.document["verdicts"]
    bulk = next(one for one in of_case(ring, "token-ring")["messages"] if one["name"] == "bulk")
    margin = bulk["deadline_us"] - bulk["bound_us"]
    said = f"least margin: bulk, {margin:.4g} us, {100 * margin / bulk['deadline_us']:.0f} % of its deadline"
    assert whole == f"verified: all 3 deadlines guaranteed under token-ring; {said}"
    assert failures == (
        "failures: all deadlines guaranteed with 0 of 1 single failures; "
        "not with a link of the ring (3 messages without a way)"
    )
    assert ring.holds
    assert not ring.survives


def test_a_dual_ring_survives_a_link_between_its_stations(dual):
    found = {one["what"]: one for one in dual.document["failures"]}
    assert set(found) == {
        *(f"a link to N{node}" for node in range(4)),
        *(f"a link of ring {name}" for name in ("rising", "falling")),
        *(f"station {number}" for number in range(4)),
    }
    assert found["a link of ring rising"]["cut"] == []
    assert found["a link to N0"]["cut"] == []
    assert found["a link to N0"]["ends"] == ["fast"]
    # A station that fails interrupts both rings.
    assert found["station 1"]["cut"] == ["fast"]
    assert found["station 1"]["ends"] == ["bulk", "slow"]
    assert (
        "6 of 10 single failures, but for messages from or to what fails; not with station 0 (2 messages"
        in (dual.document["verdicts"][1])
    )
    whole, broken = of_case(dual, "none"), of_case(dual, "none", 5)
    assert dual.document["failures"][4]["what"] == "a link of ring rising"
    assert [one["bound_us"] for one in whole["messages"]] != [one["bound_us"] for one in broken["messages"]]
    without = {**DUAL["network"], "without_rings": ["ring rising"]}
    bounds = rl.guarantee({**DUAL, "network": without})["bound_us"]
    assert [one["bound_us"] for one in broken["messages"]] == pytest.approx(list(bounds))


def test_a_network_with_two_ways_stays_guaranteed_with_each_failure():
    # Two bridges join the middle rings: without either ring the other one is left.
    network = {
        "topology": "rings",
        "rings": [
            {"name": "a", "members": [0, "left.0"]},
            {"name": "b", "members": ["left.1", "right.1"]},
            {"name": "c", "members": ["left.2", "right.2"]},
            {"name": "d", "members": [1, "right.0"]},
        ],
        "switches": [{"name": "left", "ports": 3}, {"name": "right", "ports": 3}],
    }
    message = {**MESSAGES[0], "destination": 1}
    document = verified(
        {"network": network, "messages": [message], "flow_control": {"protocol": "none"}}, "none"
    ).document
    assert [one["cut"] for one in document["failures"]] == [[]] * 6
    assert [one["ends"] for one in document["failures"]] == [["fast"], [], [], ["fast"], ["fast"], ["fast"]]
    assert document["verdicts"][1] == (
        "failures: all deadlines guaranteed with each of 6 single failures, but for messages from or to what fails"
    )
    assert document["survives"]


def test_a_miss_that_only_a_search_finds_has_its_reason():
    # In their own phases the two never meet.
    apart = [
        {"name": "one", "source": 0, "destination": 2, "size": "2 KiB", "period": "40 us", "deadline": "4 us"},
        {"name": "two", "source": 0, "destination": 3, "size": "2 KiB", "period": "40 us", "deadline": "4 us"},
    ]
    apart[1]["offset"] = "20 us"
    found = verified({**RING, "messages": apart, "flow_control": {"protocol": "none"}}, "none", failures=False)
    assert any(
        re.match(r"misses its deadline in other phases, that were found: [\d.]+ us of 4 us", one["why"])
        for one in found.document["reasons"]
    )


def test_what_has_no_way_is_not_sent_and_the_rest_is_verified(bridged):
    failures = [one["what"] for one in bridged.document["failures"]]
    assert failures == ["a link of ring 'a'", "a link of ring 'b'", "switch 'bridge'"]
    assert [one["name"] for one in of_case(bridged, "none", 2)["messages"]] == ["near"]
    assert of_case(bridged, "none", 3)["messages"] == []
    assert "a link of ring 'b' (3 messages without a way)" in bridged.document["verdicts"][1]


@pytest.mark.parametrize("echoes", [True, False])
def test_a_broken_link_stops_a_ring(echoes):
    # Without echoes go bits, tokens and the like do not come round, either.
    scenario = rl.Scenario.of({**RING, "network": {"nodes": 4, "echoes": echoes}, "flow_control": {"protocol": "sci"}})
    assert [(one.what, one.cut) for one in single_failures(scenario)] == [
        ("a link of the ring", ("fast", "bulk", "slow"))
    ]


def test_a_failure_that_cuts_a_read_on_its_way_back_counts():
    reads = {**BRIDGED, "message_transaction": "read64", "messages": [MESSAGES[0]]}
    assert [one.cut for one in single_failures(rl.Scenario.of(reads))] == [("fast",)] * 3


def test_a_factor_is_proven_by_lemmas_though_no_message_has_a_bound():
    # With one packet for each pass of the SAT there is a bound for a slower set only.
    table = [{"name": "m", "source": 0, "destination": 2, "size": 512, "period": "2 us", "deadline": "2 us"}]
    ring = {**RING, "flow_control": {"protocol": "metaring", "most_packets": 1, "least_packets": 1}, "messages": table}
    found = verified(ring, "metaring", failures=False)
    (case,) = found.document["cases"]
    assert case["messages"][0]["bound_us"] is None
    assert 0 < case["breakdown"]["guaranteed_factor"] < 1
    assert "Lemma 15 (rotation)" in found.document["lemmas"]["metaring"]


def test_sizes_of_queues_are_found_at_once_and_tried():
    large = {**BRIDGED["messages"][1], "size": "8 KiB", "period": "200 us"}
    found = verified({**BRIDGED, "messages": [*MESSAGES[:1], large], "switch": {"receive": 4}}, "none", failures=False)
    assert not found.holds
    sizes = found.document["queues"]["none"]
    assert sizes == {"switch.transmit": 30}
    (change,) = [one for one in found.document["remedies"] if one["change"].startswith("queues of ")]
    assert change["set"] == [f"{key}={size}" for key, size in sizes.items()]
    switch = {"receive": 4, "transmit": 30}
    again = rl.guarantee({**BRIDGED, "messages": [*MESSAGES[:1], large], "switch": switch})
    assert change["messages"] - len(change["late"]) == again["guaranteed"].sum() == 2
    assert any(
        line.startswith("helps: queues of switch.transmit 30: all 2 deadlines") for line in found.document["helps"]
    )
    (why,) = found.document["reasons"]
    assert why["messages"] == ["fast", "bulk"]
    assert why["why"].startswith("no bound: switch 'bridge' port 1 may have to keep 30 packets")
    # Faster links need more places, and get them.
    (faster,) = [one for one in found.document["remedies"] if one["change"] == "links of 1000 MB/s"]
    assert "switch.receive=132" in faster["set"]


def test_the_size_of_a_queue_that_a_file_leaves_to_the_protocol_is_found():
    def of_size(size):
        table = [{"source": 0, "destination": 1, "size": size, "period": "1 ms"}]
        return rl.Scenario.of({"network": {"nodes": 10}, "flow_control": {"protocol": "dfc"}, "messages": table})

    assert sized(of_size("1 KiB"))[1] == {}
    larger, sizes = sized(of_size("128 KiB"))
    assert sizes.keys() == {"queues.outstanding"}
    assert larger.queues.outstanding == sizes["queues.outstanding"] > 64
    assert rl.guarantee(larger)["guaranteed"].all()


def test_a_missed_deadline_has_its_reason_and_offsets_that_are_tried():
    # Two large messages at once: the second waits for the first, unless they begin apart.
    both = [
        {"name": "one", "source": 0, "destination": 2, "size": "2 KiB", "period": "40 us", "deadline": "4 us"},
        {"name": "two", "source": 0, "destination": 3, "size": "2 KiB", "period": "40 us", "deadline": "4 us"},
    ]
    found = verified({**RING, "messages": both, "flow_control": {"protocol": "none"}}, "none", failures=False)
    assert any(why["why"].startswith("misses its deadline in these phases: ") for why in found.document["reasons"])
    (shift,) = [one for one in found.document["remedies"] if one["of"] == "phases"]
    assert shift["late"] == []
    assert shift["better"]
    assert any("2 deadlines met in these phases" in line for line in found.document["helps"])


def test_a_faster_link_and_an_option_help():
    slow = [{**one, "deadline": "20 us"} if one["name"] == "bulk" else one for one in MESSAGES]
    found = verified({**RING, "messages": slow, "flow_control": {"protocol": "dfc"}}, "dfc", failures=False)
    assert not found.holds
    assert "helps: stop_thru = false: all 3 deadlines guaranteed" in found.document["helps"]


def test_where_nothing_can_be_bounded_no_change_of_the_set_helps():
    background = {"arrivals": "poisson", "load": "10 MB/s"}
    found = verified({**RING, "traffic": background}, "token-ring", failures=False)
    assert not found.holds
    assert [one for one in found.document["remedies"] if one["of"] == "bounds" and len(one["late"]) < 3] == []
    assert found.document["helps"] == []
    (why,) = found.document["reasons"]
    assert why["why"].startswith("no bound: traffic.arrivals: 'poisson' is not allowed")
    assert any("Background traffic" in one for one in found.document["assumptions"])


def test_a_bound_above_its_deadline_says_what_it_is_made_of():
    tight = [{**MESSAGES[0], "deadline": "0.27 us"}, *MESSAGES[1:]]
    found = verified({**RING, "messages": tight}, "token-ring", failures=False)
    (why,) = [one["why"] for one in found.document["reasons"] if one["messages"] == ["fast"]]
    assert re.match(r"the bound, [\d.]+ us, is above the deadline, 0.27 us; most of it .*; the longest response", why)


def test_jitter_and_drift_of_a_message_count_in_its_bound_and_are_simulated():
    late = [{**MESSAGES[0], "jitter": "1 us", "drift": 50}, *MESSAGES[1:]]
    found = verified({**RING, "messages": late, "run": {"duration": "100 us"}}, "token-ring", failures=False)
    case = of_case(found, "token-ring")
    assert case["exact"] is None
    fast, without = (
        case["messages"][0],
        of_case(verified(RING, "token-ring", failures=False), "token-ring")["messages"][0],
    )
    assert fast["bound_us"] >= without["bound_us"] + 1
    assert without["searched_us"] < fast["searched_us"] <= fast["bound_us"]


def test_a_report_of_any_scenario_is_computed_again_from_what_it_holds():
    first = verified({**RING, "messages": [{**MESSAGES[0], "drift": 0}]}, "token-ring", failures=False).document
    again = verified(first["scenario"], "token-ring", failures=False).document
    assert again == first


def test_the_table_has_a_row_for_each_protocol_failure_and_message(ring):
    table = ring.table
    assert table.loc[("token-ring", "none", "fast"), "guaranteed"]
    assert len(table) == 6


def test_every_way_gives_the_same_bytes(ring, tmp_path):
    store = tmp_path / "store.sqlite"
    two = verified(RING, "token-ring", "dfc", workers=2, store=store)
    assert document_text(two.document) == document_text(ring.document)
    assert two.scenarios == ring.scenarios
    with Store.open(store) as kept:
        count = len(kept)
    again = verified(RING, "token-ring", "dfc", store=store)
    assert document_text(again.document) == document_text(ring.document)
    with Store.open(store) as kept:
        assert len(kept) == count


def test_scenarios_in_the_worst_phases_show_what_was_found(ring):
    for protocol in ("token-ring", "dfc"):
        case = of_case(ring, protocol)
        if case["witness"] is None:
            continue
        import tomllib

        worst = rl.Scenario.from_dict(tomllib.loads(ring.scenarios[case["witness"]["file"]]))
        closest = next(one for one in case["messages"] if one["name"] == case["closest"])
        response = rl.run(worst).messages.loc[case["closest"], "worst_response_ns"]
        assert response / 1e3 == pytest.approx(closest["searched_us"])


def test_the_document_is_what_its_schema_says(ring, dual, bridged):
    for one in (ring, dual, bridged):
        jsonschema.validate(json.loads(document_text(one.document)), json_schema())


def test_each_lemma_has_the_name_that_the_page_gives_it():
    page = PAGE.read_text(encoding="utf-8")
    for number, name in NAMES.items():
        assert f"**Lemma {number} ({name}).**" in page or f"**Lemma {number}.** *{name[0].upper()}{name[1:]}.*" in page
    assert len(re.findall(r"^\*\*Lemma \d+", page, re.MULTILINE)) == len(NAMES)
    for protocol in (name for name, one in PROTOCOLS.listed.items() if one.lemmas):
        assert f"| `{protocol}` |" in page


@pytest.mark.parametrize(
    ("sections", "options", "said"),
    [
        ({"messages": None}, {}, "messages: missing"),
        ({"errors": {"bit_error_rate": 1e-9}}, {"protocols": ["none"]}, "errors: .* each single failure by itself"),
        ({}, {"trials": 0}, "trials: 0 is not allowed"),
        ({}, {"tolerance": 1}, "tolerance: 1 is not allowed"),
        ({}, {"workers": 0}, "workers: 0 is not allowed"),
        ({}, {"protocols": ["fair"]}, "flow_control.protocol: 'fair' is not allowed"),
        ({}, {"protocols": []}, "protocols: missing"),
    ],
)
def test_what_cannot_be_verified_is_refused(sections, options, said):
    given = {**RING, "flow_control": {"protocol": "none"}, **sections}
    scenario = {key: value for key, value in given.items() if value is not None}
    protocols = options.pop("protocols", ["none"])
    with pytest.raises(rl.RingletError, match=said):
        verify(scenario, protocols, **{**QUICK, **options})


LOOP = {"name": "loop", "nodes": [1, 3, 0], "size": 64, "period": "20 us", "deadline": "2 us", "compute_time": "100 ns"}
FLOW = {"source": 2, "destination": 0, "size": 64, "arrivals": "periodic", "period": "30 us", "deadline": "2 us"}
FLOW["name"] = "flow"


def test_loops_and_flows_with_deadlines_are_judged_with_the_bounds_of_a_guarantee():
    content = {**RING, "loops": [LOOP], "flows": [FLOW]}
    found = rl.verify(content, protocols=["token-ring"], failures=False, **QUICK).document
    bounds = rl.guarantee(content)["bound_us"]
    rows = found["cases"][0]["messages"]
    assert [one["name"] for one in rows] == ["fast", "bulk", "slow", "loop", "flow"]
    assert {one["name"]: one["bound_us"] for one in rows} == bounds.to_dict()
    assert all(0 < one["these_phases_us"] <= one["searched_us"] <= one["bound_us"] for one in rows)
    assert "Lemma 25 (work)" in found["lemmas"]["token-ring"]
    late = {**content, "loops": [{**LOOP, "deadline": "410 ns"}]}
    assert not rl.verify(late, protocols=["token-ring"], failures=False, **QUICK).holds


@pytest.mark.parametrize("table", ["loops", "flows"])
def test_a_set_without_messages_is_verified_without_load_factors(table):
    content = {**RING, table: [LOOP] if table == "loops" else [FLOW]}
    del content["messages"]
    (case,) = rl.verify(content, protocols=["token-ring"], failures=False, **QUICK).document["cases"]
    assert [one["guaranteed"] for one in case["messages"]] == [True]
    assert case["breakdown"] is None


def test_each_receiver_of_a_flow_is_judged():
    content = {
        "network": {"nodes": 6, "hop_delay": 20, "echoes": False},
        "flow_control": {"protocol": "none"},
        "flows": [
            {"name": "video", "source": 0, "destination": [4, 1], "multicast": True, "size": 64, "period": "5 us"}
            | {"deadline": "600 ns", "offset": "1 us"},
            {"name": "other", "source": 1, "destination": 3, "size": 256, "period": "7 us", "deadline": "2 us"},
        ],
        "queues": {"service_time": [0, "1 us", 0, 0, 0, 0]},
    }
    found = verified(content, "none")
    rows = {one["name"]: one for one in of_case(found, "none")["messages"]}
    assert list(rows) == ["video to 4", "video to 1", "other"]
    bounds = rl.guarantee(content)["bound_us"]
    assert {name: one["bound_us"] for name, one in rows.items()} == pytest.approx(bounds.to_dict())
    # The first receiver takes longer than its deadline allows; the last one does not.
    assert not rows["video to 1"]["guaranteed"]
    assert rows["video to 1"]["missed"] == rows["video to 1"]["released"] > 0
    assert (rows["video to 4"]["guaranteed"], rows["video to 4"]["missed"]) == (False, 0)
    assert rows["video to 4"]["searched_us"] >= rows["video to 4"]["these_phases_us"]
    assert f"Lemma 29 ({NAMES[29]})" in found.document["lemmas"]["none"]
    # Each row of the table has one time of its own in the phases that are tried; a second receiver has none.
    trials = PhaseTrials(rl.Scenario.of(content))
    assert trials.sender.tolist() == [0, 0, 2]
    tried = trials.as_scenario(Phases((100.0, 999.0, 300.0), 5000))
    assert [flow.offset for flow in tried.resolved.flow_table] == [100, 300]


def test_a_failure_that_a_loop_or_flow_has_to_cross_cuts_it():
    loops = [{**LOOP, "nodes": [1, 3, 0]}, {**LOOP, "name": "near", "nodes": [0, 1, 0]}]
    content = {**BRIDGED, "loops": loops, "flows": [FLOW], "messages": MESSAGES[:1], "message_transaction": "dmove16"}
    document = verified(content, "none").document
    of_ring = next(one for one in document["failures"] if one["rings"] == ["b"])
    assert of_ring["cut"] == ["fast", "loop", "flow"]
    case = document["cases"][1 + document["failures"].index(of_ring)]
    assert [one["name"] for one in case["messages"]] == ["near"]
    assert not document["survives"]


def test_a_protocol_without_bounds_has_no_lemmas():
    content = {**RING, "messages": [{**one, "priority": place} for place, one in enumerate(RING["messages"])]}
    found = rl.verify(content, ["token-ring", "ppq"], failures=False, **QUICK).document
    assert "preempted" in found["cases"][1]["messages"][0]["why_no_bound"]
    assert found["lemmas"]["ppq"] == [] != found["lemmas"]["token-ring"]


def test_losses_count_in_the_bounds_of_every_case_and_stand_in_the_verdict(tmp_path):
    content = {**RING, "flow_control": {"protocol": "none"}}
    found = rl.verify(content, ["none", "token-ring"], failures=False, losses=2, **QUICK)
    bounds = rl.guarantee(content, losses=2)["bound_us"]
    of_none, of_token = found.document["cases"]
    assert {one["name"]: one["bound_us"] for one in of_none["messages"]} == bounds.to_dict()
    assert "no bound with losses is proven for protocol 'token-ring'" in of_token["messages"][0]["why_no_bound"]
    assert found.document["lemmas"]["token-ring"] == [] != found.document["lemmas"]["none"]
    assert "Lemma 26 (losses)" in found.document["lemmas"]["none"]
    (verdict,) = found.document["verdicts"]
    kept = sum(one["guaranteed"] for one in of_none["messages"])
    assert verdict.startswith(f"verified: {kept} of 3 deadlines guaranteed under none with up to 2 losses; not that of")
    assert any("at most 2 packets and echoes" in one for one in found.document["assumptions"])
    report = tmp_path / "verification.json"
    report.write_text(document_text(found.document), encoding="utf-8")
    assert check_report(report, workers=1).difference is None
    without = rl.verify(content, ["none"], failures=False, **QUICK).document
    factors = [one["cases"][0]["breakdown"]["guaranteed_factor"] for one in (without, found.document)]
    assert factors[1] is None or factors[1] < factors[0]


def test_background_traffic_is_bounded_by_what_is_said_of_it():
    content = {**RING, "traffic": {"arrivals": "poisson", "load": "1 MB/s"}}
    without = rl.verify(content, ["token-ring"], failures=False, **QUICK)
    assert "ringlet guarantee and ringlet verify take --rate and --burst" in without.document["reasons"][0]["why"]
    found = rl.verify(content, ["token-ring"], failures=False, rate="2 MB/s", burst="1 KiB", **QUICK)
    bounds = rl.guarantee(content, rate="2 MB/s", burst="1 KiB")["bound_us"]
    assert {one["name"]: one["bound_us"] for one in found.document["cases"][0]["messages"]} == bounds.to_dict()


STATIONS = {
    "network": {"topology": "dual-attached-ring", "ways": "both", "nodes": 5},
    "flow_control": {"protocol": "none"},
    "messages": MESSAGES,
}


def test_a_set_on_stations_with_two_rings_stays_guaranteed_with_each_failure_where_copies_go_round_both():
    found = verified(STATIONS, "none")
    assert found.survives, found
    assert found.document["verdicts"][1] == (
        "failures: all deadlines guaranteed with each of 10 single failures, but for messages from or to what fails"
    )
    names = [one["what"] for one in found.document["failures"]]
    assert names[4:6] == ["the links between N4 and N0", "N0"]
    assert found.document["failures"][5]["ends"] == ["fast"]
    assert [counting(found.document, case) for case in found.document["cases"][:6]] == [3, 3, 3, 3, 3, 3]
    assert counting(found.document, of_case(found, "none", 6)) == 2
    assert found.document["lemmas"]["none"][-1] == f"Lemma 28 ({NAMES[28]})"
    whole, broken = rl.guarantee(STATIONS)["bound_us"], rl.guarantee(STATIONS, any_failure=True)["bound_us"]
    for number in range(11):
        bounds = {one["name"]: one["bound_us"] for one in of_case(found, "none", number)["messages"]}
        if number < 6:
            assert bounds == pytest.approx(broken.to_dict() if number else whole.to_dict())
        worst = {one["name"]: one["searched_us"] or 0 for one in of_case(found, "none", number)["messages"]}
        assert all(worst[name] <= bounds[name] for name in bounds)
    # With the first failure what goes by the shorter way else has the longer one alone.
    fast = [of_case(found, "none", number)["messages"][0]["mean_us"] for number in (0, 1)]
    assert fast[1] > fast[0]


def test_a_set_on_stations_whose_packets_take_one_ring_is_cut_by_each_failure():
    found = verified({**STATIONS, "network": {**STATIONS["network"], "ways": "shorter"}}, "none")
    cut = {one["what"]: one["cut"] for one in found.document["failures"]}
    assert cut["a link of ring rising"] == ["fast", "bulk"]
    assert cut["a link of ring falling"] == ["slow"]
    assert cut["N0"] == ["bulk", "slow"]
    assert found.holds
    assert not found.survives
    assert [one["name"] for one in of_case(found, "none", 1)["messages"]] == ["slow"]


OFFSETS = {
    "message_transaction": "dmove64",
    "network": {"nodes": 4, "hop_delay": 1},
    "flow_control": {"protocol": "none"},
    "messages": [
        {"name": "a", "source": 0, "destination": 2, "size": 64, "period": 1000, "deadline": 150},
        {"name": "b", "source": 1, "destination": 3, "size": 64, "period": 1000, "deadline": 90, "offset": 300},
        {"name": "c", "source": 1, "destination": 2, "size": 64, "period": 1000, "deadline": 90, "offset": 600},
    ],
}
"""Messages of which two have deadlines that offsets keep, and other phases miss."""


def test_bounds_for_offsets_are_judged_and_those_for_all_phases_where_there_are_none(tmp_path):
    for_all, found = (
        rl.verify(OFFSETS, ["none", "timed-token"], failures=False, offsets=offsets, **QUICK)
        for offsets in (False, True)
    )
    assert not for_all.holds
    assert found.holds
    of_none, of_token = found.document["cases"]
    assert {one["name"]: one["bound_us"] for one in of_none["messages"]} == rl.guarantee(OFFSETS, offsets=True)[
        "bound_us"
    ].to_dict()
    assert of_token["messages"] == for_all.document["cases"][1]["messages"]
    # Other phases miss deadlines, and load factors are of all phases.
    assert of_none["missed_trials"] > 0
    assert of_none["breakdown"] == for_all.document["cases"][0]["breakdown"]
    (verdict,) = found.document["verdicts"]
    assert verdict.startswith("verified: all 3 deadlines guaranteed under none for these offsets; least margin: ")
    assert "Lemma 27 (known releases)" in found.document["lemmas"]["none"]
    assert "Lemma 27 (known releases)" not in found.document["lemmas"]["timed-token"]
    report = tmp_path / "verification.json"
    report.write_text(document_text(found.document), encoding="utf-8")
    assert check_report(report, workers=1).difference is None


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"flow_control": {"protocol": "timed-token"}}, "bounds for given offsets are proven of protocols none, sci"),
        ({"network": {"topology": "dual-ring", "nodes": 4}}, "bounds for given offsets are proven of messages and"),
    ],
)
def test_a_verification_for_offsets_says_why_it_does_not_use_them(keys, why):
    content = {**OFFSETS, **keys}
    name = content["flow_control"]["protocol"]
    found = rl.verify(content, [name], failures=False, offsets=True, **QUICK).document
    verdict, offsets = found["verdicts"]
    assert "for these offsets" not in verdict
    assert offsets.startswith(f"offsets: not used under {name}, because {why}")
    assert found["offsets_unused"][name] in offsets
    assert rl.verify(OFFSETS, ["none"], failures=False, offsets=True, **QUICK).document["offsets_unused"] == {}


def test_offsets_that_are_spread_are_tried_where_bounds_are_those_for_offsets():
    content = {**OFFSETS, "messages": [{**one, "offset": 0} for one in OFFSETS["messages"]]}
    found = rl.verify(content, ["none"], failures=False, offsets=True, **QUICK)
    assert not found.holds
    (help_,) = (one for one in found.document["helps"] if one.endswith("deadlines guaranteed"))
    assert help_.startswith("helps: offsets spread over the periods: ")
    assert "all 3" in help_
    # What other phases do is no reason.
    assert not any("in other phases" in one["why"] for one in found.document["reasons"])
