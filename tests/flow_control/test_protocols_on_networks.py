"""Every protocol on networks of rings: what the engine gets, what a run finds, and what is refused."""

import pytest

from ringlet import RingletError, Scenario, run
from ringlet.scenario.flow_control import PROTOCOLS

NETWORKS = {
    "bridged": {
        "topology": "rings",
        "rings": [{"members": [0, "s.0", 1]}, {"members": ["s.1", 2, 3, 4]}],
        "switches": [{"name": "s", "ports": 2}],
    },
    "long rings": {"topology": "switch", "nodes": 8, "connection": "long-ring"},
    "omega": {"topology": "omega", "size": 4},
    "torus": {"topology": "torus", "shape": [3, 2]},
    "ring-of-rings": {"topology": "ring-of-rings", "shape": [3, 2]},
}

FLOW_CONTROLS = {
    **{name: {"protocol": name} for name in PROTOCOLS.listed},
    "sci with priorities": {"protocol": "sci", "priorities": 3},
}

SURVIVE_LOSSES = PROTOCOLS.names(lambda one: one.survives_losses)


def scenario(network, **sections):
    return Scenario.from_dict({"network": network, "run": {"duration": "50 us", "warmup": 0}, **sections})


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize("protocol", FLOW_CONTROLS)
@pytest.mark.parametrize("network", NETWORKS)
def test_every_protocol_runs_on_every_network(network, protocol, links):
    traffic = {"transaction": "read64", "arrivals": "poisson", "load": "20 MB/s", "priorities": [0, 2]}
    sections = {"switch": {"links": links}, "flow_control": FLOW_CONTROLS[protocol], "queues": {"priorities": 3}}
    # A ring of two interfaces is long enough for a slot.
    long = {"hop_delay": "200 ns"} if protocol == "slotted-ring" else {}
    found = run(scenario({**NETWORKS[network], **long}, traffic=traffic, **sections)).to_dict()
    assert found["stall"] is None
    total = found["total"]
    assert total["throughput_MBps"] > 0.8 * total["offered_MBps"]
    assert [one["priority"] for one in found["priorities"]] == [0, 1, 2]


def test_high_priority_goes_first_through_a_switch():
    network = {"topology": "switch", "nodes": 8}
    traffic = {"transaction": "dmove64", "arrivals": "poisson", "load": "160 MB/s", "priorities": [0, 1]}
    run_for = {"duration": "200 us", "warmup": "20 us"}
    made = scenario(network, traffic=traffic, queues={"priorities": 2}, run=run_for)
    low, high = run(made).to_dict()["priorities"]
    # The B-Link moves some 430 MB/s of the 640 that are offered.
    assert high["throughput_MBps"] > 0.95 * high["offered_MBps"]
    assert low["throughput_MBps"] < 0.5 * low["offered_MBps"]


def groups_of(network, **flow_control):
    return [
        ring["groups"]
        for ring in scenario(network, flow_control={"protocol": "grouped", **flow_control}).network_spec(1)["network"][
            "rings"
        ]
    ]


def test_each_ring_has_groups_of_its_own_to_which_ports_belong():
    assert groups_of(NETWORKS["bridged"]) == [[0, 1, 2], [0, 1, 2, 3]]
    assert groups_of({"topology": "torus", "shape": [3, 2]})[0] == [0, 1]
    conflicting = groups_of(NETWORKS["bridged"], groups=2)
    assert [len(ring) for ring in conflicting] == [3, 4]
    assert {group for ring in conflicting for group in ring} == {0, 1}


def test_a_node_sends_with_the_group_that_it_has_on_its_ring():
    spec = scenario(NETWORKS["bridged"], flow_control={"protocol": "grouped"}).network_spec(1)
    assert [flow["groups"]["group"] for flow in spec["flows"]] == [0, 2, 1, 2, 3]


@pytest.mark.parametrize(
    ("flow_control", "message"),
    [
        (
            {"assignment": [0, 1, 2, 3, 4]},
            "flow_control.assignment: <groups> is not allowed; 'node' or 'maximal-conflict' where there are switches, "
            "whose ports belong to groups, too",
        ),
        (
            {"assignment": "pair"},
            "flow_control.assignment: 'pair' is not allowed; 'node' or 'maximal-conflict' where there are switches, "
            "whose ports belong to groups, too",
        ),
        (
            {"schedule": [{"at": 0, "groups": [0, 1, 2, 3, 4]}]},
            "flow_control.schedule: <steps> is not allowed; none: assignment 'node' or 'maximal-conflict' where there "
            "are switches, whose ports belong to groups, too",
        ),
        (
            {"groups": 3, "assignment": "node"},
            "flow_control.groups: 3 is not allowed; at least 4, one for each interface of a ring, and at most 256; or "
            "another assignment",
        ),
    ],
)
def test_groups_that_say_nothing_of_ports_are_refused(flow_control, message):
    with pytest.raises(RingletError) as refused:
        scenario(NETWORKS["bridged"], flow_control={"protocol": "grouped", **flow_control})
    assert str(refused.value) == message


def test_no_time_of_passing_is_no_delay_whatever_its_unit():
    # `--set` takes a delay of a file back so.
    for sections in ({"flow_control": {"protocol": "ppq"}}, {"network": {"bypass": "store-and-forward"}}):
        network = NETWORKS["bridged"] | sections.pop("network", {})
        assert scenario({**network, "pass_delay": "0 ns"}, **sections).resolved.pass_cycles == 0


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"flow_control": {"protocol": "train", "ticket_master": 3}},
            "flow_control.ticket_master: 3 is not allowed; a place below 3, the interfaces of the smallest ring",
        ),
        (
            {"flow_control": {"protocol": "metaring"}, "errors": {"bit_error_rate": 1e-9}},
            f"errors: <[errors]> is not allowed; protocol {SURVIVE_LOSSES}; it is 'metaring', which needs a "
            "sat_timeout",
        ),
        (
            {"flow_control": {"protocol": "ppq"}, "network": {**NETWORKS["bridged"], "bypass": "store-and-forward"}},
            "network.bypass: 'store-and-forward' is not allowed; 'cut-through', or protocol "
            + PROTOCOLS.names(lambda one: one.holds_what_passes)
            + "; with 'ppq' packets pass at once",
        ),
        (
            {"flow_control": {"protocol": "train"}, "network": {**NETWORKS["bridged"], "pass_delay": "48 ns"}},
            "network.pass_delay: '48 ns' is not allowed; 0, or protocol "
            + PROTOCOLS.names(lambda one: one.holds_what_passes)
            + "; with 'train' packets pass at once",
        ),
        (
            {"network": {**NETWORKS["bridged"], "bypass": "store-and-forward", "pass_delay": "48 ns"}},
            "network.pass_delay: '48 ns' is not allowed; 0 where interfaces store what passes",
        ),
        (
            {"network": {**NETWORKS["bridged"], "pass_delay": "1 s"}},
            "network.pass_delay: '1 s' is not allowed; at most 1,000,000 cycles of 4 ns",
        ),
        (
            {"flow_control": {"protocol": "slotted-ring", "slots": 4}},
            "flow_control.slots: 4 is not allowed; at most 1, which fit on the smallest ring",
        ),
        (
            {"flow_control": {"protocol": "slotted-ring"}, "retry": {"by": "responder"}},
            "retry.by: 'responder' is not allowed; 'requester' with protocol 'slotted-ring', whose slots have no place "
            "for a later echo",
        ),
    ],
)
def test_what_remains_refused_is_said(sections, message):
    with pytest.raises(RingletError) as refused:
        Scenario.from_dict({"network": NETWORKS["bridged"], **sections})
    assert str(refused.value) == message


@pytest.mark.parametrize("protocol", [name for name, one in PROTOCOLS.listed.items() if one.delays_echoes])
def test_a_responder_may_wait_before_its_busy_echo_with_every_protocol(protocol):
    made = Scenario.from_dict(
        {
            "network": {"nodes": 4},
            "flow_control": {"protocol": protocol},
            "queues": {"receive": 1, "service_time": "400 ns"},
            "retry": {"by": "responder", "delay": "300 ns"},
            "traffic": {"arrivals": "poisson", "load": "100 MB/s"},
            "run": {"duration": "100 us", "warmup": 0},
        }
    )
    total = run(made).to_dict()["total"]
    assert total["throughput_MBps"] > 0.5 * total["offered_MBps"]
