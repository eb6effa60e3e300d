"""What link controllers and B-Links tell of themselves."""

import pytest

from ringlet import Scenario, run


def of_switch(*, links=1, **sections):
    content = {
        "network": {"topology": "switch", "nodes": 4},
        "switch": {"links": links},
        "traffic": {"transaction": "dmove64", "arrivals": "poisson", "load": "60 MB/s"},
        "run": {"duration": "100 us", "warmup": 0},
        **sections,
    }
    return run(Scenario.from_dict(content))


def test_what_ports_take_b_links_move_and_ports_send():
    found = of_switch()
    ports, links = found.link_controllers, found.b_links
    moved = links["packets"].sum()
    assert moved == pytest.approx(found.nodes["delivered_packets"].sum(), abs=8)
    assert ports["accepted_packets"].sum() == pytest.approx(moved, abs=8)
    assert ports["sent_packets"].sum() == pytest.approx(moved, abs=8)
    assert list(ports.index) == [f"the switch port {port}" for port in range(4)]
    assert list(links.index) == ["the switch B-Link"]
    assert (ports["link_busy_fraction"] > 0).all()


def test_a_b_link_is_busy_for_its_time_for_each_packet():
    found = of_switch()
    links = found.b_links.iloc[0]
    # 88 bytes and 8 of encapsulation: 11 or 12 cycles of 13.3 ns, and the set-up.
    per_packet_ns = links["busy_fraction"] * 100_000 / links["packets"]
    assert 100 < per_packet_ns < 400


def test_each_link_controller_of_a_cascade_is_told_apart():
    found = of_switch(links=2)
    names = [f"the switch port {port} B-Link {link}" for port in range(4) for link in range(2)]
    assert list(found.link_controllers.index) == names
    assert list(found.b_links.index) == ["the switch B-Link 0", "the switch B-Link 1"]


def test_inversions_at_a_b_link_are_told():
    traffic = {"transaction": "dmove64", "arrivals": "poisson", "load": "120 MB/s", "priorities": [0, 1]}
    links = of_switch(traffic=traffic, queues={"priorities": 2}).b_links.iloc[0]
    assert links["inversions"] > 0
    # No packet waits longer than for the one that is being moved.
    assert links["inversion_ns"] / links["inversions"] < 400


def test_a_link_controller_whose_packets_never_find_a_gap_is_warned_of():
    # Without flow control node 1 fills the link that passes the port, whose packets from node 0 wait.
    network = {
        "topology": "rings",
        "rings": [{"members": [0, "s.0"]}, {"members": [1, "s.1", 2]}],
        "switches": [{"name": "s", "ports": 2}],
    }
    found = of_switch(
        network=network,
        flow_control={"protocol": "none"},
        traffic={"transaction": "send80", "pattern": "senders-receivers", "senders": [0, 1], "receivers": [2]},
        run={"duration": "100 us", "warmup": "20 us"},
    )
    assert [line for line in found.warnings if "without a turn" in line] == [
        "without a turn: packets waited at switch 's' port 1, and none was sent on its ring"
    ]


def test_a_single_ring_has_none():
    found = run(Scenario.from_dict({"network": {"nodes": 2}, "run": {"duration": "10 us"}}))
    assert found.link_controllers.empty
    assert found.b_links.empty
    assert "b_links" not in found.to_dict()
